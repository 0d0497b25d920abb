"""Marking runs in the list, and comparing two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from textual.screen import Screen

from trajview.app.keys import key_of
from trajview.app.runs.run_list import RunList
from trajview.app.runs.table import RunTable
from trajview.app.shared.cells import called
from trajview.corpus.info import RunInfo

if TYPE_CHECKING:
    from trajview.corpus.info import Place

__all__ = ["MarkingScreen"]


class _Compares(Protocol):
    def show_comparison(self, left: RunInfo, right: RunInfo) -> None: ...


class MarkingScreen(Screen[None]):
    """The part of the browser that compares runs: at most two are marked, the one that was marked first goes left."""

    runs: RunList
    table: RunTable

    def action_mark_run(self) -> None:
        """Mark the run under the cursor, or take its mark away."""
        item = self.runs.current
        if not isinstance(item, RunInfo):
            return
        marked = self.table.marked
        if item.place in marked:
            marked.remove(item.place)
        else:
            del marked[:-1]  # a third one takes the place of the first
            marked.append(item.place)
            if len(marked) == 1:
                self.notify(f"Marked: {key_of('compare')} on another run compares the two.", timeout=3, markup=False)
            else:
                self.notify(f"Two are marked: {key_of('compare')} compares them.", timeout=3, markup=False)
        self.table.marks_changed()

    def action_compare(self) -> None:
        """Compare the two marked runs, or the marked one with the one under the cursor."""
        current = self.runs.current
        places = list(self.table.marked)
        if len(places) == 1 and isinstance(current, RunInfo) and current.place not in places:
            places.append(current.place)
        runs = [info for place in places if (info := self._run_at(place)) is not None]
        if len(runs) < 2:
            name = f" {called(runs[0], 60)} is marked." if runs else ""
            said = "go to another run." if runs else f"mark a run with {key_of('mark.run')}, and go to another."
            self.notify(f"Compare needs two runs:{name} To compare, {said}", timeout=5, markup=False)
            return
        self.app.clear_notifications()  # what to do to get here
        cast("_Compares", self.app).show_comparison(runs[0], runs[1])

    def _run_at(self, place: Place) -> RunInfo | None:
        """The run at a place, as the list has it now."""
        return next((row for row in self.runs.rows if isinstance(row, RunInfo) and row.place == place), None)
