"""What comes into the list of runs while files are read: taken in at once, and drawn a few times a second."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock
from typing import Final

from trajview.app.runs.run_list import RunList, RunRow
from trajview.app.runs.table import RunTable
from trajview.corpus.info import RunInfo, Updated
from trajview.where.unseen import as_seen

__all__ = ["Arrivals"]

_AT_ONCE: Final = 1_000
"""Rows that are taken in before the screen gets its turn again."""


class Arrivals:
    """Puts what the corpus finds into the list.

    A list that is drawn for every batch keeps the keys waiting: the owner calls `show`, a few times a second. Rows are drawn
    at once only while there is room for them, and when all have come.
    """

    def __init__(
        self,
        runs: RunList,
        table: RunTable,
        call_later: Callable[[Callable[[], None]], object],
        *,
        blind: bool,
        taken: Callable[[Sequence[Updated]], None],
        shown: Callable[[], None],
    ) -> None:
        """
        Args:
            call_later: Calls a function in the screen's turn; called in the thread that reads, too.
            blind: Leave out what blind mode hides.
            taken: Called when all that came is in the list, with the earlier rows that are others now.
            shown: Called when what came was drawn.
        """
        self._runs = runs
        self._table = table
        self._call_later = call_later
        self._blind = blind
        self._taken = taken
        self._shown = shown
        self._lock = Lock()
        self._waiting: deque[RunRow | Updated] = deque()
        self._is_called = self._is_complete = False
        self._changes: list[Updated] = []
        self.finished = False
        """Whether the whole corpus is in the list."""

    def add(self, batch: Sequence[RunRow | Updated], finished: bool) -> None:
        """Put rows aside, and have them taken in: called in the thread that reads."""
        with self._lock:
            self._waiting += map(_as_seen, batch) if self._blind else batch
            self._is_complete = self._is_complete or finished
            if self._is_called:
                return
            self._is_called = True
        with suppress(RuntimeError):  # the app has gone, and the event loop with it
            self._call_later(self._take)

    def _take(self) -> None:
        with self._lock:
            batch = [self._waiting.popleft() for _ in range(min(_AT_ONCE, len(self._waiting)))]
            self._is_called = bool(self._waiting)
            self.finished = self._is_complete and not self._is_called
        self._runs.append(item for item in batch if not isinstance(item, Updated))
        changes = [item for item in batch if isinstance(item, Updated)]
        if changes:
            self._runs.update(changes)
            self._changes += changes
        self._table.rows_come()
        if self._is_called:
            self._call_later(self._take)
        else:
            changes, self._changes = self._changes, []
            self._taken(changes)
        if self.finished or self._table.has_room:
            self.show()

    def show(self) -> None:
        """Draw what came."""
        if self._table.show_news():
            self._shown()


def _as_seen(item: RunRow | Updated) -> RunRow | Updated:
    """An item of the list without what blind mode hides."""
    if isinstance(item, Updated):
        return Updated(item.row, as_seen(item.item)) if isinstance(item.item, RunInfo) else item
    return as_seen(item) if isinstance(item, RunInfo) else item
