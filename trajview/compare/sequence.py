"""The common items of two sequences, in order, in about linear time.

Patience diff: equal ends are taken off, then what occurs as often in both is matched, rarest first (of lines, a brace
says little and a unique line much), and the same again between two matches. Bounded everywhere: a small rest is solved
exactly, a hopeless one is given up.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

__all__ = ["Block", "Cancelled", "longest_increasing", "matches", "nothing"]

Block = tuple[int, int, int]
"""The start of equal items in the left and in the right sequence, and their number."""

T = TypeVar("T", str, bytes)

_EXACT: Final = 1_600
"""Pairs of items up to which a rest is solved exactly."""
_LEVELS: Final = 24
"""Levels to which a rest is divided; beyond them, sequences made to need more are given up."""


class Cancelled(Exception):
    """Raised by the `check` that a caller passes in, where the result is not wanted any more."""


def nothing() -> None:
    """Check nothing: for a caller who never cancels."""


def matches(left: Sequence[T], right: Sequence[T], check: Callable[[], None] = nothing) -> list[Block]:
    """The blocks of equal items, ascending in both, no two of them touching in both.

    With the sequences exchanged the blocks are the same, exchanged. `check` is called now and then, and may raise.
    """
    left, right = list(left), list(right)
    if right < left:  # break ties the same way whichever side comes first
        return [(j, i, size) for i, j, size in matches(right, left, check)]
    found: list[Block] = []
    rest = [(0, len(left), 0, len(right), 0)]
    while rest:
        a, a_end, b, b_end, level = rest.pop()
        check()
        start = a
        while a < a_end and b < b_end and left[a] == right[b]:
            a, b = a + 1, b + 1
        if a > start:
            found.append((start, b - (a - start), a - start))
        size = 0
        while a < a_end and b < b_end and left[a_end - 1] == right[b_end - 1]:
            a_end, b_end, size = a_end - 1, b_end - 1, size + 1
        if size:
            found.append((a_end, b_end, size))
        if a == a_end or b == b_end or level == _LEVELS:
            continue
        if (a_end - a) * (b_end - b) <= _EXACT:
            found += [(a + i, b + j, 1) for i, j in _longest_common(left[a:a_end], right[b:b_end])]
            continue
        before = a, b
        for i, j in _anchors(left[a:a_end], right[b:b_end]):
            rest.append((before[0], a + i, before[1], b + j, level + 1))
            found.append((a + i, b + j, 1))
            before = a + i + 1, b + j + 1
        if before != (a, b):
            rest.append((before[0], a_end, before[1], b_end, level + 1))
    return _joined(sorted(found))


def _anchors(left: Sequence[T], right: Sequence[T]) -> list[tuple[int, int]]:
    """Pairs of the rarest items that both have, ascending in both; none if they have nothing in common."""
    in_left, in_right = Counter(left), Counter(right)
    common = {item: max(count, in_right[item]) for item, count in in_left.items() if item in in_right}
    if not common:
        return []
    even = {item: count for item, count in common.items() if in_left[item] == in_right[item]}
    common = even or common  # the third of three corresponds to the third of three, hardly to the third of five
    rarest = min(common.values())
    wanted = {item for item, count in common.items() if count == rarest}
    places: dict[T, list[int]] = {item: [] for item in wanted}
    for j, item in enumerate(right):
        if item in wanted:
            places[item].append(j)
    used: Counter[T] = Counter()
    pairs = []
    for i, item in enumerate(left):
        if item in wanted and used[item] < len(places[item]):
            pairs.append((i, places[item][used[item]]))
            used[item] += 1
    return [pairs[index] for index in longest_increasing([j for _, j in pairs])]


def longest_increasing(values: Sequence[int]) -> list[int]:
    """The indices of a longest strictly increasing subsequence (patience sorting)."""
    tails: list[int] = []
    ends: list[int] = []
    before = [-1] * len(values)
    for index, value in enumerate(values):
        pile = bisect_left(tails, value)
        if pile == len(tails):
            tails.append(value)
            ends.append(index)
        else:
            tails[pile], ends[pile] = value, index
        before[index] = ends[pile - 1] if pile else -1
    chain = []
    at = ends[-1] if ends else -1
    while at >= 0:
        chain.append(at)
        at = before[at]
    return chain[::-1]


def _longest_common(left: Sequence[T], right: Sequence[T]) -> list[tuple[int, int]]:
    """A longest common subsequence, exactly; for few items."""
    width = len(right) + 1
    table = [[0] * width]
    for item in reversed(left):
        below, row = table[-1], [0] * width
        for j in range(width - 2, -1, -1):
            row[j] = below[j + 1] + 1 if item == right[j] else max(below[j], row[j + 1])
        table.append(row)
    table.reverse()
    pairs = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] == right[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif table[i + 1][j] >= table[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _joined(blocks: Sequence[Block]) -> list[Block]:
    joined: list[Block] = []
    for i, j, size in blocks:
        if joined and (last := joined[-1])[0] + last[2] == i and last[1] + last[2] == j:
            joined[-1] = (last[0], last[1], last[2] + size)
        else:
            joined.append((i, j, size))
    return joined
