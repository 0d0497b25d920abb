"""Colours on top of a row that is drawn: what patterns match on it, what is selected."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import chain

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from trajview.app.render.layout import Layout, margin_of, whole_characters
from trajview.app.render.lines import Said
from trajview.app.render.matches import spans_between

__all__ = ["LookedFor", "characters_before", "restyled", "with_matches"]


LookedFor = tuple[re.Pattern[str], Callable[[Said], bool], Style]
"""A pattern, in which fields it is looked for, and how its matches look."""


def with_matches(strip: Strip, layout: Layout, number: int, looked_for: Iterable[LookedFor]) -> Strip:
    """A row with what patterns match on it in their colours; a match that wraps is coloured on each of its rows."""
    index, start, end = layout.rows[number]
    line = layout.lines[index]
    before = len(margin_of(layout, number)) - start
    for pattern, looks, style in looked_for:
        # Not the whole of a line that may be a megabyte, for every row of it.
        for first, last in chain.from_iterable(
            spans_between(pattern, line.text, max(begin, start - 2_000), min(stop, end + 200))
            for begin, stop in line.places(looks)
        ):
            if first < end and last > start:
                strip = restyled(strip, before + max(first, start), before + min(last, end), style)
    return strip


def restyled(strip: Strip, left: int, right: int, style: Style) -> Strip:
    """The strip with a style on top of its characters from `left` to `right`. Cells would not do: a mark has none."""
    text = strip.text
    if right <= left or left >= len(text):
        return strip
    [(left, right, _)] = whole_characters(text, 0, [(left, right, style)])
    segments: list[Segment] = []
    at = 0
    for piece, own, control in strip:
        a, b = max(0, min(len(piece), left - at)), max(0, min(len(piece), right - at))
        # On top of the segment's own style: a search colour must win.
        on_top = (own or Style.null()) + style
        parts = ((piece[:a], own), (piece[a:b], on_top), (piece[b:], own))
        segments += [Segment(part, look, control) for part, look in parts if part]
        at += len(piece)
    return Strip(segments, strip.cell_length)


def characters_before(strip: Strip, cells: int) -> int:
    """How many characters of a row are in its first cells, where a segment begins behind them."""
    count = used = 0
    for text, _, _ in strip:
        if used >= cells:
            break
        used += cell_len(text)
        count += len(text)
    return count
