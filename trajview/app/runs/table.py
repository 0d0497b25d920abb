"""The table of runs: a line-API widget that renders only the rows in view, at any number of rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip

from trajview.app.runs.run_list import DRAFT_STATUSES, RunList
from trajview.app.shared.cells import COLUMNS, Column, fit, fit_path, is_number, is_opaque, title_of
from trajview.app.shared.rows_list import RowsList
from trajview.corpus.info import RunInfo
from trajview.errors import Problem
from trajview.textsafe import one_line
from trajview.where.fields import Ref
from trajview.where.syntax import By

__all__ = ["RunTable", "gap", "layout"]

_MARGIN: Final = 2
"""Cells left of the first column: the cursor's bar and a space, or the sign of a problem."""

_SAMPLE: Final = 200
"""Rows that the widths are taken from; rows that come into view later may only widen a column."""

_LEAST = {Column.ID: 12, Column.SOURCE: 12}
_MOST = {
    Column.ID: 64, Column.SOURCE: 56, Column.FORMAT: 18, Column.MESSAGES: 12, Column.UNITS: 12, Column.REWARD: 13,
    Column.STATUS: 14, Column.AGENTS: 40, Column.MODELS: 40,
}  # fmt: skip

_MOST_OF_A_FIELD = 24
"""Cells of a column that is there because the filter is about its field."""

_GIVEN_UP = (Column.AGENTS, Column.MODELS, Column.SOURCE, Column.UNITS, Column.FORMAT, Column.MESSAGES, Column.STATUS)
"""Which columns a narrow terminal loses, first to last. The name and the reward stay."""

_NAME_WISH = 24
"""As long as the name has fewer cells than this, and would use more, another column is given up for it."""

_DIGITS: Final = ("", *"²³⁴⁵⁶⁷⁸⁹")
"""Which key of the order a column is; the first has none: it is what a person looks for first."""

_SHORT_ID: Final = 14
"""Cells of an id that always stands beside a task."""
_SHORT_OPAQUE: Final = 6
"""Characters of a UUID that stand beside a name."""

_Styles = Callable[..., Style]
"""Gives the style that has some names."""


