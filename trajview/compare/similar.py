"""Pairs of similar things from two sequences without equal ones: by the words that they share.

Not every pair is looked at where there are many: candidates are those that share words that few others have, and of them
the heaviest chain that ascends in both is taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from .sequence import nothing

__all__ = ["Features", "likeness", "similar", "words_of"]

LEAST: Final = 0.5
"""The likeness below which two things do not correspond."""
_EVERY_PAIR: Final = 400
_RARE: Final = 3
"""Things of one side with the same word from which on that word is ignored."""
_RAREST: Final = 24
"""Words of a thing that are looked up."""
_CANDIDATES: Final = 6


class Features(NamedTuple):
    """The features that likeness is measured by: `shape` (who acts, and with which tools) and the words."""

    shape: tuple[str, ...]
    words: frozenset[str]


def words_of(text: str, most: int = 800) -> frozenset[str]:
    """The words of a text, of a long one those of its beginning and end."""
    if len(text) > most:
        text = f"{text[: most - most // 4]} {text[-(most // 4) :]}"
    return frozenset(text.split())


def likeness(left: Features, right: Features) -> float:
    """The likeness of two things, 0 to 1: three quarters for common words (Dice), one for the same shape.

    It is 0 where the first roles differ.
    """
    if left.shape[:1] != right.shape[:1]:
        return 0.0
    size = len(left.words) + len(right.words)
    words = 2 * len(left.words & right.words) / size if size else 1.0
    return 0.75 * words + (0.25 if left.shape == right.shape else 0.0)


def similar(
    left: Sequence[Features],
    right: Sequence[Features],
    check: Callable[[], None] = nothing,
    least: float = LEAST,
) -> list[tuple[int, int]]:
    """Pairs of similar things, ascending in both: those of the greatest likeness together, among the candidates."""
    if not left or not right:
        return []
    if len(left) * len(right) <= _EVERY_PAIR:
        candidates = [(i, j) for i in range(len(left)) for j in range(len(right))]
    else:
        candidates = _candidates(left, right, check)
    weighed = []
    for count, (i, j) in enumerate(candidates):
        if count % 1_024 == 0:
            check()
        weight = likeness(left[i], right[j])
        if weight >= least:
            weighed.append((i, j, weight))
    return _heaviest_chain(weighed, len(right))


def _candidates(
    left: Sequence[Features], right: Sequence[Features], check: Callable[[], None]
) -> list[tuple[int, int]]:
    in_left = Counter(word for features in left for word in features.words)
    places: dict[str, list[int]] = {}
    for j, features in enumerate(right):
        for word in features.words:
            if in_left.get(word, _RARE + 1) <= _RARE:
                places.setdefault(word, []).append(j)
    check()
    found: list[tuple[int, int]] = []
    for i, features in enumerate(left):
        if i % 256 == 0:
            check()
        known = [(len(places[word]), word) for word in features.words if word in places]
        known.sort()  # by word too, where as many have it: sets have no order
        votes: Counter[int] = Counter()
        for count, word in known[:_RAREST]:
            if count <= _RARE:
                votes.update(places[word])
        found += [(i, j) for j, _ in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))[:_CANDIDATES]]
    return found


def _heaviest_chain(weighed: Sequence[tuple[int, int, float]], width: int) -> list[tuple[int, int]]:
    """The pairs, ascending in both, of the greatest weight in all: a Fenwick tree of the best chain up to each column."""
    tree: list[tuple[float, int]] = [(0.0, -1)] * (width + 1)
    before: list[int] = []
    best = (0.0, -1)
    # Of one row the last column first, so that no two pairs of a row are in a chain.
    ordered = sorted(weighed, key=lambda pair: (pair[0], -pair[1]))
    for index, (_, j, weight) in enumerate(ordered):
        reached, at = (0.0, -1), j
        while at > 0:
            if tree[at][0] > reached[0]:
                reached = tree[at]
            at &= at - 1
        before.append(reached[1])
        total = (reached[0] + weight, index)
        at = j + 1
        while at <= width:
            if total[0] > tree[at][0]:
                tree[at] = total
            at += at & -at
        if total[0] > best[0]:
            best = total
    chain = []
    at = best[1]
    while at >= 0:
        chain.append(ordered[at][:2])
        at = before[at]
    return chain[::-1]
