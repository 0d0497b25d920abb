"""Two transcripts beside each other in one widget that renders the rows on the screen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from trajview.app.comparison import GUTTER, MIDDLE, Comparison
from trajview.app.palette import component_styles
from trajview.app.render.layout import Layout, Palette, row_segments
from trajview.compare.alignment import Kind

from .rows_view import RowsView

__all__ = ["CompareMap", "CompareView"]

_SIGNS = {Kind.CHANGED: "≠", Kind.OTHER: "≠", Kind.LEFT: "◂", Kind.RIGHT: "▸"}
_KEPT = 2_000
_MOST = 2_000
"""Differences that the map shows one by one; of more, as many spread over all of them."""


class CompareView(RowsView, can_focus=True, inherit_bindings=False):
    """Shows a `Comparison`."""

    ALLOW_SELECT = False

    class Folded(Message):
        """What is folded was clicked, or a row twice."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.session: Comparison | None = None
        self._strips: dict[tuple[int, int, int], Strip] = {}
        self._strips_for: tuple[object, ...] = ()

    def show(self, session: Comparison) -> None:
        """Show another comparison, at its own position."""
        self.session = session
        self._forget()
        region = self.scrollable_content_region
        if region.width:
            self._fitted = Size(region.width, region.height)
            session.set_view(region.width, region.height)
        self.sync()

    def _forget(self) -> None:
        self._strips.clear()

    def render_line(self, y: int) -> Strip:
        self._notice_size()
        width = self.scrollable_content_region.width
        palette = self._styles()
        session = self.session
        row = self.scroll_offset.y + y
        if session is None or not session.count or row >= session.map.total or width != session.width:
            return Strip.blank(width, self._base)
        item, number = session.at_row(row)
        if number >= len(session.layout(item).rows):
            return Strip.blank(width, self._base)
        return self._strip(session, item, number, palette)

    def _strip(self, session: Comparison, item: int, number: int, palette: Palette) -> Strip:
        made_for = (id(session), session.revision, session.width, session.sides)
        if made_for != self._strips_for or len(self._strips) > _KEPT:
            self._strips.clear()
            self._strips_for = made_for
        here = (item, number) == session.cursor
        key = item, number, 2 + self.has_focus if here else 0
        strip = self._strips.get(key)
        if strip is None:
            segments = [*self._segments(session, item, number, palette, here)]
            strip = Strip(segments)
            if here and self.has_focus:
                strip = strip.apply_style(palette["cursor"])
            strip = self._strips[key] = strip.adjust_cell_length(session.width, self._base)
        return strip

    def _segments(
        self, session: Comparison, item: int, number: int, palette: Palette, here: bool
    ) -> Iterable[Segment]:  # fmt: skip
        laid_out = session.layout(item)
        left, right, kind = laid_out.rows[number]
        base = self._base
        yield Segment("❯ ", base + palette["gutter.cursor"]) if here else Segment("  ", base)
        header = number < session.header_row(item)
        if not session.sides:
            yield self._sign(kind, header, palette)
            layout, row = (laid_out.left, left) if left is not None else (laid_out.right, right)
            yield from self._side(layout, row, palette)
        else:
            yield from self._side(laid_out.left, left, palette)
            yield self._middle(kind, header, palette)
            yield from self._side(laid_out.right, right, palette)
        yield Segment(" ", base)

    def _side(self, layout: Layout, row: int | None, palette: Palette) -> Iterable[Segment]:
        if row is None:
            yield Segment(" " * layout.width, self._base)
        else:
            yield from row_segments(layout, row, palette, self._base)

    def _middle(self, kind: Kind, header: bool, palette: Palette) -> Segment:
        if header:
            return Segment(" " * MIDDLE, self._base)
        sign = _SIGNS.get(kind)
        style = self._base + palette["middle" if sign is None else "hit"]
        return Segment(f" {sign or '│'} ", style)

    def _sign(self, kind: Kind, header: bool, palette: Palette) -> Segment:
        if header or kind not in (Kind.LEFT, Kind.RIGHT):
            return Segment(" " * GUTTER, self._base)
        name = "role.user" if kind is Kind.LEFT else "hit"
        return Segment(f"{_SIGNS[kind]} ", self._base + palette[name])

    def on_click(self, event: events.Click) -> None:
        session = self.session
        offset = event.get_content_offset(self)
        if session is None or offset is None or not session.count:
            return
        row = self.scroll_offset.y + offset.y
        if row >= session.map.total:
            return
        session.cursor = item, number = session.at_row(row)
        if session.sides:
            session.side = int(offset.x > GUTTER + session.side_widths[0])
        laid_out = session.layout(item)
        left, right, _ = laid_out.rows[min(number, len(laid_out.rows) - 1)]
        layout, at = (laid_out.left, left) if left is not None else (laid_out.right, right)
        folds = at is not None and layout.lines[layout.rows[at][0]].action == "fold"
        if folds or event.chain == 2:
            self.post_message(self.Folded())
        self.sync()


