"""The annotations of one annotator in a folder: a record per run, exactly as Sotopia's local backend keeps them.

`<root>/AnnotationForEpisode/<pk>.json` holds the records, `<root>/journal/` the history and the drafts. Neither folder
is made before there is something to write. A record that someone else changed or deleted is never overwritten unasked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from trajview.errors import AnnotationError, Problem, Where

from .draft import Draft, loadable, rewards_of, values_of
from .events import Entry
from .history import Event, history, journals_of
from .journal import Journal
from .misfits import different_scores, foreign_dimensions
from .other_run import standing
from .progress import Progress, status_text
from .reasoning import compose, divide
from .records import (
    ChangedOnDisk,
    Opened,
    RecordFolder,
    Saved,
    Write,
    bytes_of,
    pk_of,
    record_from,
    record_or_none,
    version_of,
    with_others,
    written_at,
)
from .rubric import Rubric
from .undo import Undone, redo, undo
from .unit_notes import UnitFolder, UnitNote, UnitNotes

if TYPE_CHECKING:
    from trajview.models.run import Reward
    from trajview.models.sotopia import AnnotationForEpisode

__all__ = ["AnnotationStore", "ChangedOnDisk", "Opened", "Saved", "Status", "Undone", "pk_of"]

_ELSEWHERE = "the draft is kept; take another --store, or --force-store"

Status = str
"""`draft`, `annotated`, `skipped` or `flagged`; the sign of a flag behind it where it is flagged."""


class AnnotationStore:
    """The records and the journal of one annotator under `root`. Its methods read and write: call them in a thread."""

    def __init__(self, root: Path, annotator: str, refuses: Callable[[str], str] | None = None) -> None:
        """`refuses` says in a sentence why an episode's record must not go into this store, "" where it may."""
        self.root = root
        self.annotator = annotator
        self._refuses = refuses
        self.journal = Journal(root, annotator)
        self.files = RecordFolder(root)
        self.folder = self.files.path
        self._others: dict[Path, Journal] = {}
        self.units = UnitFolder(root, annotator, self.journal)
        self._lock = threading.RLock()
        self._known: dict[tuple[str, str], tuple[Path, str | None]] = {}

    # Finding

    def path_of(self, episode: str, rubric: Rubric) -> Path:
        """The file of a run's annotation: ours by its pk, else the newest of this annotator that fits the rubric."""
        with self._lock:
            pk = pk_of(episode, self.annotator, rubric.name)
            return self.files.file_of(pk, episode, self.annotator, rubric)

    def find(self, episode: str, rubric: Rubric) -> Saved | None:
        """Read the saved annotation of a run; from now on, `save` knows which version it replaces.

        Raises AnnotationError where its file cannot be read or is no annotation.
        """
        with self._lock:
            path = self.path_of(episode, rubric)
            self._known.pop((episode, rubric.name), None)
            data = bytes_of(path)
            self._known[episode, rubric.name] = (path, version_of(data))
            if data is None:
                return None
            try:
                annotation = record_from(data, path)
            except AnnotationError:
                # Forget the version, so that saving asks before it replaces a file that a person may want to mend.
                self._known.pop((episode, rubric.name), None)
                raise
            return Saved(path, annotation, version_of(data) or "", written_at(path))

    def load(self, episode: str, rubric: Rubric) -> AnnotationForEpisode | None:
        """The saved annotation of a run, None where there is none. Raises AnnotationError as `find` does."""
        saved = self.find(episode, rubric)
        return saved.annotation if saved else None

    def open(self, episode: str, rubric: Rubric, agents: int, beginning: str = "") -> Opened:
        """Read the work on a run for editing: a draft first, else the saved annotation, else nothing.

        Work that says the same as the record counts as saved: the program was stopped between the two writes.
        `beginning`: how the run begins; `Opened.another` tells where the work is about another one. Raises
        AnnotationError where the record or the journal cannot be read.
        """
        with self._lock:
            with suppress(AnnotationError):
                self._settle()
            kept = self.journal.latest_draft(episode, rubric.name)
            saved = self.find(episode, rubric)
            version = saved.version if saved else None
            found = standing(self, (episode, rubric.name), kept is not None, saved is not None, beginning)
            if found.afresh:
                saved = None
            values = values_of(saved.annotation.rewards, rubric, agents) if saved else ({},) * agents
            reasoning, rationales = divide(saved.annotation.reasoning if saved else "", rubric, agents)
            time = saved.time if saved else None
            fresh = Draft(episode, rubric.name, values, reasoning, version, time, rationales)
            problems = self._misfits(episode, saved, rubric)
            if kept is None or kept.says() == fresh.says():
                return Opened(fresh, saved, problems=problems, another=found.asks)
            if kept.base != version:  # Saving has to ask, as if the record had changed under our eyes.
                path = saved.path if saved else self.path_of(episode, rubric)
                self._known[episode, rubric.name] = (path, kept.base)
            return Opened(fresh, saved, kept, kept.base != version, problems, found.asks)

    def _misfits(self, episode: str, saved: Saved | None, rubric: Rubric) -> tuple[Problem, ...]:
        """The faults of this record, and of others of the rubric's name, by the rubric."""
        mine = (
            (entry.path, entry.dimensions)
            for entry in self.files.of(self.annotator)
            if entry.dimensions - rubric.names and entry.path.stem == pk_of(entry.episode, entry.annotator, rubric.name)
        )
        refused = self._refuses(episode) if self._refuses else ""
        split = different_scores(saved.annotation.rewards, rubric, saved.path) if saved else ()
        refusals = (Problem(refused, _ELSEWHERE, Where(self.root)),) if refused else ()
        return (*refusals, *split, *foreign_dimensions(mine, rubric))

    def progress(self) -> dict[str, Progress]:
        """The progress of each episode on which this annotator has done anything, by its key.

        Raises AnnotationError where the folder or the journal cannot be read.
        """
        with self._lock:
            self.files.look()
            ledger = self.journal.ledger
            written: dict[str, datetime] = {}
            for entry in self.files.of(self.annotator):
                written[entry.episode] = max(entry.time, written.get(entry.episode, entry.time))
            drafts: dict[str, list[Entry]] = {}
            for draft in ledger.drafts.values():
                if not (draft.file and self._is_on_disk(draft)):
                    drafts.setdefault(draft.episode, []).append(draft)
            return {
                episode: ledger.progress(episode, written.get(loadable(episode)), drafts.get(episode, ()))
                for episode in (*written, *(each for each in ledger.newest if each not in written))
            }

    def statuses(self) -> dict[str, Status]:
        """The status of each run for a column: `draft`, `annotated`, `skipped`, or a flag.

        Raises AnnotationError where the folder or the journal cannot be read.
        """
        texts = {episode: status_text(progress) for episode, progress in self.progress().items()}
        return {episode: text for episode, text in texts.items() if text}

    @property
    def problems(self) -> list[Problem]:
        """Files in the store that could not be read, as of the last look."""
        with self._lock:
            unit = [self.units.problem] if self.units.problem else []
            read = [journal for path, journal in self._others.items() if path != self.journal.path]
            journals = [problem for journal in (self.journal, *read) for problem in journal.problems]
            return [*self.files.problems, *journals, *unit]

    def misplaced(self) -> list[Problem]:
        """The problems of files among the records, as of the last look, in at most four sentences."""
        with self._lock:
            return self.files.problem_sentences

    # Everybody's

    def records(self) -> list[AnnotationForEpisode]:
        """The readable annotations of all annotators, by file name. Raises AnnotationError if unreadable."""
        with self._lock:
            self.files.look()
            paths = sorted(entry.path for entry in self.files.index.values() if entry.problem is None)
        found = (record_or_none(bytes_of(path), path) for path in paths)
        return [annotation for annotation in found if annotation is not None]

    def history(self, episode: str) -> list[Event]:
        """The events of every annotator of the store on an episode, oldest first. Raises AnnotationError if unreadable.

        Nobody should see this of others before they have submitted: that is for the caller to mind.
        """
        with self._lock:
            self.files.look()
            mine = self.journal.path
            journals = [
                self.journal if path == mine else self._others.setdefault(path, Journal(self.root, path.stem, path))
                for path in journals_of(mine.parent)
            ]
            name = loadable(episode)
            return history(episode, journals, [e for e in self.files.index.values() if e.episode == name])

    # Events without a record

    def skip(self, episode: str, rubric: Rubric, reason: str) -> None:
        """Skip an episode, and keep the reason. Raises AnnotationError where that cannot be kept."""
        self.journal.write("skip", episode, rubric.name, reason=reason)

    def unskip(self, episode: str, rubric: Rubric | None = None) -> None:
        """Take back a skip. Raises AnnotationError where that cannot be kept."""
        self.journal.write("unskip", episode, rubric.name if rubric else "")

    def flag(self, episode: str, reason: str = "") -> None:
        """Flag an episode for another look. Raises AnnotationError where that cannot be kept."""
        self.journal.write("flag", episode, reason=reason)

    def unflag(self, episode: str) -> None:
        """Take a flag away. Raises AnnotationError where that cannot be kept."""
        self.journal.write("unflag", episode)

    def reveal(self, episode: str, rubric: Rubric, what: str) -> None:
        """Write into the journal that something hidden in blind mode is shown, before it is. Raises AnnotationError."""
        self.journal.write("reveal", episode, rubric.name, what=what)

    def spent(self, episode: str, rubric: Rubric, seconds: float) -> None:
        """Add active time to an episode. Raises AnnotationError where that cannot be kept."""
        if seconds > 0:
            self.journal.write("time", episode, rubric.name, seconds=round(seconds, 1))

    # Action units

    def unit_notes(self, episode: str) -> UnitNotes:
        """The notes and marks on an episode's action units. Raises AnnotationError where they cannot be read."""
        return self.units.read(episode)

    def marked(self) -> tuple[list[UnitNotes], list[Problem]]:
        """The notes and marks on all episodes that have a mark, and the problems of files that cannot be read."""
        return self.units.marked()

    def save_unit_note(
        self, episode: str, rubric: Rubric, note: UnitNote, *, overwrite: bool = False, beginning: str = ""
    ) -> None:
        """Save a score or note on a unit, durable at once; an empty one removes the saved one.

        Raises NoteChangedOnDisk where it is not as it was read, unless `overwrite`; AnnotationError where it cannot be.
        """
        self.units.save_note(episode, rubric.name, note, overwrite=overwrite, beginning=beginning)

    def set_mark(
        self, episode: str, transcript: int, unit: int, on: bool, note: str = "", *, beginning: str = ""
    ) -> None:
        """Mark a unit by hand, or take its mark away. Raises AnnotationError where that cannot be kept."""
        self.units.set_mark(episode, transcript, unit, on, note, beginning=beginning)

    # Undo and redo

    def undo(self) -> Undone | None:
        """Undo this annotator's newest change, in whatever episode; None where there is none.

        A submission's record is put back as it was before, or taken away. Raises ChangedOnDisk or NoteChangedOnDisk where
        someone else changed it since, AnnotationError where it cannot be written; then nothing happened.
        """
        return undo(self)

    def redo(self) -> Undone | None:
        """Redo what was undone last, None where there is nothing. Raises as `undo` does."""
        return redo(self)

    # Writing records

    def record(self, episode: str, rubric: Rubric, rewards: Sequence[Reward], reasoning: str) -> AnnotationForEpisode:
        """The record that `save` would write. Raises AnnotationError where Sotopia could not load it."""
        return self._record_at(self._target(episode, rubric), episode, rewards, reasoning)

    def _record_at(self, path: Path, episode: str, rewards: Sequence[Reward], reasoning: str) -> AnnotationForEpisode:
        from pydantic import ValidationError

        from trajview.models.sotopia import AnnotationForEpisode, sentences_of

        entry = self.files.index.get(path.name)
        values = {
            "pk": (entry.pk if entry else "") or path.stem,
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
        """Write the record and give its file; it is durable when this returns. Not in the journal: see `submit`.

        Raises ChangedOnDisk where the file is not as it was loaded or last written here, unless `overwrite`;
        AnnotationError where it cannot be written, and then the old record is as it was.
        """
        with self._lock, self.journal.locked("The annotation was not saved"):
            write = self._prepare(episode, rubric, rewards, reasoning, overwrite)
            self.files.write(write.path, write.data, "The annotation was not saved")
            self._known[episode, rubric.name] = (write.path, version_of(write.data))
            return write.path

    def submit(self, draft: Draft, rubric: Rubric, base: Sequence[Reward] = (), *, overwrite: bool = False) -> Saved:
        """Save a draft as a record, with entries in the journal before and after, so that no moment can lose it.

        `base` are the rewards of the record that was edited. Raises as `save` does. A journal that cannot be written
        does not keep the record from being saved.
        """
        rewards = rewards_of(draft.values, rubric, base)
        reasoning = compose(draft.reasoning, draft.rationales, rubric, len(draft.values))
        with self.exclusive("The annotation was not saved"):
            try:
                write = self._prepare(draft.episode, rubric, rewards, reasoning, overwrite)
            except AnnotationError:
                with suppress(AnnotationError):  # The error to report is the reason why it was not saved.
                    self.journal.append("draft", draft)
                raise
            id: str | None = None
            with suppress(AnnotationError):
                id = self.journal.append("draft", draft, record=write.for_undo())
            self.files.write(write.path, write.data, "The annotation was not saved")
            version = version_of(write.data) or ""
            self._known[draft.episode, rubric.name] = (write.path, version)
            # The record is safe. A draft that stays in the journal says the same, and counts as saved when opened.
            with suppress(AnnotationError):
                self.journal.append("submit", draft, **({"of": id} if id else {"record": write.for_undo()}))
            return Saved(write.path, write.annotation, version, datetime.now(UTC))

    def _prepare(
        self, episode: str, rubric: Rubric, rewards: Sequence[Reward], reasoning: str, overwrite: bool
    ) -> Write:
        """Do everything up to writing. Raises as `save` does."""
        self.may_hold(episode, "The annotation was not saved")
        path = self._target(episode, rubric)
        annotation = self._record_at(path, episode, rewards, reasoning)
        now = bytes_of(path)
        data = with_others(annotation, now)
        _, known = self._known.get((episode, rubric.name), (path, None))
        if version_of(now) != known and now != data and not overwrite:
            raise ChangedOnDisk(path, annotation, record_or_none(now, path), gone=now is None)
        return Write(path, annotation, now, data)

    def may_hold(self, episode: str, what: str) -> None:
        """Check that an episode's record may go into this store. Raises AnnotationError, begun by `what`, else."""
        if self._refuses and (why := self._refuses(episode)):
            raise AnnotationError(f"{what}. {why}", hint=_ELSEWHERE, where=Where(self.root))

    def _target(self, episode: str, rubric: Rubric) -> Path:
        """The file to write: the one that was loaded, unless there was none and someone has made one since."""
        known = self._known.get((episode, rubric.name))
        if known is not None and (known[1] is not None or bytes_of(known[0]) is not None):
            return known[0]
        return self.path_of(episode, rubric)

    # For undoing

    @contextmanager
    def exclusive(self, what: str) -> Iterator[None]:
        """Keep others from writing as this annotator meanwhile. `what` begins the sentence of a refusal.

        Raises AnnotationError where another program does not let go.
        """
        with self._lock, self.journal.locked(what):
            with suppress(AnnotationError):
                self._settle()
            yield

    def knows(self, episode: str, rubric: str, path: Path, version: str | None) -> None:
        """Let `save` replace this version of a record from now on."""
        self._known[episode, rubric] = (path, version)

    # A submission that was cut off

    def _is_on_disk(self, draft: Entry) -> bool:
        """Whether the file of a draft's record holds what the draft was to become."""
        path = self.files.named(draft.file)
        try:
            return path is not None and version_of(bytes_of(path)) == draft.version
        except AnnotationError:
            return False

    def _settle(self) -> None:
        """Finish what a crash cut off between a record and its line in the journal. Raises AnnotationError."""
        if not self.journal.ledger.awaiting:
            return
        with self.journal.locked():
            for draft in list(self.journal.ledger.awaiting.values()):
                if self._is_on_disk(draft):
                    self.journal.append("submit", self.journal.draft(draft), of=draft.id)
