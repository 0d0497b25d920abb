"""Reading a run in a thread, and again when it has changed, and getting its transcripts ready."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Final

from trajview.app.transcript.session import TranscriptSession
from trajview.errors import UNFORESEEN, Problem, TrajviewError, bug
from trajview.models.beginning import beginning_of

if TYPE_CHECKING:
    from trajview.app.app import TrajviewApp
    from trajview.app.results.found import Landing
    from trajview.app.shared.background import Task
    from trajview.app.transcript.desk import Desk
    from trajview.corpus.info import RunInfo
    from trajview.models.run import AgentRun

__all__ = ["REST", "Opener", "RunRead", "Wanted"]

REST: Final = 3
"""A run that grows all the time is read again for at most the time of one in so many, plus one."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A run that is to be shown, and where in it the reader wants to be."""

    info: RunInfo
    unit: int | None = None
    landing: Landing | None = None
    annotate: bool = False
    cursor_in_panel: bool = False

    @property
    def transcript(self) -> int:
        """The transcript that is shown first."""
        return self.landing.transcript if self.landing is not None else 0


@dataclass(frozen=True, slots=True)
class RunRead:
    """A run that was read: its transcript that is shown first, ready to be."""

    info: RunInfo
    run: AgentRun
    index: int
    session: TranscriptSession
    beginning: str


class Opener:
    """Reads the run that is wanted. `width` gives the columns that text has.

    Calls `opened` or `failed` for a run that was asked for, and `reread` for one that was read again, or could not be.
    """

    def __init__(
        self,
        desk: Desk,
        app: TrajviewApp,
        *,
        width: Callable[[], int],
        later: Callable[[float, Callable[[], None]], object],
        opened: Callable[[RunRead, Wanted], None],
        failed: Callable[[Problem], None],
        reread: Callable[[RunRead | Problem], None],
    ) -> None:
        self._app, self._reading, self._background = app, desk.reading, desk.background
        self._width, self._later = width, later
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
        self._background.start("load", lambda task: self._load(wanted, task), waited_for=False)

    def session_of(self, run: AgentRun, index: int) -> TranscriptSession:
        """A transcript of a run, ready to be shown: its highlights and sizes are looked for, so call it in a thread."""
        app, unit = self._app, self._wanted.unit if self._wanted is not None else None
        session = TranscriptSession(
            run.transcripts[index],
            rules=app.rulebook.wanted,
            units=[unit] if unit is not None else [],
            preview_lines=app.settings.preview_lines,
            width=self._width() or 80,
        )
        if app.look is not None:
            session.look_as(app.look)
        return session

    def prepare(self, run: AgentRun, index: int, ready: Callable[[AgentRun, int, TranscriptSession], None]) -> None:
        """Get another transcript of the run ready, in a thread; the last one that is asked for."""

        def work(task: Task) -> None:
            task.tell(ready, run, index, self.session_of(run, index))

        self._background.start("prepare", work, waited_for=False)

    def _read(self, info: RunInfo, transcript: int, *, anew: bool = False) -> RunRead | Problem:
        try:
            info = self._app.corpus.refresh(info, now=anew)
            run = self._app.episodes.load(info)
            index = min(transcript, len(run.transcripts) - 1)
            return RunRead(info, run, index, self.session_of(run, index), beginning_of(run))
        except TrajviewError as error:
            return error.problem()
        except UNFORESEEN as error:
            return bug(error)

    def _load(self, wanted: Wanted, task: Task) -> None:
        task.tell(self._take, wanted, self._read(wanted.info, wanted.transcript))

    def _take(self, wanted: Wanted, read: RunRead | Problem) -> None:
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
                self._later(wait, self.read_again)
            else:
                self.read_again()

    def read_again(self, *, anew: bool = False) -> None:
        """Read the run again to show it in the place of what is shown; `anew` also where its file looks the same."""
        self._changed, self._reading_again = False, True
        info, index = self._reading.info, self._reading.index
        self._background.start("load", lambda task: self._load_again(info, index, anew, task), waited_for=False)

    def _load_again(self, info: RunInfo, index: int, anew: bool, task: Task) -> None:
        begun = monotonic()
        read = self._read(info, index, anew=anew)
        task.tell(self._take_again, index, read, monotonic() - begun)

    def _take_again(self, index: int, read: RunRead | Problem, seconds: float) -> None:
        self._reading_again = False
        self._rest_until = monotonic() + REST * seconds
        if isinstance(read, Problem) or index == self._reading.index:
            self._reread(read)
        else:  # another transcript of the run is shown by now
            self._changed = True
        if self._changed:
            self.run_changed()
