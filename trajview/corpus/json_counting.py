"""How many matches of a pattern a text holds that is still JSON: one engine goes through it once, and nothing is decoded."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from trajview.patterns.engine import Ask, asked
from trajview.patterns.in_json import LONGEST_CODE, in_json, in_kinds
from trajview.patterns.quick_bytes import exchanged, holds
from trajview.patterns.safe import slow_because

from .absence import Signs

__all__ = ["JsonCounter", "pattern_counter_in_json"]

_NO_JSON: Final = b"\0"
_IN_CODES: Final = bytes(byte in b"0123456789;:" for byte in range(256))
_TOO_LONG: Final = bytes([True]) * (LONGEST_CODE + 1)
_WORTH: Final = 500_000
"""Bytes beyond ASCII texts, for which it is worth to find out what a pattern matches of all of Unicode."""
_LOOK: Final = 64
"""After so many matches it is seen how close together they are."""
_CLOSE: Final = 48
"""Bytes from one match to the next, on average, below which `re` is the quicker one, in the text."""
_LEFT: Final = 32
"""Texts after one with such matches that are left to `re` right away."""
_MOST_AT_ONCE: Final = 1 << 20
"""Bytes that `re` goes through in moments, while it lets no other thread run."""
_MOST_OPEN: Final = 2


@lru_cache(64)
def pattern_counter_in_json(pattern: re.Pattern[str]) -> JsonCounter | None:
    """What counts the matches of a pattern in texts that are still JSON. None where the pattern is none that can be counted so."""
    plain = _engine(pattern, False, False)
    return None if plain is None else JsonCounter(pattern, plain)


def _engine(pattern: re.Pattern[str], beyond: bool, coloured: bool) -> Ask | None:
    source = in_json(pattern, beyond=beyond, coloured=coloured)
    return None if source is None else asked(source, utf8=beyond, at_start=True)


class JsonCounter:
    """Counts the matches of a pattern, but for empty ones. Safe for several threads. See `pattern_counter_in_json`."""

    def __init__(self, pattern: re.Pattern[str], plain: Ask) -> None:
        self._pattern = pattern
        self._engines: dict[Signs, Ask | None] = {Signs(beyond=False, coloured=False): plain}
        self._kinds, self._ask_kinds = b"", None
        if (quick := in_kinds(pattern)) is not None:
            self._kinds, self._ask_kinds = quick.kinds, asked(quick.source)
        self._may_be_left = slow_because(pattern.pattern, _MOST_OPEN) is None
        self._left = 0
        """Texts that are left to `re`, since matches were close together."""
        self._passed = 0
        """Bytes of other texts beyond ASCII, until `_WORTH`."""

    def leaves_next(self) -> bool:
        """Whether the next text is left to `re` in any case: then it need not be asked of that."""
        left = self._left > 0
        self._left -= left
        return left

    def count(self, data: bytes, signs: Signs, at: int) -> int | None:
        """How many matches the text of this JSON holds, quotes and all; None where it has to be decoded for that, or had better be.

        `signs`: those in it. `at`: where to begin, BEHIND_QUOTE, or with a later character before which there is no match.
        Codes for colours are passed over, as `textsafe.without_colours` does.
        """
        if self.leaves_next():
            return None
        ask, quick = self._for(data, signs), not any(signs) and self._ask_kinds is not None
        if ask is None:
            return None
        if quick and self._ask_kinds is not None:
            ask, data = self._ask_kinds, exchanged(data, self._kinds)
            if holds(data, _NO_JSON):
                return None
        found, since, end = 0, at, len(data)
        while True:
            at = ask(data, at, end)[0][1]
            if at == end:
                return found
            if at < 0:  # something that is not known here
                return found if quick else None
            found += 1
            if not found % _LOOK:
                if self._may_be_left and at - since < _LOOK * _CLOSE and end - at <= _MOST_AT_ONCE:
                    self._left = _LEFT
                    return None
                since = at

    def _for(self, data: bytes, signs: Signs) -> Ask | None:
        """What finds the end of the next match in this JSON."""
        beyond, coloured = signs
        if coloured and holds(exchanged(data, _IN_CODES), _TOO_LONG):
            return None
        if beyond and self._passed < _WORTH:
            self._passed += len(data)
            return None
        if len(data) < len('""') or not data.startswith(b'"') or not data.endswith(b'"'):
            return None
        try:
            return self._engines[signs]
        except KeyError:
            made = self._engines[signs] = _engine(self._pattern, beyond, coloured)
            return made
