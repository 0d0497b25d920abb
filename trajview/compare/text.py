"""The lines of two texts beside each other, and the words that differ in lines that correspond."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from .alignment import Kind, rows_between
from .sequence import matches, nothing
from .similar import Features, words_of

__all__ = ["LinePair", "differing_words", "pair_lines"]

Spans = tuple[tuple[int, int], ...]
"""Start and end of pieces of a line, ascending."""

_TOKEN: Final = re.compile(r"\w+|\s+|[^\w\s]")
_LONGEST: Final = 20_000
"""Characters of a line up to which words are compared; of a longer one only equal ends are found."""
_LIKE: Final = 0.55
"""The likeness from which on lines are compared word by word: 0.25 for nothing, 0.75 for their words."""


class LinePair(NamedTuple):
    """A line of the left text beside one of the right, by index, with the differing pieces of two that correspond."""

    left: int | None
    right: int | None
    kind: Kind
    left_spans: Spans = ()
    right_spans: Spans = ()


def pair_lines(left: Sequence[str], right: Sequence[str], check: Callable[[], None] = nothing) -> list[LinePair]:
    """Every line of both texts once and in order. Lines that do not correspond are never beside each other."""
    texts = left, right

    def features(side: int, index: int) -> Features:
        return Features(("line",), words_of(texts[side][index], 400))

    pairs: list[LinePair] = []
    only_right: list[LinePair] = []
    for i, j, kind in rows_between(left, right, features, check, _LIKE):
        if kind is Kind.OTHER:
            pairs.append(LinePair(i, None, Kind.LEFT))
            only_right.append(LinePair(None, j, Kind.RIGHT))
            continue
        if kind is Kind.RIGHT:
            only_right.append(LinePair(None, j, kind))
            continue
        if kind is Kind.LEFT:
            pairs.append(LinePair(i, None, kind))
            continue
        pairs += only_right
        only_right.clear()
        if kind is Kind.CHANGED:
            assert i is not None
            assert j is not None
            pairs.append(LinePair(i, j, kind, *differing_words(left[i], right[j])))
        else:
            pairs.append(LinePair(i, j, kind))
    return pairs + only_right


def differing_words(left: str, right: str) -> tuple[Spans, Spans]:
    """The differing pieces of two lines: without them both are the same."""
    if max(len(left), len(right)) > _LONGEST:
        return _middles(left, right)
    tokens = _TOKEN.findall(left), _TOKEN.findall(right)
    blocks = matches(*tokens)
    # One or two blanks between differing pieces join them: fewer pieces are easier to see.
    blocks = [
        (i, j, size)
        for i, j, size in blocks
        if (i, j) in ((0, 0), (len(tokens[0]) - size, len(tokens[1]) - size))
        or not "".join(tokens[0][i : i + size]).isspace()
    ]
    return (
        _outside([(i, size) for i, _, size in blocks], tokens[0]),
        _outside([(j, size) for _, j, size in blocks], tokens[1]),
    )


def _outside(kept: Sequence[tuple[int, int]], tokens: Sequence[str]) -> Spans:
    """The characters outside of some runs of tokens."""
    starts = [0, *accumulate(map(len, tokens))]
    spans = []
    at = 0
    for index, size in [*kept, (len(tokens), 0)]:
        if starts[index] > at:
            spans.append((at, starts[index]))
        at = starts[index + size]
    return tuple(spans)


def _middles(left: str, right: str) -> tuple[Spans, Spans]:
    """The parts between the equal beginnings and the equal ends, found by halving."""
    most = min(len(left), len(right))
    begin = _common(most, lambda size: left[:size] == right[:size])
    end = _common(most - begin, lambda size: left[len(left) - size :] == right[len(right) - size :])
    spans = (begin, len(left) - end), (begin, len(right) - end)
    return tuple((span,) if span[0] < span[1] else () for span in spans)  # type: ignore[return-value]


def _common(most: int, equal: Callable[[int], bool]) -> int:
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if equal(middle):
            low = middle
        else:
            high = middle - 1
    return low
