"""What a pattern matches in a line that is drawn: never by a way that may take for ever, since the screen would wait."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from trajview.patterns.finder import Finder, finder_of
from trajview.patterns.safe import slow_because

__all__ = ["spans_between"]

_MOST_OPEN: Final = 2


def spans_between(pattern: re.Pattern[str], text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Where each match between two places starts and ends; empty ones are left out.

    So are those of a pattern that `re` may take for ever to find, in a text where RE2 does not find the same.
    """
    finder = _finder_if_slow(pattern)
    if finder is None:
        for match in pattern.finditer(text, begin, end):
            if match.end() > match.start():
                yield match.span()
    elif finder.handles(part := text[begin:end]):
        for first, last in finder.spans(part):
            yield begin + first, begin + last


@lru_cache(64)
def _finder_if_slow(pattern: re.Pattern[str]) -> Finder | None:
    return None if slow_because(pattern.pattern, _MOST_OPEN) is None else finder_of(pattern)
