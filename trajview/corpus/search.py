"""Search through all messages of files and folders: run by run, in order, as fast as their bytes can be read."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final, Unpack

from trajview.errors import PluginProblem, Problem, TrajviewError, UnreadableError
from trajview.patterns.patience import MOST_TIMES, TooSlow

from .candidates import Counter, Part, Stopped
from .containers import kind_of
from .files import open_plain
from .gathered import is_gathered
from .info import Place
from .matches import Hit
from .named import Ids, is_wanted
from .query import Query
from .search_workers import Crew, Found, Reached, Task
from .searcher import Limits, Looking, RunMatches, Searcher, SlowProblem, Unnamed
from .unpack import is_plain
from .walk import Skipped, SourceFile, walk

__all__ = ["BATCH", "LARGE", "MANY", "MOST_FILES", "CorpusSearch", "Hit", "RunMatches", "cores"]

LARGE: Final = 8 << 20
"""Bytes of a file from which on its lines are shared out."""
_HUGE: Final = 64 << 20
"""Bytes of any other file that from then on is searched by itself: there may not be memory for several."""
_FIRST: Final = 1 << 20
BATCH: Final = 4 << 20
"""Bytes of small files that are one task."""
MOST_FILES: Final = 64
"""Small files that are one task, however small."""
MANY: Final = 40
"""Runs found, after which `keep_of_many` says how many hits of one are kept."""
_MOST_NAMES: Final = 8_000
"""Bytes, files, and characters of their paths in one task: such tasks are taken at once by who is busy with another."""
_MOST_PROCESSES: Final = 16


def cores() -> int:
    """The number of processes that a search may use."""
    try:
        count = len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        count = os.cpu_count() or 1
    return min(count, _MOST_PROCESSES)


class _Batch:
    """Files that become one task, and the number of bytes before them in the corpus."""

    def __init__(self) -> None:
        self._sources: list[SourceFile] = []
        self._begin = 0
        self._names = 0
        self.reach = 0
        """Bytes of all files up to here."""

    def is_full(self, more: SourceFile) -> bool:
        """Whether one more file is too many for a task."""
        return (
            self.reach + _size(more) - self._begin > BATCH
            or len(self._sources) >= MOST_FILES
            or self._names + _length(more) > _MOST_NAMES
        )

    def add(self, source: SourceFile) -> None:
        """Add a file."""
        self._sources.append(source)
        self._names += _length(source)
        self.reach += _size(source)

    def pass_over(self, size: int) -> None:
        """Go past a file that is in no batch."""
        self.reach += size

    def taken(self) -> Iterator[Task]:
        """The task of the files so far, if there are any; the next batch begins behind what was passed."""
        if self._sources:
            yield Task(tuple(self._sources), self._begin, self.reach)
        self._sources, self._begin, self._names = [], self.reach, 0


def _size(source: SourceFile) -> int:
    return source.stamp[0] if source.stamp else 0


def _length(source: SourceFile) -> int:
    """Characters that a task has to hold for a file."""
    return len(str(source.path)) + len(source.source)


class CorpusSearch:
    """One search through files and folders. `found` does it; the counts may be read meanwhile, from any thread.

    `processes`: how many share the work, once there is some. `blind` and `only` are `Looking`'s.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        query: Query,
        *,
        blind: bool = False,
        only: Collection[Place] | None = None,
        processes: int = 1,
        cancelled: Callable[[], bool] = lambda: False,
        **limits: Unpack[Limits],
    ) -> None:
        self.query = query
        self.bytes_done = 0
        self.files_done = 0
        self.files_found = 0
        """Files that were opened or are going to be."""
        self.skipped = 0
        self.runs = 0
        self.matches = 0
        self.messages = 0
        self._paths = paths
        self._keep_in_all = limits.get("keep_in_all")
        self._keep_of_many = limits.get("keep_of_many", limits.get("keep") or 0)
        self._processes = processes
        self._cancelled = cancelled
        self._searcher = Searcher(Looking(query, limits, blind, only), cancelled)
        self._crew = Crew(self._searcher, processes, cancelled, self._step)
        self._count: Counter | None = None
        self._counted: Path | None = None
        self._slow = 0
        self._failed: set[str] = set()
        self._named: dict[Path, Ids] = {}

    def found(self) -> Iterator[RunMatches | Problem]:
        """Every run that matches, in the order of the corpus, and what could not be read on the way.

        Once it is cancelled it ends soon, in the middle of a file or of a run. Raises TooSlow where the pattern takes
        too long again and again.
        """
        try:
            with closing(self._crew.run(self._tasks())) as found:
                for item in found:
                    if isinstance(item, Reached):
                        self.bytes_done = item.bytes_done
                        self.files_done += item.files
                    elif isinstance(item, PluginProblem):
                        if item.format not in self._failed:  # each process says it
                            self._failed.add(item.format)
                            yield item
                    elif isinstance(item, Problem):
                        yield item
                        self._give_up_if_slow(item)
                    elif (added := self._added(item)) is not None:
                        yield added
        except Stopped:
            return

    def _added(self, item: RunMatches | Unnamed) -> RunMatches | None:
        found = item
        if isinstance(found, Unnamed):
            path = found.found.path
            if self._count is None or self._counted != path:
                self._count, self._counted = Counter(path, self._stop), path
            found = found.named(self._count)
        if (ids := self._named.get(found.path)) is not None and not is_wanted(ids, found.id):
            return None
        keep = self._searcher.keep
        if keep is not None and len(found.hits) > keep:  # a process found it when more were to be kept
            found = replace(found, hits=found.hits[:keep])
        self.runs += 1
        if self.runs == MANY and keep is not None:
            self._searcher.keep = min(keep, self._keep_of_many)
        self.matches += found.matches
        self.messages += found.messages
        if self._keep_in_all is not None:
            self._keep_in_all -= len(found.hits)
            if self._keep_in_all <= 0:
                self._searcher.keep = 0
        return found

    def _give_up_if_slow(self, problem: Problem) -> None:
        self._slow += isinstance(problem, SlowProblem)
        if self._slow >= MOST_TIMES:
            raise TooSlow(
                "the pattern takes too long in one run after the other; the search is given up", hint=problem.hint
            )

    def _step(self, done: int) -> None:
        self._stop()
        if not self._crew.busy:
            self.bytes_done = done

    def _stop(self, _done: int = 0) -> None:
        if self._cancelled():
            raise Stopped

    # Tasks

    def _tasks(self) -> Iterator[Task | Found]:
        """The findings made right away, and the tasks between, in the order of the corpus."""
        batch = _Batch()
        for source in self._sources(batch):
            if isinstance(source, Problem):
                yield from batch.taken()
                yield source
                continue
            self.files_found += 1
            size = _size(source)
            apart = self._processes > 1 and size >= LARGE and self._are_lines(source)
            if apart or (self._processes > 1 and size >= _HUGE):
                yield from batch.taken()
                before = batch.reach
                batch.pass_over(size)
                yield from self._alone(source, before, batch.reach, apart)
                continue
            if batch.is_full(source):
                yield from batch.taken()
            batch.add(source)
        yield from batch.taken()

    def _sources(self, batch: _Batch) -> Iterator[SourceFile | Problem]:
        """The files to look in, and what is wrong with others; the batch is told of those that are passed over."""
        only = self._searcher.looking.only
        files = None if only is None else {path for path, _, _ in only}
        for source in walk(self._paths):
            self._stop()
            if isinstance(source, Skipped):
                self.skipped += source.count
                continue
            if isinstance(source, Problem):
                yield source
                continue
            if source.only is not None:
                self._named[source.path] = source.only
            if files is None or source.path in files:
                yield source
            else:
                batch.pass_over(_size(source))

    def _alone(self, source: SourceFile, before: int, reach: int, apart: bool) -> Iterator[Task | Found]:
        """A large file: searched here, but for its lines, which are tasks."""
        try:
            for item in self._searcher.in_file(
                source, lambda done: self._step(before + done), (lambda: self._crew.has_processes) if apart else None
            ):
                if not isinstance(item, Part):
                    yield item
                    continue
                done = before + item.offset + item.length
                yield Task((source,), before, done, item) if item.wanted else Reached(done)
        except TrajviewError as error:
            yield error.problem()
        yield Reached(reach, 1)

    def _are_lines(self, source: SourceFile) -> bool:
        """Whether a file may be lines that can be read one by one, from its own bytes."""
        if is_gathered(source.path):
            return False
        if "metadata" in self.query.searched:  # of which the name of a run is a part
            return False
        try:
            with os.fdopen(open_plain(source.path), "rb") as file:
                head = file.read(_FIRST)
                file.seek(0)
                return is_plain(head[:8]) and b"\n" in head and kind_of(file, source.path) == "json"
        except (OSError, UnreadableError):
            return False
