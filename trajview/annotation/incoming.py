"""Import of records into a store: new ones are written, and those that are there already are never overwritten."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from trajview.atomic import make_folder, refusal, write_atomically
from trajview.errors import AnnotationError, Problem, Where

from .journal import Journal
from .records import bytes_of, record_or_none, version_of
from .sotopia_folder import stranger
from .store import pk_of

if TYPE_CHECKING:
    from trajview.models.sotopia import AnnotationForEpisode

__all__ = ["Taken", "file_stem", "take_in"]


@dataclass(slots=True)
class Taken:
    """The result of an import: the files written, the number that were there already, and what was not taken."""

    written: list[Path] = field(default_factory=list)
    same: int = 0
    conflicts: list[Problem] = field(default_factory=list)
    """Records whose file is there already with other content."""
    refused: list[Problem] = field(default_factory=list)


def file_stem(annotation: AnnotationForEpisode) -> str:
    """The name of a record's file without `.json`: its pk, or where that is no safe name, one that follows from it.

    A record without a pk gets one from its episode, annotator and dimensions, the same each time.
    """
    pk = annotation.pk or ""
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,120}", pk) and not pk.endswith("."):
        return pk
    names = sorted({name for reward in annotation.rewards if isinstance(reward, tuple) for name in reward[1]})
    return pk_of(annotation.episode, annotation.annotator_id, json.dumps(["imported", pk, names]))


def take_in(
    root: Path, annotations: Iterable[tuple[AnnotationForEpisode, Where]], *, by: str, source: str, force: bool = False
) -> Taken:
    """Import records into a store, durable one by one. The journal of `by` notes that they came from `source`.

    The record with the same pk that says the same counts as taken. `force` takes records of episodes that are not
    Sotopia's into its own data folder as well. Raises AnnotationError where the store cannot be
    written; what was written until then stays, and taking in the same again goes on from there.
    """
    taken = Taken()
    folder = root / "AnnotationForEpisode"
    for annotation, where in annotations:
        if not force and (why := stranger(root, annotation.episode)):
            taken.refused.append(Problem(why, "--force-store imports it all the same", where))
            continue
        stem = file_stem(annotation)
        path = folder / f"{stem}.json"
        record = annotation.model_copy(update={"pk": stem})
        journal = Journal(root, annotation.annotator_id)
        with journal.locked("The annotation was not imported"):
            there = bytes_of(path)
            if there is not None:
                if record_or_none(there, path) == record:
                    taken.same += 1
                else:
                    taken.conflicts.append(_conflict(annotation, path, where))
                continue
            data = record.to_json().encode("ascii")
            try:
                make_folder(folder)
                write_atomically(path, data)
            except OSError as error:
                raise refusal(error, path, "The annotation was not imported") from error
            taken.written.append(path)
            with suppress(AnnotationError):  # The record is safe; only its history lacks a line.
                journal.write("import", annotation.episode, pk=stem, version=version_of(data), by=by, source=source)
    return taken


def _conflict(annotation: AnnotationForEpisode, path: Path, where: Where) -> Problem:
    return Problem(
        f"The annotation of {annotation.episode} by {annotation.annotator_id} was not imported: there is another one.",
        f"compare it with {path}; to import this one, move that away",
        where,
    )
