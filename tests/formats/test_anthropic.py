"""Anthropic messages: blocks, tool results inside user messages, `system` beside."""

from __future__ import annotations

from trajview.formats.anthropic import FORMAT
from trajview.formats.base import Origin

from .chat_outline import load, origin, outline


def test_blocks_become_parts_calls_and_tool_messages_in_order() -> None:
    record = load("anthropic/tools.json")
    run = FORMAT.read(record, origin("anthropic/tools.json"))
    assert outline(run) == [
        'system: <text {"text": "Be careful.", "cache_control": {"type": "ephemeral"}}>',
        "user: List the files.",
        'assistant: <reasoning {"reasoning": "Use ls.", "signature": "c2ln"}>'
        ' | <reasoning {"reasoning": "", "redacted": true, "data": "ZZZ"}>'
        ' | Sure. | bash({"command": "ls"})#tu_1 | read({"path": "nope"})#tu_2',
        "tool bash#tu_1: a.py | b.py",
        'tool read#tu_2: no such file: nope\nsorry | !{"type": "tool error", "message": "no such file: nope"}',
        "assistant: Two files. | shot({})#tu_3",
        'tool shot#tu_3: <image {"image": "data:image/png;base64,AAAA"}>',
        "user: Thanks, and now?",
        "assistant: Done.",
    ]
    assert run.transcripts[0].units_of_action == [[0], [1, 2, 3, 4], [5, 6], [7, 8]]
    assert run.metadata == {"model": "claude-x", "max_tokens": 100}
    assert run.transcripts[0].messages[-1].metadata == {"stop_reason": "end_turn"}
    assert FORMAT.check(record, Origin()) == []


def test_a_system_text_is_the_first_message() -> None:
    run = FORMAT.read(load("anthropic/plain.json"), origin("anthropic/plain.json"))
    assert outline(run) == ["system: You are terse.", "user: Hello", "assistant: Hi."]
    assert run.id == "plain"


def test_what_is_said_of_a_message_that_is_split_is_kept_once() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": "tool_result", "tool_use_id": "t", "content": "b", "extra": 1}]
    message = {"role": "user", "content": blocks, "id": "m", "timestamp": "now", "metadata": {"k": 1}, "odd": 2}
    run = FORMAT.read({"messages": [message]}, Origin())
    first, second = run.transcripts[0].messages
    assert (first.id, first.metadata, first.timestamp) == ("m", {"k": 1, "odd": 2}, "now")
    assert (second.id, second.metadata, second.timestamp) == (None, {"extra": 1}, "now")


def test_a_logged_response_is_the_last_message() -> None:
    record = {
        "messages": [{"role": "user", "content": "hi"}],
        "response": {"role": "assistant", "content": [{"type": "text", "text": "yo"}], "model": "claude-z"},
    }
    assert outline(FORMAT.read(record, Origin())) == ["user: hi", "assistant: yo"]
    assert FORMAT.summarise(record, Origin()).models == ("claude-z",)


def test_a_result_without_its_call_has_no_function() -> None:
    run = FORMAT.read({"messages": [{"role": "user", "content": [{"type": "tool_result", "content": None}]}]}, Origin())
    assert outline(run) == ["tool None#None: "]
