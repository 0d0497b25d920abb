"""Undo and redo of an annotator's changes, across episodes, programs and restarts.

What can be taken back is in the journal, and so is what was taken back: `undo` and `redo` are events themselves. The
order of the two writes, record and journal, is such that at every moment one of them has what was typed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trajview.errors import AnnotationError, Where

from .draft import Draft
from .events import Entry
from .progress import DRAFTS
from .records import ChangedOnDisk, bytes_of, record_from, record_or_none, version_of

if TYPE_CHECKING:
    from .journal import Journal
    from .store import AnnotationStore

__all__ = ["Undone", "changed_fields", "fields_text", "group_of", "named", "redo", "undo"]

Fields = frozenset[tuple[str, int, str]]
"""Fields of the panel: (`value`, agent from 0, dimension), (`rationale`, agent, dimension), (`reasoning`, 0, "")."""

PAUSE = 2.0
"""Seconds without a key after which more typing in the same field is a step of its own."""

LONGEST = 20.0
"""Seconds of typing that are undone at once at most."""


@dataclass(frozen=True, slots=True)
class Undone:
    """A change that was undone or redone: its episode and rubric (empty where none matters), and a sentence."""

    episode: str
    rubric: str
    said: str
    kind: str
    """The event: `draft`, `submit`, `skip`, …"""


@dataclass(frozen=True, slots=True)
class _Copy:
    """The journal's copy of a submitted record: its file's name, and the bytes before and after."""

    file: str
    before: bytes | None
    after: bytes


def undo(store: AnnotationStore) -> Undone | None:
    """Undo the newest change, None where there is none.

    Raises ChangedOnDisk or NoteChangedOnDisk where someone else changed since what it would put back, AnnotationError
    where it cannot be written; then nothing happened.
    """
    journal, what = store.journal, "It was not undone"
    with store.exclusive(what):
        ledger = journal.ledger
        if ledger.undone and ledger.undone[-1][-1].kind == "submit":
            last = ledger.undone[-1][-1]
            copy = _copy_of(store, last)
            draft = ledger.drafts.get(last.key)
            if copy and copy.before != copy.after and draft and draft.id in last.of and _now(store, copy) == copy.after:
                # An undo was cut off after its line in the journal: finish it now.
                _put(store, last, copy, copy.before, what)
                return Undone(last.episode, last.rubric, "took back the submission", last.kind)
        if not ledger.done:
            return None
        group, fields = group_of(journal, [change.entry for change in ledger.done])
        entry = group[-1]
        ids = [each.id for each in group]
        if entry.kind == "submit":
            copy = _copy_of(store, entry)
            if copy is None:
                raise _no_copy(store)
            _check(store, copy, there=copy.after, wanted=copy.before, what=what)
            journal.add("undo", entry.episode, entry.rubric, {"of": ids}, what)
            try:
                _put(store, entry, copy, copy.before, what)
            except AnnotationError:
                if _now(store, copy) != copy.before:
                    with suppress(AnnotationError):  # Else the next undo finishes this one.
                        journal.add("redo", entry.episode, entry.rubric, {"of": ids}, what)
                    raise
                # It is done, only the folder could not be synced: should power fail now, the next undo finishes it.
                store.knows(entry.episode, entry.rubric, store.folder / copy.file, version_of(copy.before))
        else:
            _restore_unit(store, entry, back=True, what=what)
            try:
                journal.add("undo", entry.episode, entry.rubric, {"of": ids}, what)
            except AnnotationError:
                with suppress(AnnotationError):
                    _restore_unit(store, entry, back=False, what=what)
                raise
        return Undone(entry.episode, entry.rubric, f"took back {named(journal, entry, fields)}", entry.kind)


def redo(store: AnnotationStore) -> Undone | None:
    """Redo what was undone last, None where there is nothing, or something else was done since.

    Raises as `undo` does.
    """
    journal, what = store.journal, "It was not done again"
    with store.exclusive(what):
        ledger = journal.ledger
        if not ledger.undone:
            return None
        group = ledger.undone[-1]
        entry = group[-1]
        copy = _copy_of(store, entry) if entry.kind == "submit" else None
        if copy is not None:
            _check(store, copy, there=copy.before, wanted=copy.after, what=what)
            _put(store, entry, copy, copy.after, what)
        elif entry.kind == "submit":
            raise _no_copy(store)
        _restore_unit(store, entry, back=False, what=what)
        _, fields = group_of(journal, [*(change.entry for change in ledger.done), *group])
        try:
            journal.add("redo", entry.episode, entry.rubric, {"of": [each.id for each in group]}, what)
        except AnnotationError:
            with suppress(AnnotationError):
                _restore_unit(store, entry, back=True, what=what)
                if copy is not None:
                    _put(store, entry, copy, copy.before, what)
            raise
        return Undone(entry.episode, entry.rubric, f"did again {named(journal, entry, fields)}", entry.kind)


def _restore_unit(store: AnnotationStore, entry: Entry, *, back: bool, what: str) -> None:
    """Restore a unit's note or mark to its state before (or after) an event; other events do nothing."""
    if entry.kind in ("unit", "mark", "unmark"):
        store.units.turn(entry.episode, entry.kind, store.journal.body(entry), back=back, what=what)


# Records


def _copy_of(store: AnnotationStore, submit: Entry) -> _Copy | None:
    """The journal's copy of a submission's record, None where it has none."""
    journal = store.journal
    begun = journal.ledger.entries.get(submit.of[0]) if submit.of else submit
    record = journal.body(begun).get("record") if begun else None
    if not isinstance(record, Mapping):
        return None
    file, before, after = record.get("file"), record.get("before"), record.get("after")
    if not (isinstance(file, str) and isinstance(after, str) and isinstance(before, str | None)):
        return None
    if store.files.named(file) is None:
        return None
    try:
        return _Copy(file, None if before is None else before.encode("utf-8", "surrogateescape"), after.encode("ascii"))
    except UnicodeEncodeError:
        return None


