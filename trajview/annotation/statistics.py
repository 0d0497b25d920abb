"""Measures of agreement as pure functions of counts, each for many resamples at once.

Every function takes how often what was observed, and gives for each resample a number or `Undefined` with the reason:
where nothing varies there is no agreement beyond chance to measure, and neither 1.0 nor NaN says so.

Sources: weighted kappa: Cohen 1968, "Weighted kappa", Psychological Bulletin 70(4). Alpha: Krippendorff 2011, "Computing
Krippendorff's Alpha-Reliability". ICC: Shrout & Fleiss 1979, "Intraclass correlations", Psychological Bulletin 86(2).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import add, mul

from .resamples import Packed, Resamples

__all__ = [
    "Cells", "Coincidences", "Histogram", "IccSums", "Pairs", "Undefined", "Value", "alpha_interval", "alpha_ordinal", "bias",
    "exact", "icc_mean", "icc_single", "icc_sums", "mean_absolute_error", "pearson", "spearman", "weighted_kappa", "within_one",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Undefined:
    """The reason why there is no number, in a few words."""

    reason: str


Value = float | Undefined

NO_PAIRS = Undefined("nothing was rated by both")
ONE_PAIR = Undefined("only one score was given by both")
NO_UNITS = Undefined("nothing was rated by two")
NO_VARIANCE = Undefined("no variance: all scores are the same")
ONE_CONSTANT = Undefined("no variance: one of the two always gives the same score")
BOTH_CONSTANT = Undefined("no variance: each of the two always gives the same score")
NOT_COMPLETE = Undefined("fewer than two things were rated by all annotators")
NO_SIGNAL = Undefined("less variance between what was rated than its error")

_CLOSE = 1e-9
"""The distance below which two scores are the same: decimals are not exact."""

_NOTHING = 1e-12
"""A variance that is a smaller part of the squares it was computed from is rounding."""

_LARGEST_WEIGHT = 1000
"""Whole weights up to this one are added up in all resamples at once; there is room for the sum."""


# Counts


class Histogram:
    """The number of occurrences of each number: a score, or the difference of two."""

    def __init__(self, resamples: Resamples, counts: Mapping[float, Packed]) -> None:
        self._resamples = resamples
        self._counts = counts

    @cached_property
    def totals(self) -> list[int]:
        """The count of all numbers, in each resample."""
        return self._resamples.unpack(sum(self._counts.values()))

    @cached_property
    def _rows(self) -> list[tuple[int, ...]]:
        """The occurrences of each number in a resample, a row for each resample."""
        return _rows(self._resamples, self._counts.values())

    def total_where(self, holds: Callable[[float], bool]) -> list[int]:
        """The count of the numbers for which a condition holds, in each resample."""
        return self._resamples.unpack(sum(count for number, count in self._counts.items() if holds(number)))

    def sums(self, of: Callable[[float], float]) -> Sequence[float]:
        """The sum of a function over all numbers, in each resample."""
        weights = list(map(of, self._counts))
        if _are_whole(weights):
            return _whole_sums(self._resamples, self._counts.values(), weights)
        return [sum(map(mul, row, weights)) for row in self._rows]

    def sums_of_cubes(self) -> list[int]:
        """The cubes of how often each number occurs, added up: what equal ones take from the variance of ranks."""
        return [sum([count * count * count for count in row]) for row in self._rows]

    def doubled_ranks(self) -> dict[float, Packed]:
        """Twice the rank of each number among all, from the lowest; equal ones share the middle of their ranks.

        Doubled they are whole numbers, and as sums of counts they are found in all resamples at once.
        """
        ranks: dict[float, Packed] = {}
        below: Packed = 0
        for number in sorted(self._counts):
            up_to = below + self._counts[number]
            ranks[number] = below + up_to + self._resamples.ones
            below = up_to
        return ranks


Cells = Mapping[tuple[float, float], Packed]
"""How often two scores were given to the same thing."""


class Pairs:
    """Two raters' scores of the same things, with the number of occurrences of each pair."""

    def __init__(self, resamples: Resamples, cells: Cells) -> None:
        self.resamples = resamples
        self.cells = cells
        self.origin = next(iter(cells))[0] if cells else 0.0
        """A score that occurs. Differences from it are small, so that their sums are exact."""
        first: dict[float, Packed] = defaultdict(int)
        second: dict[float, Packed] = defaultdict(int)
        apart: dict[float, Packed] = defaultdict(int)
        for (x, y), count in cells.items():
            first[x] += count
            second[y] += count
            apart[x - y] += count
        self.first = Histogram(resamples, first)
        self.second = Histogram(resamples, second)
        self.apart = Histogram(resamples, apart)
        """The differences: by how much the first rates higher."""

    @property
    def totals(self) -> list[int]:
        """The number of things that both have rated, in each resample."""
        return self.apart.totals


