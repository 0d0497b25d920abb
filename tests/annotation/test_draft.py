"""Between the typed texts and the rewards of a record, both ways."""

from __future__ import annotations

from trajview.annotation.draft import Draft, bad_scores, disagreeing, loadable, overall, rewards_of, values_of
from trajview.annotation.rubric import SOTOPIA, Dimension, Rubric, reward_rubric


def test_rewards_are_the_mean_and_the_rated_dimensions_in_the_rubrics_order() -> None:
    assert rewards_of(({"goal": "8", "believability": "9", "secret": ""},), SOTOPIA) == [
        (8.5, {"believability": 9.0, "goal": 8.0})
    ]
    assert list(rewards_of(({"goal": "8", "believability": "9"},), SOTOPIA)[0][1]) == ["believability", "goal"]


def test_an_agent_without_scores_gets_the_bare_zero_that_means_not_rated() -> None:
    assert rewards_of(({"goal": "8"}, {}), SOTOPIA) == [(8.0, {"goal": 8.0}), 0.0]


def test_a_plain_reward_is_written_as_a_dimension_so_that_zero_is_not_taken_for_unrated() -> None:
    rubric = reward_rubric()
    assert rewards_of(({"reward": "0"},), rubric) == [(0.0, {"reward": 0.0})]
    assert values_of([(0.0, {"reward": 0.0})], rubric, 1) == ({"reward": "0"},)
    assert values_of([0.0], rubric, 1) == ({},)
    assert values_of([0.5], rubric, 1) == ({"reward": "0.5"},)


def test_an_edit_keeps_dimensions_that_the_rubric_does_not_know_and_counts_them() -> None:
    base = [(3.0, {"goal": 2.0, "humour": 4.0, "overall_score": 3.0})]
    assert rewards_of(({"goal": "6"},), SOTOPIA, base) == [(5.0, {"goal": 6.0, "humour": 4.0})]
    assert overall({"goal": "6"}, SOTOPIA, base[0]) == 5.0


def test_an_overall_without_dimensions_and_agents_beyond_those_rated_stay() -> None:
    assert rewards_of(({}, {"goal": "1"}), SOTOPIA, [3.5, 2.0, (1.0, {"goal": 1.0})]) == [
        3.5,
        (1.0, {"goal": 1.0}),
        (1.0, {"goal": 1.0}),
    ]


def test_clearing_the_scores_of_an_agent_clears_them() -> None:
    assert rewards_of(({},), SOTOPIA, [(3.0, {"goal": 3.0})]) == [0.0]


def test_values_are_padded_for_agents_that_the_record_does_not_have() -> None:
    assert values_of([(3.0, {"goal": 3.0, "overall_score": 3.0})], SOTOPIA, 2) == ({"goal": "3"}, {})


def test_bad_scores_are_found_by_agent_and_dimension() -> None:
    bad = bad_scores(({"goal": "11"}, {"goal": "x", "secret": "1"}), SOTOPIA)
    assert list(bad) == [(1, "secret"), (0, "goal"), (1, "goal")]


def test_drafts_compare_by_what_they_say() -> None:
    one = Draft("e", "r", ({"a": " 7", "b": ""}, {}), "why", base="x")
    assert one.says() == Draft("e", "r", ({"a": "7"},), "why").says()
    assert one.says() != Draft("e", "r", ({}, {"a": "7"}), "why").says()
    assert Draft("e", "r", ({"a": " "},), " \n").empty


def test_lone_surrogates_are_replaced_in_what_others_must_load() -> None:
    assert loadable("a\ud800b😀") == "a\ufffdb😀"


WHOLE = Rubric(
    "whole",
    (Dimension("own", 0, 10), Dimension("whole", 0, 10, per="episode"), Dimension("step", 0, 10, scope="unit")),
)


def test_what_is_rated_once_for_all_agents_stands_in_the_reward_of_each() -> None:
    for values in (({"whole": "4"}, {"own": "2"}), ({"own": "", "whole": "4"}, {"own": "2", "whole": "4"})):
        assert rewards_of(values, WHOLE) == [(4.0, {"whole": 4.0}), (3.0, {"own": 2.0, "whole": 4.0})]
    assert rewards_of(({}, {"whole": " "}), WHOLE) == [0.0, 0.0]


def test_what_is_rated_once_for_all_agents_fills_the_fields_of_each_and_the_first_counts() -> None:
    same = [(4.0, {"whole": 4.0}), (3.0, {"own": 2.0, "whole": 4.0})]
    assert values_of(same, WHOLE, 2) == ({"whole": "4"}, {"own": "2", "whole": "4"})
    assert disagreeing(same, WHOLE) == []
    other = [(4.0, {"whole": 4.0}), (7.0, {"whole": 7.0})]
    assert values_of(other, WHOLE, 2) == ({"whole": "4"}, {"whole": "4"})
    assert disagreeing(other, WHOLE) == ["whole"]
    assert disagreeing([(4.0, {"whole": 4.0}), 0.0], WHOLE) == ["whole"]


def test_scores_of_action_units_are_never_in_the_rewards() -> None:
    assert rewards_of(({"own": "1", "step": "9"},), WHOLE) == [(1.0, {"own": 1.0})]
    assert values_of([(1.0, {"own": 1.0, "step": 9.0})], WHOLE, 1) == ({"own": "1"},)
    assert rewards_of(({"own": "1"},), WHOLE, [(5.0, {"step": 9.0})]) == [(5.0, {"own": 1.0, "step": 9.0})]
    assert bad_scores(({"step": "x"},), WHOLE) == {}
