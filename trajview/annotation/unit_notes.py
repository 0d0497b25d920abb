"""Scores and notes on single action units, and marks: a record of our own beside the annotation, one per episode.

`<root>/units/<annotator>/<pk>.json` is an object with `pk`, `episode`, `annotator_id`, `units` (a list of objects with
`transcript`, `unit`, `scores`, `note`) and `marks` (`transcript`, `unit`, `note`); both indices count from 0. What else
is in it is left as it is. A note that someone else changed is never overwritten unasked.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from trajview.atomic import make_folder, refusal, write_atomically
from trajview.errors import AnnotationError, Problem, Where

from .draft import loadable
from .journal import Journal, file_name
from .records import bytes_of, pk_of

__all__ = ["Mark", "NoteChangedOnDisk", "UnitFolder", "UnitNote", "UnitNotes"]

Kind = Literal["units", "marks"]
Item = dict[str, Any]
Place = tuple[Kind, int, int]
"""The kind (note or mark), the transcript, and the unit."""

_WHAT = "The note was not saved"


@dataclass(frozen=True, slots=True)
class UnitNote:
    """The annotation of an action unit: scores by dimension, and a note. Indices count from 0."""

    transcript: int
    unit: int
    scores: Mapping[str, float] = field(default_factory=dict)
    note: str = ""

    @property
    def empty(self) -> bool:
        """Whether nothing is rated and nothing written."""
        return not self.scores and not self.note.strip()


@dataclass(frozen=True, slots=True)
class Mark:
    """An action unit that was marked by hand, and why."""

    transcript: int
    unit: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class UnitNotes:
    """All of an annotator's notes and marks on an episode, in the order of the units."""

    episode: str
    units: tuple[UnitNote, ...] = ()
    marks: tuple[Mark, ...] = ()

    def without(self, places: Collection[Place]) -> UnitNotes:
        """The notes and marks without those on some units."""
        return replace(
            self,
            units=tuple(each for each in self.units if ("units", each.transcript, each.unit) not in places),
            marks=tuple(each for each in self.marks if ("marks", each.transcript, each.unit) not in places),
        )

    def differ_from(self, others: UnitNotes) -> bool:
        """Whether the others say something else about a unit that these are about."""
        notes = ((each, others.note_on(each.transcript, each.unit)) for each in self.units)
        marks = ((each, others.mark_on(each.transcript, each.unit)) for each in self.marks)
        return any(there not in (None, each) for each, there in (*notes, *marks))

    def note_on(self, transcript: int, unit: int) -> UnitNote | None:
        """The note on a unit, None where there is none."""
        return next((note for note in self.units if (note.transcript, note.unit) == (transcript, unit)), None)

    def mark_on(self, transcript: int, unit: int) -> Mark | None:
        """The mark on a unit, None where there is none."""
        return next((mark for mark in self.marks if (mark.transcript, mark.unit) == (transcript, unit)), None)


class NoteChangedOnDisk(AnnotationError):
    """A note has changed since it was read: `theirs` is the new one, None where it is gone."""

    title = "Changed by someone else"

    def __init__(self, path: Path, theirs: UnitNote | Mark | None, what: str = _WHAT) -> None:
        happened = "was taken away" if theirs is None else "was changed"
        super().__init__(
            f"{what}: what is on this unit {happened} by another program since it was opened.",
            hint="look at it again, then say what it should be",
            where=Where(path),
        )
        self.theirs = theirs


