"""`trajview cache`: where the summaries of files are kept, how much that is, and how to be rid of it."""

from __future__ import annotations

import click

from trajview.errors import Problem, UnreadableError, Where

from .common import out, print_json, problem_json, say_problem
from .front import EXIT_FINE, EXIT_PROBLEMS

__all__ = ["command"]


@click.group("cache", short_help="See or clear the cache of summaries.")
def command() -> None:
    """The cache of summaries makes a large file's list complete at once when it is opened again.

    It holds nothing of value, and counts only while a file's path, size and times are the same.
    """


@command.command("info")
@click.option("--json", "in_json", is_flag=True, help="As one JSON object.")
@click.pass_context
def info(ctx: click.Context, in_json: bool) -> None:
    """Print where the cache is, how many files it knows, and its size."""
    from trajview.corpus.cache import SummaryCache
    from trajview.where.kept import DetailsCache

    summaries, details = SummaryCache(), DetailsCache()
    found, more = summaries.info(), details.info()
    summaries.close()
    details.close()
    wrong = {each.problem: each for each in (more, found) if each.problem}
    problems = [
        Problem(f"the cache cannot be read: {why}", "all works without it, slower", Where(each.path))
        for why, each in wrong.items()
    ]
    size = found.size + more.size
    if in_json:
        print_json(
            {
                "path": str(found.path), "files": None if found.problem else found.files, "runs": more.files,
                "bytes": size, "problems": list(map(problem_json, problems)),
            }
        )  # fmt: skip
    else:
        out(f"cache  {found.path}\n")
        out(f"files  {'not known' if found.problem else f'{found.files:,}'}\n")
        if more.files:
            out(f"runs   {more.files:,}, read for a filter, in {more.path.name}\n")
        out(f"size   {size:,} bytes\n")
        for problem in problems:
            say_problem(problem)
    ctx.exit(EXIT_PROBLEMS if problems else EXIT_FINE)


@command.command("clear")
def clear() -> None:
    """Delete the cache."""
    from trajview.corpus.cache import SummaryCache, cache_path
    from trajview.where.kept import DetailsCache

    try:
        SummaryCache().clear()
        DetailsCache().clear()
    except OSError as error:
        raise UnreadableError(
            f"the cache cannot be deleted: {error.strerror or error}".lower(), where=Where(cache_path())
        ) from error
    out("the cache is empty\n")
