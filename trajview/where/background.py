"""A thread that finds out the details of runs for a filter or an order, the last wish first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from threading import Condition, Thread
from time import monotonic
from typing import Any, Final, NamedTuple

from trajview.corpus.info import RunInfo
from trajview.corpus.process_wide import short_turns

from .details import values_of
from .fields import Ref
from .reading import DetailsReader

__all__ = ["Finder", "Learnt", "Wanted"]

Learnt = tuple[int, RunInfo, dict[Ref, Any]]
"""A row, the run that was in it when it was asked for, and the values."""

_EVERY: Final = 0.25
"""Seconds from one batch to the next, unless taking one in lasts long; the first one goes out after a tenth of that."""
_SHARE: Final = 10
"""The wait for the next batch, in multiples of the time that taking one in lasts."""
_LOOK: Final = 0.02
"""Seconds from one look at whether something else is wanted to the next."""
_LINGER: Final = 3.0
"""Seconds for which the thread, and its processes, wait for the next wish."""


class Wanted(NamedTuple):
    """A run of which something is wanted, and the number of the wish."""

    wish: int
    row: int
    info: RunInfo


class Finder:
    """Finds out details in a thread, which ends when none are wanted. `tell` gets batches there; confirm with `taken`."""

    def __init__(self, reader: DetailsReader[Wanted], tell: Callable[[list[Learnt]], None]):
        self._reader = reader
        self._tell = tell
        self._lock = Condition()
        self._waiting: deque[tuple[int, RunInfo]] = deque()
        self._refs: tuple[Ref, ...] = ()
        self._wish = 0
        self._pending: dict[int, RunInfo] = {}
        """The runs that are being read, or were and have not been taken."""
        self._thread: Thread | None = None
        self._rests = True
        self._over = False
        self._pause = _EVERY

    @property
    def left(self) -> int:
        """The number of runs that still have to be read, or taken."""
        return len(self._waiting) + len(self._pending)

    def want(self, runs: Sequence[tuple[int, RunInfo]], refs: Sequence[Ref]) -> None:
        """Ask for these fields of these runs, in this order, and for nothing else from now on."""
        with self._lock:
            asked = tuple(dict.fromkeys(refs))
            if asked != self._refs or not runs:
                self._wish += 1  # the reads under way are of no use
                self._pending = {}
            self._refs = asked
            pending = self._pending
            self._waiting = deque(run for run in runs if pending.get(run[0]) is not run[1]) if asked else deque()
            if self._waiting:
                self._over = self._rests = False
                if self._thread is None:
                    self._thread = Thread(target=self._run, name="trajview-where", daemon=True)
                    self._thread.start()
            self._lock.notify_all()

    def taken(self, batch: Sequence[Learnt], seconds: float = 0.0) -> None:
        """Confirm that a batch was taken in, which took so long; until then, its runs are not read again."""
        with self._lock:
            self._pause = max(_EVERY, min(5.0, _SHARE * seconds))
            for row, info, _ in batch:
                if self._pending.get(row) is info:
                    del self._pending[row]

    def cancel(self) -> None:
        """Ask for nothing any more, and end the processes."""
        self.want((), ())
        with self._lock:
            self._over = True
            self._lock.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is left to find; returns whether that came true. For tests."""
        with self._lock:
            return self._lock.wait_for(lambda: self._rests, timeout)

    def _run(self) -> None:
        while True:
            self._find_out()
            self._reader.rest()
            with self._lock:
                self._rests = not self._waiting
                self._lock.notify_all()
                self._lock.wait_for(lambda: self._waiting or self._over, _LINGER)
                if self._waiting:
                    continue
            self._reader.close()
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return

    def _find_out(self) -> None:
        """Find out the wanted details, until nothing is left."""
        batch: list[Learnt] = []
        due = monotonic() + _EVERY / 10
        with short_turns():
            while self._ask() or self._reader.busy:
                found = self._reader.take(_LOOK)
                with self._lock:
                    refs, wish = self._refs, self._wish
                batch += [(tag.row, tag.info, values_of(details, refs)) for tag, details in found if tag.wish == wish]
                if batch and monotonic() >= due:
                    self._tell(batch)
                    batch, due = [], monotonic() + self._pause
        if batch:
            self._tell(batch)

    def _ask(self) -> bool:
        """Ask for waiting runs, as long as those are found at once or processes are free; returns whether any were."""
        any_waited = False
        until = monotonic() + _LOOK
        while not self._reader.full and monotonic() < until:
            with self._lock:
                if not self._waiting:
                    break
                row, info = self._waiting.popleft()
                refs, wish = self._refs, self._wish
                self._pending[row] = info
            any_waited = True
            names = {ref.name for ref in refs}
            self._reader.ask(
                Wanted(wish, row, info),
                info,
                names,
                cancelled=lambda wish=wish: wish != self._wish,  # type: ignore[misc]
            )
        return any_waited
