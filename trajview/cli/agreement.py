"""`trajview agreement`: how far annotators agree with each other, and with the rewards in the logs."""

from __future__ import annotations

import csv
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trajview.corpus.process_wide import without_garbage
from trajview.errors import Problem, Where

from .common import (
    blind_option,
    existing,
    existing_store,
    is_blind,
    is_terminal,
    no_cache_option,
    opening_options,
    out,
    print_json,
    say_problem,
    store_option,
    stream_runs,
)
from .completing import complete_rubric
from .front import EXIT_FINE, EXIT_PROBLEMS, EXIT_WRONG, tidy_up
from .progress import counted

if TYPE_CHECKING:
    from trajview.annotation.agreement import Agreement, Estimate
    from trajview.annotation.ratings import Ratings, Scores
    from trajview.models.sotopia import AnnotationForEpisode

__all__ = ["as_json", "command", "progress_line"]

_COLUMNS = ("comparison", "dimension", "who", "measure", "value", "low", "high", "pairs", "reason")


@click.command("agreement", short_help="How far annotators agree, with each other and with the log.")
@store_option
@click.option("--episodes", multiple=True, metavar="PATH", help="Logs with rewards to compare with; may be repeated.")
@click.option(
    "--rubric",
    metavar="NAME|FILE",
    help="Only the dimensions of this one, in its order.",
    shell_complete=complete_rubric,
)
@click.option("--annotator", "annotators", multiple=True, metavar="NAME", help="Only this one; may be repeated.")
@click.option("--gold", default="gold", show_default=True, metavar="NAME", help="Who settles, and is no annotator.")
@click.option("--resamples", type=click.IntRange(0, 1_000_000), default=1000, show_default=True, help="Of the bootstrap; 0 for no intervals.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Of the bootstrap.")
@click.option("--json", "in_json", is_flag=True, help="One JSON object.")
@click.option("--csv", "in_csv", is_flag=True, help="A row for each figure, as pandas likes it.")
@opening_options
@blind_option
@no_cache_option
@click.pass_context
def command(
    ctx: click.Context,
    store: str | None,
    episodes: tuple[str, ...],
    rubric: str | None,
    annotators: tuple[str, ...],
    gold: str,
    resamples: int,
    seed: int,
    in_json: bool,
    in_csv: bool,
    blind: bool | None,
    no_cache: bool,
) -> None:
    """Compare the annotations of a store by dimension: of each agent in each episode, submitted ones only.

    Between annotators: exact and within-one agreement over all pairs of scores, quadratic weighted kappa and Spearman
    (the mean of all pairs of annotators), Krippendorff's alpha (ordinal and interval), ICC(2,1) and ICC(2,k) of what all
    have rated. With --episodes also people against the reward in the log: Pearson, Spearman, mean absolute error, bias.
    Intervals are percentiles of a bootstrap over episodes. Where nothing varies a figure is undefined, with its reason.
    """
    if in_json and in_csv:
        raise click.UsageError("--json and --csv exclude each other")
    from trajview.annotation.all_records import read_records
    from trajview.annotation.choice import find_rubric
    from trajview.annotation.ratings import collect

    root = existing_store(store)
    asked = find_rubric(rubric) if rubric else None
    with without_garbage():
        found = read_records(root, counted("reading annotations"))
    rewards = _rewards(episodes, blind, {record.episode for record in found.records}, no_cache)
    with without_garbage():
        ratings = collect(found.records, rewards, rubric=asked, only=annotators, gold=gold)
        tidy_up()
        result = _agreement(ratings, resamples, seed, gold)
    problems = [*found.problems, *_oversights(found.records, rewards, annotators, ratings)]
    for problem in (*problems, *result.problems):
        say_problem(problem)
    if in_json:
        print_json(as_json(result), indent=2)
    elif in_csv:
        _write_csv(result)
    else:
        _print(result)
    if not found.records:
        say_problem(Problem("no annotations found", "a draft counts when it is submitted", Where(root)))
        ctx.exit(EXIT_WRONG)
    ctx.exit(EXIT_PROBLEMS if problems or result.problems else EXIT_FINE)


