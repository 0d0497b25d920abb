"""A line of text with styled spans, and how it breaks into rows of a width.

A span names its style (`md.code`, `diff.added`), so that a line outlives a change of theme; a colour that the log
itself asked for is a Rich style as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from rich.cells import cell_len, split_graphemes
from rich.style import Style

__all__ = ["Line", "Span", "expand_tabs", "wrap"]

Span = tuple[int, int, str | Style]
"""Start and end as indices into the text (end exclusive), and a style or its name. Later spans win."""

TAB = 4


@dataclass(slots=True)
class Line:
    """One logical line: what a newline ends in the source.

    `indent` cells come before the first row of it and `hang` cells before its other rows. `words` breaks between
    words, otherwise anywhere. `fill` styles the whole row, margins apart (code, tool output).
    """

    text: str
    spans: list[Span] = field(default_factory=list)
    style: str = ""
    indent: int = 0
    hang: int = 0
    words: bool = False
    fill: str = ""
    lead: tuple[str, str] | None = None
    """Text and style name that stand in the indent of the first row: a bullet, an arrow."""
    right: tuple[str, str] | None = None
    """Text and style name set flush right on the first row, where there is room."""
    action: str = ""
    """What a click on the line does: `fold`, or nothing."""
    finish: Callable[[], None] | None = None
    """Fills in the spans of the whole block when its first line is shown (syntax highlighting)."""


def expand_tabs(text: str) -> str:
    """The text with each tab as spaces up to the next multiple of four columns."""
    return text.expandtabs(TAB) if "\t" in text else text


def wrap(text: str, width: int, *, words: bool = False, hang: int = 0) -> list[tuple[int, int]]:
    """The (start, end) of each row of a text at a width in cells, at least one; rows after the first lose `hang` cells.

    A break between words drops the spaces it happens at. A character wider than the width stands alone on its row.
    """
    width = max(1, width)
    rest = max(1, width - hang)
    if text.isascii():
        if len(text) <= width:
            return [(0, len(text))]
        return _wrap_words(text, width, rest) if words else _fold(len(text), width, rest)
    if len(text) <= width and cell_len(text) <= width:
        return [(0, len(text))]
    return _wrap_cells(text, width, rest, words)


def _fold(length: int, width: int, rest: int) -> list[tuple[int, int]]:
    rows = [(0, width)]
    rows += [(start, min(start + rest, length)) for start in range(width, length, rest)]
    return rows


def _wrap_words(text: str, width: int, rest: int) -> list[tuple[int, int]]:
    rows: list[tuple[int, int]] = []
    start, length, room = 0, len(text), width
    while length - start > room:
        # A space right at the edge ends the row as well: it is dropped.
        cut = text.rfind(" ", start + 1, start + room + 1)
        if cut <= start:
            rows.append((start, start + room))
            start += room
        else:
            end = cut
            while end > start and text[end - 1] == " ":
                end -= 1
            rows.append((start, end if end > start else cut))
            start = cut + 1
            while start < length and text[start] == " ":
                start += 1
        room = rest
    if start < length or not rows:
        rows.append((start, length))
    return rows


def _wrap_cells(text: str, width: int, rest: int, words: bool) -> list[tuple[int, int]]:
    rows: list[tuple[int, int]] = []
    graphemes, _ = split_graphemes(text)
    start, used, room = 0, 0, width
    last_space = -1  # index into the text just after the last space of this row
    used_at_space = 0
    for begin, end, cells in graphemes:
        if used + cells > room and begin > start:
            if words and last_space > start and text[begin:end] != " ":
                rows.append((start, _before_spaces(text, start, last_space)))
                start, used = last_space, used - used_at_space
            else:
                rows.append((start, begin))
                start, used = begin, 0
            room = rest
            last_space = -1
            if used + cells > room and begin > start:
                rows.append((start, begin))
                start, used = begin, 0
        used += cells
        if words and text[begin:end] == " ":
            last_space, used_at_space = end, used
    rows.append((start, len(text)))
    return rows


def _before_spaces(text: str, start: int, end: int) -> int:
    cut = end
    while cut > start and text[cut - 1] == " ":
        cut -= 1
    return cut if cut > start else end
