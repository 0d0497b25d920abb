"""Widgets that draw line by line, without what Textual does for each line of any widget, whether there is need or not.

It walks up the tree of widgets to find where the widget is, and makes a new strip of each line, to put padding and borders
around it and colours over it; so what a strip remembers, of how it is cut and written, is lost with each repaint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style as RichStyle
from textual.containers import Horizontal, Vertical
from textual.strip import Strip

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.geometry import Region
    from textual.widget import Widget as _Widget
else:
    _Widget = object

__all__ = ["AtOnce", "Bare", "Below", "Beside", "Empty", "Steady"]


class Steady(_Widget):
    """For widgets that draw line by line. To be named before the Textual class, which it must not stand for in CSS."""

    _painted: Region | None = None

    @property
    def region(self) -> Region:
        """The region that the widget occupies on the screen; `size` and others are made from it."""
        return super().region if self._painted is None else self._painted

    def render_lines(self, crop: Region) -> list[Strip]:
        self._painted = super().region
        try:
            return self._lines(crop)
        finally:
            self._painted = None

    def _lines(self, crop: Region) -> list[Strip]:
        return super().render_lines(crop)


class Bare(Steady):
    """The same for widgets that keep their strips, so that drawing a line again costs nothing."""

    def _lines(self, crop: Region) -> list[Strip]:
        return self._bare_lines(crop) if self._is_bare() else super()._lines(crop)

    def _content_lines(self, lines: range) -> Iterable[Strip]:
        """Some lines of the content. For those that know quicker what is on several lines than on each by itself."""
        return map(self.render_line, lines)

    def _is_bare(self) -> bool:
        """Whether there is nothing around the lines, nor over them; False where Textual keeps lines elsewhere by now."""
        styles = self.styles
        return hasattr(self, "_styles_cache") and not (
            styles.gutter != (0, 0, 0, 0)
            or any(kind for kind, _ in styles.outline)
            or styles.tint.a
            or styles.text_opacity != 1.0
            or styles.has_rule("hatch")
            or self.opacity != 1.0
            or self.hover_style.link_id
        )

    def _bare_lines(self, crop: Region) -> list[Strip]:
        """What Textual makes of the lines then: they are as wide as the widget, and filtered."""
        self._styles_cache.clear()  # it is not asked, so it is not to know what was
        base, background = self.background_colors
        blank = (base + background).rich_color
        style = RichStyle.from_color(bgcolor=blank)
        width, height = self.content_region.size
        lines = crop.line_range
        strips = [
            strip if strip.cell_length == width else strip.adjust_cell_length(width, style)
            for strip in self._content_lines(range(lines.start, min(lines.stop, height)))
        ]
        strips += [Strip.blank(width, style)] * (len(lines) - len(strips))
        for line_filter in self.get_line_filters():
            strips = [strip.apply_filter(line_filter, background) for strip in strips]
        if crop.column_span != (0, width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips


class AtOnce(Bare):
    """The same for those that make several lines at once, and one line as if it were several."""

    def render_line(self, y: int) -> Strip:
        [strip] = self._content_lines(range(y, y + 1))
        return strip

    def _content_lines(self, lines: range) -> list[Strip]:
        raise NotImplementedError


class Empty(Bare):
    """The same for what shows nothing but its background, around others or behind them: all its lines are one strip."""

    def _bare_lines(self, crop: Region) -> list[Strip]:
        self._styles_cache.clear()
        base, background = self.background_colors
        strip = Strip.blank(crop.width, RichStyle.from_color(bgcolor=(base + background).rich_color))
        for line_filter in self.get_line_filters():
            strip = strip.apply_filter(line_filter, background)
        return [strip] * crop.height


class Beside(Empty, Horizontal):
    """Widgets beside each other."""


class Below(Empty, Vertical):
    """Widgets one below the other."""
