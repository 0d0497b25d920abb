"""Typed scores: what counts, what is refused and how that is said."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.annotation.rubric import (
    SOTOPIA,
    BadScore,
    Dimension,
    mean_of,
    parse_score,
    reward_rubric,
    rubric_for,
    written,
)

GOAL = SOTOPIA.dimensions[-1]
REWARD = reward_rubric(-1, 1).dimensions[0]


def test_sotopia_has_its_seven_dimensions_in_order_with_their_ranges() -> None:
    assert [(d.name, d.low, d.high, d.integer) for d in SOTOPIA.dimensions] == [
        ("believability", 0, 10, True),
        ("relationship", -5, 5, True),
        ("knowledge", 0, 10, True),
        ("secret", -10, 0, True),
        ("social_rules", -10, 0, True),
        ("financial_and_material_benefits", -5, 5, True),
        ("goal", 0, 10, True),
    ]


def test_the_rubric_is_sotopias_for_episodes_and_one_reward_for_all_others() -> None:
    assert rubric_for("sotopia") is SOTOPIA
    other = rubric_for("docent", (0.0, 5.0))
    assert [(d.name, d.low, d.high, d.integer) for d in other.dimensions] == [("reward", 0.0, 5.0, False)]


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("7", 7.0),
        (" 7 ", 7.0),
        ("+7", 7.0),
        ("07", 7.0),
        ("7.", 7.0),
        ("7.0", 7.0),
        ("10", 10.0),
        ("0", 0.0),
        ("-0", 0.0),
    ],
)
def test_a_number_in_range_is_a_score(text: str, score: float) -> None:
    parsed = parse_score(text, GOAL)
    assert parsed == score
    assert isinstance(parsed, float)
    assert math.copysign(1, parsed) == 1


@pytest.mark.parametrize("text", ["", "  ", "\t"])
def test_nothing_typed_is_not_rated(text: str) -> None:
    assert parse_score(text, GOAL) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("11", "0..10"),
        ("-1", "0..10"),
        ("9" * 39, "0..10"),
        ("9" * 500, "not a number"),
        ("abc", "not a number"),
        ("nan", "not a number"),
        ("inf", "not a number"),
        ("-inf", "not a number"),
        ("1e1", "not a number"),
        ("1_0", "not a number"),
        ("٣", "not a number"),
        ("7,5", "7.5 with a point"),
        ("7.5", "whole numbers"),
        ("7 8", "not a number"),
        ("[/b]", "not a number"),
    ],
)
def test_what_is_no_score_says_why(text: str, says: str) -> None:
    bad = parse_score(text, GOAL)
    assert isinstance(bad, BadScore)
    assert says in bad.sentence
    assert not bad.unfinished


@pytest.mark.parametrize("text", ["-", "+", ".", "-.", "−"])
def test_a_sign_alone_is_bad_but_unfinished(text: str) -> None:
    bad = parse_score(text, GOAL)
    assert isinstance(bad, BadScore)
    assert bad.unfinished


def test_decimals_and_the_typographic_minus_count_where_whole_numbers_are_not_demanded() -> None:
    assert parse_score("−.5", REWARD) == -0.5
    assert parse_score("0.25", REWARD) == 0.25
    assert isinstance(parse_score("1.01", REWARD), BadScore)


@given(st.text(max_size=30))
def test_any_text_gives_a_score_in_range_or_a_sentence(text: str) -> None:
    dimension = Dimension("d", -3, 4)
    parsed = parse_score(text, dimension)
    if isinstance(parsed, float):
        assert -3 <= parsed <= 4
    elif parsed is not None:
        assert parsed.sentence


@given(st.floats(min_value=-1e6, max_value=1e6))
def test_a_written_score_parses_to_itself(value: float) -> None:
    text = written(value)
    if "e" not in text:
        assert parse_score(text, Dimension("d", -1e6, 1e6)) == value


def test_the_overall_is_the_plain_mean_and_nothing_has_none() -> None:
    assert mean_of([10, -5, 1]) == 2.0
    assert mean_of([]) is None
