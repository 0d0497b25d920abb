"""The processes that share a search. Each searches the lines or files given to it; findings are yielded in order.

Python runs on one core, and reading records is most of a search. The processes are only started once a search takes
a while, and end with it.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from trajview.errors import Problem, TrajviewError, Where

from .candidates import Part, Stopped
from .child import Child, parent
from .searcher import RunMatches, Searcher, Unnamed
from .walk import SourceFile

__all__ = ["WARM", "Crew", "Found", "Reached", "Task"]

WARM: Final = 0.3
"""Seconds of searching before processes are started: starting one takes half as long."""
_AHEAD: Final = 2
"""Tasks that a process is given at a time, so that it never waits for the next."""
_EVERY: Final = 0.1
"""Seconds from one look at whether the search is cancelled to the next, and from one delivery of a process to the next."""


@dataclass(frozen=True, slots=True)
class Task:
    """Files to search, or a part of one. `begin` and `reach`: the bytes of all files before and after that."""

    sources: tuple[SourceFile, ...]
    begin: int
    reach: int
    part: Part | None = None


@dataclass(frozen=True, slots=True)
class Reached:
    """Progress of a search: bytes done so far, and files done since the last one."""

    bytes_done: int
    files: int = 0


Found = RunMatches | Unnamed | Problem | Reached


@dataclass(slots=True)
class _Slot:
    """An entry in the order of results: a task under way, or findings."""

    task: Task | None
    items: deque[Found] = field(default_factory=deque)
    finished: bool = True
    worker: Worker | None = None


class Worker(Child):
    """A process that searches, and its unfinished tasks."""

    def __init__(self) -> None:
        super().__init__(__name__)
        self.slots: deque[_Slot] = deque()


class Crew:
    """Does tasks itself, and after a while with `most` processes; with one, always itself."""

    def __init__(
        self, searcher: Searcher, most: int, cancelled: Callable[[], bool], step: Callable[[int], None]
    ) -> None:
        """`step` is told of the bytes done in a task that is done here."""
        self._searcher = searcher
        self._most = most if os.name == "posix" else 1
        self._cancelled = cancelled
        self._step = step
        self._spent = 0.0
        self._slots: deque[_Slot] = deque()
        self._workers: list[Worker] = []

    @property
    def busy(self) -> bool:
        """Whether tasks are under way."""
        return bool(self._slots)

    @property
    def has_processes(self) -> bool:
        """Whether there are processes that share the work."""
        return bool(self._workers)

    def run(self, todo: Iterator[Task | Found]) -> Generator[Found, None, None]:
        """Yield the findings of tasks, and those made already, in order. Raises Stopped once it is cancelled."""
        try:
            more = True
            while more or self._slots:
                if self._cancelled():
                    raise Stopped
                while more and self._has_room():
                    item = next(todo, None)
                    if item is None:
                        more = False
                    elif not isinstance(item, Task):
                        self._slots.append(_Slot(None, deque((item,))))
                    elif self._slots or self._may_share():
                        self._slots.append(self._given(item))
                    else:
                        yield from self._timed(item)
                    if self._workers:
                        self._read(0)
                    if self._slots and (self._slots[0].items or self._slots[0].finished):
                        break  # what is found is given before more is looked for
                yield from self._ready()
                # As long as a process may be without a task, the next one is looked for, and nothing waited for.
                if self._slots and self._slots[0].worker is not None and not (more and self._has_room()):
                    self._read(_EVERY)
        finally:
            self.close()

    def _has_room(self) -> bool:
        """Whether the processes may be given another task."""
        return sum(not slot.finished for slot in self._slots) < _AHEAD * max(1, len(self._workers))

    def close(self) -> None:
        """End all processes, whatever they do."""
        for worker in self._workers:
            worker.close()
        self._workers.clear()

    def _ready(self) -> Iterator[Found]:
        """The findings that are next in order."""
        while self._slots:
            slot = self._slots[0]
            while slot.items:
                yield slot.items.popleft()
            if slot.worker is not None:
                return
            self._slots.popleft()
            if slot.task is not None:
                if slot.finished:
                    yield _reached(slot.task)
                else:  # its process is gone before it began
                    yield from self._here(slot.task)

    # Here

    def _timed(self, task: Task) -> Iterator[Found]:
        found = self._here(task)
        while True:
            start = time.monotonic()
            item = next(found, None)
            self._spent += time.monotonic() - start
            if item is None:
                return
            yield item

    def _here(self, task: Task) -> Iterator[Found]:
        yield from _done(self._searcher, task, self._step)
        yield _reached(task)

    # There

    def _may_share(self) -> bool:
        """Whether there are processes to give tasks to; they are started when it is time to."""
        if not self._workers and self._most > 1 and self._spent > WARM:
            self._start()
            if not self._workers:
                self._most = 1
        return bool(self._workers)

    def _start(self) -> None:
        try:
            for _ in range(self._most):
                self._workers.append(worker := Worker())
                worker.send(self._searcher.looking)
        except OSError:  # no more processes, or no Python to start: those that there are do it, or none
            pass

    def _given(self, task: Task) -> _Slot:
        """The slot of a task that is given to a process, if there is one."""
        slot = _Slot(task, finished=False)
        if self._workers:
            worker = min(self._workers, key=lambda one: len(one.slots))
            slot.worker = worker
            worker.slots.append(slot)
            try:
                worker.send((task, self._searcher.keep))
            except OSError:
                self._lost(worker)
        return slot

    def _read(self, seconds: float) -> None:
        """Read the findings of the processes, waiting at most `seconds`."""
        from multiprocessing.connection import wait

        pipes = wait([worker.pipe for worker in self._workers], seconds)
        for worker in [worker for worker in self._workers if worker.pipe in pipes]:
            try:
                finished, items = worker.receive()
            except (EOFError, OSError):
                self._lost(worker)
                continue
            worker.slots[0].items.extend(items)
            if finished:
                slot = worker.slots.popleft()
                slot.finished, slot.worker = True, None

    def _lost(self, worker: Worker) -> None:
        """Handle a process that has ended or was ended: its current task is reported, the rest is done here."""
        self._workers.remove(worker)
        worker.close()
        for at, slot in enumerate(worker.slots):
            slot.worker = None
            if at == 0:
                assert slot.task is not None
                path = slot.task.sources[0].path
                slot.items.append(Problem(
                    "a process of the search was ended in the middle of it, and some runs are left out",
                    "maybe memory ran out: search with -j 1", Where(path, None if slot.task.part is None else slot.task.part.number + 1),
                ))  # fmt: skip
                slot.finished = True
        if not self._workers:
            self._most = 1


def _reached(task: Task) -> Reached:
    return Reached(task.reach, 0 if task.part is not None else len(task.sources))


def _done(searcher: Searcher, task: Task, step: Callable[[int], None]) -> Iterator[RunMatches | Unnamed | Problem]:
    """The findings of a task; `step` is called with the bytes done, before it and in it. Raises what `step` raises."""
    if task.part is not None:
        try:
            yield from searcher.in_part(task.sources[0], task.part)
        except TrajviewError as error:
            yield error.problem()
        return
    before = task.begin
    for source in task.sources:
        try:
            for item in searcher.in_file(source, lambda done, before=before: step(before + done)):  # type: ignore[misc]
                assert not isinstance(item, Part)
                yield item
        except TrajviewError as error:
            yield error.problem()
        before += source.stamp[0] if source.stamp else 0


def main() -> None:
    """Do the tasks that the parent sends, and send the findings."""
    with parent() as (receive, send):
        searcher = Searcher(receive())
        while True:
            task, searcher.keep = receive()
            items: list[Any] = []
            sent = time.monotonic()
            for item in _done(searcher, task, lambda _: None):
                items.append(item)
                if (now := time.monotonic()) - sent > _EVERY:
                    send((False, items))
                    items, sent = [], now
            send((True, items))
