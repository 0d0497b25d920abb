"""How far annotators agree with each other and with the reward in the log, with confidence intervals.

What is compared are the scores of one agent in one episode by one dimension. Exact and within-one agreement are shares
of all pairs of annotators' scores; weighted kappa and Spearman of more than two annotators are the mean of all pairs of
annotators (Light 1971, "Measures of response agreement", Psychological Bulletin 76(5)); alpha takes everybody's scores
at once; the ICCs take what all annotators have rated. Confidence intervals are percentiles of a bootstrap over
episodes, since the agents of an episode are not independent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from typing import Final

from trajview.errors import Problem

from . import statistics
from .bootstrap import LEVEL, RESAMPLES, Estimate, Figures, Progress, Task, estimates, interval
from .ratings import Ratings
from .resamples import Packed, Resamples
from .rubric import Dimension
from .statistics import Coincidences, Histogram, Pairs, Undefined, Value

__all__ = [
    "AGAINST", "BETWEEN", "LEVEL", "MEAN", "RESAMPLES", "Against", "Agreement", "Between", "Estimate", "Progress", "agreement", "interval",
]  # fmt: skip

MEAN: Final = "mean"
"""The name of the mean of all annotators' scores, in the comparison with the log."""

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
"""The names of the measures between annotators, as files have them."""

AGAINST: Final = ("pearson", "spearman", "mae", "bias")
"""The names of the measures of annotators against the log."""

Rows = Sequence[Sequence[float | None]]
"""The scores of an episode: a row for each agent, a column for each rater."""


@dataclass(frozen=True, slots=True)
class Between:
    """The agreement of the annotators with each other, in one dimension.

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
    """All figures of the agreement in a store."""

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
    """Compute the agreement of annotators with each other and with the logs.

    The same ratings and seed give the same figures to the last digit.
    """
    sides = [_side_by_side(dimension, ratings) for dimension in ratings.dimensions]
    compared = list(_against(ratings, gold))
    logged = [_Scores(episodes) for _, _, episodes in compared]
    of_log = [_Kinds(scores, 0, 1) for scores in logged]
    tasks = [side.task for side in sides]
    tasks += [
        Task(_log_figures(kinds), scores.episodes, scores.most) for kinds, scores in zip(of_log, logged, strict=True)
    ]
    found = estimates(tasks, resamples=resamples, seed=seed, progress=progress)
    between = [_between(side, figures) for side, figures in zip(sides, found, strict=False)]
    against = [
        Against(dimension, who, kinds.count, figures)
        for (dimension, who, _), kinds, figures in zip(compared, of_log, found[len(sides) :], strict=True)
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
    """One dimension with everybody's scores by episode, and the pairs of scores of any two annotators."""

    dimension: Dimension
    rated: Mapping[str, int]
    episodes: Sequence[Rows]
    kinds: Sequence[_Kinds]
    task: Task


def _side_by_side(dimension: Dimension, ratings: Ratings) -> _Side:
    rated = dict.fromkeys(ratings.annotators, 0)
    for agents in ratings.scores.get(dimension.name, {}).values():
        for who in chain.from_iterable(agents):
            rated[who] += 1
    # Raters with scores alone count, in an order that does not depend on their names.
    taking_part = [who for who, count in rated.items() if count]
    episodes: list[Rows] = [
        [[scores.get(who) for who in taking_part] for scores in agents]
        for agents in ratings.scores.get(dimension.name, {}).values()
        if any(len(scores) > 1 for scores in agents)
    ]
    episodes.sort(key=_in_order)
    scores = _Scores(episodes)
    kinds = [_Kinds(scores, first, second) for first, second in combinations(range(len(scores.columns)), 2)]
    kinds = [each for each in kinds if each.count]  # Two raters without a common score have no agreement.
    figures = _annotators_figures(kinds, len(taking_part), _narrow(dimension, chain(*episodes)))
    return _Side(dimension, rated, episodes, kinds, Task(figures, scores.episodes, scores.most))


