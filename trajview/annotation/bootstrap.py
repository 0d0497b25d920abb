"""Confidence intervals of many measures at once, by a bootstrap over episodes: the percentiles of resamples.

The agents of an episode, and everybody's scores of them, are drawn together, since they are not independent.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from .resamples import Resamples
from .statistics import Undefined, Value

__all__ = ["LEVEL", "RESAMPLES", "Estimate", "Figures", "Progress", "Task", "estimates", "interval"]

RESAMPLES: Final = 1000
LEVEL: Final = 0.95
"""The level of the confidence intervals."""

_MOST_UNDEFINED: Final = 0.1
"""The share of resamples that may be undefined in an interval."""

_TOGETHER: Final = 500
"""Resamples that are measured at once: enough to add counts in few steps, few enough to stay small."""

Figures = Callable[[Resamples], Mapping[str, Sequence[Value]]]
"""All measures of episodes, each with a value for every resample."""


class Task(NamedTuple):
    """Something to measure, and in how many episodes. `most`: how many pairs of scores one of them has at most."""

    figures: Figures
    episodes: int
    most: int


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
    tasks: Sequence[Task], *, resamples: int = RESAMPLES, seed: int = 0, progress: Progress | None = None
) -> list[dict[str, Estimate]]:
    """Measure each task over all episodes, with confidence intervals.

    Tasks with as many episodes share their resamples: to draw one takes about as long as to measure something in it.
    """
    found = [_of_whole(task) for task in tasks]
    resampled: list[dict[str, list[float]]] = [{name: [] for name in values} for values in found]
    groups: dict[int, list[int]] = defaultdict(list)
    for number, task in enumerate(tasks):
        groups[task.episodes].append(number)
    total = max(1, resamples) * len(tasks)
    done = 0
    for episodes, group in groups.items():
        source = random.Random(seed)
        most = episodes * max(tasks[number].most for number in group)
        for begin in range(0, resamples if episodes > 1 else 0, _TOGETHER):
            drawn = Resamples.drawn(source, episodes, min(_TOGETHER, resamples - begin), most)
            for number in group:
                for name, values in tasks[number].figures(drawn).items():
                    resampled[number][name] += [value for value in values if not isinstance(value, Undefined)]
                done += drawn.size
                if progress is not None:
                    progress(done, total)
        if episodes < 2:
            done += len(group) * max(1, resamples)
    if progress is not None:
        progress(total, total)
    return [
        {name: _estimate(value, kept[name], resamples, task.episodes) for name, value in values.items()}
        for task, values, kept in zip(tasks, found, resampled, strict=True)
    ]


def _of_whole(task: Task) -> dict[str, Value]:
    """The measures over all episodes, each of which counts once."""
    return {name: value for name, (value,) in task.figures(Resamples.whole(task.episodes)).items()}


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
