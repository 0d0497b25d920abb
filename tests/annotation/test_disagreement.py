"""The order in which disagreements are looked at, and what stands side by side."""

from __future__ import annotations

import pytest

from trajview.annotation.disagreement import compare, disagreements, not_submitted
from trajview.annotation.ratings import collect

from .test_agreement import record

RECORDS = [
    record("calm", "ana", {"goal": 5, "secret": -1}, {"goal": 7}),
    record("calm", "ben", {"goal": 5, "secret": -2}, {"goal": 7}),
    record("torn", "ana", {"goal": 1, "secret": 0}),
    record("torn", "ben", {"goal": 9, "secret": 0}),
    record("torn", "cho", {"goal": 4}),
    record("alone", "ana", {"goal": 3, "secret": -3}),
    record("calm", "gold", {"goal": 6}),
]


def test_the_largest_spread_comes_first_as_a_share_of_the_scale() -> None:
    torn, calm = disagreements(collect(RECORDS))
    assert (torn.episode, torn.annotators, torn.settled) == ("torn", ("ana", "ben", "cho"), False)
    assert torn.spread == pytest.approx((0.8 + 0) / 2)
    assert torn.widest is not None
    assert (torn.widest.dimension.name, torn.widest.agent, torn.widest.spread) == ("goal", 0, 0.8)
    assert (calm.episode, calm.settled) == ("calm", True)
    assert calm.spread == pytest.approx((0 + 0.1 + 0) / 3)


def test_what_one_has_rated_is_no_disagreement() -> None:
    assert "alone" not in [each.episode for each in disagreements(collect(RECORDS))]


def test_of_what_is_hidden_nothing_is_told_but_that_it_is_there() -> None:
    hidden = not_submitted(RECORDS, "cho")
    assert hidden == {"calm", "alone"}
    torn, calm = disagreements(collect(RECORDS), hidden)
    assert not torn.hidden
    assert (calm.hidden, calm.spread, calm.widest) == (True, 0.0, None)
    assert not_submitted(RECORDS, "ana") == frozenset()
    assert not_submitted(RECORDS, "somebody new") == {"calm", "torn", "alone"}


def test_a_dimension_without_a_known_range_is_as_wide_as_its_scores() -> None:
    records = [record("a", "ana", {"style": 10}), record("a", "ben", {"style": 30})]
    records += [record("b", "ana", {"style": 10}), record("b", "ben", {"style": 50})]
    assert [each.spread for each in disagreements(collect(records))] == [1.0, 0.5]
    same = [record("a", who, {"style": 10}) for who in ("ana", "ben")]
    assert [(each.spread, each.widest) for each in disagreements(collect(same))] == [(0.0, None)]


def test_everybody_stands_side_by_side_by_agent_with_gold_and_reasons() -> None:
    records = [each.model_copy(update={"reasoning": f"said {each.annotator_id}"}) for each in RECORDS]
    found = compare(collect(records), records, "calm")
    assert found.annotators == ("ana", "ben")
    assert [(row.agent, row.dimension.name) for row in found.rows] == [(0, "secret"), (0, "goal"), (1, "goal")]
    assert [row.gold for row in found.rows] == [None, 6.0, None]
    assert found.rows[1].scores == {"ana": 5.0, "ben": 5.0}
    assert found.reasons == {"ana": "said ana", "ben": "said ben", "gold": "said gold"}


def test_gold_may_rate_an_agent_that_nobody_else_has() -> None:
    records = [record("e", "ana", {"goal": 1}), record("e", "gold", {"goal": 2}, {"goal": 3})]
    assert [(row.agent, row.gold) for row in compare(collect(records), records, "e").rows] == [(0, 2.0), (1, 3.0)]


def test_an_episode_that_nobody_rated_is_empty() -> None:
    assert compare(collect(RECORDS), RECORDS, "nowhere").rows == ()
    assert disagreements(collect([])) == []
