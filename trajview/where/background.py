"""Reads runs in a thread for what a filter or an order wants to know of them, the last wish first."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Sequence
from threading import Condition, Thread
from time import monotonic, sleep
from typing import Any, Final

from trajview.corpus.info import RunInfo

from .fields import Ref

__all__ = ["Finder", "Learnt"]

Learnt = tuple[int, RunInfo, dict[Ref, Any]]
"""A row, the run that was in it when it was asked for, and the values."""

Read = Callable[[RunInfo, Sequence[Ref], Callable[[], bool]], dict[Ref, Any] | None]
"""Gives the values of some fields of a run; None once the function says that nobody wants them any more."""

_EVERY: Final = 0.25
"""Seconds from one batch to the next, unless taking one in lasts long; the first one goes out after a tenth of that."""
_SHARE: Final = 10
"""So many times as long as it lasts to take a batch in is waited for the next one."""
_TURN: Final = 0.0005
"""Seconds that the thread may keep another one waiting; see `corpus`."""
_BREATH: Final = 0.0003
"""Seconds between two runs in which keys may have the processor: to read one is a single long step to the interpreter."""


class Finder:
    """Finds out what is wanted, in a thread that ends when nothing is. `tell` gets batches, in that thread; say then `taken`."""

    def __init__(self, read: Read, tell: Callable[[list[Learnt]], None], at_end: Callable[[], None] = lambda: None):
        """`at_end` is called in the thread whenever nothing is left to find."""
        self._read = read
        self._tell = tell
        self._at_end = at_end
        self._lock = Condition()
        self._waiting: deque[tuple[int, RunInfo]] = deque()
        self._refs: tuple[Ref, ...] = ()
        self._wish = 0
        self._pending: dict[int, RunInfo] = {}
        """What is being read, or was and has not been taken."""
        self._thread: Thread | None = None
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
            if self._waiting and self._thread is None:
                self._thread = Thread(target=self._run, name="trajview-where", daemon=True)
                self._thread.start()

    def taken(self, batch: Sequence[Learnt], seconds: float = 0.0) -> None:
        """What was told of these has been taken in, which took so long; until then, they are not read again."""
        with self._lock:
            self._pause = max(_EVERY, min(5.0, _SHARE * seconds))
            for row, info, _ in batch:
                if self._pending.get(row) is info:
                    del self._pending[row]

    def cancel(self) -> None:
        """Nothing is wanted any more."""
        self.want((), ())

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is left to find; whether that came true. For tests."""
        with self._lock:
            return self._lock.wait_for(lambda: self._thread is None, timeout)

    def _run(self) -> None:
        batch: list[Learnt] = []
        due = monotonic() + _EVERY / 10
        while True:
            with self._lock:
                if not self._waiting:
                    break
                row, info = self._waiting.popleft()
                refs, wish = self._refs, self._wish
                self._pending[row] = info
            if sys.getswitchinterval() > _TURN:
                sys.setswitchinterval(_TURN)
            sleep(_BREATH)
            values = self._read(info, refs, lambda wish=wish: wish != self._wish)  # type: ignore[misc]
            if values is not None:
                batch.append((row, info, values))
            if batch and monotonic() >= due:
                self._tell(batch)
                batch, due = [], monotonic() + self._pause
        if batch:
            self._tell(batch)
        self._at_end()
        with self._lock:
            self._thread = None
            if self._waiting:  # wanted since
                self._thread = Thread(target=self._run, name="trajview-where", daemon=True)
                self._thread.start()
            self._lock.notify_all()
