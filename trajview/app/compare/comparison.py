"""Two transcripts beside each other as a document of rows, without Textual: what is folded, the differences, the moves."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Final, NamedTuple, TypeAlias

from trajview.app.compare.paired import Pair, Paired, header_of, lay_out_pairs, pairs_of, stretch_of, waiting
from trajview.app.render.options import Fold, ViewOptions
from trajview.app.shared.linemap import LineMap
from trajview.app.shared.positions import Positions
from trajview.app.transcript.sizes import estimates, sizes_of
from trajview.compare.alignment import Alignment, Kind
from trajview.models.transcript import Transcript

__all__ = ["FOLD_LEVELS", "GUTTER", "MIDDLE", "Comparison", "Item", "Large", "side_width"]

FOLD_LEVELS: Final = ("what is the same folded", "long texts folded", "all open")
GUTTER: Final = 2
MIDDLE: Final = 3
"""Columns between the sides."""
_LEAST_SIDE: Final = 40
"""Columns of a side that can be read; with fewer, both share the width."""
_KEPT: Final = 300
"""Items whose rows are kept."""
_LARGE: Final = 150_000
"""Characters of two messages together from which on their lines are paired in a thread: some 50 ms."""
_LARGE_KEPT: Final = 12
_CONTEXT: Final = 1
"""Units that are the same beside a difference that stay open."""

Large: TypeAlias = tuple[int, bool]
"""A row of large messages, and whether all their equal lines are shown."""


class Item(NamedTuple):
    """A row of messages, or so many folded units (`stretch`) that are the same, the first of which begins with that row."""

    row: int
    stretch: int = 0


def side_width(width: int) -> int:
    """The columns of the text of each side of two beside each other: the same, or both would break differently."""
    return max(10, (width - GUTTER - MIDDLE - 1) // 2)


class Comparison(Positions):
    """What the reader sees of two transcripts, and where he is. Items are rows of messages and folded stretches."""

    def __init__(self, found: Alignment, *, preview_lines: int = 8, width: int = 80) -> None:
        """Reads the sizes of all messages once: for a thread."""
        super().__init__()
        self.found = found
        self.width = max(20, width)
        self.preview_lines = preview_lines
        self.wanted_sides: bool | None = None
        """Whether the reader wants both beside each other; None: where there is room."""
        self.side = 0
        """Which run Enter opens: 0 left, 1 right."""
        self.fold_level = 0
        self.opened: set[int] = set()
        """The first rows of stretches that were opened, whatever the level."""
        self.unfolded: set[int] = set()
        """The message rows that were folded or unfolded against the level."""
        self.revision = 0
        """Changes whenever what is shown of items may have changed."""
        self.waiting: list[Large] = []
        """The rows of large messages whose lines are to be paired in a thread: see `pair`."""
        self.prefix = found.prefix
        self.counts = Counter(row.kind for row in found.units)
        self._differences = found.differences()
        self._sizes = [sizes_of(side.messages) for side in (found.left, found.right)]
        self._rows_by_message = [
            [number for number, row in enumerate(found.messages) if row[side] is not None] for side in (0, 1)
        ]
        self._large: dict[Large, list[Pair]] = {}
        self._laid_out: dict[int, Paired] = {}
        self._arrange()
        if self.count:
            self.cursor = 0, self.header_row(0)

    # -- layout --------------------------------------------------------------------------------------------------------

    @property
    def sides(self) -> bool:
        """Whether both are beside each other, else one below the other."""
        return side_width(self.width) >= _LEAST_SIDE if self.wanted_sides is None else self.wanted_sides

    @property
    def columns(self) -> int:
        """The columns of the text of each side."""
        return side_width(self.width) if self.sides else max(10, self.width - 2 * GUTTER - 1)

    def _arrange(self) -> None:
        """Make the items of the fold level, with estimated heights."""
        self.items = self._items()
        self.stops = [self.item_of(row) for row in self._differences]
        """The items at which differences begin."""
        self._unit_items = [index for index, item in enumerate(self.items) if self.found.begins_unit(item.row)]
        self._laid_out.clear()
        self.waiting.clear()
        self._measured_to = 0
        self.revision += 1
        fold = Fold.OPEN if self.fold_level == 2 else Fold.PREVIEW
        left, right = (estimates(sizes, self._layout_options, fold) for sizes in self._sizes)
        self.map = LineMap([self._estimate(item, left, right) for item in self.items])

    def _items(self) -> list[Item]:
        units = self.found.units
        starts = [*self.found.starts, len(self.found.messages)]
        items: list[Item] = []
        start = 0
        for same, stretch in groupby(units, lambda unit: unit.kind is Kind.SAME):
            end = start + len([*stretch])
            first = start + (_CONTEXT if start else 0)
            last = end - (_CONTEXT if end < len(units) else 0)
            if same and self.fold_level == 0 and last - first > 1 and starts[first] not in self.opened:
                items += map(Item, range(starts[start], starts[first]))
                items.append(Item(starts[first], last - first))
                items += map(Item, range(starts[last], starts[end]))
            else:
                items += map(Item, range(starts[start], starts[end]))
            start = end
        return items

    def _estimate(self, item: Item, left_heights: Sequence[int], right_heights: Sequence[int]) -> int:
        """The height of an item, from the estimated heights of messages."""
        if item.stretch:
            return 2
        left, right, kind, _ = self.found.messages[item.row]
        a = left_heights[left] if left is not None else 0
        b = right_heights[right] if right is not None else 0
        rows = max(a, b) if self.sides or kind is Kind.SAME else a + b
        if kind is Kind.SAME and self.fold_level < 2:
            rows = min(rows, self.preview_lines + 3)
        return rows + self.found.begins_unit(item.row)

    @property
    def _layout_options(self) -> ViewOptions:
        return ViewOptions(width=self.columns, show_edits=False, preview_lines=self.preview_lines)

    def is_open(self, item: Item) -> bool:
        """Whether equal lines are shown in a row of messages, however many there are."""
        return (self.fold_level == 2) != (item.row in self.unfolded)

    def layout(self, item: int) -> Paired:
        """The rows of an item. Kept while it stays near the screen."""
        laid_out = self._laid_out.get(item)
        if laid_out is None:
            if len(self._laid_out) >= _KEPT:
                self._laid_out.clear()
            pairs = self._pairs(self.items[item])
            laid_out = self._laid_out[item] = lay_out_pairs(pairs, self.columns, self.sides)
            self.map.set(item, len(laid_out.rows))
        return laid_out

    def _pairs(self, item: Item) -> list[Pair]:
        if item.stretch:
            return stretch_of(self.found, self.found.unit_of(item.row), item.stretch)
        wanted = item.row, self.is_open(item)
        left, right, kind, _ = self.found.messages[item.row]
        characters = 0
        if kind is Kind.CHANGED and left is not None and right is not None:
            characters = self._sizes[0][left][1] + self._sizes[1][right][1]
        if characters <= _LARGE:
            pairs = self.pair(*wanted)
        elif wanted in self._large:
            pairs = self._large[wanted]
        else:
            if wanted not in self.waiting:
                self.waiting.append(wanted)
            pairs = waiting()
        if self.found.begins_unit(item.row):
            return [header_of(self.found, self.found.unit_of(item.row), sides=self.sides), *pairs]
        return pairs

    def pair(self, row: int, whole: bool) -> list[Pair]:
        """The lines of a row of messages beside each other. For a thread, where they are large."""
        return pairs_of(self.found, row, whole=whole, options=self._layout_options)

    def take(self, large: Large, pairs: list[Pair]) -> None:
        """Show lines that were paired in a thread."""
        self._large[large] = pairs
        if len(self._large) > _LARGE_KEPT:
            self._large.pop(next(iter(self._large)))
        self._lay_out_again(self.item_of(large[0]))

    def set_view(self, width: int, height: int) -> None:
        """Tell the size of the window; the cursor stays on its item, and that where it is, when the width changes."""
        self.height = max(1, height)
        if width != self.width:
            self.width = max(20, width)
            self._arrange_at(self.row)
        self._clamp()
        self._cursor_into_window()

    # -- places --------------------------------------------------------------------------------------------------------

    @property
    def row(self) -> int:
        """The row of messages under the cursor, the first one of a folded stretch."""
        return self.items[self.cursor[0]].row if self.count else 0

    @property
    def unit_row(self) -> int:
        """The row of units under the cursor."""
        return self.found.unit_of(self.row) if self.count else 0

    @property
    def difference(self) -> int:
        """The number of the difference that the cursor is at or behind, from 1; 0 before the first."""
        return bisect_right(self.stops, self.cursor[0])

    def kind_of(self, item: int) -> Kind:
        """How the units of an item differ."""
        return self.found.units[self.found.unit_of(self.items[item].row)].kind

    def transcript(self, side: int) -> Transcript:
        """What is compared at a side: 0 left, 1 right."""
        return self.found.right if side else self.found.left

    def unit_here(self, side: int) -> int | None:
        """The action unit of a side under the cursor."""
        if not self.count:
            return None
        row = self.found.units[self.unit_row]
        return (row.left, row.right)[side]

    def unit_to_open(self) -> tuple[int, int] | None:
        """The side (0 left, 1 right) and the action unit that Enter opens: of the chosen side if it has one here."""
        for side in (self.side, 1 - self.side):
            unit = self.unit_here(side)
            if unit is not None:
                return side, unit
        return None

    def message_here(self, side: int) -> int | None:
        """The message of a side under the cursor; None where there is none, or several are folded away."""
        if not self.count or self.items[self.cursor[0]].stretch:
            return None
        row = self.found.messages[self.row]
        return (row.left, row.right)[side]

    def message_from(self, side: int) -> int:
        """The first message of a side at the cursor or after it; as many as there are, where there is none."""
        return bisect_left(self._rows_by_message[side], self.row)

    def item_of_message(self, side: int, message: int) -> int:
        """The item that a message of a side is in."""
        return self.item_of(self._rows_by_message[side][message])

    def header_row(self, item: int) -> int:
        """The row of an item's own header: below its unit's, where it opens one."""
        found = self.items[item]
        return 1 if not found.stretch and self.found.begins_unit(found.row) else 0

    def item_of(self, row: int) -> int:
        """The item that a row of messages is, or the folded stretch that it is in."""
        return bisect_right(self.items, row, key=lambda item: item.row) - 1

    # -- moves ---------------------------------------------------------------------------------------------------------

    def to_item(self, item: int) -> None:
        """Put the cursor on an item's header, and the item near the top, below a little of what is before it."""
        self.cursor = item, min(self.header_row(item), self.rows_of(item) - 1)
        self.top = self.walk((item, 0), -min(3, self.height // 6))
        self._show_cursor(0)

    def to_row(self, row: int) -> None:
        """To a row of the item under the cursor, with some of what is before it."""
        item = self.cursor[0]
        self.cursor = item, row
        if row > self.header_row(item) + self.height // 2:
            self.top = self.walk(self.cursor, -(self.height // 3))
        self._show_cursor(0)

    def to_message(self, side: int, message: int) -> None:
        """To a message of a side; the stretch that it is folded into is opened."""
        item = self.items[self.item_of_message(side, message)]
        if item.stretch:
            self._open(item)
        self.to_item(self.item_of_message(side, message))

    def step_difference(self, step: int) -> bool:
        """To the next or previous difference; False if there is none."""
        return self._step(self.stops, step)

    def step_unit(self, step: int) -> bool:
        """To the next or previous row of units."""
        return self._step(self._unit_items, step)

    def _step(self, targets: Sequence[int], step: int) -> bool:
        here = self.cursor[0]
        index = bisect_right(targets, here) if step > 0 else bisect_left(targets, here) - 1
        if not 0 <= index < len(targets):
            return False
        self.to_item(targets[index])
        return True

    # -- folds ---------------------------------------------------------------------------------------------------------

    def toggle_fold(self) -> None:
        """Open what is folded at the cursor, or fold it again."""
        if not self.count:
            return
        index = self.cursor[0]
        item = self.items[index]
        if item.stretch:
            self._open(item)
            return
        self.unfolded ^= {item.row}
        if self.top[0] == index:
            self.top = index, min(self.top[1], self.header_row(index))
        self._lay_out_again(index)

    def _open(self, stretch: Item) -> None:
        self.opened.add(stretch.row)
        self._arrange_at(stretch.row)

    def _lay_out_again(self, item: int) -> None:
        self._laid_out.pop(item, None)
        self.revision += 1
        self.layout(item)
        self._clamp()
        self._show_cursor(0)

    def next_fold_level(self) -> str:
        """The next level; folds made by hand are forgotten. Returns its name."""
        self.fold_level = (self.fold_level + 1) % len(FOLD_LEVELS)
        self.opened.clear()
        self.unfolded.clear()
        self._arrange_at(self.row)
        return FOLD_LEVELS[self.fold_level]

    def toggle_sides(self) -> bool:
        """Beside each other, or one below the other; returns whether they are beside each other now."""
        self.wanted_sides = not self.sides
        self._arrange_at(self.row)
        return self.sides

    def _arrange_at(self, row: int) -> None:
        """Arrange anew, with the cursor on a row of messages, or on the stretch that it is folded into."""
        below = self._rows_between(self.top, self.cursor)
        self._arrange()
        if not self.count:
            return
        item = self.item_of(row)
        self.cursor = item, self.header_row(item)
        self.top = self.walk(self.cursor, -min(below or 0, self.height - 1))
        self._show_cursor(0)
