"""`trajview view`, the default: the viewer, or plain text where stdout is no terminal, or one without a screen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .choosing import query_of, where_option
from .common import existing, fresh_option, is_blind, no_cache_option, paths_argument, scoring_options
from .completing import complete_run
from .front import can_view, open_viewer
from .named_rules import rule_option, rules_named
from .stdin import Spool

__all__ = ["command"]


@click.command("view", short_help="Read PATH in the viewer (the default).")
@paths_argument
@click.option("--run", metavar="ID", help="Open the run with this id or key at once.", shell_complete=complete_run)
@click.option("--unit", type=click.IntRange(min=0), metavar="N", help="Go to this action unit, counted from 0.")
@click.option("--highlight", multiple=True, metavar="REGEX", help="Highlight the units that match; may be repeated.")
@rule_option("Highlight what this named rule matches; may be repeated.")
@where_option
@scoring_options
@click.option("--follow", is_flag=True, help="Show what is added to the files and folders while it is written.")
@fresh_option
@no_cache_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    paths: tuple[Path, ...],
    run: str | None,
    unit: int | None,
    highlight: tuple[str, ...],
    rules: tuple[str, ...],
    where: str | None,
    follow: bool,
    no_cache: bool,
    **given: Any,
) -> None:
    """Open PATH in the viewer (this is what `trajview PATH...` does)."""
    streams: list[Spool] = []

    def stream() -> Path:
        streams.append(streams[0] if streams else Spool())
        return streams[0].path

    viewer = can_view()
    paths = existing(paths, stream if viewer else None)
    if highlight:
        from trajview.highlight import compile_rule

        for pattern in highlight:
            compile_rule(pattern)
    if rules:
        from trajview.config import load_settings

        rules_named(rules, load_settings(paths=paths))
    if where is not None:
        query_of(where)  # an error in it is reported before the viewer opens
    if not viewer:
        from .show import show

        ctx.exit(show(paths, run, unit, blind=is_blind(given["blind"]), where=where))
    given.update(paths=paths, run=run, unit=unit, highlight=highlight, rules_on=rules, where=where)
    open_viewer(no_cache, follow, streams[:1], **given)
