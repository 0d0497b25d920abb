"""A limit on the time that a pattern takes in one message: `re` backtracks for ever, and only a signal interrupts it."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, TypeVar

from trajview.errors import TrajviewError

__all__ = ["MOST_TIMES", "PATIENCE", "Patience", "TooSlow"]

T = TypeVar("T")

_END: Final = object()

PATIENCE: Final = 10.0
"""Seconds. The slowest pattern that comes to an end takes them for hundreds of megabytes."""
MOST_TIMES: Final = 3
"""Runs in which a pattern takes too long, after which a search is given up."""


class TooSlow(TrajviewError):
    """A pattern takes too long in a message."""

    title = "Bad pattern"


class Patience:
    """Seconds for one message; 0 for as long as it takes, which it is where there are no signals, as in a thread.

    `outcome` ends the sentence of the error: where it took too long, and what follows from that.
    """

    def __init__(self, seconds: float, outcome: str = "in one message; this run is left out") -> None:
        self.seconds = seconds
        self._outcome = outcome
        self._since = 0.0
        self._armed = False

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Raise TooSlow in this block wherever a message takes too long; `tick` says that the next one begins."""
        if (
            not self.seconds
            or not hasattr(signal, "setitimer")
            or threading.current_thread() is not threading.main_thread()
        ):
            yield
            return
        before, theirs, start = signal.signal(signal.SIGALRM, self._ring), 0.0, 0.0
        try:
            self._armed = True
            theirs = self._wind()  # the alarm of a program that uses this as a library
            start = self._since
            yield
        finally:
            self._armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            if theirs:
                signal.setitimer(signal.ITIMER_REAL, max(1e-6, theirs - (time.monotonic() - start)))

    def each(self, items: Iterator[T]) -> Iterator[T]:
        """The items of an iterator. Raises TooSlow where making one of them takes too long."""
        while True:
            with self.at_work():
                item = next(items, _END)
            if item is _END:
                return
            yield item  # type: ignore[misc]

    def tick(self) -> None:
        """Begin the next message. Cheap: the clock is only wound up again where it matters."""
        if self._armed and time.monotonic() - self._since > self.seconds / 10:
            self._wind()

    def _wind(self) -> float:
        """Set the alarm; returns the seconds that were left to another one, 0 for none."""
        self._since = time.monotonic()
        return signal.setitimer(signal.ITIMER_REAL, self.seconds)[0]

    def _ring(self, _number: int, _frame: FrameType | None) -> None:
        if self._armed:
            self._armed = False  # once
            raise TooSlow(
                f"the pattern takes more than {self.seconds:g} s {self._outcome}",
                hint="write it without one repetition inside another, such as (a+)+",
            )
