"""Bytes in a row, one of each of some kinds, that are there in JSON wherever a pattern matches in the text.

Which kind a byte is can be looked up, and the row be looked for as a word is: some twenty times as fast as the pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from typing import Final

from .chars import Ranges
from .translate import loosened
from .tree import Alt, Chars, Look, Node, Repeat, Seq, Side

__all__ = ["Row", "row_of"]

Bytes = frozenset[int]
_SIGNS: Final = {8: "b", 9: "t", 10: "n", 12: "f", 13: "r", 34: '"', 47: "/", 92: "\\"}
"""What JSON may write behind a backslash for a character."""
_BACKSLASH: Final = 92
_LEADS: Final = frozenset(range(0xC2, 0xF5))
_TRAILS: Final = frozenset(range(0x80, 0xC0))
"""With what characters beyond ASCII begin in UTF-8, and end."""
_LONGEST: Final = 12
_MOST: Final = 1_000
"""Places of a pattern that are looked at."""
_LEAST_RARE: Final = 5.0
"""Any row is there by chance in one of e ** 5 places; what is there more often rules nothing out."""


@dataclass(frozen=True, slots=True)
class Row:
    """`kinds`: for each byte the number of its kind, 0 for all others. `wanted`: the numbers that follow each other."""

    kinds: bytes
    wanted: bytes


@dataclass(frozen=True, slots=True)
class _Place:
    """Which bytes a character may be where it is a single one; else with which it may begin and end, in JSON."""

    single: Bytes
    begins: Bytes
    ends: Bytes

    @property
    def is_single(self) -> bool:
        return self.begins == self.single == self.ends


def row_of(pattern: re.Pattern[str], beyond: bool = False) -> Row | None:
    """A row that is there in the JSON of each text, quotes and all, in which a pattern matches something, if that JSON holds no `\\u`.

    The text is ASCII, or is any and the JSON is UTF-8 (`beyond`). None where there is no such row, or only one that is everywhere.
    """
    node = loosened(pattern, beyond)
    if node is None:
        return None
    best: tuple[float, list[Bytes]] = (_LEAST_RARE, [])
    for run in _runs(_chars_of(node)):
        for start in range(len(run)):
            best = max(best, _rarest(run[start : start + _LONGEST]), key=lambda found: found[0])
    return _numbered(best[1]) if best[1] else None


def _chars_of(node: Node) -> list[Ranges | None]:
    """The characters that follow each other in every match; None: anything may be between."""
    match node:
        case Chars(ranges):
            return [ranges]
        case Look() | Side():
            return []
        case Seq(items):
            return [each for item in items for each in _chars_of(item)]
        case Repeat(item, least, most) if least:
            once = _chars_of(item)
            if len(once) * least > _MOST:
                return [None]
            if least == most:
                return once * least
            # The first few times, and the last few.
            return [*once * least, None, *once * least]
        case Repeat() | Alt():
            return [None]


def _runs(chars: Sequence[Ranges | None]) -> Iterable[list[_Place]]:
    run: list[_Place] = []
    for ranges in chars[:_MOST]:
        if ranges is None:
            yield run
            run = []
        else:
            run.append(_place(ranges))
    yield run


def _place(ranges: Ranges) -> _Place:
    ascii_ones = {number for first, last in ranges for number in range(first, min(last, 127) + 1)}
    single = frozenset(ascii_ones - {34, _BACKSLASH})
    signs = {ord(_SIGNS[number]) for number in ascii_ones & _SIGNS.keys()}
    begins, ends = single | ({_BACKSLASH} if signs else set()), single | signs
    if ranges and ranges[-1][1] > 127:
        begins, ends = begins | _LEADS, ends | _TRAILS
    return _Place(single, begins, ends)


def _rarest(run: Sequence[_Place]) -> tuple[float, list[Bytes]]:
    """The longest row at the start of a run of which any two kinds are the same, or have nothing in common; and how rare it is."""
    best: tuple[float, list[Bytes]] = (0.0, [])
    before: list[Bytes] = []
    rare = 0.0
    for place in run:
        if _fits(place.begins, before):
            best = max(best, (rare + _rarity(place.begins), [*before, place.begins]), key=lambda found: found[0])
        goes_on = place.ends if not before else place.single
        if (before and not place.is_single) or not _fits(goes_on, before):
            break
        before.append(goes_on)
        rare += _rarity(goes_on)
    return best


def _fits(kind: Bytes, others: Iterable[Bytes]) -> bool:
    return bool(kind) and all(kind == other or kind.isdisjoint(other) for other in others)


def _rarity(kind: Bytes) -> float:
    return -log(min(1.0, sum(map(_frequency, kind))))


def _frequency(byte: int) -> float:
    """About how often a byte is met in what agents say."""
    if byte == 32:
        return 0.15
    return 0.027 if 97 <= byte <= 122 else 0.02 if byte == _BACKSLASH else 0.005 if byte > 32 else 0.0001


def _numbered(row: Sequence[Bytes]) -> Row:
    numbers = {kind: number for number, kind in enumerate(dict.fromkeys(row), 1)}
    kinds = bytearray(256)
    for kind, number in numbers.items():
        for byte in kind:
            kinds[byte] = number
    return Row(bytes(kinds), bytes(numbers[kind] for kind in row))
