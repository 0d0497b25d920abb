"""What a pattern matches in a line that is drawn: never by a way that may take for ever, since the screen would wait."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trajview.patterns.finder import finder_of

__all__ = ["spans_between"]


def spans_between(pattern: re.Pattern[str], text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Where each match between two places starts and ends; empty ones are left out.

    So are those of a pattern that `re` may take for ever to find, in a text where RE2 does not find the same.
    """
    finder = finder_of(pattern)
    if finder.tame:
        for match in pattern.finditer(text, begin, end):
            if match.end() > match.start():
                yield match.span()
    elif finder.handles(part := text[begin:end]):
        for first, last in finder.spans(part):
            yield begin + first, begin + last
