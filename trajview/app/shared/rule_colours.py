"""The colours of highlight rules, as styles of widgets: signs, and what is behind the text that a rule matches."""

from __future__ import annotations

from trajview.rules.rule import COLOURS

__all__ = ["colour_of", "rule_classes", "rule_css"]

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


def rule_classes(prefix: str) -> set[str]:
    """The component classes of the signs of all colours."""
    return {f"{prefix}--sign-{colour}" for colour in COLOURS}


def rule_css(widget: str, prefix: str, *, texts: bool = False) -> str:
    """The CSS of those classes, and with `texts` of matched text (`PREFIX--rule-COLOUR`)."""
    rules = []
    for colour in COLOURS:
        rules.append(f"& > .{prefix}--sign-{colour} {{ color: {_SHOWN[colour]}; }}")
        rules.append(f"&:ansi > .{prefix}--sign-{colour} {{ color: {_ANSI[colour]}; }}")
        if texts:
            rules.append(f"& > .{prefix}--rule-{colour} {{ background: {_SHOWN[colour]} 28%; }}")
            ansi = f"background: {_ANSI[colour]}; color: ansi_black;"
            rules.append(f"&:ansi > .{prefix}--rule-{colour} {{ {ansi} }}")
    return f"{widget} {{ {' '.join(rules)} }}\n"
