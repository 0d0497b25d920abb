"""How many matches a text holds, by the quickest way that is sure: finding a text takes a tenth of what a pattern takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import permutations
from typing import Final

from trajview.patterns.finder import finder_of, times_by_re
from trajview.patterns.quick_bytes import lowered_text, times_in

from .pattern_words import literal_of

__all__ = ["counter_of", "is_plain", "spans_of", "texts_of"]

_PLAIN: Final = re.compile(r"(?:[\w ,:;=@<>!%'\"`/-]|\\[^\w\s])+", re.ASCII)
"""Patterns that stand for a text, whatever their flags."""
_CHOICE: Final = re.compile(r"\((?:\?:)?([^()\\]*)\)")
_ODD: Final = frozenset("\u0130\u0131\u017f")
"""What matches an i or an s where case is ignored, and is no i or s in lower case. (The Kelvin sign is a k there.)"""
_KELVIN: Final = "\u212a".encode()


def is_plain(pattern: re.Pattern[str]) -> bool:
    """Whether a pattern stands for a text."""
    return bool(_PLAIN.fullmatch(pattern.pattern) and literal_of(pattern).text)


@lru_cache(64)
def texts_of(pattern: re.Pattern[str]) -> tuple[str, ...]:
    """The texts of which a pattern matches any, if there can be no part of two of them in the same place: then each can be counted by itself.

    Empty where it is no such pattern. In small letters where it ignores case.
    """
    fold = bool(pattern.flags & re.IGNORECASE)
    source = pattern.pattern.removeprefix("(?i)") if fold else pattern.pattern
    if found := _CHOICE.fullmatch(source):
        source = found[1]
    texts = list[str]()
    for part in source.split("|"):
        text = literal_of(re.compile(part, pattern.flags)).text if _PLAIN.fullmatch(part) else ""
        if not text or (fold and not text.isascii()):
            return ()
        texts.append(text.lower() if fold else text)
    texts = list(dict.fromkeys(texts))
    return () if any(_meet(one, other) for one, other in permutations(texts, 2)) else tuple(texts)


def _meet(one: str, other: str) -> bool:
    """Whether a text is within another, or ends with what that begins with."""
    return one in other or any(other.startswith(one[at:]) for at in range(1, len(one)))


@lru_cache(64)
def counter_of(pattern: re.Pattern[str]) -> Callable[[str], int]:
    """What counts the matches of a pattern in a text; empty ones do not count."""
    fold = bool(pattern.flags & re.IGNORECASE)
    if is_plain(pattern):
        text = literal_of(pattern).text
        return _counts_folded(text, pattern) if fold else _counts(text)
    by_engine = finder_of(pattern).count
    texts = texts_of(pattern)
    return _counts_any(texts, fold, by_engine) if texts else by_engine


def _counts_any(texts: tuple[str, ...], fold: bool, otherwise: Callable[[str], int]) -> Callable[[str], int]:
    def count(text: str) -> int:
        if not text.isascii():
            return otherwise(text)
        low = lowered_text(text) if fold else text
        return sum(times_in(low, wanted) for wanted in texts)

    return count


@lru_cache(64)
def spans_of(pattern: re.Pattern[str]) -> Callable[[str], Iterator[tuple[int, int]]]:
    """What gives the start and end of each match of a pattern in a text; empty ones are left out."""
    if not is_plain(pattern):
        return finder_of(pattern).spans
    if not pattern.flags & re.IGNORECASE:
        return lambda text: _spans(pattern, text)
    # In ASCII alone, small letters stand where capitals stood, and nothing else is the same letter: it is three times as fast.
    small = re.compile(re.escape(literal_of(pattern).text.lower()))
    return lambda text: _spans(small, lowered_text(text)) if text.isascii() else _spans(pattern, text)


def _spans(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in pattern.finditer(text) if match.end() > match.start())


def _counts(wanted: str) -> Callable[[str], int]:
    return lambda text: times_in(text, wanted)


def _counts_folded(wanted: str, pattern: re.Pattern[str]) -> Callable[[str], int]:
    wanted = wanted.lower()
    as_bytes = wanted.encode()

    def count(text: str) -> int:
        if text.isascii():
            return times_in(lowered_text(text), wanted)
        if any(letter in text for letter in _ODD):
            return times_by_re(pattern, text)
        # As bytes: making a text lower that is not ASCII takes ten times as long.
        return text.encode("utf-8", "surrogatepass").replace(_KELVIN, b"k").lower().count(as_bytes)

    return count
