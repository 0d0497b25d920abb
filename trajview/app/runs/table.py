"""The table of runs: a line-API widget that renders only the rows in view, at any number of rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from trajview.app.runs.columns import MARGIN, Columns, gap
from trajview.app.runs.run_list import DRAFT_STATUSES, RunList, RunRow
from trajview.app.shared.cells import COLUMNS, Column, fit, fit_path, is_number, title_of
from trajview.corpus.info import RunInfo
from trajview.errors import Problem
from trajview.textsafe import one_line
from trajview.where.fields import Ref
from trajview.where.syntax import By

__all__ = ["RunTable"]

_DIGITS: Final = ("", *"²³⁴⁵⁶⁷⁸⁹")
"""Which key of the order a column is; the first has none: it is what a person looks for first."""

_SHORT_ID: Final = 14
"""Cells of an id that always stands beside a task."""

_Styles = Callable[..., Style]
"""Gives the style that has some names."""


class RunTable(ScrollView, can_focus=True, inherit_bindings=False):
    """The rows of a `RunList`, with a heading that stays, a cursor, and the mouse.

    A click moves the cursor, a click on the row under the cursor opens it, a click on a heading sorts. Posts `Opened`
    and `CursorMoved`. The owner changes the `RunList` and then calls `rows_changed`, or for what comes while files are
    read `rows_come`, and when it is to be seen `show_news`.
    """

    ALLOW_SELECT = False

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
    COMPONENT_CLASSES: ClassVar[set[str]] = {*re.findall(r"run-table--[a-z-]+", DEFAULT_CSS)}

    empty: reactive[str] = reactive("")
    """The sentences that stand where there are no rows."""

    class Opened(Message):
        """The run or problem under the cursor was opened with the mouse."""

    class CursorMoved(Message):
        """The cursor is on another row, or on none."""

    class Drawn(Message):
        """Rows are on the screen for the first time. What takes time is better begun after that."""

    def __init__(self, runs: RunList, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.runs = runs
        self._columns = Columns(runs)
        self._styles: dict[tuple[object, ...], Style] = {}
        self._has_news = False
        self._cursor_shown = 0
        self._last: RunRow | None = None
        self._drawn = False

    # What others call

    def rows_changed(self) -> None:
        """The rows, their order or the filter changed: draw them, and bring the cursor into view."""
        self._update(follow=True)

    def rows_come(self) -> None:
        """Rows came, or are others now: `show_news` draws that."""
        self._has_news = True

    def show_news(self) -> bool:
        """Draw what came: the view stays where it is, but the cursor stays in view where it was. Says whether anything came."""
        if not self._has_news:
            return False
        was_in_view = self._cursor_shown - int(self.scroll_y) in range(self.page_rows)
        self._update(follow=was_in_view or not self.runs.shown)
        return True

    def move(self, rows: int) -> None:
        """Move the cursor by some rows."""
        self.go(self.runs.cursor + rows)

    def move_pages(self, pages: float) -> None:
        """Move the cursor by pages, or by half ones; the view moves with it."""
        self.show_news()
        rows = max(1, int(self.page_rows * abs(pages))) * (1 if pages > 0 else -1)
        self.scroll_to(y=self.scroll_y + rows, animate=False)
        self.move(rows)

    def go(self, position: int) -> None:
        """Put the cursor on a row, by its position among the shown ones; below 0 counts as 0."""
        self.show_news()
        before = self.runs.cursor
        if self.runs.go(position):
            for y in (before, self.runs.cursor):
                self.refresh_line(y + 1)
        self._show_cursor()

    def sort_by(self, column: Ref, *, also: bool = False) -> None:
        """Sort by a column, or turn the order round if it is sorted by it; `also` keeps the keys that there are."""
        if also:
            self.runs.also_by(column)
        else:
            self.runs.sort_by(column)
        self.rows_changed()

    @property
    def columns(self) -> tuple[Ref, ...]:
        """The columns that have room."""
        return tuple(self._columns.widths(self.size.width))

    @property
    def page_rows(self) -> int:
        """Rows in view, the heading not counted."""
        return max(1, self.size.height - 1)

    @property
    def has_room(self) -> bool:
        """Whether the rows that were drawn do not fill the view."""
        return self.virtual_size.height <= self.page_rows

    # Cursor and scrolling

    def _update(self, *, follow: bool) -> None:
        self._has_news = False
        self._columns.measure(self._rows_in_view())
        self.virtual_size = Size(0, len(self.runs.shown) + 1)
        self.refresh()
        if follow:
            self._show_cursor()

    def _rows_in_view(self) -> Sequence[int]:
        first = int(self.scroll_y)
        return self.runs.shown[first : first + self.page_rows]

    def _show_cursor(self) -> None:
        cursor = self._cursor_shown = self.runs.cursor
        top = int(self.scroll_y)
        if cursor < top:
            self.scroll_to(y=cursor, animate=False)
        elif cursor >= top + self.page_rows:
            self.scroll_to(y=cursor - self.page_rows + 1, animate=False)
        item = self.runs.current
        if item is not self._last:
            self._last = item
            self.post_message(self.CursorMoved())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._columns.measure(self._rows_in_view())

    def on_resize(self) -> None:
        self._show_cursor()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles.clear()

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
            self.post_message(self.Opened())
        else:
            self.go(position)

    def _column_at(self, x: int) -> Ref | None:
        width = self.size.width
        widths = self._columns.widths(width)
        between = gap(width, widths)
        left = MARGIN - between // 2
        for column, size in widths.items():
            if left <= x < left + size + between:
                return column
            left += size + between
        return None

    # Rendering

    def _style(self, *names: str) -> Style:
        key = (self.has_focus, *names)
        style = self._styles.get(key)
        if style is None:
            style = self.get_visual_style(*(f"run-table--{name}" for name in names)).rich_style
            self._styles[key] = style
        return style

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        position = int(self.scroll_y) + y - 1
        shown = self.runs.shown
        if y == 0 and self.runs.rows:
            widths = self._columns.widths(width)
            return _strip(_heading(self.runs.keys, widths, gap(width, widths), self._style), width, self._style())
        if y == 0 or position >= len(shown):
            return self._empty_line(y, width) if y and not shown else Strip.blank(width, self._style())
        if not self._drawn:
            self._drawn = True
            self.post_message(self.Drawn())
        return self._row(shown[position], width, position == self.runs.cursor)

    def _empty_line(self, y: int, width: int) -> Strip:
        lines = self.empty.split("\n")
        index = y - max(2, (self.size.height - len(lines)) // 3)
        if not 0 <= index < len(lines):
            return Strip.blank(width, self._style())
        style = self._style("empty") if index else self._style()
        text = one_line(lines[index])
        left = max(MARGIN, (width - cell_len(text)) // 2)
        return _strip([Segment(" " * left + fit(text, min(cell_len(text), width - left)), style)], width, style)

    def _row(self, row: int, width: int, is_cursor: bool) -> Strip:
        item = self.runs.rows[row]
        style = partial(self._style, "cursor") if is_cursor else self._style
        bar = Segment("▌", style("cursor-bar")) if is_cursor else Segment(" ", style())
        if isinstance(item, Problem):
            return _strip([bar, *_problem_row(self.runs.place(item), item.reason, width, style)], width, style())
        mark = Segment("◆", style("mark")) if item.place in self.runs.marked else Segment(" ", style())
        widths = self._columns.widths(width)
        cells = {column: (self.runs.text(row, item, column), size) for column, size in widths.items()}
        is_draft = self.runs.status(item) in DRAFT_STATUSES
        return _strip([bar, mark, *_run_row(item, cells, gap(width, widths), style, is_draft)], width, style())


def _heading(keys: Sequence[By], widths: Mapping[Ref, int], between: int, style: _Styles) -> list[Segment]:
    """The titles, each as wide as its column, with `between` cells from one to the next."""
    pieces = [Segment(" " * MARGIN, style())]
    for column, size in widths.items():
        title, right = title_of(column), is_number(column)
        arrow = _arrow(keys, column)
        if not arrow:
            pieces.append(Segment(fit(title, size, right=right) + " " * between, style("heading")))
            continue
        # The arrow stands in the gap, so that it costs no column its width.
        rest = " " * (between - len(arrow))
        shown = fit(title, size, right=True) + arrow if right else fit(title + arrow, size + len(arrow))
        pieces.append(Segment(shown + rest, style("heading-sorted")))
    return pieces


def _arrow(keys: Sequence[By], column: Ref) -> str:
    """Which way a column is sorted, and of the keys after the first which one it is; empty where it is none."""
    for index, by in enumerate(keys):
        if by.ref == column:
            which = _DIGITS[index] if index < len(_DIGITS) else ""
            return f"{'↓' if by.reverse else '↑'}{which}"
    return ""


def _run_row(
    item: RunInfo, cells: Mapping[Ref, tuple[str, int]], between: int, style: _Styles, is_draft: bool
) -> list[Segment]:
    """What stands right of the margin: each column's text in as many cells as it has, `between` cells from one to the next."""
    pieces: list[Segment] = []
    space = Segment(" " * between, style())
    for column, (text, size) in cells.items():
        if pieces:
            pieces.append(space)
        if column == Column.ID:
            pieces += _name(item, text, size, style)
        else:
            shown = fit_path(text, size) if column == Column.SOURCE else fit(text, size, right=is_number(column))
            pieces.append(Segment(shown, _style_of(column, text, style, is_draft)))
    return pieces


