"""The columns of the table of runs: which of them a width has room for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from rich.cells import cell_len

from trajview.app.runs.run_list import RunList
from trajview.app.shared.cells import COLUMNS, Column, title_of
from trajview.corpus.info import RunInfo
from trajview.textsafe import one_line
from trajview.where.fields import Ref

__all__ = ["MARGIN", "Columns", "gap", "layout"]

MARGIN: Final = 2
"""Cells left of the first column: the cursor's bar and a space, or the sign of a problem."""

_SAMPLE: Final = 200
"""Rows that the widths are taken from; rows that come into view later may only widen a column."""

_LEAST = {Column.ID: 12, Column.SOURCE: 12}
_MOST = {
    Column.ID: 64, Column.SOURCE: 56, Column.FORMAT: 18, Column.MESSAGES: 12, Column.UNITS: 12, Column.REWARD: 13,
    Column.STATUS: 14, Column.AGENTS: 40, Column.MODELS: 40,
}  # fmt: skip

_MOST_OF_A_FIELD = 24
"""Cells of a column that is there because the filter is about its field."""

_GIVEN_UP = (Column.AGENTS, Column.MODELS, Column.SOURCE, Column.UNITS, Column.FORMAT, Column.MESSAGES, Column.STATUS)
"""Which columns a narrow terminal loses, first to last. The name and the reward stay."""

_NAME_WISH = 24
"""As long as the name has fewer cells than this, and would use more, another column is given up for it."""


def layout(width: int, wanted: Mapping[Ref, int]) -> dict[Ref, int]:
    """The cells of each column for a table of `width` cells, margin included, in their order.

    `wanted` says how many cells the content of a column would use; a column that is not in it is not shown. Columns
    are given up until the name has room; what is left goes into the gaps between them (see `gap`).
    """
    columns = {column: min(size, _MOST.get(column, _MOST_OF_A_FIELD)) for column, size in wanted.items()}
    if Column.ID not in columns:
        return {}
    for column in (None, *_GIVEN_UP):
        if column is not None:
            columns.pop(column, None)
        least = sum(min(size, _LEAST.get(c, size)) for c, size in columns.items() if c != Column.ID)
        room = width - MARGIN - 2 * (len(columns) - 1) - least
        wish = min(columns[Column.ID], _NAME_WISH)
        if Column.AGENTS in columns or Column.MODELS in columns:
            # Only where nothing else is cut for them.
            wish = columns[Column.ID] + max(0, columns.get(Column.SOURCE, 0) - _LEAST[Column.SOURCE])
        if room >= wish:
            break
    if room < _LEAST[Column.ID] and len(columns) > 1:
        columns = {Column.ID: columns[Column.ID]}
        room, least = width - MARGIN, 0
    source = columns.get(Column.SOURCE)
    if source is None:
        columns[Column.ID] = max(1, min(columns[Column.ID], room))
    else:
        # The name comes first, but a source worth showing gets up to two fifths of what the two share.
        both = room + min(source, _LEAST[Column.SOURCE])
        source = min(source, max(_LEAST[Column.SOURCE], both * 2 // 5, both - columns[Column.ID]))
        columns[Column.SOURCE] = source
        columns[Column.ID] = max(1, min(columns[Column.ID], both - source))
    return {column: columns[column] for column in wanted if column in columns}


def gap(width: int, widths: Mapping[Ref, int]) -> int:
    """Cells between two columns: two, and up to four where there is room, the scroll bar's cell left free."""
    between = max(1, len(widths) - 1)
    return max(2, min(4, (width - 1 - MARGIN - sum(widths.values())) // between))


class Columns:
    """The columns that a list of runs needs, as wide as the rows that were measured; they change for no filter or order."""

    def __init__(self, runs: RunList) -> None:
        self._runs = runs
        self._wanted: dict[Ref, int] = {}
        self._extras: tuple[Ref, ...] = ()
        self._width = 0
        self._widths: dict[Ref, int] | None = None

    def measure(self, in_view: Iterable[int]) -> None:
        """Widen the columns for the first rows that came, so that a filter or a sort moves none, and for those in view."""
        if self._runs.extras != self._extras:
            self._extras = self._runs.extras
            self._widths = None
        for row in (*range(min(_SAMPLE, len(self._runs.rows))), *in_view):
            item = self._runs.rows[row]
            if not isinstance(item, RunInfo):
                continue
            for column in (*COLUMNS, *self._extras):
                text = self._runs.text(row, item, column)
                size = cell_len(text)
                if text and column == Column.ID and (item.name or item.task or item.id) != item.id:
                    size += 2 + cell_len(one_line(item.id))
                if size > self._wanted.get(column, 0):
                    self._wanted[column] = size
                    self._widths = None

    def widths(self, width: int) -> dict[Ref, int]:
        """The cells of each column that there is room for, in a table of `width` cells."""
        if self._widths is None or width != self._width:
            self._width = width
            wanted: dict[Ref, int] = {}
            for column in COLUMNS:
                # Agents, models and rewards have a column if a run has any.
                if column in self._wanted or column not in (Column.AGENTS, Column.MODELS, Column.REWARD):
                    wanted[column] = self._wanted.get(column, 0)
                if column == Column.REWARD:
                    wanted |= {ref: self._wanted.get(ref, 0) for ref in self._extras}
            # Room for the first annotation, so that it moves no column.
            wanted[Column.STATUS] = max(wanted[Column.STATUS], len("✓ annotated"))
            self._widths = layout(width - 1, {c: max(size, cell_len(title_of(c))) for c, size in wanted.items()})
        return self._widths
