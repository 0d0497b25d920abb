"""A scroll bar that is drawn as Textual's is, in a tenth of the time: lines of it that look alike are one strip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip

from trajview.app.shared.steady import Bare

if TYPE_CHECKING:
    from rich.segment import Segment
    from textual.widget import Widget as _Widget
else:
    _Widget = object

__all__ = ["Bar", "Barred"]


class Bar(Bare, ScrollBar):
    """The scroll bar at the right of a widget."""

    def _content_lines(self, lines: range) -> list[Strip]:
        bar, (width, height) = self.render(), self.size
        if type(bar) is not ScrollBarRender or not self.vertical:
            return list(super()._content_lines(lines))
        base, style = self.rich_style, self.app.console.get_style(bar.style)
        assert style.bgcolor is not None
        assert style.color is not None
        drawn = ScrollBarRender.render_bar(
            height, bar.virtual_size, bar.window_size, bar.position, width, True, style.bgcolor, style.color
        )
        strips: dict[Segment, Strip] = {}
        for segment in drawn.segments:
            if segment not in strips:
                strips[segment] = Strip([segment._replace(style=base + segment.style)], width)
        return [strips[drawn.segments[y]] for y in lines]


class Barred(_Widget):
    """For widgets with such a bar. To be named before the Textual class, which it must not stand for in CSS."""

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The scroll bar at the right, made when it is asked for; Textual's own where that is made otherwise by now."""
        if getattr(self, "_vertical_scrollbar", self) is None:
            self._vertical_scrollbar = bar = Bar(name="vertical", thickness=self.scrollbar_size_vertical)
            bar.display = False
            self.app._start_widget(self, bar)
        return super().vertical_scrollbar
