"""Whether a pattern matches nothing in a text that is still JSON: told without decoding it, and never wrongly."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from trajview.patterns.rows import Row, row_of

from .quick_bytes import exchanged, holds, times_in_bytes

__all__ = ["absence_of"]

_BY_NUMBER: Final = b"\\u"
_CODE: Final = b"\\u001b"
_WORTH: Final = 500_000
"""Bytes beyond ASCII texts, for which it is worth to find out what a pattern matches of all of Unicode."""


@lru_cache(64)
def absence_of(pattern: re.Pattern[str]) -> Callable[[bytes | memoryview], bool] | None:
    """What tells that a pattern matches nothing, but for empty matches, in a text of which it is given the JSON, quotes and all.

    It says no where it cannot tell. None where it never can. Bytes that are no string of JSON are none of its business.
    """
    row = row_of(pattern)
    if row is None:
        return None
    far: Row | None = None
    far_known = False
    passed = 0

    def is_absent(data: bytes | memoryview) -> bool:
        nonlocal far, far_known, passed
        if holds(data, b"\x1b"):
            return False
        data = bytes(data)
        coloured = holds(data, _BY_NUMBER)
        # Characters by number may be any, but for those with which codes for colours begin.
        if coloured and times_in_bytes(data, _BY_NUMBER) != times_in_bytes(data, _CODE):
            return False
        if data.isascii():
            return not _may_hold(data, row, coloured)
        if passed < _WORTH:
            passed += len(data)
            return False
        if not far_known:
            far, far_known = row_of(pattern, beyond=True), True
        if far is None or _may_hold(data, far, coloured):
            return False
        try:
            data.decode()
        except UnicodeDecodeError:
            return False
        return True

    return is_absent


def _may_hold(data: bytes, row: Row, coloured: bool) -> bool:
    """Whether bytes hold a row, or may where codes for colours are taken out."""
    if holds(exchanged(data, row.kinds), row.wanted):
        return True
    if not coloured:
        return False
    torn = row.torn
    if torn is None:
        return True
    kinds = exchanged(data, torn.head_kinds)
    first = next((at for at, head in enumerate(torn.heads) if holds(kinds, head)), None)
    if first is None:
        return False
    kinds = exchanged(data, torn.tail_kinds)
    return any(holds(kinds, tail) for tail in torn.tails[first:])
