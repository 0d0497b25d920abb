"""All records of a store, of every annotator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from trajview.atomic import refusal
from trajview.errors import AnnotationError, Problem, UnreadableError, Where

from .records import others_in, read_file

if TYPE_CHECKING:
    from trajview.models.sotopia import AnnotationForEpisode

__all__ = ["AllRecords", "read_records"]

FOLDER = "AnnotationForEpisode"

_LARGEST = 16 << 20
"""Bytes of the largest file that is read: no annotation is larger."""


@dataclass(frozen=True, slots=True)
class AllRecords:
    """The records that could be read, in the order of their files' names, and what is wrong with the others."""

    records: list[AnnotationForEpisode] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    others: dict[str, int] = field(default_factory=dict)
    """Keys beside Sotopia's five that people have put into records, and the number of records with each."""


def read_records(store: Path, along: Callable[[Sequence[str]], Iterable[str]] = iter) -> AllRecords:
    """All records in a store, or in its folder `AnnotationForEpisode`; none where that was not made yet.

    `along` goes through the names of the files, and may say how far that is.
    A file that is no record is a problem, and the others are read. Raises AnnotationError where the folder cannot be.
    """
    folder = store if store.name == FOLDER else store / FOLDER
    try:
        names = sorted(path.name for path in folder.iterdir() if path.name.endswith(".json"))
    except (FileNotFoundError, NotADirectoryError):
        return AllRecords()
    except OSError as error:
        raise refusal(error, folder, "The annotations could not be read") from error
    found = AllRecords()
    for name in along(names):
        try:
            record, others = _record(folder / name)
            found.records.append(record)
            for key in others:
                found.others[key] = found.others.get(key, 0) + 1
        except (UnreadableError, AnnotationError) as error:
            found.problems.append(error.problem())
    return found


def _record(path: Path) -> tuple[AnnotationForEpisode, list[str]]:
    """A record, and those of its keys that Sotopia does not know."""
    from pydantic import ValidationError

    from trajview.models.sotopia import AnnotationForEpisode, sentences_of

    hint = "mend it or move it away: Sotopia opens every .json file here"
    try:
        if path.stat().st_size > _LARGEST:
            raise UnreadableError("This file is far too large for an annotation.", hint=hint, where=Where(path))
        data = read_file(path)
        record = AnnotationForEpisode.from_json(data)
        return record, list(others_in(data))
    except OSError as error:
        if isinstance(error, FileNotFoundError) and path.is_symlink():
            reason = "This file is a link to one that is not there."
            raise UnreadableError(reason, hint=hint, where=Where(path)) from error
        reason = f"This file could not be read: {(error.strerror or str(error)).lower()}."
        raise UnreadableError(reason, hint=hint, where=Where(path)) from error
    except ValidationError as error:
        reason = "This file is not an annotation: " + "; ".join(sentences_of(error, 3))
        raise AnnotationError(reason, hint=hint, where=Where(path)) from error
