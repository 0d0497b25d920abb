"""`trajview rubric`: the rubrics that there are, one as TOML to start from, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trajview.errors import Problem

from .common import existing, out, print_json, problem_json
from .completing import complete_rubric
from .front import EXIT_PROBLEMS, EXIT_WRONG

if TYPE_CHECKING:
    from trajview.annotation.rubric import Dimension, Rubric

__all__ = ["command"]

_json_option = click.option("--json", "in_json", is_flag=True, help="As one JSON object.")


@click.group("rubric", short_help="List, show or check what is rated.")
def command() -> None:
    """A rubric says what is rated: a built-in one, or a TOML file of your own (`--rubric NAME|FILE`).

    `trajview rubric show sotopia > mine.toml` is a file to start from.
    """


@command.command("list")
@click.option("--json", "in_json", is_flag=True, help="One JSON object a line.")
def list_rubrics(in_json: bool) -> None:
    """List the rubrics that come with trajview."""
    from trajview.annotation.rubric_file import BUILT_IN, built_in

    for name in BUILT_IN:
        rubric = built_in(name)
        if in_json:
            print_json(_as_json(rubric))
            continue
        out(f"{name}  {rubric.title}\n")
        for dimension in rubric.dimensions:
            out(f"  {_summary(dimension)}\n")


@command.command("show")
@click.argument("rubric", metavar="NAME|FILE", shell_complete=complete_rubric)
@_json_option
def show(rubric: str, in_json: bool) -> None:
    """Print a rubric as TOML, to start one of your own from."""
    from trajview.annotation.choice import find_rubric
    from trajview.annotation.rubric_file import BUILT_IN, as_toml, built_in_text

    if in_json:
        print_json(_as_json(find_rubric(rubric)))
        return
    out(built_in_text(rubric) if rubric in BUILT_IN else as_toml(find_rubric(rubric)))


@command.command("check")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@_json_option
@click.pass_context
def check(ctx: click.Context, file: Path, in_json: bool) -> None:
    """Print all that is wrong with a rubric file, a line each: file:line:column: reason (hint).

    The exit code is 1 where there is something, 2 where the rubric cannot be used.
    """
    from trajview.annotation.choice import find_rubric
    from trajview.annotation.rubric_file import check_rubric

    [file] = existing([file], ids=False)
    custom = file.suffix == ".json" or file.is_dir()  # Sotopia's: the first problem ends it
    problems = [] if custom else check_rubric(file)
    errors = sum(not problem.opens for problem in problems)
    rubric = None if errors else find_rubric(str(file.absolute()))
    if in_json:
        print_json({"rubric": rubric and _as_json(rubric), "problems": list(map(problem_json, problems))})
    else:
        _print_check(problems, errors, rubric)
    if errors:
        ctx.exit(EXIT_WRONG)
    if problems:
        ctx.exit(EXIT_PROBLEMS)


def _print_check(problems: Sequence[Problem], errors: int, rubric: Rubric | None) -> None:
    for problem in problems:
        out(" ".join(str(problem).split()) + "\n")
    if rubric is None:
        out(f"{errors} problem{'' if errors == 1 else 's'}: the rubric cannot be used\n")
        return
    out(f"{rubric.name}: {len(rubric.dimensions)} dimension{'' if len(rubric.dimensions) == 1 else 's'}\n")
    for dimension in rubric.dimensions:
        out(f"  {_summary(dimension)}\n")


def _as_json(rubric: Rubric) -> dict[str, Any]:
    """A rubric with the names that its file has for everything."""
    from dataclasses import asdict

    return {
        "name": rubric.name, "title": rubric.title, "description": rubric.description,
        "dimensions": [{**asdict(one), "bands": list(map(asdict, one.bands))} for one in rubric.dimensions],
    }  # fmt: skip


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
