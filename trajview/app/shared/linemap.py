"""From a row of a long document to the message on it, and back, while heights change.

A Fenwick tree over the heights: any height can change, any row can be found, in O(log n). Heights start as estimates
and are replaced by exact ones when a message is laid out.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import add

__all__ = ["LineMap"]


class LineMap:
    """Heights of items (messages), in rows; items and rows count from 0."""

    __slots__ = ("_heights", "_top", "_tree", "exact", "total")

    def __init__(self, heights: Iterable[int]) -> None:
        self._heights = list(heights)
        count = len(self._heights)
        self._tree = tree = [0, *self._heights]
        step = 1
        while (twice := 2 * step) <= count:
            # Each node takes on the one that is a step before it: a level of the tree at once, three times as soon.
            tree[twice::twice] = list(map(add, tree[twice::twice], tree[step::twice]))
            step = twice
        self._top = 1 << (count.bit_length() - 1) if count else 0
        self.total = sum(self._heights)
        """The height of all items together."""
        self.exact = bytearray(count)
        """Which heights are measured rather than estimated."""

    def __len__(self) -> int:
        return len(self._heights)

    def height(self, item: int) -> int:
        """The height of an item, as far as it is known."""
        return self._heights[item]

    def set(self, item: int, height: int) -> int:
        """Give an item its exact height; returns by how much that changes it."""
        self.exact[item] = 1
        change = height - self._heights[item]
        if change:
            self._heights[item] = height
            self.total += change
            tree, i, count = self._tree, item + 1, len(self._heights)
            while i <= count:
                tree[i] += change
                i += i & -i
        return change

    def start(self, item: int) -> int:
        """The row at which an item begins; `len(self)` gives the total."""
        tree, rows = self._tree, 0
        while item > 0:
            rows += tree[item]
            item &= item - 1
        return rows

    def find(self, row: int) -> tuple[int, int]:
        """The item on a row, and the row within it. Rows outside are clamped. Raises IndexError if there are no items."""
        if not self._heights:
            raise IndexError("an empty line map has no rows")
        if not self.total:
            return 0, 0
        row = max(0, min(row, self.total - 1))
        tree, item, step, count = self._tree, 0, self._top, len(self._heights)
        left = row
        while step:
            following = item + step
            if following <= count and tree[following] <= left:
                item = following
                left -= tree[following]
            step >>= 1
        return item, left
