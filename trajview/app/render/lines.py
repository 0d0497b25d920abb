"""A line of text with styled spans, and how it breaks into rows of a width.

A span names its style (`md.code`, `diff.added`), so that a line outlives a change of theme; a colour that the log
itself asked for is a Rich style as it is.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from rich.cells import cell_len, get_character_cell_size, split_graphemes
from rich.style import Style

__all__ = ["TAB", "TERMINAL_TAB", "Line", "Picture", "Said", "Span", "expand_output_tabs", "expand_tabs", "wrap"]

Span = tuple[int, int, str | Style]
"""Start and end as indices into the text (end exclusive), and a style or its name. Later spans win."""

TAB = 4
TERMINAL_TAB = 8
"""Columns: what programs count on that write tables with tabs."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a line, or the part of its text from `start` to `end`, shows of a message: a field (see `rules.FIELDS`).

    `tool` is the one that was called, or that answers; empty for what is said and thought.
    """

    field: str
    tool: str = ""
    start: int = 0
    end: int = sys.maxsize


@dataclass(frozen=True, slots=True)
class Picture:
    """An image of a message: a data URL or a path, and the cells that it is drawn in, if any."""

    target: str
    columns: int = 0
    rows: int = 0


@dataclass(slots=True)
class Line:
    """One logical line: what a newline ends in the source.

    `indent` cells come before the first row of it and `hang` cells before its other rows. `words` breaks between
    words, otherwise anywhere; prose no later than a row is comfortable to read, what is `wide` (code, tool output) where the
    window ends. `fill` styles the whole row, margins apart (code, tool output).
    """

    text: str
    spans: list[Span] = field(default_factory=list)
    style: str = ""
    indent: int = 0
    hang: int = 0
    words: bool = False
    wide: bool = False
    fill: str = ""
    lead: tuple[str, str] | None = None
    """Text and style name that stand in the indent of the first row: a bullet, an arrow."""
    right: tuple[str, str] | None = None
    """Text and style name set flush right on the first row, where there is room."""
    ours: bool = False
    """Written by the viewer, not by the log: no search finds anything in it."""
    said: tuple[Said, ...] = ()
    """Which fields of the message it shows: nothing is found in what is of no field that is searched (an image's place)."""
    action: str = ""
    """What a click on the line does: `fold`, or nothing."""
    picture: Picture | None = None
    """The image that the line is of: its facts, or one of its rows."""
    picture_row: int | None = None
    """Which row of the drawn image the line is."""
    one_row: bool = False
    """What does not fit on one row is cut off (headers); what stands at the right has room first, up to half the row."""
    finish: Callable[[], None] | None = None
    """Fills in the spans of the whole block when its first line is shown (syntax highlighting)."""

    def places(self, looks: Callable[[Said], bool]) -> list[tuple[int, int]]:
        """Where in the text to look for what is looked for in some fields only: `looks` says whether in this one."""
        if self.ours:
            return []
        return [(said.start, min(said.end, len(self.text))) for said in self.said if looks(said)]

    def extend(self, text: str, style: str) -> None:
        """Add a text in a style of its own."""
        self.spans.append((len(self.text), len(self.text) + len(text), style))
        self.text += text


def expand_tabs(text: str, columns: int = TAB) -> str:
    """The text with each tab as spaces up to the next multiple of so many columns."""
    return text.expandtabs(columns) if "\t" in text else text


def expand_output_tabs(text: str) -> str:
    """Tool output's tabs: those that indent a line are worth four columns, those that make columns stop at eight."""
    if "\t" not in text:
        return text
    return "\n".join(map(_output_line, text.split("\n")))


def _output_line(line: str) -> str:
    rest = line.lstrip("\t")
    return " " * (TAB * (len(line) - len(rest))) + rest.expandtabs(TERMINAL_TAB)


def wrap(text: str, width: int, *, words: bool = False, hang: int = 0, full: bool = False) -> list[tuple[int, int]]:
    """The (start, end) of each row of a text at a width in cells, at least one; rows after the first lose `hang` cells.

    A break between words drops the spaces it happens at. A character wider than the width stands alone on its row.
    `full`: a word is broken rather than that half of a row, or its first word, is nothing but spaces.
    """
    width = max(1, width)
    rest = max(1, width - hang)
    length = len(text)
    if length <= width and cell_len(text) <= width:
        return [(0, length)]
    if text.isascii() and not words:
        return [(0, width), *((start, min(start + rest, length)) for start in range(width, length, rest))]
    return list(_rows(_Measured(text), length, width, rest, words=words, full=full))


def _rows(
    measured: _Measured, length: int, width: int, rest: int, *, words: bool, full: bool
) -> Iterator[tuple[int, int]]:
    start, room = 0, width
    while measured.cells(start, length) > room:
        end = measured.end_within(start, room)
        space = measured.last_space(start, end) if words else -1
        if space < 0 or (full and measured.leaves_empty(start, space, room)):
            yield start, end
            start = end
        else:
            yield start, measured.before_spaces(start, space)
            start = measured.after_spaces(space)
        room = rest
    if start < length or start == 0:
        yield start, length


class _Measured:
    """A text with the cells of its characters; what belongs to one character on the screen stays together."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._begins: Sequence[int] = range(len(text) + 1)
        """Where each character on the screen begins, and the end of the text."""
        self._number: Mapping[int, int] | Sequence[int] = self._begins
        """The number of the character that begins at a place."""
        self._before: Sequence[int] = self._begins
        """The cells before each character."""
        if text.isascii():
            return
        sizes = list(map(get_character_cell_size, text))
        if 0 in sizes:
            graphemes, _ = split_graphemes(text)
            sizes = [cells for _, _, cells in graphemes]
            self._begins = [*(begin for begin, _, _ in graphemes), len(text)]
            self._number = {begin: index for index, begin in enumerate(self._begins)}
        self._before = [0, *accumulate(sizes)]

    def cells(self, start: int, end: int) -> int:
        """The cells between two characters."""
        return self._before[self._number[end]] - self._before[self._number[start]]

    def end_within(self, start: int, room: int) -> int:
        """The end of what fits into so many cells, at least of one character."""
        here = self._number[start]
        return self._begins[max(here + 1, bisect_right(self._before, self._before[here] + room, here) - 1)]

    def last_space(self, start: int, end: int) -> int:
        """The last space in a row at which it can end, or right behind it; -1 where there is none."""
        space = self._text.rfind(" ", start + 1, end + 1)
        while space > start and not self._is_space(space):
            space = self._text.rfind(" ", start + 1, space)
        return space

    def _is_space(self, at: int) -> bool:
        """Whether a space is a character by itself, and carries no accent."""
        return self._text[at] == " " and at in self._number and at + 1 in self._number

    def before_spaces(self, start: int, space: int) -> int:
        """The end of the word before a space; the space itself where no word is before it."""
        word = self._text[start:space].rstrip(" ")
        return start + len(word) if word else space

    def after_spaces(self, space: int) -> int:
        """Where the text goes on behind a space."""
        space += 1
        while space < len(self._text) and self._is_space(space):
            space += 1
        return space

    def leaves_empty(self, start: int, space: int, room: int) -> bool:
        """Whether a row that ends at a space is half empty, or has no word in it."""
        return self.cells(start, space) < room // 2 or not self._text[start:space].strip(" ")
