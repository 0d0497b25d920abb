"""A list of rows of one line each that draws those in view, at any number of rows, with a cursor and the mouse."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Protocol

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from trajview.textsafe import safe_text

if TYPE_CHECKING:
    from trajview.app.shared.commands import Commands

__all__ = ["RowsList", "RowsUnderCursor"]

_MARGIN = 2
"""Cells left of the sentences that stand where there are no rows, at least."""


class RowsUnderCursor(Protocol):
    """The state that a list shows: so many rows, one of which the cursor is on."""

    @property
    def count(self) -> int:
        """How many rows there are."""

    @property
    def cursor(self) -> int:
        """The index of the row under the cursor; 0 where there are none."""

    @property
    def current(self) -> object | None:
        """The row under the cursor."""

    def go(self, index: int) -> bool:
        """Put the cursor on a row, or on the nearest there is. Says whether it moved."""


class RowsList(ScrollView, can_focus=True, inherit_bindings=False):
    """Shows rows under `heading_lines` that stay where they are. A click moves the cursor, one on its row opens that.

    Subclasses draw: `row_line` a row, `heading_line` what is above the rows, in styles that are component classes named
    `rows--STYLE`. Whoever changes the rows calls `rows_changed`.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "rows--dim", "rows--run", "rows--label", "rows--cursor", "rows--cursor-bar",
    }  # fmt: skip
    DEFAULT_CSS = """
    RowsList {
        height: 1fr;
        background: $background;
        color: $foreground;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        & > .rows--dim { color: $text-muted; }
        & > .rows--run { color: $text-primary; }
        & > .rows--label { color: $text-accent; }
        & > .rows--cursor { background: $boost; }
        & > .rows--cursor-bar { color: $primary-muted; }
        &:focus > .rows--cursor { background: $block-cursor-blurred-background; }
        &:focus > .rows--cursor-bar { color: $primary; }
        &:ansi > .rows--cursor { background: transparent; text-style: bold; }
    }
    """
    heading_lines: ClassVar[int] = 0

    empty: reactive[str] = reactive("")
    """The sentences that stand where there are no rows."""

    class Moved(Message):
        """The cursor is on another row, or on none."""

    class Opened(Message):
        """The row under the cursor was clicked."""

    def __init__(self, rows: RowsUnderCursor, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows = rows
        self.cursor_shown = 0
        """Where the cursor was when it was brought into view the last time."""
        self._last: object | None = None

    @property
    def commands(self) -> Commands:
        """What the keys of the group Move do."""
        return {
            "move.down": partial(self.move, 1),
            "move.up": partial(self.move, -1),
            "move.half_down": partial(self.move_pages, 0.5),
            "move.half_up": partial(self.move_pages, -0.5),
            "move.page_down": partial(self.move_pages, 1),
            "move.page_up": partial(self.move_pages, -1),
            "move.top": partial(self.go, 0),
            "move.end": lambda: self.go(self.rows.count),
        }

    def rows_changed(self) -> None:
        """Draw the rows that there are now; the view stays where it is."""
        self.virtual_size = Size(0, self.rows.count + self.heading_lines)
        self.refresh()

    def move(self, rows: int) -> None:
        """Move the cursor by some rows."""
        self.go(self.rows.cursor + rows)

    def move_pages(self, pages: float) -> None:
        """Move the cursor by pages, or by half ones; the view moves with it."""
        rows = max(1, int(self.page_rows * abs(pages))) * (1 if pages > 0 else -1)
        self.scroll_to(y=self.scroll_y + rows, animate=False)
        self.move(rows)

    def go(self, index: int) -> None:
        """Put the cursor on a row, or on the nearest there is."""
        self.rows.go(index)
        self.show_cursor()

    def show_cursor(self) -> None:
        """Have the row under the cursor in view, and say so where it is another one."""
        cursor, top = self.rows.cursor, int(self.scroll_y)
        for row in (self.cursor_shown, cursor):
            self.refresh_line(row + self.heading_lines)
        self.cursor_shown = cursor
        first = self.first_beside(cursor)
        if first < top:
            self.scroll_to(y=first, animate=False)
        elif cursor >= top + self.page_rows:
            self.scroll_to(y=cursor - self.page_rows + 1, animate=False)
        if self.rows.current is not self._last:
            self._last = self.rows.current
            self.post_message(self.Moved())

    def first_beside(self, index: int) -> int:
        """The first of the rows that come into view with a row from above."""
        return index

    @property
    def page_rows(self) -> int:
        """Rows in view, headings not counted."""
        return max(1, self.size.height - self.heading_lines)

    def on_resize(self) -> None:
        self.show_cursor()

    def on_click(self, event: events.Click) -> None:
        if event.button != 1:
            return
        event.stop()
        index = int(self.scroll_y) + event.y - self.heading_lines
        if event.y < self.heading_lines or index >= self.rows.count:
            return
        if index == self.rows.cursor:
            self.post_message(self.Opened())
        else:
            self.go(index)

    # -- rendering -----------------------------------------------------------------------------------------------------

    def style(self, *names: str) -> Style:
        """The style of component classes, one on top of the other."""
        return self.get_visual_style(*(f"rows--{name}" for name in names)).rich_style

    def heading_line(self) -> Sequence[Segment]:
        """What stands above the rows."""
        return ()

    def row_line(self, index: int, base: tuple[str, ...]) -> Sequence[Segment]:  # noqa: ARG002 - of those that have rows
        """What stands right of the cursor's bar; `base` names the styles below those of its own."""
        return ()

    def render_line(self, y: int) -> Strip:
        index = int(self.scroll_y) + y - self.heading_lines
        if y < self.heading_lines:
            return self._strip(self.heading_line())
        if index >= self.rows.count:
            return self._strip(() if self.rows.count else self._empty_line(y))
        base = ("cursor",) if index == self.rows.cursor else ()
        bar = Segment("▌", self.style("cursor", "cursor-bar")) if base else Segment(" ", self.style())
        return self._strip((bar, *self.row_line(index, base)), *base)

    def _empty_line(self, y: int) -> Sequence[Segment]:
        lines = safe_text(self.empty).split("\n")
        index = y - max(self.heading_lines + 1, (self.size.height - len(lines)) // 3)
        if not 0 <= index < len(lines):
            return ()
        left = max(_MARGIN, (self.size.width - max(map(cell_len, lines))) // 2)
        text = " " * left + lines[index]
        return (Segment(text, self.style("dim") if index else self.style()),)

    def _strip(self, pieces: Sequence[Segment], *base: str) -> Strip:
        """Segments as a strip of exactly the width of the list; text that is too long ends with an ellipsis."""
        strip, width = Strip(pieces), self.size.width
        visible = self.scrollable_content_region.width
        if strip.crop(visible).text.strip():
            strip = Strip([*strip.crop(0, max(0, visible - 1)), Segment("…", pieces[-1].style)])
        return strip.crop(0, width).extend_cell_length(width, self.style(*base)).simplify()
