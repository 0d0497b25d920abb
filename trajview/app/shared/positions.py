"""Where a reader is in a long document of items (messages), each some rows high: moves, the window, the cursor.

A position is an item and a row within it. Positions, not row numbers, are the truth: estimates of heights elsewhere
can be replaced without moving what is on the screen.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from time import perf_counter
from typing import Protocol

from trajview.app.shared.linemap import LineMap

__all__ = ["LaidOut", "Position", "Positions"]

Position = tuple[int, int]
"""An item and a row within it, both from 0."""


class LaidOut(Protocol):
    """An item, laid out: as many rows as `rows` has."""

    @property
    def rows(self) -> Sequence[object]: ...


class Positions(ABC):
    """The window and the cursor in a document whose heights are in `map`, and exact once `layout` has laid an item out."""

    map: LineMap

    def __init__(self) -> None:
        self.height = 24
        self.top: Position = (0, 0)
        self.cursor: Position = (0, 0)
        self._measured_to = 0

    @property
    def count(self) -> int:
        """How many items there are."""
        return len(self.map)

    @abstractmethod
    def layout(self, item: int) -> LaidOut:
        """An item's rows, made where they are not known; its height is exact from then on."""

    @abstractmethod
    def set_view(self, width: int, height: int) -> None:
        """Tell the size of the window."""

    def rows_of(self, item: int) -> int:
        """The exact height of an item. Lays it out where it is not known."""
        return self.map.height(item) if self.map.exact[item] else len(self.layout(item).rows)

    def measure(self, seconds: float) -> bool:
        """Replace estimates by exact heights for about so long; True while some are left."""
        until = perf_counter() + seconds
        exact, count = self.map.exact, self.count
        index = self._measured_to
        while index < count:
            if not exact[index]:
                self.layout(index)
                if perf_counter() > until:
                    break
            index += 1
        self._measured_to = index
        return index < count

    @property
    def measured(self) -> bool:
        """Whether all heights are exact."""
        return self._measured_to >= self.count

    def walk(self, position: Position, rows: int) -> Position:
        """The position so many rows further (or back), clamped to the document. Lays out what it passes."""
        if not self.count:
            return 0, 0
        item, row = position
        last = self.count - 1
        row += rows
        while row < 0:
            if item == 0:
                return 0, 0
            item -= 1
            row += self.rows_of(item)
        while row >= (height := self.rows_of(item)):
            if item == last:
                return item, height - 1
            row -= height
            item += 1
        return item, row

    def y_of(self, position: Position) -> int:
        """The row of the document at which a position is, as far as heights are known."""
        return self.map.start(position[0]) + position[1]

    def at_row(self, y: int) -> Position:
        """The position on a row of the document."""
        return self.map.find(y) if self.count else (0, 0)

    @property
    def last(self) -> Position:
        """The last row."""
        item = self.count - 1
        return (item, self.rows_of(item) - 1) if item >= 0 else (0, 0)

    def _clamp(self) -> None:
        """Bring the window and the cursor to rows that there are, and no row below the end into the window."""
        if self.count:
            self.top, self.cursor = ((item, min(row, self.rows_of(item) - 1)) for item, row in (self.top, self.cursor))
            self.top = min(self.top, self.walk(self.last, 1 - self.height))

    def settle(self) -> int:
        """Lay out what is on the screen, so that its heights are exact; returns the row of the top."""
        if self.count:
            self._clamp()
            self.walk(self.top, self.height)
        return self.y_of(self.top)

    def _show_cursor(self, margin: int | None = None) -> None:
        """Scroll no more than needed to keep the cursor so many rows off the edges, a quarter of the window unless told."""
        margin = min(self.height // 4, 8) if margin is None else margin
        lowest = self.height - 1 - margin
        below = self._rows_between(self.top, self.cursor)
        if below is None or below > lowest:
            self.top = self.walk(self.cursor, -lowest)
        elif below < margin:
            self.top = self.walk(self.cursor, -margin)
        self._clamp()

    def _rows_between(self, start: Position, end: Position) -> int | None:
        """How many rows lie from one position to a later one; None if it is far away, negative if it comes before."""
        if end < start:
            return -1
        rows, item = -start[1], start[0]
        while item < end[0]:
            rows += self.rows_of(item)
            item += 1
            if rows > 2 * self.height:
                return None
        return rows + end[1]

    # -- moves ---------------------------------------------------------------------------------------------------------

    def move(self, rows: int) -> None:
        """Move the cursor by rows; the window follows."""
        self.cursor = self.walk(self.cursor, rows)
        self._show_cursor()

    def scroll(self, rows: int) -> None:
        """Move the window by rows and the cursor with it; at an end, the cursor goes on alone."""
        before = self.top
        self.top = self.walk(self.top, rows)
        self._clamp()
        self.cursor = self.walk(self.cursor, rows)
        if self.top != before:
            self._cursor_into_window()

    def scroll_window(self, rows: int) -> None:
        """Move the window (mouse wheel); the cursor stays where it is unless it would leave the screen."""
        self.top = self.walk(self.top, rows)
        self._clamp()
        self._cursor_into_window()

    def scroll_to_row(self, y: int) -> None:
        """Put the window at a row of the document (scroll bar)."""
        self.top = self.at_row(y)
        self._clamp()
        self._cursor_into_window()

    def _cursor_into_window(self) -> None:
        below = self._rows_between(self.top, self.cursor)
        if below is None or below > self.height - 1:
            self.cursor = self.walk(self.top, self.height - 1)
        elif below < 0:
            self.cursor = self.top

    def to_top(self) -> None:
        """The first row of the document."""
        self.top = self.cursor = (0, 0)

    def to_end(self) -> None:
        """The last row of the document."""
        self.cursor = self.last
        self.top = self.walk(self.cursor, -(self.height - 1))

    def to_percentage(self, percent: float) -> None:
        """Jump to a place by its share of the rows, 0 to 100."""
        if not self.count:
            return
        row = int(max(0.0, min(100.0, percent)) / 100 * max(0, self.map.total - 1))
        position = self.at_row(row)
        self.rows_of(position[0])
        self.cursor = position
        self.top = self.walk(position, -(self.height // 2))
        self._clamp()
        self._cursor_into_window()
