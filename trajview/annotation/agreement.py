"""How far annotators agree with each other and with the reward in the log, with confidence intervals.

What is compared are the scores of one agent in one episode by one dimension. Exact and within-one agreement are shares
of all pairs of annotators' scores; weighted kappa and Spearman of more than two annotators are the mean of all pairs of
annotators (Light 1971, "Measures of response agreement", Psychological Bulletin 76(5)); alpha takes everybody's scores
at once; the ICCs take what all annotators have rated. Confidence intervals are percentiles of a bootstrap over
episodes, since the agents of an episode are not independent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from typing import Final

from trajview.errors import Problem

from . import statistics
from .bootstrap import LEVEL, RESAMPLES, Draw, Estimate, Figures, Progress, estimates, interval
from .ratings import Ratings
from .rubric import Dimension
from .statistics import Coincidence, IccSums, Pair, Undefined, Value

__all__ = [
    "AGAINST", "BETWEEN", "LEVEL", "MEAN", "RESAMPLES", "Against", "Agreement", "Between", "Estimate", "Progress", "agreement", "interval",
]  # fmt: skip

MEAN: Final = "mean"
"""Stands for the mean of all annotators' scores, in the comparison with the log."""

BETWEEN: Final = (
    "exact",
    "within_one",
    "kappa",
    "alpha_ordinal",
    "alpha_interval",
    "icc_single",
    "icc_mean",
    "spearman",
)
"""The measures between annotators, as they are called in files."""

AGAINST: Final = ("pearson", "spearman", "mae", "bias")
"""The measures of annotators against the log."""

Rows = Sequence[Sequence[float | None]]
"""The scores of an episode: a row for each agent, a column for each rater."""


@dataclass(frozen=True, slots=True)
class Between:
    """The annotators among themselves, in one dimension.

    `rated`: how many agents in episodes each annotator has rated; `shared`: how many of them two or more have;
    `pairs`: how many pairs of scores that makes.
    """

    dimension: Dimension
    rated: Mapping[str, int]
    episodes: int
    shared: int
    pairs: int
    figures: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class Against:
    """An annotator, the mean of all (`MEAN`) or the gold records against the rewards in the logs, in one dimension."""

    dimension: Dimension
    who: str
    pairs: int
    figures: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class Agreement:
    """All that is known of the agreement in a store."""

    annotators: Mapping[str, int] = field(default_factory=dict)
    """How many episodes each has rated."""
    between: tuple[Between, ...] = ()
    against: tuple[Against, ...] = ()
    modelled: int = 0
    gold: int = 0
    """How many episodes have a gold record."""
    resamples: int = RESAMPLES
    seed: int = 0
    problems: tuple[Problem, ...] = ()


def agreement(
    ratings: Ratings,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    gold: str = "gold",
    progress: Progress | None = None,
) -> Agreement:
    """Compare everybody with everybody. The same ratings and seed give the same figures to the last digit."""
    sides = [_side_by_side(dimension, ratings) for dimension in ratings.dimensions]
    compared = list(_against(ratings, gold))
    of_log = [_Pairs(episodes, 0, 1) for _, _, episodes in compared]
    tasks = [(side.figures, len(side.episodes)) for side in sides]
    tasks += [(_model_figures(pairs), len(pairs.episodes)) for pairs in of_log]
    found = estimates(tasks, resamples=resamples, seed=seed, progress=progress)
    between = [_between(side, figures) for side, figures in zip(sides, found, strict=False)]
    against = [
        Against(dimension, who, pairs.count, figures)
        for (dimension, who, _), pairs, figures in zip(compared, of_log, found[len(sides) :], strict=True)
    ]
    return Agreement(
        ratings.episodes,
        tuple(between),
        tuple(against),
        ratings.modelled,
        len({episode for each in ratings.gold.values() for episode in each}),
        resamples,
        seed,
        ratings.problems,
    )


@dataclass(frozen=True, slots=True)
class _Side:
    """One dimension, with everybody's scores by episode, and of each two annotators who share some."""

    dimension: Dimension
    rated: Mapping[str, int]
    episodes: Sequence[Rows]
    pairs: Sequence[_Pairs]
    figures: Figures


