"""Reading the details of runs: from the cache, or from the runs themselves; after a while with several processes.

Python runs on one core, and a screen that shares it with a thread that reads waits for it.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from pickle import PicklingError
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from trajview.corpus.child import Child, parent
from trajview.errors import TrajviewError

from .details import Cancelled, Details, details_of
from .unseen import Blinded

if TYPE_CHECKING:
    from trajview.corpus.files import Stamp
    from trajview.corpus.info import RunInfo
    from trajview.corpus.reader import Reader
    from trajview.models.run import AgentRun

    from .kept import DetailsCache

__all__ = ["LARGE", "TASK", "WARM", "DetailsReader", "Listed"]

WARM: Final = 0.3
"""Seconds of reading before processes are started: starting one takes half as long."""
TASK: Final = 256 << 10
"""Bytes of runs that a process is given in one go."""
_MOST_RUNS: Final = 64
"""Bytes and number of the runs that a process is given as one task."""
_AHEAD: Final = 2
"""Tasks that a process is given at a time, so that it never waits for the next."""
_MOST_WAITING: Final = 4 << 20
"""Bytes of runs that wait for a process, from which on no more should be asked for."""
LARGE: Final = 8 << 20
"""Bytes of a task that is not waited for when nobody wants it any more: its process is ended."""
_HUGE: Final = 64 << 20
"""Bytes of a run that is read while no other such run is: there may not be memory for several."""

Tag = TypeVar("Tag")


class Listed(Protocol):
    """The part of a corpus that reading its runs takes, here and in another process."""

    def read(self, info: RunInfo) -> AgentRun:
        """Parse a run for one look. Raises TrajviewError."""

    def listed(self, info: RunInfo) -> tuple[Stamp | None, RunInfo]:
        """The stamp of the run's file when it was listed, and the run as the list holds it now. Raises UnreadableError."""


@dataclass(slots=True, eq=False)
class _Job(Generic[Tag]):
    """A run whose details are asked for. `stamp` is the cache's, from before it is read."""

    tag: Tag
    info: RunInfo
    names: Collection[str]
    cancelled: Callable[[], bool]
    known: Details | None
    stamp: str


class _Process(Child, Generic[Tag]):
    """A process that reads, and its unanswered tasks, of which it works on the first."""

    def __init__(self) -> None:
        super().__init__(__name__)
        self.tasks: deque[list[_Job[Tag]]] = deque()


