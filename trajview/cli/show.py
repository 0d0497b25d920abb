"""`trajview show`: runs as text, by action unit, whole or in strings of at most so many tokens."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from trajview.errors import TrajviewError, Where

from .choosing import check_not_both, matching, where_option
from .common import (
    blind_option,
    existing,
    exit_code,
    is_blind,
    matching_run,
    paths_argument,
    say_nothing_found,
    say_problem,
    wants_colour,
)
from .completing import complete_run
from .front import EXIT_FINE, EXIT_PROBLEMS, EXIT_WRONG

if TYPE_CHECKING:
    from trajview.corpus.corpus import Corpus
    from trajview.corpus.info import RunInfo
    from trajview.models.run import AgentRun

    from .show_text import Piece

__all__ = ["command", "show"]

_TAG: Final = re.compile(r"^</?(?:\||HIGHLIGHTED).*>$", re.MULTILINE)
_COLOURS: Final = {"system": "35", "user": "36", "assistant": "32", "tool": "33"}
_ROLE: Final = re.compile(r"^<\|[RTB0-9]+; role: (\w+)")


class _NoSuchUnit(TrajviewError):
    title = "No such action unit"


@click.command("show", short_help="Print runs as text.")
@paths_argument
@click.option(
    "--run", metavar="ID", help="Only the run with this id or key (see `trajview ls`).", shell_complete=complete_run
)
@click.option("--unit", type=int, metavar="N", help="Only this action unit, counted from 0, of the first transcript.")
@click.option(
    "--tags", is_flag=True, help="With Docent's tags, as a model is given a run; so it is with --token-limit."
)
@click.option("--token-limit", type=int, metavar="N", help="In strings of at most N GPT-4 tokens each (at least 100).")
@where_option
@blind_option
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    run: str | None,
    unit: int | None,
    tags: bool,
    token_limit: int | None,
    where: str | None,
    blind: bool | None,
) -> None:
    """Print every run of PATH, or one, as text by action unit.

    A line `=== …` comes before each run, and before each string under a token limit. With --unit and --token-limit,
    the strings that hold the unit are printed, and the unit is marked in them. What is printed is the same on a terminal
    and elsewhere, but for colours.
    """
    ctx.exit(show(paths, run, unit, token_limit, is_blind(blind), where, tags=tags))


def show(
    paths: Sequence[Path],
    run: str | None = None,
    unit: int | None = None,
    token_limit: int | None = None,
    blind: bool = False,
    where: str | None = None,
    *,
    tags: bool = False,
) -> int:
    """Print the runs, and return the exit code."""
    from trajview.corpus.corpus import Corpus

    if token_limit is not None:
        from trajview.models.text import MIN_TOKEN_LIMIT

        if token_limit < MIN_TOKEN_LIMIT:
            raise click.UsageError(f"--token-limit must be at least {MIN_TOKEN_LIMIT}, not {token_limit}")
    check_not_both(run, where)
    corpus = Corpus(existing(paths))
    if run is not None:
        _print_run(corpus, matching_run(corpus, run), unit, token_limit, blind, tags)
        return EXIT_FINE
    code = EXIT_FINE
    for info in matching(corpus, where, blind):
        try:
            _print_run(corpus, info, unit, token_limit, blind, tags)
        except _NoSuchUnit as error:
            say_problem(error.problem())
            code = EXIT_WRONG
        except TrajviewError as error:
            say_problem(error.problem())
            code = max(code, EXIT_PROBLEMS)
    say_nothing_found(corpus)
    return max(code, exit_code(corpus))


def _print_run(
    corpus: Corpus, info: RunInfo, unit: int | None, token_limit: int | None, blind: bool, tags: bool
) -> None:
    run = corpus.load(info)
    if blind:
        from trajview.models.blind import blinded

        run = blinded(run)
    if unit is not None:
        count = len(run.transcripts[0].units_of_action)
        if not 0 <= unit < count:
            has = f"units 0 to {count - 1}" if count else "no action units"
            raise _NoSuchUnit(
                f"there is no action unit {unit} in {info.key}", hint=f"it has {has}", where=Where(info.path, info.line)
            )
    title = f"{info.key} · {info.source} · {info.format}"
    if token_limit is None and not tags:
        from .show_text import blocks_of_run, blocks_of_unit

        _print_for_people(title, blocks_of_run(run) if unit is None else blocks_of_unit(run, unit))
        return
    if token_limit is None:
        from trajview.models.text import run_pieces, transcript_to_str

        whole = unit is None
        _print_block(title, run_pieces(run) if whole else [transcript_to_str(run.transcripts[0], only_unit=unit)])
        return
    strings = _strings(run, unit, token_limit)
    for number, text in enumerate(strings, 1):
        _print_block(f"{title} · part {number} of {len(strings)}", [text])


def _strings(run: AgentRun, unit: int | None, token_limit: int) -> list[str]:
    from trajview.textsafe import safe_text

    strings = list(_raw_strings(run, unit, token_limit))
    if all(safe_text(text) == text for text in strings):
        return strings
    # The signs that stand for control characters take tokens too: what is printed has to keep to the limit.
    from trajview.models.run import AgentRun

    return list(_raw_strings(AgentRun.from_docent(_safe(run.to_docent())), unit, token_limit))


def _raw_strings(run: AgentRun, unit: int | None, token_limit: int) -> Iterator[str]:
    from trajview.models.text import run_to_str_with_token_limit, transcript_to_str_with_token_limit

    if unit is None:
        yield from run_to_str_with_token_limit(run, token_limit)
        return
    tag = re.compile(rf"^<\|action unit {unit}(?:; continued)?\|>$", re.MULTILINE)
    for text in transcript_to_str_with_token_limit(run.transcripts[0], token_limit, highlight_action_unit=unit):
        if tag.search(text):
            yield text


def _safe(value: Any) -> Any:
    from trajview.textsafe import safe_text

    if isinstance(value, str):
        return safe_text(value)
    if isinstance(value, list | tuple):
        return [_safe(item) for item in value]
    if isinstance(value, dict):
        return {_safe(key): _safe(item) for key, item in value.items()}
    return value


def _print_for_people(title: str, blocks: Iterable[Iterable[Piece]]) -> None:
    """Print a title and blocks of lines, each with an empty line before it, the first of them at once."""
    colour = wants_colour()
    _print_title(title, colour)
    for number, block in enumerate(blocks):
        sys.stdout.write("\n")
        for piece in block:
            sys.stdout.write(piece.printed(colour))
        if number == 0:
            sys.stdout.flush()  # the reader of a pipe sees the beginning
    sys.stdout.write("\n")


def _print_title(title: str, colour: bool) -> None:
    from trajview.textsafe import one_line

    # Not click.echo, which writes UTF-8 where the terminal's encoding is ASCII.
    title = f"=== {one_line(title, 300)} ==="
    sys.stdout.write(f"\x1b[1m{title}\x1b[0m\n" if colour else f"{title}\n")


def _print_block(title: str, pieces: Iterable[str]) -> None:
    """Print a title and text in pieces of whole lines, the first of them at once."""
    from trajview.textsafe import safe_text

    colour = wants_colour()
    _print_title(title, colour)
    last = "\n"
    for number, piece in enumerate(filter(None, pieces)):
        last = text = safe_text(piece)
        sys.stdout.write(_TAG.sub(_coloured, text) if colour else text)
        if number == 0:
            sys.stdout.flush()  # the reader of a pipe sees the beginning
    if not last.endswith("\n"):
        sys.stdout.write("\n")


def _coloured(match: re.Match[str]) -> str:
    role = _ROLE.match(match.group())
    return f"\x1b[{_COLOURS.get(role[1], '2') if role else '2'}m{match.group()}\x1b[0m"
