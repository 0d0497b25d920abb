"""The folder of records: an index of whose they are and about which episode, and reading one without trusting it."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajview.atomic import make_folder, may_replace, refusal, sync_folder, write_atomically
from trajview.errors import AnnotationError, Problem, Where
from trajview.models.annotation_pk import loadable, pk_of

from .draft import Draft
from .rubric import Rubric

if TYPE_CHECKING:
    from trajview.models.run import Reward
    from trajview.models.sotopia import AnnotationForEpisode

__all__ = ["ChangedOnDisk", "IndexEntry", "Opened", "RecordFolder", "Saved", "Write", "bytes_of", "others_in", "pk_of", "read_file", "record_from", "record_or_none", "version_of", "with_others", "written_at"]  # fmt: skip

_LARGEST = 16 << 20
"""Bytes of the largest file that is read: no annotation is larger."""

_SAID = 4
"""The number of problems of a store that are named at once."""


class ChangedOnDisk(AnnotationError):
    """The record has changed since it was loaded: `theirs` is the new one, None if it is gone or no record."""

    title = "Changed by someone else"

    def __init__(
        self,
        path: Path,
        ours: AnnotationForEpisode,
        theirs: AnnotationForEpisode | None,
        gone: bool,
        what: str = "The annotation was not saved",
        hint: str = "save it all the same, or load what is there now",
    ) -> None:
        happened = "was deleted" if gone else "was changed by someone else"
        super().__init__(f"{what}: its file {happened} since it was opened.", hint=hint, where=Where(path))
        self.path = path
        self.ours = ours
        self.theirs = theirs
        self.gone = gone


@dataclass(frozen=True, slots=True)
class Saved:
    """A record on disk: its file, its content, the version of its bytes, and when it was written."""

    path: Path
    annotation: AnnotationForEpisode
    version: str
    time: datetime


@dataclass(frozen=True, slots=True)
class Opened:
    """The work on a run to edit: the texts for the fields, the record they come from, and how the two relate.

    `kept` is the draft where unsaved work was found; `changed` says that the record is no longer the one it started from.
    `problems`: what the record says and the fields cannot show as it is.
    """

    draft: Draft
    saved: Saved | None = None
    kept: Draft | None = None
    changed: bool = False
    problems: tuple[Problem, ...] = ()
    another: int | None = None
    """The message (from 0) from which this run differs from the one that the work is about; None if they are the same."""

    @property
    def rewards(self) -> list[Reward]:
        """The rewards of the record, for what an edit must not drop."""
        return list(self.saved.annotation.rewards) if self.saved else []


@dataclass(frozen=True, slots=True)
class Write:
    """A record that is about to be written: its file, the bytes before (None for no file) and after."""

    path: Path
    annotation: AnnotationForEpisode
    before: bytes | None
    data: bytes

    def for_undo(self) -> dict[str, str | None]:
        """The data for undoing this write that goes into the journal. Lone surrogates carry bytes that are not UTF-8."""
        return {
            "file": self.path.name,
            "version": version_of(self.data),
            "before": None if self.before is None else self.before.decode("utf-8", "surrogateescape"),
            "after": self.data.decode("ascii"),
        }


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """The facts that the index keeps of a file: enough to find the records of an episode without reading them again."""

    path: Path
    stamp: tuple[int, int, int]
    pk: str = ""
    episode: str = ""
    annotator: str = ""
    dimensions: frozenset[str] = frozenset()
    problem: Problem | None = None

    @property
    def time(self) -> datetime:
        """When the file was last written."""
        try:
            return datetime.fromtimestamp(self.stamp[0] / 1e9, UTC)
        except (OverflowError, ValueError, OSError):  # A file may claim any time.
            return datetime.fromtimestamp(0, UTC)


class RecordFolder:
    """An index of `<root>/AnnotationForEpisode`, brought up to date by `look`. Not safe to use from several threads."""

    def __init__(self, root: Path) -> None:
        self.path = root / "AnnotationForEpisode"
        self.index: dict[str, IndexEntry] = {}
        self._more_than_one: dict[str, Problem] = {}

    def look(self) -> None:
        """Read the files that are new or changed. Raises AnnotationError where the folder cannot be read."""
        found: dict[str, IndexEntry] = {}
        try:
            with os.scandir(self.path) as files:
                for file in files:
                    if not file.name.endswith(".json"):
                        continue
                    path = self.path / file.name
                    try:
                        status = file.stat()
                        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
                    except OSError:
                        if not file.is_symlink():
                            continue  # Gone since the folder was listed.
                        stamp = (0, 0, 0)
                    known = self.index.get(file.name)
                    found[file.name] = known if known and known.stamp == stamp else _entry(path, stamp)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            raise refusal(error, self.path, "The annotations could not be read") from error
        self.index = found

    def file_of(self, pk: str, episode: str, annotator: str, rubric: Rubric) -> Path:
        """The file of an annotation: the one named by its pk, else the annotator's newest that fits the rubric.

        A record fits where it shares a dimension with the rubric or has none: Sotopia's own do not name theirs.
        """
        mine = self.path / f"{pk}.json"
        self.look()
        self._more_than_one.pop(loadable(episode), None)
        name = loadable(episode)
        if mine.name in self.index:
            copies = sorted(each.path.name for each in self.of(annotator) if each.pk == pk and each.path != mine)
            if copies:
                self._more_than_one[name] = Problem(
                    f"The annotation of {name} by {loadable(annotator)} is there more than once; {mine.name} is edited.",
                    f"move away what is not wanted: {', '.join(copies[:3])}",
                    Where(mine),
                )
            return mine
        fitting = [
            entry
            for entry in self.of(annotator)
            if entry.episode == name and (not entry.dimensions or entry.dimensions & rubric.names)
        ]
        if not fitting:
            return mine
        newest = max(fitting, key=lambda entry: (entry.stamp[0], entry.path.name))
        if len(fitting) > 1:
            self._more_than_one[name] = Problem(
                f"There are {len(fitting)} annotations of {name} by {loadable(annotator)}; the newest is edited.",
                "move the others away if they are not wanted",
                Where(newest.path),
            )
        return newest.path

    def of(self, annotator: str) -> list[IndexEntry]:
        """The readable records of an annotator, as of the last look."""
        name = loadable(annotator)
        return [entry for entry in self.index.values() if entry.problem is None and entry.annotator == name]

    def named(self, name: str) -> Path | None:
        """The file of a name that a journal gives, None where that cannot name a record."""
        plain = name.endswith(".json") and name.isprintable() and Path(name).name == name
        return self.path / name if plain else None

    def write(self, path: Path, data: bytes | None, what: str) -> None:
        """Write bytes into a record's file, or delete it; durable when this returns.

        Raises AnnotationError, begun by `what`, and then the file is as it was.
        """
        try:
            if data is not None:
                make_folder(self.path)
                write_atomically(path, data)
            else:
                may_replace(path)
                path.unlink(missing_ok=True)
                sync_folder(path.parent)
        except OSError as error:
            raise refusal(error, path, what) from error

    @property
    def problems(self) -> list[Problem]:
        """Files that could not be read, as of the last look."""
        broken = [entry.problem for entry in self.index.values() if entry.problem is not None]
        return [*broken, *self._more_than_one.values()]

    @property
    def problem_sentences(self) -> list[Problem]:
        """The problems of the last look, in at most `_SAID` sentences."""
        found = sorted(self.problems, key=lambda problem: str(problem.where))
        if len(found) <= _SAID:
            return found
        more = f"{len(found) - _SAID + 1} more files among the annotations could not be read."
        return [*found[: _SAID - 1], Problem(more, "`trajview annotations list` names them", Where(self.path))]


def version_of(data: bytes | None) -> str | None:
    """A hash of a file's bytes, None for no file."""
    return None if data is None else hashlib.blake2b(data, digest_size=16).hexdigest()


