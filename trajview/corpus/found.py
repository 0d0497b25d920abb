"""What a scan has found so far: runs and problems, where each run is among them, and who is told."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Condition, RLock
from typing import TYPE_CHECKING

from trajview.errors import Problem, UnreadableError, Where

from .background import Listed
from .feed import Feed
from .info import Gone, Place, RunInfo, Updated

if TYPE_CHECKING:
    from .rows import News

__all__ = ["Found"]


class Found:
    """The lists of a corpus. One thread adds to them, and numbers the rows as it does; any thread reads.

    `infos` hold the runs in the order of their rows, `feed` has the rows: runs, problems, and what is gone.
    """

    def __init__(self) -> None:
        self.infos: list[RunInfo] = []
        self.problems: list[Problem] = []
        self.feed: Feed[RunInfo | Problem, Updated] = Feed(Updated)
        self._by_key: dict[str, int] = {}
        """Without the runs that `_by_id` has under their key, which are nearly all of them."""
        self._by_id: dict[str, int] = {}
        self._files: dict[Path, Listed] = {}
        self._parts: list[Listed] = []
        self._gone: set[int] = set()
        self._moved = False
        self._reports: list[Problem] | None = []
        """What has no row yet: the scan numbers the rows, and knows of no others before its end. None from then on."""
        self._lock = RLock()
        self._news = Condition()

    def finish(self) -> None:
        """The scan is at its end, and `add_reports` was called."""
        self.feed.finish()
        with self._news:
            self._news.notify_all()

    def wait_for(self, condition: Callable[[], bool], timeout: float | None) -> None:
        """Wait until something is true of the lists, at most `timeout` seconds."""
        with self._news:
            self._news.wait_for(condition, timeout)

    def on_listed(self, part: Listed) -> None:
        """A file whose runs come next, before they are summed up."""
        self._parts.append(part)
        self._files[part.source.path] = part

    def publish(
        self, batch: Sequence[RunInfo | Problem], changed: Mapping[int, RunInfo | Problem] | None = None
    ) -> None:
        """New rows, and earlier ones that were summed up, or are no runs after all, by their number."""
        infos, by_id = self.infos, self._by_id
        for item in batch:
            if isinstance(item, RunInfo):
                at = len(infos)
                infos.append(item)
                first = by_id.setdefault(item.id, at)
                if item.summarised and (first != at or item.key != item.id):
                    self._by_key[item.key] = at
            else:
                self.problems.append(item)
        for row, item in (changed or {}).items():
            part = self._parts[bisect_left(self._parts, row + 1, key=lambda part: part.first_row) - 1]
            at = part.first_run + row - part.first_row
            if isinstance(item, RunInfo):
                self._enter(item, at)
                self.infos[at] = item
            else:
                if not isinstance(item, Gone):
                    self.problems.append(item)
                self._gone.add(at)
        self.feed.publish(batch, changed)
        with self._news:
            self._news.notify_all()

    def report(self, problem: Problem) -> int | None:
        """A problem that was found by another look than the scan's; gives its row, None where it gets one at its end.

        Not while others add to the lists, but for the scan.
        """
        with self._lock:
            if self._reports is not None:
                self._reports.append(problem)
                return None
        self.publish([problem])
        return len(self.feed) - 1

    def add_reports(self) -> None:
        """Give what was reported meanwhile a row: the scan adds no more. Not while others add to the lists."""
        with self._lock:
            reports, self._reports = self._reports, None
        told = set(map(_said, self.problems))
        self.publish([problem for problem in reports or () if _said(problem) not in told])

    def is_told(self, problem: Problem) -> bool:
        """Whether the same was said of a file already, wherever in it."""
        with self._lock:
            return _said(problem) in map(_said, (*self.problems, *(self._reports or ())))

    def _enter(self, info: RunInfo, at: int) -> None:
        """Take note of where a run is."""
        first = self._by_id.setdefault(info.id, at)
        if info.summarised and (first != at or info.key != info.id):
            self._by_key[info.key] = at

    def _list_these(self, infos: list[RunInfo]) -> None:
        """Have these for all runs, in the place of those that there are; who looks meanwhile finds the ones or the others."""
        by_key: dict[str, int] = {}
        by_id: dict[str, int] = {}
        for at, info in enumerate(infos):
            first = by_id.setdefault(info.id, at)
            if info.summarised and (first != at or info.key != info.id):
                by_key[info.key] = at
        with self._lock:
            self.infos, self._by_key, self._by_id = infos, by_key, by_id

    def _at(self, key: str) -> int:
        """Where the run with a key is, -1 where there is none."""
        at = self._by_key.get(key)
        if at is None:
            at = self._by_id.get(key, -1)
            if at >= 0 and self.infos[at].key != key:
                return -1
        return at

    def leave_out_gone(self) -> None:
        """Take out what was listed as a run and is none."""
        if not self._gone:
            return
        gone = sorted(self._gone)
        with self._lock:
            self._list_these([info for at, info in enumerate(self.infos) if at not in self._gone])
            for part in self._parts:
                before = bisect_left(gone, part.first_run)
                part.count -= bisect_left(gone, part.first_run + part.count) - before
                part.first_run -= before
            self._gone = set()

    def take(self, news: News) -> None:
        """Rows that are new or others now. All runs are summed up."""
        anew, self._moved = False, True
        for row, item in news.changed.items():
            before = self.feed.items[row]
            if isinstance(before, RunInfo) and isinstance(item, RunInfo) and before.key == item.key:
                self.infos[self._at(item.key)] = item
            else:
                anew = True
        if anew:
            self.feed.publish(news.added, news.changed)
            self._list_anew()
        else:
            self.publish(news.added)
            self.feed.publish((), news.changed)

    def _list_anew(self) -> None:
        items = self.feed.items
        self.problems = [item for item in items if isinstance(item, Problem) and not isinstance(item, Gone)]
        self._list_these([item for item in items if isinstance(item, RunInfo)])

    def as_listed(self, info: RunInfo) -> RunInfo:
        """A run as the list holds it now. Raises UnreadableError where it holds it no more."""
        if not self._moved or not info.summarised:
            return info
        with self._lock:
            at = self._at(info.key)
            if at >= 0:
                return self.infos[at]
        raise UnreadableError(
            "this run is not there any more", hint="the file was changed since", where=Where(info.path, info.line)
        )

    def now(self, info: RunInfo) -> tuple[int, RunInfo]:
        """What the list holds now for a run that was listed before it was summed up, and where."""
        with self._lock:
            if self._moved:  # the parts of the list are not where they were
                place = info.place
                for at, found in enumerate(self.infos):
                    if found.place == place:
                        return at, found
            part = None if self._moved else self._files.get(info.path)
            infos = self.infos
            if part is not None:
                end = part.first_run + part.count
                at = bisect_left(infos, info.offset, part.first_run, end, key=lambda found: found.offset)
                if at < end and infos[at].offset == info.offset and at not in self._gone:
                    return at, infos[at]
        raise UnreadableError(
            "this record is no run after all",
            hint="the list says what is wrong with it",
            where=Where(info.path, info.line),
        )

    def is_waiting(self, at: int) -> bool:
        """Whether the run at that place may still be summed up."""
        return not (self.feed.finished or at >= len(self.infos) or self.infos[at].summarised or at in self._gone)

    def is_sure(self, at: int, listed: RunInfo, summed: RunInfo) -> bool:
        """Whether no record before this one can have its id."""
        parts = self._parts[: bisect_left(self._parts, at + 1, key=lambda part: part.first_run)]
        return listed.id == summed.id and self._by_id.get(summed.id) == at and all(part.sure for part in parts)

    def find(self, id_or_key: str) -> RunInfo | None:
        """The run with that key, else the first with that id; None where there is none that is summed up (yet)."""
        with self._lock:
            at = self._by_key.get(id_or_key, self._by_id.get(id_or_key))
            if at is None:
                return None
            info = self.infos[at]
        return info if info.summarised and id_or_key in (info.key, info.id) else None

    def at(self, place: Place, id: str) -> RunInfo:
        """The run of that id whose record is at a place. Raises UnreadableError where the list has none there (yet).

        Where files have changed since they were listed, another run may stand there: then it is the only one of that id.
        """
        for info in self.infos:
            if info.offset == place[2] and info.place == place:
                if info.id == id or not self._moved:
                    return info
                break
        if self._moved:
            with_id = [info for info in self.infos if info.id == id]
            if len(with_id) == 1:
                return with_id[0]
            raise UnreadableError(
                f"{id} is not there any more", hint="the file was changed since", where=Where(place[0])
            )
        raise UnreadableError(
            "this run is not in the list",
            hint="the list may still be made, or the file was changed",
            where=Where(place[0]),
        )

    def neighbour(self, info: RunInfo, step: int) -> RunInfo | None:
        """The run so many places after another one (before it, where `step` is negative); None past the ends."""
        with self._lock:
            at = self._at(info.key)
            if at < 0 or not 0 <= at + step < len(self.infos):
                return None
            return self.infos[at + step]


def _said(problem: Problem) -> object:
    return problem.reason, problem.where.path
