"""The rows of a message at a width, and their segments in a palette."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size, split_graphemes
from rich.segment import Segment
from rich.style import Style

from trajview.app.render.lines import Line, Span, wrap

__all__ = ["MEASURE", "Layout", "Palette", "lay_out", "margin_of", "margins", "row_segments", "whole_characters"]

Palette = Mapping[str, Style]
"""Style names to Rich styles; a missing name is no style."""

Row = tuple[int, int, int]
"""The index of a line, and the start and end of the part of its text on this row."""


@dataclass(slots=True)
class Layout:
    """The lines of a message, and the rows that they make at one width."""

    lines: list[Line]
    rows: list[Row]
    width: int

    def rows_of_text(self) -> list[str]:
        """The text of each row."""
        return [self.lines[line].text[start:end] for line, start, end in self.rows]


def margins(line: Line, width: int) -> tuple[int, int]:
    """Indent and hang of a line, never more than half the width."""
    most = width // 2
    return min(line.indent, most), min(line.hang, most)


MEASURE = 100
"""Cells of a row of prose, at most: the eye loses the way back from the end of a longer one."""

LONGEST_READ = 20_000
"""Characters of a line of code or output: nobody reads the words of a longer one, and breaking anywhere is sooner done."""


def lay_out(lines: list[Line], width: int) -> Layout:
    """Break lines into rows of at most `width` cells, prose into rows of at most `MEASURE`."""
    rows = [(index, start, end) for index, line in enumerate(lines) for start, end in _rows_of(line, width)]
    return Layout(lines, rows, width)


def _rows_of(line: Line, width: int) -> list[tuple[int, int]]:
    indent, hang = margins(line, width)
    prose = line.words and not line.wide
    room = min(width - indent, MEASURE) if prose else width - indent
    if line.one_row:
        return [_cut(line, room)]
    words = prose or (line.words and len(line.text) <= LONGEST_READ)
    return wrap(line.text, room, words=words, hang=hang - indent, full=not prose)


def _cut(line: Line, room: int) -> tuple[int, int]:
    """What is shown of a line that has one row, beside what stands at its right."""
    if line.right is not None:
        room -= min(cell_len(line.right[0]) + 3, room // 2)
    whole = wrap(line.text, room)
    return whole[0] if len(whole) == 1 else wrap(line.text, max(2, room - 1))[0]


_NONE = Style.null()
SHORTEST_RIGHT = 8
"""Cells: less of what stands at the right of a header says nothing."""


def _on(style: Style, name: str | Style, palette: Palette) -> Style:
    """A style with another one, or what a palette calls by that name, on top."""
    if not name:
        return style
    return style + (palette.get(name, _NONE) if isinstance(name, str) else name)


def row_segments(
    layout: Layout, number: int, palette: Palette, base: Style, picture: Sequence[Segment] = ()
) -> list[Segment]:
    """The segments of a row: exactly `layout.width` cells, every one with a style on top of `base`.

    `picture` stands in the place of the text. What it has a background for, it has all colours for.
    """
    index, start, end = layout.rows[number]
    line = layout.lines[index]
    if line.finish is not None:
        line.finish()
    width, margin = layout.width, _margin(layout, number)
    fill = _on(base, line.fill, palette)
    style = _on(fill, line.style, palette)
    segments = _margin_segments(margin, line, width, base, fill, palette)
    if picture:
        segments += (Segment(text, drawn if drawn and drawn.bgcolor else base + drawn) for text, drawn, _ in picture)
    else:
        segments += _styled(line, start, end, style, palette)
    used = Segment.get_line_length(segments)
    if line.one_row and end < len(line.text) and used < width:
        segments.append(Segment("…", style))
        used += 1
    right, name = line.right if line.right is not None and margin.first else ("", "")
    right = _fitted(right, width - used - 2, cut=line.one_row)
    gap = width - used - cell_len(right)
    if gap > 0:
        segments.append(Segment(" " * gap, fill))
    if right:
        segments.append(Segment(right, _on(fill, name, palette)))
    return segments


def _fitted(right: str, room: int, *, cut: bool) -> str:
    """What stands at the right of a row and a space, as far as it fits; nothing where what is left would say nothing."""
    if not right or cell_len(right) < room:
        return right and right + " "
    return set_cell_size(right, room - 2).rstrip() + "… " if cut and room >= SHORTEST_RIGHT else ""


class _Margin(NamedTuple):
    """What stands before the text of a row: spaces, or a sign and its style; and whether the row is its line's first."""

    text: str
    style: str
    first: bool


def _margin(layout: Layout, number: int) -> _Margin:
    index, start, _ = layout.rows[number]
    line = layout.lines[index]
    indent, hang = margins(line, layout.width)
    first = start == 0 and (number == 0 or layout.rows[number - 1][0] != index)
    cells = indent if first else hang
    if line.lead is None or not cells or not (first or line.lead[0] in ("┆", "▏")):
        return _Margin(" " * cells, "", first)
    text, style = line.lead
    return _Margin(set_cell_size(text, cells), style, first)


def _margin_segments(
    margin: _Margin, line: Line, width: int, base: Style, fill: Style, palette: Palette
) -> list[Segment]:
    """The margin of a row. Where a line goes on below its own indent, as code does, the fill goes as far left as above."""
    text = margin.text
    if margin.style:
        return [Segment(text, _on(base, margin.style, palette))]
    outside = min(len(text), margins(line, width)[0]) if line.fill else len(text)
    return [Segment(part, style) for part, style in ((text[:outside], base), (text[outside:], fill)) if part]


def margin_of(layout: Layout, number: int) -> str:
    """What stands before the text of a row: spaces, a bullet, a bar."""
    return _margin(layout, number).text


def whole_characters(text: str, start: int, spans: list[Span]) -> list[Span]:
    """The spans, widened so that none ends within an emoji of several code points: its pieces measure more than it."""
    if not spans or not ("\u200d" in text or "\ufe0f" in text):
        return spans
    graphemes, _ = split_graphemes(text)
    ends = [0, *(end for _, end, _ in graphemes)]
    last = len(ends) - 1
    return [
        (
            start + ends[max(0, bisect_right(ends, a - start) - 1)],
            start + ends[min(last, bisect_left(ends, b - start))],
            name,
        )
        for a, b, name in spans
    ]


def _styled(line: Line, start: int, end: int, style: Style, palette: Palette) -> list[Segment]:
    """The part of a line's text in its spans' styles."""
    spans = whole_characters(
        line.text[start:end], start, [span for span in line.spans if span[0] < end and span[1] > start]
    )
    cuts = sorted({start, end, *(min(max(at, start), end) for span in spans for at in span[:2])})
    segments = []
    for a, b in pairwise(cuts):
        names = (name for first, last, name in spans if first <= a and b <= last)
        segments.append(Segment(line.text[a:b], reduce(lambda under, name: _on(under, name, palette), names, style)))
    return segments
