"""The rows of a file that has changed: which row is which record, and which records are new, changed and gone.

A row keeps its number for good. A run stays on its row as long as its id is in the file, and keeps its key.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec

from trajview.errors import Problem, TrajviewError, Where

from .files import Stamp
from .info import Gone, Item, RunInfo
from .infos import OwnKeys
from .record import NOT_UTF8
from .walk import SourceFile

__all__ = ["NOT_KNOWN", "FileRows", "News", "line_of", "news_of"]

NOT_KNOWN: Final = -1
"""The check sum of bytes that were not seen."""


def _rows() -> array[int]:
    return array("q")


@dataclass(slots=True)
class FileRows:
    """The rows of one file, and its state. `source` is None for the problems of the walk itself.

    `stamp`: None where it has to be looked at again. `due`: when it may be read again, by the monotonic clock.
    """

    source: SourceFile | None
    runs: array[int] = field(default_factory=_rows)
    """The rows of runs, in the order of the file."""
    sums: array[int] = field(default_factory=_rows)
    """A check sum of the bytes of each run, or that it is not known; none of any before the file was read again."""
    problems: array[int] = field(default_factory=_rows)
    gone: array[int] = field(default_factory=_rows)
    stamp: Stamp | None = None
    due: float = 0.0


@dataclass(slots=True)
class News:
    """Rows that came, and rows that are others now, by their number."""

    added: list[Item] = field(default_factory=list)
    changed: dict[int, Item] = field(default_factory=dict)


def line_of(item: Item) -> int:
    """The line of a file on which something begins, 0 where that is not known."""
    return (item.line if isinstance(item, RunInfo) else item.where.line) or 0


def _gone(item: Item) -> Gone:
    """The item for the row of something that is not there any more."""
    path = item.path if isinstance(item, RunInfo) else item.where.path
    return Gone("this is not there any more", where=Where(path))


def news_of(
    file: FileRows,
    found: Collection[Item],
    items: Sequence[Item],
    keys: OwnKeys,
    from_line: int = 0,
    *,
    written: bool = False,
    sums: Mapping[int, int] | None = None,
) -> News:
    """Put the findings in a file (runs without keys) in its rows; returns the rows to publish.

    `items` are all rows as they are. `from_line`: only what stands from that line on was read again.

    A run may say something else in as many bytes, and nothing that the list shows tells: that its bytes have another
    check sum does, of which `sums` has those of now, by offset. `written`: the file is not what it was, so that a run
    whose check sum is not known may be another one.
    """
    runs = [item for item in found if isinstance(item, RunInfo)]
    kept = len(file.runs) - 1 if from_line else 0
    old_runs = file.runs[kept:]
    old_problems = array("q", (row for row in file.problems if line_of(items[row]) >= from_line))
    kept_problems = array("q", (row for row in file.problems if line_of(items[row]) < from_line))
    problems = _problems_in(found, {_reason_of(items[row]) for row in kept_problems})
    run_rows = _matched(old_runs, items, runs)
    problem_rows = _matched(old_problems, items, problems)

    rows = _Rows(items, file.gone)
    rows.clear((*old_runs, *old_problems), {*run_rows, *problem_rows})
    id_in_row = {row: run.id for row, run in zip(run_rows, runs, strict=True)}
    for row in old_runs:
        before = items[row]
        if isinstance(before, RunInfo) and id_in_row.get(row) != before.id:
            keys.give_back(before.key)

    old_sums = file.sums or array("q", [NOT_KNOWN]) * len(file.runs)
    new_sums = array("q", ((sums or {}).get(run.offset, NOT_KNOWN) for run in runs))
    sum_before = dict(zip(old_runs, old_sums[kept:], strict=True))
    new_runs = _rows()
    for had, run, now in zip(run_rows, runs, new_sums, strict=True):
        keyed = msgspec.structs.replace(run, key=_key_of(run, None if had is None else items[had], keys))
        known = sum_before.get(had, NOT_KNOWN) if had is not None else NOT_KNOWN
        anew = known != now if NOT_KNOWN not in (known, now) else written
        new_runs.append(rows.put(had, keyed, anew=anew))
    new_problems = array("q", map(rows.put, problem_rows, problems))

    file.runs = file.runs[:kept] + new_runs
    file.sums = old_sums[:kept] + new_sums
    file.problems = kept_problems + new_problems
    file.gone = array("q", rows.free)
    return rows.news


class _Rows:
    """Puts items in the rows that they had, else in rows that are free, else in new ones, and notes what is new."""

    def __init__(self, items: Sequence[Item], free: Iterable[int]) -> None:
        self._items = items
        self._count = len(items)
        self.free = deque(free)
        self.news = News()

    def clear(self, rows: Iterable[int], stay: Collection[int | None]) -> None:
        """Free the rows whose items are not there any more, all but those that `stay`."""
        for row in rows:
            if row not in stay:
                self.news.changed[row] = _gone(self._items[row])
                self.free.append(row)

    def put(self, row: int | None, item: Item, *, anew: bool = False) -> int:
        """Put an item in the row that it had, or in another one; returns which. `anew`: it is told of even if it is equal."""
        if row is None and self.free:
            row = self.free.popleft()
        if row is None:
            self.news.added.append(item)
            self._count += 1
            return self._count - 1
        if anew or self._items[row] != item:
            self.news.changed[row] = item
        else:
            self.news.changed.pop(row, None)
        return row


def _problems_in(found: Collection[Item], told: Collection[str]) -> list[Problem]:
    """The problems among the findings. That a file is not UTF-8 is reported once."""
    problems = [item for item in found if isinstance(item, Problem)]
    return [problem for problem in problems if problem.reason != NOT_UTF8] if NOT_UTF8 in told else problems


def _key_of(run: RunInfo, before: Item | None, keys: OwnKeys) -> str:
    """The key that a run had, else a new one."""
    if isinstance(before, RunInfo) and before.id == run.id:
        return before.key
    try:
        return keys.of_run(run)
    except TrajviewError:  # the file has changed once more, and is read again soon
        return f"{run.id}@{run.path}:{run.offset}"


def _matched(rows: Sequence[int], items: Sequence[Item], now: Sequence[Item]) -> list[int | None]:
    """The old row of each item: the row of the same name, else one that is left over, in order."""
    named: dict[object, deque[int]] = {}
    for row in rows:
        named.setdefault(_name(items[row]), deque()).append(row)
    found: list[int | None] = []
    for item in now:
        same = named.get(_name(item))
        found.append(same.popleft() if same else None)
    taken = set(found)
    left = deque(row for row in rows if row not in taken)
    return [left.popleft() if row is None and left else row for row in found]


def _name(item: Item) -> object:
    return (item.id, item.member) if isinstance(item, RunInfo) else (item.reason, item.where.line)


def _reason_of(item: Item) -> str:
    return item.reason if isinstance(item, Problem) else ""
