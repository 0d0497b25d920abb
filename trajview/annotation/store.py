"""The annotations of one annotator in a folder: a record per run, exactly as Sotopia's local backend keeps them.

`<root>/AnnotationForEpisode/<pk>.json` holds the records, `<root>/journal/` the history and the drafts. Neither folder
is made before there is something to write. A record that someone else changed or deleted is never overwritten unasked.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from trajview.errors import AnnotationError, Problem, Where

from .atomic import make_folder, refusal, write_atomically
from .draft import Draft, loadable, rewards_of, values_of
from .journal import Journal
from .rubric import Rubric

if TYPE_CHECKING:
    from trajview.models.run import Reward
    from trajview.models.sotopia import AnnotationForEpisode

__all__ = ["AnnotationStore", "ChangedOnDisk", "Opened", "Saved", "Status", "pk_of"]

Status = Literal["draft", "annotated"]

_NAMESPACE = uuid.UUID("5b0c1a0e-7a7b-5c53-9a43-0f6d3c0d8f52")
"""Fixed for ever: with another one, submitting again would no longer replace."""

_LARGEST = 16 << 20
"""No annotation is larger than this many bytes; what is, is not read."""


def pk_of(episode: str, annotator: str, rubric: str) -> str:
    """The pk of an annotation: the same for the same episode, annotator and rubric, so that submitting replaces."""
    return str(uuid.uuid5(_NAMESPACE, json.dumps([loadable(episode), loadable(annotator), rubric])))


@dataclass(frozen=True, slots=True)
class Saved:
    """A record as it is on disk: its file, what it says, the version of its bytes, when it was written."""

    path: Path
    annotation: AnnotationForEpisode
    version: str
    time: datetime


@dataclass(frozen=True, slots=True)
class Opened:
    """What there is to edit for a run: the fields' texts, the record they come from, and how the two relate.

    `kept` is the draft where unsaved work was found; `changed` says that the record is no longer the one it started from.
    """

    draft: Draft
    saved: Saved | None = None
    kept: Draft | None = None
    changed: bool = False

    @property
    def rewards(self) -> list[Reward]:
        """The rewards of the record, for what an edit must not drop."""
        return list(self.saved.annotation.rewards) if self.saved else []


class ChangedOnDisk(AnnotationError):
    """The record is not the one that was loaded: `theirs` is what it says now, None if it is gone or no record."""

    title = "Changed by someone else"

    def __init__(self, path: Path, ours: AnnotationForEpisode, theirs: AnnotationForEpisode | None, gone: bool) -> None:
        happened = "was deleted" if gone else "was changed by someone else"
        super().__init__(
            f"The annotation was not saved: its file {happened} since it was opened.",
            hint="save it all the same, or load what is there now",
            where=Where(path),
        )
        self.path = path
        self.ours = ours
        self.theirs = theirs
        self.gone = gone


@dataclass(frozen=True, slots=True)
class _Entry:
    """What the index knows of a file: enough to find the records of an episode without reading them again."""

    path: Path
    stamp: tuple[int, int, int]
    pk: str = ""
    episode: str = ""
    annotator: str = ""
    dimensions: frozenset[str] = frozenset()
    problem: Problem | None = None


class AnnotationStore:
    """The records and the journal of one annotator under `root`. Its methods read and write: call them in a thread."""

    def __init__(self, root: Path, annotator: str) -> None:
        self.root = root
        self.annotator = annotator
        self.folder = root / "AnnotationForEpisode"
        self.journal = Journal(root, annotator)
        self._lock = threading.RLock()
        self._index: dict[str, _Entry] = {}
        self._known: dict[tuple[str, str], tuple[Path, str | None]] = {}
        self._more_than_one: dict[str, Problem] = {}

    # Finding

    def path_of(self, episode: str, rubric: Rubric) -> Path:
        """The file of a run's annotation: ours by its pk, else the newest of this annotator that fits the rubric.

        A record fits where it shares a dimension with the rubric or has none: Sotopia's own do not name theirs.
        """
        mine = self.folder / f"{pk_of(episode, self.annotator, rubric.name)}.json"
        with self._lock:
            self._look_around()
            if mine.name in self._index:
                return mine
            name, annotator = loadable(episode), loadable(self.annotator)
            fitting = [
                entry
                for entry in self._index.values()
                if entry.problem is None
                and entry.episode == name
                and entry.annotator == annotator
                and (not entry.dimensions or entry.dimensions & rubric.names)
            ]
            if not fitting:
                return mine
            newest = max(fitting, key=lambda entry: (entry.stamp[0], entry.path.name))
            if len(fitting) > 1:
                self._more_than_one[name] = Problem(
                    f"There are {len(fitting)} annotations of {name} by {annotator}; the newest is edited.",
                    "move the others away if they are not wanted",
                    Where(newest.path),
                )
            return newest.path

    def find(self, episode: str, rubric: Rubric) -> Saved | None:
        """The saved annotation of a run; from now on, `save` knows which version it replaces.

        Raises AnnotationError where its file cannot be read or is no annotation.
        """
        with self._lock:
            path = self.path_of(episode, rubric)
            self._known.pop((episode, rubric.name), None)
            data = _bytes_of(path)
            self._known[episode, rubric.name] = (path, None if data is None else _version(data))
            if data is None:
                return None
            try:
                annotation = _record(data, path)
            except AnnotationError:
                # Not known, so that saving asks before it replaces what a person may want to mend.
                self._known.pop((episode, rubric.name), None)
                raise
            return Saved(path, annotation, _version(data), _written_at(path))

    def load(self, episode: str, rubric: Rubric) -> AnnotationForEpisode | None:
        """The saved annotation of a run, None where there is none. Raises AnnotationError as `find` does."""
        saved = self.find(episode, rubric)
        return saved.annotation if saved else None

    def open(self, episode: str, rubric: Rubric, agents: int) -> Opened:
        """What to show in the fields: unsaved work first, else the saved annotation, else nothing.

        Work that says the same as the record counts as saved: the program was stopped between the two writes.
        Raises AnnotationError where the record or the journal cannot be read.
        """
        with self._lock:
            kept = self.journal.latest_draft(episode, rubric.name)
            saved = self.find(episode, rubric)
            version = saved.version if saved else None
            values = values_of(saved.annotation.rewards, rubric, agents) if saved else ({},) * agents
            reasoning = saved.annotation.reasoning if saved else ""
            fresh = Draft(episode, rubric.name, values, reasoning, version, saved.time if saved else None)
            if kept is None or kept.says() == fresh.says():
                return Opened(fresh, saved)
            if kept.base != version:  # Saving has to ask, as if the record had changed under our eyes.
                path = saved.path if saved else self.path_of(episode, rubric)
                self._known[episode, rubric.name] = (path, kept.base)
            return Opened(fresh, saved, kept, changed=kept.base != version)

    def statuses(self) -> dict[str, Status]:
        """For each run with work of this annotator: a draft that waits to be saved, or annotated.

        Raises AnnotationError where the folder or the journal cannot be read.
        """
        annotator = loadable(self.annotator)
        with self._lock:
            self._look_around()
            found: dict[str, Status] = {
                entry.episode: "annotated"
                for entry in self._index.values()
                if entry.problem is None and entry.annotator == annotator
            }
            for draft in self.journal.drafts():
                found[draft.episode] = "draft"
            return found

    @property
    def problems(self) -> list[Problem]:
        """Files in the store that could not be read, as of the last look."""
        with self._lock:
            broken = [entry.problem for entry in self._index.values() if entry.problem is not None]
            return [*broken, *self._more_than_one.values(), *self.journal.problems]

    def _look_around(self) -> None:
        """Bring the index up to date; only files that are new or changed are read."""
        found: dict[str, _Entry] = {}
        try:
            with os.scandir(self.folder) as files:
                for file in files:
                    if not file.name.endswith(".json"):
                        continue
                    path = self.folder / file.name
                    try:
                        status = file.stat()
                        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
                    except OSError:
                        continue  # Gone since the folder was listed.
                    known = self._index.get(file.name)
                    found[file.name] = known if known and known.stamp == stamp else _entry(path, stamp)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            raise refusal(error, self.folder, "The annotations could not be read") from error
        self._index = found

    # Writing

    def record(self, episode: str, rubric: Rubric, rewards: Sequence[Reward], reasoning: str) -> AnnotationForEpisode:
        """The record that `save` would write. Raises AnnotationError where Sotopia could not load it."""
        from pydantic import ValidationError

        from trajview.models.sotopia import AnnotationForEpisode, sentences_of

        path = self._target(episode, rubric)
        entry = self._index.get(path.name)
        pk = (entry.pk if entry else "") or path.stem
        values = {
            "pk": pk,
            "episode": loadable(episode),
            "annotator_id": loadable(self.annotator),
            "rewards": list(rewards),
            "reasoning": loadable(reasoning),
        }
        try:
            return AnnotationForEpisode.model_validate(values)
        except ValidationError as error:
            raise AnnotationError("The annotation is not valid: " + "; ".join(sentences_of(error, 3))) from error

    def save(
        self, episode: str, rubric: Rubric, rewards: Sequence[Reward], reasoning: str, *, overwrite: bool = False
    ) -> Path:
        """Write the record and give its file; it is durable when this returns.

        Raises ChangedOnDisk where the file is not as it was loaded or last written here, unless `overwrite`;
        AnnotationError where it cannot be written, and then the old record is as it was.
        """
        with self._lock:
            path = self._target(episode, rubric)
            annotation = self.record(episode, rubric, rewards, reasoning)
            data = annotation.to_json().encode("ascii")
            now = _bytes_of(path)
            version = None if now is None else _version(now)
            _, known = self._known.get((episode, rubric.name), (path, None))
            if version != known and now != data and not overwrite:
                raise ChangedOnDisk(path, annotation, _record_or_none(now, path), gone=now is None)
            try:
                if not self.folder.is_dir():
                    make_folder(self.folder)
                write_atomically(path, data)
            except OSError as error:
                raise refusal(error, path, "The annotation was not saved") from error
            self._known[episode, rubric.name] = (path, _version(data))
            return path

    def submit(self, draft: Draft, rubric: Rubric, base: Sequence[Reward] = (), *, overwrite: bool = False) -> Saved:
        """Save what was typed, and write it into the journal before and after, so that no moment can lose it.

        `base` are the rewards of the record that was edited. Raises as `save` does. A journal that cannot be written
        does not keep the record from being saved.
        """
        unkept: AnnotationError | None = None
        try:
            self.journal.append("draft", draft)
        except AnnotationError as error:
            unkept = error
        rewards = rewards_of(draft.values, rubric, base)
        with self._lock:
            path = self.save(draft.episode, rubric, rewards, draft.reasoning, overwrite=overwrite)
            annotation = self.record(draft.episode, rubric, rewards, draft.reasoning)
            version = self._known[draft.episode, rubric.name][1] or ""
        if unkept is None:
            # The record is safe. A draft that stays in the journal says the same, and counts as saved when opened.
            with suppress(AnnotationError):
                self.journal.append("submit", draft)
        return Saved(path, annotation, version, datetime.now(UTC))

    def _target(self, episode: str, rubric: Rubric) -> Path:
        """The file to write: the one that was loaded, unless there was none and someone has made one since."""
        known = self._known.get((episode, rubric.name))
        if known is not None and (known[1] is not None or _bytes_of(known[0]) is not None):
            return known[0]
        return self.path_of(episode, rubric)


def _version(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _written_at(path: Path) -> datetime:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError:  # Deleted since it was read; saving will say so.
        return datetime.now(UTC)


def _bytes_of(path: Path) -> bytes | None:
    """The bytes of a file, None where there is none. Raises AnnotationError where it cannot be read."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise refusal(error, path, "The saved annotation could not be read") from error


def _record(data: bytes, path: Path) -> AnnotationForEpisode:
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


def _record_or_none(data: bytes | None, path: Path) -> AnnotationForEpisode | None:
    try:
        return None if data is None else _record(data, path)
    except AnnotationError:
        return None


def _entry(path: Path, stamp: tuple[int, int, int]) -> _Entry:
    """What a file says of itself, without pydantic: the browser asks for every record before its first screen."""

    def broken(reason: str) -> _Entry:
        problem = Problem(reason, "mend it or move it away: Sotopia opens every .json file here", Where(path))
        return _Entry(path, stamp, problem=problem)

    if stamp[1] > _LARGEST:
        return broken("This file is far too large for an annotation.")
    try:
        record = json.loads(path.read_bytes())
    except OSError as error:
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
    return _Entry(path, stamp, pk if isinstance(pk, str) else "", episode, annotator, frozenset(names))
