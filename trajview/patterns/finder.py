"""Finding what a regular expression matches: by RE2 where it finds the same, else by `re`.

RE2 takes about a fifth of the time, never more for one match than in proportion to the text, and lets other threads run meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib import import_module
from typing import Final

from .chars import far_word
from .engine import Span, asked
from .safe import slow_because
from .translate import Translated, translated
from .tree import Chars, spelled

__all__ = ["Finder", "finder_of", "times_by_re"]

_Find = Callable[[bytes, int, int], Span]
_SHORT: Final = 64
"""Characters: what takes no time anyway."""
_MOST_OPEN: Final = 2
_LOOK: Final = 64
"""After so many matches it is seen how close together they are."""
_CLOSE: Final = 48
"""Characters from one match to the next, on average, below which `re` is the quicker one: it is asked more quickly."""
_LEFT: Final = 32
"""Texts after one with such matches that `re` is asked right away."""
_WORTH: Final = 500_000
"""Characters beyond ASCII texts, for which it is worth to find out what a pattern matches of all of Unicode."""
_LARGE: Final = 2_000
"""Characters of a pattern as RE2 has it."""
_MOST_AT_ONCE: Final = 1 << 20
"""Characters that `re` goes through in moments, while it lets no other thread run."""
_MOST_LISTED: Final = 1 << 16
"""The same where it lists all matches: between two of them it lets none run either."""


@dataclass(frozen=True, slots=True)
class _Engine:
    """RE2 for a pattern. `find` gives the first match from one place in bytes to another, (-1, -1) for none."""

    find: _Find
    looks_at_end: bool
    looks_at_words: bool
    large: bool
    """It may be slow: its states may have no room, and are made again and again."""

    def means_it_in(self, data: bytes, beyond: bool) -> bool:
        """Whether it finds exactly what is to be found in that text, which may be ASCII."""
        return not (
            (self.looks_at_end and data.endswith(b"\n")) or (beyond and self.looks_at_words and _has_far_word(data))
        )


def _nowhere(_data: bytes, _start: int, _end: int) -> Span:
    return -1, -1


class Finder:
    """Finds what a pattern matches in any text, exactly as `re` does. Safe for several threads. See `finder_of`."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern
        self._engines: dict[tuple[bool, bool], _Engine | None] = {}
        """For texts beyond ASCII or not; loose or not. Made when they are needed."""
        self._left = 0
        """Texts that are left to `re`, since matches were close together."""
        self._passed = 0
        """Characters of other texts that were left to `re`, until `_WORTH`."""

    def __reduce__(self) -> tuple[Callable[[re.Pattern[str]], Finder], tuple[re.Pattern[str]]]:
        return finder_of, (self.pattern,)

    @cached_property
    def _tame(self) -> bool:
        return slow_because(self.pattern.pattern, _MOST_OPEN) is None

    def handles(self, text: str) -> bool:
        """Whether finding the pattern in a text takes time in proportion to its length, times how many matches it has, however bad the pattern.

        Other threads run meanwhile. Else it takes what `re` takes, which may be for ever: see `slow_because`.
        """
        return self._ready(text) is not None

    def matches(self, text: str, otherwise: Callable[[str], bool] | None = None) -> bool:
        """Whether the pattern matches in a text, be it an empty match. `otherwise`: what says so in place of `re`."""
        ready = None if self._tame and len(text) < _SHORT else self._ready(text)
        if ready is None:
            return self.pattern.search(text) is not None if otherwise is None else otherwise(text)
        find, data = ready
        return find(data, 0, len(data))[0] >= 0

    def first(self, text: str) -> Span | None:
        """Where the first match is, which may be an empty one."""
        ready = None if self._tame and len(text) < _SHORT else self._ready(text)
        if ready is None:
            found = self.pattern.search(text)
            return None if found is None else found.span()
        find, data = ready
        start, end = find(data, 0, len(data))
        if start < 0:
            return None
        return (start, end) if len(data) == len(text) else next(_in_chars(data, iter([(start, end)])))

    def count(self, text: str, otherwise: Callable[[str], int] | None = None) -> int:
        """How many matches a text holds, none in another; empty ones do not count. `otherwise`: what counts in place of `re`."""
        ready = None if self._is_for_re(text) else self._ready(text)
        if ready is None:
            return times_by_re(self.pattern, text) if otherwise is None else otherwise(text)
        find, data = ready
        found = at = since = 0
        end = len(data)
        while at < end:
            start, at = find(data, at, end)
            if start < 0:
                break
            found += 1
            if not found % _LOOK:
                if self._is_close(at - since, end - at):
                    return found + times_by_re(self.pattern, text, _chars(data, at, text))
                since = at
        return found

    def spans(self, text: str, otherwise: Callable[[str], Iterator[Span]] | None = None) -> Iterator[Span]:
        """Where each match starts and ends, none in another; empty ones are left out. `otherwise`: what finds in place of `re`."""
        ready = None if self._is_for_re(text) else self._ready(text)
        if ready is None:
            return self._spans_by_re(text, 0) if otherwise is None else otherwise(text)
        find, data = ready
        spans = _spans_in(find, data)
        return self._spans_then(text, spans if len(data) == len(text) else _in_chars(data, spans))

    def _spans_then(self, text: str, spans: Iterator[Span]) -> Iterator[Span]:
        since = 0
        for found, span in enumerate(spans, 1):
            yield span
            if not found % _LOOK:
                if self._is_close(span[1] - since, len(text) - span[1]):
                    yield from self._spans_by_re(text, span[1])
                    return
                since = span[1]

    def _ready(self, text: str) -> tuple[_Find, bytes] | None:
        """What finds the pattern in a text, and the text for it; None where that is for `re`."""
        beyond = not text.isascii()
        if beyond and self._tame and self._passed < _WORTH:
            self._passed += len(text)
            return None
        try:
            data = text.encode()
        except UnicodeEncodeError:  # half of a pair
            return None
        engine = self._engine(beyond, False)
        if engine is not None and not engine.large and engine.means_it_in(data, beyond):
            return engine.find, data
        loose = self._engine(beyond, True)
        if loose is not None and loose.find(data, 0, len(data))[0] < 0:
            return _nowhere, b""
        return (engine.find, data) if engine is not None and engine.large and engine.means_it_in(data, beyond) else None

    def _engine(self, beyond: bool, loose: bool) -> _Engine | None:
        try:
            return self._engines[beyond, loose]
        except KeyError:
            made = self._engines[beyond, loose] = _engine(translated(self.pattern, beyond, loose), beyond)
            return made

    def _is_for_re(self, text: str) -> bool:
        if not self._tame or len(text) >= _MOST_AT_ONCE:
            return False
        self._left -= self._left > 0
        return self._left > 0 or len(text) < _SHORT

    def _is_close(self, done: int, left: int) -> bool:
        close = self._tame and done < _LOOK * _CLOSE and left <= _MOST_AT_ONCE
        if close:
            self._left = _LEFT
        return close

    def _spans_by_re(self, text: str, at: int) -> Iterator[Span]:
        return (match.span() for match in self.pattern.finditer(text, at) if match.end() > match.start())


