"""The rows of a message at a width, and their segments in a palette."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

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
    rows: list[Row] = []
    for index, line in enumerate(lines):
        indent, hang = margins(line, width)
        text = line.text
        wide = line.wide or not line.words
        room = width - indent if wide else min(width - indent, MEASURE)
        if len(text) <= room and text.isascii() and not (line.one_row and line.right is not None):
            rows.append((index, 0, len(text)))
        elif line.one_row:
            if line.right is not None:
                room -= min(cell_len(line.right[0]) + 3, room // 2)
            whole = wrap(text, room)
            rows.append((index, *(whole[0] if len(whole) == 1 else wrap(text, max(2, room - 1))[0])))
        else:
            words = line.words and not (wide and len(text) > LONGEST_READ)
            rows += [(index, a, b) for a, b in wrap(text, room, words=words, hang=hang - indent, full=wide)]
    return Layout(lines, rows, width)


_NONE = Style.null()
SHORTEST_RIGHT = 8
"""Cells: less of what stands at the right of a header says nothing."""


def row_segments(layout: Layout, number: int, palette: Palette, base: Style) -> list[Segment]:
    """The segments of a row: exactly `layout.width` cells, every one with a style on top of `base`.

    Where a line goes on below its own indent, as code does, the fill goes as far to the left as in its first row.
    """
    index, start, end = layout.rows[number]
    line = layout.lines[index]
    if line.finish is not None:
        line.finish()
    width = layout.width
    before, style_before, margin, first = _before(layout, number)
    segments: list[Segment] = []
    fill = base + palette.get(line.fill, _NONE) if line.fill else base
    if before:
        outside = min(margin, margins(line, width)[0]) if line.fill and not style_before else len(before)
        segments.append(Segment(before[:outside], base + palette.get(style_before, _NONE) if style_before else base))
        if before[outside:]:
            segments.append(Segment(before[outside:], fill))
    style = fill + palette.get(line.style, _NONE) if line.style else fill
    text = line.text[start:end]
    segments += _styled(text, line, start, end, style, palette)
    used = margin + (len(text) if text.isascii() else cell_len(text))
    if line.one_row and end < len(line.text) and used < width:
        segments.append(Segment("…", style))
        used += 1
    if first and line.right is not None:
        right, name = line.right
        right += " "
        size, room = cell_len(right), width - used - 2
        if size > room >= SHORTEST_RIGHT and line.one_row:
            right = set_cell_size(right, room - 2).rstrip() + "… "
            size = cell_len(right)
        if size <= room:
            segments.append(Segment(" " * (width - used - size), fill))
            segments.append(Segment(right, fill + palette.get(name, _NONE)))
            return segments
    if used < width:
        segments.append(Segment(" " * (width - used), fill))
    return segments


def _before(layout: Layout, number: int) -> tuple[str, str, int, bool]:
    """What stands in the margin of a row, its style, its cells, and whether the row is the first of its line."""
    index, start, _ = layout.rows[number]
    line = layout.lines[index]
    indent, hang = margins(line, layout.width)
    first = start == 0 and (number == 0 or layout.rows[number - 1][0] != index)
    margin = indent if first else hang
    lead = line.lead if first or (line.lead and line.lead[0] in "┆▏") else None
    if not margin or lead is None:
        return " " * margin, "", margin, first
    return set_cell_size(lead[0], margin), lead[1], margin, first


def margin_of(layout: Layout, number: int) -> str:
    """What stands before the text of a row: spaces, a bullet, a bar."""
    return _before(layout, number)[0]


def whole_characters(text: str, start: int, spans: list[Span]) -> list[Span]:
    """The spans, widened so that none ends within an emoji of several code points: its pieces measure more than it."""
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


def _styled(text: str, line: Line, start: int, end: int, style: Style, palette: Palette) -> list[Segment]:
    spans = [span for span in line.spans if span[0] < end and span[1] > start]
    if spans and ("\u200d" in text or "\ufe0f" in text):
        spans = whole_characters(text, start, spans)
    if not spans:
        return [Segment(text, style)] if text else []
    cuts = sorted(
        {0, len(text), *(max(0, a - start) for a, _, _ in spans), *(min(len(text), b - start) for _, b, _ in spans)}
    )
    segments = []
    for a, b in pairwise(cuts):
        piece = style
        for span_start, span_end, name in spans:
            if span_start - start <= a and b <= span_end - start:
                piece = piece + (palette.get(name, _NONE) if isinstance(name, str) else name)
        segments.append(Segment(text[a:b], piece))
    return segments
