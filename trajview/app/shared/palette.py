"""Rich styles of looks that are written as Textual's markup, with their transparency resolved against a background."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from rich.style import Style
from textual.color import Color
from textual.screen import Screen
from textual.style import Style as TextStyle
from textual.widget import Widget

__all__ = ["palette_of", "selection_style"]

_SHADE: Final = re.compile(r"(on )?([$#\w-]+) (\d+)%")
_FAINT: Final = 70
"""Percent of a colour under which text is dim where there are no shades."""
_MOSTLY_BEHIND: Final = 40
"""Percent from which on a background is shown there."""


def palette_of(widget: Widget, looks: Mapping[str, str], in_ansi: Mapping[str, str]) -> dict[str, Style]:
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
