"""RE2, where this machine has it, for patterns and texts in which it finds exactly what `re` finds.

`re` and RE2 both take the leftmost match, and of those the one whose choices come first. They differ in what letters, digits and
spaces are beyond ASCII, in what ignoring case means there, and in how they go on after an empty repetition: such patterns, or
such texts, are left to `re`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from .tree import OP, tree_of

__all__ = ["Engine", "Span", "engine_of"]

Span = tuple[int, int]
_MEMORY: Final = 32 << 20
"""Bytes that a pattern may take at most."""
_MOST: Final = 1000
"""RE2 counts no further."""
_LAST: Final = 0x10FFFF
_TYPES: Final = re.ASCII | re.UNICODE | re.LOCALE
_FOLDED_OTHERWISE: Final = "\u0130\u0131\u017f\u212a"
"""Characters that match an i, an s or a k where case is ignored: not always for RE2, and there sometimes otherwise."""


class _CannotSay(Exception):
    """It is not certain that RE2 would find the same."""


@dataclass(frozen=True, slots=True)
class Engine:
    """RE2 for a pattern. `find` gives the first match from one place in bytes to another, (-1, -1) for none."""

    find: Callable[[bytes, int, int], Span]
    ascii_only: bool
    """Whether it finds the same in ASCII texts only."""

    def data_of(self, text: str) -> bytes | None:
        """The text as this looks at it; None where it may not find what `re` finds."""
        if not text.isascii() and (self.ascii_only or any(char in text for char in _FOLDED_OTHERWISE)):
            return None
        try:
            return text.encode()
        except UnicodeEncodeError:  # half of a pair
            return None


def engine_of(pattern: re.Pattern[str]) -> Engine | None:
    """RE2 for a pattern. None where it may not find the same, where it is too large, and without RE2."""
    try:
        tree = tree_of(pattern.pattern, pattern.flags)
        writer = _Writer()
        source = writer.all_of(tree, pattern.flags | tree.state.flags)
        if tree.getwidth()[0] == 0:
            return None
    except (RecursionError, _CannotSay):
        return None
    ask = _asked(source)
    return None if ask is None else Engine(lambda data, start, end: ask(data, start, end)[0], writer.ascii_only)


def _asked(source: str) -> Callable[[bytes, int, int], list[Span]] | None:
    try:
        re2: Any = import_module("re2")
        options = re2.Options()
        options.never_capture = True
        options.log_errors = False
        options.max_mem = _MEMORY
        match, unanchored = re2.compile(source, options)._regexp.Match, re2._Anchor.UNANCHORED
        if match(unanchored, b"", 0, 0) != [(-1, -1)]:  # RE2's results may change
            return None
    except (ImportError, AttributeError, TypeError):
        return None
    except re2.error:  # too large
        return None
    return lambda data, start, end: match(unanchored, data, start, end)


class _Writer:
    """Writes Python's tree of a regular expression in RE2's syntax. Raises _CannotSay."""

    def __init__(self) -> None:
        self.ascii_only = False
        """Whether what was written means the same in ASCII texts only."""
        self._by_code: dict[Any, Callable[[Any, int], str]] = {
            OP.LITERAL: lambda value, flags: self._char(value, flags),
            OP.NOT_LITERAL: lambda value, flags: f"[^{self._char(value, flags)}]",
            OP.ANY: lambda _, flags: "(?s:.)" if flags & re.DOTALL else r"[^\n]",
            OP.IN: self._set,
            OP.AT: self._place,
            OP.SUBPATTERN: self._group,
            OP.BRANCH: lambda value, flags: f"(?:{'|'.join(self._row(branch, flags) for branch in value[1])})",
            OP.MAX_REPEAT: self._repeat,
            OP.MIN_REPEAT: lambda value, flags: self._repeat(value, flags) + "?",
        }
        self._places = {
            OP.AT_BEGINNING_STRING: r"\A", OP.AT_END_STRING: r"\z", OP.AT_BOUNDARY: r"\b", OP.AT_NON_BOUNDARY: r"\B",
        }  # fmt: skip

    def all_of(self, tree: Iterable[Any], flags: int) -> str:
        """A whole pattern."""
        return self._with_case(self._row(tree, flags), flags)

    def _row(self, tree: Iterable[Any], flags: int) -> str:
        return "".join(self._one(code, value, flags) for code, value in tree)

    def _one(self, code: Any, value: Any, flags: int) -> str:
        write = self._by_code.get(code)
        if write is None:  # back references, assertions and the like
            raise _CannotSay
        return write(value, flags)

    def _with_case(self, source: str, flags: int) -> str:
        return f"(?{'i' if flags & re.IGNORECASE else '-i'}:{source})"

    def _char(self, code: int, flags: int) -> str:
        if flags & re.IGNORECASE and _has_cases(code):
            raise _CannotSay
        return rf"\x{{{code:x}}}"

    def _set(self, items: list[Any], flags: int) -> str:
        parts = list[str]()
        for code, value in items:
            if code is OP.LITERAL:
                parts.append(self._char(value, flags))
            elif code is OP.RANGE:
                first, last = value
                if flags & re.IGNORECASE and any(map(_has_cases, range(first, last + 1))):
                    raise _CannotSay
                parts.append(rf"\x{{{first:x}}}-\x{{{last:x}}}")
            elif code is OP.CATEGORY:
                parts.append(self._category(value, flags))
            elif code is not OP.NEGATE:
                raise _CannotSay
        return f"[{'^' if items[0][0] is OP.NEGATE else ''}{''.join(parts)}]"

    def _category(self, kind: Any, flags: int) -> str:
        """Characters of a kind, as they stand within brackets."""
        self.ascii_only |= not flags & re.ASCII
        spaces = [(9, 13), (32, 32)] if flags & re.ASCII else [(9, 13), (28, 32)]
        digits, words = [(48, 57)], [(48, 57), (65, 90), (95, 95), (97, 122)]
        ranges = {
            OP.CATEGORY_DIGIT: digits, OP.CATEGORY_NOT_DIGIT: _others(digits), OP.CATEGORY_WORD: words,
            OP.CATEGORY_NOT_WORD: _others(words), OP.CATEGORY_SPACE: spaces, OP.CATEGORY_NOT_SPACE: _others(spaces),
        }.get(kind)  # fmt: skip
        if ranges is None:
            raise _CannotSay
        return "".join(rf"\x{{{first:x}}}-\x{{{last:x}}}" for first, last in ranges)

    def _place(self, kind: Any, flags: int) -> str:
        if kind is OP.AT_BEGINNING:
            return "(?m:^)" if flags & re.MULTILINE else r"\A"
        if kind is OP.AT_END and flags & re.MULTILINE:  # else it is before a newline at the end, too
            return "(?m:$)"
        if kind not in self._places:
            raise _CannotSay
        self.ascii_only |= kind in (OP.AT_BOUNDARY, OP.AT_NON_BOUNDARY) and not flags & re.ASCII
        return self._places[kind]

    def _group(self, value: Any, flags: int) -> str:
        _, added, removed, inner = value
        if added & _TYPES:
            flags &= ~_TYPES
        flags = (flags | added) & ~removed
        return self._with_case(self._row(inner, flags), flags)

    def _repeat(self, value: Any, flags: int) -> str:
        least, most, inner = value
        endless = most is OP.MAXREPEAT
        if inner.getwidth()[0] == 0 or least > _MOST or (not endless and most > _MOST):
            raise _CannotSay
        return f"(?:{self._row(inner, flags)}){{{least},{'' if endless else most}}}"


def _has_cases(code: int) -> bool:
    """Whether a character beyond ASCII matches another one where case is ignored."""
    char = chr(code)
    return code > 127 and (char in _FOLDED_OTHERWISE or not char.lower() == char == char.upper())


def _others(ranges: list[Span]) -> list[Span]:
    """All characters but these, and but those that no text has which RE2 looks at: it would take the Kelvin sign for a k."""
    without = [*ranges, *((ord(char), ord(char)) for char in _FOLDED_OTHERWISE)]
    starts = [0, *(last + 1 for _, last in without)]
    ends = [*(first - 1 for first, _ in without), _LAST]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if start <= end]
