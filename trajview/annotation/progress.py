"""The progress of each episode, replayed from the events of a journal one by one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeVar

import msgspec

from .events import Entry
from .flag import FLAG

__all__ = ["CHANGES", "Ledger", "Progress", "State", "status_text"]

K = TypeVar("K")

State = Literal["not started", "draft", "submitted", "skipped"]

DRAFTS = frozenset({"draft", "discard"})
RUNS = frozenset({"same", "apart"})
_DECISIONS = frozenset({"skip", "unskip", "flag", "unflag"})
_OF_UNITS = frozenset({"unit", "mark", "unmark"})
CHANGES = frozenset({*DRAFTS, "submit", *_DECISIONS, *_OF_UNITS})
"""Events that can be taken back. `reveal`, `time`, `same` and `apart` are facts, `undo` and `redo` are about these."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of one annotator with an episode. Flags and skips are independent of what was typed."""

    state: State = "not started"
    flagged: bool = False
    reason: str = ""
    """Why it was skipped, or else why it was flagged."""
    seconds: float = 0.0
    """Active time, without idle time."""
    submitted_at: datetime | None = None
    changed_at: datetime | None = None
    """The time of the newest event in the journal."""
    revealed: tuple[str, ...] = ()
    """The things that were revealed of an episode that is annotated blind."""


def status_text(progress: Progress) -> str:
    """The status for a column: `annotated`, `draft ⚑`; empty where there is nothing to say."""
    state = {"not started": "", "submitted": "annotated"}.get(progress.state, progress.state)
    return f"{state or 'flagged'} {FLAG}" if progress.flagged else state


class _Change(msgspec.Struct, gc=False):
    """An event that can be undone, with the state before it."""

    entry: Entry
    had: Entry | None = None
    """The draft, skip or flag before it."""
    was: Entry | None = None
    """The submission before it."""


