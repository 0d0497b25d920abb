"""Rules, named units and errors as highlights: what is one, and what is not."""

from __future__ import annotations

import time
from datetime import date

import pytest

from trajview.errors import TrajviewError
from trajview.highlight import Highlight, compile_rule, error_of, highlights_in, text_of
from trajview.models.messages import (
    AssistantMessage,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from trajview.models.transcript import Transcript

TRACEBACK = """running tests
Traceback (most recent call last):
  File "a.py", line 3, in <module>
    main()
  File "a.py", line 2, in main
    raise ValueError("no such rule")
ValueError: no such rule
"""


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (TRACEBACK, "ValueError: no such rule"),
        ("exit code: 1", "exit code: 1"),
        ("Exit code 127\nfoo", "Exit code 127"),
        ("Command exited with code 2", "Command exited with code 2"),
        ("Process exited with status 1", "Process exited with status 1"),
        ("[Command finished with exit code 2]", "Command finished with exit code 2"),
        ("exit status 128", "exit status 128"),
        ("returned code -11", "returned code -11"),
        ("bash: foo: command not found", "bash: foo: command not found"),
        ("bash: line 1: cd: /x: No such file or directory", "bash: line 1: cd: /x: No such file or directory"),
        ("...\n=== 2 failed, 3 passed in 0.12s ===", "2 failed, 3 passed in 0.12s"),
        ("x\n" * 60_000 + "exit code: 3", "exit code: 3"),
        (
            "...\n\x1b[31m\x1b[1m3 failed\x1b[0m, \x1b[32m9 passed\x1b[0m\x1b[31m in 0.04s\x1b[0m",
            "3 failed, 9 passed in 0.04s",
        ),
        ("\x1b[31mTraceback (most recent call last):\x1b[0m\n  File \"a.py\", line 1\nKeyError: 'a'", "KeyError: 'a'"),
        (
            "  File \"a.py\", line 1\n    foo(\n       ^\nSyntaxError: '(' was never closed\n",
            "SyntaxError: '(' was never closed",
        ),
        (
            "node:internal:1\n  throw err;\n  ^\n\nError: Cannot find module 'x'\nRequire stack:\n- /a.js\n    at require (x.js:1:2)",
            "Error: Cannot find module 'x'",
        ),
        ("Exception: it is gone", "Exception: it is gone"),
        ("go\nSegmentation fault (core dumped)\n", "Segmentation fault (core dumped)"),
    ],
)
def test_output_that_says_that_the_call_failed_is_an_error(output: str, reason: str) -> None:
    assert error_of(ToolMessage(content=output)) == reason


@pytest.mark.parametrize(
    "output",
    [
        "",
        "exit code: 0",
        "Exit code 0",
        "Command exited with code 0",
        "All 3 tests passed in 0.1s",
        "=== 5 passed in 0.12s ===",
        "raise ValueError('exit code: 1')",
        "def f():\n    return code 1",
        "    Traceback (most recent call last): is what Python prints",
        "grep: error handling in parser.c",
        "0 errors, 0 failed",
        "The function returns an exit code: 1 means failure",
        "for an error: see https://example.org",
        "see\nError: what it is for\nit begins\nat the start",
        "SyntaxError: is what Python says\n" * 2,
        "returncode",
        "return code",
    ],
)
def test_output_that_merely_mentions_errors_is_none(output: str) -> None:
    assert error_of(ToolMessage(content=output)) is None


def test_what_the_source_calls_an_error_is_one() -> None:
    assert error_of(ToolMessage(content="ok", error={"message": "timed out\nafter 5 s"})) == "timed out"
    assert error_of(ToolMessage(content="ok", error={"type": "timeout"})) == "timeout"
    assert error_of(ToolMessage(content="ok", error={"code": 3})) == "tool error"
    assert error_of(ToolMessage(content="ok", error={"message": " \n"})) == "tool error"
    assert error_of(ToolMessage(content="ok", error={"message": ["a", 1]})) == "['a', 1]"
    assert error_of(ToolMessage(content="ok", error={})) is None