def _side_by_side(dimension: Dimension, ratings: Ratings) -> _Side:
    rated = dict.fromkeys(ratings.annotators, 0)
    for agents in ratings.scores.get(dimension.name, {}).values():
        for who in chain.from_iterable(agents):
            rated[who] += 1
    # Only those count that can agree or not; and in an order that does not depend on their names.
    taking_part = [who for who, count in rated.items() if count]
    episodes: list[Rows] = [
        [[scores.get(who) for who in taking_part] for scores in agents]
        for agents in ratings.scores.get(dimension.name, {}).values()
        if any(len(scores) > 1 for scores in agents)
    ]
    episodes.sort(key=_in_order)
    pairs = [_Pairs(episodes, first, second) for first, second in combinations(range(len(taking_part)), 2)]
    pairs = [each for each in pairs if each.count]  # Two who share nothing say nothing about each other.
    figures = _annotators_figures(pairs, _Icc(episodes, len(taking_part)), _narrow(dimension, chain(*episodes)))
    return _Side(dimension, rated, episodes, pairs, figures)


def _between(side: _Side, figures: dict[str, Estimate]) -> Between:
    for name, of_two in (("kappa", statistics.weighted_kappa), ("spearman", statistics.spearman)):
        figures[name] = _noted(figures[name], [of_two(each.plain()) for each in side.pairs])
    shared = sum(sum(score is not None for score in row) > 1 for row in chain(*side.episodes))
    count = sum(each.count for each in side.pairs)
    return Between(side.dimension, side.rated, len(side.episodes), shared, count, figures)


def _noted(estimate: Estimate, of_pairs: Sequence[Value]) -> Estimate:
    """The mean of the pairs of annotators, with a word on those for which there is none."""
    undefined = [value.reason for value in of_pairs if isinstance(value, Undefined)]
    if estimate.value is None or not undefined or estimate.reason:
        return estimate
    some = f"the mean of {len(of_pairs) - len(undefined)} of {len(of_pairs)} pairs of annotators"
    return replace(estimate, reason=f"{some}; for the others {undefined[0]}")


def _against(ratings: Ratings, gold: str) -> Iterator[tuple[Dimension, str, list[Rows]]]:
    """Whom to compare with the logs, with the pairs of scores (theirs, the log's) by episode."""
    for dimension in ratings.dimensions:
        model = ratings.model.get(dimension.name, {})
        people = ratings.scores.get(dimension.name, {})
        columns: dict[str, dict[str, dict[int, float]]] = {}
        for episode, agents in people.items():
            for agent, scores in enumerate(agents):
                if len(ratings.annotators) > 1 and scores:
                    mean = sum(scores.values()) / len(scores)
                    columns.setdefault(MEAN, {}).setdefault(episode, {})[agent] = mean
                for who, score in scores.items():
                    columns.setdefault(who, {}).setdefault(episode, {})[agent] = score
        if settled := ratings.gold.get(dimension.name):
            columns[gold] = {episode: dict(scores) for episode, scores in settled.items()}
        for who in (MEAN, *ratings.annotators, gold):
            theirs = columns.get(who, {})
            episodes: list[Rows] = [
                [(score, model[episode][agent]) for agent, score in scores.items() if agent in model[episode]]
                for episode, scores in theirs.items()
                if episode in model
            ]
            if used := [episode for episode in episodes if episode]:
                yield dimension, who, sorted(used, key=_in_order)


def _in_order(episode: Rows) -> list[list[tuple[bool, float]]]:
    """What an episode is sorted by: its scores, so that its name has no part in which resamples it is in."""
    return [[(score is not None, score or 0.0) for score in row] for row in episode]


def _narrow(dimension: Dimension, rows: Iterable[Sequence[float | None]]) -> Undefined | None:
    """Why "at most one apart" would say nothing, where the whole scale is no wider than that."""
    low, high = dimension.low, dimension.high
    if high == float("inf"):
        scores = [score for row in rows for score in row if score is not None]
        low, high = min([0.0, *scores]), max(scores, default=0.0)
    return Undefined("the whole scale is no wider than one") if high - low <= 1 else None


