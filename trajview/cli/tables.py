"""Tables for `ls`: columns that are cut to a terminal, and whole elsewhere; CSV."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence

__all__ = ["cells", "cut_to", "table"]

_LEAST = 5  # cells that a column keeps when the terminal is narrow
_GAP = "  "


def table(rows: list[list[str]], right: Collection[int], *, cut: bool) -> list[str]:
    """Lines with aligned columns; the first row is the heading. `right`: columns that stand at their right edge."""
    if not rows:
        return []
    widths = [max(cells(row[column]) for row in rows) for column in range(len(rows[0]))]
    if cut:
        _narrow(widths, shutil.get_terminal_size().columns)
    return [_line(row, widths, right) for row in rows]


def _narrow(widths: list[int], room: int) -> None:
    while sum(widths) + len(_GAP) * (len(widths) - 1) > room and max(widths) > _LEAST:
        widest = widths.index(max(widths))
        # Take it down to the next widest at once; one cell at a time would be slow for very long ids.
        over = sum(widths) + len(_GAP) * (len(widths) - 1) - room
        second = max([width for width in widths if width < widths[widest]], default=_LEAST)
        widths[widest] -= max(1, min(over, widths[widest] - max(second, _LEAST)))


def _line(row: Sequence[str], widths: Sequence[int], right: Collection[int]) -> str:
    found = []
    for column, (text, width) in enumerate(zip(row, widths, strict=True)):
        shown = cut_to(text, width)
        space = " " * (width - cells(shown))
        found.append(space + shown if column in right else shown + space)
    return _GAP.join(found).rstrip()


def cells(text: str) -> int:
    """How many cells of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cut_to(text: str, width: int) -> str:
    """The text in at most so many cells, with an ellipsis where it was cut."""
    if cells(text) <= width:
        return text
    from rich.cells import set_cell_size

    return set_cell_size(text, width - 1).rstrip() + "…"
