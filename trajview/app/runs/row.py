"""The rows of the table of runs: a run's cells, a problem, and the sentences that stand where there are no rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from trajview.app.runs.columns import MARGIN, fit, fit_path
from trajview.app.shared.cells import Column, Shown, is_number
from trajview.corpus.info import RunInfo
from trajview.textsafe import one_line

__all__ = ["centred", "problem_row", "run_row", "strip_of"]

SHORT_ID = 14
"""Cells of an id that always stands beside a task."""


def run_row(
    item: RunInfo, cells: Mapping[Shown, tuple[str, int]], between: int, style: Callable[..., Style], *, is_draft: bool
) -> list[Segment]:
    """What stands right of the margin: each column's text in as many cells as it has, `between` cells from one to the next."""
    pieces: list[Segment] = []
    space = Segment(" " * between, style())
    for column, (text, size) in cells.items():
        if pieces:
            pieces.append(space)
        if column is Column.ID:
            pieces += _name(item, text, size, style)
        else:
            shown = fit_path(text, size) if column is Column.SOURCE else fit(text, size, right=is_number(column))
            pieces.append(Segment(shown, _style_of(column, text, style, is_draft)))
    return pieces


def _style_of(column: Shown, text: str, style: Callable[..., Style], is_draft: bool) -> Style:
    if column is Column.REWARD or not isinstance(column, Column):
        return style("reward")
    if column is Column.STATUS and text:
        return style("draft" if is_draft else "done")
    return style("dim")


def _name(item: RunInfo, text: str, size: int, style: Callable[..., Style]) -> list[Segment]:
    id = one_line(item.id)
    if item.task and not item.name and cell_len(id) <= min(SHORT_ID, size // 3):
        # Many runs may begin alike: what tells them apart stays.
        shown = fit(text, min(cell_len(text), size - cell_len(id) - 2)).rstrip()
        return [Segment(shown + "  ", style()), Segment(fit(id, size - cell_len(shown) - 2), style("dim"))]
    room = size - cell_len(text) - 2
    # Beside a name the id is a help, not the point: whole, or at least a few cells of it, or not at all.
    if (item.name or item.task or item.id) == item.id or room < min(cell_len(id), 6):
        return [Segment(fit(text, size), style())]
    return [Segment(text + "  ", style()), Segment(fit(id, room), style("dim"))]


def problem_row(place: str, reason: str, width: int, style: Callable[..., Style]) -> list[Segment]:
    """What stands right of the cursor's bar: where something could not be read, in at most half of `width`, and why."""
    place = one_line(place)
    room = max(0, width - MARGIN - 2)
    shown = fit(place, min(cell_len(place), max(12, room // 2)))
    return [
        Segment(" ", style()),
        Segment("⚠ ", style("problem")),
        Segment(shown + "  " * bool(place), style()),
        Segment(one_line(reason), style("problem")),
    ]


def centred(text: str, width: int, style: Style) -> list[Segment]:
    """A sentence in the middle of `width` cells."""
    text = one_line(text)
    left = max(MARGIN, (width - cell_len(text)) // 2)
    return [Segment(" " * left, style), Segment(fit(text, min(cell_len(text), width - left)), style)]


def strip_of(pieces: Sequence[Segment], width: int, style: Style) -> Strip:
    """Segments as a strip of exactly `width` cells; text that is too long ends with an ellipsis."""
    strip = Strip(pieces)
    if strip.cell_length > width and strip.crop(width).text.strip():
        cut = strip.crop(0, max(0, width - 1))
        strip = Strip([*cut, Segment("…", pieces[-1].style)])
    return strip.crop(0, width).extend_cell_length(width, style).simplify()
