"""A trajectory that is taken apart is the one that is decoded: its summary, its messages, and what is known of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trajview.formats import adp
from trajview.formats.adp import FORMAT
from trajview.formats.base import Origin
from trajview.formats.quick_adp import look_at_trajectory, parted_trajectory
from trajview.models.adp_spelling import CLASSES

from .hostile import ODD, hostile_bytes, in_any_order
from .opened import assert_same_run, opened_without_decoding
from .taken_apart import TakenApart
from .test_adp import NAMES, records, wild

RELAXED = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
TEXT = st.sampled_from(["x", "", "one\ntwo", "é😀\x1b[0m", "Traceback (most recent call last):\nValueError: no"])
SAID = TEXT | ODD
ITEM = st.fixed_dictionaries(
    {"class_": st.sampled_from(sorted(CLASSES))},
    optional={
        "function": st.just("f") | ODD, "kwargs": st.sampled_from([{"a": 1}, '{"a": 1}', "{"]) | ODD, "language": st.just("python") | ODD,
        "content": SAID, "name": SAID, "annotations": st.just([{"text": "x"}]) | ODD, "html": SAID, "axtree": SAID, "url": SAID,
        "image_observation": st.just({"class_": "image_observation", "content": "a.png", "more": 1}) | ODD, "viewport_size": ODD,
        "source": st.sampled_from(["user", "agent", "environment", "nobody"]) | ODD, "description": SAID, "reasoning_content": SAID,
        "reward": st.sampled_from([1, 0.5, -1]) | ODD, "tool_call_id": st.sampled_from(["a", "b", "call_1"]) | ODD,
    },
)  # fmt: skip
BESIDE: dict[str, st.SearchStrategy[Any]] = {
    "id": st.just("t") | st.just(3) | ODD, "details": st.sampled_from([{"reward": 1}, {"model_name": "m"}]) | ODD, "schema_version": ODD,
    "available_apis": ODD, "note": ODD,
}  # fmt: skip
ITEMS = st.lists(ITEM, min_size=1, max_size=6)
USUAL = in_any_order(st.fixed_dictionaries({"content": ITEMS}, optional=BESIDE))
OTHER_KEYS = st.fixed_dictionaries(
    {"content": st.lists(st.builds(lambda item, odd: {**item, "more": odd}, ITEM, ODD), min_size=1, max_size=4)},
    optional=BESIDE,
)


TAKEN_APART = TakenApart(adp, parted_trajectory, look_at_trajectory, is_empty=lambda record: not record["content"])
check = TAKEN_APART.check


@RELAXED
@given(USUAL | OTHER_KEYS)
def test_a_usual_trajectory_is_taken_apart_and_nothing_is_lost(record: dict[str, Any]) -> None:
    assert check(json.dumps(record).encode())


@RELAXED
@given(wild)
def test_a_wild_trajectory_is_given_up_or_nothing_is_lost(record: dict[str, Any]) -> None:
    check(json.dumps(record).encode())


@RELAXED
@given(hostile_bytes(USUAL))
def test_hostile_bytes_are_given_up_or_nothing_is_lost(data: bytes) -> None:
    check(data)


@pytest.mark.parametrize("name", NAMES)
def test_every_fixture_is_taken_apart_but_for_old_spellings_and_new_classes(name: str) -> None:
    for record in records(name):
        classes = {item["class_"] for item in record["content"]}
        assert check(json.dumps(record).encode()) == (classes <= CLASSES)


@pytest.mark.parametrize("odd", [None, 3, {}, {"class_": "new_action"}, {"class_": "MessageAction"},
                                 {"class_": "message_action", "thoughts": "hm"}, {"class_": "text_observation", "text": "x"}])  # fmt: skip
def test_an_item_that_is_not_as_it_should_be_is_looked_at_in_full(odd: Any) -> None:
    item = {"class_": "message_action", "content": "x"}
    assert parted_trajectory(json.dumps({"content": [item]}).encode()) is not None
    assert parted_trajectory(json.dumps({"content": [item, odd]}).encode()) is None


def _long(steps: int) -> dict[str, Any]:
    made: list[dict[str, Any]] = [{"class_": "text_observation", "content": "Count the rows", "source": "user"}]
    for number in range(steps):
        call = f"c{number}"
        made.append({"class_": "api_action", "function": "bash", "kwargs": {"n": number}, "description": "é" + "x" * 1000, "tool_call_id": call})  # fmt: skip
        made.append({"class_": "text_observation", "content": "y" * 1000, "source": "environment", "tool_call_id": call, "reward": 0.5})  # fmt: skip
    return {"id": "long", "content": made, "details": {"model": "m"}}


def test_a_large_trajectory_is_listed_and_opened_without_being_decoded_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = _long(2500)
    path = tmp_path / "long.json"
    path.write_text(json.dumps(record))
    whole, summary = FORMAT.read(record, Origin(path)), FORMAT.summarise(record, Origin(path))
    for info, run in opened_without_decoding(path, monkeypatch):
        assert (info.format, info.id, info.messages, info.units, info.rewards, info.models) == (
            "adp", summary.id, summary.messages, summary.units, summary.rewards, summary.models,
        )  # fmt: skip
        assert_same_run(run, whole)


def test_bytes_that_are_no_utf8_and_what_is_no_trajectory_are_looked_at_in_full() -> None:
    record = _long(1000)
    TAKEN_APART.assert_only_its_own_is_taken_apart(record, json.dumps(record).encode())


def test_what_stands_beside_the_items_keeps_its_order_however_far_apart_it_is() -> None:
    for order in (["schema_version", "available_apis", "id"], ["id", "available_apis", "schema_version"]):
        said = [{"class_": "message_action", "content": "x"}]
        known = {"schema_version": "]", "available_apis": "x" * 40_000, "id": "t", "content": said}
        for record in (
            {key: known[key] for key in [*order, "content"]}, {key: known[key] for key in ["content", *order]},
        ):  # fmt: skip
            assert check(json.dumps(record).encode())


def test_what_an_item_keeps_beside_what_it_shows_stays_in_the_order_of_the_file() -> None:
    page = {"class_": "web_observation", "html": "<p>", "viewport_size": [1, 2], "url": "u", "annotations": [1]}
    for order in (list(page), ["url", "html", "annotations", "viewport_size", "class_"]):
        data = json.dumps({"id": "t", "content": [{key: page[key] for key in order}]}).encode()
        parts = parted_trajectory(data)
        assert parts is not None
        run = FORMAT.open_parted(parts, json.loads, Origin(Path("t.json")))
        assert run is not None
        read = FORMAT.read(json.loads(data), Origin(Path("t.json")))
        found, known = (each.transcripts[0].messages[0].metadata for each in (run, read))
        assert list(found) == list(known) == [key for key in order if key not in ("class_", "html")]
