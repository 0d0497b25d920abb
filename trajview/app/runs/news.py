"""What comes into the list of runs while the files are read: taken in at once, drawn when no key waits for the screen."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Final

from textual.message import Message

from trajview.app.runs.run_list import RunList, RunRow
from trajview.app.runs.table import RunTable
from trajview.app.shared.screen import TrajviewScreen
from trajview.corpus.info import RunInfo, Updated

if TYPE_CHECKING:
    from textual.timer import Timer

    from trajview.config import Settings

__all__ = ["TICK", "NewsScreen"]

TICK: Final = 0.25
"""Seconds after which it is said anew how far the reading is, and what came is drawn."""
_REST: Final = 0.1
"""Seconds after a key in which nothing is drawn but what the key asked for."""
_AT_ONCE: Final = 1_000
"""Rows that are taken in before the screen gets its turn again."""


class NewsScreen(TrajviewScreen):
    """The part of the browser that listens to the corpus. A list that is drawn for every batch keeps the keys waiting."""

    runs: RunList
    table: RunTable
    settings: Settings
    finished = False
    """Whether the whole corpus is in the list."""
    begun = False
    """Whether the first rows are on the screen."""
    changed: Callable[[list[RunInfo]], None] | None = None
    """Called with runs whose rows have changed."""
    listed: Callable[[], None] | None
    _told = _no_more = False
    _showing: Timer | None = None
    _shown_at = _worked_at = 0.0

    class _Arrived(Message):
        """Rows wait to be taken in."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()
        self._waiting: deque[RunRow | Updated] = deque()

    def say(self) -> None:
        """Bring everything that is said of the list up to date."""
        raise NotImplementedError

    def find_out(self) -> None:
        """Have it found out what the filter and the order ask for."""
        raise NotImplementedError

    def begin(self) -> None:
        """The first rows are on the screen: see to the others, and to what was annotated."""
        raise NotImplementedError

    def as_seen(self, item: RunRow | Updated) -> RunRow | Updated:
        """An item of the list as it may be seen."""
        raise NotImplementedError

    def take_batch(self, batch: list[RunRow | Updated], finished: bool) -> None:
        """Called on the thread that scans: put the rows aside and tell the screen, once until it has taken them."""
        with self._lock:
            self._waiting += map(self.as_seen, batch) if self.settings.blind else batch
            self._no_more = self._no_more or finished
            if self._told:
                return
            self._told = True
        try:
            self.post_message(self._Arrived())
        except RuntimeError:
            # The app has gone, and the event loop with it: nobody is left to be told.
            return

    def on_news_screen__arrived(self, message: _Arrived) -> None:
        message.stop()
        with self._lock:
            batch = [self._waiting.popleft() for _ in range(min(_AT_ONCE, len(self._waiting)))]
            self._told = bool(self._waiting)
            self.finished = self._no_more and not self._told
        rows = [item for item in batch if not isinstance(item, Updated)]
        if rows:
            self.runs.append(rows)
        changes = [item for item in batch if isinstance(item, Updated)]
        if changes:
            self.runs.update(changes)
            if self.changed is not None:
                self.changed([change.item for change in changes if isinstance(change.item, RunInfo)])
        self.table.rows_come(len(rows), [change.row for change in changes])
        if self._told:
            self.post_message(self._Arrived())
        else:
            self.find_out()
            if self.finished and self.listed is not None:
                self.listed()
        self._show_soon()
        if not self.begun and not self.runs.shown:
            self.call_after_refresh(self._begin)  # A filter may wait for what was annotated.

    def on_run_table_drawn(self, message: RunTable.Drawn) -> None:
        message.stop()
        self._begin()

    def _begin(self) -> None:
        if not self.begun:
            self.begun = True
            self.begin()

    # Drawing

    def at_work(self) -> None:
        """Somebody has pressed a key."""
        self._worked_at = monotonic()

    @property
    def rest(self) -> float:
        """Seconds until the screen is free for what no key has asked for; 0 where it is."""
        return max(0.0, self._worked_at + _REST - monotonic())

    def _show_soon(self) -> None:
        """Show what came: at once while there is room and at the end, else not too often and not just behind a key."""
        wait = 0.0 if self.finished or self.table.has_room else max(self.rest, self._shown_at + TICK - monotonic())
        if wait <= 0:
            self._show_news()
        elif self._showing is None:
            self._showing = self.set_timer(wait, self._wait_is_over)

    def _wait_is_over(self) -> None:
        self._showing = None
        self._show_soon()

    def _show_news(self) -> None:
        if self._showing is not None:
            self._showing.stop()
            self._showing = None
        self._shown_at = monotonic()
        self.table.show_news()
        self.say()
