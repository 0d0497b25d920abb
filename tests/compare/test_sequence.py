"""What two sequences have in common: in order, the same both ways, and never for long."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.compare.sequence import Cancelled, longest_increasing, matches

items = st.lists(st.sampled_from(["a", "b", "c", "}", "\ud800"]), max_size=30)
many = st.lists(st.integers(0, 60).map(str), max_size=150)  # beyond what is solved exactly


@given(st.one_of(items, many), st.one_of(items, many))
def test_blocks_are_equal_and_ascend_in_both(left: list[str], right: list[str]) -> None:
    at = 0, 0
    for i, j, size in matches(left, right):
        assert size > 0
        assert i >= at[0]
        assert j >= at[1]
        assert left[i : i + size] == right[j : j + size]
        at = i + size, j + size


@given(st.one_of(items, many), st.one_of(items, many))
def test_exchanged_sequences_match_in_the_same_way(left: list[str], right: list[str]) -> None:
    assert [(j, i, size) for i, j, size in matches(right, left)] == matches(left, right)


@given(many)
def test_a_sequence_is_one_block_with_itself(sequence: list[str]) -> None:
    assert matches(sequence, sequence) == ([(0, 0, len(sequence))] if sequence else [])


@given(items, items)
def test_few_items_are_solved_exactly(left: list[str], right: list[str]) -> None:
    table = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            table[i + 1][j + 1] = table[i][j] + 1 if a == b else max(table[i][j + 1], table[i + 1][j])
    assert sum(size for _, _, size in matches(left, right)) == table[-1][-1]


@given(many, st.data())
def test_what_was_put_in_is_found_by_the_lines_around_it(sequence: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(sequence)))
    longer = [*sequence[:at], "something new", *sequence[at:]]
    assert sum(size for _, _, size in matches(sequence, longer)) == len(sequence)


@given(st.lists(st.integers(0, 50), max_size=60))
def test_a_longest_increasing_subsequence_is_as_long_as_can_be(values: list[int]) -> None:
    chain = [values[index] for index in longest_increasing(values)]
    assert chain == sorted(set(chain))
    best: list[int] = []
    for index, value in enumerate(values):
        best.append(1 + max((best[i] for i in range(index) if values[i] < value), default=0))
    assert len(chain) == max(best, default=0)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (["}"] * 20_000, ["}", "x"] * 10_000),
        ([str(i) for i in range(20_000)], [str(i) for i in reversed(range(20_000))]),
        ([str(i % 7) for i in range(20_000)], [str(i % 11) for i in range(20_000)]),
        ([str(i * i % 977) for i in range(20_000)], [str(i * 3 % 977) for i in range(20_000)]),
    ],
    ids=["all alike", "backwards", "two periods", "no order"],
)
def test_sequences_made_to_be_hard_end_soon(left: list[str], right: list[str]) -> None:
    start = time.process_time()
    matches(left, right)
    assert time.process_time() - start < 5  # quadratic would be minutes


def test_a_check_that_raises_ends_it() -> None:
    def check() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        matches(["a", "b"], ["b", "c"], check)
