"""Finding the matches of a regular expression: by RE2 where it finds the same, else by `re`.

RE2 never takes longer for one match than in proportion to the text, and lets other threads run meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from typing import Final

from .quick_bytes import times_in
from .re2 import Engine, Span, engine_of
from .safe import slow_because

__all__ = ["MOST_LISTED", "Finder", "finder_of", "times_by_re"]

_MOST_OPEN: Final = 2
_PLAIN: Final = re.compile(r"(?:[\w ,:;=@<>!%'\"`/-]|\\[^\w\s])+", re.ASCII)
"""Patterns that stand for a text, whatever their flags."""
_MANY: Final = 32
"""Matches in a text after which `re` goes on: asking it for the next takes a tenth of what asking RE2 takes."""
MOST_LISTED: Final = 1 << 16
"""Characters in which `re` lists all matches at once: meanwhile no other thread runs."""


class Finder:
    """Finds the matches of a pattern in any text, exactly as `re` does. Safe for several threads. See `finder_of`."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern

    def __reduce__(self) -> tuple[Callable[[re.Pattern[str]], Finder], tuple[re.Pattern[str]]]:
        return finder_of, (self.pattern,)

    @cached_property
    def _engine(self) -> Engine | None:
        return engine_of(self.pattern)

    @cached_property
    def text(self) -> str | None:
        """The ASCII text that the pattern stands for, in small letters where it ignores case; None where it is more than that."""
        source, flags = self.pattern.pattern, self.pattern.flags
        if flags & re.VERBOSE or not source.isascii() or not _PLAIN.fullmatch(source):
            return None
        text = re.sub(r"\\(.)", r"\1", source)
        return text.lower() if flags & re.IGNORECASE else text

    @cached_property
    def tame(self) -> bool:
        """Whether `re` never takes long for a match."""
        return slow_because(self.pattern.pattern, _MOST_OPEN) is None

    def handles(self, text: str) -> bool:
        """Whether finding the pattern in a text takes time in proportion to its length, times how many matches it has, however bad the pattern.

        Other threads run meanwhile. Else it takes what `re` takes, which may be for ever: see `slow_because`.
        """
        return self._engine is not None and self._engine.data_of(text) is not None

    def matches(self, text: str) -> bool:
        """Whether the pattern matches in a text, be it an empty match."""
        return self.first(text) is not None

    def first(self, text: str) -> Span | None:
        """The place of the first match, which may be an empty one."""
        data = None if self._engine is None else self._engine.data_of(text)
        if data is None or self._engine is None:
            found = self.pattern.search(text)
            return None if found is None else found.span()
        span = self._engine.find(data, 0, len(data))
        return None if span[0] < 0 else next(_in_chars(data, iter([span])))

    def count(self, text: str) -> int:
        """The number of matches in a text, none in another; empty ones do not count."""
        if self.text is not None and text.isascii():
            return times_in(text, self.text, fold=bool(self.pattern.flags & re.IGNORECASE))
        data = None if self._engine is None else self._engine.data_of(text)
        if data is None or self._engine is None:
            return times_by_re(self.pattern, text)
        found = at = 0
        for _, at in _spans_in(self._engine, data):
            found += 1
            if found == _MANY and self.tame:
                return found + times_by_re(self.pattern, text, len(data[:at].decode()))
        return found

    def spans(self, text: str) -> Iterator[Span]:
        """The start and end of each match, none in another; empty ones are left out."""
        data = None if self._engine is None else self._engine.data_of(text)
        if data is None or self._engine is None:
            yield from _spans_by_re(self.pattern, text, 0)
            return
        for found, span in enumerate(_in_chars(data, _spans_in(self._engine, data)), 1):
            yield span
            if found == _MANY and self.tame:
                yield from _spans_by_re(self.pattern, text, span[1])
                return


@lru_cache(256)
def finder_of(pattern: re.Pattern[str]) -> Finder:
    """A finder for a pattern. Its first text costs a millisecond or more, so it is kept."""
    return Finder(pattern)


def times_by_re(pattern: re.Pattern[str], text: str, start: int = 0) -> int:
    """How many matches `re` finds from one place on, but for empty ones: a list of texts takes half as long as matches one by one."""
    if len(text) - start > MOST_LISTED or pattern.groups:  # a list of matches would hold the groups instead
        return sum(1 for _ in _spans_by_re(pattern, text, start))
    found = pattern.findall(text, start)
    return len(found) - found.count("")


def _spans_by_re(pattern: re.Pattern[str], text: str, at: int) -> Iterator[Span]:
    return (match.span() for match in pattern.finditer(text, at) if match.end() > match.start())


def _spans_in(engine: Engine, data: bytes) -> Iterator[Span]:
    at, end = 0, len(data)
    while at < end:
        span = engine.find(data, at, end)
        if span[0] < 0:
            return
        yield span
        at = span[1]


def _in_chars(data: bytes, spans: Iterator[Span]) -> Iterator[Span]:
    """Spans of bytes as spans of characters."""
    if data.isascii():
        yield from spans
        return
    byte = char = 0
    for start, end in spans:
        first = char + len(data[byte:start].decode())
        char, byte = first + len(data[start:end].decode()), end
        yield first, char
