"""Stretches of a record's bytes: each message is in one, with all that it says."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from trajview.formats import stretches
from trajview.formats.anthropic import AnthropicMessages
from trajview.formats.quick_docent import parted_run
from trajview.formats.stretches import stretches_of
from trajview.formats.unread import Parted, parted

pytest.importorskip("stringzilla")

USUAL: list[dict[str, Any]] = [
    {"role": "assistant", "content": f"says {number}", "tool_calls": [f"calls {number}"], "id": f"id {number}"}
    for number in range(50)
]
MORE = [{**message, "odd": f"odd {number}"} for number, message in enumerate(USUAL)]
SILENT = [message if number % 3 else {"role": "user"} for number, message in enumerate(USUAL)]


def parts_of(data: bytes) -> Parted:
    found = parted(data)
    assert found is not None
    return found


@pytest.mark.parametrize("size", [1, 100, 1_000, 1_000_000])
@pytest.mark.parametrize("messages", [USUAL, MORE, SILENT])
def test_a_stretch_holds_all_that_its_messages_say(messages: list[dict[str, Any]], size: int) -> None:
    data = json.dumps({"id": "x", "messages": messages, "more": "y"}).encode()
    parts = parts_of(data)
    found = stretches_of(parts.data, parts.raws, size)
    assert [index for first, end, _ in found for index in range(first, end)] == list(range(50))
    assert b"".join(view for _, _, view in found) == data
    assert (len(found) > 10) == (size <= 100)
    for first, end, view in found:
        for message in messages[first:end]:
            for value in list(message.values())[1:]:
                assert json.dumps(value).encode() in bytes(view), (message, bytes(view))


def test_each_transcript_of_a_run_has_stretches_of_its_own() -> None:
    data = json.dumps({"transcripts": [{"messages": USUAL[:20]}, {"messages": USUAL[20:]}]}).encode()
    run = parted_run(data)
    assert run is not None
    for parts, messages in zip(run.transcripts, (USUAL[:20], USUAL[20:]), strict=True):
        found = stretches_of(parts.data, parts.raws, 200)
        assert sum(end - first for first, end, _ in found) == len(messages)
        for first, end, view in found:
            assert all(message["content"].encode() in bytes(view) for message in messages[first:end])


def test_where_messages_stand_is_not_known_of_copies_nor_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = parts_of(json.dumps({"messages": USUAL}).encode())
    assert stretches_of(parts.data, parts.raws)
    copies = [*parts.raws[:20], *(msgspec.Raw(msgspec.json.encode(raw)) for raw in parts.raws[20:30]), *parts.raws[30:]]
    assert stretches_of(parts.data, copies, 100) == []
    assert stretches_of(None, parts.raws) == []
    monkeypatch.setattr(stretches, "address_of", lambda _: None)
    assert stretches_of(parts.data, parts.raws) == []


def test_what_an_anthropic_log_says_beside_its_messages_is_in_a_stretch_of_its_own() -> None:
    messages = [{"role": "user", "content": f"says {number}"} for number in range(50)]
    answer = {"role": "assistant", "content": [{"type": "text", "text": "answers"}]}
    parts = parts_of(json.dumps({"system": "be brief", "messages": messages, "response": answer}).encode())
    whole = AnthropicMessages().whole(parts)
    assert whole is not None
    found = stretches_of(whole.data, whole.raws, 200)
    assert [index for first, end, _ in found for index in range(first, end)] == list(range(52))
    assert b"be brief" in bytes(found[0][2])
    assert b"answers" in bytes(found[-1][2])
    assert len(found) > 10
