"""Reading a run in a thread, and again when it has changed, and getting its transcripts ready; what becomes of its log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Final

from trajview.app.render.images import can_draw
from trajview.app.transcript.pictures import picture_rows_at
from trajview.app.transcript.session import TranscriptSession
from trajview.corpus.process_wide import giving_way, short_turns
from trajview.errors import UNFORESEEN, Problem, TrajviewError, bug
from trajview.models.beginning import beginning_of
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.app.app import TrajviewApp
    from trajview.app.results.found import Landing
    from trajview.app.shared.background import Task
    from trajview.app.transcript.desk import Desk
    from trajview.corpus.corpus import Corpus
    from trajview.corpus.info import RunInfo
    from trajview.models.run import AgentRun
    from trajview.places import RunPlace

__all__ = ["REST", "SETTLED", "Follower", "Opener", "RunRead", "Wanted"]

REST: Final = 3
"""A run that grows all the time is read again for at most the time of one in so many, plus one."""
SETTLED: Final = 1.0
"""Seconds after which a run that went out of its log counts as gone: one that is written anew may be back by then."""
_NEWS_STAY: Final = 12.0  # seconds that news of such a run stay


@dataclass(frozen=True, slots=True)
class Wanted:
    """A run that is to be shown, and where in it the reader wants to be."""

    info: RunInfo
    unit: int | None = None
    landing: Landing | None = None
    annotate: bool = False
    cursor_in_panel: bool = False

    @property
    def transcript(self) -> int | None:
        """The transcript that is shown first; None for where the reader was the last time."""
        if self.landing is not None:
            return self.landing.transcript
        return None if self.unit is None else 0


@dataclass(frozen=True, slots=True)
class RunRead:
    """A run that was read: its transcript that is shown first, ready to be."""

    info: RunInfo
    run: AgentRun
    index: int
    session: TranscriptSession
    beginning: str
    place: RunPlace | None = None
    """Where the reader was the last time, and wants to be again."""


class Opener:
    """Reads the run that is wanted.

    Calls `opened` or `failed` for a run that was asked for, and `reread` for one that was read again, or could not be.
    """

    def __init__(
        self,
        desk: Desk,
        app: TrajviewApp,
        *,
        opened: Callable[[RunRead, Wanted], None],
        failed: Callable[[Problem], None],
        reread: Callable[[RunRead | Problem], None],
    ) -> None:
        self._app, self._reading, self._background = app, desk.reading, desk.background
        self._view = desk.display.view
        self._opened, self._failed, self._reread = opened, failed, reread
        self._wanted: Wanted | None = None
        self.opening = False
        """Whether the run that is wanted is not there yet."""
        self.has_failed = False
        """Whether it cannot be shown."""
        self._since = 0.0
        self._changed = False
        """Whether the run is another one in its file since it was read."""
        self._reading_again = False
        self._rest_until = 0.0

    @property
    def seconds(self) -> float:
        """How long the opening has taken so far."""
        return monotonic() - self._since

    def open(self, wanted: Wanted) -> None:
        """Read a run."""
        self._wanted, self.opening, self._since = wanted, True, monotonic()
        self._changed = self._reading_again = False
        self._start(wanted.info, wanted.transcript, partial(self._take, wanted))

    def session_of(self, run: AgentRun, index: int) -> TranscriptSession:
        """A transcript of a run, ready to be shown: its highlights and sizes are looked for, so call it in a thread."""
        app, unit = self._app, self._wanted.unit if self._wanted is not None else None
        session = TranscriptSession(
            run.transcripts[index],
            rules=app.rulebook.wanted,
            units=[unit] if unit is not None else [],
            preview_lines=app.settings.preview_lines,
            width=self._view.text_width or 80,
            agents=run.agents or (),
            folder=self._reading.info.path.parent,
            picture_rows=picture_rows_at(self._view.size.height) if app.settings.images and can_draw() else 0,
        )
        if app.look is not None:
            session.look_as(app.look)
        return session

    def prepare(self, run: AgentRun, index: int, ready: Callable[[AgentRun, int, TranscriptSession], None]) -> None:
        """Get another transcript of the run ready, in a thread; the last one that is asked for."""

        def work(task: Task) -> None:
            task.tell(ready, run, index, self.session_of(run, index))

        self._background.start("prepare", work, waited_for=False)

    def _read(self, info: RunInfo, transcript: int | None, *, anew: bool) -> RunRead | Problem:
        try:
            corpus = self._app.corpus
            info = corpus.refresh(corpus.resolve(info), now=anew)
            run = self._app.episodes.load(info)
            last = len(run.transcripts) - 1
            place = self._app.saved_places.of_run(info.path, info.key) if transcript is None else None
            if place is not None and place.transcript > last:
                place = None
            index = place.transcript if place is not None else min(transcript or 0, last)
            return RunRead(info, run, index, self.session_of(run, index), beginning_of(run), place)
        except TrajviewError as error:
            return error.problem()
        except UNFORESEEN as error:
            return bug(error)

    def _start(
        self,
        info: RunInfo,
        transcript: int | None,
        take: Callable[[RunRead | Problem, float], None],
        *,
        anew: bool = False,
    ) -> None:
        """Read a run; `take` is called with it, and with the seconds that this took."""

        def work(task: Task) -> None:
            begun = monotonic()
            read = self._read(info, transcript, anew=anew)
            task.tell(take, read, monotonic() - begun)

        self._background.start("load", work, waited_for=False)

    def _take(self, wanted: Wanted, read: RunRead | Problem, _: float) -> None:
        self.opening, self.has_failed = False, isinstance(read, Problem)
        if isinstance(read, RunRead):
            self._opened(read, wanted)
        else:
            self._failed(read)

    # -- a run that has changed ----------------------------------------------------------------------------------------

    def run_changed(self) -> None:
        """The run is another one in its file now: read it again; soon, if that takes long."""
        self._changed = True
        if self.has_failed and self._wanted is not None:
            self.open(self._wanted)
        elif not self._reading_again and not self.opening:
            wait = self._rest_until - monotonic()
            self._reading_again = True
            if wait > 0:
                self._background.later(wait, self.read_again)
            else:
                self.read_again()

    def read_again(self, *, anew: bool = False) -> None:
        """Read the run again to show it in the place of what is shown; `anew` also where its file looks the same."""
        self._changed, self._reading_again = False, True
        index = self._reading.index
        self._start(self._reading.info, index, partial(self._take_again, index), anew=anew)

    def _take_again(self, index: int, read: RunRead | Problem, seconds: float) -> None:
        self._reading_again = False
        self._rest_until = monotonic() + REST * seconds
        if isinstance(read, Problem) or index == self._reading.index:
            self._reread(read)
        else:  # another transcript of the run is shown by now
            self._changed = True
        if self._changed:
            self.run_changed()


class Follower:
    """Says what becomes of the run that is read, and has it read again when it has grown; and of bytes that are no UTF-8."""

    def __init__(self, desk: Desk, corpus: Corpus, opener: Opener) -> None:
        self._reading, self._notices, self._background = desk.reading, desk.notices, desk.background
        self._corpus, self._opener = corpus, opener
        self._checked = ""
        """The key of the run whose bytes were checked: one that grows is not looked through each time."""
        self.gone = False
        """Whether the list holds the run no more."""

    def transcript_shown(self, session: TranscriptSession) -> None:
        """Check the bytes of the run, once nothing else looks through all of it."""
        info = self._reading.info
        if info.key != self._checked and session.highlights.scanned:
            self._checked = info.key
            self._background.start("bytes", lambda task: self._check_bytes(info, task), waited_for=False)

    def _check_bytes(self, info: RunInfo, task: Task) -> None:
        with short_turns():
            problem = self._corpus.check_bytes(info, giving_way(task.cancelled))
        if problem is not None:
            task.tell(self._warn, info, problem)

    def _warn(self, info: RunInfo, problem: Problem) -> None:
        if info.key == self._reading.info.key:
            self._notices.toast(
                f"Some bytes of this run are not UTF-8, and show as \ufffd: {problem.hint}.", error=True
            )

    def runs_changed(self, infos: Sequence[RunInfo]) -> None:
        """Runs are others now in the list; this one may be among them, or have made way for one of them."""
        own = self._reading.info
        if any(info.key == own.key for info in infos):
            self.gone = False
            self._opener.run_changed()
        elif own.summarised:
            now = next((info for info in infos if info.place == own.place and info.summarised), None)
            if now is not None:
                name = one_line(now.name or now.id, 40)
                self._is_gone(f"This log holds another run now, {name}. What you see, and score, is the one before.")
            elif self._corpus.following and not self.gone:
                self._background.later(SETTLED, self._check_gone)

    def _check_gone(self) -> None:
        own = self._reading.info
        now = self._corpus.find(own.key)
        if not self.gone and self._reading.run is not None and (now is None or now.key != own.key):
            self._is_gone("This run is not in its log any more. What you see, and score, is what was read of it.")

    def _is_gone(self, sentence: str) -> None:
        self.gone = True
        self._notices.toast(sentence, error=True, seconds=_NEWS_STAY, length=1_000)
        self._notices.refresh()
