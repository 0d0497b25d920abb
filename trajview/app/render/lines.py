"""A line of text with styled spans, and how it breaks into rows of a width.

A span names its style (`md.code`, `diff.added`), so that a line outlives a change of theme; a colour that the log
itself asked for is a Rich style as it is.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from rich.cells import cell_len, get_character_cell_size, split_graphemes
from rich.style import Style

__all__ = ["TAB", "TERMINAL_TAB", "Line", "Said", "Span", "expand_output_tabs", "expand_tabs", "wrap"]

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
    if "\t" not in line:
        return line
    rest = line.lstrip("\t")
    return " " * (TAB * (len(line) - len(rest))) + rest.expandtabs(TERMINAL_TAB)


def wrap(text: str, width: int, *, words: bool = False, hang: int = 0, full: bool = False) -> list[tuple[int, int]]:
    """The (start, end) of each row of a text at a width in cells, at least one; rows after the first lose `hang` cells.

    A break between words drops the spaces it happens at. A character wider than the width stands alone on its row.
    `full`: a word is broken rather than that half of a row, or its first word, is nothing but spaces.
    """
    width = max(1, width)
    rest = max(1, width - hang)
    if text.isascii():
        if len(text) <= width:
            return [(0, len(text))]
        return _wrap_words(text, width, rest, full) if words else _fold(len(text), width, rest)
    if len(text) <= width and cell_len(text) <= width:
        return [(0, len(text))]
    return _wrap_cells(text, width, rest, words, full)


def _fold(length: int, width: int, rest: int) -> list[tuple[int, int]]:
    rows = [(0, width)]
    rows += [(start, min(start + rest, length)) for start in range(width, length, rest)]
    return rows


def _wrap_words(text: str, width: int, rest: int, full: bool = False) -> list[tuple[int, int]]:
    rows: list[tuple[int, int]] = []
    start, length, room = 0, len(text), width
    while length - start > room:
        # A space right at the edge ends the row as well: it is dropped.
        cut = text.rfind(" ", start + 1, start + room + 1)
        end = _before_spaces(text, start, cut) if cut > start else 0
        if cut <= start or (full and (cut - start < room // 2 or text[end - 1] == " ")):
            rows.append((start, start + room))
            start += room
        else:
            rows.append((start, end))
            start = cut + 1
            while start < length and text[start] == " ":
                start += 1
        room = rest
    if start < length or not rows:
        rows.append((start, length))
    return rows


def _wrap_cells(text: str, width: int, rest: int, words: bool, full: bool = False) -> list[tuple[int, int]]:
    """As for ASCII, with characters of any width; what belongs to one character on the screen stays on one row."""
    sizes = list(map(get_character_cell_size, text))
    if 0 in sizes:
        graphemes, _ = split_graphemes(text)
        begins: Sequence[int] = [begin for begin, _, _ in graphemes]
        sizes = [cells for _, _, cells in graphemes]
        number = {begin: index for index, begin in enumerate(begins)}
        number[len(text)] = len(begins)
        begins = [*begins, len(text)]
    else:
        begins = number = range(len(text) + 1)  # type: ignore[assignment]
    before = [0, *accumulate(sizes)]  # the cells before each character on the screen
    rows: list[tuple[int, int]] = []
    start, length, room = 0, len(text), width
    while before[-1] - before[number[start]] > room:
        here = number[start]
        end = begins[max(here + 1, bisect_right(before, before[here] + room, here) - 1)]
        cut = text.rfind(" ", start + 1, end + 1) if words else -1
        while cut > start and (cut not in number or cut + 1 not in number):  # a space that carries an accent
            cut = text.rfind(" ", start + 1, cut)
        before_cut = _before_spaces(text, start, cut) if cut > start else 0
        if cut <= start or (full and (before[number[cut]] - before[here] < room // 2 or text[before_cut - 1] == " ")):
            rows.append((start, end))
            start = end
        else:
            rows.append((start, before_cut))
            start = cut + 1
            while start < length and text[start] == " " and start + 1 in number:
                start += 1
        room = rest
    if start < length or not rows:
        rows.append((start, length))
    return rows


def _before_spaces(text: str, start: int, end: int) -> int:
    cut = end
    while cut > start and text[cut - 1] == " ":
        cut -= 1
    return cut if cut > start else end
