"""Fingerprints of messages: equal where they say the same, however they were logged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trajview.compare.alignment import Kind, align
from trajview.compare.facts import facts_of
from trajview.compare.prints import prints_of
from trajview.formats.base import Origin
from trajview.formats.registry import format_named
from trajview.models.blind import blinded
from trajview.models.messages import UserMessage
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript

CALL = {"id": "1", "type": "function"}
CALLS = {
    "openai": {**CALL, "function": {"name": "bash", "arguments": '{"command": "ls", "a": 1}'}},
    "docent": {**CALL, "function": "bash", "arguments": {"command": "ls", "a": 1}, "parse_error": None, "view": None},
}


def logged(kind: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for i in range(300):
        found += [
            {"role": "user", "content": f"Do {i}.", "id": f"u{i}", "metadata": {"i": i}},
            {"role": "assistant", "content": None, "tool_calls": [CALLS[kind]], "model": "owl", "timestamp": f"{i}"},
            {"role": "tool", "content": f"done {i}", "tool_call_id": "1", "error": None},
        ]
    return found


def read(kind: str, messages: list[dict[str, Any]]) -> AgentRun:
    record = {"messages": messages}
    return format_named(kind).read({"transcripts": [record]} if kind == "docent" else record, Origin())


def test_a_message_says_the_same_in_any_spelling_and_whatever_stands_beside_it() -> None:
    transcripts = [read(kind, logged(kind)).transcripts[0] for kind in CALLS]
    plain = [{"role": "user", "content": f"Do {i}."} for i in range(300)]
    transcripts.append(read("openai", plain).transcripts[0])
    first, second, bare = (prints_of(transcript).messages for transcript in transcripts)
    assert first == second
    assert first[::3] == bare


@pytest.mark.parametrize("kind", CALLS)
def test_the_one_message_of_a_long_log_that_differs_is_found(kind: str) -> None:
    other = logged(kind)
    other[450] = {"role": "user", "content": "Do 150 at once."}
    runs = [read(kind, logged(kind)), read(kind, other)]
    found = align(*(run.transcripts[0] for run in runs))
    assert [row.left for row in found.units if row.kind is not Kind.SAME] == [150]


@pytest.mark.parametrize("kind", CALLS)
def test_the_models_of_a_log_are_facts_unless_they_are_hidden(kind: str) -> None:
    run, nobody = read(kind, logged(kind)), AgentRun(transcripts=[Transcript()])
    assert "owl" in {fact.left for fact in facts_of(run, nobody)}
    assert "owl" not in {fact.left for fact in facts_of(blinded(run), nobody)}


def test_half_a_surrogate_pair_has_a_fingerprint() -> None:
    text = "a \ud800 b"
    [found] = prints_of(
        read("openai", json.loads(json.dumps([{"role": "user", "content": text}]))).transcripts[0]
    ).messages
    assert [found] == prints_of(Transcript(messages=[UserMessage(content=text)])).messages
