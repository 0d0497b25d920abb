"""Citations in a reasoning, `[T0B12]`: where they stand in a text, and what they refer to. Pure, no screen, no models.

Docent's syntax, as its prompts ask models for it: `T` and the transcript, `B` and the block (message), both from 0.

    [T0B12]                            message 12 of transcript 0
    [T0B12: "no power"]                these words in it; so `cite` writes a quotation
    [T0B12:<RANGE>no power</RANGE>]    the same as Docent's models write it
    [T0B12, T1B3] [T0B12-T0B15]        several messages; all from one to another, also `[T0B12-B15]` and `[T0B12-15]`
    [R0T0B12]                          with the number of a run, in answers about several

A quotation that we write is on one line, white space folded, `\\"` and `\\\\` for a quote and a backslash in it; of one
longer than `LONGEST_QUOTE` the middle is left out. Models are forgiven round brackets or none, small letters, spaces,
other quotation marks or none, quotes within quotes, and quotations over several lines of a paragraph.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from dataclasses import dataclass, replace

__all__ = ["LONGEST_QUOTE", "Citation", "cite", "find_citations", "find_quote", "may_cite", "quotable"]

LONGEST_QUOTE = 160
"""Characters of a quotation that `cite` writes; a longer one is cut in the middle."""

_LEFT_OUT = " … "
_HEAD, _TAIL = 90, 60
_LONGEST_READ = 4_000
"""Characters of a quotation that are read: a longer one was never closed, and a text full of such is read once."""

_N = "[0-9]{1,9}"
_ITEM = re.compile(
    rf"(?<![\w+/=.\\-])(?:R(?P<run>{_N}))?T(?P<transcript>{_N})B(?P<message>{_N})"
    r"(?:M\.[^\s\[\](),:;]{1,100})?(?![\w+/=])",  # Docent's `T0B1M.key` is a piece of the message's metadata
    re.IGNORECASE,
)
_TO = re.compile(
    rf"\s{{0,3}}(?:-|–|—|\.\.)\s{{0,3}}(?:(?:R{_N})?(?:T(?P<transcript>{_N}))?B)?(?P<message>{_N})(?=[\s,;:\])]|$)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\s{0,3}(?:[,;&]|\band\b)?\s{0,3}", re.IGNORECASE)
_QUICK = re.compile(r"[Tt][0-9]{1,9}[Bb][0-9]")
_SPACES = re.compile(r"\s{0,3}")
_STRAIGHT = re.compile(rf'"((?:[^"\\\n]|\\.|\n(?![ \t]*\n)){{0,{_LONGEST_READ}}}+)"')
_EMPTY_LINE = re.compile(r"\n[ \t]*\n")
_MARKS = {"“": "”", "„": "“", "«": "»", "'": "'", "‘": "’", "`": "`", '"': '"'}
_LOOSE = {
    "[": re.compile(rf"[^\[\]\n]{{1,{_LONGEST_READ}}}+(?=\])"),
    "(": re.compile(rf"[^()\n]{{1,{_LONGEST_READ}}}+(?=\))"),
}
_SHUT = {"[": "]", "(": ")"}
_WORD = re.compile(r"\S+")
_DOTS = re.compile(r"\s*(?:\[\s?)?(?:…|\.{3,})(?:\s?\])?\s*")


@dataclass(frozen=True, slots=True)
class Citation:
    """A reference to a message, and where it stands: `text[start:end]`, its brackets included.

    In `[T0B1, T0B3]` there are two, the first with the opening bracket. `last` is the last message of several, `run` the
    number of the run where it is named; who wrote it knows which that is.
    """

    start: int
    end: int
    transcript: int
    message: int
    quote: str = ""
    last: int | None = None
    run: int | None = None

    @property
    def messages(self) -> range:
        """The numbers of the cited messages."""
        return range(self.message, (self.message if self.last is None else self.last) + 1)

    @property
    def place(self) -> str:
        """The cited place, written without brackets and quotation: `T0B12`, `T0B12-B15`."""
        run = "" if self.run is None else f"R{self.run}"
        to = "" if self.last is None else f"-B{self.last}"
        return f"{run}T{self.transcript}B{self.message}{to}"


def cite(transcript: int, message: int, quote: str = "", last: int | None = None) -> str:
    """A citation as text: of a message, with the words quoted from it, or of the messages up to `last`."""
    place = Citation(0, 0, transcript, message, last=last if last != message else None).place
    words = quotable(quote)
    if not words:
        return f"[{place}]"
    escaped = words.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{place}: "{escaped}"]'


def quotable(text: str) -> str:
    """Prepare a text for quoting: on one line, white space folded, the middle of a long one left out."""
    words = " ".join(text.split())
    if len(words) <= LONGEST_QUOTE:
        return words
    head, tail = words[:_HEAD], words[-_TAIL:]
    # Between words, where that costs less than half of it.
    if (cut := head.rfind(" ")) > _HEAD // 2:
        head = head[:cut]
    if 0 <= (cut := tail.find(" ")) < _TAIL // 2:
        tail = tail[cut:]
    return f"{head.strip()}{_LEFT_OUT}{tail.strip()}"


def may_cite(text: str) -> bool:
    """Whether a text may hold a citation. Quick, and never False where there is one."""
    return _QUICK.search(text) is not None


def find_citations(text: str, most: int | None = None) -> list[Citation]:
    """The citations in a text, in order, about the first `most` of them; they do not overlap."""
    if not may_cite(text):
        return []
    found: list[Citation] = []
    position = 0
    while (most is None or len(found) < most) and (item := _ITEM.search(text, position)) is not None:
        several = _in_brackets(text, item, position) or _bare(item, text)
        found += several
        position = several[-1].end
    return found


def _in_brackets(text: str, item: re.Match[str], least: int) -> list[Citation]:
    """The citations in the brackets that an item begins; none where it does not, or they never close."""
    start = item.start()
    while start > least and item.start() - start < 3 and text[start - 1].isspace():
        start -= 1
    start -= 1
    opening = text[start] if start >= least else ""
    if opening not in _SHUT:
        return []
    found: list[Citation] = []
    following: re.Match[str] | None = item
    position = start
    while following is not None:
        places = _bare(following, text)
        quote, end = _quotation(text, places[-1].end, opening)
        places[0] = replace(places[0], start=position if found else start)
        places[-1] = replace(places[-1], end=end, quote=quote)
        found += places
        shut = _skip(text, end)
        if text.startswith(_SHUT[opening], shut):
            found[-1] = replace(found[-1], end=shut + 1)
            return found
        between = _BETWEEN.match(text, end)
        position = between.end() if between else end
        following = _ITEM.match(text, position) if position > end else None
    return []


def _bare(item: re.Match[str], text: str) -> list[Citation]:
    """The citations that an item makes by itself, two where its end is in another transcript, and where it ends."""
    run = item["run"]
    first = Citation(
        item.start(), item.end(), int(item["transcript"]), int(item["message"]), run=None if run is None else int(run)
    )
    to = _TO.match(text, item.end())
    if to is None:
        return [first]
    last = int(to["message"])
    if to["transcript"] is not None and int(to["transcript"]) != first.transcript:
        other = Citation(to.start(), to.end(), int(to["transcript"]), last, run=first.run)
        return [first, other]
    low, high = sorted((first.message, last))
    return [replace(first, end=to.end(), message=low, last=high if high > low else None)]


def _skip(text: str, position: int) -> int:
    spaces = _SPACES.match(text, position)
    return spaces.end() if spaces else position


def _quotation(text: str, position: int, opening: str) -> tuple[str, int]:
    """The words quoted after an item and the place behind them; the place itself where nothing is quoted."""
    colon = _skip(text, position)
    if not text.startswith(":", colon):
        return "", position
    begin = _skip(text, colon + 1)
    shut = _SHUT[opening]
    if text[begin : begin + 7].upper() == "<RANGE>":
        end = text.find("</RANGE>", begin, begin + _LONGEST_READ)
        if end >= 0:
            return _folded(text[begin + 7 : end]), end + 8
    mark = text[begin : begin + 1]
    straight = _STRAIGHT.match(text, begin) if mark == '"' else None
    if straight and (text.startswith((shut, ",", ";"), _skip(text, straight.end()))):
        return _folded(re.sub(r'\\(["\\])', r"\1", straight[1])), straight.end()
    if mark in _MARKS:
        # Quotes within quotes: up to the mark before the bracket.
        closing = _MARKS[mark]
        end = text.find(closing + shut, begin + 1, begin + _LONGEST_READ)
        within = text[begin + 1 : end]
        if end > 0 and not _EMPTY_LINE.search(within) and not may_cite(within):
            return _folded(within), end + 1
    loose = _LOOSE[opening].match(text, begin)
    if loose is None:
        return "", position
    return _folded(loose[0].strip().strip("\"'“”„«»‘’`")), loose.end()


def _folded(text: str) -> str:
    return " ".join(text.split())


def find_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Find quoted words in a text, None where they are not: white space, case and Markdown's marks do not count.

    What is left out (` … `, `...`) may be anything.
    """
    folded, places = _words_of(text)
    for words in dict.fromkeys((quote, re.sub(r"[*_`#]+", "", quote))):
        begin, end = -1, 0
        for piece in filter(None, map(_folded, _DOTS.split(words))):
            # A search for a text, and no regular expression: words that nearly match everywhere take no longer.
            found = folded.find(_lower(piece), end)
            if found < 0:
                break
            begin, end = (found if begin < 0 else begin), found + len(piece)
        else:
            if begin >= 0:
                return _place_of(begin, places), _place_of(end - 1, places) + 1
    return None


def _words_of(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A text in small letters with its white space folded, and where each word begins, there and in the text."""
    words: list[str] = []
    places: list[tuple[int, int]] = []
    length = 0
    for match in _WORD.finditer(text):
        words.append(match[0])
        places.append((length, match.start()))
        length += len(match[0]) + 1
    return _lower(" ".join(words)), places


def _place_of(position: int, places: list[tuple[int, int]]) -> int:
    """The place in the text of a position in its folded form."""
    begins, start = places[bisect_right(places, (position, sys.maxsize)) - 1]
    return start + position - begins


def _lower(text: str) -> str:
    """The text in small letters, as long as it was: some letters would become two."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)