def test_a_call_that_could_not_be_parsed_is_an_error() -> None:
    call = ToolCall(function="bash", parse_error="Expecting value\nline 1")
    assert error_of(AssistantMessage(content="", tool_calls=[ToolCall(function="ok"), call])) == "bash: Expecting value"


def test_a_failing_text_is_an_error_in_tool_output_only() -> None:
    for message in (
        UserMessage(content=TRACEBACK),
        AssistantMessage(content=TRACEBACK),
        SystemMessage(content=TRACEBACK),
    ):
        assert error_of(message) is None


def test_a_traceback_that_was_cut_off_is_still_an_error() -> None:
    assert error_of(ToolMessage(content="Traceback (most recent call last):\n  File")) == "traceback"


def transcript() -> Transcript:
    return Transcript(
        messages=[
            SystemMessage(content="You fix bugs."),
            UserMessage(content="Fix the Parser."),
            AssistantMessage(
                content=[ReasoningPart(reasoning="secret plan"), TextPart(text="Looking.")],
                tool_calls=[ToolCall(function="bash", arguments={"command": "ls /tmp", "opts": [{"deep": "needle"}]})],
            ),
            ToolMessage(content="exit code: 1"),
            AssistantMessage(content="It failed."),
        ]
    )


@pytest.mark.parametrize(
    ("pattern", "hits"),
    [
        ("parser", [1]),
        ("Parser", [1]),
        ("PARSER", []),
        ("secret", [2]),
        ("needle", [2]),
        ("bash", [2]),
        (r"\S+ed\.", [4]),
        (r"^it", [4]),
        ("nothing like it", []),
    ],
)
def test_rules_look_at_text_reasoning_and_calls_with_smart_case(pattern: str, hits: list[int]) -> None:
    found = highlights_in(transcript(), [compile_rule(pattern)], errors=False)
    assert [highlight.message for highlight in found] == hits
    assert all(highlight.source == "rule" and highlight.reason == pattern for highlight in found)


def test_a_rule_can_have_a_name() -> None:
    assert highlights_in(transcript(), [compile_rule("needle", "found it")], errors=False) == [
        Highlight(1, 2, "rule", "found it")
    ]


def test_a_bad_pattern_is_an_error_with_its_place_and_a_hint() -> None:
    with pytest.raises(TrajviewError) as caught:
        compile_rule("a(b")
    assert "'a(b' is not a regular expression" in caught.value.sentence
    assert "column 2" in caught.value.sentence
    assert caught.value.hint


def test_highlights_of_all_sources_come_by_message() -> None:
    found = highlights_in(transcript(), [compile_rule("exit")], units=[0, 2, 99, -1])
    assert [(h.unit, h.message, h.source) for h in found] == [
        (0, 0, "unit"),
        (1, 3, "error"),
        (1, 3, "rule"),
        (2, 4, "unit"),
    ]


def test_errors_of_a_transcript_know_their_unit() -> None:
    assert highlights_in(transcript()) == [Highlight(1, 3, "error", "exit code: 1")]


def test_the_searched_text_has_keys_numbers_and_the_error() -> None:
    call = ToolCall(function="edit", arguments={"line": 42, "on": True, "none": None}, parse_error="bad")
    assert text_of(AssistantMessage(content="", tool_calls=[call])) == "edit\nline\n42\non\ntrue\nnone\nbad"
    assert text_of(ToolMessage(content="x", error={"message": "boom"})) == "x\nmessage\nboom"


def test_arguments_of_any_depth_and_type_are_searched() -> None:
    deep: object = "bottom"
    for _ in range(5000):
        deep = [deep]
    message = ToolMessage(content="", error={"when": date(2025, 1, 2), "deep": deep})
    assert text_of(message) == "when\n2025-01-02\ndeep\nbottom"


def test_an_output_made_to_be_slow_is_not() -> None:
    began = time.process_time()
    for line in ("= " + "1 failed " * 10_000, "=" * 40_000, "command " * 10_000, "exit code: " * 5_000):
        error_of(ToolMessage(content=line))
    assert time.process_time() - began < 2


def test_an_empty_pattern_is_refused() -> None:
    with pytest.raises(TrajviewError, match="matches everything"):
        compile_rule("")
