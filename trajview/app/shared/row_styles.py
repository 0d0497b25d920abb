"""How what is on a row looks: the names that lines call it by, and their styles in Textual's markup."""

from __future__ import annotations

from typing import Final

from trajview.app.shared.rule_colours import RULES, RULES_IN_ANSI, SIGNS, SIGNS_IN_ANSI

__all__ = ["ROWS", "ROWS_IN_ANSI"]

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
    "diff.removed": "$text-error on $error 12%", "diff.hunk": "$text-secondary", "diff.file": "bold",
    "gutter.system": "$foreground 25%", "gutter.user": "$primary", "gutter.assistant": "$secondary 60%",
    "gutter.tool": "$foreground 18%", "gutter.cursor": "bold $warning", "cursor": "on $foreground 6%",
    "citation": "underline $text-warning", "quoted": "on $warning 30%", "match": "$foreground on $warning 45%",
    "match.current": "bold $background on $warning", "only.left": "on $primary 12%", "only.right": "on $warning 12%",
    "word.left": "$foreground on $primary 45%", "word.right": "$foreground on $warning 40%",
    "middle": "$foreground 25%",
    **RULES, **SIGNS,
}  # fmt: skip
"""The style of each name; colours are those of the theme."""

ROWS_IN_ANSI: Final[dict[str, str]] = {
    "dim": "dim", "fold": "dim", "reasoning": "dim", "reasoning.bar": "dim", "reasoning.hidden": "dim",
    "call.key": "dim", "md.url": "dim", "md.bullet": "dim", "md.rule": "dim", "unit.facts": "dim",
    "role.system": "dim", "role.tool": "dim", "gutter.system": "dim", "gutter.tool": "dim", "code.comment": "dim",
    "unit.header": "underline", "unit.number": "bold reverse", "diff.added": "$text-success",
    "diff.removed": "$text-error", "code.block": "", "cursor": "", "only.left": "", "only.right": "",
    "word.left": "bold reverse $foreground", "word.right": "bold reverse $foreground", "quoted": "bold underline",
    "match": "ansi_black on ansi_yellow", "match.current": "bold ansi_black on ansi_bright_yellow",
    **RULES_IN_ANSI, **SIGNS_IN_ANSI,
}  # fmt: skip
"""Where the colours are the sixteen of the terminal, which have no shades: what is faint elsewhere is dim there."""
