"""What is done to an episode as a whole, in the list and in the transcript: skip, flag, undo, redo."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Final, TypeVar

from trajview.app.shared.cells import called
from trajview.errors import AnnotationError
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.annotation.citations import Citation
    from trajview.annotation.progress import Progress
    from trajview.annotation.queue import Plan
    from trajview.annotation.rubric import Rubric
    from trajview.annotation.store import AnnotationStore
    from trajview.annotation.undo import Undone
    from trajview.app.app import TrajviewApp
    from trajview.app.shared.background import Background, Task
    from trajview.app.shared.commands import Commands
    from trajview.config import Settings
    from trajview.corpus.corpus import Corpus
    from trajview.corpus.info import RunInfo
    from trajview.models.run import AgentRun

__all__ = ["MODEL", "EpisodeKeys", "Episodes"]

_Result = TypeVar("_Result")

MODEL: Final = "the model"
"""What is revealed of a run in blind mode, as the journal calls it."""


class Episodes:
    """How far the annotator is with each episode, and the changes of an episode as a whole.

    Changes are written in threads; a toast tells what came of them.
    """

    def __init__(
        self,
        corpus: Corpus,
        settings: Settings,
        store: Callable[[], AnnotationStore],
        plan: Plan | None,
        background: Background,
        notify: Callable[..., None],
        changed: Callable[[], None],
    ) -> None:
        """
        Args:
            store: Gives the annotations of this annotator; called in threads.
            plan: Which episodes are to be scored, and in which order; None for all, as they are listed.
            background: Runs what reads and writes, as long as the app runs.
            notify: Says something in a corner of the screen, as the app's `notify` does.
            changed: Called when something was saved.
        """
        self._corpus = corpus
        self._settings = settings
        self._store = store
        self._plan = plan
        self._background = background
        self._notify = notify
        self._changed = changed
        self._reading = Lock()
        self.rubric: Rubric | None = None
        """What all runs are rated by; None where their format says it."""
        self.queue: Sequence[str] | None = None
        """The keys of the episodes that are to be scored, once the corpus is listed; None without a plan."""
        self.progress: Mapping[str, Progress] | None = None
        """Where the annotator stands with each episode, by its key, as last read; None before that."""
        if settings.rubric:
            from trajview.annotation.choice import find_rubric

            self.rubric = find_rubric(settings.rubric, settings.reward_range)

    @property
    def store(self) -> AnnotationStore:
        """The annotations of this annotator."""
        return self._store()

    def rubric_for(self, info: RunInfo) -> Rubric:
        """What a run is rated by."""
        from trajview.annotation.choice import rubric_of
        from trajview.formats.registry import format_or_default

        return rubric_of(self.rubric, format_or_default(info.format).rubric, self._settings.reward_range)

    # Progress

    def read_statuses(self) -> tuple[dict[str, str], str]:
        """Read the status of every episode, as a text, and how far the annotation is; for a thread.

        Raises AnnotationError.
        """
        progress = self._read_progress()
        from trajview.annotation.progress import status_text

        texts = {episode: status_text(found) for episode, found in progress.items()}
        return {episode: text for episode, text in texts.items() if text}, self.progress_text()

    def progress_text(self) -> str:
        """How far the queue is, or the whole list where there is none and something is annotated; for a thread."""
        from trajview.annotation.queue import tally

        progress = self.progress or {}
        if self.queue is not None:
            return tally(self.queue, progress).said()
        here = tally((key for key in progress if self._corpus.find(key) is not None), progress)
        if not (here.submitted or here.skipped or here.flagged):
            return ""
        return replace(here, total=len(self._corpus.infos)).said()

    def _read_progress(self) -> Mapping[str, Progress]:
        with self._reading:  # What is read later is newer, and must be taken in later.
            self.progress = progress = self.store.progress()
        return progress

    def when_progress_is_read(self, then: Callable[[], None]) -> None:
        """Read how far every episode is by now, and call back."""

        def read(task: Task) -> None:
            try:
                self._read_progress()
            except AnnotationError as error:
                task.tell(self._refuse, error)
            finally:  # Keys wait for it.
                task.tell(then)

        self._background.start("next", read, exclusive=False)

    # The queue

    @property
    def is_planned(self) -> bool:
        """Whether only some episodes are to be scored, or in an order of their own."""
        return self._plan is not None

    def arrange(self) -> list[str]:
        """Put the episodes that are listed into the queue; for a thread. Returns what was asked for and is not there."""
        assert self._plan is not None
        infos = self._corpus.infos
        if self._plan.where is not None:
            from trajview.where.chosen import chosen_by

            infos = chosen_by(self._plan.where, self._corpus, infos, self.store.statuses(), blind=self._settings.blind)
        episodes = [(info.key, info.id) for info in infos]
        self.queue = self._plan.order(episodes)
        return self._plan.missing(episodes)

    def left_at(self) -> RunInfo | None:
        """The episode that was asked for, else the one of the queue to go on with; None where all are done, or there is none."""
        from trajview.annotation.queue import left_at

        wanted = self._settings.run
        key = wanted if wanted is not None else left_at(self.queue or (), self.progress or {})
        return self._corpus.find(key) if key is not None else None

    def next_to_annotate(self, info: RunInfo, listed: Callable[[], Sequence[str]]) -> tuple[RunInfo | None, str]:
        """The next run after another that waits for its annotation, or None and a sentence that says so.

        `listed` gives the keys of the runs as they are listed, for where there is no queue.
        """
        from trajview.annotation.queue import next_in, waits

        progress = self.progress or {}
        keys = self.queue if self.queue is not None else listed()
        key = next_in(keys, progress, info.key)
        found = self._corpus.find(key) if key is not None else None
        if found is None:
            own = waits(progress.get(info.key)) and info.key in keys
            return None, "the others are all done" if own else "all are done"
        if keys.index(found.key) < (keys.index(info.key) if info.key in keys else 0):
            self._notify("From the start again: these were left out.", timeout=4)
        return found, ""

    # Blind

    def hides(self, info: RunInfo) -> bool:
        """Whether what would bias an annotator is hidden in a run."""
        progress = (self.progress or {}).get(info.key)
        return self._settings.blind and (progress is None or MODEL not in progress.revealed)

    def load(self, info: RunInfo) -> AgentRun:
        """A run as it may be seen; for a thread. Raises as `Corpus.load` does, and AnnotationError."""
        run = self._corpus.load(info)
        if self._settings.blind and self.progress is None:
            self._read_progress()
        if not self.hides(info):
            return run
        from trajview.models.blind import blinded

        return blinded(run)

    def reveal_model(self, info: RunInfo, then: Callable[[], None]) -> None:
        """Show what is hidden in a run, once that is written down."""
        rubric = self.rubric_for(info)
        message = "rewards, reasoning and models are shown; that is written down"
        self._write(lambda: self.store.reveal(info.key, rubric, MODEL), message, then)

    # Changes

    def is_skipped(self, info: RunInfo) -> bool:
        """Whether an episode is passed over."""
        progress = (self.progress or {}).get(info.key)
        return progress is not None and progress.state == "skipped"

    def reasons_to_skip(self) -> list[str]:
        """The reasons why episodes were skipped, the newest first."""
        skipped = [found for found in (self.progress or {}).values() if found.state == "skipped" and found.reason]
        skipped.sort(key=lambda found: found.changed_at.timestamp() if found.changed_at else 0.0, reverse=True)
        return [found.reason for found in skipped]

    def skip(self, info: RunInfo, reason: str, then: Callable[[], None], failed: Callable[[], None]) -> None:
        """Pass over an episode, and call `then` when that is written, or `failed` when it could not be."""
        rubric, message = self.rubric_for(info), f"{called(info, 60)} is skipped: {one_line(reason, 60)}"
        self._write(lambda: self.store.skip(info.key, rubric, reason), message, then, failed)

    def unskip(self, info: RunInfo) -> None:
        """Pass over an episode no more."""
        rubric = self.rubric_for(info)
        self._write(lambda: self.store.unskip(info.key, rubric), f"{called(info, 60)} is not skipped any more")

    def flag(self, info: RunInfo) -> None:
        """Mark an episode for another look, or take the mark away."""
        name = called(info, 60)
        progress = (self.progress or {}).get(info.key)
        if progress is not None and progress.flagged:
            self._write(lambda: self.store.unflag(info.key), f"{name} is not flagged any more")
        else:
            self._write(lambda: self.store.flag(info.key), f"{name} is flagged")

    def undo(self, then: Callable[[RunInfo | None], None]) -> None:
        """Take back the last thing that this annotator did, wherever that was.

        Calls back with the run of that episode, None where it is not in the list.
        """
        self._turn(lambda: self.store.undo(), "there is nothing to undo", then)

    def redo(self, then: Callable[[RunInfo | None], None]) -> None:
        """Do again what was taken back last, and call back as `undo` does."""
        self._turn(lambda: self.store.redo(), "there is nothing to do again", then)

    def _write(
        self,
        write: Callable[[], None],
        message: str,
        then: Callable[[], None] | None = None,
        failed: Callable[[], None] | None = None,
    ) -> None:
        def written(_: None) -> None:
            self._notify(message, timeout=3, markup=False)
            self._changed()
            if then is not None:
                then()

        self._change(write, written, failed)

    def _turn(self, turn: Callable[[], Undone | None], nothing: str, then: Callable[[RunInfo | None], None]) -> None:
        def turned(done: Undone | None) -> None:
            if done is None:
                self._notify(nothing, timeout=3)
                return
            info = self._corpus.find(done.episode)
            name = called(info, 60) if info else one_line(done.episode, 60)
            self._notify(f"{done.said}  ·  {name}", timeout=4, markup=False)
            self._changed()
            then(info)

        self._change(turn, turned)

    def _change(
        self, change: Callable[[], _Result], then: Callable[[_Result], None], failed: Callable[[], None] | None = None
    ) -> None:
        """Change something in a thread, and call back with what came of it; else say why not, and call `failed`."""

        def run(task: Task) -> None:
            try:
                result = change()
                self._read_progress()
            except AnnotationError as error:
                task.tell(self._refuse, error)
                if failed is not None:
                    task.tell(failed)
            else:
                task.tell(then, result)

        self._background.start("episode", run, exclusive=False)

    def _refuse(self, error: AnnotationError) -> None:
        self._notify(one_line(str(error), 300), severity="error", timeout=10, markup=False)


class EpisodeKeys:
    """The keys of the episode at hand, for the list of runs and for the transcript."""

    def __init__(
        self,
        app: TrajviewApp,
        *,
        at_hand: Callable[[], RunInfo | None],
        follow: Callable[[RunInfo, Citation], None],
        undone: Callable[[RunInfo | None], None],
        skipped: Callable[[RunInfo], None] = lambda _: None,
        before_undo: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        """
        Args:
            at_hand: Gives the episode that the keys are about.
            follow: Goes to what is cited in the history of an episode.
            undone: Called when something was undone or done again for an episode; None where it is not in the list.
            skipped: Called when an episode was skipped.
            before_undo: Brings what is typed into the journal, and says whether that was possible. Keys wait for it, the
                screen does not.
        """
        self._app, self._episodes = app, app.episodes
        self._at_hand = at_hand
        self._follow = follow
        self._undone = undone
        self._skipped = skipped
        self._before_undo = before_undo

    @property
    def commands(self) -> Commands:
        """What these keys do. The panel's key for the history is the screen's."""
        return {
            "episode.skip": self.skip,
            "episode.flag": self.flag,
            "undo": self.undo,
            "redo": self.redo,
            "history": self.show_history,
        }

    def skip(self) -> None:
        """Ask why, and pass over the episode; one that is skipped is not any more."""
        info = self._at_hand()
        if info is None:
            return
        if self._episodes.is_skipped(info):
            self._episodes.unskip(info)
            return
        from trajview.app.annotate.questions import ReasonScreen

        def answered(reason: str | None) -> None:
            if reason is None:
                return
            # Whoever types on means the next episode, if one comes; another Enter is for nobody.
            coming = self._app.keys.wait(ignores=frozenset({"enter"}))

            def written() -> None:
                self._skipped(info)
                coming.done()

            self._episodes.skip(info, reason, written, lambda: coming.never("it is not skipped"))

        self._app.push_screen(ReasonScreen(called(info, 60), self._episodes.reasons_to_skip()[:20]), answered)

    def flag(self) -> None:
        """Flag the episode, or take the flag away."""
        info = self._at_hand()
        if info is not None:
            self._episodes.flag(info)

    async def undo(self) -> None:
        """Undo the last annotation work, in whichever episode that was."""
        if await self._is_written():
            self._episodes.undo(self._undone)

    async def redo(self) -> None:
        """Redo it."""
        if await self._is_written():
            self._episodes.redo(self._undone)

    async def show_history(self) -> None:
        """Show who did what to the episode's annotation."""
        info = self._at_hand()
        if info is None or not await self._is_written():
            return
        from trajview.app.annotate.history import HistoryScreen

        def closed(cited: Citation | None) -> None:
            if cited is not None:
                self._follow(info, cited)

        self._app.push_screen(HistoryScreen(self._episodes.store, info.key, info.name or info.id), closed)

    async def _is_written(self) -> bool:
        return self._before_undo is None or await self._before_undo()
