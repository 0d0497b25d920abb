"""The browser: the runs of a corpus in a table that sorts and filters, filled while the corpus is still being read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, Protocol, cast

from textual import events
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static
from textual.worker import get_current_worker

from trajview.app.annotate.episodes import EpisodeKeys
from trajview.app.keys import bindings_for, key_of
from trajview.app.runs.filter_bar import FilterBar
from trajview.app.runs.filtering import FilteringScreen
from trajview.app.runs.marking import MarkingScreen
from trajview.app.runs.news import TICK, NewsScreen
from trajview.app.runs.queue import QueueScreen
from trajview.app.runs.run_list import RunList, RunRow
from trajview.app.runs.table import RunTable
from trajview.app.runs.text import Source, counts_said, empty_said, filter_said, row_said, title_said
from trajview.app.shared.key_footer import KeyFooter
from trajview.app.shared.unwaited import unwaited
from trajview.corpus.info import RunInfo
from trajview.errors import Problem, TrajviewError
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.config import Settings

__all__ = ["BrowserScreen", "Source"]

_PATIENCE = 0.2
"""Seconds that a key may wait for a run to be summed up."""


class _OpensRuns(Protocol):
    def open_run(self, info: RunInfo, annotate: bool = False) -> None: ...
    def show_help(self, screen: str) -> None: ...
    def show_agreement(self) -> None: ...
    def show_search(self) -> None: ...


class BrowserScreen(QueueScreen, MarkingScreen, FilteringScreen, NewsScreen):
    """The runs of a corpus and what could not be read, with their annotation status.

    Opening a run is the app's business: `app.open_run(info, annotate=False)`; help is `app.show_help("browser")`.
    `statuses` gives the annotation status of runs by their key; it is called in a thread.
    """

    DEFAULT_CSS = """
    BrowserScreen {
        background: $background;
        & > #browser-header { height: 1; background: $panel; padding: 0 1; }
        & #browser-title { width: 1fr; color: $text; text-wrap: nowrap; text-overflow: ellipsis; }
        & #browser-counts { width: auto; color: $text-muted; padding-left: 2; }
        & > #browser-status {
            height: 1; padding: 0 2; background: $surface; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis;
        }
        & > #browser-status.-problem { color: $text-warning; }
        & > RunTable { margin: 0; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("browser")]
    AUTO_FOCUS = "RunTable"

    class _Statuses(Message):
        """The annotation statuses were read, or could not be."""

        def __init__(self, statuses: Mapping[str, str] | None, error: str = "") -> None:
            super().__init__()
            self.statuses = statuses
            self.error = error

    def __init__(self, corpus: Source, settings: Settings, statuses: Callable[[], Mapping[str, str]]) -> None:
        super().__init__()
        self.corpus = corpus
        self.settings = settings
        self.runs = RunList(settings.paths)
        self._statuses = statuses
        self._said = self._counted = ""
        self._early = []

    def compose(self) -> ComposeResult:
        with Horizontal(id="browser-header"):
            yield Static("", id="browser-title")
            yield Static("", id="browser-counts")
        yield RunTable(self.runs)
        yield FilterBar()
        yield Static("", id="browser-status")
        yield KeyFooter()

    def on_mount(self) -> None:
        self._title = self.query_one("#browser-title", Static)
        self._counts = self.query_one("#browser-counts", Static)
        self._status = self.query_one("#browser-status", Static)
        self.table = self.query_one(RunTable)
        self.bar = self.query_one(FilterBar)
        opened = title_said(self.settings.paths, getattr(self.corpus, "streams", ()))
        if self.settings.where:
            self.runs.filter(self.settings.where)
            self.bar.show(self.settings.where)
            self.bar.candidates = self._candidates
        self._title.update(Content.assemble(("trajview", "bold"), Content(f"  {opened}")))
        self.say()
        self._unsubscribe = self.corpus.subscribe(self.take_batch)
        self._ticking: Timer | None = self.set_interval(TICK, self._tick)
        self.app.call_later(self.type_early)
        self.commands = EpisodeKeys(
            self.trajview.episodes,
            self.trajview.push_screen,
            at_hand=self._episode_at_hand,
            follow=lambda info, citation: self.trajview.open_cited(info, citation),
            undone=self._show_undone,
        ).commands

    def _tick(self) -> None:
        """Say how far the reading is where nothing else does, as while a file is unpacked."""
        if self.finished and self._ticking is not None:
            self._ticking.stop()
            self._ticking = None
        if not self.rest:
            self._say_counts()

    def on_unmount(self) -> None:
        self._unsubscribe()

    def on_screen_resume(self) -> None:
        if self.begun:
            self.refresh_status()

    def begin(self) -> None:
        self.corpus.go_on()
        self.refresh_status()
        self.bar.prepare()

    # Annotation status

    def refresh_status(self) -> None:
        """Read the annotation statuses again, in a thread."""
        self.run_worker(self._read_statuses, thread=True, exclusive=True, group="statuses", exit_on_error=False)

    def _read_statuses(self) -> None:
        try:
            message = self._Statuses(self._statuses())
        except (OSError, TrajviewError) as error:
            message = self._Statuses(None, str(error))
        self.post_message(message)

    def on_browser_screen__statuses(self, message: _Statuses) -> None:
        message.stop()
        if message.statuses is None:
            self.notify(one_line(message.error), title="Annotations not read", severity="warning", markup=False)
            return
        if message.statuses != self.runs.table.statuses:
            self.runs.set_statuses(message.statuses)
            self.table.statuses_changed()
            self.say()

    # What is said

    def say(self) -> None:
        """Bring the header, the empty sentence, the count of the filter and the status line up to date."""
        self._say_counts()
        runs = self.runs
        self.table.empty = empty_said(runs, self.corpus, self.finished)
        self.bar.count(filter_said(runs))
        self._say_status()

    def _say_counts(self) -> None:
        said = counts_said(self.runs, self.corpus, self.finished, self.progress_said)
        if said != self._counted:
            self._counted = said
            self._counts.update(Content(said))

    def _say_status(self) -> None:
        item = self.runs.current
        self._status.set_class(isinstance(item, Problem), "-problem")
        text = row_said(item)
        if text != self._said:
            self._said = text
            self._status.update(Content(text), layout=False)  # its size is fixed, and a layout takes 50 ms

    def on_run_table_cursor_moved(self, message: RunTable.CursorMoved) -> None:
        message.stop()
        self._say_status()

    # Opening

    def on_run_table_opened(self, message: RunTable.Opened) -> None:
        message.stop()
        self._open(message.item)

    def _open(self, item: RunRow | None, *, annotate: bool = False) -> None:
        if isinstance(item, Problem):
            from trajview.app.runs.problem import ProblemScreen

            self.app.push_screen(ProblemScreen(item))
        elif item is not None:
            self.runs.go(self.runs.cursor)
            if item.summarised:
                self._open_run(item, annotate)
            else:
                self._said = f"opening {one_line(item.id, 60)}…"
                self._status.update(Content(self._said), layout=False)
                self._resolve(item, annotate)

    def _open_run(self, info: RunInfo, annotate: bool) -> None:
        app = cast("_OpensRuns", self.app)
        if annotate:
            app.open_run(info, annotate=True)
        else:
            app.open_run(info)

    class _Resolved(Message):
        """A run that was to be opened is summed up, or cannot be."""

        def __init__(self, info: RunInfo | None, annotate: bool, problem: str = "") -> None:
            super().__init__()
            self.info = info
            self.annotate = annotate
            self.problem = problem

    @unwaited("resolve")
    def _resolve(self, info: RunInfo, annotate: bool) -> None:
        """Have a run summed up in a thread and opened then; the last one that was asked for."""
        worker = get_current_worker()
        try:
            message = self._Resolved(self.corpus.resolve(info), annotate)
        except TrajviewError as error:
            message = self._Resolved(None, annotate, str(error))
        if not worker.is_cancelled:
            self.post_message(message)

    def on_browser_screen__resolved(self, message: _Resolved) -> None:
        message.stop()
        self._say_status()
        if message.info is None:
            self.notify(one_line(message.problem), title="Not opened", severity="warning", markup=False)
        elif self.app.screen is self:
            self._open_run(message.info, message.annotate)

    class _Reloaded(Message):
        """The files were looked at again, or could not be yet."""

        def __init__(self, done: bool) -> None:
            super().__init__()
            self.done = done

    def action_reload(self) -> None:
        """Look at the files and folders again, in a thread; draw all, in case another program wrote on the terminal."""
        self.refresh()
        self._said = "reading the files again…"
        self._status.update(Content(self._said), layout=False)

        def reload() -> None:
            self.post_message(self._Reloaded(self.corpus.reload()))

        self.run_worker(reload, thread=True, exclusive=True, group="reload", exit_on_error=False)

    def on_browser_screen__reloaded(self, message: _Reloaded) -> None:
        message.stop()
        self.say()
        said = "The files were read again." if message.done else "The files are still being read."
        self.notify(said, timeout=3)

    def neighbour(self, info: RunInfo, step: int) -> RunInfo | None:
        """The next or previous run as the list stands, with the cursor put on it; None where the list ends."""
        found = self.runs.next_run(info.place, step)
        if found is None:
            return None
        self.table.rows_changed()
        if found.summarised:
            return found
        try:
            return self.corpus.resolve(found, _PATIENCE)
        except TrajviewError as error:
            self.notify(one_line(str(error)), title="Not opened", severity="warning", markup=False)
            return None

    # Actions of the key table

    def action_line(self, rows: int) -> None:
        """A line up or down. The status line follows at once, so that both are one frame."""
        self.table.move(rows)
        self._say_status()

    def action_half(self, step: int) -> None:
        """Half a page up or down."""
        self.table.move_pages(step / 2)
        self._say_status()

    def action_page(self, step: int) -> None:
        """A page up or down."""
        self.table.move_pages(step)
        self._say_status()

    def action_top(self) -> None:
        """To the first row."""
        self.table.go(0)
        self._say_status()

    def action_end(self) -> None:
        """To the last row."""
        self.table.go(len(self.runs.shown))
        self._say_status()

    def action_open(self) -> None:
        """Open the run under the cursor."""
        self._open(self.runs.current)

    def action_annotate(self) -> None:
        """Open the run under the cursor, with the annotation."""
        self._open(self.runs.current, annotate=True)

    def action_agreement(self) -> None:
        """How far the annotators agree."""
        cast("_OpensRuns", self.app).show_agreement()

    def action_search(self) -> None:
        """Search all messages."""
        cast("_OpensRuns", self.app).show_search()

    def action_edit(self) -> None:
        """Open the file of the row in the editor or pager."""
        from trajview.app.shared.edit import open_outside

        item = self.runs.current
        if isinstance(item, RunInfo):
            open_outside(cast("App[object]", self.app), item.path, item.line)
        elif item is not None and item.where.path is not None:
            open_outside(cast("App[object]", self.app), item.where.path, item.where.line)

    def action_help(self) -> None:
        """The keys of this screen."""
        cast("_OpensRuns", self.app).show_help("browser")

    def on_key(self, event: events.Key) -> None:
        """Escape leads back to the list, pressed once too often as well: it does not quit where another key does."""
        leave = key_of("back")
        if event.key == "escape" and leave != "escape" and not self.bar.is_open:
            event.stop()
            self._said = f"{leave} quits"
            self._status.update(Content(self._said), layout=False)

    async def action_back(self) -> None:
        """Clear the filter if there is one; else leave."""
        if self.bar.is_open:
            self.bar.action_clear()
        else:
            await self.app.run_action("quit")
