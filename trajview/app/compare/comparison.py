"""Two transcripts beside each other as a document of rows, without Textual: what is folded, the differences, the moves."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from trajview.app.compare.paired import Paired, PairedLines, lay_out_pair, paired_lines, stretch_lines, waiting_lines
from trajview.app.render.options import Fold, ViewOptions
from trajview.app.shared.linemap import LineMap
from trajview.app.shared.positions import Positions
from trajview.app.transcript.sizes import estimates, sizes_of
from trajview.compare.alignment import Alignment, Kind
from trajview.compare.sequence import nothing

__all__ = ["FOLD_LEVELS", "GUTTER", "LEAST_SIDE", "MIDDLE", "Comparison", "Item"]

FOLD_LEVELS: Final = ("what is the same folded", "long texts folded", "all open")
GUTTER: Final = 2
MIDDLE: Final = 3
"""Columns between the sides."""
LEAST_SIDE: Final = 40
"""Columns of a side that can be read; with fewer, both share the width."""
_KEPT: Final = 300
_LARGE: Final = 150_000
"""Characters of two messages together from which on their lines are paired in a thread: some 50 ms."""
_LARGE_KEPT: Final = 12
_CONTEXT: Final = 1
"""Units that are the same beside a difference that stay open."""


class Item(NamedTuple):
    """A row of messages (`stretch` is 0), or so many folded rows of units from `row` on."""

    row: int
    stretch: int = 0


class Comparison(Positions):
    """What the reader sees of two transcripts, and where he is. Items are rows of messages and folded stretches."""

    def __init__(
        self, found: Alignment, *, preview_lines: int = 8, width: int = 80, check: Callable[[], None] = nothing
    ) -> None:
        """Reads the sizes of all messages once: for a thread. `check` may raise to end it."""
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
        """The first unit rows of stretches that were opened, whatever the level."""
        self.unfolded: set[int] = set()
        """The message rows that were folded or unfolded against the level."""
        self.revision = 0
        """Changes whenever what is shown of items may have changed."""
        self.arranged = 0
        """Changes whenever items are others, or shown otherwise."""
        self._differences = found.differences()
        check()
        self.prefix = found.prefix
        self.counts = Counter(row.kind for row in found.units)
        sides = found.left.messages, found.right.messages
        self.roles = [[message.role for message in side] for side in sides]
        """By side and message."""
        self._sizes = [sizes_of(side) for side in sides]
        self._estimated_for: tuple[object, ...] = ()
        self._estimates: list[list[int]] = []
        self.waiting: list[int] = []
        """Items whose messages are so large that their lines are to be paired in a thread: see `pair`."""
        self._paired: OrderedDict[tuple[int, bool], PairedLines] = OrderedDict()
        self._laid_out: OrderedDict[int, Paired] = OrderedDict()
        self._arrange()
        if self.count:
            self.cursor = 0, self.header_row(0)

    # -- layout --------------------------------------------------------------------------------------------------------

    @property
    def sides(self) -> bool:
        """Whether both are beside each other, else one below the other."""
        if self.wanted_sides is not None:
            return self.wanted_sides
        return (self.width - GUTTER - MIDDLE - 1) // 2 >= LEAST_SIDE

    @property
    def side_widths(self) -> tuple[int, int]:
        """The columns of the text of each side; the same for both where they share the width."""
        if not self.sides:
            width = max(10, self.width - 2 * GUTTER - 1)
            return width, width
        side = max(10, (self.width - GUTTER - MIDDLE - 1) // 2)  # the same for both, or they would break differently
        return side, side

    def _arrange(self) -> None:
        """Make the items of the fold level, with estimated heights."""
        self.items = [*self._items()]
        starts = self.found.starts
        self._rows = [starts[item.row] if item.stretch else item.row for item in self.items]
        """By item: its row of messages, of a folded stretch the first."""
        self.stops = [self.item_of(row) for row in self._differences]
        """The items at which differences begin."""
        self._starts = [index for index, item in enumerate(self.items) if item.stretch or self._begins_unit(item)]
        self._relayout()

    def _items(self) -> list[Item]:
        found = self.found
        units, starts = found.units, [*found.starts, len(found.messages)]
        items: list[Item] = []
        at = 0
        while at < len(units):
            end = at
            while end < len(units) and units[end].kind is Kind.SAME:
                end += 1
            first = at + (_CONTEXT if at else 0)
            last = end - (_CONTEXT if end < len(units) else 0)
            if self.fold_level == 0 and last - first > 1 and first not in self.opened:
                items += [Item(row) for row in range(starts[at], starts[first])]
                items.append(Item(first, last - first))
                items += [Item(row) for row in range(starts[last], starts[end])]
            else:
                items += [Item(row) for row in range(starts[at], starts[end])]
            at = end
            if at < len(units):
                items += [Item(row) for row in range(starts[at], starts[at + 1])]
                at += 1
        return items

    def _begins_unit(self, item: Item) -> bool:
        return self.found.starts[self.found.messages[item.row].row] == item.row

    def _relayout(self) -> None:
        self._laid_out.clear()
        self.waiting.clear()
        self._measured_to = 0
        self.revision += 1
        self.arranged += 1
        self.map = LineMap(self._heights())

    def _heights(self) -> list[int]:
        """Heights from the sizes of messages alone."""
        widths, fold = self.side_widths, Fold.OPEN if self.fold_level == 2 else Fold.PREVIEW
        if self._estimated_for != (widths, fold):
            self._estimated_for, self._estimates = (widths, fold), []
            for side, sizes in enumerate(self._sizes):
                options = ViewOptions(width=widths[side], preview_lines=self.preview_lines)
                self._estimates.append(estimates(sizes, options, fold))
        known = self._estimates
        heights = []
        sides = self.sides
        for item in self.items:
            if item.stretch:
                heights.append(2)
                continue
            left, right, kind, _ = self.found.messages[item.row]
            a = known[0][left] if left is not None else 0
            b = known[1][right] if right is not None else 0
            rows = max(a, b) if sides or kind is Kind.SAME else a + b
            if kind is Kind.SAME and self.fold_level < 2:
                rows = min(rows, self.preview_lines + 3)
            heights.append(rows + self._begins_unit(item))
        return heights

    def is_open(self, item: Item) -> bool:
        """Whether equal lines are shown in a row of messages, however many there are."""
        return (self.fold_level == 2) != (item.row in self.unfolded)

    def layout(self, index: int) -> Paired:
        """The rows of an item. Kept while it stays near the screen."""
        laid_out = self._laid_out.get(index)
        if laid_out is not None:
            self._laid_out.move_to_end(index)
            return laid_out
        item = self.items[index]
        if item.stretch:
            lines = stretch_lines(self.found, item.row, item.stretch)
        elif not self._is_large(item):
            lines = self.pair(index)
        else:
            known = self._paired.get((item.row, self.is_open(item)))
            if known is None and index not in self.waiting:
                self.waiting.append(index)
            lines = known or waiting_lines(self.found, item.row, begins=self._begins_unit(item))
        laid_out = lay_out_pair(lines, self.side_widths, self.sides)
        self._laid_out[index] = laid_out
        if len(self._laid_out) > _KEPT:
            self._laid_out.popitem(last=False)
        self.map.set(index, len(laid_out.rows))
        return laid_out

    def pair(self, index: int) -> PairedLines:
        """The lines of a row of messages beside each other. For a thread, where they are large."""
        item = self.items[index]
        return paired_lines(
            self.found,
            item.row,
            begins=self._begins_unit(item),
            whole=self.is_open(item),
            sides=self.sides,
            options=ViewOptions(width=min(self.side_widths), preview_lines=self.preview_lines),
        )

    def take(self, index: int, lines: PairedLines) -> None:
        """Show lines that were paired in a thread."""
        item = self.items[index]
        self._paired[item.row, self.is_open(item)] = lines
        if len(self._paired) > _LARGE_KEPT:
            self._paired.popitem(last=False)
        self._laid_out.pop(index, None)
        self.revision += 1
        self.layout(index)
        self._clamp()
        self._cursor_on_screen()

    def _is_large(self, item: Item) -> bool:
        left, right, kind, _ = self.found.messages[item.row]
        if kind is not Kind.CHANGED or left is None or right is None:
            return False
        sizes = self._sizes[0][left], self._sizes[1][right]
        return sum(length for _, length, *_ in sizes) > _LARGE

    @property
    def text_width(self) -> int:
        """The columns of both sides, and what is beside them."""
        return self.width

    def set_view(self, width: int, height: int) -> None:
        """Tell the size of the window; the item at its top stays there when the width changes."""
        self.height = max(1, height)
        if width != self.width:
            self.width = max(20, width)
            self._anew()
        self._clamp()
        self._cursor_into_window()

    def _anew(self) -> None:
        """Lay everything out anew, and stay at the same items."""
        top, cursor = self.top[0], self.cursor[0]
        self._relayout()
        self.top = top, 0
        self.cursor = cursor, self.header_row(cursor) if self.count else 0
        self._clamp()
        self._cursor_on_screen()

    # -- places --------------------------------------------------------------------------------------------------------

    @property
    def unit_row(self) -> int:
        """The row of units under the cursor."""
        if not self.count:
            return 0
        item = self.items[self.cursor[0]]
        return item.row if item.stretch else self.found.messages[item.row].row

    @property
    def difference(self) -> int:
        """The number of the difference that the cursor is at or behind, from 1; 0 before the first."""
        return bisect_right(self.stops, self.cursor[0])

    def unit_to_open(self) -> tuple[int, int] | None:
        """The side (0 left, 1 right) and the action unit that Enter opens: of the chosen side if it has one here."""
        if not self.count:
            return None
        row = self.found.units[self.unit_row]
        units = row.left, row.right
        for side in (self.side, 1 - self.side):
            unit = units[side]
            if unit is not None:
                return side, unit
        return None

    def header_row(self, item: int) -> int:
        """The row of an item's own header: below its unit's, where it opens one."""
        found = self.items[item]
        return 1 if not found.stretch and self._begins_unit(found) else 0

    def item_of(self, row: int) -> int:
        """The item that a row of messages is, or the folded stretch that it is in."""
        return bisect_right(self._rows, row) - 1

    def to_item(self, item: int) -> None:
        """Put the cursor on an item's header, and the item near the top, below a little of what is before it."""
        item = max(0, min(item, self.count - 1))
        self.rows_of(item)
        self.cursor = item, min(self.header_row(item), self.rows_of(item) - 1)
        self.top = self.walk((item, 0), -min(3, self.height // 6))
        self._clamp()
        self._cursor_on_screen()

    # -- moves ---------------------------------------------------------------------------------------------------------

    def step_difference(self, step: int) -> bool:
        """To the next or previous difference; False if there is none."""
        return self._step(self.stops, step)

    def step_unit(self, step: int) -> bool:
        """To the next or previous row of units."""
        return self._step(self._starts, step)

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
        item = self.items[self.cursor[0]]
        if item.stretch:
            self.opened.add(item.row)
            row = self.found.starts[item.row]
            self._keep(row)
            return
        self.unfolded ^= {item.row}
        self.arranged += 1
        index = self.cursor[0]
        self._laid_out.pop(index, None)
        self.revision += 1
        self.cursor = index, min(self.cursor[1], len(self.layout(index).rows) - 1)
        if self.top[0] == index:
            self.top = index, min(self.top[1], self.header_row(index))
        self._clamp()
        self._cursor_on_screen()

    def next_fold_level(self) -> str:
        """The next level; folds made by hand are forgotten. Returns its name."""
        row = 0
        if self.count:
            item = self.items[self.cursor[0]]
            row = self.found.starts[item.row] if item.stretch else item.row
        self.fold_level = (self.fold_level + 1) % len(FOLD_LEVELS)
        self.opened.clear()
        self.unfolded.clear()
        self._keep(row)
        return FOLD_LEVELS[self.fold_level]

    def toggle_sides(self) -> bool:
        """Beside each other, or one below the other; returns whether they are beside each other now."""
        self.wanted_sides = not self.sides
        self._paired.clear()  # a header says where the other unit is
        self._anew()
        return self.sides

    def _keep(self, row: int) -> None:
        """Arrange anew, with the cursor on a row of messages, or on the stretch that it is folded into."""
        below = self._rows_between(self.top, self.cursor)
        self._arrange()
        if not self.count:
            return
        item = self.item_of(row)
        self.cursor = item, min(self.header_row(item), self.rows_of(item) - 1)
        self.top = self.walk(self.cursor, -min(below or 0, self.height - 1))
        self._clamp()
        self._cursor_on_screen()
