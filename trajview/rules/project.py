"""The project file `.trajview.toml`: rules beside logs. The logs' author may have written it, so it holds rules alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from trajview.errors import Problem, Where

from .rule import Rule
from .tables import RuleError, rules_in

__all__ = ["PROJECT_FILE", "project_file", "read_project"]

PROJECT_FILE: Final = ".trajview.toml"
_LARGEST = 200_000
_DEEPEST = 40


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
    import tomllib

    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            return [], [Problem("the project file is far too large", "it holds rules, nothing else", Where(path))]
        text = data.decode("utf-8").removeprefix("\ufeff")
        values = tomllib.loads(text)
    except OSError as error:
        return [], [
            Problem(f"the project file cannot be read: {(error.strerror or str(error)).lower()}", "", Where(path))
        ]
    except UnicodeDecodeError:
        return [], [Problem("the project file is not UTF-8", "", Where(path))]
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = re.search(r"line (\d+)", str(error))
        return [], [
            Problem(
                f"the project file is not TOML: {error}", "see toml.io", Where(path, int(line[1]) if line else None)
            )
        ]
    problems = [
        Problem(
            f"a project file has no setting `{key}`",
            "it holds [[rule]] only; the rest is yours to configure",
            Where(path),
        )
        for key in values
        if key != "rule"
    ]
    try:
        rules = rules_in(values.get("rule", []), path, text, origin=PROJECT_FILE, trusted=False)
    except RuleError as error:
        return [], [*problems, error.problem()]
    return rules, problems