def _style_of(column: Ref, text: str, style: _Styles, is_draft: bool) -> Style:
    if column == Column.REWARD or column not in COLUMNS:
        return style("reward")
    if column == Column.STATUS and text:
        return style("draft" if is_draft else "done")
    return style("dim")


def _name(item: RunInfo, text: str, size: int, style: _Styles) -> list[Segment]:
    id = one_line(item.id)
    if item.task and not item.name and cell_len(id) <= min(_SHORT_ID, size // 3):
        # Many runs may begin alike: what tells them apart stays.
        shown = fit(text, min(cell_len(text), size - cell_len(id) - 2)).rstrip()
        return [Segment(shown + "  ", style()), Segment(fit(id, size - cell_len(shown) - 2), style("dim"))]
    room = size - cell_len(text) - 2
    # Beside a name the id is a help, not the point: whole, or at least a few cells of it, or not at all.
    if (item.name or item.task or item.id) == item.id or room < min(cell_len(id), 6):
        return [Segment(fit(text, size), style())]
    return [Segment(text + "  ", style()), Segment(fit(id, room), style("dim"))]


def _problem_row(place: str, reason: str, width: int, style: _Styles) -> list[Segment]:
    """What stands right of the cursor's bar: where something could not be read, in at most half of `width`, and why."""
    place = one_line(place)
    room = max(0, width - MARGIN - 2)
    shown = fit(place, min(cell_len(place), max(12, room // 2)))
    return [
        Segment(" ", style()),
        Segment("⚠ ", style("problem")),
        Segment(shown + "  " * bool(place), style()),
        Segment(one_line(reason), style("problem")),
    ]


def _strip(pieces: Sequence[Segment], width: int, style: Style) -> Strip:
    """Segments as a strip of exactly `width` cells; text that is too long ends with an ellipsis."""
    strip = Strip(pieces)
    if strip.cell_length > width and strip.crop(width).text.strip():
        cut = strip.crop(0, max(0, width - 1))
        strip = Strip([*cut, Segment("…", pieces[-1].style)])
    return strip.crop(0, width).extend_cell_length(width, style).simplify()
