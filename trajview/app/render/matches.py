"""Where a pattern matches in laid out text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

from trajview.app.render.finding import spans_between
from trajview.app.render.layout import Layout
from trajview.app.render.lines import Said

__all__ = ["rows_of_matches"]


def rows_of_matches(layout: Layout, pattern: re.Pattern[str], looks: Callable[[Said], bool]) -> list[int]:
    """The row on which each match begins, ascending; where a match begins in spaces dropped at a break, before it.

    `looks` says in which fields is looked.
    """
    rows: list[int] = []
    first = 0
    while first < len(layout.rows):
        index = layout.rows[first][0]
        after = first + 1
        while after < len(layout.rows) and layout.rows[after][0] == index:
            after += 1
        line = layout.lines[index]
        starts = [start for _, start, _ in layout.rows[first:after]]
        rows += [
            first + bisect_right(starts, start) - 1
            for begin, end in line.places(looks)
            for start, _ in spans_between(pattern, line.text, begin, end)
        ]
        first = after
    return rows