class Coincidences:
    """All pairs of scores of the same things by any two raters, grouped by the number of raters of a thing."""

    def __init__(self, resamples: Resamples, by_raters: Mapping[int, Cells]) -> None:
        self.resamples = resamples
        self.by_raters: dict[int, Cells] = {}
        """The pairs of scores by the number of raters, the lower score first."""
        counts: dict[float, Packed] = defaultdict(int)
        for raters, cells in by_raters.items():
            merged: dict[tuple[float, float], Packed] = defaultdict(int)
            given: dict[float, Packed] = defaultdict(int)
            for (a, b), count in cells.items():
                merged[(a, b) if a <= b else (b, a)] += count
                given[a] += count
                given[b] += count
            self.by_raters[raters] = merged
            for score, count in given.items():
                counts[score] += count // (raters - 1)  # Each score is in so many pairs; nothing is left over.
        self.scores = Histogram(resamples, counts)
        """The scores of everything that two or more have rated."""
        self.origin = next(iter(counts), 0.0)


def _are_whole(weights: Sequence[float]) -> bool:
    """Whether counts times these weights can be added up as they are packed: they are whole numbers, and not large."""
    return all(-_LARGEST_WEIGHT <= weight <= _LARGEST_WEIGHT and weight == int(weight) for weight in weights)


def _whole_sums(resamples: Resamples, counts: Collection[Packed], weights: Sequence[float]) -> Sequence[float]:
    """Counts of several things, each times its weight, added up in all resamples at once."""
    least = int(min(weights, default=0))
    sums = resamples.unpack(sum(count * (int(weight) - least) for count, weight in zip(counts, weights, strict=True)))
    if not least:
        return sums
    return [each + least * total for each, total in zip(sums, resamples.unpack(sum(counts)), strict=True)]


def _rows(resamples: Resamples, counts: Iterable[Packed]) -> list[tuple[int, ...]]:
    """Counts of several things together, a row for each resample."""
    columns = list(map(resamples.unpack, counts))
    return list(zip(*columns, strict=True)) if columns else [()] * resamples.size


def _sums_of_products(
    resamples: Resamples, cells: Cells, first: Mapping[float, Packed], second: Mapping[float, Packed]
) -> list[int]:
    """The product of what two scores have in a resample, by the first and by the second, added up over all pairs."""
    by_first: dict[float, Packed] = defaultdict(int)
    for (x, y), count in cells.items():
        by_first[x] += resamples.products(count, second[y])
    sums = [0] * resamples.size
    for x, of_x in by_first.items():
        sums = list(map(add, sums, map(mul, resamples.unpack(of_x), resamples.unpack(first[x]))))
    return sums


# Measures of pairs of scores


def exact(apart: Histogram) -> list[Value]:
    """The share of things with the same score from both raters, 0 to 1."""
    return _shares(apart.total_where(lambda difference: -_CLOSE < difference < _CLOSE), apart.totals)


def within_one(apart: Histogram) -> list[Value]:
    """The share of things whose two scores are at most one apart, 0 to 1."""
    return _shares(apart.total_where(lambda difference: abs(difference) < 1 + _CLOSE), apart.totals)


def mean_absolute_error(apart: Histogram) -> list[Value]:
    """The mean distance of the two scores, in points of the scale."""
    return _shares(apart.sums(abs), apart.totals)


def bias(apart: Histogram) -> list[Value]:
    """The mean by which the second rates higher than the first, in points of the scale."""
    return _shares(apart.sums(lambda difference: -difference), apart.totals)


def _shares(parts: Sequence[float], totals: Sequence[int]) -> list[Value]:
    return [part / total if total else NO_PAIRS for part, total in zip(parts, totals, strict=True)]


