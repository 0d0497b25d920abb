"""`trajview view`, the default: the viewer, or plain text where stdout is no terminal, or one without a screen."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from .common import existing, is_terminal, no_cache_option, paths_argument, scoring_options
from .stdin import Spool, take_terminal

if TYPE_CHECKING:
    from trajview.annotation.queue import Plan

__all__ = ["can_view", "command", "open_viewer"]


@click.command("view", short_help="Read PATH in the viewer (the default).")
@paths_argument
@click.option("--run", metavar="ID", help="Open the run with this id or key at once.")
@click.option("--unit", type=click.IntRange(min=0), metavar="N", help="Go to this action unit, counted from 0.")
@click.option("--highlight", multiple=True, metavar="REGEX", help="Highlight the units that match; may be repeated.")
@scoring_options
@click.option("--follow", is_flag=True, help="Show what is added to the files and folders while it is written.")
@no_cache_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    paths: tuple[Path, ...],
    run: str | None,
    unit: int | None,
    highlight: tuple[str, ...],
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
    if not viewer:
        from .show import show

        ctx.exit(show(paths, run, unit, blind=bool(given.get("blind"))))
    given.update(paths=paths, run=run, unit=unit, highlight=highlight)
    open_viewer(no_cache, follow, streams[:1], **given)


def can_view() -> bool:
    """Whether there is a terminal that can show the viewer; Emacs' shell, for one, can only print."""
    return is_terminal() and os.environ.get("TERM") != "dumb"


def open_viewer(
    no_cache: bool, follow: bool = False, streams: Sequence[Spool] = (), plan: Plan | None = None, **given: Any
) -> NoReturn:
    """Open the viewer with these settings, on the queue of a plan if there is one; ends the program."""
    take_terminal()

    import gc

    gc.disable()  # until the first screen is there (TrajviewApp): starting up makes many objects and no garbage

    from trajview.config import load_settings

    settings = load_settings(**given)
    from trajview.corpus.cache import SummaryCache
    from trajview.corpus.corpus import Corpus

    corpus = Corpus(settings.paths, None if no_cache else SummaryCache(), follow=follow, streams=list(streams))
    corpus.start(patiently=True)  # the first runs are found while Textual is imported
    from trajview.app.app import run_app

    sys.exit(run_app(corpus, settings, plan))