class CompareMap(Widget, can_focus=False):
    """One column that stands for the whole comparison: where the sides differ, and what is on the screen."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "compare-map--left", "compare-map--right", "compare-map--both", "compare-map--window",
    }  # fmt: skip
    DEFAULT_CSS = """
    CompareMap {
        width: 1; height: 1fr; background: $background;
        & > .compare-map--left { color: $primary; }
        & > .compare-map--right { color: $warning; }
        & > .compare-map--both { color: $foreground; }
        & > .compare-map--window { background: $foreground 22%; }
        &:ansi > .compare-map--window { background: ansi_bright_black; }
    }
    """

    class Picked(Message):
        """A place was clicked; `share` is how far down it is, 0 to 1."""

        def __init__(self, share: float) -> None:
            super().__init__()
            self.share = share

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.session: Comparison | None = None
        self._styles: dict[str, Style] = {}
        self._base = Style.null()
        self._signs: dict[int, str] = {}
        self._signs_for: tuple[object, ...] = ()
        self._total = 0

    def show(self, session: Comparison) -> None:
        """Show another comparison."""
        self.session = session
        self.refresh()

    def follow(self) -> None:
        """The window has moved."""
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles = {}

    def _by_line(self, session: Comparison, height: int) -> dict[int, str]:
        """Which kind of difference is on each line; made anew when heights have changed by half a line's worth."""
        total, stops = max(1, session.map.total), session.stops
        known = id(session), session.revision, height
        if known != self._signs_for or abs(total - self._total) * 2 * height > total:
            self._signs_for, self._total, self._signs = known, total, {}
            for item in stops[:: max(1, len(stops) // _MOST)]:
                kind = session.found.units[session.found.messages[session.items[item].row].row].kind
                name = {Kind.LEFT: "left", Kind.RIGHT: "right"}.get(kind, "both")
                line = min(height - 1, session.map.start(item) * height // total)
                self._signs[line] = name if self._signs.get(line, name) == name else "both"
        return self._signs

    def render_line(self, y: int) -> Strip:
        if not self._styles:
            self._base = self.rich_style
            self._styles = component_styles(self, self.COMPONENT_CLASSES)
        session, height = self.session, self.size.height
        if session is None or not session.count or not height:
            return Strip([Segment(" ", self._base)])
        total, top = max(1, session.map.total), session.y_of(session.top)
        first, last = top * height // total, (top + session.height - 1) * height // total
        style = self._base + self._styles["compare-map--window"] if first <= y <= last else self._base
        name = self._by_line(session, height).get(y)
        if name is None:
            return Strip([Segment(" ", style)])
        return Strip([Segment("▪", style + self._styles[f"compare-map--{name}"])])

    def on_mouse_down(self, event: events.MouseDown) -> None:
        event.stop()
        self.capture_mouse()
        self._pick(event.y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self.app.mouse_captured is self:
            self._pick(event.y)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        event.stop()
        self.release_mouse()

    def _pick(self, y: int) -> None:
        last = max(1, self.size.height - 1)
        self.post_message(self.Picked(max(0, min(y, last)) / last))