def layout(width: int, wanted: Mapping[Ref, int]) -> dict[Ref, int]:
    """The cells of each column for a table of `width` cells, margin included, in their order.

    `wanted` says how many cells the content of a column would use; a column that is not in it is not shown. Columns
    are given up until the name has room; what is left goes into the gaps between them (see `gap`).
    """
    columns = {column: min(size, _MOST.get(column, _MOST_OF_A_FIELD)) for column, size in wanted.items()}
    if Column.ID not in columns:
        return {}
    for column in (None, *_GIVEN_UP):
        if column is not None:
            columns.pop(column, None)
        least = sum(min(size, _LEAST.get(c, size)) for c, size in columns.items() if c != Column.ID)
        room = width - _MARGIN - 2 * (len(columns) - 1) - least
        wish = min(columns[Column.ID], _NAME_WISH)
        if Column.AGENTS in columns or Column.MODELS in columns:
            # Only where nothing else is cut for them.
            wish = columns[Column.ID] + max(0, columns.get(Column.SOURCE, 0) - _LEAST[Column.SOURCE])
        if room >= wish:
            break
    if room < _LEAST[Column.ID] and len(columns) > 1:
        columns = {Column.ID: columns[Column.ID]}
        room, least = width - _MARGIN, 0
    source = columns.get(Column.SOURCE)
    if source is None:
        columns[Column.ID] = max(1, min(columns[Column.ID], room))
    else:
        # The name comes first, but a source worth showing gets up to two fifths of what the two share.
        both = room + min(source, _LEAST[Column.SOURCE])
        source = min(source, max(_LEAST[Column.SOURCE], both * 2 // 5, both - columns[Column.ID]))
        columns[Column.SOURCE] = source
        columns[Column.ID] = max(1, min(columns[Column.ID], both - source))
    return {column: columns[column] for column in wanted if column in columns}


def gap(width: int, widths: Mapping[Ref, int]) -> int:
    """Cells between two columns: two, and up to four where there is room, the scroll bar's cell left free."""
    between = max(1, len(widths) - 1)
    return max(2, min(4, (width - 1 - _MARGIN - sum(widths.values())) // between))


class _Columns:
    """The columns that a list of runs needs, as wide as the rows that were measured; they change for no filter or order."""

    def __init__(self, runs: RunList) -> None:
        self._runs = runs
        self._wanted: dict[Ref, int] = {}
        self._extras: tuple[Ref, ...] = ()
        self._width = 0
        self._widths: dict[Ref, int] | None = None

    def measure(self, in_view: Iterable[int]) -> None:
        """Widen the columns for the first rows that came, so that a filter or a sort moves none, and for those in view."""
        if self._runs.extras != self._extras:
            self._extras = self._runs.extras
            self._widths = None
        for row in (*range(min(_SAMPLE, len(self._runs.rows))), *in_view):
            item = self._runs.rows[row]
            if not isinstance(item, RunInfo):
                continue
            for column in (*COLUMNS, *self._extras):
                text = self._runs.text(row, item, column)
                size = cell_len(text)
                if text and column == Column.ID and (id := _id_beside(item, text)):
                    size += 2 + cell_len(id)
                if size > self._wanted.get(column, 0):
                    self._wanted[column] = size
                    self._widths = None

    def widths(self, width: int) -> dict[Ref, int]:
        """The cells of each column that there is room for, in a table of `width` cells."""
        if self._widths is None or width != self._width:
            self._width = width
            wanted: dict[Ref, int] = {}
            for column in COLUMNS:
                # Agents, models and rewards have a column if a run has any.
                if column in self._wanted or column not in (Column.AGENTS, Column.MODELS, Column.REWARD):
                    wanted[column] = self._wanted.get(column, 0)
                if column == Column.REWARD:
                    wanted |= {ref: self._wanted.get(ref, 0) for ref in self._extras}
            # Room for the first annotation, so that it moves no column.
            wanted[Column.STATUS] = max(wanted[Column.STATUS], len("✓ annotated"))
            self._widths = layout(width - 1, {c: max(size, cell_len(title_of(c))) for c, size in wanted.items()})
        return self._widths


class RunTable(RowsList):
    """The rows of a `RunList` under a heading; a click on that sorts.

    The owner changes the `RunList` and then calls `rows_changed`, or for what comes while files are read `rows_come`, and
    when it is to be seen `show_news`.
    """

    heading_lines = 1
    DEFAULT_CSS = """
    RunTable {
        scrollbar-background: $background;
        scrollbar-background-hover: $background;
        scrollbar-background-active: $background;
        & > .rows--sorted { color: $text-primary; text-style: bold; }
        & > .rows--reward { color: $text; }
        & > .rows--done { color: $text-success; }
        & > .rows--draft { color: $text-warning; }
        & > .rows--problem { color: $text-warning; }
        & > .rows--mark { color: $accent; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {*re.findall(r"rows--[a-z-]+", DEFAULT_CSS)}

    class Drawn(Message):
        """Rows are on the screen for the first time. What takes time is better begun after that."""

    def __init__(self, runs: RunList, *, id: str | None = None) -> None:
        super().__init__(runs, id=id)
        self.runs = runs
        self._columns = _Columns(runs)
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
        """Sort by the heading that was clicked, or with shift by it too; rows are clicked in every list."""
        column = self._column_at(event.x) if event.y == 0 and event.button == 1 else None
        if column is not None:
            change = self.runs.also_by if event.shift else self.runs.sort_by
            change(column)
            self.rows_changed()

    def _column_at(self, x: int) -> Ref | None:
        width = self.size.width
        widths = self._columns.widths(width)
        between = gap(width, widths)
        left = _MARGIN - between // 2
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
    pieces = [Segment(" " * _MARGIN, style())]
    for column, size in widths.items():
        title, right = title_of(column), is_number(column)
        arrow = _arrow(keys, column)
        if not arrow:
            pieces.append(Segment(fit(title, size, right=right) + " " * between, style("dim")))
            continue
        # The arrow stands in the gap, so that it costs no column its width.
        rest = " " * (between - len(arrow))
        shown = fit(title, size, right=True) + arrow if right else fit(title + arrow, size + len(arrow))
        pieces.append(Segment(shown + rest, style("sorted")))
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


def _id_beside(item: RunInfo, text: str) -> str:
    """What is shown of a run's id beside its name, `text`.

    Of one that says nothing it is as much as tells runs of the same file apart, and nothing where each has its own file.
    """
    id = one_line(item.id)
    if is_opaque(id):
        id = "" if item.alone else id[:_SHORT_OPAQUE]
    return "" if text == one_line(item.id) else id


def _name(item: RunInfo, text: str, size: int, style: _Styles) -> list[Segment]:
    id = _id_beside(item, text)
    says_much = id and not is_opaque(item.id)
    if says_much and item.task and not item.name and cell_len(id) <= min(_SHORT_ID, size // 3):
        # Many runs may begin alike: what tells them apart stays.
        shown = fit(text, min(cell_len(text), size - cell_len(id) - 2)).rstrip()
        return [Segment(shown + "  ", style()), Segment(fit(id, size - cell_len(shown) - 2), style("dim"))]
    room = size - cell_len(text) - 2
    # Beside a name the id is a help, not the point: whole, or at least a few cells of it, or not at all.
    if not id or room < min(cell_len(id), 6):
        is_dim = item.alone and is_opaque(text)  # its file says more
        return [Segment(fit(text, size), style("dim") if is_dim else style())]
    return [Segment(text + "  ", style()), Segment(fit(id, room), style("dim"))]


def _problem_row(place: str, reason: str, width: int, style: _Styles) -> list[Segment]:
    """What stands right of the cursor's bar: where something could not be read, in at most half of `width`, and why."""
    place = one_line(place)
    room = max(0, width - _MARGIN - 2)
    shown = fit(place, min(cell_len(place), max(12, room // 2)))
    return [
        Segment(" ", style()),
        Segment("⚠ ", style("problem")),
        Segment(shown + "  " * bool(place), style()),
        Segment(one_line(reason), style("problem")),
    ]
