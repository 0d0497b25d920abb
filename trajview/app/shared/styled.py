"""What widgets that draw line by line share: the styles of their looks, and being clicked and dragged along."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from textual import events

from trajview.app.shared.palette import palette_of

if TYPE_CHECKING:
    from textual.geometry import Region
    from textual.strip import Strip
    from textual.widget import Widget as _Widget
else:
    _Widget = object

__all__ = ["Dragged", "PlainLines", "Styled"]


class PlainLines(_Widget):
    """Draws what `render_line` returns, and nothing around it. To be named before the Textual class.

    Textual puts padding, borders, tints, and opacity around each line and over it, and makes a new strip of it each time:
    a key takes half as long again in a window of 200 by 60, which these widgets nearly fill.
    """

    def render_lines(self, crop: Region) -> list[Strip]:
        width = self.content_region.width
        base, background = self.background_colors
        blank = Style.from_color(bgcolor=(base + background).rich_color)
        strips = [self.render_line(y).adjust_cell_length(width, blank) for y in crop.line_range]
        for line_filter in self.get_line_filters():
            strips = [strip.apply_filter(line_filter, background) for strip in strips]
        if crop.column_span != (0, width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips


class Styled(_Widget):
    """Keeps the styles of its looks until it is to look otherwise. To be named before the Textual class."""

    LOOKS: ClassVar[Mapping[str, str]]
    """Styles in Textual's markup, by name."""
    IN_ANSI: ClassVar[Mapping[str, str]] = {}
    """Those that are others where the theme has the terminal's own colours."""
    _styles: Mapping[str, Style] = MappingProxyType({})
    _base = Style.null()
    """The widget's own style."""

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles = MappingProxyType({})

    def _find_styles(self) -> None:
        """Look for the styles, where they are not known: before anything is drawn."""
        if not self._styles:
            self._base = self.rich_style
            self._styles = palette_of(self, self.LOOKS, self.IN_ANSI)


class Dragged(_Widget):
    """Knows at which of its lines the mouse is, from the moment it is pressed. To be named before the Textual class."""

    def _pick(self, y: int, *, exactly: bool = False) -> None:
        """The mouse is at a line, which may be beyond the widget; `exactly`: it was clicked there, not dragged."""
        raise NotImplementedError

    def on_mouse_down(self, event: events.MouseDown) -> None:
        event.stop()
        self.capture_mouse()
        self._pick(event.y, exactly=True)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self.app.mouse_captured is self:
            self._pick(event.y)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        event.stop()
        self.release_mouse()
