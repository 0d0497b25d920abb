"""Sotopia's own data folder: whether a store is one, which of our records must not go there, and the rubrics in it.

Sotopia's scripts look up the episode of every annotation that they find, and stop where there is none. Our journal,
notes and conflicts have folders of their own beside Sotopia's, which it never opens.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeGuard

from trajview.errors import Where

from .draft import loadable
from .rubric import Dimension, Rubric
from .rubric_check import bad_name
from .rubric_file import RubricError

__all__ = ["custom_rubric", "is_sotopias_own", "stranger"]

_EPISODES = "EpisodeLog"
_DIMENSIONS = "CustomEvaluationDimension"
_LISTS = "CustomEvaluationDimensionList"
_FOLDERS = (
    _EPISODES, "AgentProfile", "EnvironmentProfile", "RelationshipProfile", "EnvAgentComboStorage", "EnvironmentList",
    _DIMENSIONS, _LISTS,
)  # fmt: skip


def is_sotopias_own(root: Path) -> bool:
    """Whether a store is a data folder of Sotopia's: it keeps other things of Sotopia's, or is where Sotopia looks."""
    try:
        if root.resolve() == (Path.home() / ".sotopia" / "data").resolve():
            return True
    except (OSError, RuntimeError):  # no home, or links in a circle
        pass
    return any(_is_folder(root / name) for name in _FOLDERS)


def stranger(root: Path, episode: str) -> str:
    """Why a record of an episode must not go into a store, as a sentence; "" where it may."""
    if not is_sotopias_own(root) or _has(root, episode):
        return ""
    return (
        f"This is Sotopia's own data folder, and {episode:.80} is no episode in it: Sotopia's scripts would stop there."
    )


def _has(root: Path, episode: str) -> bool:
    if not episode or episode in (".", "..") or "/" in episode or "\0" in episode:
        return False
    try:
        return (root / _EPISODES / f"{episode}.json").is_file()
    except OSError:  # a name that is too long
        return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


# Custom dimensions


def custom_rubric(path: Path) -> Rubric:
    """Read a rubric from Sotopia's custom dimensions: a list of them, single ones, or a data folder.

    `path` is a file of a CustomEvaluationDimensionList or a CustomEvaluationDimension, one of these two folders, or the
    data folder that has them. Of a folder with lists its only list counts, and without any, all dimensions by name.
    Raises RubricError.
    """
    try:
        if not path.is_dir():
            return _of_file(path)
        root = path.parent if path.name in (_DIMENSIONS, _LISTS) else path
        lists = sorted((root / _LISTS).glob("*.json")) if path.name != _DIMENSIONS else []
        files = sorted((root / _DIMENSIONS).glob("*.json"))
    except OSError as error:
        raise RubricError(f"the folder cannot be read: {error.strerror}".lower(), where=Where(path)) from error
    if len(lists) > 1:
        names = ", ".join(f"{file.name} ({_read(file).get('name', '?')})"[:80] for file in lists[:5])
        raise RubricError("this folder has several lists of dimensions", hint=f"name one of {names}", where=Where(path))
    if lists:
        return _of_file(lists[0])
    if not files:
        hint = f"a data folder of Sotopia's has {_DIMENSIONS}/<pk>.json"
        raise RubricError("this folder has no custom dimensions", hint=hint, where=Where(path))
    dimensions = sorted((_dimension(file) for file in files), key=lambda dimension: dimension.name)
    return _rubric("custom", dimensions, path)


def _of_file(path: Path) -> Rubric:
    data = _read(path)
    pks = data.get("dimension_pks")
    if pks is None:
        dimension = _dimension(path)
        return _rubric(dimension.name, [dimension], path)
    if not isinstance(pks, list) or not pks or not all(isinstance(pk, str) for pk in pks):
        raise RubricError("`dimension_pks` must be a list of pks", where=Where(path))
    folder = path.parent.parent / _DIMENSIONS
    unsafe = [pk for pk in pks if not pk or "/" in pk or "\0" in pk]
    if unsafe:
        raise RubricError(f"{unsafe[0]!r:.60} is no pk", where=Where(path))
    name = data.get("name")
    return _rubric(name if isinstance(name, str) else "", [_dimension(folder / f"{pk}.json") for pk in pks], path)


def _rubric(name: str, dimensions: list[Dimension], path: Path) -> Rubric:
    names = [dimension.name for dimension in dimensions]
    twice = next((each for each in names if names.count(each) > 1), None)
    if twice is not None:
        hint = "name a list of dimensions, or the file of one"
        raise RubricError(f"two of the dimensions are called {twice!r:.60}", hint=hint, where=Where(path))
    name = " ".join(loadable(name).split())
    if not name or not name.isprintable() or len(name) > 100:
        name = path.stem
    return Rubric(name, tuple(dimensions), f"{name}, Sotopia's custom dimensions")


def _dimension(path: Path) -> Dimension:
    data = _read(path)
    name, description = data.get("name"), data.get("description", "")
    low, high = data.get("range_low"), data.get("range_high")
    if not isinstance(name, str) or (why := bad_name(loadable(name))):
        raise RubricError(f"the name {name!r:.60} {why if isinstance(name, str) else 'is no text'}", where=Where(path))
    if not _is_number(low) or not _is_number(high) or not -1e9 <= low < high <= 1e9:
        reason = f"range_low and range_high must be two numbers, the lower first, not {low!r:.20} and {high!r:.20}"
        raise RubricError(reason, where=Where(path))
    text = loadable(description) if isinstance(description, str) else ""
    whole = isinstance(low, int) and isinstance(high, int)
    return Dimension(loadable(name), float(low), float(high), whole, text, rationale=True)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = json.loads(file.read(1 << 20))
    except OSError as error:
        raise RubricError(f"the file cannot be read: {error.strerror}".lower(), where=Where(path)) from error
    except (ValueError, RecursionError) as error:
        raise RubricError("this file is not valid JSON", where=Where(path)) from error
    if not isinstance(data, dict):
        raise RubricError("this file is no custom dimension: it is no JSON object", where=Where(path))
    return data
