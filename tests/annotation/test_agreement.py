"""The comparison of annotators with each other and with the log, from records to figures with intervals."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajview.annotation.agreement import AGAINST, BETWEEN, Against, Agreement, Between, Estimate, agreement, interval
from trajview.annotation.ratings import Ratings, collect, scores_in
from trajview.annotation.rubric import Dimension, Rubric
from trajview.models.run import Reward
from trajview.models.sotopia import AnnotationForEpisode


def record(episode: str, annotator: str, *agents: Mapping[str, float] | float) -> AnnotationForEpisode:
    rewards: list[Reward] = [
        agent if isinstance(agent, float) else (sum(agent.values()) / max(1, len(agent)), dict(agent))
        for agent in agents
    ]
    return AnnotationForEpisode(pk="", episode=episode, annotator_id=annotator, rewards=rewards, reasoning="")


def team(
    seed: int = 1, episodes: int = 20, annotators: Sequence[str] = ("ana", "ben", "cho")
) -> list[AnnotationForEpisode]:
    """Annotators who mostly agree on two dimensions of two agents, and leave some out."""
    rng = random.Random(seed)
    records = []
    for episode in range(episodes):
        truth = [{"goal": rng.randint(1, 9), "secret": rng.randint(-9, -1)} for _ in range(2)]
        for annotator in annotators:
            rewards = [
                {
                    name: float(score + rng.choice((-1, 0, 0, 0, 1)))
                    for name, score in agent.items()
                    if rng.random() < 0.9
                }
                for agent in truth
            ]
            if any(rewards):
                records.append(record(f"e{episode}", annotator, *(agent or 0.0 for agent in rewards)))
    return records


def of(found: Agreement, dimension: str) -> Between:
    return next(each for each in found.between if each.dimension.name == dimension)


def versus(found: Agreement, dimension: str, who: str) -> Against:
    return next(each for each in found.against if each.dimension.name == dimension and each.who == who)


def value(estimate: Estimate) -> float:
    assert estimate.value is not None, estimate.reason
    return estimate.value


# From records to scores


def test_a_bare_zero_is_not_rated_and_any_other_bare_number_is_the_overall() -> None:
    assert scores_in(0.0) == {}
    assert scores_in(0.0, zero_counts=True) == {"overall": 0.0}
    assert scores_in(3.5) == {"overall": 3.5}
    assert scores_in((4.0, {"goal": 4.0, "overall_score": 9.0})) == {"overall": 4.0, "goal": 4.0}
    assert scores_in((0.0, {})) == {}


def test_a_score_that_is_no_finite_number_is_no_score() -> None:
    assert scores_in((float("nan"), {"goal": float("inf"), "secret": -3.0})) == {"secret": -3.0}
    assert scores_in(1e300) == {}


def test_scores_stand_side_by_side_by_agent_and_a_missing_agent_is_missing() -> None:
    found = collect([record("e", "ben", {"goal": 3}, {"goal": 4}), record("e", "ana", {"goal": 5})])
    assert found.annotators == ("ana", "ben")
    assert found.scores == {"goal": {"e": [{"ana": 5.0, "ben": 3.0}, {"ben": 4.0}]}}
    assert found.episodes == {"ana": 1, "ben": 1}


def test_the_overall_is_compared_beside_several_dimensions_but_not_beside_one() -> None:
    several = collect([record("e", "ana", {"goal": 3, "secret": -2})])
    assert [dimension.name for dimension in several.dimensions] == ["secret", "goal", "overall"]
    one = collect([record("e", "ana", {"reward": 0.5})])
    assert [dimension.name for dimension in one.dimensions] == ["reward"]


def test_a_rubric_chooses_the_dimensions_and_their_order() -> None:
    rubric = Rubric(
        "two", (Dimension("style", 0, 5), Dimension("goal", 0, 10), Dimension("progress", 0, 1, scope="unit"))
    )
    found = collect([record("e", "ana", {"goal": 3, "secret": -2, "progress": 1})], rubric=rubric)
    assert [dimension.name for dimension in found.dimensions] == ["style", "goal", "overall"]


def test_a_score_of_the_whole_episode_counts_once_and_not_for_every_agent() -> None:
    rubric = Rubric("whole", (Dimension("fun", 0, 5, per="episode"),))
    found = collect([record("e", who, {"fun": 3}, {"fun": 3}) for who in ("ana", "ben")], rubric=rubric)
    assert found.scores["fun"]["e"] == [{"ana": 3.0, "ben": 3.0}]


def test_gold_is_nobodys_opinion() -> None:
    found = collect([record("e", who, {"goal": 3}) for who in ("ana", "gold", "ben")])
    assert found.annotators == ("ana", "ben")
    assert found.gold == {"goal": {"e": {0: 3.0}}}
    assert collect([record("e", "gold", {"goal": 3})], gold="final").annotators == ("gold",)


def test_only_those_who_are_asked_for_count() -> None:
    found = collect([record("e", who, {"goal": 3}) for who in ("ana", "ben", "cho")], only=["ana", "cho"])
    assert found.annotators == ("ana", "cho")


def test_two_records_of_one_annotator_that_rate_the_same_are_reported_and_two_that_do_not_add_up() -> None:
    twice = collect([record("e", "ana", {"goal": 3}), record("e", "ana", {"goal": 4, "secret": -1})])
    assert twice.scores["goal"]["e"] == [{"ana": 4.0}]
    assert "ana has several records of e" in str(twice.problems[0])
    both = collect([record("e", "ana", {"goal": 3}), record("e", "ana", {"style": 4})])
    assert both.scores["style"]["e"] == [{"ana": 4.0}]
    assert both.problems == ()


# Between annotators


def test_two_annotators_by_hand() -> None:
    found = agreement(
        collect([record(str(i), "ana", {"goal": float(i)}) for i in range(4)]
        + [record(str(i), "ben", {"goal": y}) for i, y in enumerate((0.0, 2.0, 2.0, 6.0))])
    )  # fmt: skip
    goal = of(found, "goal")
    assert (goal.rated, goal.episodes, goal.shared, goal.pairs) == ({"ana": 4, "ben": 4}, 4, 4, 4)
    assert value(goal.figures["exact"]) == 0.5
    assert value(goal.figures["within_one"]) == 0.75
    # 1 - (0 + 1 + 0 + 9) / 4 / mean of all 16 squared differences (112 / 16)
    assert value(goal.figures["kappa"]) == pytest.approx(1 - 2.5 / (112 / 16))
    assert value(goal.figures["spearman"]) == pytest.approx(0.9486832980505138)


def test_more_than_two_annotators_give_the_mean_of_their_pairs_and_all_pairs_of_scores() -> None:
    def rate(name: str, *scores: float) -> list[AnnotationForEpisode]:
        return [record(str(i), name, {"goal": score}) for i, score in enumerate(scores)]

    ana, ben, cho = rate("ana", 1, 2, 3, 4), rate("ben", 1, 2, 4, 4), rate("cho", 4, 3, 2, 1)
    together = of(agreement(collect(ana + ben + cho), resamples=0), "goal").figures
    pairs = [of(agreement(collect(pair), resamples=0), "goal").figures for pair in (ana + ben, ana + cho, ben + cho)]
    for name in ("kappa", "spearman", "exact"):
        assert value(together[name]) == pytest.approx(sum(value(pair[name]) for pair in pairs) / 3), name


def test_missing_scores_leave_out_no_more_than_they_must() -> None:
    records = [record("0", "ana", {"goal": 1}), record("0", "ben", {"goal": 2}), record("1", "ana", {"goal": 5})]
    records += [record("1", "cho", {"goal": 5}), record("2", "cho", {"goal": 9})]
    goal = of(agreement(collect(records)), "goal")
    assert (goal.rated, goal.shared, goal.pairs) == ({"ana": 2, "ben": 1, "cho": 2}, 2, 2)
    assert value(goal.figures["exact"]) == 0.5
    assert goal.figures["icc_single"].reason == "fewer than two things were rated by all annotators"


def test_one_annotator_has_nobody_to_agree_with() -> None:
    found = agreement(collect([record("e", "ana", {"goal": 1}), record("f", "ana", {"goal": 2})]))
    assert {estimate.value for estimate in of(found, "goal").figures.values()} == {None}
    assert of(found, "goal").figures["exact"].reason == "nothing was rated by both"


def test_no_variance_is_undefined_with_its_reason() -> None:
    found = agreement(collect([record(str(i), who, {"goal": 7}) for i in range(5) for who in ("ana", "ben")]))
    figures = of(found, "goal").figures
    for name in set(BETWEEN) - {"exact", "within_one"}:
        assert figures[name].value is figures[name].low is figures[name].high is None
        assert "no variance" in figures[name].reason
    assert figures["exact"] == Estimate(1.0, 1.0, 1.0)


def test_within_one_says_nothing_where_the_scale_is_no_wider() -> None:
    records = [record(str(i), who, {"reward": i / 4}) for i in range(5) for who in ("ana", "ben")]
    assert (
        of(agreement(collect(records)), "reward").figures["within_one"].reason == "the whole scale is no wider than one"
    )
    wide = Rubric("wide", (Dimension("reward", 0, 10),))
    assert value(of(agreement(collect(records, rubric=wide)), "reward").figures["within_one"]) == 1


def test_nothing_at_all_is_no_error() -> None:
    assert agreement(collect([])) == Agreement()
    assert agreement(Ratings()).between == ()


# Against the log


def test_the_mean_each_annotator_and_gold_are_compared_with_the_log() -> None:
    records = [record(str(i), "ana", {"goal": i}) for i in range(4)] + [
        record(str(i), "ben", {"goal": i + 2}) for i in range(4)
    ]
    records += [record("0", "gold", {"goal": 1}), record("3", "gold", {"goal": 3})]
    model = {str(i): [scores_in((9.0, {"goal": float(i * 2)}))] for i in range(3)}
    found = agreement(collect(records, model))
    assert [each.who for each in found.against] == ["mean", "ana", "ben", "gold"]
    assert (found.modelled, found.gold) == (3, 2)
    mean = versus(found, "goal", "mean")
    assert mean.pairs == 3
    assert value(mean.figures["pearson"]) == pytest.approx(1)
    assert value(mean.figures["mae"]) == pytest.approx((1 + 0 + 1) / 3)
    assert value(mean.figures["bias"]) == pytest.approx((-1 + 0 + 1) / 3)
    assert value(versus(found, "goal", "ana").figures["bias"]) == pytest.approx(1)
    assert versus(found, "goal", "gold").figures["pearson"].reason == "only one score was given by both"
    assert set(mean.figures) == set(AGAINST)


def test_a_bare_reward_in_the_log_is_compared_with_the_one_thing_that_people_rated() -> None:
    records = [record(str(i), "ana", {"success": float(i % 2)}) for i in range(4)]
    found = agreement(collect(records, {str(i): [scores_in(float(i % 2), zero_counts=True)] for i in range(4)}))
    assert value(versus(found, "success", "ana").figures["mae"]) == 0


def test_a_bare_reward_in_the_log_is_not_compared_with_one_of_several_dimensions() -> None:
    found = agreement(collect([record("e", "ana", {"goal": 3, "secret": -1})], {"e": [scores_in(2.0)]}))
    assert [(each.dimension.name, each.pairs) for each in found.against] == [("overall", 1)]


# Intervals


def test_the_same_seed_gives_the_same_intervals_and_another_one_others() -> None:
    ratings = collect(team())
    assert agreement(ratings, resamples=50) == agreement(ratings, resamples=50)
    one, other = (of(agreement(ratings, resamples=50, seed=seed), "goal").figures["kappa"] for seed in (0, 1))
    assert one.value == other.value
    assert (one.low, one.high) != (other.low, other.high)


def test_an_interval_is_the_percentiles_of_resampled_episodes() -> None:
    """Both agents of an episode are drawn together: checked against a bootstrap by hand, with the same draws."""
    records = [record(str(i), "ana", {"goal": i % 7}, {"goal": (3 * i) % 5}) for i in range(12)]
    model = {str(i): [{"goal": float((i * i) % 7)}, {"goal": float(i % 4)}] for i in range(12)}
    found = versus(agreement(collect(records, model), seed=3, resamples=200), "goal", "ana").figures["mae"]
    errors = sorted(
        [[(float(i % 7), float((i * i) % 7)), (float((3 * i) % 5), float(i % 4))] for i in range(12)]
    )  # in the order of their scores
    rng = random.Random(3)
    means = []
    for _ in range(200):
        drawn = [abs(x - y) for at in rng.choices(range(12), k=12) for x, y in errors[at]]
        means.append(sum(drawn) / len(drawn))
    assert (found.low, found.high) == pytest.approx(tuple(numpy.quantile(means, [0.025, 0.975])))


@pytest.mark.parametrize("step", [1.0, 1 / 7], ids=["whole", "decimals"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_every_interval_is_that_of_episodes_drawn_one_by_one(step: float, missing: float) -> None:
    """The counts of many resamples are added up together; here each resample is a store of its own."""
    rng = random.Random(11)
    names, resamples = ("ana", "ben", "cho"), 30
    episodes = [
        [
            {name: (base + rng.randint(-2, 2)) * step for name in names if name == "ana" or rng.random() >= missing}
            for base in (episode % 9, 9 - episode % 7)
        ]
        for episode in range(25)
    ]
    episodes = [agents for agents in episodes if any(len(agent) > 1 for agent in agents)]
    # Resamples are drawn from episodes in the order of their scores.
    episodes.sort(key=lambda agents: [[(name in agent, agent.get(name, 0.0)) for name in names] for agent in agents])
    whole = agreement(ratings_of(episodes), resamples=resamples, seed=4)
    draw = random.Random(4)
    drawn = [agreement(ratings_of(draw.choices(episodes, k=len(episodes))), resamples=0) for _ in range(resamples)]
    for name, found in of(whole, "goal").figures.items():
        assert (found.low, found.high) == pytest.approx(
            interval([value(of(each, "goal").figures[name]) for each in drawn])
        )


def ratings_of(episodes: Sequence[Sequence[Mapping[str, float]]]) -> Ratings:
    named = {str(number): agents for number, agents in enumerate(episodes)}
    return Ratings(("ana", "ben", "cho"), {"goal": named}, dimensions=(Dimension("goal", -100, 100),))


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=60), st.sampled_from([0.5, 0.9, 0.95]))
def test_percentiles_are_numpys(values: list[float], level: float) -> None:
    wanted = numpy.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    assert interval(values, level) == pytest.approx(tuple(wanted), abs=1e-9)


def test_the_interval_of_a_mean_is_about_that_of_scipys_bootstrap() -> None:
    from scipy.stats import bootstrap

    rng = random.Random(5)
    errors = [float(rng.randint(0, 9)) for _ in range(80)]
    records = [record(str(i), "ana", {"goal": 0.0 + error}) for i, error in enumerate(errors)]
    model = {str(i): [{"goal": 0.0}] for i in range(80)}
    ours = versus(agreement(collect(records, model)), "goal", "ana").figures["mae"]
    theirs = bootstrap(
        (errors,), numpy.mean, method="percentile", n_resamples=4000, rng=numpy.random.default_rng(1)
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.12)


def test_one_episode_has_figures_but_no_interval() -> None:
    found = agreement(
        collect([record("e", "ana", {"goal": 3}, {"goal": 5}), record("e", "ben", {"goal": 3}, {"goal": 6})])
    )
    assert of(found, "goal").figures["exact"] == Estimate(0.5, reason="no interval: fewer than two episodes")


def test_an_interval_of_what_is_mostly_undefined_is_none() -> None:
    """One episode of six varies: a third of the resamples miss it."""
    records = [record(str(i), who, {"goal": 9.0 if i == 5 else 1.0}) for i in range(6) for who in ("ana", "ben")]
    kappa = of(agreement(collect(records)), "goal").figures["kappa"]
    assert kappa.value == 1
    assert kappa.low is kappa.high is None
    assert kappa.reason.startswith("no interval: undefined in 3")


def test_progress_ends_at_the_whole_and_what_it_raises_ends_the_work() -> None:
    seen: list[tuple[int, int]] = []
    agreement(collect(team()), resamples=120, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1] == 3 * 120

    def stop(done: int, total: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        agreement(collect(team()), progress=stop)


# What must hold


@settings(max_examples=12)
@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_neither_the_order_of_records_nor_the_names_of_episodes_count(seed: int, rng: random.Random) -> None:
    records = team(seed, 6)
    shuffled = rng.sample(records, len(records))
    names = {f"e{i}": f"x{at}" for i, at in enumerate(rng.sample(range(6), 6))}
    renamed = [each.model_copy(update={"episode": names[each.episode]}) for each in shuffled]
    assert figures_of(records) == figures_of(renamed)


@settings(max_examples=12)
@given(st.integers(0, 10_000), st.permutations(("ana", "ben", "cho")))
def test_the_names_of_annotators_do_not_count(seed: int, names: list[str]) -> None:
    records = team(seed, 6)
    new = dict(zip(("ana", "ben", "cho"), names, strict=True))
    renamed = [each.model_copy(update={"annotator_id": new[each.annotator_id]}) for each in records]
    for one, other in zip(figures_of(records, 0), figures_of(renamed, 0), strict=True):
        for name in BETWEEN:
            assert (one[name].value is None) == (other[name].value is None)
            assert one[name].value is None or one[name].value == pytest.approx(other[name].value, abs=1e-9)


def figures_of(records: Sequence[AnnotationForEpisode], resamples: int = 20) -> list[Mapping[str, Estimate]]:
    return [each.figures for each in agreement(collect(records), resamples=resamples).between]
