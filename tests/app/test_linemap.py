"""The line map against a plain list of heights."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.app.shared.linemap import LineMap

HEIGHTS = st.lists(st.integers(0, 9), min_size=1, max_size=70)


def agrees(line_map: LineMap, heights: list[int]) -> None:
    assert len(line_map) == len(heights)
    assert line_map.total == sum(heights)
    for item in range(len(heights) + 1):
        assert line_map.start(item) == sum(heights[:item])
    rows = [(item, row) for item, height in enumerate(heights) for row in range(height)]
    for y, expected in enumerate(rows):
        assert line_map.find(y) == expected


@given(HEIGHTS, st.lists(st.tuples(st.integers(0, 69), st.integers(0, 9)), max_size=12))
def test_heights_that_change_move_every_row_below(heights: list[int], changes: list[tuple[int, int]]) -> None:
    line_map = LineMap(heights)
    agrees(line_map, heights)
    for item, height in changes:
        item %= len(heights)
        assert line_map.set(item, height) == height - heights[item]
        assert line_map.exact[item]
        heights[item] = height
        assert line_map.height(item) == height
    agrees(line_map, heights)


@given(HEIGHTS.filter(any), st.integers(-100, 1000))
def test_rows_outside_are_clamped(heights: list[int], row: int) -> None:
    line_map = LineMap(heights)
    assert line_map.find(row) == line_map.find(max(0, min(row, line_map.total - 1)))


def test_a_map_without_items_has_no_rows() -> None:
    line_map = LineMap([])
    assert (len(line_map), line_map.total, line_map.start(0)) == (0, 0, 0)
    with pytest.raises(IndexError):
        line_map.find(0)


@given(st.integers(1, 20))
def test_items_of_no_height_are_still_items(count: int) -> None:
    item, row = LineMap([0] * count).find(5)
    assert 0 <= item < count
    assert row == 0


def test_all_heights_are_estimates_at_first() -> None:
    line_map = LineMap([3, 3])
    line_map.set(1, 3)
    assert list(line_map.exact) == [0, 1]
