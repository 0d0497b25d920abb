"""What of a message is shown, folded and open."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajview.app.render.blocks import message_lines
from trajview.app.render.lines import Line
from trajview.app.render.options import Fold, ViewOptions
from trajview.app.render.verbatim import SLACK, size_of
from trajview.models.messages import (
    AssistantMessage,
    AudioPart,
    ChatMessage,
    ImagePart,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolCallView,
    ToolMessage,
    UserMessage,
    part_from,
)

WIDE = ViewOptions(width=80)


def lines(message: ChatMessage, fold: Fold = Fold.OPEN, **options: Any) -> list[Line]:
    return message_lines(message, fold, ViewOptions(**{"width": 80, **options}), 7)


def body(message: ChatMessage, fold: Fold = Fold.OPEN, **options: Any) -> list[str]:
    return [line.text for line in lines(message, fold, **options)[1:]]


def call(arguments: dict[str, Any], **more: Any) -> list[str]:
    return body(AssistantMessage(content="", tool_calls=[ToolCall(function=more.pop("function", "bash"), arguments=arguments, **more)]))  # fmt: skip


# -- header ------------------------------------------------------------------------------------------------------------


def test_the_header_says_who_and_the_right_side_which_message() -> None:
    message = AssistantMessage(
        content="x", name="Ada", recipient="Bob", model="m-1", reward=0.5, timestamp="2024-01-02T03:04:05Z"
    )
    header = lines(message)[0]
    assert header.text == "Ada  assistant → Bob  m-1"
    assert header.right == ("reward 0.5 · 03:04:05 · m7", "dim")
    assert header.action == "fold"


def test_a_tool_s_header_names_the_function_and_an_error_stands_at_the_right() -> None:
    assert lines(ToolMessage(content="x", function="bash"))[0].text == "output of bash"
    failed = lines(ToolMessage(content="Traceback (most recent call last):\n  f\nValueError: no"))[0]
    assert failed.right == ("✗ ValueError: no · m7", "error")


def test_an_error_stands_at_the_right_of_folded_output_as_well() -> None:
    said = lines(ToolMessage(content="x", error={"type": "exit", "message": "exit code 1"}), Fold.CLOSED)[0]
    assert said.right == ("✗ exit code 1 · m7", "error")
    shown = lines(ToolMessage(content="Traceback (most recent call last):\n  f\nValueError: no"), Fold.CLOSED)[0]
    assert shown.right == ("✗ ValueError: no · m7", "error")


# -- tool output -------------------------------------------------------------------------------------------------------


def test_folded_output_shows_its_first_lines_and_what_is_hidden() -> None:
    text = "\n".join(f"line {n}" for n in range(140))
    shown = body(ToolMessage(content=text), Fold.PREVIEW)
    assert shown[:8] == [f"line {n}" for n in range(8)]
    hidden = "\n".join(text.split("\n")[8:])
    assert shown[8:] == [f"… 132 more lines, {size_of(len(hidden))}"]


@settings(max_examples=200)
@given(
    st.lists(st.text(alphabet="ab 日é", max_size=400), min_size=1, max_size=14),
    st.integers(1, 8),
    st.integers(20, 100),
    st.booleans(),
)
def test_what_a_fold_says_that_it_hides_is_what_it_hides(texts: list[str], keep: int, width: int, tools: bool) -> None:
    source = "x\n" + "\n".join(texts) + "\nx"
    shown = body(ToolMessage(content=source), Fold.PREVIEW, preview_lines=keep, width=width, show_tools=tools)
    mark = shown[-1]
    if not mark.startswith("…"):
        assert shown == source.split("\n")
        return
    kept = [line.removesuffix("…") for line in shown[:-1]]
    for line, raw in zip(kept, source.split("\n"), strict=False):
        assert raw.startswith(line)
    missing = len(source.encode()) - len("\n".join(kept).encode())
    lines_missing = source.count("\n") + 1 - len(kept)
    if kept and lines_missing:
        missing -= 1  # the newline between them
    assert missing > 0
    assert mark.endswith(f", {size_of(missing)}")
    count = re.match(r"… (\d+) (?:more )?lines?,", mark)
    assert (int(count[1]) if count else 0) == lines_missing


@pytest.mark.parametrize("count", range(1, 8 + SLACK + 1))
def test_output_that_is_little_longer_is_not_folded(count: int) -> None:
    text = "\n".join("x" * 100 for _ in range(count))
    assert body(ToolMessage(content=text), Fold.PREVIEW) == text.split("\n")


def test_one_very_long_line_is_cut() -> None:
    shown = body(ToolMessage(content="x" * 100_000), Fold.PREVIEW)
    assert len(shown) == 2
    assert shown[0] == "x" * (74 * 3) + "…"
    assert shown[1] == f"… the rest of the line, {size_of(100_000 - 74 * 3)}"
    assert body(ToolMessage(content="x" * 100_000)) == ["x" * 100_000]


def test_hidden_output_says_how_much_it_is() -> None:
    assert body(ToolMessage(content="a\nb\nc"), Fold.PREVIEW, show_tools=False) == ["… 3 lines, 5 B"]
    assert body(ToolMessage(content="a"), Fold.OPEN, show_tools=False) == ["… 1 line, 1 B"]


@pytest.mark.parametrize("content", ["", "\n\n", "\r\n"])
def test_no_output_is_said(content: str) -> None:
    assert body(ToolMessage(content=content)) == ["(no output)"]


def test_output_keeps_its_colours_folded_or_not() -> None:
    message = ToolMessage(content="\n".join(f"\x1b[3{n % 8}mline {n}\x1b[0m" for n in range(40)))
    for fold in (Fold.PREVIEW, Fold.OPEN):
        shown = lines(message, fold)
        assert shown[2].text == "line 1"
        assert [(a, b) for a, b, _ in shown[2].spans] == [(0, 6)]


def test_a_fold_counts_no_escape_sequence_and_cuts_none_in_half() -> None:
    dots = "".join(f"\x1b[32m.\x1b[0m\x1b[3{n % 8}m" for n in range(100)) + "\x1b[0m"
    shown = body(ToolMessage(content="\n".join([dots] * 20)), Fold.PREVIEW, width=40)
    assert shown[:8] == ["." * 100] * 8
    assert body(ToolMessage(content="\n".join([dots * 2] * 20)), Fold.PREVIEW, width=40)[0] == "." * 102 + "…"
    assert body(ToolMessage(content=dots), Fold.PREVIEW, width=40) == ["." * 100]


def test_a_fold_keeps_what_a_progress_bar_shows_in_the_end() -> None:
    bar = "\r".join(f"{n:3}% {'#' * n}" for n in range(101))
    assert body(ToolMessage(content="\n".join([bar] * 20)), Fold.PREVIEW)[0] == "␍ 100% " + "#" * 100


def test_an_error_of_several_lines_stands_on_several_lines() -> None:
    shown = lines(ToolMessage(content="out", error={"type": "timeout", "message": "too\n\tslow"}))[1:]
    assert [(line.text, line.lead) for line in shown[:2]] == [("timeout: too", ("✗", "error")), ("    slow", None)]
    assert body(ToolMessage(content="", error={"code": 3}))[0] == '{"code": 3}'


# -- folds -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (UserMessage(content="one\n\ntwo"), "one two"),
        (UserMessage(content=""), "(empty)"),
        (AssistantMessage(content="", tool_calls=[ToolCall(function="ls", arguments={"path": "/x"})]), "▸ ls: /x"),
        (AssistantMessage(content="do", tool_calls=[ToolCall(function="ls"), ToolCall(function="cd")]), "do  ▸ ls, cd"),
        (AssistantMessage(content=[ReasoningPart(reasoning="hm")]), "hm"),
        (UserMessage(content=[ImagePart(image="a.png")]), "▣ image"),
        (UserMessage(content=[TextPart(text="*see*"), ImagePart(image="a.png")]), "see  ▣ image"),
        (ToolMessage(content="# *all*"), "# *all*"),
        (UserMessage(content=[TextPart(text="see"), *[ImagePart(image="a.png")] * 2]), "see  ▣ image ×2"),
    ],
)
def test_a_closed_message_is_its_header_and_its_first_words(message: ChatMessage, said: str) -> None:
    shown = lines(message, Fold.CLOSED)
    assert [line.text for line in shown[1:]] == [said]
    assert shown[1].action == "fold"


def test_a_closed_message_breaks_between_words_at_the_edge_of_the_window() -> None:
    [_, said] = lines(UserMessage(content="one two three"), Fold.CLOSED)
    assert said.words
    assert said.wide


def test_bare_text_has_no_header() -> None:
    shown = message_lines(UserMessage(content='{"a": 1}\n\x1b'), Fold.OPEN, ViewOptions(bare=True))
    assert [line.text for line in shown] == ['{"a": 1}', "␛"]


# -- parts -------------------------------------------------------------------------------------------------------------


def test_reasoning_is_shown_or_counted() -> None:
    message = AssistantMessage(content=[ReasoningPart(reasoning="a\nb\nc"), TextPart(text="said")])
    assert body(message) == ["a", "b", "c", "said"]
    assert body(message, show_reasoning=False) == ["thinking, 3 lines hidden", "said"]
    assert body(AssistantMessage(content=[ReasoningPart(reasoning="", redacted=True)])) == ["(redacted)"]
    assert body(AssistantMessage(content=[ReasoningPart(reasoning=" ")])) == []


def test_media_are_named_and_data_urls_measured() -> None:
    data = "data:image/png;base64," + "A" * 4_000
    assert body(UserMessage(content=[ImagePart(image=data)])) == [
        f"image  data:image/png;base64, {size_of(len(data) * 3 // 4)}  not a PNG, JPEG, GIF or WebP image"
    ]
    assert body(UserMessage(content=[AudioPart(audio="a.wav")])) == ["audio  a.wav"]
    boxed = ImagePart(
        image="a.png", annotations=[{"element_type": "button", "text": "Go\n", "bounding_box": {"x": 1, "y": 10**400}}]
    )
    assert body(UserMessage(content=[boxed]))[1].startswith("button “Go ”  x=1 y=1000")


def test_a_part_of_an_unknown_type_is_shown_as_json() -> None:
    part = part_from({"type": "hologram", "depth": 3})
    assert json.loads("\n".join(body(UserMessage(content=[part])))) == {"type": "hologram", "depth": 3}


def test_text_of_one_round_and_refusals_are_labelled() -> None:
    assert body(UserMessage(content=[TextPart(text="a", temporal=True)])) == ["shown in this round only", "a"]
    assert body(AssistantMessage(content=[TextPart(text="no", refusal=True)])) == ["refusal", "no"]


def test_json_on_one_line_is_spread() -> None:
    text = json.dumps({"name": "a long enough value", "list": [1, 2, 3]})
    assert body(UserMessage(content=text)) == json.dumps(json.loads(text), indent=2).split("\n")


def test_text_too_long_for_markdown_stays_as_it_is() -> None:
    assert body(UserMessage(content="**a** b\n" * 50_000))[0] == "**a** b"


# -- tool calls --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ({}, ["bash"]),
        ({"command": "ls -l"}, ["bash  ls -l"]),
        ({"command": "ls", "timeout": 3}, ["bash  command=ls  timeout=3"]),
        ({"n": None}, ["bash  n=null"]),
        ({"yes": True, "half": 0.5}, ["bash  yes=true  half=0.5"]),
        ({"list": [1, "zwei"]}, ['bash  list=[1, "zwei"]']),
        ({"nan": float("nan")}, ["bash  nan=NaN"]),
        ({"command": "a\nb"}, ["bash", "a", "b"]),
        ({"path": "x.py", "text": "a\nb"}, ["bash  path=x.py", "text", "a", "b"]),
        ({"command": "x" * 150}, ["bash", "x" * 150]),
        ({"object": {"key": "v" * 120}}, ["bash", "object", "{", '  "key": "' + "v" * 120 + '"', "}"]),
    ],
)
def test_arguments_of_every_kind_are_shown(arguments: dict[str, Any], shown: list[str]) -> None:
    assert call(arguments) == shown


def test_arguments_nested_too_deeply_are_named() -> None:
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    message = AssistantMessage(content="", tool_calls=[ToolCall(function="f", arguments={"a": deep})])
    assert "nested too deeply" in " ".join(body(message))


def test_code_is_coloured_by_its_language_argument_or_file() -> None:
    def styles(**arguments: Any) -> set[object]:
        language = arguments.pop("language", None)
        message = AssistantMessage(
            content="", tool_calls=[ToolCall(function="edit", arguments=arguments, language=language)]
        )
        shown = lines(message)
        for line in shown:
            if line.finish:
                line.finish()
        return {name for line in shown for _, _, name in line.spans}

    assert "code.keyword" in styles(code="def f():\n    pass", language="python")
    assert "code.keyword" in styles(path="a/x.py", text="def f():\n    pass")
    assert "code.keyword" not in styles(path="a/x.txt", text="def f():\n    pass")
    assert "diff.added" in styles(patch="@@ -1,2 +1,2 @@\n-a\n+b")


def test_a_call_s_own_view_and_its_parse_error_are_shown() -> None:
    view = ToolCallView(title="Run", format="markdown", content="**now**")
    assert call({"command": "ls"}, view=view) == ["bash  Run", "now"]
    assert call({}, parse_error="bad JSON\nat 3") == ["bash", "bad JSON", "at 3"]


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 KB"),
        (5_300, "5.3 KB"),
        (999_949, "999.9 KB"),
        (999_950, "1.0 MB"),
        (3 * 10**12, "3000.0 GB"),
    ],
)
def test_sizes_are_for_people(count: int, said: str) -> None:
    assert size_of(count) == said
