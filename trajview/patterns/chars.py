"""Sets of characters, as ranges; and which a part of a regular expression matches that stands for one: what `re` itself says."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, Final

__all__ = ["ASCII", "EVERY", "LAST", "WORD", "Ranges", "chars_in", "far_word", "inverse", "joined", "shared"]

Ranges = tuple[tuple[int, int], ...]
"""First and last of each range, ascending, with a gap between each and the next."""
LAST: Final = 0x10FFFF
EVERY: Final[Ranges] = ((0, LAST),)
ASCII: Final[Ranges] = ((0, 127),)
WORD: Final[Ranges] = ((48, 57), (65, 90), (95, 95), (97, 122))
"""Digits, letters and `_` of ASCII."""


def joined(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """All of them, in any order and overlapping, as a set."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return tuple(found)


def inverse(ranges: Ranges) -> Ranges:
    """All other characters."""
    found: list[tuple[int, int]] = []
    at = 0
    for first, last in ranges:
        if first > at:
            found.append((at, first - 1))
        at = last + 1
    if at <= LAST:
        found.append((at, LAST))
    return tuple(found)


def shared(one: Ranges, other: Ranges) -> Ranges:
    """The characters that are in both."""
    found: list[tuple[int, int]] = []
    here = there = 0
    while here < len(one) and there < len(other):
        first, last = max(one[here][0], other[there][0]), min(one[here][1], other[there][1])
        if first <= last:
            found.append((first, last))
        if one[here][1] < other[there][1]:
            here += 1
        else:
            there += 1
    return tuple(found)


@lru_cache(1_000)
def chars_in(code: Any, value: Any, flags: int, alphabet: Ranges) -> Ranges:
    """Which characters of an alphabet are matched by a part of Python's tree that stands for one: a LITERAL, ANY, IN.

    `value` is hashable: tuples in place of lists. Raises AttributeError or KeyError where Python's tree is not what is known here.
    """
    if alphabet == ASCII:
        return _tried(code, value, flags, "".join(map(chr, range(128))))
    plain = _plain(code, value, flags)
    if flags & re.IGNORECASE:
        cased, letters = _cased()
        plain = joined([*shared(plain, inverse(cased)), *_tried(code, value, flags, letters)])
    return shared(plain, alphabet)


@cache
def far_word() -> Ranges:
    """What `\\w` matches beyond ASCII."""
    op = import_module("re._constants")
    return shared(_category(op.CATEGORY_WORD, int(re.UNICODE)), inverse(ASCII))


def _plain(code: Any, value: Any, flags: int) -> Ranges:
    """What it matches where case matters."""
    op = import_module("re._constants")
    if code is op.ANY:
        return EVERY if flags & re.DOTALL else inverse(((10, 10),))
    if code is op.IN:
        negated = value[0][0] is op.NEGATE
        found = joined(one for part in value[negated:] for one in _plain(part[0], part[1], flags))
        return inverse(found) if negated else found
    if code is op.RANGE:
        return (value,)
    if code is op.CATEGORY:
        return _category(value, flags & (re.ASCII | re.UNICODE))
    if code in (op.LITERAL, op.NOT_LITERAL):
        return ((value, value),) if code is op.LITERAL else inverse(((value, value),))
    raise AttributeError(str(code))


@lru_cache(32)
def _category(value: Any, flags: int) -> Ranges:
    op = import_module("re._constants")
    spelled = {
        op.CATEGORY_WORD: r"\w", op.CATEGORY_NOT_WORD: r"\W", op.CATEGORY_DIGIT: r"\d", op.CATEGORY_NOT_DIGIT: r"\D",
        op.CATEGORY_SPACE: r"\s", op.CATEGORY_NOT_SPACE: r"\S",
    }  # fmt: skip
    again = re.compile(f"{spelled[value]}+", flags)
    found: list[tuple[int, int]] = []
    for start in range(0, LAST, 0x10000):  # not at once: other threads would have to wait
        block = "".join(map(chr, range(start, start + 0x10000)))
        found += [(start + match.start(), start + match.end() - 1) for match in again.finditer(block)]
    return joined(found)


@cache
def _cased() -> tuple[Ranges, str]:
    """All characters that have anything to do with case, and more; as a text, too."""
    found: set[str] = set()
    for start in range(0, LAST + 1, 256):
        block = "".join(map(chr, range(start, start + 256)))
        if not block == block.lower() == block.upper() == block.casefold():
            for char in block:
                several = {char, *char.lower(), *char.upper(), *char.casefold()}
                if len(several) > 1:
                    found |= several
    return joined((ord(char), ord(char)) for char in found), "".join(found)


def _tried(code: Any, value: Any, flags: int, among: str) -> Ranges:
    """Which of some characters are matched."""
    found = _compiled(code, list(value) if isinstance(value, tuple) else value, flags).findall(among)
    return joined((ord(char), ord(char)) for char in found)


def _compiled(code: Any, value: Any, flags: int) -> re.Pattern[str]:
    """A pattern of which this is all."""
    parser, compiler = import_module("re._parser"), import_module("re._compiler")
    state = parser.State()
    state.flags = flags
    pattern: re.Pattern[str] = compiler.compile(parser.SubPattern(state, [(code, value)]), flags)
    return pattern
