"""A scan in two passes, for a thread beside the viewer: every record is listed first, then read and summed up.

The first pass looks for lines only, so that all runs of a large file are there at once. The second one is the plain
scan, whose runs take the place of those listed: what is known in the end is what `Scan.found` gives.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from threading import Event
from time import monotonic
from typing import Final

from msgspec import Struct

from trajview.errors import Problem, TrajviewError, Where
from trajview.formats import registry

from .files import stamp_of
from .info import Gone, RunInfo
from .listing import listed
from .record import origin_of
from .scan import Scan
from .walk import SourceFile

__all__ = ["Background", "Listed"]

_AT_ONCE: Final = 4 << 20
"""Bytes of small files that are summed up in the first pass: they take no longer than a blink."""
_FIRST_BATCH: Final = 40
_PATIENCE: Final = 1.0  # seconds
_LARGEST_BATCH: Final = 4096
_MANY: Final = 500
_LONGEST_WAIT: Final = 0.1  # seconds until a batch goes out that is not full

Publish = Callable[[Sequence[RunInfo | Problem], Mapping[int, RunInfo | Problem]], None]


class Listed(Struct):
    """Runs of one file that were listed before they were read: so many rows, and as many runs, from these on."""

    source: SourceFile
    first_row: int
    first_run: int
    infos: deque[RunInfo]
    count: int = 0
    sure: bool = True
    """Whether every record said its id at its start."""


class Background:
    """Runs a scan in two passes, and hands on what it finds in batches: few at first, then more."""

    def __init__(
        self,
        scan: Scan,
        publish: Publish,
        on_listed: Callable[[Listed], None],
        cancelled: Event,
        may_go_on: Event | None = None,
        rests: Event | None = None,
    ) -> None:
        """`publish` gets new rows, and rows that are others now by their number; `on_listed` each file's runs, before.

        `may_go_on`: after the first rows it waits for this, a second at most, and says with `rests` that it does.
        """
        self._scan = scan
        self._publish = publish
        self._on_listed = on_listed
        self._cancelled = cancelled
        self._may_go_on = may_go_on
        self._rests = rests
        self._waits = self._is_listing = False
        self._rows = self._runs = 0
        self._batch: list[RunInfo | Problem] = []
        self._changed: dict[int, RunInfo | Problem] = {}
        self._limit = _FIRST_BATCH
        self._since = monotonic()

    def run(self) -> None:
        """Scan to the end, or until it is cancelled."""
        self._waits = self._may_go_on is not None
        for part in self._list():
            if self._cancelled.is_set():
                break
            self._read(part)
        self._flush()

    def run_plainly(self) -> None:
        """Scan in one pass."""
        for item in self._scan.found():
            self._add(item)
        self._flush()

    # The first pass

    def _list(self) -> list[Listed]:
        later: list[Listed] = []
        budget = _AT_ONCE
        sources = self._scan.sources()
        begun: Iterable[SourceFile | Problem] = ()
        if self._waits and self._may_go_on is not None and not self._may_go_on.is_set():
            begun = self._many(sources)
            if len(begun) >= _FIRST_BATCH:
                budget, begun = self._list_a_screenful(begun, budget, later)
        for number, source in enumerate(chain(begun, sources)):
            if not number:
                self._since = monotonic()  # to look through a large folder takes long, and no row can come before that
            if isinstance(source, Problem):
                self._add(source)
                continue
            known = not later and self._scan.knows(source)
            size = _size_of(source)
            if later or (size > budget and not known):
                self._is_listing = True
                # From the first file on that is not read at once, none is: keys are given in the order of reading.
                later.append(self._list_file(source))
                continue
            budget -= 0 if known else size
            for batch in self._scan.batches_in(source):
                self._add_all(batch)
        self._waits = self._waits and bool(later)
        self._flush()
        return later

    def _many(self, sources: Iterator[SourceFile | Problem]) -> list[SourceFile | Problem]:
        """The first files, as many as fill a screen; fewer where there are no more, or where they are long in coming."""
        begun: list[SourceFile | Problem] = []
        for source in sources:
            if not begun:
                self._since = monotonic()
            begun.append(source)
            if len(begun) >= _FIRST_BATCH or monotonic() - self._since > _LONGEST_WAIT:
                break
        return begun

    def _list_a_screenful(
        self, sources: Sequence[SourceFile | Problem], budget: int, later: list[Listed]
    ) -> tuple[int, Sequence[SourceFile | Problem]]:
        """List the first files, and read them once they are on the screen, as far as the budget goes; the rest is for later.

        To read a single one takes everything that reads and sums up records, which is longer to import than forty are to
        list. Returns what is left of the budget, and the files from the first one on that only reading can tell.
        """
        parts: list[Listed] = []
        left = list(reversed(sources))
        self._is_listing = True
        while left:
            source = left[-1]
            if isinstance(source, Problem):
                self._add(source)
            elif not parts and self._scan.knows(source):
                for batch in self._scan.batches_in(source):
                    self._add_all(batch)
            else:
                found, part = None, Listed(source, self._rows, self._runs, deque())
                with suppress(TrajviewError):  # reading it says why
                    found = self._begin_list(part, closely=True)
                if found is None:
                    break
                self._take_list(part, found)
                parts.append(part)
            left.pop()
        if not left:
            self._flush()
        self._is_listing = False
        for part in parts:
            size = _size_of(part.source)
            if later or size > budget:
                later.append(part)
            elif not self._cancelled.is_set():
                budget -= size
                self._read(part)
        self._is_listing = bool(later)
        self._flush()
        return budget, left[::-1]

    def _list_file(self, source: SourceFile) -> Listed:
        """List what a file seems to hold, where that can be told without reading it."""
        part = Listed(source, self._rows, self._runs, deque())
        with suppress(TrajviewError):  # reading it says why
            found = self._begin_list(part)
            part.sure = found is not None
            self._take_list(part, found or ())
        return part

    def _begin_list(self, part: Listed, *, closely: bool = False) -> Iterator[RunInfo] | None:
        """The runs that a file seems to hold, to be gone through; None where only reading it can tell.

        Raises UnreadableError.
        """
        source, stem = part.source, ""

        def default_id(record: int, alone: bool) -> str:
            nonlocal stem
            if part.sure:
                part.sure = False
                stem = origin_of(source.path, RunInfo("", "", source.path, "", "", "")).default_id
            return stem if alone else f"{stem}#{record}"

        self._scan.stamps[source.path] = source.stamp or stamp_of(source.path)
        return listed(source, registry.is_message_line, default_id, closely=closely)

    def _take_list(self, part: Listed, found: Iterable[RunInfo]) -> None:
        self._on_listed(part)
        with suppress(OSError):  # reading it says why
            for info in found:
                if self._cancelled.is_set():
                    break
                part.infos.append(info)
                part.count += 1
                self._add(info)

    # The second pass

    def _read(self, part: Listed) -> None:
        """Read a file that was listed; each run or problem takes the place of the row that its record has."""
        waiting = enumerate(_popped(part.infos))
        row, info = next(waiting, (0, None))
        problems: list[Problem] = []

        def pass_over(offset: float) -> None:
            """Rows whose records lie before this were no runs after all."""
            nonlocal row, info
            while info is not None and info.offset < offset:
                problem = _problem_for(info, problems)
                if problem is None and info.offset + info.length > offset:
                    problem = Gone("it is no run itself, but holds some", where=Where(info.path, info.line))
                elif problem is None and self._scan.is_written(part.source.path):
                    problem = Gone("this is not complete yet", where=Where(info.path, info.line))
                self._change(part.first_row + row, problem or _no_run(info))
                row, info = next(waiting, (0, None))

        for item in self._scan.in_file(part.source):
            if isinstance(item, Problem):
                # Is it about a record that cannot be read, or about the next one, which can? The next run tells.
                (self._add if item.opens else problems.append)(item)
                continue
            pass_over(item.offset)
            for problem in problems:
                self._add(problem)
            problems.clear()
            if info is not None and info.offset == item.offset:
                self._change(part.first_row + row, item)
                row, info = next(waiting, (0, None))
            else:
                self._add(item)
        if not self._cancelled.is_set():
            pass_over(float("inf"))
        for problem in problems:
            self._add(problem)
        part.infos.clear()

    # Batches

    def _add(self, item: RunInfo | Problem) -> None:
        self._batch.append(item)
        self._rows += 1
        self._runs += isinstance(item, RunInfo)
        self._go_on()

    def _add_all(self, items: Sequence[RunInfo | Problem]) -> None:
        self._batch += items
        self._rows += len(items)
        self._runs += sum([isinstance(item, RunInfo) for item in items])
        self._go_on()

    def _change(self, row: int, item: RunInfo | Problem) -> None:
        self._changed[row] = item
        self._go_on()

    def _go_on(self) -> None:
        now, count = monotonic(), len(self._batch) + len(self._changed)
        if count >= self._limit or now - self._since > _LONGEST_WAIT:
            self._flush()
            if count >= self._limit:
                self._limit = min(self._limit * 2, _LARGEST_BATCH)

    def _flush(self) -> None:
        batch, changed = self._batch, self._changed
        self._batch, self._changed = [], {}
        if self._is_listing and len(batch) >= _MANY:
            # What is listed stays: to look through it for garbage, again and again, would stop all threads for 0.2 s.
            gc.freeze()
        self._publish(batch, changed)
        if self._waits and batch and (self._is_listing or self._rows >= _FIRST_BATCH):
            self._waits = False
            # Of two threads that compute, each waits for the other at every call of the system: a program that starts
            # meanwhile takes three times as long.
            if self._rests is not None:
                self._rests.set()
            if self._may_go_on is not None:
                self._may_go_on.wait(_PATIENCE)
        self._since = monotonic()


def _popped(infos: deque[RunInfo]) -> Iterator[RunInfo]:
    """Each, which nothing keeps any longer: of a large file, listing and reading it take no memory twice."""
    while infos:
        yield infos.popleft()


def _size_of(source: SourceFile) -> int:
    try:
        return (source.stamp or stamp_of(source.path))[0]
    except TrajviewError:  # reading it says why
        return 0


def _problem_for(info: RunInfo, problems: list[Problem]) -> Problem | None:
    """What is wrong with a record that turned out to be no run, taken from what the scan said."""
    for index, problem in enumerate(problems):
        if problem.where.line == info.line:
            return problems.pop(index)
    if problems and info.alone:
        return problems.pop(0)
    return None


def _no_run(info: RunInfo) -> Problem:
    return Problem("the record cannot be read", "the file may have been changed meanwhile", Where(info.path, info.line))
