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

__all__ = ["Row", "Torn", "row_of"]

Bytes = frozenset[int]
_SIGNS: Final = {8: "b", 9: "t", 10: "n", 12: "f", 13: "r", 34: '"', 47: "/", 92: "\\"}
"""What JSON may write behind a backslash for a character."""
_BACKSLASH: Final = 92
_ESCAPE: Final = 27
_LEADS: Final = frozenset(range(0xC2, 0xF5))
_TRAILS: Final = frozenset(range(0x80, 0xC0))
"""With what characters beyond ASCII begin in UTF-8, and end."""
_LONGEST: Final = 12
_MOST: Final = 1_000
"""Places of a pattern that are looked at."""
_LEAST_RARE: Final = 3.0
"""Any row is there by chance in one of e ** 3 places; what is there more often rules nothing out."""


_CODE_BEGINS: Final = b"\\u"
_CODE_ENDS: Final = b"mKJGHBhl"
"""With what JSON of a code for colours begins and ends; see `textsafe.without_colours`, which a test holds this to."""
_BEGUN, _ON, _ENDED = 253, 254, 255
"""The kinds of these bytes."""


@dataclass(frozen=True, slots=True)
class Torn:
    """A row within which there are codes for colours.

    `heads`: its first one, first two and so on up to a code, in kinds by `head_kinds`. `tails`: what is left of each behind a code, in kinds by `tail_kinds`.
    """

    head_kinds: bytes
    heads: tuple[bytes, ...]
    tail_kinds: bytes
    tails: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """`kinds`: for each byte the number of its kind, 0 for all others. `wanted`: the numbers that follow each other.

    `lead`: how many characters of each match are before it; None where that is not known.
    """

    kinds: bytes
    wanted: bytes
    lead: int | None
    torn: Torn | None
    """None where it is not known how it may be there with codes for colours in it."""


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
    """A row that is there in the JSON of each text, quotes and all, in which a pattern matches something, if that JSON holds
    no `\\u` and no codes for colours.

    The text is ASCII, or is any and the JSON is UTF-8 (`beyond`). None where there is no such row, or only one that is everywhere.
    """
    node = loosened(pattern, beyond)
    if node is None:
        return None
    most, best, places, lead = _LEAST_RARE, list[Bytes](), list[_Place](), 0
    for number, run in enumerate(_runs(_chars_of(node))):
        for start in range(len(run)):
            rare, row = _rarest(run[start : start + _LONGEST])
            if rare > most:
                most, best, places, lead = rare, row, run[start : start + len(row)], -1 if number else start
    if not best:
        return None
    kinds, wanted = _numbered(best)
    return Row(
        kinds,
        wanted,
        None if lead < 0 else lead,
        None if any(_ESCAPE in place.single for place in places) else _torn(best),
    )


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


def _torn(row: Sequence[Bytes]) -> Torn | None:
    if any(not kind.isdisjoint(_CODE_BEGINS) for kind in row[:-1]):
        return None
    if any(not kind.isdisjoint(_CODE_ENDS) for kind in row[1:]):
        return None
    kinds, head = _numbered(row[:-1])
    head_kinds = bytearray(kinds)
    head_kinds[_CODE_BEGINS[0]], head_kinds[_CODE_BEGINS[1]] = _BEGUN, _ON
    kinds, tail = _numbered(row[1:])
    tail_kinds = bytearray(kinds)
    for byte in _CODE_ENDS:
        tail_kinds[byte] = _ENDED
    heads = tuple(bytes((*head[: at + 1], _BEGUN, _ON)) for at in range(len(head)))
    tails = tuple(bytes((_ENDED, *tail[at:])) for at in range(len(tail)))
    return Torn(bytes(head_kinds), heads, bytes(tail_kinds), tails)


def _numbered(row: Sequence[Bytes]) -> tuple[bytes, bytes]:
    """For each byte the number of its kind, and the numbers of a row."""
    numbers = {kind: number for number, kind in enumerate(dict.fromkeys(row), 1)}
    kinds = bytearray(256)
    for kind, number in numbers.items():
        for byte in kind:
            kinds[byte] = number
    return bytes(kinds), bytes(numbers[kind] for kind in row)
