"""`trajview validate`: everything that is wrong with some logs, with file, line and hint."""

from __future__ import annotations

from pathlib import Path

import click

from trajview.errors import PluginProblem, Problem

from .common import existing, out, paths_argument, print_json, problem_json, say_nothing_found
from .front import EXIT_FINE, EXIT_PROBLEMS, EXIT_WRONG, note_reported

__all__ = ["command"]


@click.command("validate", short_help="Report every problem.")
@paths_argument
@click.option("--json", "in_json", is_flag=True, help="As one JSON object.")
@click.pass_context
def command(ctx: click.Context, paths: tuple[Path, ...], in_json: bool) -> None:
    """Read every run of PATH whole, and print each problem on a line: file:line: reason (hint).

    The exit code is 1 where there are problems.
    """
    from trajview.corpus.corpus import Corpus

    from .progress import watch

    corpus = Corpus(existing(paths), thorough=True)
    watch(corpus)
    runs = 0
    problems: list[Problem] = []
    of_last: list[Problem] = []
    for item in corpus.stream():
        if isinstance(item, Problem) and item.opens and of_last and not isinstance(item, PluginProblem):
            continue  # the full check of that run has just reported it
        of_last = [item] if isinstance(item, Problem) else corpus.check(item)
        runs += not isinstance(item, Problem)
        problems += of_last
        for problem in of_last:
            note_reported(problem)
            if not in_json:
                out(" ".join(str(problem).split()) + "\n")
    say_nothing_found(corpus)
    if in_json:
        print_json({"runs": runs, "files": corpus.files_done, "problems": list(map(problem_json, problems))})
    else:
        out(_summary(runs, corpus.files_done, len(problems)))
    if problems:
        ctx.exit(EXIT_PROBLEMS)
    ctx.exit(EXIT_FINE if runs else EXIT_WRONG)


def _summary(runs: int, files: int, problems: int) -> str:
    found = f"{problems:,} problem{'' if problems == 1 else 's'}" if problems else "no problems"
    return f"{runs:,} run{'' if runs == 1 else 's'} in {files:,} file{'' if files == 1 else 's'}, {found}\n"
