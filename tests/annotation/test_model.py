"""Any sequence of actions, with the program started anew in between, gives what a naive model says; so do undo and redo."""

from __future__ import annotations

import copy
import os
import shutil
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from trajview.annotation import events
from trajview.annotation.draft import Draft
from trajview.annotation.rubric import SOTOPIA, Rubric, reward_rubric
from trajview.annotation.store import AnnotationStore
from trajview.annotation.unit_notes import UnitNote

from .clocks import Clock

EPISODES = ("e1", "e2", "e\ud800")
RUBRICS = (SOTOPIA, reward_rubric())
Key = tuple[str, str]


@dataclass
class State:
    """What an annotator sees, in plain dictionaries: texts and counters that tell which came later."""

    drafts: dict[Key, tuple[int, str]] = field(default_factory=dict)
    records: dict[Key, str] = field(default_factory=dict)
    submits: dict[str, int] = field(default_factory=dict)
    skips: dict[str, tuple[int, str]] = field(default_factory=dict)
    flags: dict[str, str] = field(default_factory=dict)
    notes: dict[tuple[str, int], str] = field(default_factory=dict)
    marks: dict[tuple[str, int], str] = field(default_factory=dict)


def status(state: State, episode: str) -> tuple[str, bool, str]:
    drafts = [
        number for (of, rubric), (number, text) in state.drafts.items()
        if of == episode and text != state.records.get((of, rubric))
    ]  # fmt: skip
    skip, flag = state.skips.get(episode), state.flags.get(episode)
    if skip is not None and skip[0] > max([*drafts, state.submits.get(episode, 0)], default=0):
        return "skipped", flag is not None, skip[1]
    if drafts:
        return "draft", flag is not None, flag or ""
    written = any(of == episode for of, _ in state.records)
    return ("submitted" if written else "not started"), flag is not None, flag or ""


@dataclass
class Change:
    """What can be taken back at once, with the state before it, or after it where it was taken back."""

    kind: str
    key: Key
    state: State
    text: str | None = None
    """What a draft, a discard or a submission says of a run."""
    same: bool = False
    """It is a draft that a submission began with, and that changed nothing."""


