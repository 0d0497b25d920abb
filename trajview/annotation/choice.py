"""The choice of a run's rubric: the one that was asked for, else the one that its format suggests."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from .rubric import REWARD, Rubric, reward_rubric, rubric_for

__all__ = ["find_rubric", "rubric_of"]


def find_rubric(name: str, reward_range: tuple[float, float] = (0.0, 1.0)) -> Rubric:
    """Find a rubric by its name, or by the path of its file. Raises RubricError where there is none, or a bad one.

    A file is TOML, or JSON with custom dimensions of Sotopia's; so is a folder of these. A name counts before a file
    that is called the same; `./sotopia` is always the file.
    """
    from .rubric_file import BUILT_IN, RubricError, built_in, load_rubric

    if name == REWARD:
        return reward_rubric(*reward_range)
    if name in BUILT_IN:
        return built_in(name)
    path = Path(name).expanduser()
    if path.suffix != ".toml" and not _exists(path):
        close = get_close_matches(name, BUILT_IN, 1)
        hint = f"did you mean `{close[0]}`?" if close else f"there are {', '.join(BUILT_IN)}; or name a file"
        raise RubricError(f"there is no rubric {name!r:.80}, and no such file", hint=hint)
    if path.suffix == ".json" or path.is_dir():
        from .sotopia_folder import custom_rubric

        return custom_rubric(path)
    return load_rubric(path)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # no permission to look; a NUL in the name
        return False


def rubric_of(chosen: Rubric | None, suggested: str, reward_range: tuple[float, float] = (0.0, 1.0)) -> Rubric:
    """The rubric of a run: the one chosen for all runs, else the built-in one that its format suggests."""
    return chosen if chosen is not None else rubric_for(suggested, reward_range)
