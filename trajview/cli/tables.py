"""Tables for `ls`: columns that are cut to a terminal, and whole elsewhere."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence

__all__ = ["cells", "cut_to", "table"]

_LEAST = 5  # cells that a column keeps when the terminal is narrow
_KEPT = 12  # cells of a column that is shortened or left out before others are cut
_PADDED = 48  # cells that columns are padded to where there is no terminal: an id in a file of many may have 400
_GAP = "  "


def table(
    rows: list[list[str]],
    right: Collection[int],
    *,
    cut: bool,
    spare: Collection[int] = (),
    paths: Collection[int] = (),
) -> list[str]:
    """Format rows as lines with aligned columns; the first row is the heading. `right`: columns aligned to the right.

    With `cut` they fit a terminal. Where there are `spare` columns or `paths`, these are shortened first (paths from the
    left), then the others, and the first one last; where that is not enough, spare ones are left out. Else they are whole, and what is too long to pad to goes over its column.
    """
    if not rows:
        return []
    widths = [max(cells(row[column]) for row in rows) for column in range(len(rows[0]))]
    if cut:
        columns = _fitted(widths, shutil.get_terminal_size().columns, spare, paths)
    else:
        columns = [(column, min(width, _PADDED)) for column, width in enumerate(widths)]
    return [_line(row, columns, right, paths, cut=cut) for row in rows]


def _fitted(widths: Sequence[int], room: int, spare: Collection[int], paths: Collection[int]) -> list[tuple[int, int]]:
    """The columns that fit into `room` cells, with their widths."""
    widths = list(widths)
    shown = list(range(len(widths)))
    least = [min(width, _KEPT if column and (spare or paths) else width) for column, width in enumerate(widths)]
    if _total(least) > room:
        shown = [column for column in shown if column not in spare]
    over = _total([widths[column] for column in shown]) - room
    for column in (*spare, *paths, *shown):
        if column in shown and over > 0:
            less = min(over, widths[column] - least[column])
            widths[column] -= less
            over -= less
    kept = [widths[column] for column in shown]
    _narrow(kept, room)
    return list(zip(shown, kept, strict=True))


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _narrow(widths: list[int], room: int) -> None:
    while _total(widths) > room and max(widths) > _LEAST:
        widest = widths.index(max(widths))
        # Take it down to the next widest at once; one cell at a time would be slow for very long ids.
        over = _total(widths) - room
        second = max([width for width in widths if width < widths[widest]], default=_LEAST)
        widths[widest] -= max(1, min(over, widths[widest] - max(second, _LEAST)))


def _line(
    row: Sequence[str], columns: Sequence[tuple[int, int]], right: Collection[int], paths: Collection[int], *, cut: bool
) -> str:
    found = []
    for column, width in columns:
        text = row[column]
        if cut:
            text = _end_of(text, width) if column in paths else cut_to(text, width)
        space = " " * (width - cells(text))
        found.append(space + text if column in right else text + space)
    return _GAP.join(found).rstrip()


def cells(text: str) -> int:
    """The width of a text in cells of a terminal."""
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


def _end_of(text: str, width: int) -> str:
    """The end of a text, in at most so many cells, with an ellipsis where it was cut."""
    if cells(text) <= width:
        return text
    end = text[-width:]
    while cells(end) > width - 1:
        end = end[1:]
    return "…" + end
