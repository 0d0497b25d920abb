"""Rewards kept as a row of numbers are the rewards that they were made of, for everyone who looks at them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from trajview import open_corpus
from trajview.corpus.rewards import Rewards, row_of
from trajview.where.fields import mean_reward

FLOAT = st.floats(allow_nan=False)
NAMES = st.lists(st.sampled_from(["goal", "secret", "", "é😀"]), unique=True, max_size=3)


@st.composite
def alike(draw: st.DrawFn) -> tuple[Any, ...]:
    """The rewards of some agents, with scores in the same dimensions."""
    names = draw(NAMES)
    return tuple(
        (draw(FLOAT), {name: draw(FLOAT) for name in names}) for _ in range(draw(st.integers(min_value=1, max_value=3)))
    )


def kept(rewards: tuple[Any, ...]) -> Rewards:
    found = row_of(rewards)
    assert found is not None
    return Rewards(*found)


@given(alike())
def test_they_are_the_rewards_that_they_were_made_of(rewards: tuple[Any, ...]) -> None:
    row = kept(rewards)
    assert row == rewards
    assert rewards == row
    assert row == kept(rewards)
    assert repr(tuple(row)) == repr(rewards)
    assert (len(row), bool(row), row[0]) == (len(rewards), True, rewards[0])
    assert row != kept((*rewards, rewards[0]))
    assert row != rewards[:-1]


@given(alike(), st.sampled_from([None, "goal", "secret", "absent"]))
def test_means_and_dimensions_are_those_of_plain_rewards(rewards: tuple[Any, ...], dimension: str | None) -> None:
    expected, found = mean_reward(rewards, dimension), mean_reward(kept(rewards), dimension)
    assert found == expected or (math.isnan(found) and math.isnan(expected))


def test_what_is_no_number_is_left_out_of_means_and_equal_to_itself() -> None:
    rewards = ((math.nan, {"goal": 1.0}), (2.0, {"goal": math.nan}))
    row = kept(rewards)
    assert row == kept(rewards)
    assert (mean_reward(row), mean_reward(row, "goal")) == (2.0, 1.0)


def test_rewards_that_differ_in_kind_stay_as_they_are() -> None:
    mixed: list[tuple[Any, ...]] = [
        (), (1.0,), (1.0, (2.0, {"goal": 1.0})), ((2.0, {"goal": 1.0}), 1.0),
        ((2.0, {"goal": 1.0}), (2.0, {"secret": 1.0})), ((1.0, {"a": 1.0, "b": 2.0}), (1.0, {"b": 2.0, "a": 1.0})),
        ((1.0, {"goal": 2**64}),),
    ]  # fmt: skip
    assert [row_of(rewards) for rewards in mixed] == [None] * len(mixed)


def test_no_rewards_are_an_empty_row() -> None:
    row = Rewards(("goal",), b"")
    assert (len(row), bool(row), tuple(row), row == ()) == (0, False, (), True)


def test_runs_of_a_log_keep_their_rewards_in_rows_and_share_the_dimensions(tmp_path: Path) -> None:
    said = [
        [["Environment", "Ann", "Scenario: a shop\n"], ["Ann", "Environment", 'said: "Hi."']],
        [["Bo", "Environment", "left"]],
    ]
    scored = [[1.5, {"goal": 2.0, "secret": 1.0}], [0.5, {"goal": 0.0, "secret": 1.0}]]
    records = [
        {"pk": f"p{number}", "environment": "e", "agents": ["a", "b"], "messages": said, "reasoning": "", "rewards": rewards}
        for number, rewards in enumerate([scored, [3.0, 4.0], scored, None])
    ]  # fmt: skip
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(record) + "\n" for record in records))
    runs = list(open_corpus(log))
    expected = ((1.5, {"goal": 2.0, "secret": 1.0}), (0.5, {"goal": 0.0, "secret": 1.0}))
    assert [info.rewards for info in runs] == [expected, (3.0, 4.0), expected, ()]
    first, third = runs[0].rewards, runs[2].rewards
    assert isinstance(first, Rewards)
    assert isinstance(third, Rewards)
    assert first.names is third.names
