"""ShareGPT conversations in both spellings."""

from __future__ import annotations

import pytest

from trajview.errors import FormatError
from trajview.formats.base import Origin
from trajview.formats.sharegpt import FORMAT

from .chat_outline import load, load_lines, origin, outline


def test_turns_with_a_call_and_its_observation() -> None:
    run = FORMAT.read(load("sharegpt/turns.json"), origin("sharegpt/turns.json"))
    assert outline(run) == [
        "system: You help.",
        "user: What is 3*4?",
        'assistant: mul({"a": 3, "b": 4})#',
        "tool mul#None: 12",
        "assistant: 12",
    ]
    assert (run.id, run.metadata) == ("sg-1", {"tools": "[]"})
    assert run.transcripts[0].messages[-1].metadata == {"weight": 1}


def test_rows_with_other_spellings() -> None:
    first, second = (FORMAT.read(row, Origin()) for row in load_lines("sharegpt/rows.jsonl"))
    assert outline(first) == ["system: S", "user: U", "assistant: A"]
    assert first.metadata == {"source": "web"}
    assert outline(second) == ["user: U", "assistant: A"]


def test_a_function_call_that_is_no_json_stays_text() -> None:
    run = FORMAT.read({"conversations": [{"from": "function_call", "value": "mul(3, 4)"}]}, Origin())
    assert outline(run) == ["assistant: mul(3, 4)"]


def test_a_record_without_turns_is_refused() -> None:
    with pytest.raises(FormatError, match="an object with `conversations`"):
        FORMAT.read({"turns": []}, Origin())
