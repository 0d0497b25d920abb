"""The heading of the table of runs: a title for each column, and which way the rows are sorted by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rich.segment import Segment
from rich.style import Style

from trajview.app.runs.columns import MARGIN, fit
from trajview.app.shared.cells import Shown, is_number, ref_of, title_of
from trajview.where.syntax import By

__all__ = ["heading"]

_DIGITS = ("", *"²³⁴⁵⁶⁷⁸⁹")
"""The first key has none: it is what a person looks for first."""


def heading(
    keys: Sequence[By], widths: Mapping[Shown, int], between: int, style: Callable[..., Style]
) -> list[Segment]:
    """The titles, each as wide as its column, with `between` cells from one to the next."""
    pieces = [Segment(" " * MARGIN, style())]
    for column, size in widths.items():
        title, right = title_of(column), is_number(column)
        arrow = _arrow(keys, column)
        if not arrow:
            pieces.append(Segment(fit(title, size, right=right) + " " * between, style("heading")))
            continue
        # The arrow stands in the gap, so that it costs no column its width.
        rest = " " * (between - len(arrow))
        shown = fit(title, size, right=True) + arrow if right else fit(title + arrow, size + len(arrow))
        pieces.append(Segment(shown + rest, style("heading-sorted")))
    return pieces


def _arrow(keys: Sequence[By], column: Shown) -> str:
    """Which way a column is sorted, and of the keys after the first which one it is; empty where it is none."""
    for index, by in enumerate(keys):
        if by.ref == ref_of(column):
            which = _DIGITS[index] if index < len(_DIGITS) else ""
            return f"{'↓' if by.reverse else '↑'}{which}"
    return ""
