"""`trajview view`, the default: the viewer, or plain text where stdout is no terminal, or one without a screen."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from .common import existing, is_terminal, no_cache_option, paths_argument
from .stdin import Spool, take_terminal

__all__ = ["command"]


@click.command("view", short_help="Read PATH in the viewer (the default).")
@paths_argument
@click.option("--run", metavar="ID", help="Open the run with this id or key at once.")
@click.option("--unit", type=click.IntRange(min=0), metavar="N", help="Go to this action unit, counted from 0.")
@click.option("--highlight", multiple=True, metavar="REGEX", help="Highlight the units that match; may be repeated.")
@click.option("--store", metavar="DIR", help="Where annotations are saved; made at the first save.  [annotations]")
@click.option("--force-store", is_flag=True, help="Save other runs than episodes in Sotopia's own data folder as well.")
@click.option("--annotator", metavar="NAME", help="Who annotates.  [the login name]")
@click.option("--rubric", metavar="NAME|FILE", help="What is rated: a built-in rubric or a file.  [by format]")
@click.option("--theme", metavar="NAME", help="A Textual theme; `ansi-dark` uses the terminal's own colours.")
@click.option("--follow", is_flag=True, help="Show what is added to the files and folders while it is written.")
@no_cache_option
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    run: str | None,
    unit: int | None,
    highlight: tuple[str, ...],
    store: str | None,
    force_store: bool,
    annotator: str | None,
    rubric: str | None,
    theme: str | None,
    follow: bool,
    no_cache: bool,
) -> None:
    """Open PATH in the viewer (this is what `trajview PATH...` does)."""
    streams: list[Spool] = []

    def stream() -> Path:
        streams.append(streams[0] if streams else Spool())
        return streams[0].path

    viewer = is_terminal() and os.environ.get("TERM") != "dumb"  # such as Emacs' shell: it can only print
    paths = existing(paths, stream if viewer else None)
    if highlight:
        from trajview.highlight import compile_rule

        for pattern in highlight:
            compile_rule(pattern)
    if not viewer:
        from .show import show

        ctx.exit(show(paths, run, unit))
    take_terminal()

    import gc

    gc.disable()  # until the first screen is there (TrajviewApp): starting up makes many objects and no garbage

    from trajview.config import load_settings

    settings = load_settings(
        paths=tuple(paths), run=run, unit=unit, highlight=highlight, store=store, annotator=annotator, rubric=rubric,
        theme=theme, force_store=force_store or None,
    )  # fmt: skip
    from trajview.corpus.cache import SummaryCache
    from trajview.corpus.corpus import Corpus

    corpus = Corpus(settings.paths, None if no_cache else SummaryCache(), follow=follow, streams=streams[:1])
    corpus.start(patiently=True)  # the first runs are found while Textual is imported
    from trajview.app.app import run_app

    sys.exit(run_app(corpus, settings))
