"""A fault at every single system call of everything that writes: nothing that was typed or saved is lost, ever."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

import pytest

from trajview.annotation import events
from trajview.annotation.draft import Draft
from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.store import AnnotationStore
from trajview.annotation.unit_notes import UnitNote
from trajview.errors import AnnotationError

from .faults import AFTERMATHS, Disk, PowerCut

Act = Callable[[AnnotationStore], object]


def typed(goal: str, reasoning: str) -> Draft:
    return Draft("e1", "sotopia", ({"goal": goal}, {}), reasoning)


def write(draft: Draft) -> Act:
    def act(store: AnnotationStore) -> None:
        store.journal.append("draft", draft)

    return act


def submit(draft: Draft) -> Act:
    def act(store: AnnotationStore) -> None:
        store.find("e1", SOTOPIA)
        store.submit(draft, SOTOPIA)

    return act


def note(text: str) -> Act:
    def act(store: AnnotationStore) -> None:
        store.unit_notes("e1")
        store.save_unit_note("e1", SOTOPIA, UnitNote(0, 3, {"progress": 1.0} if text else {}, text))

    return act


def mark(on: bool) -> Act:
    return lambda store: store.set_mark("e1", 0, 5, on, "look" if on else "")


def skip(store: AnnotationStore) -> None:
    store.skip("e1", SOTOPIA, "no audio")


def flag(store: AnnotationStore) -> None:
    store.flag("e1")


def undo(store: AnnotationStore) -> None:
    store.undo()


def redo(store: AnnotationStore) -> None:
    store.redo()


ONE, TWO, THREE = typed("7", "first"), typed("8", "second, and longer"), typed("9", "third")

SCENES: dict[str, tuple[tuple[Act, ...], Act]] = {
    "a first draft": ((), write(ONE)),
    "another draft": ((write(ONE),), write(TWO)),
    "a draft after a submission": ((submit(ONE),), write(TWO)),
    "a first submission": ((write(ONE),), submit(ONE)),
    "a submission of what no draft has": ((), submit(ONE)),
    "a second submission": ((submit(ONE), write(TWO)), submit(TWO)),
    "undo of a first submission": ((write(ONE), submit(ONE)), undo),
    "undo of a second submission": ((submit(ONE), write(TWO), submit(TWO)), undo),
    "undo of typing": ((write(ONE), write(TWO)), undo),
    "redo of a first submission": ((write(ONE), submit(ONE), undo), redo),
    "redo of a second submission": ((submit(ONE), write(TWO), submit(TWO), undo), redo),
    "a skip": ((write(ONE),), skip),
    "undo of a skip": ((skip,), undo),
    "redo of a skip": ((skip, undo), redo),
    "a flag": ((), flag),
    "a first note": ((), note("good")),
    "another note": ((note("good"),), note("less so")),
    "the end of a note": ((note("good"),), note("")),
    "undo of a note": ((note("good"), note("less so")), undo),
    "redo of a note": ((note("good"), note("less so"), undo), redo),
    "a mark": ((note("good"),), mark(True)),
    "undo of the end of a mark": ((mark(True), mark(False)), undo),
}


@dataclass(frozen=True)
class View:
    """What a person sees who starts the program now."""

    fields: object
    reasoning: str
    record: str | None
    state: str
    flagged: bool
    notes: object
    marks: object


def view_of(store: AnnotationStore) -> View:
    opened = store.open("e1", SOTOPIA, 2)
    draft = opened.kept or opened.draft
    progress = store.progress().get("e1")
    notes = store.unit_notes("e1")
    return View(
        [dict(values) for values in draft.values],
        draft.reasoning,
        opened.saved.annotation.to_json() if opened.saved else None,
        progress.state if progress else "not started",
        progress.flagged if progress else False,
        notes.units,
        notes.marks,
    )


@contextmanager
def slow_clock() -> Iterator[None]:
    """Five seconds pass between two events, so that each edit can be taken back by itself."""
    time = datetime(2026, 5, 1, tzinfo=UTC)

    def now() -> datetime:
        nonlocal time
        time += timedelta(seconds=5)
        return time

    with patch.object(events, "now", now):
        yield


class Stage:
    """A scene that can be played again and again: the store before its act, and what is seen before and after."""

    def __init__(self, tmp_path: Path, scene: str) -> None:
        before, self.act = SCENES[scene]
        self.tmp_path = tmp_path
        self.prepared = tmp_path / "prepared"
        self.prepared.mkdir()
        store = AnnotationStore(self.prepared, "alice")
        for each in before:
            each(store)
        self.between: list[View] = []
        if scene == "a submission of what no draft has":  # What was typed is in the journal before it is in the record.
            write(ONE)(AnnotationStore(self.set_up("between"), "alice"))
            self.between.append(view_of(AnnotationStore(tmp_path / "between", "alice")))
        self.before = view_of(AnnotationStore(self.set_up("before"), "alice"))
        root = self.set_up("after")
        disk = Disk(root)
        with disk.watched():
            self.act(AnnotationStore(root, "alice"))
        self.calls = disk.calls
        self.after = view_of(AnnotationStore(root, "alice"))
        assert self.before != self.after

    def set_up(self, name: str) -> Path:
        root = self.tmp_path / name
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(self.prepared, root)
        return root


@pytest.fixture(params=list(SCENES))
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    with slow_clock(), patch.object(os, "fsync", lambda descriptor: None):  # `Disk` remembers what is synced.
        yield Stage(tmp_path, request.param)


def litter(root: Path) -> list[str]:
    return [path.name for path in root.rglob("*") if path.suffix == ".tmp"]


def test_the_calls_that_fail_are_those_that_matter(tmp_path: Path) -> None:
    calls = Stage(tmp_path, "a first submission").calls
    assert {"open", "write", "fsync", "replace", "mkdir", "close", "flock", "pread", "fstat", "scandir", "read"} <= set(
        calls
    )
    assert len(calls) > 30


def test_power_that_goes_off_at_any_call_loses_nothing(stage: Stage) -> None:
    reached = set()
    for at in range(1, len(stage.calls) + 1):
        root = stage.set_up("cut")
        disk = Disk(root, at)
        with disk.watched(), pytest.raises(PowerCut):
            stage.act(AnnotationStore(root, "alice"))
        for aftermath in AFTERMATHS:
            left = stage.tmp_path / "left"
            shutil.rmtree(left, ignore_errors=True)
            disk.rebuild(left, aftermath)
            place = f"call {at} ({disk.calls[-1]}), {aftermath}"
            store = AnnotationStore(left, "alice")
            seen = view_of(store)
            assert seen in (stage.before, *stage.between, stage.after), place
            assert all(not problem.reason.startswith("This file") for problem in store.problems), place
            assert view_of(AnnotationStore(left, "alice")) == seen, place
            if seen != stage.after:
                stage.act(AnnotationStore(left, "alice"))
                assert view_of(AnnotationStore(left, "alice")) == stage.after, place
            reached.add(seen == stage.after)
    assert reached == {False, True}


def test_what_was_reported_as_done_survives_a_power_cut_right_after_it(stage: Stage) -> None:
    root = stage.set_up("done")
    disk = Disk(root)
    with disk.watched():
        stage.act(AnnotationStore(root, "alice"))
    for aftermath in AFTERMATHS:
        left = stage.tmp_path / "left"
        shutil.rmtree(left, ignore_errors=True)
        disk.rebuild(left, aftermath)
        assert view_of(AnnotationStore(left, "alice")) == stage.after, aftermath


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_an_error_of_any_call_is_said_and_what_was_there_stays(stage: Stage, code: int) -> None:
    said = 0
    for at in range(1, len(stage.calls) + 1):
        root = stage.set_up("error")
        store = AnnotationStore(root, "alice")
        disk = Disk(root, at, code)
        error: AnnotationError | None = None
        try:
            with disk.watched():
                stage.act(store)
        except AnnotationError as raised:
            error = raised
        place = f"call {at} ({disk.calls[at - 1]}): {error.sentence if error else 'not said'}"
        seen = view_of(AnnotationStore(root, "alice"))
        if error is None:
            assert seen == stage.after, place
        else:
            said += 1
            assert error.hint
            assert seen in (stage.before, *stage.between, stage.after), place
        assert litter(root) == [], place
        if seen != stage.after:
            stage.act(store)
            assert view_of(AnnotationStore(root, "alice")) == stage.after, place
    assert said >= 3
