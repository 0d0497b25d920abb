"""Measures of agreement against published examples, against other libraries, and by what must hold of them."""

from __future__ import annotations

import itertools
import random
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trajview.annotation import statistics
from trajview.annotation.resamples import Resamples
from trajview.annotation.statistics import Histogram, IccSums, Pairs, Undefined, Value, icc_mean, icc_single

ONE = Resamples.whole(1)
"""A single sample, in which a count is packed as what it is."""

Pair = tuple[float, float, int]
"""Two scores of the same thing by two raters, and how often they were given."""


def in_one(pairs: Iterable[Pair]) -> Pairs:
    cells: Counter[tuple[float, float]] = Counter()
    for x, y, count in pairs:
        cells[x, y] += count
    return Pairs(ONE, cells)


def exact(pairs: Sequence[Pair]) -> Value:
    return statistics.exact(in_one(pairs).apart)[0]


def within_one(pairs: Sequence[Pair]) -> Value:
    return statistics.within_one(in_one(pairs).apart)[0]


def mean_absolute_error(pairs: Sequence[Pair]) -> Value:
    return statistics.mean_absolute_error(in_one(pairs).apart)[0]


def bias(pairs: Sequence[Pair]) -> Value:
    return statistics.bias(in_one(pairs).apart)[0]


def weighted_kappa(pairs: Sequence[Pair]) -> Value:
    return statistics.weighted_kappa(in_one(pairs))[0]


def pearson(pairs: Sequence[Pair]) -> Value:
    return statistics.pearson(in_one(pairs))[0]


def spearman(pairs: Sequence[Pair]) -> Value:
    return statistics.spearman(in_one(pairs))[0]


PAIRWISE = (exact, within_one, weighted_kappa, pearson, spearman, mean_absolute_error, bias)

ALPHA = {"ordinal": statistics.alpha_ordinal, "interval": statistics.alpha_interval}


def alpha(units: Iterable[Sequence[float | None]], metric: str) -> Value:
    """Krippendorff's alpha of units with a score per rater, None where there is none."""
    by_raters: dict[int, Counter[tuple[float, float]]] = defaultdict(Counter)
    for unit in units:
        scores = [score for score in unit if score is not None]
        if len(scores) > 1:
            by_raters[len(scores)].update(itertools.combinations(scores, 2))
    return ALPHA[metric](statistics.Coincidences(ONE, by_raters))[0]


def icc_sums(rows: Iterable[Sequence[float]], raters: int, origin: float = 0.0) -> IccSums:
    """The sums of rows with a score of every rater."""
    by_rater: list[Counter[float]] = [Counter() for _ in range(raters)]
    apart: Counter[float] = Counter()
    for row in rows:
        for given_by_one, score in zip(by_rater, row, strict=True):
            given_by_one[score] += 1
        apart.update(x - y for x, y in itertools.combinations(row, 2))
    return statistics.icc_sums([Histogram(ONE, each) for each in by_rater], Histogram(ONE, apart), origin)[0]


N = None
KRIPPENDORFF = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3),
    (N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N),
)
"""Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C: four observers, twelve units."""

THREE_CODERS = (
    (N, N, N, N, N, 3, 4, 1, 2, 1, 1, 3, 3, N, 3),
    (1, N, 2, 1, 3, 3, 4, 3, N, N, N, N, N, N, N),
    (N, N, 2, 1, 3, 4, 4, N, 2, 1, 1, 3, 3, N, 4),
)
"""The worked example of Wikipedia's "Krippendorff's alpha": three coders, fifteen units, one seen by nobody."""

SHROUT_FLEISS = ((9, 2, 5, 8), (6, 1, 3, 2), (8, 4, 6, 8), (7, 1, 2, 6), (10, 5, 6, 9), (6, 2, 4, 7))
"""Shrout & Fleiss 1979, table 2: six targets by four judges."""

CARCINOMA = ((22, 2, 2, 0), (5, 7, 14, 0), (0, 2, 36, 0), (0, 1, 17, 10))
"""Agresti, "Categorical Data Analysis", 2nd edition 2002, table 10.8: two pathologists' diagnoses of 118 slides."""


def pairs_of(first: Iterable[float | None], second: Iterable[float | None]) -> list[Pair]:
    """Two raters' scores of the same things, side by side; those that one of them did not rate (None) are left out."""
    return [(x, y, 1) for x, y in zip(first, second, strict=True) if x is not None and y is not None]


def number(value: Value) -> float:
    assert not isinstance(value, Undefined), value.reason
    return value


