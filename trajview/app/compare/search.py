"""Searching one side of a comparison, without Textual: its hits, and the way to them through what is folded."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from trajview.app.compare.comparison import Comparison
from trajview.app.compare.paired import PairedRow
from trajview.app.render.lines import Said
from trajview.app.render.matches import rows_of_matches
from trajview.app.transcript.search import SearchHits
from trajview.compare.alignment import Alignment, Kind
from trajview.compare.sequence import nothing

__all__ = ["SearchedComparison"]


class SearchedComparison(Comparison):
    """A comparison with the hits of a search, which is of one side at a time."""

    def __init__(self, found: Alignment, *, check: Callable[[], None] = nothing, **given: Any) -> None:
        super().__init__(found, check=check, **given)
        self.search: SearchHits | None = None
        self.searched = 0
        """Which side the search is of: 0 left, 1 right."""
        self._rows_of: tuple[list[int], list[int]] = [], []
        """By side and message: its row of messages."""
        for number, row in enumerate(found.messages):
            if row.left is not None:
                self._rows_of[0].append(number)
            if row.right is not None:
                self._rows_of[1].append(number)
        check()

    # -- messages under the cursor -------------------------------------------------------------------------------------

    def message_here(self, side: int) -> int | None:
        """The message of a side under the cursor; None where there is none, or several are folded away."""
        if not self.count or self.items[self.cursor[0]].stretch:
            return None
        row = self.found.messages[self.items[self.cursor[0]].row]
        return row.left if side == 0 else row.right

    def _here(self, side: int) -> tuple[int, bool]:
        """The first message of a side at the cursor or after it, and whether it is at it and not folded away."""
        if not self.count:
            return 0, False
        item = self.items[self.cursor[0]]
        row = self.found.starts[item.row] if item.stretch else item.row
        rows = self._rows_of[side]
        first = bisect_left(rows, row)
        return first, not item.stretch and first < len(rows) and rows[first] == row

    def search_from(self, side: int) -> int:
        """The message of a side that a search begins with."""
        return self._here(side)[0]

    # -- hits ----------------------------------------------------------------------------------------------------------

    def set_search(self, hits: SearchHits | None, side: int = 0) -> None:
        """Show the hits of a search of a side, or none."""
        self.search, self.searched = hits, side
        self.revision += 1

    def is_searched(self, row: PairedRow, side: int) -> bool:
        """Whether a row of a side shows text of the side that the search is of."""
        return side == self.searched or (not self.sides and row.kind is Kind.SAME)

    def looks_at(self, item: int, said: Said) -> bool:
        """Whether the search looked at what a line of an item shows."""
        row = self.found.messages[self.items[item].row]
        message = row.left if self.searched == 0 else row.right
        if self.search is None or message is None:
            return False
        return self.search.looks_at(self.roles[self.searched][message], said)

    def step_hit(self, step: int) -> bool:
        """To the next or previous match, round the ends; False where there is none."""
        if self.search is None or not self.search.messages:
            return False
        targets = self.search.messages
        first, exact = self._here(self.searched)
        if exact and first in targets[(at := bisect_left(targets, first)) : at + 1]:
            self._show_matches(first)
            row, rows = self.cursor[1], self._match_rows()
            further = [r for r in rows if r > row] if step > 0 else [r for r in reversed(rows) if r < row]
            if further:
                self._to_row(further[0])
                return True
        index = bisect_left(targets, first + exact) if step > 0 else bisect_left(targets, first) - 1
        self.to_hit(targets[index % len(targets)], last=step < 0)
        return True

    def to_hit(self, message: int, *, last: bool = False) -> None:
        """To the first (or last) match in a message of the searched side, showing it where it is folded away."""
        row = self._rows_of[self.searched][message]
        item = self.item_of(row)
        if self.items[item].stretch:
            self.opened.add(self.items[item].row)
            self._keep(row)
        self.to_item(self.item_of(row))
        self._show_matches(message)
        rows = self._match_rows()
        if rows:
            self._to_row(rows[-1 if last else 0])

    def _to_row(self, row: int) -> None:
        """To a row of the item under the cursor, with some of what is before it."""
        item = self.cursor[0]
        self.cursor = item, row
        if row > self.header_row(item) + self.height // 2:
            self.top = self.walk(self.cursor, -(self.height // 3))
            self._clamp()
        self._cursor_on_screen()

    def _match_rows(self) -> list[int]:
        """The rows of the item under the cursor, as it is folded now, on which a match begins."""
        return list(dict.fromkeys(self._rows_of_matches()))

    def _rows_of_matches(self) -> list[int]:
        """The row on which each match in the item under the cursor begins, ascending."""
        assert self.search is not None
        item = self.cursor[0]
        if self.items[item].stretch:
            return []
        laid_out, looks = self.layout(item), partial(self.looks_at, item)
        begins = [
            Counter(rows_of_matches(side, self.search.pattern, looks)) for side in (laid_out.left, laid_out.right)
        ]
        found: list[int] = []
        for number, row in enumerate(laid_out.rows):
            # In one column what is the same is shown once, of the left side.
            sides = (self.searched,) if self.sides else (0, 1)
            for side in sides:
                shown = row.left if side == 0 else row.right
                if shown is not None and self.is_searched(row, side):
                    found += [number] * begins[side][shown]
        return found

    def _show_matches(self, message: int) -> None:
        """Unfold the item under the cursor where that hides matches."""
        assert self.search is not None
        count = self.search.counts[bisect_left(self.search.messages, message)]
        item = self.items[self.cursor[0]]
        if not item.stretch and not self.is_open(item) and len(self._rows_of_matches()) < count:
            self.toggle_fold()

    def hit_items(self, most: int) -> list[int]:
        """The items that matches are in; of more than `most` messages with some, as many spread over all of them."""
        if self.search is None:
            return []
        messages, rows = self.search.messages, self._rows_of[self.searched]
        return [self.item_of(rows[message]) for message in messages[:: max(1, len(messages) // most)]]

    @property
    def hit_number(self) -> int:
        """Which match of the search the cursor is on or last passed, from 1; 0 before the first."""
        if self.search is None:
            return 0
        first, exact = self._here(self.searched)
        index = bisect_left(self.search.messages, first)
        before = self.search.before[index]
        if exact and index < len(self.search.messages) and self.search.messages[index] == first:
            return before + min(bisect_right(self._rows_of_matches(), self.cursor[1]), self.search.counts[index])
        return before
