"""The project file `.trajview.toml`: rules beside logs, and where these have their messages. The logs' author may have written it,
so it holds nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from trajview.errors import Problem, Where

from .rule import Rule
from .tables import RuleError, rules_in

__all__ = ["PROJECT_FILE", "project_columns", "project_file", "read_project"]

PROJECT_FILE: Final = ".trajview.toml"
_LARGEST = 200_000
_DEEPEST = 40
_COLUMNS: Final = ("messages", "id")


def project_file(paths: Sequence[Path]) -> Path | None:
    """The nearest project file: in the folder of the first path, or above it up to the home folder or the root."""
    if not paths:
        return None
    try:
        start = paths[0].absolute()
        folder = start if start.is_dir() else start.parent
        home = Path.home()
        for above in [folder, *folder.parents][:_DEEPEST]:
            if (above / PROJECT_FILE).is_file():
                return above / PROJECT_FILE
            if above == home:
                break
    except (OSError, ValueError, RuntimeError):  # a path that cannot be looked at, no home folder
        pass
    return None


def read_project(path: Path) -> tuple[list[Rule], list[Problem]]:
    """Read the rules of a project file, and its problems; a wrong file has no rules, and nothing else in it counts."""
    found = _read(path)
    if isinstance(found, Problem):
        return [], [found]
    text, values = found
    problems = [
        Problem(
            f"a project file has no setting `{key}`",
            "it holds [[rule]], `messages` and `id` only; the rest is yours to configure",
            Where(path),
        )
        for key in values
        if key not in ("rule", *_COLUMNS)
    ]
    problems += [
        Problem(f"`{key}` in a project file is the name of a column", f'write `{key} = "NAME"`', Where(path))
        for key in _COLUMNS
        if not isinstance(values.get(key, ""), str)
    ]
    try:
        rules = rules_in(values.get("rule", []), path, text, origin=PROJECT_FILE, trusted=False)
    except RuleError as error:
        return [], [*problems, error.problem()]
    return rules, problems


def project_columns(paths: Sequence[Path]) -> tuple[str | None, str | None]:
    """The columns of messages and of ids that the project file of some logs names; None where it names none."""
    path = project_file(paths)
    found = None if path is None else _read(path)
    if found is None or isinstance(found, Problem):
        return None, None
    messages, id = (found[1].get(key) for key in _COLUMNS)
    return messages if isinstance(messages, str) else None, id if isinstance(id, str) else None


def _read(path: Path) -> tuple[str, dict[str, Any]] | Problem:
    """The text and the values of a project file, or what is wrong with it."""
    import tomllib

    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            return Problem("the project file is far too large", "it holds rules, and names of columns", Where(path))
        text = data.decode("utf-8").removeprefix("\ufeff")
        return text, tomllib.loads(text)
    except OSError as error:
        return Problem(f"the project file cannot be read: {(error.strerror or str(error)).lower()}", "", Where(path))
    except UnicodeDecodeError:
        return Problem("the project file is not UTF-8", "", Where(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = re.search(r"line (\d+)", str(error))
        where = Where(path, int(line[1]) if line else None)
        return Problem(f"the project file is not TOML: {error}", "see toml.io", where)
