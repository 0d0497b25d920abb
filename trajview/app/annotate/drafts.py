"""What is typed into the annotation panel on its way to the journal: when it is written, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import Protocol

from textual.content import Content
from textual.widgets import Static

from trajview.annotation.draft import Draft
from trajview.app.annotate.work import AnnotationWork
from trajview.errors import AnnotationError
from trajview.textsafe import one_line

__all__ = ["DraftKeeper", "StateLine", "clock"]

_TIME_EVERY = 60.0
"""Seconds of active time that are written down with a draft, so that a kill loses no more."""


def clock(time: datetime | None, seconds: bool = False) -> str:
    """The time of day here, with the date where it is not today's."""
    if time is None:
        return "earlier"
    here = time.astimezone()
    today = datetime.now().astimezone().date()
    if here.date() != today:
        return f"{here:%Y-%m-%d %H:%M}"
    return f"{here:%H:%M:%S}" if seconds else f"{here:%H:%M}"


class StateLine(Static):
    """Says which of the work is safe: a draft in the journal, a submitted annotation, or why neither is."""

    DEFAULT_CSS = """
    StateLine { height: auto; max-height: 4; color: $foreground 50%; }
    StateLine.-saved { color: $text-success; }
    StateLine.-draft { color: $text-warning; }
    StateLine.-error { color: $text-error; text-style: bold; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False, classes="state")
        self._text = ""
        self.alarm = False
        """It says an error, or why nothing was submitted: that stays until something is typed."""

    def say(self, text: str, kind: str = "", *, alarm: bool = False) -> None:
        """Say the state. `kind`: `saved`, `draft`, `error` (always an alarm), or none of them."""
        self._text = text
        self.alarm = alarm or kind == "error"
        self.set_classes(f"state -{kind}" if kind else "state")
        self.add("")

    def add(self, text: str) -> None:
        """Say something after the state, until the next one."""
        self.update(Content(one_line(f"{self._text} · {text}" if text else self._text, 300)))


class Timer(Protocol):
    """A function call that is to come, as Textual's timers are."""

    def stop(self) -> None:
        """Let it not be done."""


class DraftKeeper:
    """Has every change written into the journal soon after it was typed, and says in a line what has become of it."""

    AFTER = 0.5
    """Seconds from the first keystroke that is not in the journal until it is written there."""

    def __init__(
        self,
        work: AnnotationWork,
        line: StateLine,
        *,
        typed: Callable[[], Draft | None],
        later: Callable[[float, Callable[[], None]], Timer],
        start: Callable[[Coroutine[None, None, None]], object],
        kept: Callable[[bool], None],
        failed: Callable[[str, AnnotationError], None],
    ) -> None:
        """Each of these is called in the event loop's thread.

        Args:
            typed: Gives what is in the fields, None while no run is open.
            later: Calls a function after some seconds.
            start: Runs a coroutine.
            kept: A draft is in the journal; its argument says whether it replaces what another program typed.
            failed: The journal refused the draft of a run.
        """
        self._work, self._line = work, line
        self._typed, self._later, self._start = typed, later, start
        self._kept, self._failed = kept, failed
        self._timer: Timer | None = None
        self.refused = False
        """The journal did not take the last draft; that is said until it takes one."""

    def changed(self) -> None:
        """Begin to wait, as something was typed."""
        if self._timer is None:  # Not restarted by further keys: nothing typed waits longer than this.
            if not self._line.alarm:
                self._line.say("typing…")
            self._timer = self._later(self.AFTER, self.keep)

    def stop(self) -> None:
        """Leave it to others to write what was typed."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def keep(self) -> None:
        """Hand what is typed to the writer, if the journal does not have it."""
        waited = self._timer is not None
        self.stop()
        draft = self._typed()
        if draft is None:
            return
        if self._work.journal_has(draft):
            if waited and not self._line.alarm:  # It was typed back.
                self._say_state(draft)
            return
        # Held until it is written, so that a run that is left and opened again does not lose it.
        write = self._work.hold(draft)
        if not self._line.alarm:
            self._line.say("saving the draft…")
        self._start(self._write(draft, write))
        self._start(self._work.write_time(_TIME_EVERY))

    async def _write(self, draft: Draft, write: Callable[[], None]) -> None:
        try:
            replaces = await self._work.keep(draft, write)
        except AnnotationError as error:
            self.refused = True
            self._failed(draft.episode, error)
            return
        if self.refused:
            self.refused = self._line.alarm = False
        # What is said of another run stays, and so does an error; and what was typed since is not kept yet.
        if self._work.is_newest(draft) and self._typed() is not None and not self._line.alarm and self._timer is None:
            self._say_state(draft)
        self._kept(replaces)

    def _say_state(self, draft: Draft) -> None:
        """Say whether a draft that is in the journal differs from what is submitted."""
        submitted = self._work.base is not None
        if not self._work.is_saved(draft):
            now = clock(datetime.now().astimezone(), seconds=True)
            self._line.say(f"draft saved {now} · {'changes not submitted' if submitted else 'not submitted'}", "draft")
        elif submitted:
            self._line.say("as submitted ✓", "saved")
        else:
            self._line.say("not started")
