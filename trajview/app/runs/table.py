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
from textual.message import Message
from textual.strip import Strip

from trajview.app.runs.columns import MARGIN, Columns, gap
from trajview.app.runs.run_list import DRAFT_STATUSES, RunList
from trajview.app.shared.cells import COLUMNS, Column, fit, fit_path, is_number, title_of
from trajview.app.shared.rows_list import RowsList
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


class RunTable(RowsList):
    """The rows of a `RunList` under a heading; a click on that sorts.

    The owner changes the `RunList` and then calls `rows_changed`, or for what comes while files are read `rows_come`, and
    when it is to be seen `show_news`.
    """

    PREFIX = "run-table"
    heading_lines = 1
    DEFAULT_CSS = """
    RunTable {
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

    class Drawn(Message):
        """Rows are on the screen for the first time. What takes time is better begun after that."""

    def __init__(self, runs: RunList, *, id: str | None = None) -> None:
        super().__init__(runs, id=id)
        self.runs = runs
        self._columns = Columns(runs)
        self._has_news = False
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
        was_in_view = self.cursor_shown - int(self.scroll_y) in range(self.page_rows)
        self._update(follow=was_in_view or not self.runs.shown)
        return True

    def move_pages(self, pages: float) -> None:
        """Move the cursor by pages of what there is by now."""
        self.show_news()
        super().move_pages(pages)

    def go(self, index: int) -> None:
        """Put the cursor on a row of those that there are by now."""
        self.show_news()
        super().go(index)

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
    def has_room(self) -> bool:
        """Whether the rows that were drawn do not fill the view."""
        return self.virtual_size.height <= self.page_rows

    # Cursor and scrolling

    def _update(self, *, follow: bool) -> None:
        self._has_news = False
        self._columns.measure(self._rows_in_view())
        super().rows_changed()
        if follow:
            self.show_cursor()

    def _rows_in_view(self) -> Sequence[int]:
        first = int(self.scroll_y)
        return self.runs.shown[first : first + self.page_rows]

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._columns.measure(self._rows_in_view())

    def on_click(self, event: events.Click) -> None:
        """Sort by the heading that was clicked; rows are clicked in every list."""
        column = self._column_at(event.x) if event.y == 0 and event.button == 1 else None
        if column is not None:
            self.sort_by(column, also=event.shift)

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

    def render_line(self, y: int) -> Strip:
        if y and self.runs.shown and not self._drawn:
            self._drawn = True
            self.post_message(self.Drawn())
        return super().render_line(y)

    def heading_line(self) -> list[Segment]:
        """The titles of the columns, where there is something below them."""
        if not self.runs.rows:
            return []
        widths = self._columns.widths(self.size.width)
        return _heading(self.runs.keys, widths, gap(self.size.width, widths), self.style)

    def row_line(self, index: int, base: tuple[str, ...]) -> list[Segment]:
        """A run, or what could not be read."""
        row, width, style = self.runs.shown[index], self.size.width, partial(self.style, *base)
        item = self.runs.rows[row]
        if isinstance(item, Problem):
            return _problem_row(self.runs.place(item), item.reason, width, style)
        mark = Segment("◆", style("mark")) if item.place in self.runs.marked else Segment(" ", style())
        widths = self._columns.widths(width)
        cells = {column: (self.runs.text(row, item, column), size) for column, size in widths.items()}
        is_draft = self.runs.status(item) in DRAFT_STATUSES
        return [mark, *_run_row(item, cells, gap(width, widths), style, is_draft)]


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
