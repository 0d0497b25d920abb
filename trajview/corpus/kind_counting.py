"""How many matches of a pattern a text holds where the pattern is a row of kinds of characters: `\\w+`, `\\s`, `\\d\\d:\\d\\d`, `\\w+ \\w+`.

However many millions there are, no match is made: characters are exchanged for the numbers of their kinds, and these are
counted as texts are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from trajview.patterns.kinds import FAR, KindRow, kind_row_of
from trajview.patterns.quick_bytes import exchanged, ones_in, times_in_bytes

__all__ = ["kind_counter_of"]

_AT_ONCE: Final = 1 << 18
"""Bytes that are counted in a moment, while no other thread may run."""
_WORTH: Final = 500_000
"""Characters of texts beyond ASCII, for which it is worth to find out which of all of Unicode are of a kind."""
_FAR: Final = re.compile(r"[^\x00-\x7f]+")
_NIBBLE: Final = 4
_LATER: Final = bytes(pair & 15 for pair in range(256))
"""Of two numbers of kinds in a byte, the lower one."""


@lru_cache(64)
def kind_counter_of(pattern: re.Pattern[str]) -> Callable[[str], int | None] | None:
    """What counts the matches of a pattern, but for empty ones, in time that does not depend on how many there are.

    It gives None for a text in which that is not certain, or not worth it. None where the pattern is none for which that
    can be. Safe for several threads.
    """
    row = kind_row_of(pattern)
    return None if row is None else _Counter(pattern, row).count


class _FarKinds(dict[int, int]):
    """For `str.translate`: what stands for a character beyond ASCII, as far as one was met."""

    def __init__(self, row: KindRow) -> None:
        super().__init__()
        self.row = row

    def __missing__(self, code: int) -> int:
        found = self[code] = FAR + self.row.kind_of(code)
        return found


class _Counter:
    """See `kind_counter_of`."""

    def __init__(self, pattern: re.Pattern[str], row: KindRow) -> None:
        self._pattern, self._row = pattern, row
        self._far: _FarKinds | None = None
        self._far_known = False
        self._passed = 0

    def count(self, text: str) -> int | None:
        """How many matches a text holds; None where that has to be found out otherwise."""
        if text.isascii():
            row, data = self._row, text.encode()
        else:
            far = self._far_kinds(len(text))
            if far is None:
                return None
            row, data = far.row, _FAR.sub(lambda found: found[0].translate(far), text).encode("latin-1")
        kinds = exchanged(data, row.kinds)
        if row.counts_single:
            return ones_in(kinds)
        found = at = 0
        while len(kinds) - at > _AT_ONCE:
            end = kinds.rfind(0, at + 1, at + _AT_ONCE)  # no match goes on over this one
            if end < 0:
                return None
            found += _times(row, kinds[at:end])
            at = end
        return found + _times(row, kinds[at:] if at else kinds)

    def _far_kinds(self, length: int) -> _FarKinds | None:
        if self._passed < _WORTH:
            self._passed += length
            return None
        if not self._far_known:
            row = kind_row_of(self._pattern, beyond=True)
            self._far, self._far_known = None if row is None else _FarKinds(row), True
        return self._far


def _times(row: KindRow, kinds: bytes) -> int:
    """How often a row is in the kinds of a text."""
    wanted = row.wanted
    if row.alone:
        return times_in_bytes(kinds, b"\0" + wanted) + kinds.startswith(wanted)
    if row.taken:
        kinds = _without_repeats(kinds, row.taken)
    return times_in_bytes(kinds, wanted)


def _without_repeats(kinds: bytes, taken: frozenset[int]) -> bytes:
    """The kinds of a text, but of those that are taken only the first where several follow each other."""
    # Each number with the one before it in a byte: as one large number, that is done in a moment.
    value = int.from_bytes(kinds, "little")
    pairs = (value | value << 8 + _NIBBLE).to_bytes(len(kinds) + 2, "little")
    return pairs.translate(_LATER, bytes(number << _NIBBLE | number for number in taken))
