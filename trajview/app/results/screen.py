"""Search across the corpus: a query, what it finds as it is found, and the way into the runs."""

from __future__ import annotations

from collections import deque
from typing import ClassVar, Final

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static

from trajview.app.keys import bindings_for
from trajview.app.results.found import AROUND, FEW, KEPT, WIDTH, Results
from trajview.app.results.list_view import ResultsList
from trajview.app.results.opening import ResultsOpening
from trajview.app.results.scope import ALL, Scope, ranks_in, scope_of
from trajview.app.results.text import context_said, counts_said, empty_said, query_said
from trajview.app.shared.cells import called
from trajview.app.shared.key_footer import KeyFooter
from trajview.app.shared.prompt import Prompt
from trajview.app.shared.screen import Holding, Searched
from trajview.app.shared.typed_ahead import ENDING
from trajview.corpus.query import Query, QueryError, query_from
from trajview.corpus.search import RunMatches
from trajview.corpus.search_process import SearchProcess
from trajview.errors import Problem, TrajviewError
from trajview.textsafe import one_line

__all__ = ["ResultsScreen"]

_TICK: Final = 0.15
"""Seconds after which what was found meanwhile is taken in, and it is said how far the search is."""
_AT_ONCE: Final = 500
"""Runs that are taken in before the screen gets its turn again."""


