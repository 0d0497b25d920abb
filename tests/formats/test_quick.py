"""The quick look agrees with the full one: format, summary, and giving up on all that it does not know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trajview import open_corpus
from trajview.corpus.decode import BadRecord, decode_json
from trajview.errors import TrajviewError
from trajview.formats import quick, registry
from trajview.formats.base import Origin
from trajview.formats.chat_format import beside_messages, chat_of
from trajview.formats.chat_source import ChatSource
from trajview.formats.quick import QuickLook
from trajview.formats.unread import Parted, Unread

FIXTURES = sorted((Path(__file__).parents[1] / "fixtures").rglob("*.json*"))
ORIGIN = Origin(Path("logs.jsonl"), 3, 4, alone=False)


def full(record: Any) -> tuple[str, Any] | None:
    """What the scan finds without a quick look; None where the format refuses the record."""
    known, detection = registry.best(record)
    try:
        return detection.format, known.summarise(record, ORIGIN)
    except TrajviewError:
        return None


def look_at(looker: QuickLook, data: bytes) -> tuple[str, Any] | None:
    """As the scan does it: a quick look, a full one where that gives nothing, and both agree."""
    found = looker.look(data, ORIGIN)
    try:
        value, replaced = decode_json(data)
    except BadRecord:
        assert found is None
        return None
    if found is None:
        looker.learn(value, registry.best(value)[0].name)
        return None
    assert not replaced
    assert found == full(value)
    return found


def chat(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"id": "a", "messages": list(messages), **more}


def said(role: Any = "user", content: Any = "hi", **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
TEXT = st.sampled_from(["", "hi", "é😀", '"\\\n', "\ud83d", "a" * 5000 + "針" * 3])
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["model", "reward", "x"]), inner, max_size=2),
    max_leaves=4,
)  # fmt: skip
ROLE = st.sampled_from(["system", "user", "assistant", "tool"]) | st.sampled_from(
    ["developer", "human", "User", "x", "", None, 7]
)
CONTENT = TEXT | st.none() | st.sampled_from(
    [[], [{"type": "text", "text": "x"}], [{"type": "tool_result", "content": "x"}], [{"type": "reasoning", "reasoning": ""}], {}, 5]
)  # fmt: skip
CALLS = st.sampled_from(
    [None, [], [CALL], [CALL, CALL], [{"function": "f", "arguments": {}}], [{}], ["x"], {}, "x", [None]]
)
PLAIN = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool"]), "content": TEXT | st.none()},
    optional={
        "tool_calls": st.just([CALL]),
        "tool_call_id": TEXT,
        "name": TEXT,
        "model": st.sampled_from(["m1", "m2"]),
    },
)
ODD = st.fixed_dictionaries(
    {},
    optional={
        "role": ROLE, "content": CONTENT, "tool_calls": CALLS, "model": VALUE, "metadata": VALUE, "from": TEXT, "value": TEXT,
        "type": TEXT, "author": st.just({"role": "tool"}), "reasoning_content": TEXT,
    },
)  # fmt: skip
KEYS = st.fixed_dictionaries(
    {},
    optional={
        "id": VALUE, "name": VALUE, "reward": VALUE, "score": VALUE, "scores": VALUE, "metadata": VALUE, "model": VALUE,
        "tools": VALUE, "system": VALUE, "transcripts": VALUE, "conversations": VALUE, "prompt": VALUE, "completion": VALUE,
        "choices": VALUE, "info": VALUE, "trajectory_format": st.just("mini-swe-agent-1"), "epoch": VALUE, "input": VALUE,
        "target": VALUE, "environment": VALUE, "agents": VALUE, "rewards": VALUE, "reasoning": VALUE, "type": TEXT, "steps": VALUE,
        "trajectory": VALUE, "history": VALUE, "rounds": VALUE, "content": VALUE, "entries": VALUE, "samples": VALUE,
        "description": VALUE, "transcript_group_id": VALUE, "request": VALUE, "response": VALUE, "uuid": VALUE, "units": VALUE,
        "agent_ids": VALUE, "raw_messages": VALUE, "episode": VALUE, "annotator_id": VALUE, "schema_version": TEXT,
    },
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    keys=KEYS,
    others=st.lists(KEYS, max_size=2),
    messages=st.lists(st.lists(PLAIN, min_size=1, max_size=9) | st.lists(PLAIN | ODD, max_size=9) | VALUE, min_size=1, max_size=6),
    ascii_only=st.booleans(),
)  # fmt: skip
def test_the_quick_look_agrees_with_the_full_one_or_gives_up(
    keys: dict[str, Any], others: list[dict[str, Any]], messages: list[Any], ascii_only: bool
) -> None:
    looker = QuickLook()
    for turn in range(3):
        for each in [keys, *others]:
            for items in messages:
                record = {**each, "messages": items} if turn < 2 else {"messages": items, **keys}
                data = json.dumps(record, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
                look_at(looker, data)


@settings(max_examples=120, deadline=None)
@given(keys=KEYS, messages=st.lists(PLAIN, min_size=1, max_size=9) | st.lists(PLAIN | ODD, max_size=9) | VALUE)
def test_a_large_record_is_looked_at_without_being_decoded_before(keys: dict[str, Any], messages: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quick, "_LARGE", 0)
        looker = QuickLook()
        record = {**keys, "messages": messages}
        for _ in range(2):
            look_at(looker, json.dumps(record).encode("utf-8", "surrogatepass"))


def sizes_of(parts: Parted) -> list[Any]:
    source = ChatSource(Unread(parts, lambda raw: decode_json(raw)[0]))
    return [message.size for message in source.messages(source.roles)]


@settings(max_examples=120, deadline=None)
@given(keys=KEYS, messages=st.lists(PLAIN, min_size=1, max_size=9) | st.lists(PLAIN | ODD, max_size=9) | VALUE)
def test_a_record_that_is_opened_next_is_looked_at_as_the_others_are(keys: dict[str, Any], messages: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quick, "_LARGE", 0)
        record = {**keys, "messages": messages}
        looker, data = QuickLook(), json.dumps(record).encode("utf-8", "surrogatepass")
        found = looker.look(data, ORIGIN, apart=True)
        parts = looker.taken_apart()
        if found is not None:
            assert found == full(decode_json(data)[0])
            assert parts is not None
        if isinstance(parts, Parted):
            sizes = sizes_of(parts)
            parts.outline = None
            assert sizes == sizes_of(parts)


@pytest.mark.parametrize(
    "more",
    [
        {"choices": [{"message": said("assistant", "the end")}]},
        {"response": {"choices": [{"message": said("assistant")}]}},
        {"request": {"model": "m", "messages": [said()]}},
        {"info": {"exit_status": "x", "model": "no"}, "trajectory_format": "mini-swe-agent-1"},
        {"traj": [said()] * 3, "history": [said()]},
        {"metadata": [1], "model": "m2", "tools": [{}]},
    ],
)
def test_what_stands_beside_the_messages_of_a_large_chat_counts(
    monkeypatch: pytest.MonkeyPatch, more: dict[str, Any]
) -> None:
    monkeypatch.setattr(quick, "_LARGE", 0)
    record = chat(*[said(), said("assistant", None, tool_calls=[CALL]), said("tool", model="m3")] * 4, **more)
    found = look_at(QuickLook(), json.dumps(record).encode())
    assert (found is None) == ("choices" in json.dumps(more))


@pytest.mark.parametrize(
    ("first", "then"),
    [
        # What detection and reading look into may be another thing in each record.
        (chat(said(), choices=[]), chat(said(), choices=[{"message": said("assistant")}])),
        (chat(said(), response={}), chat(said(), response={"choices": [{"message": said("assistant")}]})),
        # Calls make another format of it.
        (chat(said(), said("assistant"), system="s"), chat(said(), said("assistant", tool_calls=[CALL]), system="s")),
        (chat(said(), said("assistant", tool_calls=[CALL]), system="s"), chat(said(), said("assistant"), system="s")),
    ],
)
def test_what_was_learnt_of_a_record_is_not_said_of_one_that_only_seems_alike(
    first: dict[str, Any], then: dict[str, Any]
) -> None:
    looker = QuickLook()
    for record in (chat(said()), first, first, first, then, first, then):
        look_at(looker, json.dumps(record).encode())


def test_a_large_chat_is_quick_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "_LARGE", 0)
    record = chat(*[said(), said("assistant", None, tool_calls=[CALL]), said("tool")] * 9, reward=1)
    found = look_at(QuickLook(), json.dumps(record).encode())
    assert found is not None
    assert (found[0], found[1].messages, found[1].rewards) == ("openai", 27, (1.0,))


@settings(max_examples=120, deadline=None)
@given(at=st.integers(0, 10_000), change=st.binary(max_size=3), cut=st.integers(0, 3))
@example(at=40, change=b"\xff", cut=0)
def test_damaged_bytes_never_make_it_say_what_the_full_look_does_not(at: int, change: bytes, cut: int) -> None:
    looker = QuickLook()
    good = json.dumps(chat(said("system"), said(content="héllo 針"), said("assistant", None, tool_calls=[CALL]), reward=0.5),
                      ensure_ascii=False).encode()  # fmt: skip
    for _ in range(3):
        last = look_at(looker, good)
    assert last is not None
    at %= len(good)
    look_at(looker, good[:at] + change + good[at + cut :])


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_it_agrees_on_every_fixture(path: Path) -> None:
    looker = QuickLook()
    corpus = open_corpus(path)
    for _ in range(3):
        for info in corpus:
            look_at(looker, corpus.raw(info).encode())


def test_plain_chats_are_quick_from_the_third_on() -> None:
    looker = QuickLook()
    data = [
        msgspec.json.encode(chat(said("system"), said(), said("assistant"), id=f"r{i}", reward=i)) for i in range(9)
    ]
    found = [look_at(looker, each) for each in data]
    assert [each is not None for each in found] == [False, False] + [True] * 7
    assert found[-1] is not None
    assert (found[-1][1].id, found[-1][1].units, found[-1][1].rewards) == ("r8", 2, (8.0,))


def test_a_record_that_looks_different_is_looked_at_in_full() -> None:
    looker = QuickLook()
    plain = msgspec.json.encode(chat(said(), said("assistant")))
    for _ in range(3):
        look_at(looker, plain)
    for other in [
        chat(said(), said("assistant", [{"type": "tool_use", "name": "f"}])),
        chat(said(), said("assistant"), system="be kind"),
        chat([["Environment", "A", "Turn #1"]], environment="e", agents=[]),
        chat(said(), said("assistant"), info={"exit_status": "x"}, trajectory_format="mini-swe-agent-1"),
        {"pk": "e"},
        [1],
    ]:
        assert look_at(looker, msgspec.json.encode(other)) is None
    assert look_at(looker, plain) is not None


def test_after_many_records_that_it_does_not_know_it_looks_only_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    looker = QuickLook()
    plain = msgspec.json.encode(chat(said(), said("assistant")))
    for _ in range(3):
        look_at(looker, plain)
    for _ in range(100):
        looker.look(b'{"other": 1}', ORIGIN)
    assert any(look_at(looker, plain) for _ in range(2 * quick._RARELY))
    assert look_at(looker, plain)


@settings(max_examples=150, deadline=None)
@given(record=KEYS, alone=st.booleans())
def test_what_stands_beside_the_messages_is_found_in_one_way(record: dict[str, Any], alone: bool) -> None:
    origin = Origin(Path("logs.jsonl"), 3, 4, alone)
    found = beside_messages(record, origin)
    found = found._replace(models=tuple(dict.fromkeys(found.models)))  # they may repeat
    assert found == chat_of(record, origin, (), ()).beside()
