"""The distribution of numbers: the usual figures, and bins with edges that people would choose."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Final

__all__ = ["Bin", "Distribution", "distribution"]

_BINS: Final = 10
"""The approximate number of bins at most; of a few whole numbers, each has its own."""
_SKEWED: Final = 12
"""The ratio of the largest number to the median from which on bins grow: 1, 2, 5, 10, 20, …"""


@dataclass(frozen=True, slots=True)
class Bin:
    """The count of numbers from `low` to below `high` (in the last bin, or where both are one: up to `high`)."""

    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class Distribution:
    """The distribution of some numbers: their count, the figures, and the bins, lowest first."""

    count: int
    mean: float
    median: float
    low: float
    high: float
    bins: tuple[Bin, ...]


def distribution(numbers: Iterable[float], *, whole: bool = False) -> Distribution | None:
    """The distribution of the finite ones among some numbers; None where there are none. `whole`: they count things."""
    found = sorted(number for number in numbers if math.isfinite(number))
    if not found:
        return None
    middle = median(found)
    edges = _edges(found, middle, whole)
    if whole and edges is None:
        low, high = int(found[0]), int(found[-1])
        bins = tuple(Bin(n, n, bisect_right(found, n) - bisect_right(found, n - 1)) for n in range(low, high + 1))
    else:
        bins = _binned(found, edges or [found[0], found[-1]])
    return Distribution(len(found), fmean(found), middle, found[0], found[-1], bins)


def _binned(found: Sequence[float], edges: Sequence[float]) -> tuple[Bin, ...]:
    counts = [0] * max(1, len(edges) - 1)
    for number in found:
        counts[min(max(0, bisect_right(edges, number) - 1), len(counts) - 1)] += 1
    return tuple(Bin(low, high, count) for low, high, count in zip(edges, edges[1:], counts, strict=False))


def _edges(found: Sequence[float], middle: float, whole: bool) -> list[float] | None:
    """The edges of the bins; None where each whole number has its own."""
    low, high = found[0], found[-1]
    if whole and high - low <= _BINS + 2:
        return None
    if low == high:
        return [low, high]
    if whole and low >= 0 and high > _SKEWED * max(1.0, middle):
        return _growing(low, high)
    step = _nice((high - low) / max(3, min(_BINS, round(2 * math.sqrt(len(found))))))
    if not math.isfinite(step) or step <= 0:  # numbers near the largest or smallest there are
        return [low, high]
    if whole:
        step = max(1.0, step)
    first = math.floor(low / step)
    count = max(1, math.ceil(round(high / step - first, 9)))
    return [round((first + i) * step, 12) for i in range(count + 1)]


def _growing(low: float, high: float) -> list[float]:
    edges = [0.0] if low < 1 else []
    size = 1.0
    while True:
        for times in (1, 2, 5):
            edge = size * times
            edges.append(edge)
            if edge > high:
                start = max(0, bisect_right(edges, low) - 1)
                return edges[start:]
        size *= 10


def _nice(step: float) -> float:
    """1, 2 or 5 times a power of ten, at least `step`."""
    try:
        size = 10.0 ** math.floor(math.log10(step))
    except (ValueError, OverflowError):
        return 0.0
    return next((times * size for times in (1, 2, 5) if times * size >= step * 0.999999), 10 * size)
