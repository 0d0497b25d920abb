"""`trajview validate`: everything that is wrong with some logs, with file, line and hint."""

from __future__ import annotations

from pathlib import Path

import click

from trajview.errors import PluginProblem, Problem

from .common import existing, out, paths_argument, say_nothing_found
from .front import EXIT_FINE, EXIT_PROBLEMS, EXIT_WRONG, note_reported

__all__ = ["command"]


@click.command("validate", short_help="Report every problem.")
@paths_argument
@click.pass_context
def command(ctx: click.Context, paths: tuple[Path, ...]) -> None:
    """Read every run of PATH whole, and print each problem on a line: file:line: reason (hint).

    The exit code is 1 where there are problems.
    """
    from trajview.corpus.corpus import Corpus

    from .progress import watch

    corpus = Corpus(existing(paths), thorough=True)
    watch(corpus)
    count = runs = 0
    problems: list[Problem] = []
    for item in corpus.stream():
        if isinstance(item, Problem) and item.opens and problems and not isinstance(item, PluginProblem):
            continue  # the full check of that run has just reported it
        problems = [item] if isinstance(item, Problem) else corpus.check(item)
        runs += not isinstance(item, Problem)
        count += len(problems)
        for problem in problems:
            note_reported(problem)
            out(" ".join(str(problem).split()) + "\n")
    say_nothing_found(corpus)
    what = f"{count:,} problem{'' if count == 1 else 's'}" if count else "no problems"
    out(
        f"{runs:,} run{'' if runs == 1 else 's'} in {corpus.files_done:,} file{'' if corpus.files_done == 1 else 's'}, {what}\n"
    )
    if count:
        ctx.exit(EXIT_PROBLEMS)
    ctx.exit(EXIT_FINE if runs else EXIT_WRONG)