class Annotating(RuleBasedStateMachine):
    """One annotator's work. Edits are five seconds apart, so that each is a step of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="trajview-model-"))
        self.patches = [patch.object(events, "now", Clock(step=5)), patch.object(os, "fsync", lambda descriptor: None)]
        for each in self.patches:
            each.start()
        self.store = AnnotationStore(self.root, "alice")
        self.state = State()
        self.done: list[Change] = []
        self.undone: list[Change] = []
        self.number = 0

    def teardown(self) -> None:
        for each in self.patches:
            each.stop()
        shutil.rmtree(self.root)

    def change(self, kind: str, key: Key, text: str | None = None) -> State:
        """Begin a change of the model, which can be taken back."""
        before = copy.deepcopy(self.state)
        same = kind == "draft" and text == next(
            (done.text for done in reversed(self.done) if done.key == key and done.text is not None), None
        )
        if kind == "draft" and self.done and self.done[-1].key == key and self.done[-1].same:
            before = self.done.pop().state  # A draft that changed nothing is no step of its own before another.
        self.done.append(Change(kind, key, before, text, same))
        self.undone.clear()
        self.number += 1
        return self.state

    def draft(self, episode: str, rubric: Rubric, text: str) -> Draft:
        values = {rubric.dimensions[-1].name: "1"}  # A record without scores would count for either rubric.
        return Draft(episode, rubric.name, (values, {}), text, self.version(episode, rubric))

    def version(self, episode: str, rubric: Rubric) -> str | None:
        saved = self.store.find(episode, rubric)
        return saved.version if saved else None

    @rule(episode=st.sampled_from(EPISODES), rubric=st.sampled_from(RUBRICS))
    def type(self, episode: str, rubric: Rubric) -> None:
        text = f"text {self.number + 1}"
        state = self.change("draft", (episode, rubric.name), text)
        self.store.journal.append("draft", self.draft(episode, rubric, text))
        state.drafts[episode, rubric.name] = (self.number, text)

    @rule(episode=st.sampled_from(EPISODES), rubric=st.sampled_from(RUBRICS))
    def submit(self, episode: str, rubric: Rubric) -> None:
        key = (episode, rubric.name)
        text = self.state.drafts.get(key, (0, self.state.records.get(key, "untouched")))[1]
        if not (self.done and self.done[-1].kind == "draft" and self.done[-1].key == key):
            self.change(
                "draft", key, text
            )  # The draft that a submission begins with is a step where it follows no other.
        self.state.drafts[key] = (self.number, text)
        state = self.change("submit", key, text)
        self.store.find(episode, rubric)
        self.store.submit(self.draft(episode, rubric, text), rubric)
        del state.drafts[key]
        state.records[key] = text
        state.submits[episode] = self.number

    @rule(episode=st.sampled_from(EPISODES), rubric=st.sampled_from(RUBRICS))
    def discard(self, episode: str, rubric: Rubric) -> None:
        key = (episode, rubric.name)
        if key in self.state.drafts:
            state = self.change("discard", key, self.state.drafts[key][1])
            self.store.journal.append("discard", self.draft(episode, rubric, state.drafts.pop(key)[1]))

    @rule(episode=st.sampled_from(EPISODES))
    def skip(self, episode: str) -> None:
        state = self.change("skip", (episode, ""))
        self.store.skip(episode, SOTOPIA, f"reason {self.number}")
        state.skips[episode] = (self.number, f"reason {self.number}")

    @rule(episode=st.sampled_from(EPISODES))
    def unskip(self, episode: str) -> None:
        self.change("unskip", (episode, "")).skips.pop(episode, None)
        self.store.unskip(episode)

    @rule(episode=st.sampled_from(EPISODES), on=st.booleans())
    def flag(self, episode: str, on: bool) -> None:
        state = self.change("flag", (episode, ""))
        if on:
            self.store.flag(episode, f"flag {self.number}")
            state.flags[episode] = f"flag {self.number}"
        else:
            self.store.unflag(episode)
            state.flags.pop(episode, None)

    @rule(episode=st.sampled_from(EPISODES), unit=st.integers(0, 2))
    def note(self, episode: str, unit: int) -> None:
        state = self.change("note", (episode, ""))
        self.store.unit_notes(episode)
        self.store.save_unit_note(episode, SOTOPIA, UnitNote(0, unit, {}, f"note {self.number}"))
        state.notes[episode, unit] = f"note {self.number}"

    @rule(episode=st.sampled_from(EPISODES), unit=st.integers(0, 2))
    def take_note_away(self, episode: str, unit: int) -> None:
        if (episode, unit) in self.state.notes:
            del self.change("note", (episode, "")).notes[episode, unit]
            self.store.unit_notes(episode)
            self.store.save_unit_note(episode, SOTOPIA, UnitNote(0, unit))

    @rule(episode=st.sampled_from(EPISODES), unit=st.integers(0, 2))
    def mark(self, episode: str, unit: int) -> None:
        state = self.change("mark", (episode, ""))
        if (episode, unit) in state.marks:
            del state.marks[episode, unit]
            self.store.set_mark(episode, 0, unit, False)
        else:
            state.marks[episode, unit] = f"mark {self.number}"
            self.store.set_mark(episode, 0, unit, True, f"mark {self.number}")

    @rule(episode=st.sampled_from(EPISODES))
    def facts(self, episode: str) -> None:
        self.store.spent(episode, SOTOPIA, 1.0)

    @rule(times=st.integers(1, 6))
    def undo(self, times: int) -> None:
        for _ in range(times):
            undone = self.store.undo()
            assert (undone is None) == (not self.done)
            if self.done:
                change = self.done.pop()
                assert undone is not None
                assert undone.episode == change.key[0]
                self.undone.append(replace(change, state=self.state))
                self.state = change.state

    @rule(times=st.integers(1, 6))
    def redo(self, times: int) -> None:
        for _ in range(times):
            redone = self.store.redo()
            assert (redone is None) == (not self.undone)
            if self.undone:
                change = self.undone.pop()
                self.done.append(replace(change, state=self.state))
                self.state = change.state

    @rule()
    def start_anew(self) -> None:
        self.store = AnnotationStore(self.root, "alice")

    @invariant()
    def the_store_says_what_the_model_says(self) -> None:
        fresh = AnnotationStore(self.root, "alice")
        for store in (self.store, fresh):
            progress: dict[str, Any] = store.progress()
            for episode in EPISODES:
                found = progress.get(episode)
                is_so = (found.state, found.flagged, found.reason) if found else ("not started", False, "")
                assert is_so == status(self.state, episode)
            assert store.problems == []
        for episode in EPISODES:
            notes = fresh.unit_notes(episode)
            assert {note.unit: note.note for note in notes.units} == {
                unit: text for (of, unit), text in self.state.notes.items() if of == episode
            }
            assert {mark.unit: mark.note for mark in notes.marks} == {
                unit: text for (of, unit), text in self.state.marks.items() if of == episode
            }
            for rubric in RUBRICS:
                opened = fresh.open(episode, rubric, 2)
                key = (episode, rubric.name)
                assert (opened.saved.annotation.reasoning if opened.saved else None) == self.state.records.get(key)
                draft = self.state.drafts.get(key)
                kept = draft[1] if draft and draft[1] != self.state.records.get(key, "") else None
                assert (opened.kept.reasoning if opened.kept else None) == kept


Annotating.TestCase.settings = settings(
    max_examples=20, stateful_step_count=30, suppress_health_check=list(HealthCheck)
)
TestAnnotating = Annotating.TestCase


def test_a_draft_that_changed_nothing_is_taken_back_with_what_was_typed_next() -> None:
    machine = Annotating()
    try:
        run = {"episode": "e1", "rubric": RUBRICS[1]}
        machine.submit(**run)
        machine.submit(**run)
        machine.undo(times=1)
        machine.type(**run)
        for _ in range(3):
            machine.the_store_says_what_the_model_says()
            machine.undo(times=1)
        assert machine.state == State()
    finally:
        machine.teardown()
