"""The text that every match of a regular expression holds: words that stand in it side by side, and its longest part."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from unicodedata import category

from trajview.patterns.tree import OP, tree_of

__all__ = ["LONGEST", "Literal", "Word", "literal_of", "words_of"]

LONGEST: Final = 64
"""Characters of a word that are looked for."""


@dataclass(frozen=True, slots=True)
class Word:
    """Characters that stand side by side in every match. `fold`: in any case."""

    text: str
    fold: bool


def words_of(pattern: re.Pattern[str]) -> list[list[Word]]:
    """Lists of words, one word of each of which every match of a pattern holds. Empty where none is plain to see."""
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
            return self.text in text
        if not text.isascii() or not self.text.isascii():
            return True  # there, ignoring case is more than small letters
        return self.text.lower() in text.lower()


def _read(pattern: re.Pattern[str]) -> _Reader:
    try:
        tree = tree_of(pattern.pattern, pattern.flags)
        return _Reader().read(tree, bool(tree.state.flags & re.IGNORECASE))
    except RecursionError:
        return _Reader()


class _Reader:
    """Reads the tree of a regular expression. An unknown element may match anything."""

    def __init__(self) -> None:
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
        read: dict[Any, Callable[[Any, bool], None]] = {
            OP.LITERAL: lambda value, fold: self._run.append((chr(value), fold)),
            OP.SUBPATTERN: self._group,
            OP.ATOMIC_GROUP: self._walk,
            OP.BRANCH: self._branch,
            **dict.fromkeys((OP.AT, OP.ASSERT, OP.ASSERT_NOT), lambda _value, _fold: None),  # they take no room
            **dict.fromkeys((OP.MAX_REPEAT, OP.MIN_REPEAT, OP.POSSESSIVE_REPEAT), self._repeat),
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
        if least and len(inner) == 1 and inner[0][0] is OP.LITERAL:
            char = (chr(inner[0][1]), fold)
            self._run += [char] * min(least, LONGEST)
            if most != least or least > LONGEST:
                self._end(char)
            return
        self._end()
        if least:
            within = _Reader().read(inner, fold)
            self.found += within.found
            self.runs += within.runs

    def _branch(self, value: Any, fold: bool) -> None:
        self._end()
        best = [_best(_Reader().read(branch, fold).found) for branch in value[1]]
        if all(best):
            self.found.append([word for words in best for word in words])


def _best(found: list[list[Word]]) -> list[Word]:
    """The demand that is hardest to meet."""
    return max(found, key=lambda words: min(len(word.text) for word in words), default=[])


def _split(run: Sequence[tuple[str, bool]]) -> list[Word]:
    """The words in a run of adjacent characters."""
    words: list[Word] = []
    chars: list[str] = []
    folds, kind = False, 0

    def end() -> None:
        if chars:
            words.append(Word("".join(chars), folds))

    kinds = [_kind(char) for char, _ in run]
    for (char, fold), after in zip(run, [*kinds[1:], 0], strict=False):
        found = _kind(char)
        if char == " " and kind == after == 1:
            found = 1  # no format puts one between two texts
        if not found or found != kind:
            end()
            chars, folds = [], False
        if found:
            chars.append(char)
            folds = folds or fold
        kind = found
    end()
    return words


def _kind(char: str) -> int:
    """1 for characters of words, 2 for emoji and the like, 0 for characters that may be spelled or added in between."""
    if char.isalnum() or char == "_":
        return 1
    # U+FFFD stands for bytes that were none.
    return 2 if char > "\uffff" or (char > "\x7f" and char != "\ufffd" and category(char) == "So") else 0
