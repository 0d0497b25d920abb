"""Rubrics: what is rated and in which range, and the reading of typed scores."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

__all__ = ["REWARD", "SOTOPIA", "BadScore", "Band", "Dimension", "Rubric", "mean_of", "parse_score", "reward_rubric", "rubric_for", "written"]  # fmt: skip

REWARD = "reward"
"""The name of the plain rubric and of its only dimension."""

if TYPE_CHECKING:
    SOTOPIA: Rubric
    """Sotopia's seven dimensions with its ranges, in the order of its evaluator."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_UNFINISHED = re.compile(r"[+-]?\.?")


@dataclass(frozen=True, slots=True)
class Band:
    """The meaning of the scores from `low` to `high`, both included."""

    low: float
    high: float
    text: str


@dataclass(frozen=True, slots=True)
class Dimension:
    """One thing to rate: a number from `low` to `high`, both included; `integer` where only whole numbers count.

    >>> from trajview import Dimension
    >>> Dimension("social_rules", -10, 0).label
    'social rules'
    """

    name: str
    low: float
    high: float
    integer: bool = False
    description: str = ""
    step: float | None = None
    """The step of the arrow keys; None for 1, or for a twentieth of the range where decimals count."""
    hotkey: str = ""
    """The letter that jumps to it."""
    bands: tuple[Band, ...] = ()
    """The meanings of its scores, from the lowest."""
    rationale: bool = False
    """Whether a reason is asked for beside the score."""
    per: Literal["agent", "episode"] = "agent"
    """Whether every agent is rated, or the episode as a whole: then the score stands in the reward of every agent."""
    scope: Literal["episode", "unit"] = "episode"
    """The scope of a score: the whole episode, or single action units (in a record of our own beside the annotation)."""

    @property
    def label(self) -> str:
        """The name for people: without underscores."""
        return self.name.replace("_", " ")

    @property
    def range_text(self) -> str:
        """`0..10`, `-5..5`."""
        return f"{written(self.low)}..{written(self.high)}"


@dataclass(frozen=True, slots=True)
class Rubric:
    """A named list of dimensions, rated for each agent. The name is part of an annotation's pk: it must not change.

    >>> from trajview import Dimension, Rubric
    >>> [dimension.label for dimension in Rubric.named("sotopia").dimensions][:3]
    ['believability', 'relationship', 'knowledge']
    >>> Rubric("tone", (Dimension("warmth", 0, 10), Dimension("wit", 0, 10, integer=True))).names == {"warmth", "wit"}
    True
    """

    name: str
    dimensions: tuple[Dimension, ...]
    title: str = ""
    description: str = ""

    @classmethod
    def named(cls, name: str) -> Rubric:
        """A rubric that comes with trajview: `sotopia`, `reward` or `success`. Raises TrajviewError for another name.

        >>> from trajview import Rubric
        >>> Rubric.named("success").dimensions[0].range_text
        '0..1'
        """
        from .rubric_file import BUILT_IN, RubricError, built_in

        if name not in BUILT_IN:
            raise RubricError(
                f"there is no rubric {name!r}", hint=f"it is {', '.join(BUILT_IN)}, or a file: `from_file`"
            )
        return built_in(name)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Rubric:
        """The rubric of a TOML file, as `--rubric` takes it. Raises TrajviewError with the line where it is none."""
        from .rubric_file import load_rubric

        return load_rubric(Path(path))

    @property
    def of_episodes(self) -> tuple[Dimension, ...]:
        """The dimensions that are rated per episode and stand in a record's rewards."""
        return tuple(dimension for dimension in self.dimensions if dimension.scope == "episode")

    @property
    def of_units(self) -> tuple[Dimension, ...]:
        """The dimensions that are rated per action unit, and never stand in a record's rewards."""
        return tuple(dimension for dimension in self.dimensions if dimension.scope == "unit")

    @property
    def names(self) -> frozenset[str]:
        """The names of its dimensions."""
        return frozenset(dimension.name for dimension in self.dimensions)


@dataclass(frozen=True, slots=True)
class BadScore:
    """Why a typed text is no score. `unfinished` means that more typing may still make it one, as after `-`."""

    sentence: str
    unfinished: bool = False


def written(value: float) -> str:
    """Write a score as a person types it: `7`, `-2.5`, never `7.0`."""
    return str(int(value)) if math.isfinite(value) and value == int(value) else repr(float(value))


def parse_score(text: str, dimension: Dimension) -> float | BadScore | None:
    """Read a typed score: None where nothing was typed, BadScore with one sentence where it is none.

    A decimal comma is refused and not guessed at: "1,000" means different things to different people.
    """
    typed = text.strip().replace("−", "-")
    if not typed:
        return None
    if _UNFINISHED.fullmatch(typed):
        return BadScore(f"not a number yet; {dimension.range_text}", unfinished=True)
    if len(typed) > 40 or not _NUMBER.fullmatch(typed):
        if re.fullmatch(r"[+-]?[0-9]+,[0-9]+", typed) and len(typed) <= 12:
            return BadScore(f"write {typed.replace(',', '.')} with a point, not a comma")
        return BadScore(f"not a number; {dimension.range_text}")
    value = float(typed)
    if dimension.integer and value != int(value):
        return BadScore(f"whole numbers only, {dimension.range_text}")
    if not dimension.low <= value <= dimension.high:
        return BadScore(f"out of range {dimension.range_text}")
    return value + 0.0  # -0.0 becomes 0.0


def mean_of(scores: Iterable[float]) -> float | None:
    """The overall: the plain mean of what was rated (Sotopia's rule), None where nothing was."""
    rated = list(scores)
    return sum(rated) / len(rated) if rated else None


def reward_rubric(low: float = 0.0, high: float = 1.0) -> Rubric:
    """A rubric of one number per agent, for runs that are no episodes."""
    dimension = Dimension(REWARD, low, high, description="How well did the agent do, all in all?")
    return Rubric(name=REWARD, title=f"one reward, {dimension.range_text}", dimensions=(dimension,))


def rubric_for(suggested: str, reward_range: tuple[float, float] = (0.0, 1.0)) -> Rubric:
    """The built-in rubric of a name; the rubric of one reward where there is none of that name."""
    from .rubric_file import BUILT_IN, built_in

    return built_in(suggested) if suggested in BUILT_IN and suggested != REWARD else reward_rubric(*reward_range)


def __getattr__(name: str) -> Rubric:
    """SOTOPIA is read when it is first asked for: most starts of the program never do."""
    if name != "SOTOPIA":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return rubric_for("sotopia")
