"""Rich styles of a widget's component classes, with their transparency resolved against the widget's background."""

from __future__ import annotations

from collections.abc import Iterable

from rich.style import Style
from textual.color import Color
from textual.screen import Screen
from textual.widget import Widget

__all__ = ["component_style", "component_styles", "selection_style"]


def component_style(widget: Widget, name: str) -> Style:
    """What a component class sets, and nothing else. Colours such as `$foreground 45%` are blended.

    Colours of the terminal's own (ANSI themes) cannot be blended: there a faint colour becomes a dim one.
    """
    styles = widget.get_component_styles(name)
    behind, text = widget.background_colors[1], styles.text_style
    look = Style(
        dim=text.dim, bold=text.bold, italic=text.italic, underline=text.underline, strike=text.strike, reverse=text.reverse,
    )  # fmt: skip
    if styles.has_rule("background") and styles.background.a > 0:
        background = styles.background
        if not (_is_ansi(background) or _is_ansi(behind)):
            behind = behind + background
            look += Style(bgcolor=behind.rich_color)
        elif background.a >= 0.4:
            look += Style(bgcolor=background.rich_color)
    return look + _foreground(styles.color, behind) if styles.has_rule("color") else look


def _foreground(colour: Color, behind: Color) -> Style:
    if not (_is_ansi(colour) or _is_ansi(behind)):
        return Style(color=(behind + colour).rich_color)
    solid = colour if _is_ansi(colour) else colour.with_alpha(1.0)
    return Style(color=solid.rich_color, dim=True if colour.a < 0.7 else None)


def _is_ansi(colour: Color) -> bool:
    return colour.ansi is not None


def component_styles(widget: Widget, names: Iterable[str]) -> dict[str, Style]:
    """The styles of several component classes, by class."""
    return {name: component_style(widget, name) for name in names}


def selection_style(screen: Screen[object]) -> Style:
    """What is selected: Textual's colours, but text whose colour they leave alone keeps it (it would be invisible)."""
    style = screen.get_component_rich_style("screen--selection")
    colour = screen.get_component_styles("screen--selection").color
    if colour.a == 0:
        style = Style(bgcolor=style.bgcolor)
    return style if style.bgcolor is not None and not style.bgcolor.is_default else Style(reverse=True)