def _oversights(
    records: Sequence[AnnotationForEpisode],
    rewards: Mapping[str, Sequence[Scores]] | None,
    annotators: Sequence[str],
    ratings: Ratings,
) -> Iterator[Problem]:
    """Report options that name something that is not there."""
    if records and rewards is not None and not rewards:
        yield Problem("none of the annotated episodes with a reward is in --episodes", "check the path")
    for name in annotators:
        if name not in ratings.annotators:
            yield Problem(f"there are no annotations by {name!r}")


def _agreement(ratings: Ratings, resamples: int, seed: int, gold: str) -> Agreement:
    """Compute the figures, with progress on stderr where that is a terminal."""
    from trajview.annotation.agreement import agreement

    told = progress_line if sys.stderr.isatty() else None
    return agreement(ratings, resamples=resamples, seed=seed, gold=gold, progress=told)


def progress_line(done: int, total: int) -> None:
    """Write the progress on a line of stderr, over what stood there; clear it at the end."""
    said = "" if done >= total else f"computing intervals {done / total:.0%}"
    sys.stderr.write(f"\r\x1b[K{said}")
    sys.stderr.flush()


def _rewards(
    episodes: Sequence[str], blind: bool | None, wanted: set[str], no_cache: bool
) -> dict[str, list[Scores]] | None:
    """The rewards in the logs of the episodes that were annotated, by the key that annotations refer to.

    None where no logs are named, and in blind mode, which is said then.
    """
    if not episodes:
        return None
    if is_blind(blind):
        hidden = Problem("blind mode: people are not compared with the rewards in the logs", "--no-blind compares them")
        say_problem(hidden)
        return None
    from trajview.annotation.draft import loadable
    from trajview.annotation.ratings import scores_in
    from trajview.corpus.cache import SummaryCache
    from trajview.corpus.corpus import Corpus
    from trajview.formats.registry import format_or_default

    paths = existing([Path(path) for path in episodes])
    corpus = Corpus(paths, None if no_cache else SummaryCache())
    found: dict[str, list[Scores]] = {}
    for info in stream_runs(corpus):
        if (key := loadable(info.key)) in wanted and info.rewards:
            found[key] = [
                scores_in(reward, zero_counts=not format_or_default(info.format).zero_is_no_reward)
                for reward in info.rewards
            ]
    return found


def _print(result: Agreement) -> None:
    from trajview.annotation.agreement_text import lines, plain

    for line in lines(result, shutil.get_terminal_size().columns if is_terminal() else None):
        out(plain(line) + "\n")


def as_json(result: Agreement) -> dict[str, Any]:
    """The figures as `agreement --json` prints them. What is undefined is null, with its reason."""
    from trajview.annotation.agreement import LEVEL

    return {
        "annotators": dict(result.annotators),
        "episodes_with_reward": result.modelled,
        "episodes_with_gold": result.gold,
        "level": LEVEL,
        "resamples": result.resamples,
        "seed": result.seed,
        "between": [
            {
                "dimension": each.dimension.name,
                "rated": dict(each.rated),
                "episodes": each.episodes,
                "rated_by_two": each.shared,
                "pairs": each.pairs,
                "measures": {name: _estimate(estimate) for name, estimate in each.figures.items()},
            }
            for each in result.between
        ],
        "against_log": [
            {
                "dimension": each.dimension.name,
                "who": each.who,
                "pairs": each.pairs,
                "measures": {name: _estimate(estimate) for name, estimate in each.figures.items()},
            }
            for each in result.against
        ],
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "reason": estimate.reason}


def _write_csv(result: Agreement) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows(_csv_rows(result))


def _csv_rows(result: Agreement) -> Iterator[tuple[object, ...]]:
    for each in result.between:
        for name, found in each.figures.items():
            yield (
                "annotators",
                each.dimension.name,
                "",
                name,
                found.value,
                found.low,
                found.high,
                each.pairs,
                found.reason,
            )
    for versus in result.against:
        for name, found in versus.figures.items():
            yield (
                "log",
                versus.dimension.name,
                versus.who,
                name,
                found.value,
                found.low,
                found.high,
                versus.pairs,
                found.reason,
            )
