"""`trajview rubric`: the rubrics that there are, one as TOML to start from, and what is wrong with one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .common import existing, out
from .front import EXIT_PROBLEMS, EXIT_WRONG

if TYPE_CHECKING:
    from trajview.annotation.rubric import Dimension

__all__ = ["command"]


@click.group("rubric", short_help="List, show or check what is rated.")
def command() -> None:
    """A rubric says what is rated: a built-in one, or a TOML file of your own (`--rubric NAME|FILE`).

    `trajview rubric show sotopia > mine.toml` is a file to start from.
    """


@command.command("list")
def list_rubrics() -> None:
    """List the rubrics that come with trajview."""
    from trajview.annotation.rubric_file import BUILT_IN, built_in

    for name in BUILT_IN:
        rubric = built_in(name)
        out(f"{name}  {rubric.title}\n")
        for dimension in rubric.dimensions:
            out(f"  {_summary(dimension)}\n")


@command.command("show")
@click.argument("rubric", metavar="NAME|FILE")
def show(rubric: str) -> None:
    """Print a rubric as TOML, to start one of your own from."""
    from trajview.annotation.choice import find_rubric
    from trajview.annotation.rubric_file import BUILT_IN, as_toml, built_in_text

    out(built_in_text(rubric) if rubric in BUILT_IN else as_toml(find_rubric(rubric)))


@command.command("check")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.pass_context
def check(ctx: click.Context, file: Path) -> None:
    """Print all that is wrong with a rubric file, a line each: file:line:column: reason (hint).

    The exit code is 1 where there is something, 2 where the rubric cannot be used.
    """
    from trajview.annotation.choice import find_rubric
    from trajview.annotation.rubric_file import check_rubric

    [file] = existing([file], ids=False)
    custom = file.suffix == ".json" or file.is_dir()  # Sotopia's: the first problem ends it
    problems = [] if custom else check_rubric(file)
    for problem in problems:
        out(" ".join(str(problem).split()) + "\n")
    errors = sum(not problem.opens for problem in problems)
    if errors:
        out(f"{errors} problem{'' if errors == 1 else 's'}: the rubric cannot be used\n")
        ctx.exit(EXIT_WRONG)
    rubric = find_rubric(str(file.absolute()))
    out(f"{rubric.name}: {len(rubric.dimensions)} dimension{'' if len(rubric.dimensions) == 1 else 's'}\n")
    for dimension in rubric.dimensions:
        out(f"  {_summary(dimension)}\n")
    if problems:
        ctx.exit(EXIT_PROBLEMS)


def _summary(dimension: Dimension) -> str:
    facts = [dimension.range_text, "whole numbers" if dimension.integer else "decimals"]
    if dimension.step is not None:
        facts.append(f"step {dimension.step:g}")
    if dimension.hotkey:
        facts.append(f"key {dimension.hotkey}")
    if dimension.bands:
        facts.append(f"{len(dimension.bands)} band{'' if len(dimension.bands) == 1 else 's'}")
    if dimension.rationale:
        facts.append("rationale")
    if dimension.per == "episode":
        facts.append("once for all agents")
    if dimension.scope == "unit":
        facts.append("per action unit")
    return f"{dimension.name}  {', '.join(facts)}"