class ResultsScreen(Searched, Holding, ResultsOpening):
    """What a search finds, run by run, while it goes on. It stays as it is while a run is read, and when it is left."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("results")]
    AUTO_FOCUS = "ResultsList"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-high")]  # noqa: RUF012
    DEFAULT_CSS = """
    ResultsScreen {
        background: $background;
        & > #results-header { height: 1; background: $panel; padding: 0 1; }
        & #results-query { width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
        & #results-counts { width: auto; color: $text-muted; padding-left: 2; }
        & > #results-context {
            display: none; height: 9; background: $surface; padding: 0 2; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis;
        }
        &.-high.-some > #results-context { display: block; }
    }
    """

    class _Arrived(Message):
        """Runs wait to be taken in."""

    class _Ended(Message):
        """The search is at its end, or was stopped."""

        def __init__(self, search: SearchProcess, problem: str) -> None:
            super().__init__()
            self.search, self.problem = search, problem

    def __init__(self) -> None:
        super().__init__()
        self.results = Results()
        self.scope: Scope = ALL
        """The runs that were searched; before the first search, that are going to be."""
        self._search: SearchProcess | None = None
        self._waiting: deque[RunMatches | Problem] = deque()
        self._ticking: Timer | None = None
        self._said = ""

    def compose(self) -> ComposeResult:
        with Horizontal(id="results-header"):
            yield Static("", id="results-query")
            yield Static("", id="results-counts")
        yield ResultsList(self.results, self._name_in_list)
        yield Static("", id="results-context")
        yield Prompt()
        yield KeyFooter()

    def _name_in_list(self, found: RunMatches) -> str:
        """What the list calls a run; its id where it has another one of that id."""
        info = None if found.name else self.trajview.corpus.find(found.id)
        known = info is not None and info.place == found.place
        return called(info) if info is not None and known else one_line(found.name or found.id)

    def on_mount(self) -> None:
        self.list = self.query_one(ResultsList)
        self.prompt = self.query_one(Prompt)
        self._say()

    def before_shown(self) -> None:
        """The screen is about to be shown: it begins with the question, above what was found the last time."""
        self._early = deque()

    def on_screen_resume(self) -> None:
        if self._early is not None:
            self.call_after_refresh(self._ask_first)

    def _ask_first(self) -> None:
        self.action_search()
        self._type_early()

    def for_later(self, event: events.Key | events.Paste) -> bool:
        """Whether an event is held: quick fingers type the pattern before the screen is there."""
        if self._early is None or (isinstance(event, events.Key) and event.key in ENDING):
            return False
        self._early.append(event)
        return True

    def on_unmount(self) -> None:
        self._stop()

    # The query

    def action_search(self) -> None:
        """Ask what to search for; what was searched for is selected, so that typing takes its place."""
        typed, scope = self.results.typed, scope_of(self.trajview.browser.runs)
        says = "text or regular expression; role:tool tool:bash in:reasoning"
        if self.results.state == "none":
            self.scope = scope
            self._say()
        self.prompt.ask("search", "/", says, typed, select=len(typed))

    @on(Prompt.Submitted)
    def _submitted(self, event: Prompt.Submitted) -> None:
        event.stop()
        if not event.text.strip():
            self._leave_if_empty()
            return
        try:
            query = query_from(event.text)
        except QueryError as error:
            self.notify(f"{error.sentence}: {error.hint}", severity="warning", timeout=6, markup=False)
            self.prompt.ask("search", "/", "", event.text)
            return
        if self.trajview.settings.blind and "metadata" in query.searched:
            # It would name models, rewards and the evaluator's reasons.
            self.notify("Blind mode does not search metadata: filter the list, or search in a run.", severity="warning")
            self.prompt.ask("search", "/", "", event.text)
            return
        self.start(query, event.text)

    @on(Prompt.Cancelled)
    def _cancelled(self, event: Prompt.Cancelled) -> None:
        event.stop()
        self._leave_if_empty()

    @on(Prompt.Changed)
    def _changed(self, event: Prompt.Changed) -> None:
        event.stop()

    def _leave_if_empty(self) -> None:
        if self.results.state == "none":
            self.dismiss()

    # The search

    def start(self, query: Query, typed: str) -> None:
        """Search what the list shows, in a thread; what was found before is forgotten."""
        self._stop()
        self.scope = scope_of(self.trajview.browser.runs)
        self.results = self.list.results = Results(typed, state="searching")
        self._waiting = deque()
        self._search = SearchProcess(
            self.trajview.corpus.paths,
            query,
            keep=FEW,
            keep_in_all=KEPT,
            around=AROUND,
            width=WIDTH,
            only=self.scope.places,
        )
        self.list.scroll_to(y=0, animate=False)
        self.list.rows_replaced()
        if self._ticking is None:
            self._ticking = self.set_interval(_TICK, self._take)
        self._say()
        self._run(self._search, self._waiting)

    def _stop(self) -> None:
        if self._search is not None:
            self._search.stop()

    @work(thread=True, group="corpus-search", exit_on_error=False)
    def _run(self, search: SearchProcess, waiting: deque[RunMatches | Problem]) -> None:
        """Read what the search finds; what comes after the first run waits for the clock."""
        problem, first = "", True
        try:
            for found in search.found():
                waiting.append(found)
                if first and not isinstance(found, Problem):
                    first = False
                    self.post_message(self._Arrived())
        except TrajviewError as error:
            problem = str(error)
        self.post_message(self._Ended(search, problem))

    def on_results_screen__arrived(self, message: _Arrived) -> None:
        message.stop()
        self._take()

    def _take(self) -> bool:
        """Take in runs that wait; whether that was all."""
        batch = [self._waiting.popleft() for _ in range(min(_AT_ONCE, len(self._waiting)))]
        left = bool(self._waiting)
        first = not len(self.results)
        for found in batch:
            if isinstance(found, Problem):
                self.results.problems += not found.opens
            else:
                self.results.add(found)
        if batch:
            self.list.rows_changed()
            if first:
                self.list.show_cursor()
        self._say()
        return not left

    def on_results_screen__ended(self, message: _Ended) -> None:
        message.stop()
        if message.search is not self._search:
            return
        if not self._take():
            self.post_message(message)
            return
        self.results.state = "stopped" if message.search.stopped or message.problem else "done"
        if message.problem:
            self.notify(one_line(message.problem), title="Not searched to the end", severity="warning", markup=False)
        if self._ticking is not None:
            self._ticking.stop()
            self._ticking = None
        self._say()

    # What is said

    def _say(self) -> None:
        results, search = self.results, self._search
        self.set_class(bool(len(results)), "-some")
        said = counts_said(results, search, self.trajview.corpus) if search is not None else ""
        self.list.empty = empty_said(results, self.scope)
        if said != self._said or results.state == "none":
            self._said = said
            self.query_one("#results-query", Static).update(query_said(results.typed, self.scope))
            self.query_one("#results-counts", Static).update(Content(said))

    def on_results_list_moved(self, message: ResultsList.Moved) -> None:
        message.stop()
        self._say_context()

    def _say_context(self) -> None:
        row = self.results.current
        self.query_one("#results-context", Static).update(context_said(row) if row else Content(""), layout=False)

    # Actions of the key table

    def action_line(self, rows: int) -> None:
        """A line up or down."""
        self.list.move(rows)

    def action_half(self, step: int) -> None:
        """Half a page up or down."""
        self.list.move_pages(step / 2)

    def action_page(self, step: int) -> None:
        """A page up or down."""
        self.list.move_pages(step)

    def action_top(self) -> None:
        """To the first row."""
        self.list.go(0)

    def action_end(self) -> None:
        """To the last row."""
        self.list.go(len(self.results))

    def action_run(self, step: int) -> None:
        """To the next or previous run."""
        self.results.step_run(step)
        self.list.show_cursor()

    def action_sort(self) -> None:
        """Put the runs that were found in the order of the list, or back in that of the files."""
        results = self.results
        if results.state == "searching":
            self.notify("Once the search is through.", timeout=2)
            return
        if not results.arrange(None if results.arranged else ranks_in(self.trajview.browser.runs)):
            self.notify("The list is in this order as well.", timeout=2)
        self.list.rows_replaced()
        self.list.show_cursor()
        self._say()

    def action_help(self) -> None:
        """The keys of this screen."""
        self.trajview.show_help("results")

    def action_back(self) -> None:
        """Stop the search where it goes on; else back to the list of runs."""
        if self.results.state == "searching" and self._search is not None and not self._search.stopped:
            self._stop()
        else:
            self.dismiss()