class UnitFolder:
    """The notes and marks of one annotator in a store. Safe to use from several threads."""

    def __init__(self, root: Path, annotator: str, journal: Journal) -> None:
        self.annotator = annotator
        self.folder = root / "units" / file_name(annotator)
        self.journal = journal
        self.problem: Problem | None = None
        """Why the journal misses a note, if it does; the note itself is saved."""
        self._known: dict[tuple[str, Kind, int, int], Item | None] = {}
        self._lock = threading.RLock()

    def path_of(self, episode: str) -> Path:
        """The file of an episode's notes."""
        return self.folder / f"{pk_of(episode, self.annotator, 'units')}.json"

    def read(self, episode: str) -> UnitNotes:
        """The notes and marks on an episode; from now on, saving knows what it replaces.

        Raises AnnotationError where the file cannot be read or is no record of notes.
        """
        with self._lock:
            record = self._load(episode)
            for known in [key for key in self._known if key[0] == episode]:
                del self._known[known]
            for kind in ("units", "marks"):
                for item in record[kind]:
                    place = _place(item)
                    if place is not None:  # Of several on one unit, written by hand, the first is shown and changed.
                        self._known.setdefault((episode, kind, *place), item)
            return _notes(record, episode)

    def marked(self) -> tuple[list[UnitNotes], list[Problem]]:
        """The notes on all episodes that have a mark, and the problems of files that cannot be read.

        It does not count as a look at them.
        """
        found, problems = [], []
        for path in sorted(self.folder.glob("*.json")):
            try:
                record = _record_in(path)
            except AnnotationError as error:
                problems.append(error.problem())
            else:
                if record is not None and record["marks"]:
                    found.append(_notes(record))
        return found, problems

    def save_note(
        self, episode: str, rubric: str, note: UnitNote, *, overwrite: bool = False, beginning: str = ""
    ) -> None:
        """Save a note; an empty one removes the saved one. Durable when this returns.

        `beginning`: how the run begins that it is about (see `other_run`).

        Raises NoteChangedOnDisk where the note is not as it was read, unless `overwrite`; AnnotationError where it
        cannot be saved, and then the old one is as it was.
        """
        scores = {loadable(name): float(score) for name, score in note.scores.items() if math.isfinite(score)}
        item = None if note.empty else {"scores": scores, "note": loadable(note.note)}
        self._save(episode, rubric, "units", (note.transcript, note.unit), item, overwrite, beginning)

    def set_mark(
        self, episode: str, transcript: int, unit: int, on: bool, note: str = "", *, beginning: str = ""
    ) -> None:
        """Mark a unit, or take its mark away. Raises as `save_note` does."""
        item = {"note": loadable(note)} if on else None
        self._save(episode, "", "marks", (transcript, unit), item, True, beginning)

    def places(self, episode: str) -> set[Place]:
        """The places with notes or marks, without counting as a look at them. Raises as `read` does."""
        with self._lock:
            record = self._load(episode)
        kinds: tuple[Kind, ...] = ("units", "marks")
        return {(kind, *place) for kind in kinds for item in record[kind] if (place := _place(item)) is not None}

    def move(self, notes: UnitNotes, rubric: str, to: str) -> None:
        """Move the notes and marks of an episode to another name. Raises AnnotationError.

        What is there under that name makes way only where it is about the same unit.
        """
        with self._lock:
            for note in notes.units:
                self.save_note(to, rubric, note, overwrite=True)
            for mark in notes.marks:
                self.set_mark(to, mark.transcript, mark.unit, True, mark.note)
            for note in notes.units:
                self.save_note(notes.episode, rubric, UnitNote(note.transcript, note.unit), overwrite=True)
            for mark in notes.marks:
                self.set_mark(notes.episode, mark.transcript, mark.unit, False)

    def _save(
        self,
        episode: str,
        rubric: str,
        kind: Kind,
        place: tuple[int, int],
        item: Item | None,
        overwrite: bool,
        beginning: str,
    ) -> None:
        with self._lock, self.journal.locked(_WHAT):
            before = self._replace(episode, kind, place, item, overwrite)
            if _content_of(before) == _content_of(item):
                return
            event = "unit" if kind == "units" else "unmark" if item is None else "mark"
            try:
                self.journal.write(
                    event,
                    episode,
                    rubric,
                    transcript=place[0],
                    unit=place[1],
                    **(item or {}),
                    before=before,
                    **({"beginning": beginning} if beginning else {}),
                )
                self.problem = None
            except AnnotationError as error:  # The note is safe; it only cannot be taken back.
                self.problem = error.problem()

    def _replace(
        self, episode: str, kind: Kind, place: tuple[int, int], item: Item | None, overwrite: bool
    ) -> Item | None:
        """Replace an item, and return the one that was there."""
        path, record = self.path_of(episode), self._load(episode)
        before = next((old for old in record[kind] if _place(old) == place), None)
        known = self._known.get((episode, kind, *place))
        if not overwrite and _content_of(before) not in (_content_of(known), _content_of(item)):
            raise NoteChangedOnDisk(path, _shown(kind, before))
        self._put(path, record, kind, place, item)
        if item is None:
            self._known.pop((episode, kind, *place), None)
        else:
            self._known[episode, kind, *place] = item
        return before

    def _put(self, path: Path, record: Item, kind: Kind, place: tuple[int, int], item: Item | None) -> None:
        kept = list(record[kind])
        before = next((old for old in kept if _place(old) == place), None)
        if before is not None:
            kept.remove(before)
        if item is not None:  # Other keys in it stay.
            more = {key: value for key, value in (before or {}).items() if key not in ("scores", "note")}
            kept.insert(0, {"transcript": place[0], "unit": place[1], **more, **item})
        kept.sort(key=lambda old: _place(old) or (1 << 62, 0))
        text = json.dumps({**record, kind: kept}, indent=2)
        try:
            if not self.folder.is_dir():
                make_folder(self.folder)
            write_atomically(path, text.encode("ascii"))
        except OSError as error:
            raise refusal(error, path, _WHAT) from error

    def _load(self, episode: str) -> Item:
        """The record as it is on disk, an empty one where there is none."""
        path = self.path_of(episode)
        return _record_in(path) or {
            "pk": path.stem,
            "episode": loadable(episode),
            "annotator_id": loadable(self.annotator),
            "units": [],
            "marks": [],
        }

    # Undo and redo

    def turn(self, episode: str, event: str, body: Mapping[str, Any], back: bool, what: str) -> None:
        """Undo (or, with `back` False, redo) the change of a note or mark by an event.

        Raises NoteChangedOnDisk where it is not what the event left, AnnotationError where it cannot be written.
        """
        place = _place(body)
        if place is None:
            return
        kind: Kind = "units" if event == "unit" else "marks"
        before = body.get("before")
        earlier: Item | None = before if isinstance(before, dict) else None
        later: Item | None = {key: body[key] for key in ("scores", "note") if key in body} or None
        if event == "unmark":
            later = None
        wanted, there = (earlier, later) if back else (later, earlier)
        with self._lock:
            path, record = self.path_of(episode), self._load(episode)
            now = next((old for old in record[kind] if _place(old) == place), None)
            if _content_of(now) == _content_of(wanted):
                return
            if _content_of(now) != _content_of(there):
                raise NoteChangedOnDisk(path, _shown(kind, now), what)
            wanted = (
                {key: value for key, value in wanted.items() if key not in ("transcript", "unit")} if wanted else None
            )
            self._put(path, record, kind, place, wanted)
            self._known[episode, kind, *place] = wanted


