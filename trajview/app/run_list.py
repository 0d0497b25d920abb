"""The list of a corpus's runs without a terminal: rows, order, filter and cursor, fast at a hundred thousand rows."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, cast

from trajview.annotation.progress import FLAG
from trajview.corpus.info import Gone, Place, RunInfo, Updated
from trajview.errors import Problem
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.models.run import Reward

__all__ = ["Column", "RunList", "RunRow", "cell", "natural", "number", "reward_text", "size_text"]

RunRow = RunInfo | Problem
"""What a row shows: a run, or something that could not be read."""

DRAFT_STATUSES = frozenset(f"{state}{sign}" for state in ("draft", "skipped", "flagged") for sign in ("", f" {FLAG}"))
"""Annotation statuses that say that a run has no annotation yet."""

_TO_DO = frozenset({"", *(status for status in DRAFT_STATUSES if not status.startswith("skipped"))})
"""Annotation statuses that say that a run still waits for its annotation."""

_ID_LIMIT = 300
"""Characters of an id or path that take part in sorting; the rest of a huge one decides nothing."""


class Column(Enum):
    """A column, by its heading, in the order in which they stand."""

    ID = "run"
    SOURCE = "source"
    FORMAT = "format"
    MESSAGES = "messages"
    UNITS = "units"
    REWARD = "reward"
    STATUS = "annotation"
    AGENTS = "agents"
    MODELS = "models"

    @property
    def is_number(self) -> bool:
        """Whether its cells stand at the right edge."""
        return self in (Column.MESSAGES, Column.UNITS, Column.REWARD)


SortKey = str | float | int


class RunList:
    """The rows of the browser: all of them in the order they came, and which are shown in which order.

    Row numbers (`int`) count all rows in the order they came and never change; positions count the shown ones.
    """

    def __init__(self, roots: Iterable[Path] = ()) -> None:
        self.rows: list[RunRow] = []
        self.shown: list[int] = []
        self.sort: Column | None = None
        """The column that gives the order; None for the order of the corpus."""
        self.reverse = False
        self.query = ""
        self.runs = 0
        self.problems = 0
        self.statuses: Mapping[str, str] = {}
        self._roots = tuple(roots)
        self._haystacks: list[str] = []
        self._keys: list[SortKey | None] = []
        self._gone: set[int] = set()
        self._cursor = 0
        self._wanted: int | None = None

    # Rows

    def append(self, batch: Iterable[RunRow]) -> None:
        """Add rows at the end; in the order of the corpus that costs no more than the new rows."""
        first = len(self.rows)
        for item in batch:
            self._count(len(self.rows), item, 1)
            self.rows.append(item)
            self._haystacks.append(_haystack(item, self.place(item)).lower())
        new = range(first, len(self.rows))
        matching = self._matching(new)
        if not matching:
            if self.sort is not None:
                self._keys += [self._key(row) for row in new]
            return
        cursor = self.cursor_row
        if self.sort is None:
            if self.reverse:
                self.shown[:0] = reversed(matching)
            else:
                self.shown += matching
        else:
            self._keys += [self._key(row) for row in new]
            self._order(self.shown + matching)
        self._stay_on(cursor)

    def update(self, changes: Sequence[Updated]) -> None:
        """Put what is known now in the place of earlier rows; the cursor stays on its row, or where that was."""
        gone = len(self._gone)
        for change in changes:
            self._count(change.row, self.rows[change.row], -1)
            self._count(change.row, change.item, 1)
            self.rows[change.row] = change.item
            self._haystacks[change.row] = _haystack(change.item, self.place(change.item)).lower()
            if self.sort is not None:
                self._keys[change.row] = self._key(change.row)
        moved = gone or self._gone
        if moved or self.sort is not None or self.query.strip():
            cursor, position = self.cursor_row, self._cursor
            self._order(self._matching(range(len(self.rows))))
            self._stay_on(cursor)
            if cursor in self._gone:
                self._cursor = max(0, min(position, len(self.shown) - 1))

    def _count(self, row: int, item: RunRow, step: int) -> None:
        if isinstance(item, RunInfo):
            self.runs += step
        elif not isinstance(item, Gone):
            self.problems += step
        elif step > 0:
            self._gone.add(row)
        else:
            self._gone.discard(row)

    def place(self, item: RunRow) -> str:
        """Where a row comes from, as short as the opened folders allow."""
        if isinstance(item, RunInfo):
            return item.source
        path = item.where.path
        if path is None:
            return ""
        short = path.name
        for root in self._roots:
            if path != root and path.is_relative_to(root):
                short = str(path.relative_to(root))
                break
        return str(item.where).replace(str(path), short, 1)

    def status(self, item: RunRow) -> str:
        """The annotation status of a run, empty where there is none."""
        return self.statuses.get(item.key, "") if isinstance(item, RunInfo) else ""

    @property
    def annotated(self) -> int:
        """How many runs of the list have an annotation; a draft is none yet."""
        if not self.statuses:
            return 0
        done = {key for key, status in self.statuses.items() if status and status not in DRAFT_STATUSES}
        return sum(1 for item in self.rows if isinstance(item, RunInfo) and item.key in done) if done else 0

    def set_statuses(self, statuses: Mapping[str, str]) -> None:
        """Take over the annotation statuses, by the key of the run."""
        self.statuses = dict(statuses)
        if self.sort is Column.STATUS:
            self._resort()

    # Order

    def sort_by(self, column: Column | None) -> None:
        """Order by a column, or as the corpus does. The same column again turns the order round."""
        self.reverse = column is self.sort and not self.reverse
        self.sort = column
        self._resort()

    def step_sort(self, step: int, columns: Iterable[Column] = Column) -> None:
        """Order by the next or previous of some columns; before the first comes the order of the corpus."""
        choices = [None, *columns]
        here = choices.index(self.sort) if self.sort in choices else 0
        self.sort, self.reverse = choices[(here + step) % len(choices)], False
        self._resort()

    def turn(self) -> None:
        """Turn the order round; what has no value stays last."""
        self.reverse = not self.reverse
        self._reorder()

    def _resort(self) -> None:
        self._keys = [] if self.sort is None else [self._key(row) for row in range(len(self.rows))]
        self._reorder()

    def _reorder(self) -> None:
        cursor = self.cursor_row
        self._order(sorted(self.shown))
        self._stay_on(cursor)

    def _order(self, rows: list[int]) -> None:
        """Show these rows in order. They come oldest first, or as they were shown with newer ones after them."""
        if self.sort is None:
            self.shown = rows[::-1] if self.reverse else rows
            return
        keys = self._keys
        present = [row for row in rows if keys[row] is not None]
        # Typed for any one column: all its keys are strings, or all are numbers.
        present.sort(key=cast("list[str]", keys).__getitem__, reverse=self.reverse)
        self.shown = present if len(present) == len(rows) else present + [row for row in rows if keys[row] is None]

    def _key(self, row: int) -> SortKey | None:
        item = self.rows[row]
        if self.sort is Column.SOURCE:
            return natural(self.place(item)) or None
        if isinstance(item, Problem):
            return None
        if self.sort is Column.STATUS:
            return self.status(item) or None
        if not item.summarised and self.sort is not Column.ID:
            return None
        if self.sort is Column.REWARD:
            return _mean_reward(item.rewards)
        if self.sort is Column.MESSAGES:
            return item.messages
        if self.sort is Column.UNITS:
            return item.units
        if self.sort is Column.FORMAT:
            return item.format or None
        if self.sort is Column.AGENTS:
            return natural(" ".join(item.agents)) or None
        if self.sort is Column.MODELS:
            return natural(" ".join(item.models)) or None
        return natural(item.name or item.id) or None

    # Filter

    def filter(self, query: str) -> None:
        """Show the rows in which every term of the query occurs; a term with a capital letter minds capitals.

        The cursor stays on its run. Where the filter hides it, the cursor is on the first row until the run shows again.
        """
        if query == self.query:
            return
        if self._wanted is None:
            self._wanted = self.cursor_row
        self.query = query
        self._order(self._matching(range(len(self.rows))))
        self._stay_on(self._wanted)

    def _matching(self, rows: range) -> list[int]:
        found: list[int] | range = [row for row in rows if row not in self._gone] if self._gone else rows
        for term in self.query.split():
            low, hay = term.lower(), self._haystacks
            found = [row for row in found if low in hay[row]]
            if term != low:
                found = [row for row in found if term in _haystack(self.rows[row], self.place(self.rows[row]))]
        return list(found)

    # Cursor

    @property
    def cursor(self) -> int:
        """The position of the cursor among the shown rows; 0 where there are none."""
        return self._cursor

    @property
    def cursor_row(self) -> int | None:
        """The row number under the cursor."""
        return self.shown[self._cursor] if self.shown else None

    @property
    def current(self) -> RunRow | None:
        """The run or problem under the cursor."""
        return self.rows[self.shown[self._cursor]] if self.shown else None

    def go(self, position: int) -> bool:
        """Put the cursor on a position, or as near as there is one. Says whether it moved."""
        before, self._cursor = self._cursor, max(0, min(position, len(self.shown) - 1))
        self._wanted = self.cursor_row
        return self._cursor != before

    def next_run(self, place: Place, step: int, *, to_do: bool = False) -> RunInfo | None:
        """Move the cursor to the run shown after (before) the run at that place, past problems; None at the end.

        `to_do` passes over those that are annotated or skipped.
        """
        here = next(
            (p for p, row in enumerate(self.shown) if getattr(self.rows[row], "place", None) == place), self._cursor
        )
        position = here + step
        while 0 <= position < len(self.shown):
            item = self.rows[self.shown[position]]
            if isinstance(item, RunInfo) and not (to_do and self.status(item) not in _TO_DO):
                self.go(position)
                return item
            position += step
        return None

    def left_to_do(self, but: RunInfo) -> int:
        """How many of the other runs that are shown are neither annotated nor skipped."""
        shown = (self.rows[row] for row in self.shown)
        waiting = (item for item in shown if isinstance(item, RunInfo) and self.status(item) in _TO_DO)
        return sum(1 for item in waiting if item.place != but.place)

    def _stay_on(self, row: int | None) -> None:
        """Find the row that the cursor was on, or the one that a filter hid and that shows again."""
        for wanted in (self._wanted, row):
            position = self._position(wanted)
            if position is not None:
                self._cursor = position
                return
        self._cursor = 0

    def _position(self, row: int | None) -> int | None:
        if row is None:
            return None
        if self.sort is None and not self.reverse:
            position = bisect_left(self.shown, row)
            return position if position < len(self.shown) and self.shown[position] == row else None
        try:
            return self.shown.index(row)
        except ValueError:
            return None


def _haystack(item: RunRow, place: str) -> str:
    """What the filter looks at, a field per line, so that no term matches across two fields."""
    if isinstance(item, RunInfo):
        return "\n".join((item.id, item.name or "", item.source, item.format, *item.agents, *item.models))
    return f"{place}\n{item.reason}\n{item.hint}"


_DIGITS = re.compile("([0-9]+)")


def natural(text: str) -> str:
    """A key that sorts text as people do: no case, and numbers by value, so that `run 9` comes before `run 10`."""
    pieces = _DIGITS.split(text[:_ID_LIMIT].lower())
    # The count of digits before the number orders numbers by size; leading zeros do not count.
    for i in range(1, len(pieces), 2):
        digits = pieces[i].lstrip("0")
        pieces[i] = f"0{len(digits):03d}{digits}"
    return "".join(pieces)


def _overall(reward: Reward) -> float | None:
    value = reward[0] if isinstance(reward, (tuple, list)) else reward
    return value if isinstance(value, (int, float)) and value == value else None


def _mean_reward(rewards: tuple[Reward, ...]) -> float | None:
    values = [value for value in map(_overall, rewards) if value is not None]
    return sum(values) / len(values) if values else None


def number(value: float) -> str:
    """A reward in as few characters as two decimals allow: `7`, `7.2`, `3.14`."""
    if not math.isfinite(value) or abs(value) >= 1e7:
        return f"{value:.3g}"
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def reward_text(rewards: tuple[Reward, ...]) -> str:
    """The overall reward of each agent: `7.2 / 6.1`; empty where there is none."""
    values = [_overall(reward) for reward in rewards]
    if all(value is None for value in values):
        return ""
    return " / ".join("–" if value is None else number(value) for value in values)


def size_text(size: int) -> str:
    """A size in bytes as people read it: `312 B`, `4.1 KB`, `12 MB`."""
    if size < 1000:
        return f"{size} B"
    amount = float(size)
    for unit in ("KB", "MB", "GB"):
        amount /= 1000
        if amount < 999.5:
            return f"{amount:.1f} {unit}" if amount < 9.95 else f"{amount:.0f} {unit}"
    return f"{amount / 1000:.1f} TB"


def cell(info: RunInfo, column: Column, status: str = "") -> str:
    """The text of a cell, safe for a terminal and on one line; empty where it is not known yet."""
    if not info.summarised and column not in (Column.ID, Column.SOURCE, Column.STATUS):
        return "…" if column is Column.MESSAGES else ""
    if column is Column.MESSAGES:
        return f"{info.messages:,}"
    if column is Column.UNITS:
        return f"{info.units:,}"
    if column is Column.REWARD:
        return reward_text(info.rewards)
    if column is Column.ID:
        return one_line(info.name or info.id)
    if column is Column.SOURCE:
        return one_line(info.source)
    if column is Column.FORMAT:
        return one_line(info.format)
    if column is Column.STATUS:
        return one_line(status)
    return one_line(", ".join(info.agents if column is Column.AGENTS else info.models))
