"""Merging of one store into another: new files are copied, and contradictions are kept side by side and listed.

Nothing in the other store is changed, and nothing in this one is overwritten. Where both have a file and they differ,
ours stays where it is and theirs is put under `conflicts/`, in the same folders, with the version in its name. Merging
again changes nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trajview.atomic import make_folder, refusal, write_atomically
from trajview.errors import AnnotationError, Problem, Where

from .journal import Journal
from .records import bytes_of, record_from, version_of, with_others
from .sotopia_folder import stranger

__all__ = ["Merged", "joined", "merge_into", "to_settle"]

CONFLICTS = "conflicts"
"""The folder for conflicts. Its files end in `.json`, and only a person opens them."""

_RECORDS, _UNITS, _JOURNALS = "AnnotationForEpisode", "units", "journal"
_WHAT = "The stores were not merged"


@dataclass(slots=True)
class Merged:
    """The result of a merge: counts of new or longer files, and what a person must settle."""

    records: int = 0
    notes: int = 0
    journals: int = 0
    same: int = 0
    conflicts: list[Problem] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    """Files of the other store that were left there."""


def merge_into(
    ours: Path, theirs: Path, *, force: bool = False, along: Callable[[Sequence[Path]], Iterable[Path]] = iter
) -> Merged:
    """Merge the store `theirs` into the store `ours`, which is made if need be.

    `along` goes through the files, of each kind, and may say how far that is. `force` takes records of episodes that are not Sotopia's into its own data folder as well. Raises AnnotationError
    where a folder cannot be read or written; what was copied until then stays, and merging again goes on from there.
    """
    done = Merged()
    for path in along(_files(theirs / _RECORDS, "*.json")):
        _merge_record(path, ours, done, force)
    for path in along(_files(theirs / _UNITS, "*/*.json")):
        _merge_notes(path, ours / _UNITS / path.parent.name / path.name, ours, done)
    for path in along(_files(theirs / _JOURNALS, "*.jsonl")):
        _merge_journal(path, ours / _JOURNALS / path.name, done)
    for path in along(_files(theirs / CONFLICTS, "*/*.json", "*/*/*.json")):
        _take_conflicts(path, path.relative_to(theirs / CONFLICTS), ours, done)
    done.conflicts += _doubles(ours)
    return done


def to_settle(store: Path) -> list[Problem]:
    """The conflicts that merges have left in a store. Raises AnnotationError where it cannot be read."""
    reason, hint = (
        "A merge has left this to be settled.",
        "put the one that counts into its place, then delete the other",
    )
    return [Problem(reason, hint, Where(path)) for path in _files(store / CONFLICTS, "*/*.json", "*/*/*.json")]


def _files(folder: Path, *patterns: str) -> list[Path]:
    try:
        return sorted(path for pattern in patterns for path in folder.glob(pattern) if path.is_file())
    except OSError as error:
        raise refusal(error, folder, _WHAT) from error


def _read(path: Path) -> bytes:
    data = bytes_of(path)
    return data if data is not None else b""  # It was deleted meanwhile.


def _put(path: Path, data: bytes) -> None:
    try:
        make_folder(path.parent)
        write_atomically(path, data)
    except OSError as error:
        raise refusal(error, path, _WHAT) from error


def _keep_theirs(root: Path, path: Path, data: bytes, what: str, done: Merged) -> None:
    """Keep their version of a file under `conflicts/`, and report it."""
    relative = path.relative_to(root)
    aside = root / CONFLICTS / relative.parent / f"{path.stem}.{(version_of(data) or '')[:12]}.json"
    if bytes_of(aside) is None:
        _put(aside, data)
    done.conflicts.append(
        Problem(
            f"{what}: the other one is {aside.relative_to(root)}.",
            "ours is still in force; put the one that counts into its place, then delete the other",
            Where(path),
        )
    )


def _merge_record(path: Path, ours: Path, done: Merged, force: bool) -> None:
    data = _read(path)
    target = ours / _RECORDS / path.name
    try:
        record = record_from(data, path)
    except AnnotationError as error:
        done.problems.append(Problem(error.sentence, "it was not copied: Sotopia opens every .json file", Where(path)))
        return
    with _exclusive(ours, record.annotator_id):
        there = bytes_of(target)
        if there is None:
            if not force and (why := stranger(ours, record.episode)):
                done.problems.append(Problem(why, "--force-store copies it all the same", Where(path)))
                return
            _put(target, data)
            done.records += 1
        elif there == data or _canonical(there, target) == with_others(record, data):
            done.same += 1
        else:
            what = f"There are two annotations of {record.episode} by {record.annotator_id}"
            _keep_theirs(ours, target, data, what, done)


def _exclusive(ours: Path, annotator: str) -> AbstractContextManager[None]:
    """Keep others from writing as this annotator meanwhile, where there is a journal; none is made for this."""
    journal = Journal(ours, annotator)
    return journal.locked(_WHAT) if journal.path.exists() else nullcontext()


def _canonical(data: bytes, path: Path) -> bytes | None:
    """A record as it would be written anew, for comparing contents; None where it is none."""
    try:
        return with_others(record_from(data, path), data)
    except AnnotationError:
        return None


# Notes on action units


def _merge_notes(path: Path, target: Path, ours: Path, done: Merged) -> None:
    data = _read(path)
    theirs = _notes(data)
    if theirs is None:
        done.problems.append(Problem("This file is no record of notes.", "it was not copied", Where(path)))
        return
    annotator = theirs.get("annotator_id")
    with _exclusive(ours, annotator if isinstance(annotator, str) else ""):
        there = bytes_of(target)
        if there is None:
            _put(target, data)
            done.notes += 1
            return
        both = _united(_notes(there), theirs)
        if both is None:
            _keep_theirs(ours, target, data, "There are two notes on the same action unit", done)
        elif both == _notes(there):
            done.same += 1
        else:
            _put(target, json.dumps(both, indent=2).encode("ascii"))
            done.notes += 1


def _notes(data: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(data)
    except (ValueError, RecursionError):
        return None
    lists = isinstance(record, dict) and all(isinstance(record.get(kind, []), list) for kind in ("units", "marks"))
    return record if lists else None


def _united(ours: dict[str, Any] | None, theirs: dict[str, Any]) -> dict[str, Any] | None:
    """Our record with the notes and marks that only theirs has; None where the two contradict each other."""
    if ours is None or ours.get("episode") != theirs.get("episode"):
        return None
    both = dict(ours)
    for kind in ("units", "marks"):
        items = list(ours.get(kind, []))
        known = {_place(item): item for item in items}
        for item in theirs.get(kind, []):
            if known.setdefault(_place(item), item) != item:
                return None
            if item not in items:
                items.append(item)
        if items:
            both[kind] = sorted(items, key=lambda item: _place(item))
    return both


def _place(item: object) -> tuple[float, float, str]:
    """The unit of a note; an item that is no note is its own place."""
    if isinstance(item, dict):
        transcript, unit = item.get("transcript"), item.get("unit")
        if isinstance(transcript, int) and isinstance(unit, int):
            return transcript, unit, ""
    return -1, -1, json.dumps(item, sort_keys=True)


# Journals


def _merge_journal(path: Path, target: Path, done: Merged) -> None:
    theirs = _lines(_read(path))
    journal = Journal(target.parent.parent, target.stem, target)
    with journal.locked(_WHAT):
        ours = _lines(bytes_of(target) or b"")
        both = joined(ours, theirs)
        if both == ours:
            done.same += 1
            return
        drafts = {(draft.episode, draft.rubric): draft.says() for draft in journal.drafts()}
        for draft in Journal(path.parent.parent, path.stem, path).drafts():
            if drafts.get((draft.episode, draft.rubric), draft.says()) != draft.says():
                done.conflicts.append(
                    Problem(
                        f"There are two drafts of {draft.episode} by {target.stem}; the newer one will be shown.",
                        "both are in the journal",
                        Where(target),
                    )
                )
        _put(target, b"".join(line + b"\n" for line in both))
        done.journals += 1


def _lines(data: bytes) -> list[bytes]:
    return [line for line in data.split(b"\n") if line.strip()]


def joined(ours: list[bytes], theirs: list[bytes]) -> list[bytes]:
    """Join two histories: the common beginning, then the rest of each as a whole, the one that ends later last.

    The rests are not mingled by their times: an undo takes back the event right before it.
    """
    known = set(ours)
    new = [line for line in theirs if line not in known]
    if not new:
        return ours
    common = 0
    while common < min(len(ours), len(theirs)) and ours[common] == theirs[common]:
        common += 1
    rest = ours[common:]
    return [*ours[:common], *(rest + new if _last_time(rest) <= _last_time(new) else new + rest)]


def _last_time(lines: list[bytes]) -> str:
    """The latest time of work, as the text of ISO 8601 in UTC that sorts as it reads; "" where none says.

    How long somebody looked at something is no work.
    """
    found = [match[1] for line in lines if (match := re.match(rb'\{"time": "([^"]{1,40})", (?!"event": "time")', line))]
    return max(found, default=b"").decode("ascii", "replace")


def _take_conflicts(path: Path, relative: Path, ours: Path, done: Merged) -> None:
    """Take over the conflicts that merges have left in the other store."""
    data = _read(path)
    name, _, _ = path.stem.rpartition(".")
    if bytes_of(ours / relative.parent / f"{name}.json") == data:
        return  # It is the version in force here.
    target = ours / CONFLICTS / relative
    if bytes_of(target) is None:
        _put(target, data)
    done.conflicts.append(Problem("An earlier merge has left this to be settled.", "", Where(target)))


def _doubles(ours: Path) -> Iterator[Problem]:
    """Find records of the same episode, annotator and dimensions under different names, as two programs make them."""
    from .records import RecordFolder

    folder = RecordFolder(ours)
    folder.look()
    by_key: dict[tuple[str, str, frozenset[str]], list[Path]] = {}
    for entry in folder.index.values():
        if entry.problem is None:
            by_key.setdefault((entry.episode, entry.annotator, entry.dimensions), []).append(entry.path)
    for (episode, annotator, _), paths in sorted(by_key.items(), key=lambda item: item[1]):
        if len(paths) > 1:
            names = " and ".join(path.name for path in sorted(paths))
            yield Problem(
                f"There are {len(paths)} annotations of {episode} by {annotator}: {names}.",
                "move away all but the one that counts",
                Where(folder.path),
            )
