"""The table of runs: a line-API widget that renders only the rows in view, at any number of rows."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from trajview.app.runs.columns import MARGIN, gap, heading_width, layout
from trajview.app.runs.heading import heading
from trajview.app.runs.row import centred, problem_row, run_row, strip_of
from trajview.app.runs.rows_arriving import SAMPLE, RowsArriving
from trajview.app.runs.run_list import DRAFT_STATUSES, RunList, RunRow
from trajview.app.shared.cells import Column, Shown, cell
from trajview.corpus.info import Place, RunInfo
from trajview.errors import Problem
from trajview.textsafe import one_line
from trajview.where.fields import Ref

__all__ = ["RunTable"]


class RunTable(RowsArriving, can_focus=True, inherit_bindings=False):
    """The rows of a `RunList`, with a heading that stays, a cursor, and the mouse.

    A click moves the cursor, a click on the row under the cursor opens it, a click on a heading sorts. Posts `Opened`
    and `CursorMoved`. The owner changes the `RunList` and then calls `rows_changed` (or the methods here, which do).
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "run-table--heading",
        "run-table--heading-sorted",
        "run-table--dim",
        "run-table--reward",
        "run-table--done",
        "run-table--draft",
        "run-table--problem",
        "run-table--mark",
        "run-table--cursor",
        "run-table--cursor-bar",
        "run-table--empty",
    }

    DEFAULT_CSS = """
    RunTable {
        height: 1fr;
        background: $background;
        color: $foreground;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        scrollbar-background: $background;
        scrollbar-background-hover: $background;
        scrollbar-background-active: $background;
        & > .run-table--heading { color: $text-muted; }
        & > .run-table--heading-sorted { color: $text-primary; text-style: bold; }
        & > .run-table--dim { color: $text-muted; }
        & > .run-table--reward { color: $text; }
        & > .run-table--done { color: $text-success; }
        & > .run-table--draft { color: $text-warning; }
        & > .run-table--problem { color: $text-warning; }
        & > .run-table--mark { color: $accent; text-style: bold; }
        & > .run-table--cursor { background: $boost; }
        & > .run-table--cursor-bar { color: $primary-muted; }
        & > .run-table--empty { color: $text-muted; }
        &:focus {
            & > .run-table--cursor { background: $block-cursor-blurred-background; }
            & > .run-table--cursor-bar { color: $primary; }
        }
        &:ansi {
            & > .run-table--cursor { background: transparent; text-style: bold; }
        }
    }
    """

    empty: reactive[str] = reactive("")
    """The sentences that stand where there are no rows."""

    class Opened(Message):
        """A run or a problem was opened with the mouse."""

        def __init__(self, item: RunRow) -> None:
            super().__init__()
            self.item = item

    class CursorMoved(Message):
        """The cursor is on another row, or on none."""

        def __init__(self, item: RunRow | None) -> None:
            super().__init__()
            self.item = item

    class Drawn(Message):
        """Rows are on the screen for the first time. What takes time is better begun after that."""

    def __init__(self, runs: RunList, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.runs = runs
        self.marked: list[Place] = []
        """The runs that are marked to be compared, the first one first."""
        self._wanted: dict[Shown, int] = {}
        self._measured = 0
        self._widths: dict[Shown, int] = {}
        self._extras: tuple[Ref, ...] = ()
        self._strips: LRUCache[tuple[int, bool, bool], Strip] = LRUCache(1024)
        self._styles: dict[tuple[object, ...], Style] = {}
        self._last: RunRow | None = None
        self._drawn = False

    # What others call

    def rows_changed(self) -> None:
        """The rows, their order or the filter changed: measure, redraw, and keep the cursor in view."""
        self.measure_first()
        if self.runs.extras != self._extras:
            self._extras = self.runs.extras
            self.laid_out_for = -1
            for row in self._sample():
                self.widen(row)
        size = Size(0, len(self.runs.shown) + 1)
        if size != self.virtual_size:
            self.virtual_size = size
        self.refresh()
        self.show_cursor()

    def statuses_changed(self) -> None:
        """The annotation statuses changed: draw them."""
        for row in self._sample():
            self.widen(row)
        self.laid_out_for = -1
        self._strips.clear()
        self.refresh()

    def marks_changed(self) -> None:
        """Other runs are marked: draw that."""
        self._strips.clear()
        self.refresh()

    def move(self, rows: int) -> None:
        """Move the cursor by some rows."""
        self.go(self.runs.cursor + rows)

    def move_pages(self, pages: float) -> None:
        """Move the cursor by pages, or by half ones; the view moves with it."""
        rows = max(1, int(self.page_rows * abs(pages))) * (1 if pages > 0 else -1)
        self.scroll_to(y=self.scroll_y + rows, animate=False)
        self.move(rows)

    def go(self, position: int) -> None:
        """Put the cursor on a row, by its position among the shown ones; below 0 counts as 0."""
        if self._moved:
            self.show_news()
        before = self.runs.cursor
        if self.runs.go(position):
            for y in (before, self.runs.cursor):
                self.refresh_line(y + 1)
        self.show_cursor()

    def sort_by(self, column: Shown, *, also: bool = False) -> None:
        """Sort by a column, or turn the order round if it is sorted by it; `also` keeps the keys that there are."""
        if also:
            self.runs.also_by(column)
        else:
            self.runs.sort_by(column)
        self.rows_changed()

    @property
    def columns(self) -> tuple[Shown, ...]:
        """The columns that have room."""
        self._lay_out()
        return tuple(self._widths)

    # Cursor and scrolling

    def show_cursor(self) -> None:
        cursor = self.runs.cursor
        self.cursor_before = cursor
        top = int(self.scroll_y)
        if cursor < top:
            self.scroll_to(y=cursor, animate=False)
        elif cursor >= top + self.page_rows:
            self.scroll_to(y=cursor - self.page_rows + 1, animate=False)
        item = self.runs.current
        if item is not self._last:
            self._last = item
            self.post_message(self.CursorMoved(item))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        first = int(new_value)
        for row in self.runs.shown[first : first + self.page_rows]:
            self.widen(row)

    def on_resize(self) -> None:
        self.show_cursor()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles.clear()
        self._strips.clear()

    def on_click(self, event: events.Click) -> None:
        if event.button != 1:
            return
        event.stop()
        if event.y == 0:
            column = self._column_at(event.x)
            if column is not None:
                self.sort_by(column, also=event.shift)
            return
        position = int(self.scroll_y) + event.y - 1
        if position >= len(self.runs.shown):
            return
        if position == self.runs.cursor:
            self.post_message(self.Opened(self.runs.rows[self.runs.shown[position]]))
        else:
            self.go(position)

    def _column_at(self, x: int) -> Shown | None:
        left = MARGIN
        between = gap(self.laid_out_for, self._widths)
        for column, width in self._widths.items():
            if left - between // 2 <= x < left + width + between - between // 2:
                return column
            left += width + between
        return None

    def forget_rows(self) -> None:
        self._strips.clear()

    # Widths

    def _sample(self) -> Iterable[int]:
        first = int(self.scroll_y)
        yield from range(min(SAMPLE, len(self.runs.rows)))
        yield from self.runs.shown[first : first + self.page_rows]

    def measure_first(self) -> None:
        """Measure what came of the first rows, in the order they came: so a filter or a sort moves no column."""
        rows = self.runs.rows
        while self._measured < min(SAMPLE, len(rows)):
            self.widen(self._measured)
            self._measured += 1

    def widen(self, row: int) -> None:
        item = self.runs.rows[row]
        if not isinstance(item, RunInfo):
            return
        for column in (*Column, *self._extras):
            text = self._text(row, item, column)
            if not text:
                continue
            size = cell_len(text)
            if column is Column.ID and (item.name or item.task or item.id) != item.id:
                size += 2 + cell_len(one_line(item.id))
            if size > self._wanted.get(column, 0):
                self._wanted[column] = size
                self.laid_out_for = -1

    def _lay_out(self) -> None:
        width = self.size.width
        if width == self.laid_out_for:
            return
        # Agents, models and rewards have a column if a run has any.
        wanted: dict[Shown, int] = {}
        for column in Column:
            if column in self._wanted or column not in (Column.AGENTS, Column.MODELS, Column.REWARD):
                wanted[column] = max(self._wanted.get(column, 0), heading_width(column))
            if column is Column.REWARD:
                wanted |= {ref: max(self._wanted.get(ref, 0), heading_width(ref)) for ref in self._extras}
        self._widths = layout(width - 1, wanted)
        self.laid_out_for = width
        self._strips.clear()

    # Rendering

    def _style(self, *names: str) -> Style:
        key = (self.has_focus, *names)
        style = self._styles.get(key)
        if style is None:
            style = self.get_visual_style(*(f"run-table--{name}" for name in names)).rich_style
            self._styles[key] = style
        return style

    def render_line(self, y: int) -> Strip:
        self._lay_out()
        width = self.size.width
        if y == 0:
            return self._heading(width) if self.runs.rows else Strip.blank(width, self._style())
        position = int(self.scroll_y) + y - 1
        shown = self.runs.shown
        if position >= len(shown):
            if not shown and self.empty:
                return self._empty_line(y, width)
            return Strip.blank(width, self._style())
        if not self._drawn:
            self._drawn = True
            self.post_message(self.Drawn())
        row, is_cursor = shown[position], position == self.runs.cursor
        key = (row, is_cursor, self.has_focus)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = self._row(row, width, is_cursor)
        return strip

    def _heading(self, width: int) -> Strip:
        pieces = heading(self.runs.keys, self._widths, gap(width, self._widths), self._style)
        return strip_of(pieces, width, self._style())

    def _empty_line(self, y: int, width: int) -> Strip:
        lines = self.empty.split("\n")
        index = y - max(2, (self.size.height - len(lines)) // 3)
        if not 0 <= index < len(lines):
            return Strip.blank(width, self._style())
        return strip_of(centred(lines[index], width, self._style(*(["empty"] * (index > 0)))), width, self._style())

    def _row(self, row: int, width: int, is_cursor: bool) -> Strip:
        item = self.runs.rows[row]
        style = partial(self._style, "cursor") if is_cursor else self._style
        bar = Segment("▌", style("cursor-bar")) if is_cursor else Segment(" ", style())
        if isinstance(item, Problem):
            pieces = problem_row(self.runs.place(item), item.reason, width, style)
        else:
            mark = Segment("◆", style("mark")) if item.place in self.marked else Segment(" ", style())
            texts = {column: (self._text(row, item, column), size) for column, size in self._widths.items()}
            is_draft = self.runs.status(item) in DRAFT_STATUSES
            pieces = [mark, *run_row(item, texts, gap(width, self._widths), style, is_draft=is_draft)]
        return strip_of([bar, *pieces], width, style())

    def _text(self, row: int, item: RunInfo, column: Shown) -> str:
        if isinstance(column, Column):
            return cell(item, column, self._status_text(item) if column is Column.STATUS else "")
        return self.runs.value_text(row, column)

    def _status_text(self, item: RunInfo) -> str:
        status = self.runs.status(item)
        if not status:
            return ""
        return f"○ {status}" if status in DRAFT_STATUSES else f"✓ {status}"
