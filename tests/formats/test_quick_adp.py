"""A trajectory that is taken apart is the one that is decoded: its summary, its messages, and what is known of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trajview.corpus.corpus import Corpus
from trajview.corpus.decode import decode_json
from trajview.formats import adp, registry
from trajview.formats.adp import FORMAT
from trajview.formats.base import Origin
from trajview.formats.lazy_adp import AdpMessages
from trajview.formats.quick import QuickLook
from trajview.formats.quick_adp import look_at_trajectory, parted_trajectory
from trajview.highlight import highlights_in
from trajview.models.adp_spelling import CLASSES
from trajview.models.run import AgentRun

from .test_adp import NAMES, records, wild
from .test_quick_episode import HOSTILE, ODD

ORIGIN = Origin(Path("trajectory.json"), 0, 1)
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
USUAL = st.fixed_dictionaries({"content": ITEMS}, optional=BESIDE)
OTHER_KEYS = st.fixed_dictionaries(
    {"content": st.lists(st.builds(lambda item, odd: {**item, "more": odd}, ITEM, ODD), min_size=1, max_size=4)},
    optional=BESIDE,
)


def assert_same(run: AgentRun, whole: AgentRun) -> None:
    (lazy,), (eager,) = run.transcripts, whole.transcripts
    assert lazy.messages[::-1] == eager.messages[::-1]
    assert lazy.unit_starts == eager.unit_starts
    assert highlights_in(lazy) == highlights_in(eager)
    if isinstance(lazy.messages, AdpMessages):
        assert lazy.messages.roles == [message.role for message in eager.messages]
        assert len(lazy.messages.measured()) == len(eager.messages)
    kept = set(AgentRun.model_fields) - {"transcripts"}
    assert run.model_dump(include=kept) == whole.model_dump(include=kept)
    assert (lazy.id, lazy.name, lazy.metadata) == (eager.id, eager.name, eager.metadata)


def check(data: bytes) -> bool:
    """Whether bytes were taken apart; then it is checked that nothing is lost by that."""
    parts = parted_trajectory(data)
    if parts is None:
        return False
    record, replaced = decode_json(data)
    found = look_at_trajectory(parts, ORIGIN)
    known = registry.best(record)[0]
    if found is None:
        assert known is not FORMAT or not record["content"]
        return False
    assert found == (known.name, known.summarise(record, ORIGIN))
    whole = FORMAT.read(record, ORIGIN)
    for lazy_from in (0, 10_000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(adp, "LAZY_FROM", lazy_from)
            run = FORMAT.open_parted(parts, lambda some: decode_json(some)[0], ORIGIN)
        assert run is not None
        assert isinstance(run.transcripts[0].messages, list) == bool(lazy_from)
        if not replaced:
            assert_same(run, whole)
    return True


@RELAXED
@given(USUAL | OTHER_KEYS)
def test_a_usual_trajectory_is_taken_apart_and_nothing_is_lost(record: dict[str, Any]) -> None:
    assert check(json.dumps(record).encode())


@RELAXED
@given(wild)
def test_a_wild_trajectory_is_given_up_or_nothing_is_lost(record: dict[str, Any]) -> None:
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
        assert (info.format, info.id, info.messages, info.units, info.rewards, info.models) == (
            "adp", summary.id, summary.messages, summary.units, summary.rewards, summary.models,
        )  # fmt: skip
        run = corpus.load(info, lazily=True)
        assert isinstance(run.transcripts[0].messages, AdpMessages)
        assert_same(run, whole)


def test_bytes_that_are_no_utf8_and_what_is_no_trajectory_are_looked_at_in_full() -> None:
    data = json.dumps(_long(1000)).encode()
    assert QuickLook().look(data, ORIGIN, apart=True) is not None
    for other in (
        data.replace(b"\\u00e9", b"\xff"),
        data.replace(b'"id": "long"', b'"transcripts": [{"messages": []}]'),
    ):
        looker = QuickLook()
        found = looker.look(other, ORIGIN, apart=True)
        assert found is None or found[0] != "adp"
        assert looker.taken_apart() is None