def columns(
    rows: int, raters: int, seed: int, scale: Sequence[float], missing: float = 0.0
) -> list[list[float | None]]:
    """Scores of raters who look at the same thing, each with some noise, some of them left out."""
    rng = random.Random(seed)
    found: list[list[float | None]] = [[] for _ in range(raters)]
    for _ in range(rows):
        at = rng.randrange(len(scale))
        for rater in found:
            near = min(len(scale) - 1, max(0, at + rng.choice((-2, -1, 0, 0, 0, 1))))
            rater.append(None if rng.random() < missing else scale[near])
    return found


def pairs(seed: int, scale: Sequence[float] = tuple(range(-5, 6))) -> tuple[list[float], list[float]]:
    first, second = columns(60, 2, seed, scale)
    return [x for x in first if x is not None], [y for y in second if y is not None]


# Published examples


@pytest.mark.parametrize(("metric", "published"), [("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_is_krippendorffs_in_his_own_example(metric: str, published: float) -> None:
    assert number(alpha(zip(*KRIPPENDORFF, strict=True), metric)) == pytest.approx(published, abs=5e-4)


@pytest.mark.parametrize(("metric", "published"), [("ordinal", 0.807), ("interval", 0.811)])
def test_alpha_passes_over_what_only_one_coder_saw(metric: str, published: float) -> None:
    assert number(alpha(zip(*THREE_CODERS, strict=True), metric)) == pytest.approx(published, abs=5e-4)


def test_the_intraclass_correlations_are_those_of_shrout_and_fleiss() -> None:
    sums = icc_sums(SHROUT_FLEISS, 4)
    assert number(icc_single(sums)) == pytest.approx(0.29, abs=5e-3)
    assert number(icc_mean(sums)) == pytest.approx(0.62, abs=5e-3)


def test_quadratic_weighted_kappa_is_agrestis_for_the_pathologists() -> None:
    table = [(x, y, count) for x, row in enumerate(CARCINOMA) for y, count in enumerate(row) if count]
    assert number(weighted_kappa(table)) == pytest.approx(0.78, abs=5e-3)


@pytest.mark.parametrize("seed", range(5))
def test_quadratic_weighted_kappa_is_the_intraclass_correlation_of_many(seed: int) -> None:
    """Fleiss & Cohen 1973, "The equivalence of weighted kappa and the intraclass correlation coefficient"."""
    first, second = pairs(seed)
    rows = list(zip(first, second, strict=True)) * 500
    assert number(weighted_kappa(pairs_of(first, second))) == pytest.approx(
        number(icc_single(icc_sums(rows, 2))), abs=1e-4
    )


# Other libraries


@pytest.mark.parametrize("seed", range(5))
def test_weighted_kappa_is_scikit_learns_over_the_whole_scale(seed: int) -> None:
    from sklearn import metrics

    first, second = pairs(seed)
    theirs = metrics.cohen_kappa_score(first, second, weights="quadratic", labels=list(range(-5, 6)))
    assert number(weighted_kappa(pairs_of(first, second))) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_weighted_kappa_is_statsmodels_of_the_table(seed: int) -> None:
    import numpy
    from statsmodels.stats import inter_rater

    first, second = pairs(seed, range(6))
    table = [[sum((x, y) == (i, j) for x, y in zip(first, second, strict=True)) for j in range(6)] for i in range(6)]
    weights = numpy.subtract.outer(numpy.arange(6), numpy.arange(6)) ** 2
    theirs = inter_rater.cohens_kappa(numpy.array(table), weights=weights, return_results=False)
    assert number(weighted_kappa(pairs_of(first, second))) == pytest.approx(float(theirs), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("scale", [tuple(range(-10, 1)), (0.05, 0.1, 0.35, 0.7, 1.0), (0.0, 1.0)])
def test_correlations_are_scipys_with_ties_and_decimals(seed: int, scale: tuple[float, ...]) -> None:
    from scipy import stats

    first, second = pairs(seed, scale)
    found = pairs_of(first, second)
    assert number(pearson(found)) == pytest.approx(stats.pearsonr(first, second).statistic, abs=1e-12)
    assert number(spearman(found)) == pytest.approx(stats.spearmanr(first, second).statistic, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_error_and_bias_are_scikit_learns_and_the_difference_of_the_means(seed: int) -> None:
    from sklearn import metrics

    first, second = pairs(seed, (0.0, 0.25, 0.6, 1.0))
    found = pairs_of(first, second)
    assert number(mean_absolute_error(found)) == pytest.approx(metrics.mean_absolute_error(first, second), abs=1e-12)
    assert number(bias(found)) == pytest.approx(sum(second) / 60 - sum(first) / 60, abs=1e-12)
    assert number(exact(found)) == pytest.approx(metrics.accuracy_score(list(map(str, first)), list(map(str, second))))


@pytest.mark.parametrize("raters", [2, 3, 5])
def test_the_intraclass_correlations_come_from_statsmodels_analysis_of_variance(raters: int) -> None:
    import pandas
    from statsmodels.formula import api as formula
    from statsmodels.stats.anova import anova_lm

    rows = list(zip(*columns(25, raters, raters, range(11)), strict=True))
    long = pandas.DataFrame(
        [
            (str(unit), str(rater), float(score or 0))
            for unit, row in enumerate(rows)
            for rater, score in enumerate(row)
        ],
        columns=["unit", "rater", "score"],
    )
    table = anova_lm(formula.ols("score ~ C(unit) + C(rater)", long).fit())
    units, judges, left = table["mean_sq"].to_list()
    single = (units - left) / (units + (raters - 1) * left + raters * (judges - left) / 25)
    mean = (units - left) / (units + (judges - left) / 25)
    sums = icc_sums([[float(score or 0) for score in row] for row in rows], raters, origin=3.0)
    assert number(icc_single(sums)) == pytest.approx(single, abs=1e-9)
    assert number(icc_mean(sums)) == pytest.approx(mean, abs=1e-9)


@pytest.mark.parametrize("metric", ["ordinal", "interval"])
@pytest.mark.parametrize("seed", range(3))
def test_alpha_is_what_its_definition_says_with_a_coincidence_matrix(metric: str, seed: int) -> None:
    """By the letter of the definition (Krippendorff 2011): a matrix of coincidences and one of differences."""
    units = list(zip(*columns(40, 4, seed, (0, 1, 2, 3, 5, 8), missing=0.3), strict=True))
    values = sorted({score for unit in units for score in unit if score is not None})
    matrix = dict.fromkeys(itertools.product(values, values), 0.0)
    for unit in units:
        scores = [score for score in unit if score is not None]
        for a, b in itertools.permutations(range(len(scores)), 2):
            matrix[scores[a], scores[b]] += 1 / (len(scores) - 1)
    count = {c: sum(matrix[c, k] for k in values) for c in values}
    n = sum(count.values())

    def difference(c: float, k: float) -> float:
        if metric == "interval":
            return (c - k) ** 2
        between = sum(count[g] for g in values if min(c, k) <= g <= max(c, k))
        return (between - (count[c] + count[k]) / 2) ** 2

    observed = sum(matrix[c, k] * difference(c, k) for c, k in matrix)
    expected = sum(count[c] * count[k] * difference(c, k) for c, k in matrix) / (n - 1)
    assert number(alpha(units, metric)) == pytest.approx(1 - observed / expected, abs=1e-9)


# What must hold

scores = st.integers(-10, 10).map(float) | st.sampled_from([0.1, 0.25, 0.35, 7.7])
two_columns = st.lists(st.tuples(scores, scores), min_size=1, max_size=25)
units_of_three = st.lists(st.tuples(*[st.none() | scores] * 3), max_size=20)


@given(two_columns)
def test_who_is_first_does_not_count(rows: list[tuple[float, float]]) -> None:
    there, back = [(x, y, 1) for x, y in rows], [(y, x, 1) for x, y in rows]
    for measure in (exact, within_one, weighted_kappa, mean_absolute_error):
        assert same(measure(there), measure(back))
    for correlation in (pearson, spearman):
        one, other = correlation(there), correlation(back)
        assert isinstance(one, Undefined) == isinstance(other, Undefined)
        assert isinstance(one, Undefined) or isinstance(other, Undefined) or one == pytest.approx(other, abs=1e-9)


@given(two_columns, st.randoms(use_true_random=False))
def test_the_order_of_what_was_rated_does_not_count_nor_whether_it_is_counted_up(
    rows: list[tuple[float, float]], rng: random.Random
) -> None:
    plain: list[Pair] = [(x, y, 1) for x, y in rows]
    counted: list[Pair] = [(x, y, rows.count((x, y))) for x, y in dict.fromkeys(rows)]
    rng.shuffle(counted)
    for measure in PAIRWISE:
        assert same(measure(plain), measure(counted)), measure.__name__


@given(units_of_three, st.permutations(range(3)))
def test_alpha_does_not_know_who_is_who(units: list[tuple[float | None, ...]], order: list[int]) -> None:
    for metric in ALPHA:
        assert same(alpha(units, metric), alpha([[unit[at] for at in order] for unit in units], metric))


@given(st.lists(st.tuples(scores, scores, scores), max_size=20), st.permutations(range(3)), scores)
@example([(1.0, 1.0, 0.1), (1.0, 1.0, 0.1), (1.0, 0.1, 1.0)], [0, 1, 2], 1.0)  # nothing to divide by, but for rounding
def test_the_intraclass_correlations_do_not_know_who_is_who_nor_where_the_scale_starts(
    rows: list[tuple[float, ...]], order: list[int], origin: float
) -> None:
    for measure in (icc_single, icc_mean):
        one = measure(icc_sums(rows, 3))
        other = measure(icc_sums([[row[at] for at in order] for row in rows], 3, origin))
        assert isinstance(one, Undefined) == isinstance(other, Undefined)
        assert (
            isinstance(one, Undefined)
            or isinstance(other, Undefined)
            or one == pytest.approx(other, rel=1e-6, abs=1e-6)
        )


@given(st.lists(scores, min_size=2, max_size=30))
def test_perfect_agreement_is_one_unless_nothing_varies(given_scores: list[float]) -> None:
    found = pairs_of(given_scores, given_scores)
    assert exact(found) == within_one(found) == 1
    assert mean_absolute_error(found) == bias(found) == 0
    sums = icc_sums([(score, score, score) for score in given_scores], 3)
    units = [(score, score, None) for score in given_scores]
    measures: list[Value] = [
        weighted_kappa(found), pearson(found), spearman(found), icc_single(sums), icc_mean(sums),
        *(alpha(units, metric) for metric in ALPHA),
    ]  # fmt: skip
    for value in measures:
        if len(set(given_scores)) == 1:
            assert isinstance(value, Undefined)
            assert "variance" in value.reason
        else:
            assert number(value) == pytest.approx(1, abs=1e-9)


@given(two_columns)
def test_nothing_is_ever_nan_or_beyond_its_bounds(rows: list[tuple[float, float]]) -> None:
    found = [(x, y, 1) for x, y in rows]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for measure in PAIRWISE:
            value = measure(found)
            assert isinstance(value, Undefined) or value == value
        for bounded in (exact, within_one, weighted_kappa, pearson, spearman):
            value = bounded(found)
            assert isinstance(value, Undefined) or -1 - 1e-9 <= value <= 1
        for icc in (icc_single, icc_mean):
            value = icc(icc_sums(rows, 2))
            assert isinstance(value, Undefined) or value <= 1 + 1e-9


# Where there is no number


@pytest.mark.parametrize("measure", PAIRWISE)
def test_nothing_rated_by_both_is_undefined(measure: Callable[[Sequence[Pair]], Value]) -> None:
    assert measure(pairs_of([1, None], [None, 2])) == Undefined("nothing was rated by both")


@pytest.mark.parametrize("score", [0.0, 7.0, 0.1])
def test_no_variance_is_undefined_and_not_one(score: float) -> None:
    found = pairs_of([score] * 9, [score] * 9)
    for value in (weighted_kappa(found), pearson(found), spearman(found)):
        assert isinstance(value, Undefined)
        assert "no variance" in value.reason
    assert exact(found) == 1


def test_one_who_always_gives_the_same_score_correlates_with_nobody() -> None:
    found = pairs_of([0.1] * 4, [1, 2, 3, 4])
    for correlation in (pearson, spearman):
        one = Undefined("no variance: one of the two always gives the same score")
        assert correlation(found) == correlation([(y, x, n) for x, y, n in found]) == one
        both = Undefined("no variance: each of the two always gives the same score")
        assert correlation(pairs_of([0.1] * 4, [3, 3, 3, 3])) == both
    # Agreement no better than chance, as scikit-learn has it: it varies, but not together.
    assert weighted_kappa(found) == pytest.approx(0)


def test_a_correlation_of_one_thing_is_undefined() -> None:
    assert pearson([(1, 2, 1)]) == spearman([(1, 2, 1)]) == Undefined("only one score was given by both")


def test_alpha_of_what_one_coder_saw_is_undefined() -> None:
    assert alpha([(1, None), (None, 2)], "ordinal") == Undefined("nothing was rated by two")


def test_an_intraclass_correlation_needs_two_things_and_more_signal_than_error() -> None:
    assert icc_single(icc_sums([(1, 2)], 2)) == Undefined("fewer than two things were rated by all annotators")
    assert isinstance(icc_single(icc_sums([(3, 3), (3, 3)], 2)), Undefined)
    # Each unit has the same mean: the formula would give 2 for the mean of both raters.
    crossed = icc_mean(icc_sums([(1, 3), (3, 1)], 2))
    assert isinstance(crossed, Undefined)
    assert "error" in crossed.reason


def same(one: Value, other: Value) -> bool:
    if isinstance(one, Undefined) or isinstance(other, Undefined):
        return isinstance(one, Undefined) and isinstance(other, Undefined)
    return abs(one - other) < 1e-9
