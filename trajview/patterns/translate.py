"""The pattern that RE2 has to be given so that it finds in a text exactly what Python's `re` finds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from . import tree as of
from .chars import ASCII, EVERY, WORD, Ranges, chars_in, far_word, inverse
from .tree import Alt, CannotSay, Chars, Look, Node, Repeat, Seq, Side, can_be_empty, in_row, spelled

__all__ = ["Translated", "loosened", "translated", "understood"]

_MANY: Final = 32
"""More than so many need not be counted where it need not be exact: each of them takes room."""
_TYPES: Final = re.ASCII | re.UNICODE | re.LOCALE


@dataclass(frozen=True, slots=True)
class Translated:
    """A pattern for RE2, whose meaning is that of Python's in some texts.

    `looks_at_end`: only in those that do not end with a newline. `looks_at_words`: only in those in which all that is a letter or a
    digit is ASCII; RE2's `\\b` knows no others.
    """

    source: bytes
    looks_at_end: bool
    looks_at_words: bool


def translated(pattern: re.Pattern[str], beyond: bool = False, loose: bool = False) -> Translated | None:
    """A pattern for RE2, which matches in each ASCII text (`beyond`: in any) what this one does. None where that is not certain.

    `loose`: one that matches something, of whatever length, in every text in which this one does, and perhaps in more. Else that is so for what RE2 does not know (back references, most assertions that look around, atomic groups), for what may match an
    empty text, also where that is repeated (each has its own rules for how to go on after that), and for large counts.
    """
    found = _read(pattern, beyond, loose)
    if found is None or can_be_empty(found[0]):
        return None
    node, reader = found
    try:
        return Translated(spelled(node, beyond).encode(), reader.looks_at_end, reader.looks_at_words)
    except (RecursionError, CannotSay):
        return None


def loosened(pattern: re.Pattern[str], beyond: bool = False) -> Node | None:
    """What matches each match of a pattern in ASCII texts (`beyond`: in any), and perhaps more. None where that is not certain."""
    found = _read(pattern, beyond, True)
    return None if found is None else found[0]


def understood(pattern: re.Pattern[str], beyond: bool = False, *, may_be_empty: bool = False) -> Node | None:
    """What matches in each ASCII text (`beyond`: in any) exactly what a pattern does. None where that is not certain, or may be empty.

    `may_be_empty`: also where that may be empty, but then it may match elsewhere.
    """
    found = _read(pattern, beyond, False)
    if found is None or (can_be_empty(found[0]) and not may_be_empty):
        return None
    node, reader = found
    return None if reader.looks_at_end or reader.looks_at_words else node


def _read(pattern: re.Pattern[str], beyond: bool, loose: bool) -> tuple[Node, _Reader] | None:
    try:
        # By name: whether type checkers know these modules depends on what they have cached.
        op, parser = import_module("re._constants"), import_module("re._parser")
        tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
        flags = (pattern.flags | tree.state.flags) & ~re.DEBUG
        reader = _Reader(op, ASCII, loose)
        node = reader.read(tree, flags)
        if beyond:
            reader = _Reader(op, inverse(far_word()) if reader.looks_at_words else EVERY, loose)
            node = reader.read(tree, flags)
        return node, reader
    except (ImportError, AttributeError, KeyError, re.error, RecursionError, CannotSay):  # Python's own, and may change
        return None


class _Reader:
    """Reads Python's tree of a regular expression."""

    def __init__(self, op: Any, alphabet: Ranges, loose: bool) -> None:
        self._op = op
        self._alphabet = alphabet
        self._loose = loose
        self.looks_at_end = False
        self.looks_at_words = False

    def read(self, tree: Iterable[Any], flags: int) -> Node:
        """What the tree says with these flags. Raises CannotSay."""
        return in_row([self._node(code, value, flags) for code, value in tree])

    def _node(self, code: Any, value: Any, flags: int) -> Node:
        op = self._op
        if code in (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN):
            return Chars(chars_in(code, _frozen(value), flags, self._alphabet))
        if code is op.AT:
            return self._place(value, flags)
        if code is op.SUBPATTERN:
            _, added, removed, inner = value
            if added & _TYPES:
                flags &= ~_TYPES
            return self.read(inner, (flags | added) & ~removed)
        if code is op.BRANCH:
            return Alt(tuple(self.read(branch, flags) for branch in value[1]))
        if code in (op.MAX_REPEAT, op.MIN_REPEAT):
            least, most, inner = value
            return self._repeat(self.read(inner, flags), least, most, code is op.MIN_REPEAT)
        if self._loose:
            return self._loosely(code, value, flags)
        if code in (op.ASSERT, op.ASSERT_NOT):
            direction, inner = value
            self.looks_at_words |= not flags & re.ASCII
            return self._side(self.read(inner, flags), direction < 0, code is op.ASSERT)
        raise CannotSay

    def _loosely(self, code: Any, value: Any, flags: int) -> Node:
        """What only says what is around it is left out, and what is not given up again may be."""
        op = self._op
        if code in (op.ASSERT, op.ASSERT_NOT):
            return Seq(())
        if code is op.ATOMIC_GROUP:
            return self.read(value, flags)
        if code is op.POSSESSIVE_REPEAT:
            least, most, inner = value
            return self._repeat(self.read(inner, flags), least, most, False)
        raise CannotSay

    def _repeat(self, item: Node, least: int, most: Any, lazy: bool) -> Node:
        endless = most == self._op.MAXREPEAT
        if self._loose:
            least, endless = min(least, _MANY), endless or most > _MANY
        elif can_be_empty(item) or least > of.MOST or (not endless and most > of.MOST):
            raise CannotSay
        if not endless and most <= 1:
            if not most:
                return Seq(())
            if least:
                return item
        return Repeat(item, int(least), None if endless else int(most), lazy)

    def _place(self, value: Any, flags: int) -> Look | Seq:
        op, lines = self._op, bool(flags & re.MULTILINE) or self._loose
        self.looks_at_end |= value is op.AT_END and not lines
        if value in (op.AT_BOUNDARY, op.AT_NON_BOUNDARY) and not flags & re.ASCII:
            if self._loose and self._alphabet != ASCII:
                return Seq(())
            self.looks_at_words = not self._loose
        places = {
            op.AT_BEGINNING: of.LINE_START if lines else of.START, op.AT_BEGINNING_STRING: of.START,
            op.AT_END: of.LINE_END if lines else of.END, op.AT_END_STRING: of.END,
            op.AT_BOUNDARY: of.EDGE, op.AT_NON_BOUNDARY: of.NO_EDGE,
        }  # fmt: skip
        if value not in places:
            raise CannotSay
        return places[value]

    def _side(self, inner: Node, before: bool, wanted: bool) -> Side:
        if inner != Chars(WORD):
            raise CannotSay
        return Side(before, wanted)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value
