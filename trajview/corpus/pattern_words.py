"""What every match of a regular expression holds: words that stand in it side by side, and its longest text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final
from unicodedata import category

from trajview.patterns.quick_bytes import holds_text, lowered_text

__all__ = ["LONGEST", "Literal", "Word", "literal_of", "words_of"]

LONGEST: Final = 64
"""Characters of a word that are looked for."""


@dataclass(frozen=True, slots=True)
class Word:
    """Characters that stand side by side in every match. `fold`: in any case. `may_follow`: maybe after a backslash."""

    text: str
    fold: bool
    may_follow: bool = True


def words_of(pattern: re.Pattern[str]) -> list[list[Word]]:
    """What every match of a pattern holds: of each list one word at least. Empty where nothing is plain to see."""
    return _read(pattern).found


def literal_of(pattern: re.Pattern[str]) -> Literal:
    """The longest text that every match of a pattern holds; empty where none is plain to see."""
    text, fold = max(_read(pattern).runs, key=lambda run: len(run[0]), default=("", False))
    return Literal(text, fold)


@dataclass(frozen=True, slots=True)
class Literal:
    """A text that every match of a pattern holds. `fold`: in any case."""

    text: str
    fold: bool

    def may_be_in(self, text: str) -> bool:
        """Whether a text may hold a match. Much quicker than a regular expression, and never wrong to say no."""
        if not self.text:
            return True
        if not self.fold:
            return holds_text(text, self.text)
        if not text.isascii() or not self.text.isascii():
            return True  # there, ignoring case is more than small letters
        return holds_text(lowered_text(text), self.text.lower())


def _read(pattern: re.Pattern[str]) -> _Reader:
    try:
        # By name: whether type checkers know these modules depends on what they have cached.
        op, parser = import_module("re._constants"), import_module("re._parser")
        reader = _Reader(op)
        tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
        return reader.read(tree, bool(tree.state.flags & re.IGNORECASE))
    except (ImportError, AttributeError, re.error, RecursionError):  # Python's own, and may change
        return _Reader(None)


class _Reader:
    """Reads the tree of a regular expression. What it does not know may be anything."""

    def __init__(self, op: Any) -> None:
        self._op = op
        self._run: list[tuple[str, bool]] = []
        self.found: list[list[Word]] = []
        self.runs: list[tuple[str, bool]] = []
        """The texts that the words are from."""

    def read(self, tree: Iterable[Any], fold: bool) -> _Reader:
        """Read a tree, to its end."""
        self._walk(tree, fold)
        self._end()
        return self

    def _end(self, *start: tuple[str, bool]) -> None:
        self.found += [[word] for word in _split(self._run)]
        if self._run:
            self.runs.append(("".join(char for char, _ in self._run), any(fold for _, fold in self._run)))
        self._run = list(start)

    def _walk(self, tree: Iterable[Any], fold: bool) -> None:
        op = self._op
        read: dict[Any, Callable[[Any, bool], None]] = {
            op.LITERAL: lambda value, fold: self._run.append((chr(value), fold)),
            op.SUBPATTERN: self._group,
            op.ATOMIC_GROUP: self._walk,
            op.BRANCH: self._branch,
            **dict.fromkeys((op.AT, op.ASSERT, op.ASSERT_NOT), lambda _value, _fold: None),  # they take no room
            **dict.fromkeys((op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT), self._repeat),
        }
        for code, value in tree:
            if code in read:
                read[code](value, fold)
            else:
                self._end()

    def _group(self, value: Any, fold: bool) -> None:
        _, added, removed, inner = value
        self._walk(inner, (fold or bool(added & re.IGNORECASE)) and not removed & re.IGNORECASE)

    def _repeat(self, value: Any, fold: bool) -> None:
        least, most, inner = value
        if least and len(inner) == 1 and inner[0][0] is self._op.LITERAL:
            char = (chr(inner[0][1]), fold)
            self._run += [char] * min(least, LONGEST)
            if most != least or least > LONGEST:
                self._end(char)
            return
        self._end()
        if least:
            within = _Reader(self._op).read(inner, fold)
            self.found += within.found
            self.runs += within.runs

    def _branch(self, value: Any, fold: bool) -> None:
        self._end()
        best = [_best(_Reader(self._op).read(branch, fold).found) for branch in value[1]]
        if all(best):
            self.found.append([word for words in best for word in words])


def _best(found: list[list[Word]]) -> list[Word]:
    """The demand that is hardest to meet."""
    return max(found, key=lambda words: min(len(word.text) for word in words), default=[])


def _split(run: Sequence[tuple[str, bool]]) -> list[Word]:
    """The words in characters that stand side by side."""
    words: list[Word] = []
    chars: list[str] = []
    folds, before, kind = False, "\\", 0  # nobody knows what stands before

    def end() -> None:
        if chars:
            words.append(Word("".join(chars), folds, before == "\\"))

    last = "\\"
    kinds = [_kind(char) for char, _ in run]
    for (char, fold), after in zip(run, [*kinds[1:], 0], strict=False):
        found = _kind(char)
        if char == " " and kind == after == 1:
            found = 1  # no format puts one between two texts
        if not found or found != kind:
            end()
            chars, folds, before = [], False, last
        if found:
            chars.append(char)
            folds = folds or fold
        kind, last = found, char
    end()
    return words


def _kind(char: str) -> int:
    """1 for what words are made of, 2 for emoji and the like, 0 for what may be spelled or added in between."""
    if char.isalnum() or char == "_":
        return 1
    # U+FFFD stands for bytes that were none.
    return 2 if char > "\uffff" or (char > "\x7f" and char != "\ufffd" and category(char) == "So") else 0
