"""The cursor in the list of runs: on which of the shown rows it is, and where it stays when they change."""

from __future__ import annotations

from trajview.corpus.info import Place, RunInfo
from trajview.errors import Problem

__all__ = ["RunCursor", "RunRow"]

RunRow = RunInfo | Problem
"""What a row shows: a run, or something that could not be read."""


class RunCursor:
    """Rows, which of them are shown in which order, and a cursor on one of those."""

    def __init__(self, rows: list[RunRow]) -> None:
        self.rows = rows
        self.shown: list[int] = []
        self._cursor = 0
        self._wanted: int | None = None

    @property
    def cursor(self) -> int:
        """The position of the cursor among the shown rows; 0 where there are none."""
        return self._cursor

    @property
    def cursor_row(self) -> int | None:
        """The row number under the cursor."""
        return self.shown[self._cursor] if self.shown else None

    @property
    def current(self) -> RunRow | None:
        """The run or problem under the cursor."""
        return self.rows[self.shown[self._cursor]] if self.shown else None

    def go(self, position: int) -> bool:
        """Put the cursor on a position, or as near as there is one. Says whether it moved."""
        before, self._cursor = self._cursor, max(0, min(position, len(self.shown) - 1))
        self._wanted = self.cursor_row
        return self._cursor != before

    def next_run(self, place: Place, step: int) -> RunInfo | None:
        """Move the cursor to the run shown after (before) the run at that place, past problems; None at the end."""
        here = next(
            (p for p, row in enumerate(self.shown) if getattr(self.rows[row], "place", None) == place), self._cursor
        )
        position = here + step
        while 0 <= position < len(self.shown):
            item = self.rows[self.shown[position]]
            if isinstance(item, RunInfo):
                self.go(position)
                return item
            position += step
        return None

    def go_to(self, place: Place) -> bool:
        """Put the cursor on the run at that place; False where it is not shown."""
        position = next(
            (p for p, row in enumerate(self.shown) if getattr(self.rows[row], "place", None) == place), None
        )
        if position is not None:
            self.go(position)
        return position is not None

    def _stay_on(self, row: int | None) -> None:
        """Find the row that the cursor was on, or the one that a filter hid and that shows again."""
        for wanted in (self._wanted, row):
            position = self._position(wanted)
            if position is not None:
                self._cursor = position
                return
        self._cursor = 0

    def _position(self, row: int | None) -> int | None:
        """Where a row is shown, None where it is not."""
        try:
            return None if row is None else self.shown.index(row)
        except ValueError:
            return None
