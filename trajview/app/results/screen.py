"""Search across the corpus: a query, what it finds as it is found, and the way into the runs."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from trajview.app.keys import bindings_for, key_of
from trajview.app.results.found import (
    ALL,
    AROUND,
    FEW,
    KEPT,
    KEPT_OF_ONE,
    MOST,
    WIDTH,
    Group,
    Landing,
    Results,
    Row,
    Scope,
    ranks_in,
    scope_of,
)  # fmt: skip
from trajview.app.results.list_view import ResultsList, speaker_of
from trajview.app.shared.background import Background, Task
from trajview.app.shared.cells import called, size_text
from trajview.app.shared.key_footer import KeyFooter
from trajview.app.shared.prompt import Prompt
from trajview.app.shared.screen import TrajviewScreen
from trajview.corpus.info import RunInfo
from trajview.corpus.matches import RUN, Hit, hits_in
from trajview.corpus.query import Query, QueryError, query_from
from trajview.corpus.search import RunMatches
from trajview.corpus.search_process import SearchProcess
from trajview.errors import Problem, TrajviewError
from trajview.textsafe import one_line, safe_text, strip_escapes

if TYPE_CHECKING:
    from trajview.corpus.corpus import Corpus

__all__ = ["ResultsScreen"]

_TICK: Final = 0.1
"""Seconds after which what was found meanwhile is taken in, and it is said how far the search is."""

_HIGH: Final = 18
"""Rows of a screen that has room for the context of a hit."""
_CONTEXT: Final = 9
"""Rows of that, as its style has it."""
_HELP: Final = """\
Search what all messages say, think and call.
A regular expression; capitals make it mind the case.

