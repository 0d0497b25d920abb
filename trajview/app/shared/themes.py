"""trajview's own themes. The terminal's own colours are Textual's `ansi-dark` and `ansi-light`; every other theme of Textual works too."""

from __future__ import annotations

from textual.theme import BUILTIN_THEMES, Theme

__all__ = ["THEMES", "theme_names"]

# Rich makes a 256-colour terminal's grey only of what is nearly grey: a little more colour in a dark or a light one, and it
# is black, or yellow. The backgrounds stay below that.
THEMES = (
    Theme(
        name="trajview-dark",
        primary="#7aa2d6",
        secondary="#8fbf9f",
        accent="#c8a2d0",
        warning="#d9b26a",
        error="#e07a78",
        success="#8fbf7f",
        foreground="#d5d8dc",
        background="#15181c",
        surface="#1c2025",
        panel="#252a32",
        dark=True,
    ),
    Theme(
        name="trajview-light",
        primary="#2f5f9e",
        secondary="#2f7a55",
        accent="#8a3f96",
        warning="#9a6a00",
        error="#b3302e",
        success="#3d7a25",
        foreground="#24282d",
        background="#fbfaf7",
        surface="#f2f1ee",
        panel="#e4e2dd",
        dark=False,
    ),
)


def theme_names() -> list[str]:
    """The names of all themes that `--theme` takes."""
    return sorted([*BUILTIN_THEMES, *(theme.name for theme in THEMES)])
