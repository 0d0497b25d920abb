"""Where a pattern matches in laid out text: never by a way that may take for ever, since the screen would wait."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import groupby

from trajview.app.render.layout import Layout
from trajview.app.render.lines import Said
from trajview.patterns.finder import finder_of

__all__ = ["rows_of_matches", "spans_between"]


def spans_between(pattern: re.Pattern[str], text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Where each match between two places starts and ends; empty ones are left out.

    So are those of a pattern that `re` may take for ever to find, in a text where RE2 does not find the same.
    """
    finder = finder_of(pattern)
    if finder.tame:
        for match in pattern.finditer(text, begin, end):
            if match.end() > match.start():
                yield match.span()
    elif finder.handles(part := text[begin:end]):
        for first, last in finder.spans(part):
            yield begin + first, begin + last


def rows_of_matches(layout: Layout, pattern: re.Pattern[str], looks: Callable[[Said], bool]) -> list[int]:
    """The row on which each match begins, ascending; where a match begins in spaces dropped at a break, before it.

    `looks` says in which fields is looked.
    """
    rows: list[int] = []
    for index, group in groupby(range(len(layout.rows)), key=lambda number: layout.rows[number][0]):
        numbers, line = list(group), layout.lines[index]
        starts = [layout.rows[number][1] for number in numbers]
        rows += [
            numbers[0] + bisect_right(starts, start) - 1
            for begin, end in line.places(looks)
            for start, _ in spans_between(pattern, line.text, begin, end)
        ]
    return rows
