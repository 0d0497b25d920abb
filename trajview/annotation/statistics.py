"""Measures of agreement as pure functions of counts, so that a resample costs no more than adding counts up.

Every function takes what was observed with how often it was, and gives a number or `Undefined` with the reason: where
nothing varies there is no agreement beyond chance to measure, and neither 1.0 nor NaN says so.

Sources: weighted kappa: Cohen 1968, "Weighted kappa", Psychological Bulletin 70(4). Alpha: Krippendorff 2011, "Computing
Krippendorff's Alpha-Reliability". ICC: Shrout & Fleiss 1979, "Intraclass correlations", Psychological Bulletin 86(2).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import mul, sub
from typing import Literal

__all__ = [
    "Coincidence", "IccSums", "Metric", "Pair", "Undefined", "Value", "alpha", "bias", "exact", "icc_mean", "icc_single",
    "icc_sums", "mean_absolute_error", "midranks", "pearson", "spearman", "weighted_kappa", "within_one",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Undefined:
    """Why there is no number, in a few words."""

    reason: str


Value = float | Undefined

Pair = tuple[float, float, float]
"""Two scores of the same thing by two raters, and how often they were given."""

Coincidence = tuple[float, float, float]
"""Two scores of the same thing by any two raters, in any order, and their weight: how often, over raters minus one."""

Metric = Literal["nominal", "ordinal", "interval"]
"""What a difference between two scores counts: all the same; by rank; by the square of the distance."""

NO_PAIRS = Undefined("nothing was rated by both")
ONE_PAIR = Undefined("only one score was given by both")
NO_UNITS = Undefined("nothing was rated by two")
NO_VARIANCE = Undefined("no variance: all scores are the same")
ONE_CONSTANT = Undefined("no variance: one of the two always gives the same score")
BOTH_CONSTANT = Undefined("no variance: each of the two always gives the same score")
NOT_COMPLETE = Undefined("fewer than two things were rated by all annotators")
NO_SIGNAL = Undefined("less variance between what was rated than its error")

_CLOSE = 1e-9
"""Scores that differ by less are the same: decimals are not exact."""

_NOTHING = 1e-12
"""A variance that is a smaller part of the squares it was computed from is rounding."""


def exact(pairs: Sequence[Pair]) -> Value:
    """The share of the things that both gave the same score, 0 to 1."""
    total = sum([n for _, _, n in pairs])
    return sum([n for x, y, n in pairs if -_CLOSE < x - y < _CLOSE]) / total if total else NO_PAIRS


def within_one(pairs: Sequence[Pair]) -> Value:
    """The share of the things whose two scores are at most one apart, 0 to 1."""
    total = sum([n for _, _, n in pairs])
    return sum([n for x, y, n in pairs if abs(x - y) < 1 + _CLOSE]) / total if total else NO_PAIRS


def mean_absolute_error(pairs: Sequence[Pair]) -> Value:
    """By how much the two scores differ on average, in points of the scale."""
    total = sum([n for _, _, n in pairs])
    return sum([n * abs(x - y) for x, y, n in pairs]) / total if total else NO_PAIRS


def bias(pairs: Sequence[Pair]) -> Value:
    """By how much the second rates higher than the first on average, in points of the scale."""
    total = sum([n for _, _, n in pairs])
    return sum([n * (y - x) for x, y, n in pairs]) / total if total else NO_PAIRS


def weighted_kappa(pairs: Sequence[Pair]) -> Value:
    """Cohen's kappa with quadratic weights, by the distance of the scores themselves and not of their places in a list.

    So a score that nobody gave still counts as a step (scikit-learn's `labels` says the same), and decimals are fine.
    """
    if not pairs:
        return NO_PAIRS
    xs, ys, ns = zip(*pairs, strict=True)
    origin = xs[0]  # Differences from a score that occurs: where all are the same the sums are exactly 0.
    u, v = [x - origin for x in xs], [y - origin for y in ys]
    nu, nv, apart = list(map(mul, u, ns)), list(map(mul, v, ns)), list(map(sub, u, v))
    total = sum(ns)
    squares = sum(map(mul, nu, u)) + sum(map(mul, nv, v))
    by_chance: float = squares / total - 2 * sum(nu) * sum(nv) / (total * total)
    observed: float = sum(map(mul, map(mul, apart, apart), ns)) / total
    return 1.0 - observed / by_chance if by_chance > _NOTHING * squares / total else NO_VARIANCE


def pearson(pairs: Sequence[Pair]) -> Value:
    """Pearson's correlation, -1 to 1."""
    if not pairs:
        return NO_PAIRS
    xs, ys, ns = zip(*pairs, strict=True)
    total = sum(ns)
    if total < 2:
        return ONE_PAIR
    at_x, at_y = xs[0], ys[0]
    u, v = [x - at_x for x in xs], [y - at_y for y in ys]
    nu, nv = list(map(mul, u, ns)), list(map(mul, v, ns))
    sum_x, sum_y, sum_xx, sum_yy = sum(nu), sum(nv), sum(map(mul, nu, u)), sum(map(mul, nv, v))
    varies_x, varies_y = total * sum_xx - sum_x * sum_x, total * sum_yy - sum_y * sum_y
    constant = (varies_x <= _NOTHING * total * sum_xx) + (varies_y <= _NOTHING * total * sum_yy)
    if constant:
        return BOTH_CONSTANT if constant == 2 else ONE_CONSTANT
    found: float = (total * sum(map(mul, nu, v)) - sum_x * sum_y) / math.sqrt(varies_x) / math.sqrt(varies_y)
    return max(-1.0, min(1.0, found))


def midranks(counts: Mapping[float, float]) -> dict[float, float]:
    """The rank of each score among all that were given, from the lowest; equal ones share the middle of their ranks."""
    ranks: dict[float, float] = {}
    below = 0.0
    for score in sorted(counts):
        count = counts[score]
        ranks[score] = below + (count + 1) / 2
        below += count
    return ranks


def spearman(pairs: Sequence[Pair]) -> Value:
    """Spearman's correlation, -1 to 1: Pearson's of the ranks, where equal scores share the middle one."""
    if not pairs:
        return NO_PAIRS
    first: dict[float, float] = {}
    second: dict[float, float] = {}
    for x, y, n in pairs:
        first[x] = first.get(x, 0) + n
        second[y] = second.get(y, 0) + n
    total = sum(first.values())
    if total < 2:
        return ONE_PAIR
    if len(first) < 2 or len(second) < 2:
        return BOTH_CONSTANT if len(first) == len(second) else ONE_CONSTANT
    rank_x, rank_y = midranks(first), midranks(second)
    middle = (total + 1) / 2  # the mean of all ranks, whatever is equal
    varies_x = sum([n * (rank_x[x] - middle) ** 2 for x, n in first.items()])
    varies_y = sum([n * (rank_y[y] - middle) ** 2 for y, n in second.items()])
    together = sum([n * (rank_x[x] - middle) * (rank_y[y] - middle) for x, y, n in pairs])
    return max(-1.0, min(1.0, together / math.sqrt(varies_x) / math.sqrt(varies_y)))


def alpha(coincidences: Sequence[Coincidence], metric: Metric) -> Value:
    """Krippendorff's alpha for any number of raters and with missing scores; below 0 is worse than chance.

    The ordinal metric is the interval metric of the ranks: half the scores at each end and all between them is just
    how far the middle ranks are apart.
    """
    counts: dict[float, float] = {}
    for a, b, weight in coincidences:
        counts[a] = counts.get(a, 0.0) + weight
        counts[b] = counts.get(b, 0.0) + weight
    if not counts:
        return NO_UNITS
    if len(counts) < 2:
        return NO_VARIANCE
    total = sum(counts.values())
    if metric == "nominal":
        observed = sum(2 * weight for a, b, weight in coincidences if a != b)
        return 1 - (total - 1) * observed / (total * total - sum(count * count for count in counts.values()))
    if metric == "ordinal":
        place = midranks(counts)
    else:
        origin = next(iter(counts))
        place = {score: score - origin for score in counts}
    observed = 0.0
    for a, b, weight in coincidences:
        apart = place[a] - place[b]
        observed += weight * apart * apart
    plain = squares = 0.0
    for score, count in counts.items():
        at = place[score]
        plain += count * at
        squares += count * at * at
    expected = total * squares - plain * plain
    return 1 - (total - 1) * observed / expected if expected > _NOTHING * total * squares else NO_VARIANCE


@dataclass(frozen=True, slots=True)
class IccSums:
    """What the two intraclass correlations need of some units that all `len(by_rater)` raters rated.

    `by_rater` are the sums of each rater's scores, `of_rows` the sum of the squares of the units' sums, `squares` of
    the scores' squares. The sums of two sets of units add up.
    """

    units: int
    of_rows: float
    squares: float
    by_rater: tuple[float, ...]


def icc_sums(rows: Iterable[Sequence[float]], raters: int, origin: float = 0.0) -> IccSums:
    """The sums of units with a score of every rater; `origin`, any score near the others, keeps them exact."""
    shifted = [[score - origin for score in row] for row in rows]
    return IccSums(
        len(shifted),
        sum(sum(row) ** 2 for row in shifted),
        sum(score * score for row in shifted for score in row),
        tuple(sum(row[rater] for row in shifted) for rater in range(raters)),
    )


def _mean_squares(sums: IccSums) -> tuple[float, float, float] | Undefined:
    """Of the two-way analysis of variance: between units, between raters, and what is left."""
    n, k = sums.units, len(sums.by_rater)
    if n < 2 or k < 2:
        return NOT_COMPLETE
    grand = sum(sums.by_rater) ** 2 / (n * k)
    everything = sums.squares - grand
    if everything <= _NOTHING * sums.squares:
        return NO_VARIANCE
    units = max(0.0, sums.of_rows / k - grand)
    raters = max(0.0, sum(each * each for each in sums.by_rater) / n - grand)
    left = max(0.0, everything - units - raters)
    if left < _NOTHING * everything:
        left = 0.0
    return units / (n - 1), raters / (k - 1), left / ((n - 1) * (k - 1))


def icc_single(sums: IccSums) -> Value:
    """ICC(2,1): two-way random effects, absolute agreement, of a single rater's scores."""
    found = _mean_squares(sums)
    if isinstance(found, Undefined):
        return found
    units, raters, left = found
    n, k = sums.units, len(sums.by_rater)
    whole = units + (k - 1) * left + k * (raters - left) / n
    return (units - left) / whole if whole > _NOTHING * (units + raters + left) else NO_VARIANCE


def icc_mean(sums: IccSums) -> Value:
    """ICC(2,k): the same of the mean of all k raters' scores."""
    found = _mean_squares(sums)
    if isinstance(found, Undefined):
        return found
    units, raters, left = found
    whole = units + (raters - left) / sums.units
    # Where the error is the larger, the formula gives any number, above 1 as well.
    return (units - left) / whole if whole > _NOTHING * (units + raters + left) else NO_SIGNAL
