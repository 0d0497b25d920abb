"""What is done to an episode as a whole, from the list or beside the transcript: skip, flag, undo, redo."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

from textual import work
from textual.app import App
from textual.screen import Screen

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
    from trajview.app.runs.screen import BrowserScreen
    from trajview.config import Settings
    from trajview.corpus.corpus import Corpus
    from trajview.corpus.info import RunInfo
    from trajview.models.run import AgentRun

__all__ = ["EpisodeKeys", "Episodes"]

MODEL = "the model"
"""What is revealed of a run in blind mode, as the journal calls it."""


class Episodes(App[int]):
    """The part of the app that writes the states of episodes down, each in a thread, and says what came of it."""

    corpus: Corpus
    settings: Settings
    browser: BrowserScreen
    rubric: Rubric | None = None
    plan: Plan | None = None
    """Which episodes are to be scored, and in which order; None for a browser without a queue."""
    queue: Sequence[str] | None = None
    """Their keys, once the corpus is listed."""
    progress: Mapping[str, Progress] | None = None
    """Where the annotator stands with each episode, by its key, as last read; None before that."""
    _entered = _told_missing = False

    def __init__(self) -> None:
        super().__init__()
        self._reading = Lock()

    def open_cited(self, info: RunInfo, citation: Citation) -> None:
        """Show a run at what a citation refers to."""
        raise NotImplementedError

    @property
    def store(self) -> AnnotationStore:
        """The annotations of this annotator."""
        raise NotImplementedError

    def read_statuses(self) -> dict[str, str]:
        """The status of every episode as a text, read anew; for a thread. Raises AnnotationError."""
        progress = self._read_progress()
        from trajview.annotation.progress import status_text

        texts = {episode: status_text(found) for episode, found in progress.items()}
        self._tally()
        self.call_later(self._enter_queue)
        return {episode: text for episode, text in texts.items() if text}

    def _read_progress(self) -> Mapping[str, Progress]:
        """Read anew how far every episode is; for a thread. Raises AnnotationError."""
        with self._reading:  # What is read later is newer, and must be known later.
            self.progress = progress = self.store.progress()
        return progress

    def _tally(self) -> None:
        """Count how far the queue is, or the whole list where there is none; for a thread."""
        from trajview.annotation.queue import tally

        progress = self.progress or {}
        if self.queue is not None:
            self.browser.progress_said = tally(self.queue, progress).said()
        else:
            here = tally((key for key in progress if self.corpus.find(key) is not None), progress)
            said = replace(here, total=len(self.corpus.infos)).said()
            self.browser.progress_said = said if here.submitted or here.skipped or here.flagged else ""

    # The queue

    def corpus_listed(self) -> None:
        """The browser has all runs: the order of the queue can be told, and is told anew where runs come later."""
        if self.plan is not None:
            self._arrange(self.plan)
        elif self.progress:
            self.annotations_changed()  # which of the episodes that were worked on are in the list is known only now

    @work(thread=True, exclusive=True, group="queue", exit_on_error=False)
    def _arrange(self, plan: Plan) -> None:
        episodes = [(info.key, info.id) for info in self.corpus.infos]
        keys = plan.order(episodes)
        self.queue = keys
        self._tally()
        self.call_from_thread(self._arranged, keys, plan.missing(episodes))

    def _arranged(self, keys: Sequence[str], missing: Sequence[str]) -> None:
        self.browser.show_queue(keys)
        if missing and not self._told_missing:
            self._told_missing = True
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            said = f"Not in these logs: {one_line(missing[0], 60)}{more}, of the list of ids."
            self.notify(said, severity="warning", timeout=10, markup=False)
        self._enter_queue()

    def _enter_queue(self) -> None:
        """Open the episode where the queue was left, once both are known: the queue and the progress."""
        if self.queue is None or self.progress is None or self._entered:
            return
        self._entered = True
        from trajview.annotation.queue import left_at

        key = left_at(self.queue, self.progress)
        info = self.corpus.find(key) if key is not None else None
        if info is not None:
            self.browser.go_to(info)
            self.open_run(info, annotate=True)
        elif self.queue:
            self.notify("All episodes of this queue are done.", timeout=6)
        else:
            self.notify("There is no episode in this queue.", severity="warning", timeout=10)

    def open_run(self, info: RunInfo, annotate: bool = False, unit: int | None = None) -> None:
        """Show a run."""
        raise NotImplementedError

    @work(thread=True, exclusive=True, group="next", exit_on_error=False)
    def when_progress_is_read(self, then: Callable[[], None]) -> None:
        """Call back once it is known how far every episode is by now."""
        try:
            self._read_progress()
        except AnnotationError as error:
            self.call_from_thread(self._refused, error)
        finally:  # Keys wait for it.
            self.call_from_thread(then)

    def next_to_annotate(self, info: RunInfo) -> tuple[RunInfo | None, str]:
        """The next run after another that waits for its annotation, or None and a sentence that says so."""
        from trajview.annotation.queue import next_in, waits

        progress = self.progress or {}
        keys = self.queue if self.queue is not None else self.browser.keys_shown()
        key = next_in(keys, progress, info.key)
        found = self.corpus.find(key) if key is not None else None
        if found is None:
            own = waits(progress.get(info.key)) and info.key in keys
            return None, "the others are all done" if own else "all are done"
        if keys.index(found.key) < (keys.index(info.key) if info.key in keys else 0):
            self.notify("From the start again: these were left out.", timeout=4)
        self.browser.go_to(found)
        return found, ""

    # Blind

    def hides(self, info: RunInfo) -> bool:
        """Whether what would bias an annotator is hidden in a run."""
        progress = (self.progress or {}).get(info.key)
        return self.settings.blind and (progress is None or MODEL not in progress.revealed)

    def load(self, info: RunInfo) -> AgentRun:
        """A run as it may be seen; for a thread. Raises as `Corpus.load` does, and AnnotationError."""
        run = self.corpus.load(info)
        if self.settings.blind and self.progress is None:
            self._read_progress()
        if not self.hides(info):
            return run
        from trajview.models.blind import blinded

        return blinded(run)

    def reveal_model(self, info: RunInfo, then: Callable[[], None]) -> None:
        """Show what is hidden in a run, once that is written down."""
        rubric = self.rubric_for(info)
        said = "rewards, reasoning and models are shown; that is written down"
        self._write(lambda: self.store.reveal(info.key, rubric, MODEL), said, then)

    def rubric_for(self, info: RunInfo) -> Rubric:
        """What a run is rated by."""
        from trajview.annotation.choice import rubric_of
        from trajview.formats.registry import format_or_default

        return rubric_of(self.rubric, format_or_default(info.format).rubric, self.settings.reward_range)

    def annotations_changed(self) -> None:
        """Something was saved: the browser's status column is read anew."""
        self.browser.refresh_status()

    def skip(self, info: RunInfo) -> None:
        """Ask why, and pass over an episode; one that is skipped is not any more."""
        rubric, name = self.rubric_for(info), called(info, 60)
        known = self.progress or {}
        progress = known.get(info.key)
        if progress is not None and progress.state == "skipped":
            self._write(lambda: self.store.unskip(info.key, rubric), f"{name} is not skipped any more")
            return
        from trajview.app.annotate.reason import ReasonScreen

        given = [found for found in known.values() if found.state == "skipped" and found.reason]
        given.sort(key=lambda found: found.changed_at.timestamp() if found.changed_at else 0.0, reverse=True)

        def answered(reason: str | None) -> None:
            if reason is not None:
                said = f"{name} is skipped: {one_line(reason, 60)}"
                self._write(lambda: self.store.skip(info.key, rubric, reason), said, lambda: self._skipped(info))

        self.push_screen(ReasonScreen(name, [found.reason for found in given][:20]), answered)

    def flag(self, info: RunInfo) -> None:
        """Mark an episode for another look, or take the mark away."""
        name = called(info, 60)
        progress = (self.progress or {}).get(info.key)
        if progress is not None and progress.flagged:
            self._write(lambda: self.store.unflag(info.key), f"{name} is not flagged any more")
        else:
            self._write(lambda: self.store.flag(info.key), f"{name} is flagged")

    @work(thread=True, group="episode", exit_on_error=False)
    def _write(self, write: Callable[[], None], said: str, then: Callable[[], None] | None = None) -> None:
        try:
            write()
            self._read_progress()
        except AnnotationError as error:
            self.call_from_thread(self._refused, error)
            return
        self.call_from_thread(self._written, said, then)

    def _written(self, said: str, then: Callable[[], None] | None) -> None:
        self.notify(said, timeout=3, markup=False)
        self.annotations_changed()
        if then is not None:
            then()

    def _skipped(self, info: RunInfo) -> None:
        screen = self.screen
        if isinstance(screen, EpisodeKeys):
            screen.episode_skipped(info)

    def _refused(self, error: AnnotationError) -> None:
        self.notify(one_line(str(error), 300), severity="error", timeout=10, markup=False)

    @work(thread=True, exclusive=True, group="undo", exit_on_error=False)
    def undo(self) -> None:
        """Take back the last thing that this annotator did, wherever that was."""
        self._turn(self.store.undo, "there is nothing to undo")

    @work(thread=True, exclusive=True, group="undo", exit_on_error=False)
    def redo(self) -> None:
        """Do again what was taken back last."""
        self._turn(self.store.redo, "there is nothing to do again")

    def _turn(self, turn: Callable[[], Undone | None], nothing: str) -> None:
        try:
            done = turn()
            self._read_progress()
        except AnnotationError as error:
            self.call_from_thread(self._refused, error)
            return
        self.call_from_thread(self._turned, done, nothing)

    def _turned(self, done: Undone | None, nothing: str) -> None:
        if done is None:
            self.notify(nothing, timeout=3)
            return
        info = self.corpus.find(done.episode)
        name = called(info, 60) if info else one_line(done.episode, 60)
        self.notify(f"{done.said}  ·  {name}", timeout=4, markup=False)
        self.annotations_changed()
        screen = self.screen
        if isinstance(screen, EpisodeKeys):
            screen.episode_turned(info)