def _between(side: _Side, figures: dict[str, Estimate]) -> Between:
    whole = Resamples.whole(len(side.episodes))
    pairs = [_pairs(whole, each.counted(whole)) for each in side.kinds]
    for name, of_two in (("kappa", statistics.weighted_kappa), ("spearman", statistics.spearman)):
        figures[name] = _noted(figures[name], [value for each in pairs for value in of_two(each)])
    shared = sum(sum(score is not None for score in row) > 1 for row in chain(*side.episodes))
    count = sum(each.count for each in side.kinds)
    return Between(side.dimension, side.rated, len(side.episodes), shared, count, figures)


def _noted(estimate: Estimate, of_pairs: Sequence[Value]) -> Estimate:
    """The estimate for all pairs of annotators, with a note on the pairs for which there is none."""
    undefined = [value.reason for value in of_pairs if isinstance(value, Undefined)]
    if estimate.value is None or not undefined or estimate.reason:
        return estimate
    some = f"the mean of {len(of_pairs) - len(undefined)} of {len(of_pairs)} pairs of annotators"
    return replace(estimate, reason=f"{some}; for the others {undefined[0]}")


def _against(ratings: Ratings, gold: str) -> Iterator[tuple[Dimension, str, list[Rows]]]:
    """The raters to compare with the logs, and their pairs of scores (theirs, the log's) by episode."""
    if not ratings.model:
        return
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
    """The sort key of an episode: its scores. Its name must not decide which resamples it is in."""
    return [[(score is not None, score or 0.0) for score in row] for row in episode]


def _narrow(dimension: Dimension, rows: Iterable[Sequence[float | None]]) -> Undefined | None:
    """The reason why "at most one apart" is undefined: the whole scale is no wider than that."""
    low, high = dimension.low, dimension.high
    if high == float("inf"):
        scores = [score for row in rows for score in row if score is not None]
        low, high = min([0.0, *scores]), max(scores, default=0.0)
    return Undefined("the whole scale is no wider than one") if high - low <= 1 else None


# Counting: in which episodes each kind of pair is, is found once, and counted up for many resamples together

Kind = tuple[float, float, int]
"""Two scores of the same thing, and the number of annotators who have rated it."""


class _Scores:
    """Everybody's scores, one below another: a column for each rater, with the episode and the raters of each row."""

    def __init__(self, episodes: Sequence[Rows]) -> None:
        rows = list(chain.from_iterable(episodes))
        self.columns = list(zip(*rows, strict=True))
        self.episode_of = [number for number, rows in enumerate(episodes) for _ in rows]
        self.raters_of = [len(row) - row.count(None) for row in rows]
        self.episodes = len(episodes)
        pairs: dict[int, int] = defaultdict(int)
        for episode, raters in zip(self.episode_of, self.raters_of, strict=True):
            pairs[episode] += raters * (raters - 1) // 2
        self.most = max(pairs.values(), default=0)
        """How many pairs of scores an episode has at most."""


class _Kinds:
    """The pairs of scores of two raters: each kind of pair with its episodes, repeated for each occurrence."""

    def __init__(self, scores: _Scores, first: int, second: int) -> None:
        self.first = first
        self.second = second
        self._episodes: dict[Kind, list[int]] = defaultdict(list)
        columns = scores.columns[first], scores.columns[second], scores.raters_of, scores.episode_of
        for x, y, raters, episode in zip(*columns, strict=True):
            if x is not None and y is not None:
                self._episodes[x, y, raters].append(episode)
        self.count = sum(map(len, self._episodes.values()))

    def counted(self, resamples: Resamples) -> dict[Kind, Packed]:
        """How often each kind of pair is in some resamples."""
        return {kind: resamples.count(episodes) for kind, episodes in self._episodes.items()}


def _pairs(resamples: Resamples, counted: Mapping[Kind, Packed]) -> Pairs:
    """The pairs of scores, however many have rated the same things."""
    cells: dict[tuple[float, float], Packed] = defaultdict(int)
    for (x, y, _), count in counted.items():
        cells[x, y] += count
    return Pairs(resamples, cells)