def written_at(path: Path) -> datetime:
    """When a file was last written."""
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError:  # Deleted since it was read; saving will say so.
        return datetime.now(UTC)


def bytes_of(path: Path) -> bytes | None:
    """The bytes of a file, None where there is none. Raises AnnotationError where it cannot be read.

    A link that leads nowhere is one that cannot be: what it led to may be on a disk that is not there now.
    """
    what = "The saved annotation could not be read"
    try:
        return read_file(path)
    except (FileNotFoundError, NotADirectoryError) as error:
        if path.is_symlink():
            raise AnnotationError(
                f"{what}: its file is a link to one that is not there.",
                hint="bring that back (is its disk there?), or remove the link",
                where=Where(path),
            ) from error
        return None
    except OSError as error:
        raise refusal(error, path, what) from error


def read_file(path: Path) -> bytes:
    """The bytes of a file. Raises OSError, also of a pipe, which would be waited for."""
    if path.is_fifo():
        raise OSError(errno.ENXIO, "it is a pipe, not a file")
    return path.read_bytes()


def with_others(annotation: AnnotationForEpisode, there: bytes | None) -> bytes:
    """The bytes of a record as Sotopia writes it, with the other keys of the record that is `there` behind them."""
    data = annotation.to_json().encode("ascii")
    if there is None or record_or_none(there, Path()) is None:
        return data
    ours, more = json.loads(data), others_in(there)
    return json.dumps({**ours, **more}, indent=2).encode("ascii") if more else data


