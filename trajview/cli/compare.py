"""`trajview compare`: two runs side by side, in the viewer or as a text diff."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from trajview.errors import TrajviewError, shown

from .common import (
    existing,
    is_blind,
    is_terminal,
    no_cache_option,
    opening_options,
    print_json,
    say_nothing_found,
    say_problem,
    scoring_options,
    wants_colour,
)
from .completing import complete_run
from .front import EARLY, EXIT_WRONG, can_view, tidy_up
from .stdin import take_terminal

if TYPE_CHECKING:
    from trajview.corpus.corpus import Corpus
    from trajview.corpus.info import RunInfo
    from trajview.models.run import AgentRun

__all__ = ["command"]

_SAME: Final = 0
_DIFFERENT: Final = 1
_WIDE: Final = 110
"""Columns of text from which on there is room for two sides."""


class _WhichRun(TrajviewError):
    title = "Which run?"


@click.command("compare", short_help="Show how two runs differ.")
@click.argument("left", metavar="A", type=click.Path(path_type=Path))
@click.argument("right", metavar="[B]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--run-a",
    metavar="ID",
    help="The run of A with this id or key, where A holds several.",
    shell_complete=complete_run,
)
@click.option("--run-b", metavar="ID", help="The run of B.", shell_complete=complete_run)
@click.option("--side-by-side/--unified", "beside", default=None, help="How the diff is printed.  [by the width]")
@click.option("-C", "--context", type=click.IntRange(min=0), default=3, metavar="N", help="Equal lines around.  [3]")
@click.option("-U", "context", type=click.IntRange(min=0), default=3, hidden=True)
@click.option("--text", is_flag=True, help="Print the diff on a terminal too, without the viewer.")
@click.option("--json", "in_json", is_flag=True, help="What differs, as one JSON object.")
@scoring_options
@opening_options
@no_cache_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    left: Path,
    right: Path | None,
    run_a: str | None,
    run_b: str | None,
    beside: bool | None,
    context: int,
    text: bool,
    in_json: bool,
    no_cache: bool,
    **given: Any,
) -> None:
    """Compare two runs by action unit: shared beginning, first divergence, and what differs from there on.

    On a terminal this opens the viewer; else, or with --text, --unified, --side-by-side or --json, a diff is printed.

    A and B are files or folders that hold one run, or PATH#ID. Both runs may be in A, as `compare A --run-a X --run-b Y`;
    where it holds just two runs, no ids are needed.

    Ids, times and metadata are no difference in what was said. Exit codes: 0 the same, 1 different, 2 wrong usage or
    unreadable.
    """
    from trajview.corpus.cache import SummaryCache
    from trajview.corpus.corpus import Corpus

    from .progress import watch

    paths, ids = _sides(left, right, run_a, run_b)
    corpus = Corpus(list(dict.fromkeys(paths)), None if no_cache else SummaryCache())
    watch(corpus)
    corpus.scan()
    infos = _both(corpus, paths, ids)
    if can_view() and not (text or in_json) and beside is None:
        _open_viewer(corpus, paths, infos, given)
    runs = _loaded(corpus, infos, blind=is_blind(given["blind"]))
    if in_json:
        ctx.exit(_print_as_json(infos, runs))
    if beside is None:
        beside = is_terminal() and shutil.get_terminal_size().columns >= _WIDE
    width = shutil.get_terminal_size((120, 24)).columns if beside else 0
    ctx.exit(_print(infos, runs, width, context))


def _open_viewer(
    corpus: Corpus, paths: Sequence[Path], infos: tuple[RunInfo, RunInfo], given: dict[str, Any]
) -> NoReturn:  # fmt: skip
    """Open the viewer on the comparison; ends the program."""
    from trajview.config import load_settings

    settings = load_settings(paths=tuple(dict.fromkeys(paths)), **given)
    tidy_up()
    take_terminal()
    from trajview.app.app import run_app

    sys.exit(run_app(corpus, settings, compare=infos, early=EARLY[0] if EARLY else None))


def _sides(
    left: Path, right: Path | None, run_a: str | None, run_b: str | None
) -> tuple[tuple[Path, Path], tuple[str | None, str | None]]:
    """The path of each side, and the id of its run where one is named."""
    from trajview.corpus.named import split_id

    one, id_a = split_id(left)
    two, id_b = split_id(right) if right is not None else (one, None)
    paths = existing([one] if one == two else [one, two])
    return (paths[0], paths[-1]), (run_a or id_a, run_b or id_b)


def _both(
    corpus: Corpus, paths: tuple[Path, Path], ids: tuple[str | None, str | None]
) -> tuple[RunInfo, RunInfo]:  # fmt: skip
    if not corpus.infos:
        for problem in corpus.problems:
            say_problem(problem)
        say_nothing_found(corpus)
        raise click.exceptions.Exit(EXIT_WRONG)
    sides = [[info for info in corpus.infos if info.path == path or path in info.path.parents] for path in paths]
    if paths[0] == paths[1] and ids == (None, None) and len(sides[0]) == 2:
        return sides[0][0], sides[0][1]
    if paths[0] == paths[1] and ids == (None, None) and len(sides[0]) == 1:
        raise _WhichRun(f"{shown(paths[0])}: it holds one run, and compare needs two", hint="name another file as well")
    return _one(corpus, sides[0], ids[0], paths[0], "a"), _one(corpus, sides[1], ids[1], paths[1], "b")


def _one(corpus: Corpus, infos: Sequence[RunInfo], id: str | None, path: Path, side: str) -> RunInfo:
    """The run of one side that is meant."""
    if id is not None:
        from trajview.corpus.named import is_wanted, readings

        for meant in ({id}, readings(id)):
            for info in infos:
                if is_wanted(meant, info.id, info.key):
                    return info
        from trajview.corpus.unknown_run import unknown_run

        raise unknown_run(id, infos)
    if len(infos) == 1:
        return infos[0]
    if not infos:
        for problem in corpus.problems:
            say_problem(problem)
        raise _WhichRun(f"{shown(path)}: there is no run in it", hint="`trajview validate` says why")
    from trajview.corpus.named import reference

    raise _WhichRun(
        f"{shown(path)}: it holds {len(infos):,} runs",
        hint=f"say which: {reference(path, infos[0].id, alone=False)}, or --run-{side} ID",
    )


def _loaded(corpus: Corpus, infos: tuple[RunInfo, RunInfo], *, blind: bool) -> tuple[AgentRun, AgentRun]:
    runs = corpus.load(infos[0]), corpus.load(infos[1])
    if blind:
        from trajview.models.blind import blinded

        return blinded(runs[0]), blinded(runs[1])
    return runs


def _print(infos: tuple[RunInfo, RunInfo], runs: tuple[AgentRun, AgentRun], width: int, context: int) -> int:
    """Print the diff, and return the exit code."""
    from trajview.compare.alignment import align
    from trajview.compare.facts import facts_of

    from .compare_text import Style, compared

    style = Style(wants_colour(), width, context)
    same = True
    for number, in_both in enumerate(_pairs(*runs)):
        if not in_both:
            same = False
            sys.stdout.write(f"@@ transcript {number} is in one of the runs only @@\n")
            continue
        found = align(runs[0].transcripts[number], runs[1].transcripts[number])
        same = same and found.same
        titles = tuple(_title(info, run, number) for info, run in zip(infos, runs, strict=True))
        facts = facts_of(*runs) if not number else []
        for line in compared((titles[0], titles[1]), facts, found, style):
            sys.stdout.write(line + "\n")
    return _SAME if same else _DIFFERENT


def _print_as_json(infos: tuple[RunInfo, RunInfo], runs: tuple[AgentRun, AgentRun]) -> int:
    """Print the facts about both runs, and the units and messages that differ; return the exit code."""
    from trajview.compare.alignment import Alignment, Kind, align
    from trajview.compare.facts import facts_of

    def rows_of(found: Alignment) -> list[dict[str, Any]]:
        ends = [*found.starts, len(found.messages)][1:]
        return [
            {
                "a": row.left, "b": row.right, "kind": row.kind.value,
                "messages": [
                    {"a": message.left, "b": message.right, "kind": message.kind.value}
                    for message in found.messages[start:end]
                    if message.kind is not Kind.SAME
                ],
            }
            for row, start, end in zip(found.units, found.starts, ends, strict=True)
            if row.kind is not Kind.SAME
        ]  # fmt: skip

    transcripts: list[dict[str, Any]] = []
    same = True
    for number, in_both in enumerate(_pairs(*runs)):
        if not in_both:
            same = False
            transcripts.append({"transcript": number, "in": "a" if number < len(runs[0].transcripts) else "b"})
            continue
        found = align(runs[0].transcripts[number], runs[1].transcripts[number])
        same = same and found.same
        transcripts.append(
            {
                "transcript": number,
                "in": "both",
                "equal_units_at_start": found.prefix,
                "different_units": rows_of(found),
            }
        )
    sides = [{"id": info.id, "source": info.source, "path": shown(info.path), "line": info.line} for info in infos]
    facts = [{"name": fact.name, "a": fact.left, "b": fact.right} for fact in facts_of(*runs)]
    print_json({"same": same, "a": sides[0], "b": sides[1], "facts": facts, "transcripts": transcripts})
    return _SAME if same else _DIFFERENT


def _pairs(left: AgentRun, right: AgentRun) -> list[bool]:
    """Whether both runs have each transcript to compare; of episodes only the onlooker's."""
    from trajview.formats.registry import format_or_default

    counts = len(left.transcripts), len(right.transcripts)
    if all(format_or_default(run.source_format).retells for run in (left, right)):
        counts = 1, 1
    return [number < min(counts) for number in range(max(counts))]


def _title(info: RunInfo, run: AgentRun, number: int) -> str:
    name = f" {run.name}" if run.name and run.name != info.id else ""
    return f"{info.source} {info.id}{name}" + (f", transcript {number}" if number else "")
