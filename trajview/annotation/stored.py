"""All records of a store, whoever made them, for commands that look at the whole of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from trajview.errors import AnnotationError, Problem

from .records import RecordFolder, bytes_of, record_from

if TYPE_CHECKING:
    from trajview.models.sotopia import AnnotationForEpisode

__all__ = ["all_records"]


def all_records(root: Path) -> tuple[list[tuple[Path, AnnotationForEpisode]], list[Problem]]:
    """The records with their files, by episode and annotator, and a problem for each file that is none.

    A folder without any is no problem. Raises AnnotationError where the folder cannot be read.
    """
    folder = RecordFolder(root)
    folder.look()
    found: list[tuple[Path, AnnotationForEpisode]] = []
    problems = folder.problems
    for entry in folder.index.values():
        if entry.problem is not None:
            continue
        try:
            data = bytes_of(entry.path)
            if data is not None:  # else it went since the folder was listed
                found.append((entry.path, record_from(data, entry.path)))
        except AnnotationError as error:
            problems.append(error.problem())
    found.sort(key=lambda item: (item[1].episode, item[1].annotator_id, item[0].name))
    return found, sorted(problems, key=str)
