"""How what is on a row looks, in Textual's markup: by the names that lines use, and in the colours of highlight rules."""

from __future__ import annotations

from typing import Final

__all__ = ["ROWS", "ROWS_IN_ANSI", "SIGNS", "SIGNS_IN_ANSI", "SPEAKERS", "SPEAKERS_IN_ANSI", "colour_of"]

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
_RULES: Final = {f"rule.{name}": f"on {colour} 28%" for name, colour in _SHOWN.items()}
"""The styles of what a rule matches."""
_RULES_IN_ANSI: Final = {f"rule.{name}": f"ansi_black on {colour}" for name, colour in _ANSI.items()}

SPEAKERS: Final = {
    "0": "$secondary", "1": "#39c5cf", "2": "#f778ba", "3": "#f0883e", "4": "#a371f7",
}  # fmt: skip
"""The colours of speakers that share a role, by number; the first is the assistant's. See `models.speakers`."""
SPEAKERS_IN_ANSI: Final = {
    "1": "ansi_cyan", "2": "ansi_bright_magenta", "3": "ansi_yellow", "4": "ansi_magenta",
}  # fmt: skip
_VOICES: Final = {
    f"{kind}.{number}": style for number, colour in SPEAKERS.items() for kind, style in (("role", f"bold {colour}"), ("gutter", f"{colour} 60%"))
}  # fmt: skip
_VOICES_IN_ANSI: Final = {
    f"{kind}.{number}": style for number, colour in SPEAKERS_IN_ANSI.items() for kind, style in (("role", f"bold {colour}"), ("gutter", colour))
}  # fmt: skip

ROWS: Final[dict[str, str]] = {
    "role.system": "bold $foreground-muted", "role.user": "bold $primary", "role.assistant": "bold $secondary",
    "role.tool": "$foreground-muted", "dim": "$foreground 45%", "mark": "$accent", "error": "$error",
    "hit": "$warning", "fold": "italic $foreground 55%", "unit.header": "on $surface",
    "unit.number": "bold on $panel", "unit.roles": "$foreground 75%", "unit.facts": "$foreground 50%",
    "unit.score": "bold $text-success", "unit.note": "$text-success", "output": "$foreground 80%",
    "reasoning": "italic $foreground 62%", "reasoning.bar": "$foreground 35%",
    "reasoning.hidden": "italic $foreground 35%", "call.name": "bold $accent", "call.key": "$foreground 55%",
    "call.value": "$foreground 90%", "md.heading": "bold underline", "md.subheading": "bold", "md.bold": "bold",
    "md.em": "italic", "md.strike": "strike", "md.code": "$text-accent", "md.link": "underline $text-primary",
    "md.url": "$foreground 45%", "md.bullet": "$foreground 50%", "md.quote": "italic $foreground 70%",
    "md.rule": "$foreground 25%", "code.block": "on $surface", "code.comment": "italic $foreground 50%",
    "code.keyword": "$text-secondary", "code.name": "$text-primary", "code.builtin": "$text-accent",
    "code.string": "$text-success", "code.number": "$text-warning", "diff.added": "$text-success on $success 12%",
    "diff.removed": "$text-error on $error 12%", "diff.gone": "on $error 12%",
    "diff.come": "on $success 12%", "diff.gone.word": "on $error 35%", "diff.come.word": "on $success 35%", "diff.gone.sign": "$text-error",
    "diff.come.sign": "$text-success",
    "diff.hunk": "$text-secondary", "diff.file": "bold",
    "gutter.system": "$foreground 25%", "gutter.user": "$primary", "gutter.assistant": "$secondary 60%",
    "gutter.tool": "$foreground 18%", "gutter.cursor": "bold $warning", "cursor": "on $foreground 6%",
    "citation": "underline $text-warning", "quoted": "on $warning 30%", "match": "$foreground on $warning 45%",
    "match.current": "bold $background on $warning", "only.left": "on $primary 12%", "only.right": "on $warning 12%",
    "word.left": "$foreground on $primary 45%", "word.right": "$foreground on $warning 40%",
    "middle": "$foreground 25%",
    **_RULES, **SIGNS, **_VOICES,
}  # fmt: skip
"""The style of each name; colours are those of the theme."""

ROWS_IN_ANSI: Final[dict[str, str]] = {
    "dim": "dim", "fold": "dim", "reasoning": "dim", "reasoning.bar": "dim", "reasoning.hidden": "dim",
    "call.key": "dim", "md.url": "dim", "md.bullet": "dim", "md.rule": "dim", "unit.facts": "dim",
    "role.system": "dim", "role.tool": "dim", "gutter.system": "dim", "gutter.tool": "dim", "code.comment": "dim",
    "unit.header": "underline", "unit.number": "bold reverse", "diff.added": "$text-success",
    "diff.removed": "$text-error", "diff.gone": "$text-error", "diff.come": "$text-success",
    "diff.gone.word": "bold reverse $text-error", "diff.come.word": "bold reverse $text-success", "code.block": "", "cursor": "", "only.left": "", "only.right": "",
    "word.left": "bold reverse $foreground", "word.right": "bold reverse $foreground", "quoted": "bold underline",
    "match": "ansi_black on ansi_yellow", "match.current": "bold ansi_black on ansi_bright_yellow",
    **_RULES_IN_ANSI, **SIGNS_IN_ANSI, **_VOICES_IN_ANSI,
}  # fmt: skip
"""Where the colours are the sixteen of the terminal, which have no shades: what is faint elsewhere is dim there."""
