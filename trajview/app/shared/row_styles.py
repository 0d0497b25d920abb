"""How what is on a row looks: the names that lines call it by, and the component classes that the themes colour."""

from __future__ import annotations

import re

from trajview.app.shared.rule_colours import rule_css

__all__ = ["ROWS_CSS", "STYLES"]

ROWS_CSS = (
    rule_css("RowsView", "tv", texts=True)
    + """
RowsView {
    overflow-y: scroll; overflow-x: hidden; background: $background;
    scrollbar-size-vertical: 1; scrollbar-background: $background; scrollbar-background-hover: $background;
    scrollbar-background-active: $background; scrollbar-color: $foreground 20%;
    scrollbar-color-hover: $foreground 40%; scrollbar-color-active: $primary;

    & > .tv--role-system { color: $foreground-muted; text-style: bold; }
    & > .tv--role-user { color: $primary; text-style: bold; }
    & > .tv--role-assistant { color: $secondary; text-style: bold; }
    & > .tv--role-tool { color: $foreground-muted; }
    & > .tv--dim { color: $foreground 45%; }
    & > .tv--mark { color: $accent; }
    & > .tv--error { color: $error; }
    & > .tv--hit { color: $warning; }
    & > .tv--fold { color: $foreground 55%; text-style: italic; }
    & > .tv--unit-header { background: $surface; }
    & > .tv--unit-number { text-style: bold; background: $panel; }
    & > .tv--unit-roles { color: $foreground 75%; }
    & > .tv--unit-facts { color: $foreground 50%; }
    & > .tv--unit-score { color: $text-success; text-style: bold; }
    & > .tv--unit-note { color: $text-success; }
    & > .tv--output { color: $foreground 80%; }
    & > .tv--reasoning { color: $foreground 62%; text-style: italic; }
    & > .tv--reasoning-bar { color: $foreground 35%; }
    & > .tv--reasoning-hidden { color: $foreground 35%; text-style: italic; }
    & > .tv--call-name { color: $accent; text-style: bold; }
    & > .tv--call-key { color: $foreground 55%; }
    & > .tv--call-value { color: $foreground 90%; }
    & > .tv--md-heading { text-style: bold underline; }
    & > .tv--md-subheading { text-style: bold; }
    & > .tv--md-bold { text-style: bold; }
    & > .tv--md-em { text-style: italic; }
    & > .tv--md-strike { text-style: strike; }
    & > .tv--md-code { color: $text-accent; }
    & > .tv--md-link { color: $text-primary; text-style: underline; }
    & > .tv--md-url { color: $foreground 45%; }
    & > .tv--md-bullet { color: $foreground 50%; }
    & > .tv--md-quote { color: $foreground 70%; text-style: italic; }
    & > .tv--md-rule { color: $foreground 25%; }
    & > .tv--code-block { background: $surface; }
    & > .tv--code-comment { color: $foreground 50%; text-style: italic; }
    & > .tv--code-keyword { color: $text-secondary; }
    & > .tv--code-name { color: $text-primary; }
    & > .tv--code-builtin { color: $text-accent; }
    & > .tv--code-string { color: $text-success; }
    & > .tv--code-number { color: $text-warning; }
    & > .tv--diff-added { color: $text-success; background: $success 12%; }
    & > .tv--diff-removed { color: $text-error; background: $error 12%; }
    & > .tv--diff-hunk { color: $text-secondary; }
    & > .tv--diff-file { text-style: bold; }
    & > .tv--gutter-system { color: $foreground 25%; }
    & > .tv--gutter-user { color: $primary; }
    & > .tv--gutter-assistant { color: $secondary 60%; }
    & > .tv--gutter-tool { color: $foreground 18%; }
    & > .tv--gutter-cursor { color: $warning; text-style: bold; }
    & > .tv--cursor { background: $foreground 6%; }
    & > .tv--citation { color: $text-warning; text-style: underline; }
    & > .tv--quoted { background: $warning 30%; }
    & > .tv--match { background: $warning 45%; color: $foreground; }
    & > .tv--match-current { background: $warning; color: $background; text-style: bold; }
    & > .tv--only-left { background: $primary 12%; }
    & > .tv--only-right { background: $warning 12%; }
    & > .tv--word-left { background: $primary 45%; color: $foreground; }
    & > .tv--word-right { background: $warning 40%; color: $foreground; }
    & > .tv--middle { color: $foreground 25%; }

    /* The terminal's own sixteen colours have no shades: what is faint elsewhere is dim here. */
    &:ansi {
        & > .tv--dim, & > .tv--fold, & > .tv--reasoning, & > .tv--reasoning-bar, & > .tv--reasoning-hidden,
        & > .tv--call-key, & > .tv--md-url, & > .tv--md-bullet, & > .tv--md-rule, & > .tv--unit-facts,
        & > .tv--role-system, & > .tv--role-tool, & > .tv--gutter-system, & > .tv--gutter-tool,
        & > .tv--code-comment { color: ansi_default; text-style: dim; }
        & > .tv--unit-header { background: ansi_default; text-style: underline; }
        & > .tv--unit-number { background: ansi_default; text-style: bold reverse; }
        & > .tv--diff-added, & > .tv--diff-removed, & > .tv--code-block { background: ansi_default; }
        & > .tv--cursor { background: ansi_default; }
        & > .tv--only-left, & > .tv--only-right { background: ansi_default; }
        & > .tv--word-left, & > .tv--word-right { background: ansi_default; text-style: bold reverse; }
        & > .tv--quoted { background: ansi_default; text-style: bold underline; }
        & > .tv--match { background: ansi_yellow; color: ansi_black; }
        & > .tv--match-current { background: ansi_bright_yellow; color: ansi_black; }
    }
}
"""
)

STYLES = {name.replace("-", "."): f"tv--{name}" for name in re.findall(r"\.tv--([\w-]+)", ROWS_CSS)}
"""The component class of each name: `md.code` is `tv--md-code`."""
