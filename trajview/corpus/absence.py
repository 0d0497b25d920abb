"""Whether a pattern matches nothing in a text that is still JSON, or from where on it may: told without decoding it, and never wrongly."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from trajview.patterns.quick_bytes import exchanged, holds, place_of, times_in_bytes
from trajview.patterns.rows import Row, row_of

__all__ = ["BEHIND_QUOTE", "NOWHERE", "Signs", "beginning_of", "signs_in"]

_BY_NUMBER: Final = b"\\u"
_CODE: Final = b"\\u001b"
NOWHERE: Final = -1
BEHIND_QUOTE: Final = 1
_BACKSLASH: Final = 92
_TRAILS, _TRAIL = 0xC0, 0x80
"""What tells a byte of a character in UTF-8 that is not its first one."""
_WORTH: Final = 500_000
"""Bytes beyond ASCII texts, for which it is worth to find out what a pattern matches of all of Unicode."""


class Signs(NamedTuple):
    """What the JSON of a text holds: characters beyond ASCII, and codes for colours."""

    beyond: bool
    coloured: bool


_SIGNS: Final = {(beyond, coloured): Signs(beyond, coloured) for beyond in (False, True) for coloured in (False, True)}


def signs_in(data: bytes) -> Signs | None:
    """What the JSON of a text holds; None where its characters are not as they are written, or may not be."""
    coloured = holds(data, _BY_NUMBER)
    # Characters by number may be any, but for those with which codes for colours begin.
    if holds(data, b"\x1b") or (coloured and times_in_bytes(data, _BY_NUMBER) != times_in_bytes(data, _CODE)):
        return None
    return _SIGNS[not data.isascii(), coloured]


@lru_cache(64)
def beginning_of(pattern: re.Pattern[str]) -> Callable[[bytes, Signs], int] | None:
    """What tells before which place a pattern matches nothing, but for empty matches, in a text of which it is given the JSON, quotes and all.

    A character begins at that place; NOWHERE: there is no match. It is BEHIND_QUOTE where nothing can be told.
    None where it never can be. Bytes that are no string of JSON are none of its business.
    """
    row = row_of(pattern)
    if row is None:
        return None
    far: Row | None = None
    far_known = False
    passed = 0

    def begins(data: bytes, signs: Signs) -> int:
        nonlocal far, far_known, passed
        if not signs.beyond:
            return _begins_with(data, row, signs.coloured, 2)
        if passed < _WORTH:
            passed += len(data)
            return BEHIND_QUOTE
        if not far_known:
            far, far_known = row_of(pattern, beyond=True), True
        if far is None or (place := _begins_with(data, far, signs.coloured, 4)) != NOWHERE:
            return BEHIND_QUOTE if far is None else place
        try:
            data.decode()
        except UnicodeDecodeError:
            return BEHIND_QUOTE
        return NOWHERE

    return begins


def _begins_with(data: bytes, row: Row, coloured: bool, longest: int) -> int:
    """From where on a match may be that holds a row, or does where codes for colours are taken out. `longest`: bytes of a character."""
    at = place_of(exchanged(data, row.kinds), row.wanted)
    if coloured:
        return BEHIND_QUOTE if at >= 0 or _may_be_torn(data, row) else NOWHERE
    if at < 0:
        return NOWHERE
    if row.lead is None:
        return BEHIND_QUOTE
    at -= longest * row.lead + longest - 1  # the row begins with the last byte of a character
    while at > BEHIND_QUOTE and (data[at - 1] == _BACKSLASH or data[at] & _TRAILS == _TRAIL):
        at -= 1
    return max(BEHIND_QUOTE, at)


def _may_be_torn(data: bytes, row: Row) -> bool:
    """Whether bytes may hold a row where codes for colours are taken out."""
    torn = row.torn
    if torn is None:
        return True
    kinds = exchanged(data, torn.head_kinds)
    first = next((at for at, head in enumerate(torn.heads) if holds(kinds, head)), None)
    if first is None:
        return False
    kinds = exchanged(data, torn.tail_kinds)
    return any(holds(kinds, tail) for tail in torn.tails[first:])
