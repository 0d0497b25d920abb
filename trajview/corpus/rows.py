"""The rows of one file when the file is another one now: which row is which record, and what is new, changed and gone.

A row keeps its number for good. A run stays on its row as long as its id is in the file, and keeps its key.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec

from trajview.errors import Problem, TrajviewError, Where

from .files import Stamp
from .info import Gone, RunInfo
from .record import NOT_UTF8
from .walk import SourceFile

__all__ = ["NOT_KNOWN", "FileRows", "Item", "Keys", "News", "line_of", "news_of"]

Item = RunInfo | Problem
_FEW: Final = 10_000
"""So many runs of a file are told of once too often, rather than one of them never."""
NOT_KNOWN: Final = -1
"""The check sum of bytes that were not seen."""


def _rows() -> array[int]:
    return array("q")


@dataclass(slots=True)
class FileRows:
    """The rows of one file, and what is known of it. `source` is None for what the walk itself has to say.

    `stamp`: None where it has to be read again. `edge` tells the lines before the last one (see `Follower`).
    `due`: when it may be read again, by the monotonic clock.
    """

    source: SourceFile | None
    runs: array[int] = field(default_factory=_rows)
    """In the order of the file."""
    sums: array[int] = field(default_factory=_rows)
    """A check sum of the bytes of each run, or that it is not known; none of any before the file was read again."""
    problems: array[int] = field(default_factory=_rows)
    gone: array[int] = field(default_factory=_rows)
    stamp: Stamp | None = None
    edge: bytes = b""
    due: float = 0.0


@dataclass(slots=True)
class News:
    """Rows that came, and rows that are others now, by their number."""

    added: list[Item] = field(default_factory=list)
    changed: dict[int, Item] = field(default_factory=dict)


class Keys:
    """Gives keys to runs and takes them back."""

    def __init__(self, give: Callable[[RunInfo], str], take_back: Callable[[str], None]) -> None:
        self.give = give
        self.take_back = take_back


def line_of(item: Item) -> int:
    """The line of a file on which something begins, 0 where that is not known."""
    return (item.line if isinstance(item, RunInfo) else item.where.line) or 0


def _gone(item: Item) -> Gone:
    """What stands in the row of something that is not there any more."""
    path = item.path if isinstance(item, RunInfo) else item.where.path
    return Gone("this is not there any more", where=Where(path))


def news_of(
    file: FileRows,
    found: Iterable[Item],
    items: Sequence[Item],
    keys: Keys,
    from_line: int = 0,
    *,
    written: bool = False,
    sums: Mapping[int, int] | None = None,
) -> News:
    """Put what was found in a file (runs without keys) in its rows; returns what has to be handed on.

    `items` are all rows as they are. `from_line`: only what stands from that line on was read again.

    A run may say something else in as many bytes, and nothing that the list shows tells: that its bytes have another
    check sum does, of which `sums` has those of now, by offset. `written`: the file is not what it was.
    """
    news = News()
    runs = [item for item in found if isinstance(item, RunInfo)]
    problems = [item for item in found if isinstance(item, Problem)]
    kept = len(file.runs) - 1 if from_line else 0
    old_runs = list(file.runs[kept:])
    before_sums = file.sums if len(file.sums) == len(file.runs) else array("q", [NOT_KNOWN]) * len(file.runs)
    old_sums = dict(zip(old_runs, before_sums[kept:], strict=True))
    here = {row for row in file.problems if line_of(items[row]) >= from_line}
    kept_reasons = {_reason_of(items[row]) for row in file.problems if row not in here}
    if NOT_UTF8 in kept_reasons:  # said once in a file
        problems = [problem for problem in problems if problem.reason != NOT_UTF8]
    old_problems = [row for row in file.problems if row in here]
    run_rows = _matched(old_runs, [items[row] for row in old_runs], runs)
    problem_rows = _matched(old_problems, [items[row] for row in old_problems], problems)
    stay = {row for row in (*run_rows, *problem_rows) if row is not None}
    for row in (*old_runs, *old_problems):
        before = items[row]
        if row not in stay:
            news.changed[row] = _gone(before)
            file.gone.append(row)
            _take_back(before, keys)
    for had, run in zip(run_rows, runs, strict=True):
        if had is not None and _id_of(items[had]) != run.id:
            _take_back(items[had], keys)
    spare = deque(file.gone)
    count = len(items)

    def may_say_something_else(row: int, now: int) -> bool:
        before = old_sums[row]
        return before != now if NOT_KNOWN not in (before, now) else written and len(runs) <= _FEW

    def put(row: int | None, item: Item, *, anew: bool = False) -> int:
        nonlocal count
        if row is None and spare:
            row = spare.popleft()
        if row is None:
            news.added.append(item)
            count += 1
            return count - 1
        if anew or items[row] != item:
            news.changed[row] = item
        else:
            news.changed.pop(row, None)
        return row

    new_runs, new_sums, new_problems = _rows(), _rows(), _rows()
    alone = len(runs) == 1 and written  # who failed to read it while it was written waits to be told
    for had, run in zip(run_rows, runs, strict=True):
        was = None if had is None else items[had]
        try:
            key = was.key if isinstance(was, RunInfo) and was.id == run.id else keys.give(run)
        except TrajviewError:  # the file has changed once more, and is read again soon
            key = f"{run.id}@{run.path}:{run.offset}"
        now = (sums or {}).get(run.offset, NOT_KNOWN)
        anew = had is not None and (alone or may_say_something_else(had, now))
        new_runs.append(put(had, msgspec.structs.replace(run, key=key), anew=anew))
        new_sums.append(now)
    for had, problem in zip(problem_rows, problems, strict=True):
        new_problems.append(put(had, problem))
    file.runs = file.runs[:kept] + new_runs
    file.sums = before_sums[:kept] + new_sums
    file.problems = array("q", (row for row in file.problems if row not in here)) + new_problems
    file.gone = array("q", spare)
    return news


def _matched(rows: Sequence[int], before: Sequence[Item], now: Sequence[Item]) -> list[int | None]:
    """For each of the items now the row that it had: that of the same name, else one that is left over, in order."""
    named: dict[object, deque[int]] = {}
    for row, item in zip(rows, before, strict=True):
        named.setdefault(_name(item), deque()).append(row)
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


def _id_of(item: Item) -> str | None:
    return item.id if isinstance(item, RunInfo) else None


def _take_back(item: Item, keys: Keys) -> None:
    if isinstance(item, RunInfo):
        keys.take_back(item.key)