def _record_in(path: Path) -> Item | None:
    """The record in a file, None where there is none. Raises AnnotationError for a file that cannot be read or is none."""
    data = bytes_of(path)
    if data is None:
        return None
    try:
        record = json.loads(data)
    except (ValueError, RecursionError):
        record = None
    lists = record if isinstance(record, dict) else {"units": None}
    if not all(isinstance(lists.get(kind, []), list) for kind in ("units", "marks")):
        raise AnnotationError(
            "The notes on this run could not be read: their file is no record of notes.",
            title="Notes not loaded",
            hint="mend the file or move it away",
            where=Where(path),
        )
    return {**lists, "units": lists.get("units", []), "marks": lists.get("marks", [])}


def _notes(record: Item, episode: str = "") -> UnitNotes:
    """The notes and marks in a record; `episode` names it where its own name had to be changed for the file."""
    return UnitNotes(
        episode or _text(record.get("episode")),
        tuple(sorted((_note(i) for i in record["units"] if _place(i)), key=lambda n: (n.transcript, n.unit))),
        tuple(sorted((_mark(i) for i in record["marks"] if _place(i)), key=lambda m: (m.transcript, m.unit))),
    )


def _place(item: object) -> tuple[int, int] | None:
    """The unit that an item of a record is about, None where it does not say."""
    if not isinstance(item, Mapping):
        return None
    transcript, unit = item.get("transcript"), item.get("unit")
    if type(transcript) is int and type(unit) is int and transcript >= 0 and unit >= 0:
        return transcript, unit
    return None


def _content_of(item: Item | None) -> object:
    """The content of an item, for comparing two."""
    if item is None:
        return None
    return _scores(item), _text(item.get("note"))


def _scores(item: Mapping[str, Any]) -> dict[str, float]:
    scores = item.get("scores")
    found: dict[str, float] = {}
    for name, score in scores.items() if isinstance(scores, dict) else ():
        if isinstance(score, int | float) and not isinstance(score, bool) and abs(score) < 1e15:  # No NaN either.
            found[name] = float(score)
    return found


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _note(item: Mapping[str, Any]) -> UnitNote:
    return UnitNote(item["transcript"], item["unit"], _scores(item), _text(item.get("note")))


def _mark(item: Mapping[str, Any]) -> Mark:
    return Mark(item["transcript"], item["unit"], _text(item.get("note")))


def _shown(kind: Kind, item: Item | None) -> UnitNote | Mark | None:
    return None if item is None else _note(item) if kind == "units" else _mark(item)
