"""Patterns that are a row of characters of some kinds, each once or as often as it comes: what they match is counted without an engine."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Final

from .chars import LAST, Ranges, shared
from .translate import understood
from .tree import CannotSay, Chars, Node, Repeat, Seq

__all__ = ["FAR", "KindRow", "kind_row_of"]

FAR: Final = 128
"""The byte that stands for a character beyond ASCII: this, and the number of its kind."""
_MOST_KINDS: Final = 15
"""So that two of their numbers are a byte."""
_MOST: Final = 100
"""Characters of a row."""


@dataclass(frozen=True, slots=True)
class KindRow:
    """A row in a text whose characters are exchanged for the numbers of their kinds: 0 for those that are in none.

    `kinds`: the number for each ASCII character, and for each byte from FAR on. `wanted`: the numbers that follow each other.

    `alone`: the row is one kind, so often or more often. `taken`: the kinds of which a match takes all that follow each
    other, where the row is more than that; each of them is once in `wanted`.
    """

    kinds: bytes
    wanted: bytes
    alone: bool
    taken: frozenset[int]
    sets: tuple[Ranges, ...]
    """The characters of each kind, from 1 on."""

    @property
    def counts_single(self) -> bool:
        """Whether each single character of one kind is a match."""
        return len(self.wanted) == 1 and not self.alone

    def kind_of(self, code: int) -> int:
        """The number for any character."""
        for number, ranges in enumerate(self.sets, 1):
            at = bisect_right(ranges, (code, LAST)) - 1
            if at >= 0 and code <= ranges[at][1]:
                return number
        return 0


@dataclass(frozen=True, slots=True)
class _Item:
    """One of some characters, or so many of them, or more (`endless`)."""

    ranges: Ranges
    least: int = 1
    endless: bool = False


def kind_row_of(pattern: re.Pattern[str], beyond: bool = False) -> KindRow | None:
    """The row that every match of a pattern is, and whose every place, none in another, is a match, but for empty ones.

    That is so in ASCII texts, or in all (`beyond`). None where the pattern is no such row, or that is not certain: any two
    of its kinds are the same or have nothing in common.
    """
    node = understood(pattern, beyond, may_be_empty=True)
    try:
        items = [] if node is None else _items(node)
    except CannotSay:
        return None
    sets = tuple(dict.fromkeys(item.ranges for item in items))
    if not 0 < len(sets) <= _MOST_KINDS or any(shared(one, other) for one, other in combinations(sets, 2)):
        return None
    alone = len(items) == 1 and items[0].endless
    taken = {item.ranges for item in items if item.endless}
    if not alone and taken:
        if any(item.least != 1 or item.endless != (item.ranges in taken) for item in items):
            return None
        if any(one.endless and one.ranges == other.ranges for one, other in pairwise(items)):
            return None
    numbers = {ranges: number for number, ranges in enumerate(sets, 1)}
    kinds = bytearray(256)
    for ranges, number in numbers.items():
        kinds[FAR + number] = number
        for first, last in ranges:
            for code in range(first, min(last, FAR - 1) + 1):
                kinds[code] = number
    wanted = bytes(number for item in items for number in [numbers[item.ranges]] * max(1, item.least))
    return KindRow(
        bytes(kinds), wanted, alone, frozenset() if alone else frozenset(numbers[ranges] for ranges in taken), sets
    )


def _items(node: Node) -> list[_Item]:
    """What follows each other. Raises CannotSay where it is anything else, or too much."""
    match node:
        case Chars(ranges):
            return [_Item(ranges)]
        case Seq(items):
            found = [each for item in items for each in _items(item)]
        case Repeat(item, least, most) if least == most:
            once = _items(item)
            if len(once) * least > _MOST:
                raise CannotSay
            found = once * least
        case Repeat(Chars(ranges), least, None, False) if least <= _MOST:
            return [_Item(ranges, least, True)]
        case _:
            raise CannotSay
    if len(found) > _MOST:
        raise CannotSay
    return found