# Counting: what is observed in each episode is counted once, and added up for each resample


class _Pairs:
    """The pairs of scores of two raters, by episode: a number for each kind of pair that occurs."""

    def __init__(self, episodes: Sequence[Rows], first: int, second: int) -> None:
        kinds: dict[tuple[float, float, float], int] = {}
        self.episodes: list[tuple[int, ...]] = []
        for rows in episodes:
            found = []
            for row in rows:
                x, y = row[first], row[second]
                if x is not None and y is not None:
                    others = sum(score is not None for score in row) - 1
                    found.append(kinds.setdefault((x, y, 1 / others), len(kinds)))
            self.episodes.append(tuple(found))
        self._kinds = list(kinds)
        self.count = sum(map(len, self.episodes))

    def counted(self, draw: Draw) -> list[tuple[float, float, float, int]]:
        """The two scores, their weight among all scores of the same thing, and how often that was."""
        counts = Counter(chain.from_iterable(draw(self.episodes)))
        kinds = self._kinds
        return [(*kinds[kind], count) for kind, count in counts.items()]

    def plain(self) -> list[Pair]:
        """All of them, with how often each occurs."""
        return [(x, y, count) for x, y, _, count in self.counted(tuple)]


class _Icc:
    """The sums for the intraclass correlations, by episode, of what all raters have rated."""

    def __init__(self, episodes: Sequence[Rows], raters: int) -> None:
        complete = [[[s for s in row if s is not None] for row in rows if None not in row] for rows in episodes]
        origin = next((row[0] for rows in complete for row in rows if row), 0.0)
        self._raters = raters
        sums = [statistics.icc_sums(rows, raters, origin) for rows in complete]
        self._columns: list[Sequence[float]] = [
            [each.units for each in sums],
            [each.of_rows for each in sums],
            [each.squares for each in sums],
            *([each.by_rater[rater] for each in sums] for rater in range(raters)),
        ]
        self.units = sum(each.units for each in sums)

    def counted(self, draw: Callable[[Sequence[float]], Iterable[float]]) -> IccSums:
        units, of_rows, squares, *by_rater = [sum(draw(column)) for column in self._columns]
        return IccSums(int(units), of_rows, squares, tuple(by_rater))


def _annotators_figures(pairs: Sequence[_Pairs], icc: _Icc, narrow: Undefined | None) -> Figures:
    def figures(draw: Draw) -> dict[str, Value]:
        every: list[Pair] = []
        coincidences: list[Coincidence] = []
        kappas, correlations = [], []
        for each in pairs:
            counted = each.counted(draw)
            found = [(x, y, count) for x, y, _, count in counted]
            coincidences += [(x, y, weight * count) for x, y, weight, count in counted]
            kappas.append(statistics.weighted_kappa(found))
            correlations.append(statistics.spearman(found))
            every += found
        sums = icc.counted(draw)
        return {
            "exact": statistics.exact(every),
            "within_one": narrow or statistics.within_one(every),
            "kappa": _mean(kappas),
            "alpha_ordinal": statistics.alpha(coincidences, "ordinal"),
            "alpha_interval": statistics.alpha(coincidences, "interval"),
            "icc_single": statistics.icc_single(sums),
            "icc_mean": statistics.icc_mean(sums),
            "spearman": _mean(correlations),
        }

    return figures


def _model_figures(pairs: _Pairs) -> Figures:
    def figures(draw: Draw) -> dict[str, Value]:
        found = [(x, y, count) for x, y, _, count in pairs.counted(draw)]
        return {
            "pearson": statistics.pearson(found),
            "spearman": statistics.spearman(found),
            "mae": statistics.mean_absolute_error(found),
            "bias": statistics.bias(found),
        }

    return figures


def _mean(values: Sequence[Value]) -> Value:
    """The mean of the pairs of annotators for which there is a number."""
    defined = [value for value in values if not isinstance(value, Undefined)]
    if defined:
        return sum(defined) / len(defined)
    return next((value for value in values if isinstance(value, Undefined)), statistics.NO_UNITS)