def _no_copy(store: AnnotationStore) -> AnnotationError:
    return AnnotationError(
        "The submission cannot be taken back: the journal has no copy of the record before it.",
        hint="open the run and change it by hand",
        where=Where(store.journal.path),
        title="Not undone",
    )


def _now(store: AnnotationStore, copy: _Copy) -> bytes | None:
    path = store.files.named(copy.file)
    return None if path is None else bytes_of(path)


def _check(store: AnnotationStore, copy: _Copy, there: bytes | None, wanted: bytes | None, what: str) -> None:
    """Check that a record is as we left it, or already as it is to be. Raises ChangedOnDisk."""
    path, now = store.folder / copy.file, _now(store, copy)
    if now not in (there, wanted):
        raise ChangedOnDisk(
            path,
            record_from(copy.after, path),
            record_or_none(now, path),
            gone=now is None,
            what=what,
            hint="open the run to see what is there now",
        )


def _put(store: AnnotationStore, entry: Entry, copy: _Copy, data: bytes | None, what: str) -> None:
    path = store.files.named(copy.file)
    if path is None:
        raise _no_copy(store)
    if bytes_of(path) != data:
        store.files.write(path, data, what)
    store.knows(entry.episode, entry.rubric, path, version_of(data))


# Which edits belong together


def changed_fields(before: Draft, after: Draft) -> Fields:
    """The fields in which two drafts differ."""
    fields: set[tuple[str, int, str]] = set()
    if before.reasoning != after.reasoning:
        fields.add(("reasoning", 0, ""))
    for kind, old, new in (("value", before.values, after.values), ("rationale", before.rationales, after.rationales)):
        for agent in range(max(len(old), len(new))):
            was, now = old[agent] if agent < len(old) else {}, new[agent] if agent < len(new) else {}
            fields.update((kind, agent, name) for name in {*was, *now} if was.get(name, "") != now.get(name, ""))
    return frozenset(fields)


def group_of(journal: Journal, done: Sequence[Entry]) -> tuple[list[Entry], Fields]:
    """The newest changes that are undone at once, oldest first, and the fields that edits among them changed.

    Edits belong together while the same field is typed in without a pause; one that changes nothing, such as the draft
    that a submission begins with, belongs to the one before. All else is a step of its own.
    """
    place = len(done) - 1
    last = done[place]
    if last.kind not in DRAFTS:
        return [last], frozenset()
    fields = _step(journal, done, place)
    while place and done[place - 1].kind in DRAFTS and done[place - 1].key == last.key:
        first, before = done[place], done[place - 1]
        step = _step(journal, done, place - 1)
        if fields and step:
            belongs = (
                fields == step
                and before.program == first.program
                and _seconds_between(before, first) <= PAUSE
                and _seconds_between(before, last) <= LONGEST
            )
        else:  # A discarded draft restores the text before, and is a step of its own.
            belongs = before.kind == first.kind
        if not belongs:
            break
        fields = fields or step
        place -= 1
    return list(done[place:]), fields


def _step(journal: Journal, done: Sequence[Entry], place: int) -> Fields:
    """The fields that an edit changed, compared with the draft or submission before it in the same run."""
    entry = done[place]
    for earlier in range(place - 1, -1, -1):
        before = done[earlier]
        if before.key == entry.key and (before.kind in DRAFTS or before.kind == "submit"):
            return changed_fields(journal.draft(before), journal.draft(entry))
    return changed_fields(Draft(entry.episode, entry.rubric, ()), journal.draft(entry))


def _seconds_between(before: Entry, after: Entry) -> float:
    """Seconds between two events; for ever where the clock went backwards or a line does not say."""
    if before.at is None or after.at is None or after.at < before.at:
        return math.inf
    return (after.at - before.at).total_seconds()


# Descriptions


def named(journal: Journal, entry: Entry, fields: Fields) -> str:
    """The name of a change, as the object of a sentence: `goal of agent 1`, `the submission`."""
    kind = entry.kind
    if kind == "draft" and fields:
        return fields_text(fields)
    if kind in ("unit", "mark", "unmark"):
        unit = journal.body(entry).get("unit")
        return f"{_NAMES[kind]} unit {unit}" if isinstance(unit, int) else f"{_NAMES[kind]} a unit"
    return _NAMES.get(kind, kind)


_NAMES = {
    "draft": "what was typed",
    "discard": "giving up what was typed",
    "submit": "the submission",
    "skip": "the skip",
    "unskip": "the end of the skip",
    "flag": "the flag",
    "unflag": "taking the flag away",
    "unit": "the note on",
    "mark": "the mark on",
    "unmark": "taking away the mark on",
}


def fields_text(fields: Fields) -> str:
    """`goal of agent 1`, `2 scores and the reasoning`."""
    parts = []
    for kind, singular in (("value", "score"), ("rationale", "rationale")):
        found = sorted((agent, name) for of, agent, name in fields if of == kind)
        if len(found) == 1:
            agent, name = found[0]
            rationale = "the rationale for " if kind == "rationale" else ""
            parts.append(f"{rationale}{name.replace('_', ' ')} of agent {agent + 1}")
        elif found:
            parts.append(f"{len(found)} {singular}s")
    if any(kind == "reasoning" for kind, _, _ in fields):
        parts.append("the reasoning")
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts) or "nothing"
