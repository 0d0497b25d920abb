"""The findings of a scan so far: runs and problems, the place of each run among them, and the subscribers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from sys import maxsize
from threading import RLock
from typing import TYPE_CHECKING

from trajview.errors import Problem, UnreadableError, Where

from .feed import Feed
from .info import Gone, Item, Place, RunInfo, Updated

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
        self.feed: Feed[Item, Updated] = Feed(Updated)
        self._by_name: dict[str, int] = {}
        """The place of the run with a key, else of the first one with that id."""
        self._gone: set[int] = set()
        """Places of runs that were listed and are none; they are left out in the end."""
        self._unsure_from = maxsize
        self._moved = False
        self._reports: list[Problem] | None = []
        """Problems without a row: the scan numbers the rows, and knows of no others before its end. None from then on."""
        self._lock = RLock()

    def is_unsure_from(self, at: int) -> None:
        """Note that runs from there on which are not summed up may have any id."""
        self._unsure_from = min(self._unsure_from, at)

    def publish(self, batch: Sequence[Item], settled: Mapping[int, tuple[int, Item]] | None = None) -> None:
        """Publish new rows, and earlier ones that were only listed, by their number and their place among the runs."""
        for item in batch:
            if isinstance(item, RunInfo):
                _enter(self._by_name, item, len(self.infos))
                self.infos.append(item)
            else:
                self.problems.append(item)
        changed: dict[int, Item] = {}
        for row, (at, item) in (settled or {}).items():
            changed[row] = item
            if isinstance(item, RunInfo):
                _enter(self._by_name, item, at)
                self.infos[at] = item
            else:
                if not isinstance(item, Gone):
                    self.problems.append(item)
                self._gone.add(at)
        self.feed.publish(batch, changed)

    def report(self, problem: Problem) -> int | None:
        """Add a problem that another look than the scan's has found; returns its row, None where it gets one at the end.

        Not while others add to the lists, but for the scan.
        """
        with self._lock:
            if self._reports is not None:
                self._reports.append(problem)
                return None
        self.publish([problem])
        return len(self.feed) - 1

    def finish(self) -> None:
        """End the scan: problems that were reported meanwhile get a row. Not while others add to the lists."""
        with self._lock:
            reports, self._reports = self._reports, None
        told = set(map(_identity_of, self.problems))
        self.publish([problem for problem in reports or () if _identity_of(problem) not in told])

    def is_reported(self, problem: Problem) -> bool:
        """Whether the same problem was reported for a file already, wherever in it."""
        with self._lock:
            return _identity_of(problem) in map(_identity_of, (*self.problems, *(self._reports or ())))

    def leave_out_gone(self) -> None:
        """Remove rows that were listed as a run and are none."""
        if self._gone:
            self._list_anew()

    def take(self, news: News) -> None:
        """Take over rows that are new or changed. All runs are summed up."""
        anew, self._moved = False, True
        for row, item in news.changed.items():
            before = self.feed.items[row]
            if isinstance(before, RunInfo) and isinstance(item, RunInfo) and before.key == item.key:
                self.infos[self._at(item.key)] = item
            else:
                anew = True
        if anew:
            self.feed.publish(news.added, news.changed)
            items = self.feed.items
            self.problems = [item for item in items if isinstance(item, Problem) and not isinstance(item, Gone)]
            self._list_anew()
        else:
            self.publish(news.added)
            self.feed.publish((), news.changed)

    def _list_anew(self) -> None:
        """List all runs from the rows as they are; readers meanwhile find these, or all that were there before."""
        infos = [item for item in self.feed.items if isinstance(item, RunInfo)]
        by_name: dict[str, int] = {}
        for at, info in enumerate(infos):
            _enter(by_name, info, at)
        with self._lock:
            self.infos, self._by_name, self._gone = infos, by_name, set()

    # Where a run is

    def _at(self, key: str) -> int:
        """The place of the run with a key, -1 where there is none."""
        at = self._by_name.get(key, -1)
        return at if at >= 0 and self.infos[at].key == key else -1

    def _at_place(self, place: Place) -> int:
        """The place of the run whose record is at a place in a file, -1 where there is none."""
        infos = self.infos
        return next((at for at, info in enumerate(infos) if info.offset == place[2] and info.place == place), -1)

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
        """The list's entry for a run that was listed before it was summed up, and its place."""
        with self._lock:
            at = self._by_name.get(info.id, -1)
            if at < 0 or self.infos[at].place != info.place:
                at = self._at_place(info.place)
            if at >= 0 and at not in self._gone:
                return at, self.infos[at]
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
        return listed.id == summed.id and self._by_name.get(summed.id) == at and at < self._unsure_from

    def find(self, id_or_key: str) -> RunInfo | None:
        """The run with that key, else the first with that id; None where there is none that is summed up (yet)."""
        with self._lock:
            at = self._by_name.get(id_or_key)
            if at is None:
                return None
            info = self.infos[at]
        return info if info.summarised and id_or_key in (info.key, info.id) else None

    def at(self, place: Place, id: str) -> RunInfo:
        """The run of that id whose record is at a place. Raises UnreadableError where the list has none there (yet).

        Where files have changed since they were listed, another run may stand there: then it is the only one of that id.
        """
        with self._lock:
            at = self._at_place(place)
            if at >= 0 and (not self._moved or self.infos[at].id == id):
                return self.infos[at]
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


def _enter(by_name: dict[str, int], info: RunInfo, at: int) -> None:
    """Take note of where a run is: under its id, if it is the first, and under its key, once that is known."""
    by_name.setdefault(info.id, at)
    if info.summarised:
        by_name[info.key] = at


def _identity_of(problem: Problem) -> object:
    return problem.reason, problem.where.path
