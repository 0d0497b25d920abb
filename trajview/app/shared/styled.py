"""What widgets that draw line by line share: the styles of their looks, and being clicked and dragged along."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final

from rich.style import Style
from textual import events
from textual.color import Color
from textual.style import Style as TextStyle

if TYPE_CHECKING:
    from textual.geometry import Region
    from textual.screen import Screen
    from textual.strip import Strip
    from textual.widget import Widget as _Widget
else:
    _Widget = object

__all__ = ["Dragged", "PlainLines", "Styled", "palette_of", "selection_style"]

_SHADE: Final = re.compile(r"(on )?([$#\w-]+) (\d+)%")
_FAINT: Final = 70
"""Percent of a colour under which text is dim where there are no shades."""
_MOSTLY_BEHIND: Final = 40
"""Percent from which on a background is shown there."""


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

    def _style(self, name: str) -> Style:
        """A look on top of the widget's own style."""
        self._find_styles()
        return self._base + self._styles[name]


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


def palette_of(widget: _Widget, looks: Mapping[str, str], in_ansi: Mapping[str, str]) -> dict[str, Style]:
    """What each of some looks sets, and nothing else, blended with the widget's background.

    Args:
        looks: Styles in Textual's markup, by name, such as `bold $foreground 45% on $primary 12%`.
        in_ansi: Those that are others where the theme has the terminal's own colours. These cannot be blended: a faint
            colour becomes a dim one there.
    """
    variables, behind = widget.app.theme_variables, widget.background_colors[1]
    if widget.has_pseudo_class("ansi"):
        looks = {name: in_ansi.get(name, _SHADE.sub(_without_shade, look)) for name, look in looks.items()}
    return {name: _rich_style(TextStyle.parse(look, variables), behind) for name, look in looks.items()}


def _without_shade(shade: re.Match[str]) -> str:
    """A colour of some percent where there are no shades: dim text, no background."""
    on, colour, percent = shade[1], shade[2], int(shade[3])
    if on:
        return f"on {colour}" if percent >= _MOSTLY_BEHIND else ""
    return f"{colour} dim" if percent < _FAINT else colour


def _rich_style(style: TextStyle, behind: Color) -> Style:
    look = Style(
        dim=style.dim, bold=style.bold, italic=style.italic, underline=style.underline, strike=style.strike, reverse=style.reverse,
    )  # fmt: skip
    if style.background is not None:
        behind = _blended(style.background, behind)
        look += Style(bgcolor=behind.rich_color)
    return look if style.foreground is None else look + Style(color=_blended(style.foreground, behind).rich_color)


def _blended(colour: Color, behind: Color) -> Color:
    if colour.ansi is not None:
        return colour
    return colour.with_alpha(1.0) if behind.ansi is not None else behind + colour


def selection_style(screen: Screen[object]) -> Style:
    """What is selected: Textual's colours, but text whose colour they leave alone keeps it (it would be invisible)."""
    style = screen.get_component_rich_style("screen--selection")
    colour = screen.get_component_styles("screen--selection").color
    if colour.a == 0:
        style = Style(bgcolor=style.bgcolor)
    return style if style.bgcolor is not None and not style.bgcolor.is_default else Style(reverse=True)
