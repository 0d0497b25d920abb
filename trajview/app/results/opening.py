"""From what a search across the corpus has found into the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on, work
from textual.message import Message

from trajview.app.results.found import AROUND, MOST, WIDTH, Group, Landing, Results
from trajview.app.results.list_view import ResultsList
from trajview.app.shared.screen import TrajviewScreen
from trajview.corpus.matches import RUN, Hit, hits_in
from trajview.corpus.query import query_from
from trajview.corpus.search import RunMatches
from trajview.errors import TrajviewError
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.corpus.info import RunInfo

__all__ = ["ResultsOpening"]


class ResultsOpening(TrajviewScreen):
    """The part of the results' screen that opens runs at hits, and reads the hits of a run that are not shown."""

    results: Results
    list: ResultsList

    class _Expanded(Message):
        """All hits of a run were read, or could not be."""

        def __init__(self, group: Group, hits: list[Hit] | None, problem: str = "") -> None:
            super().__init__()
            self.group, self.hits, self.problem = group, hits, problem

    def _say_context(self) -> None:
        """Say what surrounds the hit under the cursor."""
        raise NotImplementedError

    def on_results_list_opened(self, message: ResultsList.Opened) -> None:
        message.stop()
        self.action_open()

    def action_open(self) -> None:
        """Open the run at the hit under the cursor; or show the hits of it that are not shown."""
        row = self.results.current
        if row is None:
            return
        if row.kind == "more":
            if not row.group.reading:
                row.group.reading = True
                self.list.refresh()
                self._expand(row.group, self.results.typed)
            return
        self._open_at(row.group, row.hit)

    def open_next(self, info: RunInfo, step: int) -> bool:
        """Open the run that was found after (or before) this one; False where there is none."""
        group = self.results.step_from(info.place, step)
        if group is None:
            return False
        self.list.show_cursor()
        self._open_at(group)
        return True

    def _open_at(self, group: Group, hit: Hit | None = None) -> None:
        hit, typed = hit or next(iter(group.hits), None), self.results.typed
        landing = Landing(max(0, hit.transcript), hit.message, hit.text, typed) if hit else Landing(0, RUN, "", typed)
        self._open(group.found, landing)

    @work(thread=True, exclusive=True, group="open-hit", exit_on_error=False)
    def _open(self, found: RunMatches, landing: Landing) -> None:
        corpus = self.trajview.corpus
        try:
            info = corpus.resolve(corpus.at(found.place, found.id))
        except TrajviewError as error:
            self.app.call_from_thread(self._say_problem, str(error))
        else:
            self.app.call_from_thread(self.trajview.open_run, info, landing=landing)

    @work(thread=True, group="expand-hits", exit_on_error=False)
    def _expand(self, group: Group, typed: str) -> None:
        corpus = self.trajview.corpus
        try:
            run = corpus.load(corpus.at(group.found.place, group.found.id))
            found = hits_in(run, query_from(typed), keep=MOST, around=AROUND, width=WIDTH)
            message = self._Expanded(group, found.hits)
        except TrajviewError as error:
            message = self._Expanded(group, None, str(error))
        self.post_message(message)

    @on(_Expanded)
    def _show_expanded(self, message: _Expanded) -> None:
        message.stop()
        if message.hits is None:
            message.group.reading = False
            self._say_problem(message.problem)
        elif message.group in self.results.groups:
            self.results.expand(message.group, message.hits)
            self._say_context()
        self.list.rows_replaced()

    def _say_problem(self, problem: str) -> None:
        self.notify(one_line(problem), title="Not opened", severity="warning", markup=False)
