"""The list of runs as a queue of episodes to score: its order, how far it is, and the keys of the episode in hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.screen import Screen

from trajview.app.runs.run_list import RunList, RunRow
from trajview.app.runs.table import RunTable
from trajview.corpus.info import RunInfo, Updated
from trajview.where.unseen import as_seen

if TYPE_CHECKING:
    from trajview.config import Settings

__all__ = ["QueueScreen"]


class QueueScreen(Screen[None]):
    """The part of the browser that annotating needs. Without a queue it shows all runs, and how many are annotated."""

    runs: RunList
    table: RunTable
    settings: Settings
    listed: Callable[[], None] | None = None
    """Called each time that all there is so far is in the list."""
    progress_said = ""
    """How far the annotation is: set by the app, in a thread."""

    def say(self) -> None:
        """Bring everything that is said of the list up to date."""
        raise NotImplementedError

    def show_queue(self, keys: Sequence[str]) -> None:
        """Show the runs of a queue only, in its order."""
        self.runs.arrange(keys)
        self.table.rows_changed()
        self.say()

    def keys_shown(self) -> list[str]:
        """The keys of the runs in the list, as it is filtered and sorted now."""
        rows = self.runs.rows
        return [item.key for row in self.runs.shown if isinstance(item := rows[row], RunInfo)]

    def go_to(self, info: RunInfo) -> None:
        """Put the cursor on a run, if it is shown."""
        if self.runs.go_to(info.place):
            self.table.rows_changed()

    # The keys of the episode in hand

    def _episode_at_hand(self) -> RunInfo | None:
        item = self.runs.current
        return item if isinstance(item, RunInfo) and item.summarised else None

    def _show_undone(self, info: RunInfo | None) -> None:
        if info is not None and self.is_current:
            self.go_to(info)

    # Blind

    def as_seen(self, item: RunRow | Updated) -> RunRow | Updated:
        """A row without what blind mode hides."""
        if isinstance(item, Updated):
            seen = self.as_seen(item.item)
            assert not isinstance(seen, Updated)
            return Updated(item.row, seen)
        return as_seen(item) if isinstance(item, RunInfo) else item
