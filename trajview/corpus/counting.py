"""How many matches a text holds, by the quickest way that is sure: finding a text takes a tenth of what a pattern takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import permutations
from typing import Final

from trajview.patterns.finder import finder_of, times_by_re
from trajview.patterns.quick_bytes import holds, lowered, lowered_text, times_in, times_in_bytes

from .kind_counting import kind_counter_of
from .pattern_words import literal_of

__all__ = ["counter_in_json", "counter_of", "is_plain", "spans_of", "texts_of"]

_PLAIN: Final = re.compile(r"(?:[\w ,:;=@<>!%'\"`/-]|\\[^\w\s])+", re.ASCII)
"""Patterns that stand for a text, whatever their flags."""
_CHOICE: Final = re.compile(r"\((?:\?:)?([^()\\]*)\)")
_SIMPLE: Final = re.compile(
    r"(?: [^\\\[(A-Z\x80-\U0010ffff] | \((?!\?) | \\[wWdDsSbB\W] | \[\^?(?: a-z | 0-9 | [a-z0-9_ .,:;=](?!-) )+\] )*",
    re.VERBOSE,
)
"""Patterns without flags, odd ranges and characters by number."""
_REPEATED: Final = re.compile(r"(\\[ds]|\[(?:0-9|[0-9 _.,:;=](?!-))+\])(\+|\{([1-9]\d{0,3})\})(?![?+*{])")
"""A pattern that begins with some of a few characters."""
_ODD: Final = frozenset("\u0130\u0131\u017f")
"""What matches an i or an s where case is ignored, and is no i or s in lower case. (The Kelvin sign is a k there.)"""
_KELVIN: Final = "\u212a".encode()
_ODD_FOR: Final = {"i": ("\u0130".encode(), "\u0131".encode()), "s": ("\u017f".encode(),), "k": (_KELVIN,)}
"""What else matches a letter where case is ignored."""
_AS_WRITTEN: Final = re.compile(r"[ !#-.0-\[\]-~]+")
"""Characters that JSON writes as they are, but where it spells them by number."""


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
    finder, by_re = finder_of(pattern), _counter_by_re(pattern, fold)

    def by_engine(text: str) -> int:
        return finder.count(text, by_re)

    if texts := texts_of(pattern):
        return _counts_any(texts, fold, by_engine)
    by_kinds = kind_counter_of(pattern)
    return by_engine if by_kinds is None else _counts_kinds(by_kinds, by_engine)


def _counts_kinds(by_kinds: Callable[[str], int | None], otherwise: Callable[[str], int]) -> Callable[[str], int]:
    def count(text: str) -> int:
        found = by_kinds(text)
        return otherwise(text) if found is None else found

    return count


def _counts_any(texts: tuple[str, ...], fold: bool, otherwise: Callable[[str], int]) -> Callable[[str], int]:
    def count(text: str) -> int:
        if not text.isascii():
            return otherwise(text)
        low = lowered_text(text) if fold else text
        return sum(times_in(low, wanted) for wanted in texts)

    return count


def _counter_by_re(pattern: re.Pattern[str], fold: bool) -> Callable[[str], int]:
    if fold and _SIMPLE.fullmatch(pattern.pattern):
        return _counts_lowered(pattern)
    sooner = _begun_sooner(pattern, pattern.flags)
    return lambda text: times_by_re(sooner, text)


@lru_cache(64)
def counter_in_json(pattern: re.Pattern[str]) -> Callable[[bytes | memoryview], int | None] | None:
    """What counts the matches of a pattern in a text that is still JSON, quotes and all, but for codes for colours.

    It gives None where the text has to be decoded for that. None where the pattern is none that can be counted so.
    """
    texts = texts_of(pattern)
    if not texts or not all(map(_AS_WRITTEN.fullmatch, texts)):
        return None
    fold = bool(pattern.flags & re.IGNORECASE)
    wanted = [text.encode() for text in texts]
    unclear = [b"\\u", b"\x1b"]
    # These may begin with the second half of an escape.
    unclear += [b"\\" + text for text in wanted if text[:1].lower() in b"bfnrt"]
    if fold:
        unclear += [odd for letter in dict.fromkeys("".join(texts)) for odd in _ODD_FOR.get(letter, ())]

    def count(data: bytes | memoryview) -> int | None:
        low = lowered(data) if fold else data
        for each in unclear:
            if holds(low, each):
                return None
        return sum(times_in_bytes(low, text) for text in wanted)

    return count


@lru_cache(64)
def spans_of(pattern: re.Pattern[str]) -> Callable[[str], Iterator[tuple[int, int]]]:
    """What gives the start and end of each match of a pattern in a text; empty ones are left out."""
    plain = is_plain(pattern)
    if not pattern.flags & re.IGNORECASE or not (plain or _SIMPLE.fullmatch(pattern.pattern)):
        return lambda text: _spans(pattern, text) if plain else finder_of(pattern).spans(text)
    lowered = re.compile(
        re.escape(literal_of(pattern).text.lower()) if plain else pattern.pattern, pattern.flags & ~re.IGNORECASE
    )

    def by_re(text: str) -> Iterator[tuple[int, int]]:
        # In ASCII alone, small letters stand where capitals stood, and nothing else is the same letter.
        return _spans(lowered, lowered_text(text)) if text.isascii() else _spans(pattern, text)

    return by_re if plain else lambda text: finder_of(pattern).spans(text, by_re)


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


def _counts_lowered(pattern: re.Pattern[str]) -> Callable[[str], int]:
    """The pattern itself, where a text in lower case spares it from ignoring case: three times as fast."""
    lowered, other = (_begun_sooner(pattern, flags) for flags in (pattern.flags & ~re.IGNORECASE, pattern.flags))
    return lambda text: times_by_re(lowered, lowered_text(text)) if text.isascii() else times_by_re(other, text)


def _begun_sooner(pattern: re.Pattern[str], flags: int) -> re.Pattern[str]:
    """The same pattern, with the first of its characters apart where that may be repeated.

    Python passes over what cannot begin a match two thirds sooner then: it knows the set of a single character.
    """
    source = pattern.pattern
    if found := _REPEATED.match(source):
        first, times = found[1], found[3]
        rest = "*" if times is None else f"{{{int(times) - 1}}}"
        source = f"{first}{first}{rest}{source[found.end() :]}"
    return re.compile(source, flags)
