"""Which bytes of a log may hold a match, before any JSON is read: quick, and never wrong about what they cannot hold.

A match holds certain words, and nearly all words that a message reads were written into the log letter by letter.
What else they may have become on the way is accounted for here:

- JSON may spell any character `\\u0061`, and a string may hold JSON that does. Writers spell so what is not ASCII, so a
  letter of an ASCII word that is spelled so makes the bytes suspicious, whatever they hold.
- Case is ignored beyond ASCII: the Kelvin sign matches a k.
- A record that is shown as JSON reads `\\n` where it breaks a line: an n before the word that was no letter of it.
- Codes for colours are taken out of texts, and may stand within a word: bytes that have some are looked at without them, too.
- The formats add words of their own (`formats.words`), and numbers, which they write in their own way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Final

from trajview.formats import registry
from trajview.formats.words import AddedWords
from trajview.patterns.quick_bytes import holds, lowered, place_of

from .pattern_words import LONGEST, Word, words_of

__all__ = ["Prefilter", "prefilter_of"]

_MOST_WORDS: Final = 3
_MOST_SPELLINGS: Final = 8
_FEW: Final = 6

_AS_LOGGED: Final = AddedWords(always=("inf nan",))
"""What becomes of numbers, and of what stands for none, in the arguments of calls; which says more than that, is not as logged."""

_MARK: Final = b"DELIMITER_"
"""TaskWeaver's marks in a text, which may be taken out from within a word."""
_MARK_LOW: Final = _MARK.lower()
_SPELLED: Final = (rb"\\u001b", rb"\u0020", rb"\u003", rb"\u004", rb"\u005", rb"\u006", rb"\u007")
"""How a space, and an ASCII letter or digit, begin in JSON's other spelling; and codes for colours in JSON within JSON, which
may be such codes, or may read as they are written."""
_ESCAPE: Final = rb"\u001b"
_COLOUR: Final = re.compile(rb"\[[0-9;:]{0,200}m|\[[0-9;?]{0,20}[kjgh]|\(b|\[\?25[hl]")
"""What follows it in codes for colours, which nobody reads (`textsafe.without_colours`), in small letters."""
_CODES: Final = re.compile(rb"(?:\\u001b(?:" + _COLOUR.pattern + rb"))+")
_HEAD: Final = 8
"""Bytes of a word that are looked for by themselves: the first code within it may begin behind more of them, or fewer."""
_STEPS: Final = 1_000
_STEP_PER: Final = 8
"""Letters and codes that are looked at in so many bytes of a log, and how many at least, before they are let pass."""
_COLOURED: Final = 4_096
"""Bytes that a word may take where every letter of it has a colour of its own."""
_ESCAPED_HEAD: Final = re.compile(r"u?00[01][0-9a-f]|0?[01][0-9a-f]|[0-9a-fnrt]")
"""What may come from JSON's spelling of the character before a word, where JSON is shown as text."""
_BEYOND_ASCII: Final = {"i": "\u0130\u0131", "k": "\u212a", "s": "\u017f"}
"""What matches an ASCII letter where case is ignored; looking for all that does takes 5 ms, in which no key is answered."""
_NUMBER: Final = re.compile(r"\d*e?\d*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Clause:
    """Bytes, one of which is there wherever a word is; the `escapes`, or `spelled`, find the word's other spellings.

    `exact`: the `needles` mind the case. The `others`, and other spellings, are in small letters.
    """

    needles: tuple[bytes, ...]
    others: tuple[bytes, ...]
    escapes: tuple[bytes, ...]
    spelled: re.Pattern[bytes] | None
    exact: bool
    weight: int

    def may_be_in(self, data: bytes | memoryview, low: bytes, escaped: bool) -> bool:
        """Whether bytes hold such a word; `low` are the same in small letters, `escaped`: they hold JSON's other spelling."""
        searched = data if self.exact else low
        for needle in self.needles:
            if holds(searched, needle):
                return True
        for other in self.others:
            if holds(low, other):
                return True
        if not escaped:
            return False
        if self.spelled is not None:
            return self.spelled.search(low) is not None
        return any(holds(low, escape) for escape in self.escapes)


@dataclass(frozen=True, slots=True)
class Prefilter:
    """Whether bytes may hold a match. Without clauses they always may."""

    clauses: tuple[_Clause, ...] = ()
    overlap: int = field(init=False, default=0)
    """How many bytes of one piece to put before the next, so that nothing is missed between them."""

    def __post_init__(self) -> None:
        needles = [
            len(needle) for clause in self.clauses for needle in (*clause.needles, *clause.others, *clause.escapes)
        ]
        object.__setattr__(self, "overlap", max([*needles, len(_MARK), _COLOURED]))

    def may_match(self, data: bytes | memoryview) -> bool:
        """Whether a record may hold a match."""
        return not self.missing(data, self.clauses)

    def missing(self, data: bytes | memoryview, clauses: Sequence[_Clause]) -> tuple[_Clause, ...]:
        """Those of some clauses that these bytes do not fulfil."""
        if not clauses:
            return ()
        low = lowered(data)
        escaped = holds(low, b"\\u")
        left = tuple(clause for clause in clauses if not clause.may_be_in(data, low, escaped))
        if not left or _is_suspicious(low, escaped):
            return ()
        if (escaped and holds(low, _ESCAPE)) or holds(low, b"\x1b"):
            left = _without_colours(low, left)
        return left


def _without_colours(low: bytes, clauses: Sequence[_Clause]) -> tuple[_Clause, ...]:
    """Those of some clauses that bytes, in small letters, do not fulfil where codes for colours are taken out of words either.

    None of their words stands there in one piece.
    """
    if holds(low, b"\x1b"):
        low = low.replace(b"\x1b", _ESCAPE)
    walk = _Walk(low)
    left = tuple(
        clause for clause in clauses if not any(walk.finds(lowered(one)) for one in (*clause.needles, *clause.others))
    )
    return () if walk.gave_up else left


class _Walk:
    """Looks for words in bytes of a log, in small letters, along the codes for colours within them.

    A log may have thousands of codes in a block: only where the beginning of a word stands before one is it looked at more closely.
    """

    def __init__(self, low: bytes) -> None:
        self._low = low
        self._spare = _STEPS + len(low) // _STEP_PER

    @property
    def gave_up(self) -> bool:
        """Whether there was too much to look at: a picture in colours, or somebody wants us to take long."""
        return self._spare < 0

    def finds(self, word: bytes) -> bool:
        """Whether a word is there, with codes within it."""
        low = self._low
        for length in range(1, len(word)):
            if length == _HEAD and not holds(low, word[:length]):
                return False
            wanted, after = word[:length] + _ESCAPE, word[length : length + 1]
            at = place_of(low, wanted)
            while at >= 0 and self._spare >= 0:
                self._spare -= 1
                codes = _CODES.match(low, at + length)
                if codes and low.startswith(after, codes.end()) and self._goes_on(codes.end(), word[length:]):
                    return True
                at = place_of(low, wanted, at + 1)
        return False

    def _goes_on(self, at: int, rest: bytes) -> bool:
        """Whether the rest of a word follows here, with codes within."""
        low, known = self._low, 0
        while known < len(rest):
            self._spare -= 1
            if self._spare < 0:
                return False
            if low.startswith(_ESCAPE, at) and (code := _COLOUR.match(low, at + len(_ESCAPE))) is not None:
                at = code.end()
            elif at < len(low) and low[at] == rest[known]:
                at, known = at + 1, known + 1
            else:
                return False
        return True


def _is_suspicious(data: bytes, escaped: bool) -> bool:
    """Whether a word may be there without its letters. `data` in small letters, `escaped`: with JSON's other spelling."""
    if holds(data, _MARK_LOW):
        return True
    return escaped and holds(data, b"\\u00") and any(holds(data, spelled) for spelled in _SPELLED)


def prefilter_of(
    pattern: re.Pattern[str], *, metadata: bool = False, as_logged: bool = False, added: AddedWords | None = None
) -> Prefilter:
    """The prefilter of a pattern. `metadata`: what the formats keep beside the messages is searched too.

    `as_logged`: only for texts and calls that say what was logged and nothing else, which it passes over more often.
    `added`: the words that formats add; by default those of all formats.
    """
    if as_logged:
        added = _AS_LOGGED
    elif added is None:
        added = registry.added_words()
    found = words_of(pattern)
    if metadata:  # there, formats put texts side by side
        found = [
            [Word(max(word.text.split(" "), key=len), word.fold, word.may_follow) for word in words] for words in found
        ]
    clauses = [clause for words in found if (clause := _clause(words, metadata, as_logged, added)) is not None]
    clauses.sort(key=lambda clause: -clause.weight)
    return Prefilter(tuple(clauses[:_MOST_WORDS]))


def _clause(words: Sequence[Word], metadata: bool, as_logged: bool, added: AddedWords) -> _Clause | None:
    """One of these words has to be there; None where that cannot be told from the bytes."""
    always = (*added.always, *added.metadata) if metadata else added.always
    needles: list[bytes] = []
    others: list[bytes] = []
    spelled: list[str] = []
    weight = 1000
    exact = not any(word.fold for word in words)
    for word in words:
        text = word.text[:LONGEST]
        if word.may_follow and not as_logged:
            head = _ESCAPED_HEAD.match(text.lower() if word.fold else text)
            text = text[head.end() :] if head else text
        found = _spellings(text, word.fold) if len(text) > 1 or not text.isascii() else None
        if found is None or _NUMBER.match(text) or "u00" in text.lower():
            return None
        needles += found[0] if exact else map(lowered, found[0])
        spelled += found[1]
        weight = min(weight, len(text))
        said = _said_by_formats(text, always, added.with_bytes)
        if said is None:
            return None
        others += said
    pattern = None
    spelled = list(dict.fromkeys(spelled))
    escapes = tuple(f"\\u{digits}".encode() for digits in spelled)
    if len(escapes) > _FEW:  # until then they are faster
        pattern = re.compile(rb"\\u(?:" + "|".join(spelled).encode() + rb")")
    return _Clause(tuple(dict.fromkeys(needles)), tuple(dict.fromkeys(others)), escapes, pattern, exact, weight)


def _said_by_formats(
    text: str, added: Sequence[str], added_with: Sequence[tuple[str, Sequence[str]]]
) -> list[bytes] | None:
    """What the log must hold where a format says this; None where it needs to hold nothing. Of several words, a format says all or none."""
    others: list[bytes] = []
    for word in text.casefold().split(" "):
        if _NUMBER.match(word) or any(word in line.casefold() for line in added):
            continue
        found = [other.encode() for line, with_it in added_with if word in line for other in with_it]
        if not found:
            return []
        others += found
    return others or None


def _spellings(text: str, fold: bool) -> tuple[list[bytes], list[str]] | None:
    """How the letters of a word may stand in a log, but for small and capital ASCII ones; and the hex digits of those not ASCII."""
    if text.isascii():
        signs = "".join(_beyond_ascii(char) for char in set(text.lower())) if fold else ""
        # One such sign in the place of a letter is enough; the word around it is not asked for.
        return [text.encode(), *(sign.encode() for sign in signs)], [_hex(sign) for sign in signs]
    try:
        text.encode()
    except UnicodeEncodeError:
        return None
    variants = [_same(char) if fold else char for char in text]
    start, end = _window(variants)
    chosen = variants[start:end]
    plain = ["".join(chars).encode() for chars in product(*chosen)]
    return plain, [_hex(char) for chars in chosen for char in chars if not char.isascii()]


def _window(variants: Sequence[str]) -> tuple[int, int]:
    """The longest part of a word that has few spellings: start and end."""
    best = (0, 1)
    for start in range(len(variants)):
        count, end = 1, start
        while end < len(variants) and count * len(variants[end]) <= _MOST_SPELLINGS:
            count *= len(variants[end])
            end += 1
        if end - start > best[1] - best[0]:
            best = (start, end)
    return best


def _hex(char: str) -> str:
    """The last four digits of JSON's spelling of a character: of the second half, where it takes two."""
    return char.encode("utf-16-be")[-2:].hex()


@cache
def _alphabet() -> str:
    return "".join(chr(code) for code in range(0x1E944) if not 0xD800 <= code < 0xE000)


@cache
def _same(char: str) -> str:
    """All characters that match one where case is ignored."""
    return "".join(re.findall(re.escape(char), _alphabet(), re.IGNORECASE)) or char


def _beyond_ascii(letter: str) -> str:
    return _BEYOND_ASCII.get(letter, "")
