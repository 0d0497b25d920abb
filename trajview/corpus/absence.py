"""Whether a pattern matches nothing in a text that is still JSON: told without decoding it, and never wrongly."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from trajview.patterns.rows import Row, row_of

from .quick_bytes import exchanged, holds

__all__ = ["absence_of"]

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
        # Characters by number may be any; and codes for colours may stand within a match.
        if holds(data, b"\\u") or holds(data, b"\x1b"):
            return False
        data = bytes(data)
        if data.isascii():
            return not holds(exchanged(data, row.kinds), row.wanted)
        if passed < _WORTH:
            passed += len(data)
            return False
        if not far_known:
            far, far_known = row_of(pattern, beyond=True), True
        if far is None or holds(exchanged(data, far.kinds), far.wanted):
            return False
        try:
            data.decode()
        except UnicodeDecodeError:
            return False
        return True

    return is_absent
