"""A fault at every single system call of everything that writes: nothing that was typed or saved is lost, ever."""

from __future__ import annotations

import errno
import os
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest

from trajview.annotation import events
from trajview.annotation.draft import Draft
from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.store import AnnotationStore
from trajview.annotation.unit_notes import NoteChangedOnDisk, UnitNote
from trajview.errors import AnnotationError

from .clocks import Clock
from .faults import AFTERMATHS, Disk, PowerCut

Act = Callable[[AnnotationStore], object]


EPISODES = ("e1", "e2")


def typed(goal: str, reasoning: str, episode: str = "e1") -> Draft:
    return Draft(episode, "sotopia", ({"goal": goal}, {}), reasoning)


def write(draft: Draft) -> Act:
    def act(store: AnnotationStore) -> None:
        store.journal.append("draft", draft)

    return act


def submit(draft: Draft) -> Act:
    def act(store: AnnotationStore) -> None:
        store.find(draft.episode, SOTOPIA)
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


def view_of(store: AnnotationStore, episode: str = "e1") -> View:
    opened = store.open(episode, SOTOPIA, 2)
    draft = opened.kept or opened.draft
    progress = store.progress().get(episode)
    notes = store.unit_notes(episode)
    return View(
        [dict(values) for values in draft.values],
        draft.reasoning,
        opened.saved.annotation.to_json() if opened.saved else None,
        progress.state if progress else "not started",
        progress.flagged if progress else False,
        notes.units,
        notes.marks,
    )


def slow_clock() -> AbstractContextManager[object]:
    """Five seconds pass between two events, so that each edit can be taken back by itself."""
    return patch.object(events, "now", Clock(step=5))


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


def contents(root: Path) -> frozenset[tuple[str, bytes]]:
    """All folders and files below a folder, with what the files hold."""
    return frozenset(
        (str(path.relative_to(root)), path.read_bytes() if path.is_file() else b"a folder") for path in root.rglob("*")
    )


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
    looked_at = set()
    for at in range(1, len(stage.calls) + 1):
        root = stage.set_up("cut")
        disk = Disk(root, at)
        with disk.watched(), pytest.raises(PowerCut):
            stage.act(AnnotationStore(root, "alice"))
        for aftermath in AFTERMATHS:
            left = stage.tmp_path / "left"
            shutil.rmtree(left, ignore_errors=True)
            disk.rebuild(left, aftermath)
            found = contents(left)
            if found in looked_at:  # Most calls leave on the disk what the one before left.
                continue
            looked_at.add(found)
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


def all_seen(store: AnnotationStore) -> list[View]:
    return [view_of(store, episode) for episode in EPISODES]


@pytest.mark.parametrize("seed", range(4))
def test_a_long_day_of_work_and_power_cuts_loses_nothing(tmp_path: Path, seed: int) -> None:
    """One action after the other, some cut off anywhere, each on what the one before left on the disk."""
    choice = random.Random(seed)
    root = tmp_path / "0"
    cuts = 0
    with slow_clock(), patch.object(os, "fsync", lambda descriptor: None):
        for step in range(1, 61):
            act, halfway = any_act(choice, step)
            before = all_seen(AnnotationStore(root, "alice"))
            allowed = [before]
            for each in (halfway, act):  # What would be there if it were stopped halfway, and if it were not stopped.
                copy = tmp_path / "copy"
                shutil.rmtree(copy, ignore_errors=True)
                if root.exists():
                    shutil.copytree(root, copy)
                else:
                    copy.mkdir()
                disk = Disk(copy)
                with disk.watched():
                    each(AnnotationStore(copy, "alice"))
                allowed.append(all_seen(AnnotationStore(copy, "alice")))
            at = choice.randint(1, len(disk.calls)) if choice.random() < 0.5 else None
            root.mkdir(exist_ok=True)
            disk = Disk(root, at)
            with disk.watched(), suppress(PowerCut):
                act(AnnotationStore(root, "alice"))
            cuts += disk.is_off
            aftermath = choice.choice(AFTERMATHS)
            root = tmp_path / str(step)
            disk.rebuild(root, aftermath)
            shutil.rmtree(tmp_path / str(step - 1))
            seen = all_seen(AnnotationStore(root, "alice"))
            assert seen in (allowed if disk.is_off else allowed[-1:]), f"step {step}, call {at}, {aftermath}"
    assert cuts > 15


def may_be_refused(act: Act) -> Act:
    """A note that was saved while the power went off before its line in the journal counts as somebody else's."""

    def acting(store: AnnotationStore) -> None:
        with suppress(NoteChangedOnDisk):
            act(store)

    return acting


def any_act(choice: random.Random, step: int) -> tuple[Act, Act]:
    """Something a person may do, and the part of it that is written first, if there is one."""
    episode = choice.choice(EPISODES)
    draft = typed(str(step % 10), f"text {step}", episode)
    kind = choice.choice(["write", "submit", "submit", "note", "mark", "skip", "flag", "undo", "undo", "redo"])
    if kind == "submit":
        return submit(draft), write(draft)
    acts: dict[str, Act] = {
        "write": write(draft),
        "note": lambda store: (
            store.unit_notes(episode),
            store.save_unit_note(episode, SOTOPIA, UnitNote(0, step % 3, {}, str(step))),
        ),
        "mark": lambda store: store.set_mark(episode, 0, step % 3, step % 4 > 0, str(step)),
        "skip": lambda store: store.skip(episode, SOTOPIA, str(step)),
        "flag": lambda store: store.flag(episode, str(step)),
        "undo": may_be_refused(undo),
        "redo": may_be_refused(redo),
    }
    return acts[kind], lambda store: None
