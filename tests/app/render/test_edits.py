"""Calls that replace text are shown as the difference that they make."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.app.render.blocks import message_lines
from trajview.app.render.edits import Edit, edit_lines
from trajview.app.render.lines import Line
from trajview.app.render.options import Fold, ViewOptions
from trajview.models.messages import AssistantMessage, ToolCall


def shown(function: str, arguments: dict[str, Any], **options: Any) -> list[Line]:
    """The lines of a call below its message's header, their colours included."""
    message = AssistantMessage(content="", tool_calls=[ToolCall(function=function, arguments=arguments)])
    lines = message_lines(message, Fold.OPEN, ViewOptions(**options))[1:]
    for line in lines:
        if line.finish is not None:
            line.finish()
    return lines


def written(lines: list[Line]) -> list[str]:
    """The lines with the sign that stands before each."""
    return [f"{(line.lead[0] if line.lead else '').strip():1} {line.text}" for line in lines]


def marked(lines: list[Line]) -> list[str]:
    """The words that are marked, in order."""
    return [line.text[a:b] for line in lines for a, b, style in line.spans if str(style).endswith(".word")]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("str_replace_editor", {"command": "str_replace", "path": "a.py", "old_str": "x = 1\ny = 2", "new_str": "x = 1\ny = 3"}),
        ("Edit", {"file_path": "a.py", "old_string": "x = 1\ny = 2\n", "new_string": "x = 1\ny = 3\n", "replace_all": False}),
        ("MultiEdit", {"file_path": "a.py", "edits": [{"old_string": "x = 1\ny = 2", "new_string": "x = 1\ny = 3"}]}),
        ("replace_in_file", {"path": "a.py", "diff": "<<<<<<< SEARCH\nx = 1\ny = 2\n=======\nx = 1\ny = 3\n>>>>>>> REPLACE\n"}),
        ("replace_in_file", {"path": "a.py", "diff": "------- SEARCH\nx = 1\ny = 2\n=======\nx = 1\ny = 3\n+++++++ REPLACE"}),
    ],
)  # fmt: skip
def test_a_call_that_replaces_text_is_shown_as_a_difference(function: str, arguments: dict[str, Any]) -> None:
    head, *lines = shown(function, arguments)

    assert "a.py" in head.text
    assert written(lines) == ["  x = 1", "- y = 2", "+ y = 3"]
    assert marked(lines) == ["2", "3"]
    assert any(style == "code.number" for *_, style in lines[0].spans), "coloured by the suffix of the file"


def test_each_edit_of_several_is_numbered() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "", "new_string": "c"}]

    _, *lines = shown("MultiEdit", {"file_path": "a.txt", "edits": edits})

    assert written(lines) == ["  edit 1/2", "- a", "+ b", "  edit 2/2", "+ c"]


def test_the_old_and_the_new_text_are_shown_where_that_was_chosen() -> None:
    arguments = {"path": "a.py", "old_str": "x = 1\ny = 2", "new_str": "x = 1\ny = 3"}

    lines = shown("edit", arguments, show_edits=False)

    assert written(lines)[1:] == ["  old_str", "  x = 1", "  y = 2", "  new_str", "  x = 1", "  y = 3"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"old_str": "a", "new_str": 3},
        {"edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "a"}]},
        {"edits": [["a", "b"]]},
        {"diff": "<<<<<<< SEARCH\na\n=======\nb"},
        {"diff": "first\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"},
    ],
)
def test_arguments_that_are_only_like_an_edit_are_shown_as_they_are(arguments: dict[str, Any]) -> None:
    assert shown("edit", arguments) == shown("edit", arguments, show_edits=False)


def test_the_words_that_differ_are_marked_in_a_patch() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@ def f():\n-    return one\n+    return two\n*** End Patch"

    lines = shown("apply_patch", {"input": patch})

    assert marked(lines) == ["one", "two"]


texts = st.lists(st.sampled_from(["a = 1", "b = 2", "  b = 3", "", "-- c", "+d"]), max_size=8).map("\n".join)


@given(texts, texts)
def test_both_texts_can_be_read_off_a_difference(old: str, new: str) -> None:
    lines = written(edit_lines(Edit(old, new), "python"))

    end = "\n" * (old.endswith("\n") and new.endswith("\n"))
    assert "\n".join(line[2:] for line in lines if line[0] != "+") + end == old
    assert "\n".join(line[2:] for line in lines if line[0] != "-") + end == new
