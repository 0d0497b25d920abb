"""Finding what a regular expression matches: by RE2 where it finds the same, else by `re`.

RE2 takes about a fifth of the time, never more for one match than in proportion to the text, and lets other threads run meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

from .safe import slow_because
from .translate import Translated, translated

__all__ = ["Finder", "finder_of"]

Span = tuple[int, int]
_SHORT: Final = 64
"""Characters: what takes no time anyway."""
_MOST_OPEN: Final = 2
_LOOK: Final = 64
"""After so many matches it is seen how close together they are."""
_CLOSE: Final = 48
"""Characters from one match to the next, on average, below which `re` is the quicker one: it is asked more quickly."""
_MOST_AT_ONCE: Final = 1 << 20
"""Characters that `re` goes through in moments, while it lets no other thread run."""


class Finder:
    """Finds what a pattern matches in any text, exactly as `re` does. Safe for several threads. See `finder_of`."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern
        self._translated = translated(pattern)
        self._find = None if self._translated is None else _program(self._translated)
        self._tame = slow_because(pattern.pattern, _MOST_OPEN) is None

    def handles(self, text: str) -> bool:
        """Whether a text takes time in proportion to its length, times how many matches it has, however bad the pattern.

        Other threads run meanwhile. Else it takes what `re` takes, which may be for ever: see `slow_because`.
        """
        return (
            self._find is not None
            and text.isascii()
            and not (self._translated is not None and self._translated.looks_at_end and text.endswith("\n"))
        )

    def matches(self, text: str) -> bool:
        """Whether the pattern matches in a text, be it an empty match."""
        return self.first(text) is not None

    def first(self, text: str) -> Span | None:
        """Where the first match is, which may be an empty one."""
        if self._find is None or (self._tame and len(text) < _SHORT) or not self.handles(text):
            found = self.pattern.search(text)
            return None if found is None else found.span()
        span = self._find(text.encode(), 0, len(text))
        return None if span[0] < 0 else span

    def count(self, text: str) -> int:
        """How many matches a text holds, none in another; empty ones do not count."""
        if self._find is None or (self._tame and len(text) < _SHORT) or not self.handles(text):
            return sum(1 for _ in self._spans_by_re(text, 0))
        find, data, end = self._find, text.encode(), len(text)
        found = at = since = 0
        while at < end:
            start, at = find(data, at, end)
            if start < 0:
                break
            found += 1
            if not found % _LOOK:
                if self._is_close(at - since, end - at):
                    return found + sum(1 for _ in self._spans_by_re(text, at))
                since = at
        return found

    def spans(self, text: str) -> Iterator[Span]:
        """Where each match starts and ends, none in another; empty ones are left out."""
        if self._find is None or (self._tame and len(text) < _SHORT) or not self.handles(text):
            yield from self._spans_by_re(text, 0)
            return
        find, data, end = self._find, text.encode(), len(text)
        found = at = since = 0
        while at < end:
            span = find(data, at, end)
            if span[0] < 0:
                return
            yield span
            at = span[1]
            found += 1
            if not found % _LOOK:
                if self._is_close(at - since, end - at):
                    yield from self._spans_by_re(text, at)
                    return
                since = at

    def _is_close(self, done: int, left: int) -> bool:
        return self._tame and done < _LOOK * _CLOSE and left <= _MOST_AT_ONCE

    def _spans_by_re(self, text: str, at: int) -> Iterator[Span]:
        return (match.span() for match in self.pattern.finditer(text, at) if match.end() > match.start())


@lru_cache(256)
def finder_of(pattern: re.Pattern[str]) -> Finder:
    """What finds a pattern. It takes a millisecond or more to make, and is kept."""
    return Finder(pattern)


def _program(translated: Translated) -> Callable[[bytes, int, int], Span] | None:
    """What gives the first match from one place in bytes to another, (-1, -1) for none. None without RE2 for this machine."""
    try:
        re2: Any = import_module("re2")
        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        options.never_capture = True
        options.log_errors = False
        match, anywhere = re2.compile(translated.source, options)._regexp.Match, re2._Anchor.UNANCHORED
        if match(anywhere, b"", 0, 0) != [(-1, -1)]:  # what it gives may change
            return None
    except (ImportError, AttributeError, TypeError):
        return None
    except re2.error:  # too large a program
        return None
    return lambda data, start, end: match(anywhere, data, start, end)[0]
