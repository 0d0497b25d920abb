"""A quick test whether bytes of a log may hold a match, before any JSON is read; it never rejects bytes that hold one.

A match holds certain words, and nearly all words that a message reads were written into the log letter by letter.
What else they may have become on the way is accounted for here:

- JSON may spell any character `\\u0061`, and a string may hold JSON that does. Writers spell so what is not ASCII, so a
  letter of an ASCII word that is spelled so makes the bytes suspicious, whatever they hold.
- Case is ignored beyond ASCII: the Kelvin sign matches a k.
- A record that is shown as JSON reads `\\n` where it breaks a line: an n before the word that was no letter of it.
- Codes for colours are taken out of texts, and may stand within a word.
- The formats add words of their own (`formats.words`), and numbers, which they write in their own way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Final

from trajview.formats import registry
from trajview.formats.words import AddedWords
from trajview.patterns.quick_bytes import holds, lowered, place_of

from .pattern_words import LONGEST, Word, words_of

__all__ = ["Prefilter", "prefilter_of"]

_MOST_WORDS: Final = 3

_MARK: Final = b"delimiter_"
"""TaskWeaver's marks in a text, in small letters, which may be taken out from within a word."""
_SPELLED: Final = (rb"\\u001b", rb"\u0020", rb"\u003", rb"\u004", rb"\u005", rb"\u006", rb"\u007")
"""How a space, and an ASCII letter or digit, begin in JSON's other spelling; and codes for colours in JSON within JSON, which
may be such codes, or may read as they are written."""
_ESCAPES: Final = (rb"\u001b", b"\x1b")
"""The starts of codes for colours."""
_CODE: Final = rb"(?:\\u001b|\x1b)(?:\[[0-9;:]{0,200}m|\[[0-9;?]{0,20}[kjgh]|\(b|\[\?25[hl])"
"""A code for colours, which is removed from texts (`textsafe.without_colours`)."""
_HEAD: Final = 8
"""Bytes of a word that are looked for by themselves: the first code within it may begin behind more of them, or fewer."""
_STEPS: Final = 1_000
_STEP_PER: Final = 256
"""Codes that are looked at in so many bytes of a log, and how many at least, before the bytes are let pass."""
_COLOURED: Final = 4_096
"""Bytes that a word may take where every letter of it has a colour of its own."""
_ESCAPED_HEAD: Final = re.compile(r"u?00[01][0-9a-f]|0?[01][0-9a-f]|[0-9a-fnrt]")
"""Matches the end of a JSON escape before a word, where JSON is shown as text."""
_BEYOND_ASCII: Final = {"i": "\u0130\u0131", "k": "\u212a", "s": "\u017f"}
"""Characters that match an ASCII letter where case is ignored; to find all of them takes 5 ms without an answer to a key."""
_NUMBER: Final = re.compile(r"\d*e?\d*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Clause:
    """Alternative byte strings for a choice of words; all in small letters, except `words` that are `exact`."""

    words: tuple[bytes, ...]
    exact: bool
    """Whether the words mind the case."""
    letters: tuple[bytes, ...]
    """Letters beyond ASCII that stand for one of a word where case is ignored."""
    others: tuple[bytes, ...]
    """Bytes of the log for which a format adds one of the words."""
    escapes: tuple[bytes, ...]
    """JSON escapes of letters beyond ASCII."""

    def may_be_in(self, data: _Data) -> bool:
        """Whether bytes hold one of the words, letter by letter."""
        if any(holds(data.given if self.exact else data.low, word) for word in self.words):
            return True
        more = self.others if data.is_ascii else (*self.letters, *self.others)
        if data.is_escaped:
            more = (*more, *self.escapes)
        return any(holds(data.low, word) for word in more)


class _Data:
    """Bytes of a log, with answers to questions that are asked again and again."""

    def __init__(self, data: bytes | memoryview) -> None:
        self.given = data
        self.low = lowered(data)
        self.is_ascii = self.low.isascii()
        self.is_escaped = holds(self.low, b"\\u")
        """Whether the bytes hold JSON escapes."""

    def is_suspicious(self) -> bool:
        """Whether a word may be there without its letters."""
        if holds(self.low, _MARK):
            return True
        return self.is_escaped and holds(self.low, b"\\u00") and any(holds(self.low, spelled) for spelled in _SPELLED)

    def is_coloured_in(self, clause: _Clause) -> bool:
        """Whether codes for colours may stand within a word of a clause.

        A log may have thousands of codes in a block: only where the beginning of a word stands before one is it looked
        at more closely. Where there are too many of those, it is a picture in colours, or somebody wants us to take long.
        """
        codes = [escape for escape in _ESCAPES if holds(self.low, escape)]
        if not codes:
            return False
        left = _STEPS + len(self.low) // _STEP_PER
        for word in (*clause.words, *clause.others):
            torn = _with_codes(word)
            for place in self._places_before_codes(word.lower(), codes):
                left -= 1
                if left < 0 or torn.match(self.low, place):
                    return True
        return False

    def _places_before_codes(self, word: bytes, codes: Sequence[bytes]) -> Iterator[int]:
        """The places where a code for colours follows the beginning of a word."""
        for length in range(1, len(word)):
            if length == _HEAD and not holds(self.low, word[:length]):
                return
            for code in codes:
                wanted = word[:length] + code
                place = place_of(self.low, wanted, 0)
                while place >= 0:
                    yield place
                    place = place_of(self.low, wanted, place + 1)


@cache
def _with_codes(word: bytes) -> re.Pattern[bytes]:
    """A word with codes for colours between any of its letters."""
    letters = [re.escape(word[at : at + 1]) for at in range(len(word))]
    return re.compile((b"(?:" + _CODE + b")*").join(letters), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Prefilter:
    """A test whether bytes may hold a match. Without clauses they always may."""

    clauses: tuple[_Clause, ...] = ()
    overlap: int = field(init=False, default=0)
    """How many bytes of one piece to put before the next, so that nothing is missed between them."""

    def __post_init__(self) -> None:
        longest = [len(word) for clause in self.clauses for word in (*clause.words, *clause.others)]
        object.__setattr__(self, "overlap", max([*longest, _COLOURED]))

    def may_match(self, data: bytes | memoryview) -> bool:
        """Whether a record may hold a match."""
        return not self.missing(data, self.clauses)

    def missing(self, data: bytes | memoryview, clauses: Sequence[_Clause]) -> tuple[_Clause, ...]:
        """The clauses that these bytes do not fulfil."""
        if not clauses:
            return ()
        looked = _Data(data)
        left = tuple(clause for clause in clauses if not clause.may_be_in(looked))
        if not left or looked.is_suspicious():
            return ()
        return tuple(clause for clause in left if not looked.is_coloured_in(clause))


def prefilter_of(pattern: re.Pattern[str], added: AddedWords | None = None, *, metadata: bool = False) -> Prefilter:
    """The prefilter of a pattern. `added`: what formats say that the log does not, by default all formats. `metadata`: what
    they keep beside the messages is searched, too."""
    return _prefilter_of(pattern, registry.added_words() if added is None else added, metadata)


@lru_cache(64)
def _prefilter_of(pattern: re.Pattern[str], added: AddedWords, metadata: bool) -> Prefilter:
    found = words_of(pattern)
    if metadata:  # there, formats put texts side by side
        found = [[Word(max(word.text.split(" "), key=len), word.fold) for word in words] for words in found]
    always = (*added.always, *added.metadata) if metadata else added.always
    clauses = [
        (min(len(word.text) for word in words), clause)
        for words in found
        if (clause := _clause(words, always, added.with_bytes)) is not None
    ]
    clauses.sort(key=lambda weighed: -weighed[0])
    return Prefilter(tuple(clause for _, clause in clauses[:_MOST_WORDS]))


def _clause(
    words: Sequence[Word], always: Sequence[str], with_bytes: Sequence[tuple[str, Sequence[str]]]
) -> _Clause | None:
    """One of these words has to be there; None where that cannot be told from the bytes."""
    exact = not any(word.fold for word in words)
    wanted: list[bytes] = []
    others: list[bytes] = []
    letters: list[bytes] = []
    escapes: list[bytes] = []
    for word in words:
        text = _certain_part(word)
        said = None if text is None else _needed_for_added_word(text, always, with_bytes)
        if text is None or said is None:
            return None
        others += said
        same = {letter: _same(letter) if word.fold else letter for letter in text}
        wanted += _spellings(text if exact else text.lower(), same)
        beyond = {char for chars in same.values() for char in chars if not char.isascii()}
        letters += [char.encode() for char in beyond if word.fold and char not in text]
        escapes += [_escape(char) for char in beyond]
    return _Clause(_once(wanted), exact, _once(letters), _once(others), _once(escapes))


def _spellings(text: str, same: Mapping[str, str]) -> list[bytes]:
    """Byte strings, one of which stands wherever a word does, for a word whose interchangeable letters are known."""
    for letter, chars in same.items():
        if not letter.isascii() and len(chars) > 1:  # such a word has many spellings: the letter will do
            return [char.encode() for char in chars]
    return [text.encode()]


def _once(words: Sequence[bytes]) -> tuple[bytes, ...]:
    return tuple(dict.fromkeys(words))


def _certain_part(word: Word) -> str | None:
    """The part of a word that a log surely spells letter by letter; None for too little."""
    text = word.text[:LONGEST]
    if head := _ESCAPED_HEAD.match(text.lower() if word.fold else text):
        text = text[head.end() :]
    if (len(text) < 2 and text.isascii()) or _NUMBER.match(text) or "u00" in text.lower():
        return None
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a pair
        return None
    return text


def _needed_for_added_word(
    text: str, always: Sequence[str], with_bytes: Sequence[tuple[str, Sequence[str]]]
) -> list[bytes] | None:
    """The bytes that a log must hold for a format to add this text; None where it needs none.

    Of several words, a format adds all or none.
    """
    others: list[bytes] = []
    for word in text.casefold().split(" "):
        if _NUMBER.match(word) or any(word in line.casefold() for line in always):
            continue
        found = [other.encode() for line, with_it in with_bytes if word in line for other in with_it]
        if not found:
            return []
        others += found
    return others or None


def _escape(char: str) -> bytes:
    """The JSON escape of a character: the second half, where it takes two."""
    return b"\\u" + char.encode("utf-16-be")[-2:].hex().encode()


@cache
def _alphabet() -> str:
    return "".join(chr(code) for code in range(0x1E944) if not 0xD800 <= code < 0xE000)


@cache
def _same(char: str) -> str:
    """All characters that match one where case is ignored; for an ASCII one, only those beyond ASCII."""
    if char.isascii():
        return _BEYOND_ASCII.get(char.lower(), "")
    return "".join(re.findall(re.escape(char), _alphabet(), re.IGNORECASE)) or char