role:tool  role:user          only what they say
tool:bash  tool:str_*         only a tool's calls and answers
in:text  in:reasoning         only there; also in:arguments,
in:metadata                   and what is known of runs and messages"""


class ResultsScreen(TrajviewScreen):
    """What a search finds, run by run, while it goes on. It stays as it is while a run is read, and when it is left.

    It is the `Neighbours` of the runs that are opened from it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("results")]
    AUTO_FOCUS = "ResultsList"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (_HIGH, "-high")]  # noqa: RUF012
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

    noun = "run that was found"
    were_searched = True

    def __init__(self) -> None:
        super().__init__()
        self.results = Results()
        self.scope: Scope = ALL
        """The runs that were searched; before the first search, that are going to be."""
        self._search: SearchProcess | None = None
        self._waiting: deque[RunMatches | Problem] = deque()
        self._background = Background(self)
        self.list, self.prompt = ResultsList(self.results, self._name_in_list), Prompt()
        self.commands = {
            **self.list.commands,
            "results.next": partial(self._step_run, 1),
            "results.previous": partial(self._step_run, -1),
            "results.sort": self._sort,
            "open": self._open_row,
            "search.corpus": self.ask,
            "help": lambda: self.trajview.show_help("results"),
            "back": self._go_back,
        }

    def compose(self) -> ComposeResult:
        with Horizontal(id="results-header"):
            yield Static("", id="results-query")
            yield Static("", id="results-counts")
        yield self.list
        yield Static("", id="results-context")
        yield self.prompt
        yield KeyFooter()

    def _name_in_list(self, found: RunMatches) -> str:
        """What the list calls a run; its id where it has another one of that id."""
        info = None if found.name else self.trajview.corpus.find(found.id)
        known = info is not None and info.place == found.place
        return called(info) if info is not None and known else one_line(found.name or found.id)

    def on_mount(self) -> None:
        self._clock = self.set_interval(_TICK, self._take, pause=True)
        self._say()

    def on_unmount(self) -> None:
        self._stop()

    # -- the query -----------------------------------------------------------------------------------------------------

    def ask(self) -> None:
        """Ask what to search for; what was searched for is selected, so that typing takes its place."""
        typed = self.results.typed
        if self.results.state == "none":
            self.scope = scope_of(self.trajview.browser.runs)
            self._say()
        says = "text or regular expression; role:tool tool:bash in:reasoning"
        self.prompt.ask("/", says, typed, select=len(typed), then=self._look_for)

    def _look_for(self, text: str) -> None:
        if not text.strip():
            self._leave_if_empty()
            return
        try:
            query = query_from(text)
        except QueryError as error:
            self._ask_again(f"{error.sentence}: {error.hint}", text)
            return
        if self.trajview.settings.blind and "metadata" in query.searched:
            # It would name models, rewards and the evaluator's reasons.
            self._ask_again("Blind mode does not search metadata: filter the list, or search in a run.", text)
            return
        self.start(query, text)

    def _ask_again(self, why: str, typed: str) -> None:
        self.notify(why, severity="warning", timeout=6, markup=False)
        self.prompt.ask("/", "", typed, then=self._look_for)

    @on(Prompt.Cancelled)
    def _leave_if_empty(self) -> None:
        if self.results.state == "none":
            self.dismiss()

    # -- the search ----------------------------------------------------------------------------------------------------

    def start(self, query: Query, typed: str) -> None:
        """Search what the list shows, in a thread; what was found before is forgotten."""
        self._stop()
        self.scope = scope_of(self.trajview.browser.runs)
        self.results = Results(typed, "searching")
        self.list.show(self.results)
        self._waiting = deque()
        self._search = SearchProcess(
            self.trajview.corpus.paths,
            query,
            keep=KEPT_OF_ONE,
            keep_of_many=FEW,
            keep_in_all=KEPT,
            around=AROUND,
            width=WIDTH,
            only=self.scope.places,
        )
        self._clock.resume()
        self._say()
        self._background.start("corpus-search", partial(self._run, self._search, self._waiting))

    def _stop(self) -> None:
        if self._search is not None:
            self._search.stop()

    def _run(self, search: SearchProcess, waiting: deque[RunMatches | Problem], task: Task) -> None:
        """Read what the search finds; it waits for the clock."""
        problem = ""
        try:
            waiting.extend(search.found())
        except TrajviewError as error:
            problem = str(error)
        task.tell(self._end, search, problem)

    def _take(self) -> None:
        """Take in runs that wait."""
        first = not self.results.rows
        while self._waiting:
            found = self._waiting.popleft()
            if isinstance(found, Problem):
                self.results.problems += not found.opens
            else:
                self.results.add(found)
        self._fit()
        self.list.rows_changed()
        if first and self.results.rows:
            self.list.show_cursor()
        self._say()

    def _fit(self) -> None:
        """Show as many hits of each run as the list has rows for, between the header and the context of a hit."""
        height = self.size.height - 2
        self.results.fit(height - _CONTEXT if height + 2 >= _HIGH else height)

    def on_resize(self) -> None:
        self._fit()
        self.list.rows_changed()

    def _end(self, search: SearchProcess, problem: str) -> None:
        """Take in what is left, and say that the search is at its end, or was stopped."""
        if search is not self._search:
            return
        self._clock.pause()
        self._take()
        self.results.state = "stopped" if search.stopped or problem else "done"
        if problem:
            self.notify(one_line(problem), title="Not searched to the end", severity="warning", markup=False)
        self._say()

    # -- what is said --------------------------------------------------------------------------------------------------

    def _say(self) -> None:
        results, search = self.results, self._search
        self.set_class(bool(results.rows), "-some")
        self.list.empty = _empty_text(results, self.scope)
        self.query_one("#results-query", Static).update(_query_text(results.typed, self.scope))
        counts = _counts_text(results, search, self.trajview.corpus) if search is not None else ""
        self.query_one("#results-counts", Static).update(Content(counts))

    @on(ResultsList.Moved)
    def _say_context(self) -> None:
        row = self.results.current
        self.query_one("#results-context", Static).update(_context_text(row) if row else Content(""), layout=False)

    # -- commands ------------------------------------------------------------------------------------------------------

    def _step_run(self, step: int) -> None:
        self.results.step_run(step)
        self.list.show_cursor()

    def _sort(self) -> None:
        """Put the runs that were found in the order of the list, or back in that of the files."""
        results = self.results
        if results.state == "searching":
            self.notify("Once the search is through.", timeout=2)
            return
        if not results.arrange(None if results.arranged else ranks_in(self.trajview.browser.runs)):
            self.notify("The list is in this order as well.", timeout=2)
        self.list.rows_changed()
        self.list.show_cursor()
        self._say()

    def _go_back(self) -> None:
        """Stop the search where it goes on; else back to the list of runs."""
        if self.results.state == "searching" and self._search is not None and not self._search.stopped:
            self._stop()
        else:
            self.dismiss()

    # -- into the runs -------------------------------------------------------------------------------------------------

    @on(ResultsList.Opened)
    def _open_row(self) -> None:
        """Open the run at the hit under the cursor; or show the hits of it that are not shown."""
        row = self.results.current
        if row is None:
            return
        if row.kind != "more":
            self._open_at(row.group, row.hit)
        elif row.group.complete:
            self._expand(row.group, list(row.group.hits))
        elif not row.group.reading:
            row.group.reading = True
            self.list.refresh()
            work = partial(self._read_hits, row.group, self.results.typed)
            self._background.start("expand-hits", work, exclusive=False)

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
        try:
            info = self.trajview.corpus.at(group.found.place, group.found.id)
        except TrajviewError as error:
            self._say_problem(str(error))
        else:
            self.trajview.open_run(info, landing=landing, neighbours=self)

    def _read_hits(self, group: Group, typed: str, task: Task) -> None:
        """Read the hits of a run that are not shown."""
        corpus = self.trajview.corpus
        try:
            run = corpus.load(corpus.at(group.found.place, group.found.id))
            found = hits_in(run, query_from(typed), keep=MOST, around=AROUND, width=WIDTH)
        except TrajviewError as error:
            task.tell(self._expand, group, None, str(error))
        else:
            task.tell(self._expand, group, found.hits)

    def _expand(self, group: Group, hits: list[Hit] | None, problem: str = "") -> None:
        group.reading = False
        if hits is None:
            self._say_problem(problem)
        elif group in self.results.groups:
            self.results.expand(group, hits)
            self._say_context()
        self.list.rows_changed()

    def _say_problem(self, problem: str) -> None:
        self.notify(one_line(problem), title="Not opened", severity="warning", markup=False)