class DetailsReader(Generic[Tag]):
    """Finds out details of runs; `take` gives them, each with the tag that it was asked for with. One thread uses it."""

    def __init__(
        self,
        corpus: Listed,
        cache: DetailsCache | None = None,
        *,
        blind: bool = False,
        processes: int = 1,
        nice: int = 0,
        breath: float = 0.0,
    ) -> None:
        """`blind`: what blind mode hides is not there, and `cache`, which has it, is not used.

        `nice`: how far the processes stand back behind others. `breath`: seconds in which other threads may have the
        interpreter before each run that is read here.
        """
        self._corpus = corpus
        self._source = Blinded(corpus) if blind else corpus
        self._cache = None if blind else cache
        self._setup = blind, nice
        self._breath = breath
        self._most = processes if os.name == "posix" else 1
        self._spent = 0.0
        self._waiting: deque[_Job[Tag]] = deque()
        self._waiting_bytes = 0
        self._processes: list[_Process[Tag]] = []
        self._found: list[tuple[Tag, Details | None]] = []

    @property
    def busy(self) -> bool:
        """Whether some details that were asked for have not been given yet."""
        return bool(self._found or self._waiting or any(process.tasks for process in self._processes))

    @property
    def full(self) -> bool:
        """Whether so much is asked for that more should wait."""
        return self._waiting_bytes >= _MOST_WAITING

    def ask(
        self,
        tag: Tag,
        info: RunInfo,
        names: Collection[str],
        *,
        known: Details | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        """Ask for a run's details for fields of some names, beside those `known` already.

        Once `cancelled` says so, nobody wants them any more, and they may never come.
        """
        cache = self._cache
        stamp = cache.stamp(info) if cache is not None else ""
        if cache is not None and known is None:
            known = cache.find(info, stamp)
        if known is not None and known.has(names):
            self._found.append((tag, known))
            return
        job = _Job(tag, info, names, cancelled, known, stamp)
        if self._may_share():
            self._waiting.append(job)
            self._waiting_bytes += info.length
        else:
            self._read_here(job)

    def take(self, seconds: float) -> list[tuple[Tag, Details | None]]:
        """The details found by now, or within `seconds`; None for a run that cannot be read.

        Without a second to spare, the processes are only looked at when there is enough to be given to them.
        """
        self._abandon()
        self._feed(everything=seconds > 0)
        if not self._processes and self._waiting:
            self._read_here(self._next_job())
        elif (seconds > 0 or self._waiting_bytes >= TASK) and any(process.tasks for process in self._processes):
            self._receive(0 if self._found else seconds)
            self._feed(everything=False)
        found, self._found = self._found, []
        return found

    def rest(self) -> None:
        """Write to the cache."""
        if self._cache is not None:
            self._cache.close()

    def close(self) -> None:
        """End all processes, whatever they do. Open requests are forgotten; new ones may be made."""
        for process in self._processes:
            process.close()
        self._processes.clear()
        self._waiting.clear()
        self._waiting_bytes = 0
        self._found.clear()
        self.rest()

    # Here

    def _read_here(self, job: _Job[Tag]) -> None:
        if job.cancelled():
            return
        if self._breath:
            sleep(self._breath)
        begun = monotonic()
        details: Details | None = None
        with suppress(Cancelled):
            with suppress(TrajviewError):
                details = details_of(self._source.read(job.info), job.names, job.cancelled, job.known)
            self._take_in(job, details)
        self._spent += monotonic() - begun

    def _take_in(self, job: _Job[Tag], details: Details | None) -> None:
        if details is not None and self._cache is not None:
            self._cache.keep(job.info, job.stamp, details)
        self._found.append((job.tag, details))

    # There

    def _may_share(self) -> bool:
        """Whether there are processes to read; they are started when it is time to."""
        if len(self._processes) < self._most > 1 and self._spent > WARM:
            try:
                while len(self._processes) < self._most:
                    self._processes.append(process := _Process[Tag]())
                    process.send(self._setup)
            except OSError:  # no more processes, or no Python to start: those that there are do it, or none
                self._most = max(1, len(self._processes))
        return bool(self._processes)

    def _next_job(self) -> _Job[Tag]:
        job = self._waiting.popleft()
        self._waiting_bytes -= job.info.length
        return job

    def _next_task(self) -> list[_Job[Tag]]:
        """The runs that a process is to read next; none where they have to wait for a huge one."""
        task: list[_Job[Tag]] = []
        size = 0
        while self._waiting and size < TASK and len(task) < _MOST_RUNS:
            if self._waiting[0].info.length >= _HUGE and (task or self._reads_huge()):
                break
            job = self._next_job()
            if not job.cancelled():
                task.append(job)
                size += job.info.length
        return task

    def _reads_huge(self) -> bool:
        return any(job.info.length >= _HUGE for process in self._processes for task in process.tasks for job in task)

    def _feed(self, *, everything: bool) -> None:
        """Give waiting runs to the processes; `everything`: fewer runs than a whole task as well."""
        while self._waiting and self._processes and (everything or self._waiting_bytes >= TASK):
            process = min(self._processes, key=lambda one: len(one.tasks))
            if len(process.tasks) >= _AHEAD:
                return
            task = self._next_task()
            if not task:
                return
            process.tasks.append(task)
            sent = []
            for job in list(task):
                try:
                    stamp, info = self._corpus.listed(job.info)
                except TrajviewError:  # reading it here says so
                    task.remove(job)
                    self._read_here(job)
                else:
                    sent.append((info, stamp, job.names, job.known))
            try:
                process.send(sent)
            except OSError:
                self._lose(process)

    def _receive(self, seconds: float) -> None:
        """Read the findings of the processes, waiting at most `seconds`."""
        from multiprocessing.connection import wait

        pipes = wait([process.pipe for process in self._processes], seconds)
        for process in [process for process in self._processes if process.pipe in pipes]:
            try:
                answers: list[Details | None] = process.receive()
            except (EOFError, OSError):
                self._lose(process)
                continue
            for job, details in zip(process.tasks.popleft(), answers, strict=True):
                if details is None:  # the problem is reported and noted where the corpus is
                    self._read_here(job)
                else:
                    self._take_in(job, details)

    def _lose(self, process: _Process[Tag]) -> None:
        """Handle a process that has ended or was ended: its current run is read here, the rest by the others."""
        self._processes.remove(process)
        self._most = max(1, self._most - 1)
        process.close()
        at = process.tasks.popleft() if process.tasks else []
        for task in reversed(process.tasks):
            self._put_back(task)
        for job in at:
            self._read_here(job)

    def _abandon(self) -> None:
        """End processes that are busy for long with unwanted runs; others take their place when needed."""
        for process in list(self._processes):
            unwanted = process.tasks and all(job.cancelled() for job in process.tasks[0])
            if unwanted and sum(job.info.length for job in process.tasks[0]) >= LARGE:
                self._processes.remove(process)
                process.close()
                process.tasks.popleft()
                for task in reversed(process.tasks):
                    self._put_back(task)
        if self._waiting:
            self._may_share()

    def _put_back(self, task: list[_Job[Tag]]) -> None:
        self._waiting.extendleft(reversed(task))
        self._waiting_bytes += sum(job.info.length for job in task)


class _Records:
    """The records of files, in a process that has no corpus."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def read(self, info: RunInfo) -> AgentRun:
        """Parse a run for one look. Raises TrajviewError."""
        return self._reader.read_once(info, whole=False)


def main() -> None:
    """Do the tasks that the parent sends, and send details, None for a run that has to be read elsewhere."""
    from trajview.corpus.reader import Reader

    with parent() as (receive, send):
        blind, nice = receive()
        os.nice(nice)
        stamps: dict[Path, Stamp] = {}
        records = _Records(Reader(stamps, lambda info: info))
        source = Blinded(records) if blind else records
        while True:
            answers: list[Any] = []
            for info, stamp, names, known in receive():
                if stamp is None:
                    stamps.pop(info.path, None)
                else:
                    stamps[info.path] = stamp
                try:
                    answers.append(details_of(source.read(info), names, known=known))
                except TrajviewError:
                    answers.append(None)
            try:
                send(answers)
            except (
                PicklingError,
                TypeError,
                RecursionError,
            ):  # metadata of a type, or a depth, that goes through no pipe
                send([None] * len(answers))
