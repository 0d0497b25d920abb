"""Another run under a known name: a log was rotated or replaced, and the annotation is about the run before it.

What is typed and what is submitted say how the run began that they are about. Where the run that is there now begins
otherwise, they are shown for its own only if the annotator says so; else they are kept apart, under a name of their own.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from trajview.errors import AnnotationError
from trajview.models.beginning import differs_at

from .records import bytes_of, pk_of, version_of, with_others

if TYPE_CHECKING:
    from .draft import Draft
    from .events import Entry
    from .progress import Ledger
    from .records import Saved
    from .rubric import Rubric
    from .store import AnnotationStore
    from .unit_notes import Place, UnitNotes

__all__ = ["Standing", "notes_differ", "put_aside", "standing", "take_for_same"]

_WHAT = "What was said of the other run was not kept apart"


@dataclass(frozen=True, slots=True)
class Standing:
    """The messages from which the run that is there now differs from the one that draft, record and notes are about.

    None where that is the same run, as far as can be told. `draft_about` and so on: how theirs began.
    """

    draft: int | None = None
    record: int | None = None
    notes: int | None = None
    draft_about: str = ""
    record_about: str = ""
    notes_about: str = ""
    apart: bool = False
    """Whether the annotator has begun anew with the run that is there now: the record is known not to be about it."""

    @property
    def afresh(self) -> bool:
        """Whether the record does not count for the run that is there now, as the annotator has said."""
        return self.record is not None and self.draft is None and self.apart

    @property
    def asks(self) -> int | None:
        """The message from which the run differs, where the annotator has to decide about the work."""
        if self.draft is not None:
            return self.draft
        return self.record if self.record is not None and not self.apart else self.notes


def notes_differ(store: AnnotationStore, episode: str, beginning: str) -> tuple[int | None, str]:
    """The message from which the run differs that unit notes and marks are about, and how that run began."""
    said = _newest_ruling(store, episode)
    newest = [_about(entry, said) for entry in store.journal.ledger.notes.get(episode, {}).values()]
    if any(differs_at(about, beginning) is not None for about in newest):
        places = store.units.places(episode)
        for place, about in reversed(_abouts(store, episode).items()):
            if place in places and (differs := differs_at(about, beginning)) is not None:
                return differs, about
    return None, newest[-1] if newest else ""


def _newest_ruling(store: AnnotationStore, episode: str) -> Entry | None:
    runs = store.journal.ledger.runs
    return max((each for key, each in runs.items() if key[0] == episode), default=None, key=_number)


def _abouts(store: AnnotationStore, episode: str) -> dict[Place, str]:
    """How the runs began that the last events on each unit are about, the newest last."""
    abouts: dict[Place, str] = {}
    said = _newest_ruling(store, episode)
    for entry in store.journal.ledger.entries.values():
        if entry.episode == episode and entry.kind in ("unit", "mark", "unmark"):
            body = store.journal.body(entry)
            transcript, unit = body.get("transcript"), body.get("unit")
            if isinstance(transcript, int) and isinstance(unit, int):
                place: Place = ("units" if entry.kind == "unit" else "marks", transcript, unit)
                abouts.pop(place, None)
                abouts[place] = _about(entry, said)
    return abouts


def _number(entry: Entry) -> int:
    return entry.number


def standing(store: AnnotationStore, key: tuple[str, str], kept: bool, saved: bool, beginning: str) -> Standing:
    """Compare a run that begins in a given way with the one that draft, record and notes are about.

    Args:
        kept: Whether there is a draft.
        saved: Whether there is a record.

    Raises AnnotationError.
    """
    ledger = store.journal.ledger
    said = ledger.runs.get(key)
    draft = ledger.drafts.get(key) if kept else None
    submit = _submit(ledger, key) if saved else None
    draft_about, record_about = _about(draft, said), _about(submit, said)
    differs = differs_at(draft_about, beginning)
    begun = draft is not None and bool(draft_about) and differs is None
    if said is not None and said.kind == "apart" and (submit is None or said.number > submit.number):
        begun = begun or (bool(beginning) and differs_at(said.beginning, beginning) is None)
    notes, notes_about = notes_differ(store, key[0], beginning)
    record = differs_at(record_about, beginning)
    return Standing(differs, record, notes, draft_about, record_about, notes_about, begun)


def _submit(ledger: Ledger, key: tuple[str, str]) -> Entry | None:
    """The newest submission by a rubric."""
    newest = ledger.submits.get(key[0])
    if newest is None or newest.key == key:
        return newest
    submits = (entry for entry in reversed(ledger.entries.values()) if entry.kind == "submit" and entry.key == key)
    return next(submits, None)


def _about(entry: Entry | None, said: Entry | None) -> str:
    """How the run began that an event is about, or was later said to be about."""
    if entry is None:
        return ""
    later = said is not None and said.kind == "same" and said.number > entry.number
    return said.beginning if said is not None and later else entry.beginning


def take_for_same(store: AnnotationStore, episode: str, rubric: Rubric, beginning: str) -> None:
    """Declare that the work under a name is about the run that is there now as well. Raises AnnotationError."""
    store.journal.write("same", episode, rubric.name, beginning=beginning)


def put_aside(store: AnnotationStore, episode: str, rubric: Rubric, beginning: str) -> list[str]:
    """Move work on another run to names of its own, and return these names.

    A record is copied, and stays until another takes its place; a draft moves, and so does what is said of action units,
    but for those of which something was said with the run that is there now. It is all in the journal. Raises
    AnnotationError where something could not be kept; nothing was taken away then that is not kept under its new name.
    """
    with store.exclusive(_WHAT):
        kept = store.journal.latest_draft(episode, rubric.name)
        saved = store.find(episode, rubric)
        found = standing(store, (episode, rubric.name), kept is not None, saved is not None, beginning)
        saved = saved if found.record is not None else None
        draft = kept if found.draft is not None else None
        stay = {
            place for place, about in _abouts(store, episode).items() if about and differs_at(about, beginning) is None
        }
        notes = store.unit_notes(episode).without(stay)
        names: list[str] = []
        copies: dict[str, str | None] = {}
        if saved is not None:
            alone = draft is not None and found.draft_about != found.record_about
            goes = _Moved(saved) if alone else _Moved(saved, draft, notes)
            names.append(_name(store, episode, rubric, found.record_about, goes))
            copies[names[0]] = _copy(store, names[0], episode, rubric, saved)
        if draft is not None:
            if saved is None or found.draft_about != found.record_about:
                names.append(_name(store, episode, rubric, found.draft_about, _Moved(None, draft, notes)))
            store.journal.append("draft", replace(draft, episode=names[-1], base=copies.get(names[-1])))
            store.journal.append("discard", draft)
        if found.notes is not None and not names:
            names.append(_name(store, episode, rubric, found.notes_about, _Moved(None, None, notes)))
        if names:
            store.units.move(notes, rubric.name, names[-1])
        store.journal.write("apart", episode, rubric.name, beginning=beginning, to=names)
        return names


def _named(episode: str, about: str) -> str:
    """The name for a run that was known by the name of another one."""
    return f"{episode}@{blake2b(about.encode('utf-8', 'surrogatepass'), digest_size=4).hexdigest()}"


class _Moved(NamedTuple):
    """Work that is to be kept under another name."""

    saved: Saved | None = None
    draft: Draft | None = None
    notes: UnitNotes | None = None


def _name(store: AnnotationStore, episode: str, rubric: Rubric, about: str, goes: _Moved) -> str:
    """A name that is free for this work, or already has the same."""
    first = name = _named(episode, about)
    number = 1
    while _is_taken(store, name, rubric, goes):
        number += 1
        name = f"{first}-{number}"
    return name


def _is_taken(store: AnnotationStore, name: str, rubric: Rubric, goes: _Moved) -> bool:
    there = store.load(name, rubric) if goes.saved is not None else None
    if goes.saved is not None and there is not None:
        own = goes.saved.annotation
        if (there.rewards, there.reasoning) != (own.rewards, own.reasoning):
            return True
    typed = store.journal.latest_draft(name, rubric.name) if goes.draft is not None else None
    if goes.draft is not None and typed is not None and typed.says() != goes.draft.says():
        return True
    return goes.notes is not None and goes.notes.differ_from(store.unit_notes(name))


def _copy(store: AnnotationStore, name: str, episode: str, rubric: Rubric, saved: Saved) -> str | None:
    """Write a record under another name; gives its version."""
    path = store.folder / f"{pk_of(name, store.annotator, rubric.name)}.json"
    store.may_hold(name, _WHAT)
    record = store.record(name, rubric, saved.annotation.rewards, saved.annotation.reasoning)
    data = with_others(record, bytes_of(saved.path))
    if bytes_of(path) != data:
        store.files.write(path, data, _WHAT)
        with suppress(AnnotationError):  # The record is safe; only its history lacks a line.
            store.journal.write(
                "import", name, rubric.name, pk=path.stem, version=version_of(data), by=store.annotator, source=episode
            )
    return version_of(data)
