"""Runs that are read in a thread for what a filter wants to know."""

from __future__ import annotations

import threading

from tests.app.runs import run
from trajview.corpus.info import RunInfo
from trajview.models.messages import ToolMessage, UserMessage
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript
from trajview.where.background import Finder, Learnt
from trajview.where.fields import Ref
from trajview.where.reading import DetailsReader

TOKENS, ERRORS = Ref("tokens"), Ref("errors")
PATIENCE = 20.0


class Reading:
    """A corpus whose runs can be held back; it notes what is read."""

    def __init__(self) -> None:
        self.was_read: list[str] = []
        self.told: list[Learnt] = []
        self.may_go_on = threading.Event()
        self.is_reading = threading.Event()
        self.finder = Finder(DetailsReader(self), self.told.extend)

    def read(self, info: RunInfo) -> AgentRun:
        self.was_read.append(info.id)
        self.is_reading.set()
        assert self.may_go_on.wait(PATIENCE)
        said = [ToolMessage(content="", error={"message": "no"})] * len(info.id)
        return AgentRun(id=info.id, transcripts=[Transcript(messages=[UserMessage(content="a"), *said])])

    def listed(self, info: RunInfo) -> tuple[None, RunInfo]:
        return None, info


def runs_of(*ids: str) -> list[tuple[int, RunInfo]]:
    return [(row, run(id)) for row, id in enumerate(ids)]


def test_everything_that_is_wanted_is_found_in_order() -> None:
    reading = Reading()
    reading.may_go_on.set()
    reading.finder.want(runs_of("a", "bb", "ccc"), [TOKENS, ERRORS, TOKENS])
    assert reading.finder.wait(PATIENCE)
    assert [(row, info.id, values[ERRORS]) for row, info, values in reading.told] == [
        (row, id, len(id)) for row, id in enumerate(["a", "bb", "ccc"])
    ]
    assert all(values[TOKENS] > 0 for _, _, values in reading.told)
    reading.finder.taken(reading.told)
    assert reading.finder.left == 0


def test_another_wish_takes_the_place_of_the_one_before() -> None:
    reading = Reading()
    reading.finder.want(runs_of("a", "b", "c"), [TOKENS])
    assert reading.is_reading.wait(PATIENCE)
    reading.finder.want(runs_of("d"), [ERRORS])
    reading.may_go_on.set()
    assert reading.finder.wait(PATIENCE)
    assert reading.was_read == ["a", "d"]
    assert [(info.id, values) for _, info, values in reading.told] == [("d", {ERRORS: 1})]


def test_the_same_fields_of_more_runs_do_not_throw_away_what_is_being_read() -> None:
    reading = Reading()
    runs = runs_of("a", "b", "c")
    reading.finder.want(runs[:2], [TOKENS])
    assert reading.is_reading.wait(PATIENCE)
    reading.finder.want(runs, [TOKENS])
    reading.may_go_on.set()
    assert reading.finder.wait(PATIENCE)
    assert [info.id for _, info, _ in reading.told] == ["a", "b", "c"]


def test_cancelling_ends_it_and_a_later_wish_begins_anew() -> None:
    reading = Reading()
    reading.finder.want(runs_of("a", "b"), [TOKENS])
    assert reading.is_reading.wait(PATIENCE)
    reading.finder.cancel()
    reading.may_go_on.set()
    assert reading.finder.wait(PATIENCE)
    assert reading.told == []
    reading.finder.want(runs_of("c"), [TOKENS])
    assert reading.finder.wait(PATIENCE)
    assert [info.id for _, info, _ in reading.told] == ["c"]