def _query_text(typed: str, scope: Scope) -> Content:
    """What is searched for, and in which runs where that is not all of them."""
    parts: list[str | tuple[str, str]] = [("search  ", "bold"), one_line(typed, 200)]
    if scope.text:
        parts.append((f"{'  ' if typed else ''}{scope.text}", "$text-accent"))
        if scope.why:
            parts.append((f" · {one_line(scope.why, 200)}", "$foreground 50%"))
    return Content.assemble(*parts)


def _empty_text(results: Results, scope: Scope) -> str:
    """The sentences that stand where nothing is found, yet or at all."""
    if results.state == "none":
        return _HELP
    leave = key_of("back", "escape")
    if results.state == "searching":
        return f"Searching…\n{key_of('back', 'escape', begins=True)} stops."
    where = f" {scope.text}" if scope.text else ""
    return f"Nothing found{where}.\n{key_of('search.corpus')} searches for something else, {leave} goes back."


def _counts_text(results: Results, search: SearchProcess, corpus: Corpus) -> str:
    """How much was found, and how far the search is."""
    counts = []
    if results.matches:
        runs = len(results.groups)
        counts.append(f"{results.matches:,} match{'es' * (results.matches != 1)} in {runs:,} run{'s' * (runs != 1)}")
    if results.problems:
        counts.append(f"{results.problems:,} not readable")
    if results.arranged:
        counts.append("as in the list")
    if results.state == "searching":
        done = search.bytes_done
        whole = corpus.bytes_done if corpus.finished else 0
        share = f"{min(99, 100 * done // whole)}% of {size_text(whole)}" if whole > done else size_text(done)
        counts.append(f"searching… {share}")
    elif results.state == "stopped":
        counts.append(f"stopped after {size_text(search.bytes_done)}")
    elif not results.matches:
        counts.append("nothing found")
    return " · ".join(counts)


def _context_text(row: Row) -> Content:
    """A hit with the lines around it; of another row, where the run is."""
    hit = row.hit
    if hit is None:
        found = row.group.found
        counts = f"{found.matches:,} in {found.messages:,} message{'s' * (found.messages != 1)}"
        return Content(f"{one_line(found.id)} · {one_line(found.where, 1000)} · {found.format} · {counts}")
    where = [hit.label] if hit.unit < 0 else [f"unit {hit.unit}", hit.label]
    parts: list[str | tuple[str, str]] = [(" · ".join([*where, one_line(speaker_of(hit))]) + "\n", "$text-accent")]
    parts += [f"{_line(line)}\n" for line in hit.before]
    at = 0
    for start, end in hit.spans:
        parts += [
            (_line(hit.text[at:start]), "$foreground"),
            (_line(hit.text[start:end]), "$foreground on $warning 45%"),
        ]
        at = end
    parts.append((_line(hit.text[at:]) + "\n", "$foreground"))
    parts += [f"{_line(line)}\n" for line in hit.after]
    return Content.assemble(*parts)


def _line(text: str) -> str:
    return safe_text(strip_escapes(text.rstrip("\r\n"))).replace("\t", "    ").replace("\n", " ")
