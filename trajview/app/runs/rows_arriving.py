"""The part of the table of runs that takes in what comes while the files are read, and draws no more of it than is seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from textual.geometry import Size
from textual.scroll_view import ScrollView

from trajview.app.runs.run_list import RunList

__all__ = ["SAMPLE", "RowsArriving"]

SAMPLE: Final = 200
"""Rows that the widths are taken from; rows that come into view later may only widen a column."""


class RowsArriving(ScrollView):
    """Rows that come are known to the keys at once (`rows_come`), and drawn when the owner says so (`show_news`)."""

    runs: RunList
    laid_out_for = -1
    """The width that the columns were made for; -1 where they are to be made anew."""
    cursor_before = 0
    """The position of the cursor when it was last brought into view."""
    _news = _moved = False

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._changed: list[int] = []
        self._visible: list[int] = []

    def measure_first(self) -> None:
        """Measure what came of the first rows."""
        raise NotImplementedError

    def widen(self, row: int) -> None:
        """See to it that a row has room in its columns."""
        raise NotImplementedError

    def show_cursor(self) -> None:
        """Bring the cursor into view."""
        raise NotImplementedError

    def forget_rows(self) -> None:
        """Forget how rows were drawn."""
        raise NotImplementedError

    def rows_come(self, added: int, changed: Sequence[int]) -> None:
        """Rows came at the end, and others changed: `show_news` draws that. Keys know of it from now on."""
        self._news = True
        self._changed += changed
        self._moved = self._moved or not self.runs.grows_below or bool(changed and self.runs.query)
        if added and self.show_vertical_scrollbar:
            # Without the layout of the whole screen that Textual would make of it; the scroll bar follows with the rest.
            self.set_reactive(RowsArriving.virtual_size, Size(0, len(self.runs.shown) + 1))

    def show_news(self) -> None:
        """Draw what came, where it is in view: the view stays where it is, but the cursor stays in view where it was."""
        if not self._news:
            return
        top = int(self.scroll_y)
        was_in_view = self.cursor_before - top in range(self.page_rows) if self.runs.shown else True
        visible = self.runs.shown[top : top + self.page_rows]
        self.measure_first()
        if self._changed:
            self.forget_rows()
            for row in {*visible, *(row for row in self._changed if row < SAMPLE)}:
                self.widen(row)
        shows = self._moved or self.laid_out_for < 0 or visible != self._visible or bool({*visible} & {*self._changed})
        self._news = self._moved = False
        self._changed.clear()
        self._visible = visible
        self._set_rows()
        if shows:
            self.refresh()
        if was_in_view:
            self.show_cursor()

    @property
    def has_room(self) -> bool:
        """Whether the rows that were drawn do not fill the view."""
        return len(self._visible) < self.page_rows

    def _set_rows(self) -> None:
        """Set the size of the list, where there is a scroll bar without the layout of the whole screen."""
        size = Size(0, len(self.runs.shown) + 1)
        if not self.show_vertical_scrollbar or size.height <= self.size.height:
            self.virtual_size = size
        else:
            self.set_reactive(RowsArriving.virtual_size, size)
            self.vertical_scrollbar.window_virtual_size = size.height

    def rows_updated(self, rows: Iterable[int]) -> None:
        """Rows are others now, and may stand elsewhere: draw that at once."""
        self.rows_come(0, list(rows))
        self._moved = True
        self.show_news()

    @property
    def page_rows(self) -> int:
        """Rows in view, the heading not counted."""
        return max(1, self.size.height - 1)
