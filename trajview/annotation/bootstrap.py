"""Confidence intervals of many measures at once, by a bootstrap over episodes: the percentiles of resamples.

The agents of an episode, and everybody's scores of them, are drawn together, since they are not independent.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final

from .statistics import Undefined, Value

__all__ = ["LEVEL", "RESAMPLES", "Draw", "Estimate", "Figures", "Progress", "estimates", "interval"]

RESAMPLES: Final = 1000
LEVEL: Final = 0.95
"""How sure a confidence interval is."""

_MOST_UNDEFINED: Final = 0.1
"""The share of resamples that may be undefined in an interval."""

_OFTEN: Final = 50
"""Measured resamples from one report of progress to the next, at most."""

Draw = Callable[[Sequence[Any]], Iterable[Any]]
"""Takes the episodes of a resample out of all of them, as often as they were drawn."""

Figures = Callable[[Draw], Mapping[str, Value]]
"""All measures of the episodes that were drawn."""

Progress = Callable[[int, int], None]
"""Called now and then with how much is done, of how much. What it raises ends the work."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measure with its confidence interval. `reason` says why the value, or the interval, or a part is missing."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""


def estimates(
    tasks: Sequence[tuple[Figures, int]], *, resamples: int = RESAMPLES, seed: int = 0, progress: Progress | None = None
) -> list[dict[str, Estimate]]:
    """For each task (its measures, and of how many episodes) the measures of all episodes with their intervals.

    Tasks with as many episodes share their resamples: to draw one takes about as long as to measure something in it.
    """
    values = [figures(tuple) for figures, _ in tasks]
    resampled: list[dict[str, list[float]]] = [{name: [] for name in found} for found in values]
    groups: dict[int, list[int]] = {}
    for task, (_, episodes) in enumerate(tasks):
        groups.setdefault(episodes, []).append(task)
    total = max(1, resamples) * len(tasks)
    done = told = 0
    for episodes, group in groups.items():
        choose, everything = random.Random(seed).choices, list(range(episodes))
        for _ in range(resamples if episodes > 1 else 0):
            draw: Draw = itemgetter(*choose(everything, k=episodes))
            for task in group:
                kept = resampled[task]
                for name, value in tasks[task][0](draw).items():
                    if not isinstance(value, Undefined):
                        kept[name].append(value)
            done += len(group)
            if progress is not None and done - told >= _OFTEN:
                progress(done, total)
                told = done
        if episodes < 2:
            done += len(group) * max(1, resamples)
    if progress is not None:
        progress(total, total)
    return [
        {name: _estimate(value, kept[name], resamples, tasks[task][1]) for name, value in found.items()}
        for task, (found, kept) in enumerate(zip(values, resampled, strict=True))
    ]


def _estimate(value: Value, resampled: list[float], resamples: int, episodes: int) -> Estimate:
    if isinstance(value, Undefined):
        return Estimate(None, reason=value.reason)
    if not resamples:
        return Estimate(value)
    if episodes < 2:
        return Estimate(value, reason="no interval: fewer than two episodes")
    missing = 1 - len(resampled) / resamples
    if missing > _MOST_UNDEFINED:
        return Estimate(value, reason=f"no interval: undefined in {missing:.0%} of the resamples")
    low, high = interval(resampled)
    return Estimate(value, low, high)


def interval(values: Sequence[float], level: float = LEVEL) -> tuple[float, float]:
    """The percentiles between which that share of the values lies, between two values by proportion (at least one)."""
    ordered = sorted(values)

    def quantile(share: float) -> float:
        at = share * (len(ordered) - 1)
        below = int(at)
        above = min(below + 1, len(ordered) - 1)
        return ordered[below] + (ordered[above] - ordered[below]) * (at - below)

    return quantile((1 - level) / 2), quantile((1 + level) / 2)
