"""A conversation that is taken apart is the one that is decoded: its summary, its messages, and what is known of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from trajview.formats import taskweaver
from trajview.formats.base import Origin
from trajview.formats.quick_taskweaver import look_at_conversation, parted_conversation
from trajview.formats.taskweaver import FORMAT

from .hostile import ODD, hostile_bytes, in_any_order
from .opened import assert_same_run, opened_without_decoding
from .taken_apart import TakenApart
from .test_taskweaver import ATTACHED, PATHS, load

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
USUAL = in_any_order(st.fixed_dictionaries({"rounds": st.lists(ROUND, min_size=1, max_size=4)}, optional=BESIDE))
WILD = st.fixed_dictionaries(
    {"rounds": st.lists(ROUND | ODD | st.fixed_dictionaries({"post_list": st.lists(POST | ODD, max_size=3) | ODD, "more": ODD}), max_size=4) | ODD},
    optional={**BESIDE, "messages": ODD, "transcripts": ODD},
)  # fmt: skip


TAKEN_APART = TakenApart(
    taskweaver, parted_conversation, look_at_conversation,
    is_empty=lambda record: not any(round_["post_list"] for round_ in record["rounds"]),
)  # fmt: skip
check = TAKEN_APART.check


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
@given(hostile_bytes(USUAL))
def test_hostile_bytes_are_given_up_or_nothing_is_lost(data: bytes) -> None:
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
    for info, run in opened_without_decoding(path, monkeypatch):
        assert (info.format, info.id, info.messages, info.units, info.agents) == (
            "taskweaver", summary.id, summary.messages, summary.units, summary.agents,
        )  # fmt: skip
        assert_same_run(run, whole)


def test_bytes_that_are_no_utf8_and_what_is_no_conversation_are_looked_at_in_full() -> None:
    record = _long(1000)
    TAKEN_APART.assert_only_its_own_is_taken_apart(record, json.dumps(record).encode())