class _Everybody:
    """Counts over all pairs of annotators together."""

    def __init__(self, raters: int) -> None:
        self._raters = raters
        self._apart: dict[float, Packed] = defaultdict(int)
        self._by_raters: dict[int, dict[tuple[float, float], Packed]] = defaultdict(lambda: defaultdict(int))
        self._complete: list[dict[float, Packed]] = [defaultdict(int) for _ in range(raters)]
        self._complete_apart: dict[float, Packed] = defaultdict(int)

    def add(self, first: int, second: int, counted: Mapping[Kind, Packed]) -> None:
        """Add what two annotators have both rated."""
        for (x, y, raters), count in counted.items():
            self._apart[x - y] += count
            self._by_raters[raters][x, y] += count
            if raters == self._raters:
                self._complete[first][x] += count
                self._complete[second][y] += count
                self._complete_apart[x - y] += count

    def figures(self, resamples: Resamples, narrow: Undefined | None) -> dict[str, Sequence[Value]]:
        """The measures of everybody's scores at once."""
        apart = Histogram(resamples, self._apart)
        coincidences = Coincidences(resamples, self._by_raters)
        sums = self._icc_sums(resamples)
        return {
            "exact": statistics.exact(apart),
            "within_one": [narrow] * resamples.size if narrow else statistics.within_one(apart),
            "alpha_ordinal": statistics.alpha_ordinal(coincidences),
            "alpha_interval": statistics.alpha_interval(coincidences),
            "icc_single": list(map(statistics.icc_single, sums)),
            "icc_mean": list(map(statistics.icc_mean, sums)),
        }

    def _icc_sums(self, resamples: Resamples) -> list[statistics.IccSums]:
        """The sums for the ICCs, over the rows that all annotators have rated."""
        if self._raters < 2:
            return [statistics.IccSums(0, 0.0, 0.0, ())] * resamples.size
        others = self._raters - 1
        by_rater = [{score: count // others for score, count in given.items()} for given in self._complete]
        histograms = [Histogram(resamples, counts) for counts in by_rater]
        origin = next(chain.from_iterable(self._complete), 0.0)
        return statistics.icc_sums(histograms, Histogram(resamples, self._complete_apart), origin)


def _annotators_figures(kinds: Sequence[_Kinds], raters: int, narrow: Undefined | None) -> Figures:
    def figures(resamples: Resamples) -> dict[str, Sequence[Value]]:
        everybody = _Everybody(raters)
        kappas, correlations = [], []
        for each in kinds:
            counted = each.counted(resamples)
            everybody.add(each.first, each.second, counted)
            pairs = _pairs(resamples, counted)
            kappas.append(statistics.weighted_kappa(pairs))
            correlations.append(statistics.spearman(pairs))
        found = everybody.figures(resamples, narrow)
        found |= {"kappa": _means(kappas, resamples), "spearman": _means(correlations, resamples)}
        return {name: found[name] for name in BETWEEN}

    return figures


def _log_figures(kinds: _Kinds) -> Figures:
    def figures(resamples: Resamples) -> dict[str, Sequence[Value]]:
        pairs = _pairs(resamples, kinds.counted(resamples))
        return {
            "pearson": statistics.pearson(pairs),
            "spearman": statistics.spearman(pairs),
            "mae": statistics.mean_absolute_error(pairs.apart),
            "bias": statistics.bias(pairs.apart),
        }

    return figures


def _means(of_pairs: Sequence[Sequence[Value]], resamples: Resamples) -> list[Value]:
    """The mean over the pairs of annotators that have a number, in each resample."""
    return [_mean([values[resample] for values in of_pairs]) for resample in range(resamples.size)]


def _mean(values: Sequence[Value]) -> Value:
    defined = [value for value in values if not isinstance(value, Undefined)]
    if defined:
        return sum(defined) / len(defined)
    return next((value for value in values if isinstance(value, Undefined)), statistics.NO_UNITS)