class EpisodeKeys(Screen[None]):
    """The actions of these keys, for a screen that has an episode at hand."""

    def episode_at_hand(self) -> RunInfo | None:
        """The episode that the keys are about."""
        raise NotImplementedError

    def episode_skipped(self, info: RunInfo) -> None:
        """An episode was skipped here."""

    def episode_turned(self, info: RunInfo | None) -> None:
        """Something was undone or done again for this episode, None where it is not in the list."""

    async def before_undo(self) -> bool:
        """Bring what is typed into the journal first; False where that cannot be. Keys wait for it, the screen does not."""
        return True

    @property
    def _episodes(self) -> Episodes:
        assert isinstance(self.app, Episodes)
        return self.app

    def action_skip(self) -> None:
        """Skip the episode, or take that back."""
        info = self.episode_at_hand()
        if info is not None:
            self._episodes.skip(info)

    def action_flag(self) -> None:
        """Flag the episode, or take the flag away."""
        info = self.episode_at_hand()
        if info is not None:
            self._episodes.flag(info)

    async def action_history(self) -> None:
        """Who did what to the episode's annotation."""
        info = self.episode_at_hand()
        if info is not None and await self.before_undo():
            from trajview.app.annotate.history import HistoryScreen

            def closed(cited: Citation | None) -> None:
                if cited is not None:
                    self.follow_from_history(info, cited)

            app = self._episodes
            app.push_screen(HistoryScreen(app.store, info.key, info.name or info.id), closed)

    def follow_from_history(self, info: RunInfo, citation: Citation) -> None:
        """Go to what is cited in the history of an episode: in a run that is not open yet."""
        self._episodes.open_cited(info, citation)

    async def action_undo(self) -> None:
        """Undo the last annotation work."""
        if await self.before_undo():
            self._episodes.undo()

    async def action_redo(self) -> None:
        """Redo it."""
        if await self.before_undo():
            self._episodes.redo()