def weighted_kappa(pairs: Pairs) -> list[Value]:
    """Cohen's kappa with quadratic weights by the distance of the scores themselves, not of their places in a list.

    So a score that nobody gave still counts as a step (scikit-learn's `labels` says the same), and decimals are fine.
    """
    first, second = pairs.first, pairs.second
    origin = pairs.origin

    def from_origin(score: float) -> float:
        return score - origin

    def squared(score: float) -> float:
        return (score - origin) ** 2

    found: list[Value] = []
    for total, sum_x, sum_y, squares_x, squares_y, apart in zip(
        pairs.totals,
        first.sums(from_origin),
        second.sums(from_origin),
        first.sums(squared),
        second.sums(squared),
        pairs.apart.sums(lambda difference: difference * difference),
        strict=True,
    ):
        if not total:
            found.append(NO_PAIRS)
            continue
        squares = squares_x + squares_y
        by_chance = squares / total - 2 * sum_x * sum_y / (total * total)
        found.append(1.0 - apart / total / by_chance if by_chance > _NOTHING * squares / total else NO_VARIANCE)
    return found


def pearson(pairs: Pairs) -> list[Value]:
    """Pearson's correlation, -1 to 1."""
    at_x, at_y = next(iter(pairs.cells), (0.0, 0.0))
    products = [(x - at_x) * (y - at_y) for x, y in pairs.cells]
    rows = _rows(pairs.resamples, pairs.cells.values())
    return [
        _correlation(*sums)
        for sums in zip(
            pairs.totals,
            pairs.first.sums(lambda x: x - at_x),
            pairs.second.sums(lambda y: y - at_y),
            pairs.first.sums(lambda x: (x - at_x) ** 2),
            pairs.second.sums(lambda y: (y - at_y) ** 2),
            [sum(map(mul, row, products)) for row in rows],
            strict=True,
        )
    ]


def _correlation(total: int, sum_x: float, sum_y: float, sum_xx: float, sum_yy: float, sum_xy: float) -> Value:
    if total < 2:
        return ONE_PAIR if total else NO_PAIRS
    varies_x, varies_y = total * sum_xx - sum_x * sum_x, total * sum_yy - sum_y * sum_y
    constant = (varies_x <= _NOTHING * total * sum_xx) + (varies_y <= _NOTHING * total * sum_yy)
    if constant:
        return BOTH_CONSTANT if constant == 2 else ONE_CONSTANT
    found = (total * sum_xy - sum_x * sum_y) / math.sqrt(varies_x) / math.sqrt(varies_y)
    return max(-1.0, min(1.0, found))


def spearman(pairs: Pairs) -> list[Value]:
    """Spearman's correlation, -1 to 1: Pearson's of the ranks, where equal scores share the middle one."""
    ranks_x, ranks_y = pairs.first.doubled_ranks(), pairs.second.doubled_ranks()
    products = _sums_of_products(pairs.resamples, pairs.cells, ranks_x, ranks_y)
    ties_x, ties_y = pairs.first.sums_of_cubes(), pairs.second.sums_of_cubes()
    return [_rank_correlation(*sums) for sums in zip(pairs.totals, products, ties_x, ties_y, strict=True)]


def _rank_correlation(total: int, products: int, ties_x: int, ties_y: int) -> Value:
    """Pearson's correlation of ranks, of which the mean and, from the ties alone, the variance are known."""
    if total < 2:
        return ONE_PAIR if total else NO_PAIRS
    cube = total * total * total
    if ties_x == cube or ties_y == cube:
        return BOTH_CONSTANT if ties_x == ties_y else ONE_CONSTANT
    together = (products - total * (total + 1) ** 2) / 4
    return max(-1.0, min(1.0, together / math.sqrt((cube - ties_x) / 12) / math.sqrt((cube - ties_y) / 12)))


# Krippendorff's alpha: for any number of raters and with missing scores; below 0 is worse than chance


