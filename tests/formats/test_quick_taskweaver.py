"""A conversation that is taken apart is the one that is decoded: its summary, its messages, and what is known of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from trajview.corpus.corpus import Corpus
from trajview.corpus.decode import decode_json
from trajview.formats import registry, taskweaver
from trajview.formats.base import Origin
from trajview.formats.lazy_taskweaver import TaskWeaverMessages
from trajview.formats.quick import QuickLook
from trajview.formats.quick_taskweaver import look_at_conversation, parted_conversation
from trajview.formats.taskweaver import FORMAT
from trajview.highlight import highlights_in, text_of
from trajview.models.run import AgentRun

from .test_quick_episode import HOSTILE, ODD
from .test_taskweaver import ATTACHED, PATHS, load

ORIGIN = Origin(Path("conversation.json"), 0, 1)
RELAXED = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
CONTENT = st.sampled_from(["python", "print(1)\nprint(2)", "", None, ["a.png", "b.txt"], {"a": 1}, 3, '[{"name": "f", "arguments": "{"}]', "é😀\x1b[0m"])  # fmt: skip
ATTACHMENT = ATTACHED | st.fixed_dictionaries(
    {"type": st.sampled_from(["thought", "artifact_paths", "execution_result", "function", "invalid_response", "image_url", "new", ""])},
    optional={"content": CONTENT, "id": CONTENT, "extra": st.none() | st.just({"score": 1}) | st.just([1])},
)  # fmt: skip
MESSAGE = st.sampled_from(["Count the rows", "a{{DELIMITER_START_TEMPORAL}}b{{DELIMITER_END_TEMPORAL}}c", "", None, ["x"], "one\ntwo"])  # fmt: skip
POST = st.fixed_dictionaries(
    {"send_from": st.sampled_from(["User", "Planner", "CodeInterpreter", ""])},
    optional={
        "id": CONTENT, "send_to": st.sampled_from(["Planner", "User", None, 7]), "message": MESSAGE,
        "attachment_list": st.lists(ATTACHMENT, max_size=5) | st.none(), "board": ODD,
    },
)  # fmt: skip
ROUND = st.fixed_dictionaries(
    {"post_list": st.lists(POST, max_size=4)},
    optional={
        "id": CONTENT,
        "state": st.sampled_from(["failed", "created", None, 1]),
        "user_query": MESSAGE,
        "more": ODD,
    },
)
BESIDE: dict[str, st.SearchStrategy[Any]] = {
    "id": st.just("c") | st.just(3) | ODD, "plugins": ODD, "roles": ODD, "enabled": ODD, "note": ODD, "name": ODD,
}  # fmt: skip
USUAL = st.fixed_dictionaries({"rounds": st.lists(ROUND, min_size=1, max_size=4)}, optional=BESIDE)
WILD = st.fixed_dictionaries(
    {"rounds": st.lists(ROUND | ODD | st.fixed_dictionaries({"post_list": st.lists(POST | ODD, max_size=3) | ODD, "more": ODD}), max_size=4) | ODD},
    optional={**BESIDE, "messages": ODD, "transcripts": ODD},
)  # fmt: skip


def assert_same(run: AgentRun | None, whole: AgentRun) -> None:
    assert run is not None
    (lazy,), (eager,) = run.transcripts, whole.transcripts
    assert lazy.messages[::-1] == eager.messages[::-1]
    assert lazy.unit_starts == eager.unit_starts
    assert highlights_in(lazy) == highlights_in(eager)
    if isinstance(lazy.messages, TaskWeaverMessages):
        assert lazy.messages.roles == [message.role for message in eager.messages]
        assert len(lazy.messages.measured()) == len(eager.messages)
        for index, message in enumerate(eager.messages):
            known = lazy.messages.searchable(index)
            assert known is None or "\n".join(filter(None, known)) == text_of(message)
    kept = set(AgentRun.model_fields) - {"transcripts"}
    assert run.model_dump(include=kept) == whole.model_dump(include=kept)
    assert (lazy.id, lazy.name, lazy.metadata) == (eager.id, eager.name, eager.metadata)


def check(data: bytes) -> bool:
    """Whether bytes were taken apart; then it is checked that nothing is lost by that."""
    parts = parted_conversation(data)
    if parts is None:
        return False
    record, replaced = decode_json(data)
    found = look_at_conversation(parts, ORIGIN)
    known = registry.best(record)[0]
    if found is None:
        assert known is not FORMAT or not any(round_["post_list"] for round_ in record["rounds"])
        return False
    assert found == (known.name, known.summarise(record, ORIGIN))
    whole = FORMAT.read(record, ORIGIN)
    for lazy_from in (0, 10_000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(taskweaver, "LAZY_FROM", lazy_from)
            run = FORMAT.open_parted(parts, lambda some: decode_json(some)[0], ORIGIN)
            assert run is not None
            assert isinstance(run.transcripts[0].messages, list) == bool(lazy_from and whole.transcripts[0].messages)
        if not replaced:
            assert_same(run, whole)
    return True


@RELAXED
@given(USUAL)
@example(
    {
        "rounds": [
            {"post_list": [], "user_query": "Count the rows\nof both"},
            {"post_list": [{"send_from": "A"}], "id": "r"},
        ]
    }
)
@example(
    {"rounds": [{"post_list": [{"send_from": "A"}] * 3}, {"post_list": []}, {"post_list": [{"send_from": "User"}]}]}
)
@example({"rounds": [{"post_list": [{"send_from": "A", "attachment_list": [
    {"type": "a{{DELIMITER_START_TEMPORAL}}b{{DELIMITER_END_TEMPORAL}}c", "content": "x"},
]}]}]})  # fmt: skip
def test_a_usual_conversation_is_taken_apart_and_nothing_is_lost(record: dict[str, Any]) -> None:
    some = any(round_["post_list"] or round_.get("user_query") for round_ in record["rounds"])
    assert check(json.dumps(record).encode()) == some


@RELAXED
@given(WILD)
def test_a_wild_conversation_is_given_up_or_nothing_is_lost(record: dict[str, Any]) -> None:
    check(json.dumps(record).encode())


@RELAXED
@given(USUAL, st.lists(HOSTILE, min_size=1, max_size=2), st.randoms(use_true_random=False))
def test_hostile_bytes_are_given_up_or_nothing_is_lost(
    record: dict[str, Any], hostile: list[bytes], rng: Random
) -> None:
    data = json.dumps(record).encode()
    for each in hostile:
        places = [match.span() for match in re.finditer(rb'"(?:[^"\\]|\\.)*"(?!:)|\d+|\[\]', data)]
        start, end = rng.choice(places) if places else (len(data), len(data))
        data = data[:start] + each + data[end:]
    check(data)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_every_fixture_is_taken_apart(path: Path) -> None:
    assert check(json.dumps(load(path)).encode())


@pytest.mark.parametrize(
    "odd",
    [None, 3, {}, {"post_list": None}, {"post_list": [None]}, {"post_list": [{"send_from": None}]}, {"more": 1}],
)  # fmt: skip
def test_a_round_that_is_not_as_it_should_be_is_looked_at_in_full(odd: Any) -> None:
    assert parted_conversation(json.dumps({"rounds": [{"post_list": []}, odd]}).encode()) is None


def _long(rounds: int) -> dict[str, Any]:
    posts = [
        {"id": "p", "send_from": "User", "send_to": "Planner", "message": f"Count {'x' * 1000}", "attachment_list": []},
        {"id": "q", "send_from": "CodeInterpreter", "send_to": "Planner", "message": "done é", "attachment_list": [
            {"id": "a", "type": "reply_type", "content": "python", "extra": None},
            {"id": "b", "type": "reply_content", "content": "print(1)\n" * 100, "extra": None},
            {"id": "c", "type": "verification", "content": "CORRECT", "extra": None},
            {"id": "d", "type": "execution_status", "content": "FAILURE", "extra": {"seconds": 1}},
            {"id": "e", "type": "execution_result", "content": "NameError: x", "extra": None},
        ]},
    ]  # fmt: skip
    made = [
        {"id": f"r{number}", "user_query": "Count", "state": "finished", "post_list": posts} for number in range(rounds)
    ]
    return {"id": "long", "plugins": [], "roles": ["Planner"], "enabled": True, "rounds": made}


def test_a_large_conversation_is_listed_and_opened_without_being_decoded_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = _long(2000)
    path = tmp_path / "long.json"
    path.write_text(json.dumps(record))
    whole, summary = FORMAT.read(record, Origin(path)), FORMAT.summarise(record, Origin(path))

    def fails(*_: object) -> None:
        raise AssertionError("it was decoded in full")

    monkeypatch.setattr("trajview.corpus.json_records.decode_json", fails)
    monkeypatch.setattr("trajview.corpus.reader.value_of", fails)
    handed, reopened = Corpus([path]), Corpus([path])
    handed.start()
    handed.wait()
    reopened.scan()
    for corpus in (handed, reopened):
        assert not corpus.problems
        info = corpus[0]
        assert (info.format, info.id, info.messages, info.units, info.agents) == (
            "taskweaver", summary.id, summary.messages, summary.units, summary.agents,
        )  # fmt: skip
        run = corpus.load(info, lazily=True)
        assert isinstance(run.transcripts[0].messages, TaskWeaverMessages)
        assert_same(run, whole)


def test_bytes_that_are_no_utf8_and_what_is_no_conversation_are_looked_at_in_full() -> None:
    data = json.dumps(_long(1000)).encode()
    assert QuickLook().look(data, ORIGIN, apart=True) is not None
    for other in (
        data.replace(b"\\u00e9", b"\xff"),
        data.replace(b'"id": "long"', b'"transcripts": [{"messages": []}]'),
    ):
        looker = QuickLook()
        found = looker.look(other, ORIGIN, apart=True)
        assert found is None or found[0] != "taskweaver"
        assert looker.taken_apart() is None
