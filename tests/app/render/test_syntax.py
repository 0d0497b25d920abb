"""Syntax colours as spans within lines."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajview.app.render.lines import Line
from trajview.app.render.syntax import MOST_HIGHLIGHTED, highlight_lines, language_of, looks_like_diff, pretty_json

DIFF = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@ def f():\n-old\n+new\n same"


def coloured(code: str, language: str) -> list[Line]:
    lines = [Line(text) for text in code.split("\n")]
    highlight_lines(lines, language)
    return lines


def styles(line: Line) -> list[tuple[str, object]]:
    return [(line.text[a:b], name) for a, b, name in line.spans]


@settings(max_examples=60, deadline=None)
@given(
    st.text(alphabet="ab \n\"'#\\(){}[]<>-+@=:/*`$\t日\r", max_size=120),
    st.sampled_from(["python", "bash", "json", "diff", "html", "markdown", "yaml", "console", "c", "sql", "rust"]),
)
def test_spans_stay_within_their_line(code: str, language: str) -> None:
    for line in coloured(code, language):
        assert all(0 <= a < b <= len(line.text) for a, b, _ in line.spans)


def test_a_string_over_several_lines_is_coloured_on_each() -> None:
    lines = coloured('x = """one\n\ntwo"""\ny = 1', "py")
    assert ('"""', "code.string") in styles(lines[0]) or ('"""one', "code.string") in styles(lines[0])
    assert lines[1].spans == []
    assert "".join(text for text, name in styles(lines[2]) if name == "code.string") == 'two"""'
    assert ("1", "code.number") in styles(lines[3])
    assert not any(name == "code.string" for _, name in styles(lines[3]))


def test_the_last_line_of_a_diff_is_coloured_without_a_newline_at_its_end() -> None:
    lines = coloured("@@ -1 +1 @@\n-old\n+new", "diff")
    assert [name for line in lines for _, _, name in line.spans] == ["diff.hunk", "diff.removed", "diff.added"]
    assert styles(lines[2]) == [("+new", "diff.added")]


@pytest.mark.parametrize("language", ["", "text", "no-such-language", "x" * 500, "\x1b[31m", "../../etc"])
def test_an_unknown_language_stays_plain(language: str) -> None:
    assert all(not line.spans for line in coloured("def f(): return 'x'", language))


def test_too_much_code_stays_plain() -> None:
    assert not coloured("x = 1\n" * (MOST_HIGHLIGHTED // 6 + 1), "python")[0].spans
    assert coloured("x = 1\n" * 100, "python")[0].spans


@pytest.mark.parametrize(("language", "code"), [("java", "a "), ("basemake", "("), ("diff", "a ")])
def test_a_slow_lexer_is_left_before_the_screen_stalls(
    language: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()  # the time that there is
    before = time.process_time()
    coloured(code * 20_000, language)
    assert time.process_time() - before < 5  # to the end it would take a minute


@pytest.mark.parametrize(
    ("text", "argument", "function", "language"),
    [
        (DIFF, None, None, "diff"),
        ('{"a": 1}', None, None, "json"),
        ("[1, 2]", "query", None, "json"),
        ("[INFO] started", None, None, ""),
        ("{not json}", None, None, ""),
        ("print(1)", "code", None, "python"),
        ("print(1)", "code", "ruby", ""),
        ("ls -l", "command", "anything", "bash"),
        ("select * from t", "query", None, "sql"),
        ("weather tomorrow", "query", None, ""),
        ("", None, None, ""),
        ("plain words", None, None, ""),
    ],
)
def test_the_language_is_told_by_look_and_argument(text: str, argument: str, function: str, language: str) -> None:
    assert language_of(text, argument, function) == language


def test_a_diff_is_known_near_the_top_only() -> None:
    assert looks_like_diff("@@ -1,2 +3 @@\n a")
    assert not looks_like_diff("x\n" * 4000 + DIFF)
    assert not looks_like_diff("mail me @@ -home")


@given(
    st.recursive(st.one_of(st.none(), st.integers(), st.text(max_size=10)), lambda inner: st.lists(inner, max_size=4))
)
def test_json_is_spread_without_a_change_of_value(value: object) -> None:
    text = json.dumps({"a long enough key for it to be spread over lines": value}, ensure_ascii=False)
    spread = pretty_json(text)
    assert spread is not None
    assert json.loads(spread) == json.loads(text)


@pytest.mark.parametrize(
    "text", ["", "{", '{"a": 1}', "[1,\n2]" * 30, "[" * 5000, '"' + "a" * 50 + '"', "{" + "a" * 60 + "}"]
)
def test_what_is_not_json_on_one_long_line_stays_as_it_is(text: str) -> None:
    assert pretty_json(text) is None
