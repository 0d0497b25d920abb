"""A record whose long lists stay bytes is read as the one that is decoded: the same format, summary and run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajview.corpus.decode import BadRecord, decode_json, decode_value
from trajview.errors import TrajviewError
from trajview.formats import logged, registry
from trajview.formats.base import Origin
from trajview.formats.logged import Elements, RecordReader

from .hostile import ODD, hostile_bytes, in_any_order

ORIGIN = Origin(Path("record.json"), 0, 1)
SAMPLES = Path(__file__).parents[2] / "sample_data"

CALL = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"cmd": "ls"}'}}
DOCENT_CALL = {"id": "c1", "type": "function", "function": "bash", "arguments": {"cmd": "ls"}}
BLOCKS = [
    {"type": "text", "text": "hm"}, {"type": "tool_use", "id": "c1", "name": "bash", "input": {"cmd": "ls"}},
    {"type": "tool_result", "tool_use_id": "c1", "content": "a.py"}, {"type": "thinking", "thinking": "so"},
]  # fmt: skip
CONTENT = st.text(max_size=8) | st.none() | st.lists(st.sampled_from(BLOCKS), max_size=3)
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool", "human", "developer"]), "content": CONTENT},
    optional={
        "tool_calls": st.sampled_from([[CALL], [DOCENT_CALL], [], None]), "tool_call_id": st.just("c1"), "model": st.sampled_from(["m1", "m2"]),
        "metadata": st.sampled_from([{}, {"k": 1}]), "name": st.just("Ann"), "odd": st.integers(), "is_error": st.booleans(),
    },
)  # fmt: skip
MESSAGES = st.lists(MESSAGE, max_size=9) | st.lists(MESSAGE | ODD, max_size=6)
BESIDE = {
    "id": st.sampled_from(["a", 7, ""]), "metadata": st.sampled_from([{"model": "m3"}, {}, None, [1]]), "reward": st.sampled_from([1, 0.5, "x"]),
    "system": st.just("Be brief."), "model": st.just("m4"), "info": st.just({"exit_status": "done"}), "name": st.sampled_from(["n", None]),
    "response": st.just({"role": "assistant", "content": "bye"}), "choices": st.just([{"message": {"role": "assistant", "content": "ok"}}]),
    "surprise": st.integers(),
}  # fmt: skip
CHAT = st.fixed_dictionaries({"messages": MESSAGES}, optional=BESIDE)
TRANSCRIPT = st.fixed_dictionaries({"messages": MESSAGES}, optional={"id": st.just("t"), "name": st.just("n"), "metadata": st.just({"a": 1}), "units": st.just([[0]])})  # fmt: skip
RUN = st.fixed_dictionaries({"transcripts": st.lists(TRANSCRIPT | ODD, max_size=3)}, optional=BESIDE)
ITEM = st.sampled_from([
    {"class_": "message_action", "content": "hi", "description": "d"}, {"class_": "text_observation", "content": "ok", "source": "environment"},
    {"class_": "api_action", "function": "f", "kwargs": {"a": 1}}, {"class_": "code_action", "language": "python", "content": "1", "reward": 2},
    {"class_": "MessageAction", "message": "old", "thoughts": "t"}, {"class_": "text_observation", "content": "u", "source": "user", "odd": [1]},
])  # fmt: skip
TRAJECTORY = st.fixed_dictionaries({"id": st.just("t"), "content": st.lists(ITEM, min_size=1, max_size=6)}, optional={"details": st.just({"model": "m"})})  # fmt: skip
ATTACHED = st.sampled_from([
    {"type": "reply_type", "content": "python"}, {"type": "reply_content", "content": "print(1)"}, {"type": "verification", "content": "CORRECT"},
    {"type": "execution_status", "content": "FAILURE"}, {"type": "execution_result", "content": "NameError: x"}, {"type": "thought", "content": "hm"},
])  # fmt: skip
POST = st.fixed_dictionaries(
    {"send_from": st.sampled_from(["User", "Planner", "CodeInterpreter"]), "message": st.text(max_size=5)},
    optional={
        "send_to": st.just("Planner"),
        "attachment_list": st.lists(ATTACHED, max_size=6) | st.none(),
        "odd": st.just(1),
    },
)
ROUND = st.fixed_dictionaries({"post_list": st.lists(POST, max_size=4)}, optional={"id": st.just("r"), "user_query": st.text(max_size=4), "state": st.just("finished")})  # fmt: skip
CONVERSATION = st.fixed_dictionaries({"rounds": st.lists(ROUND, min_size=1, max_size=4)}, optional={"id": st.just("c"), "plugins": st.just([])})  # fmt: skip
DID = st.sampled_from(["did nothing", 'said: "hi"', "left the conversation", "", "[action] waves"])
SAID = st.tuples(st.sampled_from(["Environment", "Ann", "Bo"]), st.sampled_from(["Environment", "Ann", "Bo"]), DID | st.just("Turn #0: \n")).map(list)  # fmt: skip
EPISODE = st.fixed_dictionaries(
    {"environment": st.just("e"), "agents": st.just(["p1", "p2"]), "messages": st.lists(st.lists(SAID, max_size=4), max_size=5),
     "rewards": st.sampled_from([[1, 2], [[1.5, {"goal": 3}], 0], []]), "reasoning": st.just("")},
    optional={"pk": st.just("x"), "models": st.just(["j", "m1", "m2"]), "tag": st.just("t")},
)  # fmt: skip
RECORDS = CHAT | RUN | TRAJECTORY | CONVERSATION | EPISODE


@pytest.fixture(params=[1 << 20, 0], ids=["counted", "kept"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> RecordReader:
    """A reader of short records, of which heads are counted, or one that takes each for a large one, all of which is kept."""
    monkeypatch.setattr(logged, "LARGE", request.param)
    return RecordReader(decode_value, thorough=True)


def check(value: Any, data: bytes, *, kept: bool) -> None:
    """Compare what the formats make of a record that was read with what they make of one that is decoded."""
    if value is None:
        return
    record, replaced = decode_json(data)
    assert not replaced
    known, detection = registry.best(record)
    assert registry.best(value)[1] == detection
    try:
        summary = known.summarise(record, ORIGIN)
    except TrajviewError as error:
        with pytest.raises(type(error)):
            known.summarise(value, ORIGIN)
        return
    assert known.summarise(value, ORIGIN) == summary
    if kept:
        run, whole = known.read(value, ORIGIN), known.read(record, ORIGIN)
        for mine, other in zip(run.transcripts, whole.transcripts, strict=True):
            for at in reversed(range(len(other.messages))):
                assert mine.messages[at].role == other.messages[at].role
                assert mine.messages[at].texts() == other.messages[at].texts()
        assert run == whole
        assert [list(each.metadata) for each in run.transcripts] == [list(each.metadata) for each in whole.transcripts]
        assert list(run.metadata) == list(whole.metadata)


@settings(max_examples=80)
@given(records=st.lists(in_any_order(RECORDS), min_size=1, max_size=3))
@pytest.mark.parametrize("large", [1 << 20, 300, 0], ids=["counted", "kept, but for short rounds", "kept"])
def test_a_record_is_read_as_the_one_that_is_decoded(large: int, records: list[dict[str, Any]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logged, "LARGE", large)
        reader = RecordReader(decode_value, thorough=True)
        for record in (*records, *records):
            data = json.dumps(record).encode()
            check(reader.read(data), data, kept=len(data) >= large)


@settings(max_examples=80)
@given(data=hostile_bytes(in_any_order(RECORDS)))
@pytest.mark.parametrize("large", [1 << 20, 0], ids=["counted", "kept"])
def test_what_is_no_proper_json_is_left_to_who_decodes_it_in_full(large: int, data: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logged, "LARGE", large)
        value = RecordReader(decode_value, thorough=True).read(data)
        try:
            decode_json(data)
        except BadRecord:
            assert value is None
            return
        check(value, data, kept=not large)


@given(records=st.lists(in_any_order(RECORDS), min_size=2, max_size=4))
def test_records_of_the_same_signature_are_of_the_same_format(records: list[dict[str, Any]]) -> None:
    reader, known = RecordReader(decode_value), dict[Any, str]()
    for record in (*records, *reversed(records)):
        if reader.read(json.dumps(record).encode()) is not None and reader.signature is not None:
            found = registry.best(record)[0].name
            assert known.setdefault(reader.signature, found) == found


@pytest.mark.parametrize("path", sorted(SAMPLES.rglob("*.json*")), ids=lambda path: path.name)
def test_every_sample_is_read_as_the_one_that_is_decoded(path: Path, reader: RecordReader) -> None:
    lines = path.read_bytes().splitlines() if path.suffix == ".jsonl" else [path.read_bytes()]
    for data in filter(None, lines):
        try:
            decode_json(data)
        except BadRecord:
            continue
        check(reader.read(data), data, kept=logged.LARGE == 0)


def test_the_messages_of_a_large_record_stay_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logged, "LARGE", 0)
    looked_at: list[bytes] = []

    def decode(data: bytes | memoryview) -> Any:
        looked_at.append(bytes(data))
        return decode_value(data)

    record = {"messages": [{"role": "user", "content": f"number {n}", "channel": "phone"} for n in range(50)]}
    value = RecordReader(decode).read(json.dumps(record).encode())
    assert isinstance(value["messages"], Elements)
    run = registry.best(value)[0].read(value, ORIGIN)
    looked_at.clear()
    assert [message.role for message in run.transcripts[0].messages] == ["user"] * 50
    assert not looked_at
    assert run.transcripts[0].messages[7].content == "number 7"
    assert looked_at == [json.dumps(record["messages"][7]).encode()]


def test_bytes_that_are_no_text_are_left_to_who_decodes_them_in_full(reader: RecordReader) -> None:
    data = b'{"messages": [{"role": "user", "content": "a\xffb"}]}'
    assert reader.read(data.replace(b"\xff", b"")) is not None
    assert reader.read(data) is None
