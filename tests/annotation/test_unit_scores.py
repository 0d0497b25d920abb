"""A unit's scores and note on one line: what is typed is understood, and what is stored is typed back the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.annotation.rubric import SOTOPIA, BadScore, Dimension, Rubric
from trajview.annotation.unit_scores import parse_unit, score_text, unit_dimensions, unit_text

PROGRESS = Dimension("progress", -1, 1, scope="unit")
EFFORT = Dimension("effort", 0, 10, True, scope="unit")
BOTH = (PROGRESS, EFFORT)


@pytest.mark.parametrize(
    ("typed", "scores", "note"),
    [
        ("", {}, ""),
        ("0.5", {"progress": 0.5}, ""),
        ("-1 10 went in circles", {"progress": -1.0, "effort": 10.0}, "went in circles"),
        ("0.5 went in circles", {"progress": 0.5}, "went in circles"),
        ("- 3", {"effort": 3.0}, ""),
        ("- - 3 attempts", {}, "3 attempts"),
        ("went in circles", {}, "went in circles"),
        ("1 2 3 attempts", {"progress": 1.0, "effort": 2.0}, "3 attempts"),
        ("  .5\t7  two   words ", {"progress": 0.5, "effort": 7.0}, "two words"),
    ],
)
def test_numbers_come_first_and_the_rest_is_the_note(typed: str, scores: dict[str, float], note: str) -> None:
    assert parse_unit(typed, BOTH) == (scores, note)


@pytest.mark.parametrize(
    ("typed", "says"),
    [("2", "progress: out of range -1..1"), ("0 2.5", "effort: whole numbers only"), ("3rd try", "progress: not a number"), ("0,5", "point")],
)  # fmt: skip
def test_what_is_no_score_is_said_with_its_dimension(typed: str, says: str) -> None:
    bad = parse_unit(typed, BOTH)
    assert isinstance(bad, BadScore)
    assert says in bad.sentence
    assert "- leaves it out" in bad.sentence


@given(
    st.dictionaries(st.just("progress"), st.floats(-1, 1).map(lambda x: round(x, 3) + 0.0)),
    st.dictionaries(st.just("effort"), st.integers(0, 10).map(float)),
    st.text(max_size=30) | st.text("-–3. a", max_size=8),
)
def test_what_is_stored_is_read_back_from_its_line(
    progress: dict[str, float], effort: dict[str, float], note: str
) -> None:
    scores = {**progress, **effort}
    assert parse_unit(unit_text(scores, note, BOTH), BOTH) == (scores, " ".join(note.split()))


def test_a_score_in_the_outline_takes_a_few_characters() -> None:
    assert score_text({}) == ""
    assert score_text({"reward": 1.0}) == "1"
    assert score_text({"progress": 0.5, "effort": 1.0}) == "ø0.75"


def test_a_rubric_without_dimensions_of_units_asks_for_a_reward() -> None:
    [reward] = unit_dimensions(SOTOPIA, (-1.0, 1.0))
    assert (reward.name, reward.low, reward.high) == ("reward", -1.0, 1.0)
    assert unit_dimensions(Rubric("mine", (*SOTOPIA.dimensions, *BOTH))) == BOTH
