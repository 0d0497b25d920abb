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
    behind = widget.background_colors[1]
    background = colour = None
    dim: bool | None = None
    if styles.has_rule("background") and styles.background.a > 0:
        if _is_ansi(styles.background) or _is_ansi(behind):
            background = styles.background.rich_color if styles.background.a >= 0.4 else None
        else:
            behind = behind + styles.background
            background = behind.rich_color
    if styles.has_rule("color"):
        wanted = styles.color
        if _is_ansi(wanted) or _is_ansi(behind):
            colour = wanted.with_alpha(1.0).rich_color if wanted.ansi is None else wanted.rich_color
            dim = True if wanted.a < 0.7 else None
        else:
            colour = (behind + wanted).rich_color
    text = styles.text_style
    return Style(
        color=colour, bgcolor=background, dim=dim or text.dim, bold=text.bold, italic=text.italic, underline=text.underline,
        strike=text.strike, reverse=text.reverse,
    )  # fmt: skip


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
