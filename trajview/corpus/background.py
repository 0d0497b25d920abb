"""A scan in two passes, for a thread beside the viewer: every record is listed first, then read and summed up.

The first pass looks for lines only, so that all runs of a large file are there at once. The second one is the plain
scan, whose runs take the place of those listed: what is known in the end is what `Scan.found` gives.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from threading import Event
from time import monotonic
from typing import Final

from msgspec import Struct

from trajview.errors import Problem, TrajviewError, Where

from .files import stamp_of
from .found import Found
from .info import Gone, Item, RunInfo
from .listing import listed
from .record import Record, origin_of
from .scan import Scan
from .walk import SourceFile

__all__ = ["AT_ONCE", "PATIENCE", "Background"]

AT_ONCE: Final = 4 << 20
"""Bytes of small files that are summed up in the first pass: they take no longer than a blink."""
_SLOW: Final = {".yaml": 30, ".yml": 30, ".parquet": 20, ".arrow": 2, ".csv": 2} | dict.fromkeys(
    (".eval", ".gz", ".bz2", ".xz", ".zst", ".zstd"), 20
)
"""Bytes of JSON that are read while one byte of such a file is."""
_FIRST_BATCH: Final = 40
PATIENCE: Final = 1.0
"""Seconds after which a scan that was started patiently goes on by itself."""
_LARGEST_BATCH: Final = 4096
_LONGEST_WAIT: Final = 0.1  # seconds until a batch goes out that is not full


class _Listed(Struct):
    """The runs of a file that wait to be read, with the numbers of the first among all rows and among runs."""

    source: SourceFile
    row: int
    run: int
    infos: deque[RunInfo]


class Background:
    """Runs a scan in two passes, and publishes its findings in batches: few at first, then more."""

    def __init__(self, scan: Scan, found: Found, cancelled: Event, may_go_on: Event, rests: Event) -> None:
        """After the first rows it waits for `may_go_on`, a second at most, and says with `rests` that it does."""
        self._scan = scan
        self._found = found
        self._cancelled = cancelled
        self._may_go_on = may_go_on
        self._rests = rests
        self._waits = False
        self._budget = 0.0
        self._later: deque[_Listed] = deque()
        self._rows = self._runs = 0
        self._batch: list[Item] = []
        self._changed: dict[int, tuple[int, Item]] = {}
        self._limit = _FIRST_BATCH
        self._since = monotonic()

    def run(self, *, plainly: bool = False) -> None:
        """Scan to the end, or until it is cancelled. `plainly`: in one pass."""
        self._waits, self._budget = not plainly, float("inf") if plainly else AT_ONCE
        sources = self._scan.sources()
        for source in chain(self._list_a_screenful(sources), sources):
            if isinstance(source, Problem):
                self._add(source)
            # Once a file is put off, all files after it are: keys are given in the order of reading.
            elif self._later or ((work := _work_in(source)) > self._budget and not self._scan.knows(source)):
                self._list(source)
            else:
                self._budget -= work
                self._read_at_once(source)
        if self._later:
            self._flush()
        self._waits = False
        while self._later and not self._cancelled.is_set():
            self._read(self._later.popleft())
        self._add_all(self._scan.unknown())
        self._flush()

    # The first pass

    def _list_a_screenful(self, sources: Iterator[SourceFile | Problem]) -> Sequence[SourceFile | Problem]:
        """List the first files, and read them once they are on the screen, as far as the budget goes; the rest is for later.

        To read a single one takes everything that reads and sums up records, which is longer to import than forty are to
        list. Returns the files that were found and not listed: from the first one on that only reading can tell.
        """
        left = self._many(sources)
        if len(left) < _FIRST_BATCH or not self._waits or self._may_go_on.is_set():
            return left
        left.reverse()
        while left:
            source = left[-1]
            if isinstance(source, Problem):
                self._add(source)
            elif not self._later and self._scan.knows(source):
                self._read_at_once(source)
            elif not self._list(source, closely=True):
                break
            left.pop()
        if not left:
            self._flush()
        while self._later and (work := _work_in(self._later[0].source)) <= self._budget:
            self._budget -= work
            self._read(self._later.popleft())
        self._flush()
        return left[::-1]

    def _many(self, sources: Iterator[SourceFile | Problem]) -> list[SourceFile | Problem]:
        """The first files, as many as fill a screen; fewer where there are no more, or where they are long in coming."""
        begun: list[SourceFile | Problem] = []
        for source in sources:
            if not begun:
                self._since = monotonic()  # walking a large folder takes long, and no row can come before that
            begun.append(source)
            if len(begun) >= _FIRST_BATCH or monotonic() - self._since > _LONGEST_WAIT:
                break
        return begun

    def _read_at_once(self, source: SourceFile) -> None:
        for batch in self._scan.batches_in(source):
            self._add_all(batch)

    def _list(self, source: SourceFile, *, closely: bool = False) -> bool:
        """List the likely records of a file, to be read later. `closely`: False, and nothing done, if only reading can tell."""
        found = None
        stem = origin_of(source.path, Record(None, "", 0, 0)).default_id
        with suppress(TrajviewError):  # reading it says why
            self._scan.stamps[source.path] = source.stamp or stamp_of(source.path)
            found = listed(source, stem, closely=closely)
        if found is None:
            if closely:
                return False
            self._found.is_unsure_from(self._runs)
        part = _Listed(source, self._rows, self._runs, deque())
        self._later.append(part)
        with suppress(OSError):  # reading it says why
            for info in found or ():
                if self._cancelled.is_set():
                    break
                # The rows of a table that has no ids are named by their number.
                if info.container != "parquet" and info.id.partition("#")[0] == stem:
                    self._found.is_unsure_from(part.run)
                part.infos.append(info)
                self._add(info)
        return True

    # The second pass

    def _read(self, part: _Listed) -> None:
        """Read a file that was listed; each run or problem takes the place of the row that its record has."""
        waiting, problems = part.infos, list[Problem]()

        def pass_over(offset: float) -> None:
            """Rows whose records lie before this were no runs after all."""
            while waiting and waiting[0].offset < offset:
                info = waiting[0]
                where = Where(info.path, info.line)
                problem = _problem_for(info, problems)
                if problem is None and info.offset + info.length > offset:
                    problem = Gone("it is no run itself, but holds some", where=where)
                elif problem is None and self._scan.is_written(part.source.path):
                    problem = Gone("this is not complete yet", where=where)
                elif problem is None:
                    problem = Problem("the record cannot be read", "the file may have been changed meanwhile", where)
                self._settle(part, problem)

        for item in self._scan.in_file(part.source):
            if isinstance(item, Problem):
                # Is it about a record that cannot be read, or about the next one, which can? The next run tells.
                (self._add if item.opens else problems.append)(item)
                continue
            pass_over(item.offset)
            self._add_all(problems)
            problems.clear()
            if waiting and waiting[0].offset == item.offset:
                self._settle(part, item)
            else:
                self._add(item)
        if not self._cancelled.is_set():
            pass_over(float("inf"))
        self._add_all(problems)

    def _settle(self, part: _Listed, item: Item) -> None:
        """Decide what the first waiting record is, and forget it: of a large file, it must not take memory twice."""
        part.infos.popleft()
        self._changed[part.row] = part.run, item
        part.row += 1
        part.run += 1
        self._go_on()

    # Batches

    def _add(self, item: Item) -> None:
        self._batch.append(item)
        self._rows += 1
        self._runs += isinstance(item, RunInfo)
        self._go_on()

    def _add_all(self, items: Iterable[Item]) -> None:
        for item in items:
            self._add(item)

    def _go_on(self) -> None:
        now, count = monotonic(), len(self._batch) + len(self._changed)
        if count >= self._limit or now - self._since > _LONGEST_WAIT:
            self._flush()
            if count >= self._limit:
                self._limit = min(self._limit * 2, _LARGEST_BATCH)

    def _flush(self) -> None:
        batch, changed = self._batch, self._changed
        self._batch, self._changed = [], {}
        self._found.publish(batch, changed)
        if self._waits and batch:
            self._waits = False
            # Two threads that compute wait for each other at every system call: a program that starts
            # meanwhile takes three times as long.
            self._rests.set()
            self._may_go_on.wait(PATIENCE)
        self._since = monotonic()


def _work_in(source: SourceFile) -> int:
    """The work of reading a file, in bytes of JSON."""
    try:
        return (source.stamp or stamp_of(source.path))[0] * _SLOW.get(source.path.suffix.lower(), 1)
    except TrajviewError:  # reading it says why
        return 0


def _problem_for(info: RunInfo, problems: list[Problem]) -> Problem | None:
    """The reason why a record turned out to be no run, from the problems of the scan."""
    for index, problem in enumerate(problems):
        if problem.where.line == info.line:
            return problems.pop(index)
    if problems and info.alone:
        return problems.pop(0)
    return None
