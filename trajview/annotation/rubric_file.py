"""Rubrics as TOML files: reading and checking them, and the rubrics that come with trajview."""

from __future__ import annotations

import pkgutil
import re
from functools import cache
from pathlib import Path
from typing import Final

from trajview.errors import Problem, TrajviewError, Where

from .rubric import Rubric, written
from .rubric_check import Reading

__all__ = ["BUILT_IN", "RubricError", "as_toml", "built_in", "built_in_text", "check_rubric", "load_rubric"]

BUILT_IN: Final = ("sotopia", "reward", "success")
"""The names of the rubrics that come with trajview."""

_LARGEST = 1 << 20
"""Bytes of the largest file that is read: no rubric is larger."""


class RubricError(TrajviewError):
    """A rubric that cannot be used as it is."""

    title = "Bad rubric"


def load_rubric(path: Path) -> Rubric:
    """Load the rubric of a TOML file. Raises RubricError with file, line and hint for the first fault."""
    rubric, problems = _read(path)
    if rubric is None:
        errors = [problem for problem in problems if not problem.opens]
        first = errors[0]
        hint = first.hint
        if len(errors) > 1:
            more = f"{len(errors)} problems in all; `trajview rubric check` lists them"
            hint = f"{hint}; {more}" if hint else more
        raise RubricError(first.reason, hint=hint, where=first.where)
    return rubric


def check_rubric(path: Path) -> list[Problem]:
    """List all faults of a rubric file in the order of its lines; `opens` marks those that do not prevent its use."""
    rubric, problems = _read(path)
    if rubric is not None and rubric.name in BUILT_IN and rubric.dimensions != built_in(rubric.name).dimensions:
        problems.append(
            Problem(
                f"`{rubric.name}` is the name of a rubric that comes with trajview, whose dimensions are others.",
                "give it a name of its own: annotations of rubrics with the same name replace each other",
                Where(path),
                opens=True,
            )
        )
    return problems


@cache
def built_in(name: str) -> Rubric:
    """A rubric that comes with trajview, by its name in BUILT_IN. Raises KeyError."""
    rubric, problems = Reading(built_in_text(name), Path(f"{name}.toml")).rubric()
    assert rubric is not None, problems
    return rubric


def built_in_text(name: str) -> str:
    """The TOML text of a rubric that comes with trajview. Raises KeyError."""
    if name not in BUILT_IN:
        raise KeyError(name)
    data = pkgutil.get_data("trajview", f"data/rubrics/{name}.toml")
    assert data is not None  # a package that is a folder or a zip has a loader that can
    return data.decode("utf-8")


def _read(path: Path) -> tuple[Rubric | None, list[Problem]]:
    def refused(reason: str, hint: str = "", line: int | None = None) -> tuple[None, list[Problem]]:
        return None, [Problem(reason, hint, Where(path, line))]

    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except IsADirectoryError:
        return refused("This is a folder, not a rubric.", "name a TOML file")
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        return refused(f"The rubric cannot be read: {(getattr(error, 'strerror', None) or str(error)).lower()}.")
    if len(data) > _LARGEST:
        return refused("This file is far too large for a rubric.", "name a TOML file")
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return refused("The rubric is not UTF-8.", "save it as UTF-8", line)
    return Reading(text.replace("\r\n", "\n"), path).rubric()


def as_toml(rubric: Rubric) -> str:
    """Write a rubric as a TOML file that loads as the same rubric."""
    lines = [f"name = {_quoted(rubric.name)}"]
    for key in ("title", "description"):
        if getattr(rubric, key):
            lines.append(f"{key} = {_quoted(getattr(rubric, key))}")
    for dimension in rubric.dimensions:
        lines += ["", "[[dimension]]", f"name = {_quoted(dimension.name)}"]
        if dimension.description:
            lines.append(f"description = {_quoted(dimension.description)}")
        lines.append(f"range = [{written(dimension.low)}, {written(dimension.high)}]")
        if dimension.integer:
            lines.append("integer = true")
        if dimension.step is not None:
            lines.append(f"step = {written(dimension.step)}")
        if dimension.hotkey:
            lines.append(f"hotkey = {_quoted(dimension.hotkey)}")
        if dimension.rationale:
            lines.append("rationale = true")
        if dimension.per != "agent":
            lines.append(f'per = "{dimension.per}"')
        if dimension.scope != "episode":
            lines.append(f'scope = "{dimension.scope}"')
        if dimension.bands:
            lines += ["", "[dimension.bands]"]
            for band in dimension.bands:
                scores = written(band.low) if band.low == band.high else f"{written(band.low)}..{written(band.high)}"
                lines.append(f'"{scores}" = {_quoted(band.text)}')
    return "\n".join(lines) + "\n"


_ESCAPED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _quoted(text: str) -> str:
    def escaped(found: re.Match[str]) -> str:
        return _ESCAPED.get(found[0]) or f"\\u{ord(found[0]):04X}"

    return '"' + re.sub(r'["\\\x00-\x1f\x7f]', escaped, text) + '"'
