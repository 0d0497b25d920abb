"""Where in the bytes of a record messages stand side by side: what a stretch of these does not hold, none of its messages says."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Final

from msgspec import Raw

from trajview.patterns.quick_bytes import address_of

from .unread import ABSENT, Usual, json_of

__all__ = ["STRETCH", "Stretch", "stretches_of"]

STRETCH: Final = 1 << 18
"""Bytes of one, about: few enough to stay in the processor's own memory, so many that asking for each takes no time."""

_MOST_COPIES: Final = 4
"""Elements at either end that may be made of other parts of the record."""

Stretch = tuple[int, int, memoryview]
"""The first of some elements of a list, the one after the last of them, and bytes that they all are in."""

_values: Final = attrgetter(*(name for name in Usual.__struct_fields__ if name != "role"))


def stretches_of(
    data: bytes | memoryview | None, raws: Sequence[Raw | Usual], size: int | None = None
) -> list[Stretch]:
    """All elements of a list, which are views of these bytes but for some at either end, in stretches of about so many.

    They are in order; empty where it is not known where they are.
    """
    base = None if data is None or not raws else address_of(data)
    if data is None or base is None:
        return []
    view = memoryview(data)
    length = len(view)

    def is_copy(raw: Raw | Usual) -> bool:
        place = _place_of(raw)
        return place is not None and not base <= place <= base + length

    first, last = 0, len(raws)
    while first < min(last, _MOST_COPIES) and is_copy(raws[first]):
        first += 1
    while first < last and len(raws) - last < _MOST_COPIES and is_copy(raws[last - 1]):
        last -= 1
    edges = [(first, 0)]
    step = max(1, (size or STRETCH) * len(raws) // max(1, length))
    for index in range(first + step, last, step):
        place = _place_of(raws[index])
        if place is None:
            continue
        offset = place - base
        if not edges[-1][1] <= offset <= length:
            return []
        edges.append((index, offset))
    edges.append((last, length))
    within = [(start, end, view[begun:ended]) for (start, begun), (end, ended) in pairwise(edges)]
    before, after = _copied(raws, 0, first), _copied(raws, last, len(raws))
    return [*before, *(each for each in within if each[0] < each[1]), *after]


def _copied(raws: Sequence[Raw | Usual], start: int, end: int) -> list[Stretch]:
    return [(index, index + 1, memoryview(bytes(json_of(raws[index])))) for index in range(start, end)]


def _place_of(raw: Raw | Usual) -> int | None:
    """Where in memory an element begins, or the first of its values; None where it has none that is bytes."""
    if not isinstance(raw, Usual):
        return address_of(memoryview(raw))
    places = (address_of(memoryview(value)) for value in _values(raw) if value is not ABSENT)
    return min((place for place in places if place is not None), default=None)