def others_in(data: bytes) -> dict[str, Any]:
    """The keys of a record beside Sotopia's five, with their values."""
    from trajview.models.sotopia import AnnotationForEpisode

    return {key: value for key, value in json.loads(data).items() if key not in AnnotationForEpisode.model_fields}


def record_from(data: bytes, path: Path) -> AnnotationForEpisode:
    """Read a record from the bytes of its file. Raises AnnotationError where it is none."""
    from pydantic import ValidationError

    from trajview.models.sotopia import AnnotationForEpisode, sentences_of

    try:
        return AnnotationForEpisode.from_json(data)
    except ValidationError as error:
        raise AnnotationError(
            "The saved annotation is not valid: " + "; ".join(sentences_of(error, 3)),
            title="Annotation not loaded",
            hint="mend the file or move it away; saving asks before it replaces it",
            where=Where(path),
        ) from error


def record_or_none(data: bytes | None, path: Path) -> AnnotationForEpisode | None:
    """Read a record from the bytes of its file; None where there is none or it is no record."""
    try:
        return None if data is None else record_from(data, path)
    except AnnotationError:
        return None


def _entry(path: Path, stamp: tuple[int, int, int]) -> IndexEntry:
    """Read the facts of a file without pydantic: the browser asks for every record before its first screen."""

    def broken(reason: str) -> IndexEntry:
        problem = Problem(reason, "mend it or move it away: Sotopia opens every .json file here", Where(path))
        return IndexEntry(path, stamp, problem=problem)

    if stamp[1] > _LARGEST:
        return broken("This file is far too large for an annotation.")
    try:
        record = json.loads(read_file(path))
    except OSError as error:
        if isinstance(error, FileNotFoundError) and path.is_symlink():
            return broken("This file is a link to one that is not there.")
        return broken(f"This file could not be read: {error.strerror}.")
    except (ValueError, RecursionError):
        return broken("This file is not valid JSON.")
    if not isinstance(record, dict):
        return broken("This file is not an annotation: it is no JSON object.")
    episode, annotator, pk = record.get("episode"), record.get("annotator_id"), record.get("pk")
    if not (isinstance(episode, str) and isinstance(annotator, str)):
        return broken("This file is not an annotation: episode and annotator_id must be strings.")
    rewards = record.get("rewards")
    names: set[str] = set()
    for reward in rewards if isinstance(rewards, list) else ():
        if isinstance(reward, list) and len(reward) == 2 and isinstance(reward[1], dict):
            names.update(reward[1])
    names.discard("overall_score")
    return IndexEntry(path, stamp, pk if isinstance(pk, str) else "", episode, annotator, frozenset(names))
