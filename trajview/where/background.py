"""Finds out in a thread what a filter or an order wants to know of runs, the last wish first."""

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
"""So many times as long as it lasts to take a batch in is waited for the next one."""
_LOOK: Final = 0.02
"""Seconds from one look at whether something else is wanted to the next."""
_LINGER: Final = 3.0
"""Seconds for which the thread, and the processes that read for it, wait for what is wanted next."""


class Wanted(NamedTuple):
    """A run of which something is wanted, and the number of the wish."""

    wish: int
    row: int
    info: RunInfo


class Finder:
    """Finds out what is wanted, in a thread that ends when nothing is. `tell` gets batches, in that thread; say then `taken`."""

    def __init__(self, reader: DetailsReader[Wanted], tell: Callable[[list[Learnt]], None]):
        self._reader = reader
        self._tell = tell
        self._lock = Condition()
        self._waiting: deque[tuple[int, RunInfo]] = deque()
        self._refs: tuple[Ref, ...] = ()
        self._wish = 0
        self._pending: dict[int, RunInfo] = {}
        """What is being read, or was and has not been taken."""
        self._thread: Thread | None = None
        self._rests = True
        self._over = False
        self._pause = _EVERY

    @property
    def left(self) -> int:
        """How many runs still have to be read, or taken."""
        return len(self._waiting) + len(self._pending)

    def want(self, runs: Sequence[tuple[int, RunInfo]], refs: Sequence[Ref]) -> None:
        """From now on, these fields of these runs are wanted, in this order, and nothing else."""
        with self._lock:
            asked = tuple(dict.fromkeys(refs))
            if asked != self._refs or not runs:
                self._wish += 1  # what is being read just now is of no use
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
        """What was told of these has been taken in, which took so long; until then, they are not read again."""
        with self._lock:
            self._pause = max(_EVERY, min(5.0, _SHARE * seconds))
            for row, info, _ in batch:
                if self._pending.get(row) is info:
                    del self._pending[row]

    def cancel(self) -> None:
        """Nothing is wanted any more, and the processes end."""
        self.want((), ())
        with self._lock:
            self._over = True
            self._lock.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is left to find; whether that came true. For tests."""
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
        """Find out what is wanted, until nothing is left."""
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
        """Ask for what waits, as long as that is found at once or there are processes to give it to; whether any did."""
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
