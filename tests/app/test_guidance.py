"""The guidance of a dimension: all of it where there is space, and what matters most where there is not."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from trajview.annotation.rubric import Band, Dimension
from trajview.app.annotate.guidance import band_of, guide

BANDS = (
    Band(0, 3, "Says things that nobody in its place would say, and says them often."),
    Band(4, 6, "Mostly itself."),
    Band(7, 10, "Nobody would doubt it."),
)
ACTING = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
DIMENSION = Dimension(
    "believability", 0, 10, True, "Does the agent act naturally, as its character would?", bands=BANDS
)


def texts(typed: str, width: int, height: int) -> list[tuple[str, str]]:
    return [(line.kind, line.text) for line in guide(DIMENSION, typed, width, height, "Ada")]


def test_all_bands_are_shown_where_there_is_space_and_the_present_one_is_marked() -> None:
    assert texts("5", 60, 10) == [
        ("head", "believability 0..10 · Ada"),
        ("text", "Does the agent act naturally, as its character would?"),
        ("band", "  0..3  Says things that nobody in its place would say, and"),
        ("band", "        says them often."),
        ("current", "▸ 4..6  Mostly itself."),
        ("band", " 7..10  Nobody would doubt it."),
    ]


def test_where_space_is_short_the_present_band_comes_first_then_its_neighbours() -> None:
    assert texts("2", 40, 5) == [
        ("head", "believability 0..10 · Ada"),
        ("text", "Does the agent act naturally, as its …"),
        ("current", "▸ 0..3  Says things that nobody in its"),
        ("current", "        place would say, and says them"),
        ("current", "        often."),
    ]
    assert [kind for kind, _ in texts("8", 40, 4)] == ["head", "text", "band", "current"]
    assert texts("8", 40, 2)[1:] == [("current", "▸7..10  Nobody would doubt it.")]


def test_a_score_between_two_bands_is_in_the_nearer_one() -> None:
    decimal = Dimension("d", 0, 10, bands=BANDS)
    assert band_of(decimal, "3.2") is BANDS[0]
    assert band_of(decimal, "3.9") is BANDS[1]
    assert band_of(decimal, "11") is band_of(decimal, "-") is band_of(decimal, "") is None


@given(
    text=st.text(max_size=120),
    bands=st.lists(st.text(max_size=200), max_size=5),
    typed=st.sampled_from(["", "0", "3", "10", "x", "-"]),
    width=st.integers(2, 60),
    height=st.integers(0, 12),
)
def test_no_text_leaves_the_space_and_the_present_band_is_always_there(
    text: str, bands: list[str], typed: str, width: int, height: int
) -> None:
    dimension = Dimension(
        "some_name", 0, 10, description=text, bands=tuple(Band(2 * i, 2 * i + 1, band) for i, band in enumerate(bands))
    )
    lines = guide(dimension, typed, width, height, "[/b] Ada")
    assert len(lines) <= height
    assert all(cell_len(line.text) <= width and not ACTING.search(line.text) for line in lines)
    current = band_of(dimension, typed)
    if current is not None and height >= 3:
        assert any(line.kind == "current" for line in lines)
