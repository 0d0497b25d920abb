"""The pattern that RE2 has to be given so that it finds in ASCII texts exactly what Python's `re` finds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

from . import tree as of
from .tree import Alt, CannotSay, Chars, Look, Node, Repeat, Seq, Side, can_be_empty, in_row, spelled

__all__ = ["Translated", "translated"]

_ASCII: Final = "".join(map(chr, range(128)))


@dataclass(frozen=True, slots=True)
class Translated:
    """A pattern for RE2. `looks_at_end`: it only means the same in texts that do not end with a newline."""

    source: bytes
    looks_at_end: bool


def translated(pattern: re.Pattern[str]) -> Translated | None:
    """A pattern for RE2, which matches in each ASCII text what this one does. None where that is not certain.

    That is so for what RE2 does not know (back references, most assertions that look around, atomic groups), for what may match an
    empty text, also where that is repeated (each has its own rules for how to go on after that), and for large counts.
    """
    try:
        # By name: whether type checkers know these modules depends on what they have cached.
        op, parser = import_module("re._constants"), import_module("re._parser")
        tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
        reader = _Reader(op)
        node = reader.read(tree, (pattern.flags | tree.state.flags) & ~re.DEBUG)
        return None if can_be_empty(node) else Translated(spelled(node).encode(), reader.looks_at_end)
    except (ImportError, AttributeError, re.error, RecursionError, CannotSay):  # Python's own, and may change
        return None


class _Reader:
    """Reads Python's tree of a regular expression."""

    def __init__(self, op: Any) -> None:
        self._op = op
        self.looks_at_end = False

    def read(self, tree: Iterable[Any], flags: int) -> Node:
        """What the tree says with these flags. Raises CannotSay."""
        return in_row([self._node(code, value, flags) for code, value in tree])

    def _node(self, code: Any, value: Any, flags: int) -> Node:
        op = self._op
        if code is op.LITERAL and not flags & re.IGNORECASE:
            return Chars(1 << value if value < 128 else 0)
        if code in (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN):
            return Chars(_mask(code, _frozen(value), flags))
        if code is op.AT:
            return self._place(value, bool(flags & re.MULTILINE))
        if code is op.SUBPATTERN:
            _, added, removed, inner = value
            if added & (re.ASCII | re.UNICODE | re.LOCALE):
                flags &= ~(re.ASCII | re.UNICODE | re.LOCALE)
            return self.read(inner, (flags | added) & ~removed)
        if code is op.BRANCH:
            return Alt(tuple(self.read(branch, flags) for branch in value[1]))
        if code in (op.MAX_REPEAT, op.MIN_REPEAT):
            least, most, inner = value
            return self._repeat(self.read(inner, flags), least, most, code is op.MIN_REPEAT)
        if code in (op.ASSERT, op.ASSERT_NOT):
            direction, inner = value
            return self._side(self.read(inner, flags), direction < 0, code is op.ASSERT)
        raise CannotSay

    def _repeat(self, item: Node, least: int, most: Any, lazy: bool) -> Node:
        endless = most == self._op.MAXREPEAT
        if can_be_empty(item) or least > of.MOST or (not endless and most > of.MOST):
            raise CannotSay
        if not endless and most <= 1:
            if not most:
                return Seq(())
            if least:
                return item
        return Repeat(item, int(least), None if endless else int(most), lazy)

    def _place(self, value: Any, lines: bool) -> Look:
        op = self._op
        if value is op.AT_END and not lines:
            self.looks_at_end = True
        places = {
            op.AT_BEGINNING: of.LINE_START if lines else of.START, op.AT_BEGINNING_STRING: of.START,
            op.AT_END: of.LINE_END if lines else of.END, op.AT_END_STRING: of.END,
            op.AT_BOUNDARY: of.EDGE, op.AT_NON_BOUNDARY: of.NO_EDGE,
        }  # fmt: skip
        if value not in places:
            raise CannotSay
        return places[value]

    def _side(self, inner: Node, before: bool, wanted: bool) -> Side:
        if inner != Chars(of.WORD):
            raise CannotSay
        return Side(before, wanted)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


@lru_cache(1_000)
def _mask(code: Any, value: Any, flags: int) -> int:
    """Which ASCII characters a part of a pattern matches that stands for one: what `re` itself says."""
    parser, compiler = import_module("re._parser"), import_module("re._compiler")
    state = parser.State()
    state.flags = flags
    alone = parser.SubPattern(state, [(code, list(value) if isinstance(value, tuple) else value)])
    return sum(1 << ord(char) for char in compiler.compile(alone, flags).findall(_ASCII))
