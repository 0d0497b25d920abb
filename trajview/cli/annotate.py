"""`trajview annotate`: the queue of episodes to score, opened where it was left; as text where there is no terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trajview.errors import TrajviewError, Where

from .choosing import matching, query_of, where_option
from .common import (
    existing,
    exit_code,
    fresh_option,
    no_cache_option,
    out,
    paths_argument,
    say_nothing_found,
    say_problem,
    scoring_options,
)
from .completing import complete_run

if TYPE_CHECKING:
    from trajview.annotation.queue import Plan

    _PairType = click.ParamType[tuple[int, int]]
else:
    _PairType = click.ParamType  # generic since click 8.4 only

__all__ = ["command"]


class _Part(_PairType):
    name = "part"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        match = re.fullmatch(r"\s*(\d{1,6})\s*/\s*(\d{1,6})\s*", str(value))
        if match is None:
            self.fail(f"{value!r} is not a part such as 2/3, the second of three.", param, ctx)
        which, parts = int(match[1]), int(match[2])
        if not 1 <= which <= parts:
            self.fail(f"there is no part {which} of {parts}: the first is 1/{parts}.", param, ctx)
        return which, parts


def _queue_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--follow", is_flag=True, help="Take in what is added to the files and folders meanwhile."),
        click.option("--run", metavar="ID", help="Begin with the episode with this id or key, in the queue or not.", shell_complete=complete_run),
        where_option,
        click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most N episodes, the first of the order."),
        click.option("--assign", type=_Part(), metavar="I/N", help="Only the I-th of N parts that share no episode."),
        click.option("--ids", type=click.Path(path_type=Path), metavar="FILE", help="Only the episodes whose ids are in FILE, one a line, in its order."),
        click.option("--shuffle", metavar="SEED", help="Shuffle; the same seed gives the same order.  [the order of the files]"),
    ):  # fmt: skip
        command = option(command)
    return command


@click.command("annotate", short_help="Score PATH's episodes one after the other, from where you left.")
@paths_argument
@_queue_options
@scoring_options
@fresh_option
@no_cache_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    paths: tuple[Path, ...],
    shuffle: str | None,
    ids: Path | None,
    assign: tuple[int, int] | None,
    limit: int | None,
    where: str | None,
    run: str | None,
    follow: bool,
    no_cache: bool,
    **given: Any,
) -> None:
    """Open the queue of episodes in PATH where you left it: at your newest draft, else at the first not started.

    ctrl+s submits and goes to the next one. Where stdout is no terminal, the queue and how far it is are printed.
    """
    from trajview.annotation.queue import Plan

    from .front import can_view, open_viewer

    given["paths"] = existing(paths)
    if where is not None:
        query_of(where)  # an error in it is reported before the viewer opens
    plan = Plan(shuffle, None if ids is None else _read_ids(ids), assign, limit, where)
    if can_view():
        open_viewer(no_cache, follow, plan=plan, run=run, **given)
    ctx.exit(_print_queue(plan, run, no_cache, given))


def _read_ids(path: Path) -> tuple[str, ...]:
    """Read the ids in a file, one a line, without empty lines and those that start with `#`."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise TrajviewError(f"the list of ids cannot be read: {reason}", where=Where(path)) from error
    except UnicodeDecodeError as error:
        raise TrajviewError("the list of ids is not UTF-8", where=Where(path)) from error
    lines = (line.strip() for line in text.split("\n"))
    ids = tuple(line for line in lines if line and not line.startswith("#"))
    if not ids:
        raise TrajviewError("the list of ids is empty", hint="one id a line", where=Where(path))
    return ids


def _print_queue(plan: Plan, run: str | None, no_cache: bool, given: dict[str, Any]) -> int:
    from trajview.annotation.flag import FLAG
    from trajview.annotation.progress import Progress
    from trajview.annotation.queue import duration_text, tally
    from trajview.annotation.store import AnnotationStore
    from trajview.config import load_settings
    from trajview.corpus.cache import SummaryCache
    from trajview.corpus.corpus import Corpus
    from trajview.corpus.unknown_run import unknown_run
    from trajview.errors import Problem
    from trajview.textsafe import one_line

    settings = load_settings(**given)
    if settings.rubric is not None:
        from trajview.annotation.choice import find_rubric

        find_rubric(settings.rubric, settings.reward_range)  # an unknown name is reported, as in the viewer
    corpus = Corpus(settings.paths, None if no_cache else SummaryCache())
    found = list(matching(corpus, plan.where, settings.blind, given["store"], given["annotator"]))
    episodes = [(info.key, info.id) for info in found]
    progress = AnnotationStore(settings.store, settings.annotator).progress()
    keys = plan.order(episodes)
    if run is not None:
        info = corpus.find(run)
        if info is None:
            raise unknown_run(run, corpus.infos)
        keys = [info.key, *(key for key in keys if key != info.key)]
    for key in keys:
        state = progress.get(key, Progress())
        time = duration_text(state.seconds) if state.seconds else "–"
        flag = FLAG if state.flagged else " "
        reason = f"  {one_line(state.reason, 200)}" if state.reason else ""
        out(f"{state.state:<11} {flag} {time:>10}  {one_line(key, 1000)}{reason}\n")
    out(f"{tally(keys, progress).said()}\n")
    sys.stdout.flush()
    missing = plan.missing(episodes)
    for id in missing:
        say_problem(Problem(f"there is no episode {id!r:.200}", "it is in the list of ids, and not in the logs"))
    say_nothing_found(corpus)
    return max(exit_code(corpus), 1 if missing else 0)