@lru_cache(256)
def finder_of(pattern: re.Pattern[str]) -> Finder:
    """What finds a pattern. The first text costs it a millisecond or more, so it is kept."""
    return Finder(pattern)


def times_by_re(pattern: re.Pattern[str], text: str, start: int = 0) -> int:
    """How many matches `re` finds from one place on, but for empty ones: a list of texts takes half as long as matches one by one."""
    if len(text) - start > _MOST_LISTED or (pattern.groups and not _never_empty(pattern)):
        return sum(1 for match in pattern.finditer(text, start) if match.end() > match.start())
    found = pattern.findall(text, start)
    # Where there are groups, these are what is listed.
    return len(found) if pattern.groups else len(found) - found.count("")


@lru_cache(256)
def _never_empty(pattern: re.Pattern[str]) -> bool:
    try:
        # By name: whether type checkers know this module depends on what they have cached.
        parsed = import_module("re._parser").parse(pattern.pattern, pattern.flags & ~re.DEBUG)
        return bool(parsed.getwidth()[0] > 0)
    except (ImportError, AttributeError, re.error, RecursionError):  # Python's own, and may change
        return False


def _chars(data: bytes, at: int, text: str) -> int:
    """How many characters some bytes of a text are."""
    return at if len(data) == len(text) else len(data[:at].decode())


def _spans_in(find: _Find, data: bytes) -> Iterator[Span]:
    at, end = 0, len(data)
    while at < end:
        span = find(data, at, end)
        if span[0] < 0:
            return
        yield span
        at = span[1]


def _in_chars(data: bytes, spans: Iterator[Span]) -> Iterator[Span]:
    """Spans of bytes as spans of characters."""
    byte = char = 0
    for start, end in spans:
        first = char + len(data[byte:start].decode())
        char, byte = first + len(data[start:end].decode()), end
        yield first, char


@cache
def _far_words() -> _Find | None:
    engine = _engine(Translated(spelled(Chars(far_word()), True).encode(), False, False), utf8=True)
    return None if engine is None else engine.find


def _has_far_word(data: bytes) -> bool:
    """Whether a letter or a digit in UTF-8 is not an ASCII one."""
    find = _far_words()
    return find is None or find(data, 0, len(data))[0] >= 0


def _engine(translated: Translated | None, utf8: bool = False) -> _Engine | None:
    """None without RE2 for this machine, and for too large a pattern."""
    if translated is None:
        return None
    ask = asked(translated.source, utf8=utf8)
    if ask is None:
        return None
    return _Engine(
        lambda data, start, end: ask(data, start, end)[0],
        translated.looks_at_end,
        translated.looks_at_words,
        len(translated.source) > _LARGE,
    )
