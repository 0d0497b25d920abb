"""The colours of highlight rules, as styles of widgets: signs, and what is behind the text that a rule matches."""

from __future__ import annotations

from typing import Final

__all__ = ["RULES", "RULES_IN_ANSI", "SIGNS", "SIGNS_IN_ANSI", "colour_of"]

_SHOWN = {
    "yellow": "$warning", "red": "$error", "orange": "#f0883e", "green": "$success", "cyan": "#39c5cf", "blue": "#58a6ff",
    "purple": "#a371f7", "pink": "#f778ba",
}  # fmt: skip
_ANSI = {
    "yellow": "ansi_yellow", "red": "ansi_red", "orange": "ansi_bright_yellow", "green": "ansi_green", "cyan": "ansi_cyan",
    "blue": "ansi_blue", "purple": "ansi_magenta", "pink": "ansi_bright_magenta",
}  # fmt: skip


def colour_of(colour: str) -> str:
    """A rule's colour as Textual's markup and CSS name it; of a rule without one, that of any highlight."""
    return _SHOWN.get(colour, "$warning")


SIGNS: Final = {f"sign.{name}": colour for name, colour in _SHOWN.items()}
"""The styles of the signs of rules, by colour."""
SIGNS_IN_ANSI: Final = {f"sign.{name}": colour for name, colour in _ANSI.items()}
RULES: Final = {f"rule.{name}": f"on {colour} 28%" for name, colour in _SHOWN.items()}
"""The styles of what a rule matches."""
RULES_IN_ANSI: Final = {f"rule.{name}": f"ansi_black on {colour}" for name, colour in _ANSI.items()}