def alpha_interval(coincidences: Coincidences) -> list[Value]:
    """Krippendorff's alpha where a difference between two scores counts by its square."""
    scores, origin = coincidences.scores, coincidences.origin
    apart = []
    for raters, cells in coincidences.by_raters.items():
        of_these: dict[float, Packed] = defaultdict(int)
        for (a, b), count in cells.items():
            of_these[b - a] += count
        squared = Histogram(coincidences.resamples, of_these).sums(lambda difference: difference * difference)
        apart.append([each / (raters - 1) for each in squared])
    observed = map(sum, zip(*apart, strict=True)) if apart else [0.0] * coincidences.resamples.size
    found: list[Value] = []
    for total, plain, squares, seen in zip(
        scores.totals,
        scores.sums(lambda score: score - origin),
        scores.sums(lambda score: (score - origin) ** 2),
        observed,
        strict=True,
    ):
        expected = total * squares - plain * plain
        varies = expected > _NOTHING * total * squares
        found.append(1 - (total - 1) * seen / expected if varies else NO_VARIANCE if total else NO_UNITS)
    return found


def alpha_ordinal(coincidences: Coincidences) -> list[Value]:
    """Krippendorff's alpha where a difference between two scores counts by how many scores are between them.

    It is the alpha of the ranks: half the scores at each end and all between them is just how far the middle ranks are
    apart. All sums are whole numbers, of doubled ranks and times a common multiple of the pairs that a score is in, so
    that perfect agreement is exactly one.
    """
    resamples, scores = coincidences.resamples, coincidences.scores
    ranks = scores.doubled_ranks()
    multiple = math.lcm(*(raters - 1 for raters in coincidences.by_raters))
    products = [0] * resamples.size
    for raters, cells in coincidences.by_raters.items():
        times = multiple // (raters - 1)
        of_these = _sums_of_products(resamples, cells, ranks, ranks)
        products = [before + times * each for before, each in zip(products, of_these, strict=True)]
    return [
        _alpha_of_ranks(total, ties, product, multiple)
        for total, ties, product in zip(scores.totals, scores.sums_of_cubes(), products, strict=True)
    ]


def _alpha_of_ranks(total: int, ties: int, products: int, multiple: int) -> Value:
    """Alpha from the counts of equal scores, and from the products of the doubled ranks of all pairs, times `multiple`."""
    if not total:
        return NO_UNITS
    variance = (total**3 - ties) // 3  # The sum of the squared differences of doubled ranks from their mean.
    if not variance:
        return NO_VARIANCE
    squares = variance + total * (total + 1) ** 2
    observed = (multiple * squares - 2 * products) / multiple
    return 1 - (total - 1) * observed / (total * variance)


# Intraclass correlations


@dataclass(frozen=True, slots=True)
class IccSums:
    """The sums that the two intraclass correlations need, over the units that all `len(by_rater)` raters rated.

    `by_rater` are the sums of each rater's scores, `of_rows` the sum of the squares of the units' sums, `squares` of
    the scores' squares.
    """

    units: int
    of_rows: float
    squares: float
    by_rater: tuple[float, ...]


def icc_sums(raters: Sequence[Histogram], apart: Histogram, origin: float = 0.0) -> list[IccSums]:
    """The sums of what all raters rated, from the scores that each of them gave and how far every two were apart.

    `origin`, any score near the others, keeps them exact.
    """
    by_rater = zip(*(each.sums(lambda score: score - origin) for each in raters), strict=True)
    squares = map(sum, zip(*(each.sums(lambda score: (score - origin) ** 2) for each in raters), strict=True))
    differences = apart.sums(lambda difference: difference * difference)
    count = len(raters)
    return [
        # The square of a sum is so many times the sum of the squares, less the squared differences of every two.
        IccSums(units, count * squared - between, squared, sums)
        for units, between, squared, sums in zip(raters[0].totals, differences, squares, by_rater, strict=True)
    ]


def _mean_squares(sums: IccSums) -> tuple[float, float, float] | Undefined:
    """The mean squares of the two-way analysis of variance: between units, between raters, and the rest."""
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
    """ICC(2,k): two-way random effects, absolute agreement, of the mean of all k raters' scores."""
    found = _mean_squares(sums)
    if isinstance(found, Undefined):
        return found
    units, raters, left = found
    whole = units + (raters - left) / sums.units
    # Where the error is the larger, the formula gives any number, above 1 as well.
    return (units - left) / whole if whole > _NOTHING * (units + raters + left) else NO_SIGNAL
