"""Counts of many resamples in one large integer come out as if they were counted one by one."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from trajview.annotation.resamples import Resamples

FEW, MANY = 100, 1 << 20
"""Pairs of scores for which counts get 32 bits, and 64."""


@pytest.mark.parametrize("most", [FEW, MANY])
def test_an_episode_counts_as_often_as_it_was_drawn(most: int) -> None:
    resamples = Resamples.drawn(random.Random(3), 7, 5, most)
    source = random.Random(3)
    drawn = [Counter(source.choices(range(7), k=7)) for _ in range(5)]
    assert resamples.unpack(resamples.count([2])) == [each[2] for each in drawn]
    assert resamples.unpack(resamples.count([2, 2, 5])) == [2 * each[2] + each[5] for each in drawn]
    assert resamples.unpack(resamples.ones) == [1] * 5


@pytest.mark.parametrize("most", [FEW, MANY])
def test_counts_are_multiplied_resample_by_resample(most: int) -> None:
    resamples = Resamples.drawn(random.Random(1), 9, 40, most)
    one, other = resamples.count([0, 1, 1, 4]), resamples.count(list(range(9)) * 11)
    expected = [x * y for x, y in zip(resamples.unpack(one), resamples.unpack(other), strict=True)]
    assert resamples.unpack(resamples.products(one, other)) == expected
    assert resamples.products(0, other) == 0


def test_there_is_room_for_all_pairs_at_the_highest_rank() -> None:
    """Every pair of the largest store that gets 32 bits is of one kind; one pair more gets 64."""
    most = 32767
    for pairs in (most, most + 1):
        resamples = Resamples.drawn(random.Random(0), 1, 3, pairs)
        kind = resamples.count([0] * pairs)
        rank = 4 * kind + resamples.ones
        assert resamples.unpack(resamples.products(kind, rank)) == [pairs * (4 * pairs + 1)] * 3
