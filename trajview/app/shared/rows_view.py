"""A long document as one widget that renders the rows on the screen, and nothing else; what is on a row, others say."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer

from trajview.app.render.layout import Palette
from trajview.app.shared.positions import Position, Positions
from trajview.app.shared.row_styles import ROWS, ROWS_IN_ANSI
from trajview.app.shared.strips import restyled
from trajview.app.shared.styled import PlainLines, palette_of, selection_style

if TYPE_CHECKING:
    from trajview.app.shared.commands import Commands

__all__ = ["GUTTER", "RowsView"]

GUTTER = 2
"""Columns before the text, where the cursor is."""
WHEEL_ROWS = 3
STRIPS_KEPT = 4_000
MOST_COPIED = 100_000
"""Rows of a selection."""
MOST_MEASURED = 3_000
IDLE = 0.25
"""Seconds without a key before heights are measured: what comes of it must not be painted amid the next keys."""


class RowsView(PlainLines, ScrollView, can_focus=True, inherit_bindings=False):
    """Follows the positions of a document (`session`), which are the truth; calls `follow` when they have moved.

    It has no keys of its own (a ScrollView has arrows, home and end): those of the key table move the cursor. Colours of
    messages are its component classes; `_styles` gives them by the names that lines use. What is on a row is `_drawn` by
    those who know, and which of it can be selected `_selectable`.
    """

    ALLOW_SELECT = True
    EDGES: ClassVar[int] = 0
    """Columns that the rows of the document do not have."""
    DEFAULT_CSS = """
    RowsView {
        overflow-y: scroll; overflow-x: hidden; background: $background;
        scrollbar-size-vertical: 1; scrollbar-background: $background; scrollbar-background-hover: $background;
        scrollbar-background-active: $background; scrollbar-color: $foreground 20%;
        scrollbar-color-hover: $foreground 40%; scrollbar-color-active: $primary;
    }
    """

    session: Positions | None

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._palette: Palette = {}
        self._base = Style.null()
        self._strips: dict[tuple[object, ...], Strip] = {}
        self._strips_for: tuple[object, ...] = ()
        self._painting = False
        self._following = False
        self._fitted = Size(0, 0)
        self._measuring: Timer | None = None
        self.follow: Callable[[], None] | None = None
        """Called when the cursor or the window has moved. No message: what follows belongs into the same repaint."""

    # -- the keys of the group Move ------------------------------------------------------------------------------------

    @property
    def commands(self) -> Commands:
        """What the keys of the group Move do."""
        return {
            "move.down": partial(self._move_cursor, lambda rows: rows.move(1)),
            "move.up": partial(self._move_cursor, lambda rows: rows.move(-1)),
            "move.half_down": partial(self._move_pages, 0.5),
            "move.half_up": partial(self._move_pages, -0.5),
            "move.page_down": partial(self._move_pages, 1),
            "move.page_up": partial(self._move_pages, -1),
            "move.top": partial(self._move_cursor, lambda rows: rows.to_top()),
            "move.end": partial(self._move_cursor, lambda rows: rows.to_end()),
        }

    def _move_cursor(self, move: Callable[[Positions], Any]) -> None:
        if self.session is not None and self.session.count:
            move(self.session)
            self.sync()

    def _move_pages(self, pages: float) -> None:
        """Down by a page or a part of one, two rows of which are the last page's; up where that is negative."""

        def scroll(rows: Positions) -> None:
            page = max(1, rows.height - 2)
            distance = max(1, int(page * abs(pages)))
            rows.scroll(distance if pages > 0 else -distance)

        self._move_cursor(scroll)

    # -- rendering -----------------------------------------------------------------------------------------------------

    def _made_for(self) -> tuple[object, ...]:
        """What all rows depend on: they are drawn anew when it is another."""
        raise NotImplementedError

    def _look(self, item: int) -> object:  # noqa: ARG002 - of those that have several
        """What the rows of an item depend on, and no others."""
        return None

    def _drawn(self, item: int, number: int, palette: Palette, *, here: bool) -> Strip:
        """A row from edge to edge, selection apart; `here`: the cursor is on it."""
        raise NotImplementedError

    def _selectable(self, strip: Strip, position: Position) -> tuple[int, int] | None:  # noqa: ARG002
        """Which characters of a row can be selected, from and to; None where none can."""
        return GUTTER, len(strip.text)

    def render_line(self, y: int) -> Strip:
        session, palette = self.session, self._styles()
        if session is None or not session.count:
            return Strip.blank(self.size.width, self._base)
        row = self.scroll_offset.y + y
        position = session.at_row(row)
        if row >= session.map.total or position[1] >= len(session.layout(position[0]).rows):
            return Strip.blank(self._fitted.width, self._base)
        strip = self._strip(position, palette)
        selection = self.text_selection
        if selection is not None and (selected := self._selected(selection, row, position, strip)) is not None:
            strip = restyled(strip, *selected, selection_style(self.screen))
        # Textual asks for a line by itself where the mouse is: only then it wants to know which text that is.
        return strip if self._painting else strip.apply_offsets(0, row)

    def render_lines(self, crop: Region) -> list[Strip]:
        self.fit()  # Textual tells of a new size once all has been drawn in it.
        self._painting = True
        try:
            return super().render_lines(crop)
        finally:
            self._painting = False

    def _strip(self, position: Position, palette: Palette) -> Strip:
        """A row. The same object while nothing changes it: strips cache what is cut from them."""
        assert self.session is not None
        made_for = self._made_for()
        if made_for != self._strips_for or len(self._strips) > STRIPS_KEPT:
            self._strips.clear()
            self._strips_for = made_for
        here = position == self.session.cursor
        key = (*position, self._look(position[0]), here and 1 + self.has_focus)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = self._drawn(*position, palette, here=here)
        return strip

    def _selected(self, selection: Selection, row: int, position: Position, strip: Strip) -> tuple[int, int] | None:
        """Which characters of a row are selected, from and to; None where none can be."""
        span, bounds = selection.get_span(row), self._selectable(strip, position)
        if span is None or bounds is None:
            return None
        return max(bounds[0], span[0]), bounds[1] if span[1] < 0 else min(bounds[1], span[1])

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, gutter and padding left out."""
        session = self.session
        if session is None or not session.count:
            return None
        first = max(0, selection.start.y) if selection.start is not None else 0
        last = session.map.total - 1 if selection.end is None else min(selection.end.y, session.map.total - 1)
        lines = []
        for row in range(first, min(last, first + MOST_COPIED) + 1):
            position = session.at_row(row)
            if position[1] >= len(session.layout(position[0]).rows):
                continue
            strip = self._strip(position, self._styles())
            selected = self._selected(selection, row, position, strip)
            if selected is not None:
                lines.append(strip.text[slice(*selected)].rstrip())
        return "\n".join(lines), "\n"

    def _position_of(self, event: events.MouseEvent) -> Position | None:
        """What is under the mouse; None where no row is."""
        session, offset = self.session, event.get_content_offset(self)
        if session is None or offset is None or not session.count:
            return None
        row = self.scroll_offset.y + offset.y
        return session.at_row(row) if row < session.map.total else None

    # -- following the session -----------------------------------------------------------------------------------------

    def _shown_anew(self) -> None:
        """Another session is shown: its own position, at this widget's size."""
        self._forget()
        region = self.scrollable_content_region
        self._fitted = Size(0, 0)  # what is not on the screen is fitted when it is, whatever fitted before
        if self.session is not None and region.width:
            self._fitted = region.size
            self.session.set_view(region.width - self.EDGES, region.height)
        self.sync()

    def sync(self, *, moved: bool = True) -> None:
        """Bring the screen in line with the session: lay out what is visible, set the scroll offset, repaint."""
        session = self.session
        if session is None or not self.size.width:
            return
        y = session.settle()
        self._following = True
        try:
            size = Size(self._fitted.width, session.map.total)
            if size != self.virtual_size:
                self._set_size(size)
            self._put(y)
        finally:
            self._following = False
        self.refresh()
        if moved and self.follow is not None:
            self.follow()
        self._measure_later()

    def _set_size(self, size: Size) -> None:
        """Set the size of the document without the layout of the whole screen that Textual would make of it."""
        self.set_reactive(RowsView.virtual_size, size)
        if self._has_bar:
            self.vertical_scrollbar.window_virtual_size = size.height
            self.vertical_scrollbar.window_size = self.scrollable_content_region.height

    def _put(self, y: int) -> None:
        """Set the scroll offset at once, without the animation and the clamping to a stale size."""
        self.set_reactive(RowsView.scroll_target_y, float(y))
        if self._has_bar:
            self.scroll_y = y
        else:  # a bar of no width would still be drawn, for which Textual looks for it in an arrangement of everything
            self.set_reactive(RowsView.scroll_y, float(max(0, y)))

    @property
    def _has_bar(self) -> bool:
        return self.show_vertical_scrollbar and self.styles.scrollbar_size_vertical > 0

    def validate_scroll_y(self, value: float) -> float:
        """The session has clamped the position already; Textual's own limit may lag behind a change of size."""
        return max(0.0, value) if self._following else super().validate_scroll_y(value)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self.scrollable_content_region.size != self._fitted:
            return  # Textual clamps to a size that the session does not know yet: nobody has scrolled
        if not self._following and self.session is not None and round(old_value) != round(new_value):
            # The scroll bar was dragged: the session follows, and settles on exact heights.
            self.session.scroll_to_row(round(new_value))
            self.sync()

    def _measure_later(self) -> None:
        """Replace estimates while nothing else is to be done, a few milliseconds at a time.

        Of a long document only what is near the window is ever measured.
        """
        if self._measuring is not None:
            self._measuring.stop()
            self._measuring = None
        session = self.session
        if session is not None and session.count <= MOST_MEASURED and not session.measured:
            self._measuring = self.set_timer(IDLE, self._measure)

    def _measure(self) -> None:
        self._measuring = None
        session = self.session
        if session is None or not self.is_attached:
            return
        if self.text_selection is not None:  # it is kept in rows of the document: they must not move under it
            self._measuring = self.set_timer(0.5, self._measure)
            return
        more = session.measure(0.004)
        # What is on the screen does not change, so it is not repainted; what is beside it follows when all is measured.
        y = float(session.y_of(session.top))
        self.set_reactive(RowsView.scroll_target_y, y)
        self.set_reactive(RowsView.scroll_y, y)
        if more:
            self._measuring = self.set_timer(0.02, self._measure)
            return
        self._set_size(Size(self._fitted.width, session.map.total))
        if self.follow is not None:
            self.follow()

    def on_resize(self) -> None:
        self.fit()

    def fit(self) -> None:
        """Lay the document out for the size that the widget has now."""
        region = self.scrollable_content_region
        if self.session is not None and region.size != self._fitted:
            self._fitted = region.size
            self.session.set_view(region.width - self.EDGES, region.height)
            self.sync()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._palette = {}
        self._forget()

    def _forget(self) -> None:
        """Forget what was rendered."""
        self._strips.clear()
        self._strips_for = ()

    def _styles(self) -> Palette:
        if not self._palette:
            self._base = self.rich_style
            self._palette = palette_of(self, ROWS, ROWS_IN_ANSI)
        return self._palette

    def _on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._wheel(WHEEL_ROWS, event)

    def _on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._wheel(-WHEEL_ROWS, event)

    def _wheel(self, rows: int, event: events.MouseEvent) -> None:
        event.stop()
        event.prevent_default()
        if self.session is not None:
            self.session.scroll_window(rows)
            self.sync()