@dataclass(slots=True)
class Ledger:
    """The state after all events so far. The order is the file's: clocks go backwards, files do not."""

    drafts: dict[tuple[str, str], Entry] = field(default_factory=dict)
    """Work that was neither submitted nor discarded, by (episode, rubric), the newest last."""
    submits: dict[str, Entry] = field(default_factory=dict)
    """The newest submission of each episode, whatever the rubric."""
    skips: dict[str, Entry] = field(default_factory=dict)
    flags: dict[str, Entry] = field(default_factory=dict)
    awaiting: dict[tuple[str, str], Entry] = field(default_factory=dict)
    """Drafts that were about to become a record, and whose submission is not in the journal."""
    seconds: dict[str, float] = field(default_factory=dict)
    revealed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    runs: dict[tuple[str, str], Entry] = field(default_factory=dict)
    """The newest `same` or `apart` event of an episode, by (episode, rubric)."""
    notes: dict[str, dict[str, Entry]] = field(default_factory=dict)
    """The newest event on a unit of each episode, for each beginning of a run that it is about, the newest last."""
    newest: dict[str, Entry] = field(default_factory=dict)
    """The newest event of each episode."""
    entries: dict[str, Entry] = field(default_factory=dict)
    """All events by id, oldest first, those of later versions too."""
    done: list[_Change] = field(default_factory=list)
    undone: list[tuple[Entry, ...]] = field(default_factory=list)

    def take(self, entry: Entry) -> None:
        """Add the next event. A known one, such as a line first seen without its end, changes nothing."""
        if entry.id in self.entries:
            return
        self.entries[entry.id] = entry
        self.newest[entry.episode] = entry
        kind = entry.kind
        if kind in CHANGES:
            self._do(entry)
            self.undone.clear()
            if kind in _OF_UNITS:
                notes = self.notes.setdefault(entry.episode, {})
                notes.pop(entry.beginning, None)
                notes[entry.beginning] = entry
        elif kind == "undo":
            self._undo(entry.of)
        elif kind == "redo":
            self._redo(entry.of)
        elif kind in RUNS:
            self.runs[entry.key] = entry
        elif kind == "time":
            self.seconds[entry.episode] = self.seconds.get(entry.episode, 0.0) + entry.seconds
        elif kind == "reveal" and entry.what not in self.revealed.get(entry.episode, ()):
            self.revealed[entry.episode] = (*self.revealed.get(entry.episode, ()), entry.what)

    def episodes(self) -> Iterable[str]:
        """Every episode that an event is about."""
        return self.newest.keys()

    # Applying and undoing events

    def _do(self, entry: Entry) -> None:
        key, episode, kind = entry.key, entry.episode, entry.kind
        change = _Change(entry)  # A unit's old note is in its event, and in the record of the notes.
        if _is_text(entry):
            change.had, change.was = self.drafts.pop(key, None), self.submits.get(episode)
            self.awaiting.pop(key, None)
            if kind == "draft":
                self.drafts[key] = entry
                if entry.file:
                    self.awaiting[key] = entry
            elif kind == "submit":
                self.submits[episode] = entry
        elif kind in _DECISIONS:
            of = self._decisions(kind)
            change.had = of.pop(episode, None)
            if kind in ("skip", "flag"):
                of[episode] = entry
        self.done.append(change)

    def _decisions(self, kind: str) -> dict[str, Entry]:
        return self.skips if kind in ("skip", "unskip") else self.flags

    def _undo(self, of: tuple[str, ...]) -> None:
        """Take back changes: the newest, or others where two histories were merged, as if they had never been.

        What is not there, or was taken back before, is passed over.
        """
        wanted = set(of)
        place = len(self.done)
        taken: list[_Change] = []
        while wanted and place:
            place -= 1
            if self.done[place].entry.id in wanted:
                wanted.remove(self.done[place].entry.id)
                taken.append(self.done.pop(place))
                self._restore(taken[-1], self.done[place:])
        if taken:
            self.undone.append(tuple(change.entry for change in reversed(taken)))

    def _restore(self, change: _Change, later: list[_Change]) -> None:
        """Restore the state before a change, or make it the state before the next change of the same thing."""
        entry = change.entry
        if entry.kind in _DECISIONS:
            of = self._decisions(entry.kind)
            following = [
                each for each in later if each.entry.kind in _DECISIONS and each.entry.episode == entry.episode
            ]
            after = next((each for each in following if self._decisions(each.entry.kind) is of), None)
            if after is not None:
                after.had = change.had
            else:
                _put(of, entry.episode, change.had)
        elif _is_text(entry):
            after = next((each for each in later if each.entry.key == entry.key and _is_text(each.entry)), None)
            if after is not None:
                after.had = change.had
            else:
                self.awaiting.pop(entry.key, None)
                _put(self.drafts, entry.key, change.had)
            for each in later:
                if each.was is entry:
                    each.was = change.was
            if self.submits.get(entry.episode) is entry:
                _put(self.submits, entry.episode, change.was)

    def _redo(self, of: tuple[str, ...]) -> None:
        if not self.undone or tuple(entry.id for entry in self.undone[-1]) != of:
            return
        for entry in self.undone.pop():
            self._do(entry)
            self.awaiting.pop(entry.key, None)

    # Looking

    def progress(self, episode: str, submitted: datetime | None, drafts: Iterable[Entry]) -> Progress:
        """The progress of one episode.

        `submitted` is when its record was written, None for no record; `drafts` are its unsaved work.
        """
        skip, flag = self.skips.get(episode), self.flags.get(episode)
        drafts = list(drafts)
        submit = self.submits.get(episode)
        newer = max((entry.number for entry in (*drafts, *([submit] if submit else []))), default=0)
        if skip is not None and skip.number > newer:
            state: State = "skipped"
        elif drafts:
            state = "draft"
        else:
            state = "not started" if submitted is None else "submitted"
        newest = self.newest.get(episode)
        reason = skip.reason if skip is not None and state == "skipped" else flag.reason if flag else ""
        return Progress(
            state,
            flag is not None,
            reason,
            self.seconds.get(episode, 0.0),
            submitted,
            newest.at if newest else None,
            self.revealed.get(episode, ()),
        )


def _is_text(entry: Entry) -> bool:
    return entry.kind in DRAFTS or entry.kind == "submit"


def _put(of: dict[K, Entry], key: K, entry: Entry | None) -> None:
    of.pop(key, None)  # So that the newest comes last.
    if entry is not None:
        of[key] = entry
