"""The browser: the runs of a corpus in a table that sorts and filters, filled while the corpus is still being read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec.structs import replace
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from trajview.app.annotate.episodes import EpisodeKeys
from trajview.app.keys import bindings_for, key_of
from trajview.app.runs.arrivals import Arrivals
from trajview.app.runs.filtering import Filtering
from trajview.app.runs.run_list import RunList, RunRow
from trajview.app.runs.table import RunTable
from trajview.app.shared.background import Background, Task
from trajview.app.shared.cells import called, size_text
from trajview.app.shared.key_footer import KeyFooter
from trajview.app.shared.screen import TrajviewScreen
from trajview.corpus.corpus import STANDARD_INPUT
from trajview.corpus.info import RunInfo, Updated
from trajview.errors import Problem, TrajviewError, shown
from trajview.places import ListPlace
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.app.shared.key_queue import Wait
    from trajview.config import Settings
    from trajview.corpus.corpus import Corpus, Stream

__all__ = ["BrowserScreen"]

_TICK: Final = 0.25
"""Seconds after which what came is drawn, and how far the reading is."""

_WITHOUT_ROWS: Final = frozenset({"back", "help", "palette", "filter"})
"""Commands that do something while a run is waited for."""

_AWAITED: Final = "opening the first run that is found…"


class BrowserScreen(TrajviewScreen):
    """The runs of a corpus and what could not be read, with their annotation status.

    It is the `Neighbours` of the runs that are opened from it.
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

    noun = "run"
    were_searched = False

    def __init__(
        self, corpus: Corpus, settings: Settings, read_statuses: Callable[[], tuple[Mapping[str, str], str]]
    ) -> None:
        """
        Args:
            read_statuses: Gives the annotation status of runs, by their key, and a text that says how far the annotation
                is; called in a thread. May raise AnnotationError.
        """
        super().__init__()
        self.corpus = corpus
        self.settings = settings
        self.runs = RunList(settings.paths)
        self.table = RunTable(self.runs)
        self._title = Static("", id="browser-title")
        self._counts = Static("", id="browser-counts")
        self._status = Static("", id="browser-status")
        self._read_statuses = read_statuses
        self._progress = ""
        self._begun = False
        self._background = Background(self)
        self._filtering = Filtering(
            self.runs, self.table, corpus, self.call_later, blind=settings.blind, changed=self._show_texts
        )
        self.bar = self._filtering.bar
        self._arrivals = Arrivals(
            self.runs, self.table, self.call_later, blind=settings.blind, taken=self._taken, shown=self._show_texts
        )
        self._awaited: tuple[Wait, bool] | None = None
        """A run is to be opened as soon as there is one; whether with the annotation."""

    def compose(self) -> ComposeResult:
        with Horizontal(id="browser-header"):
            yield self._title
            yield self._counts
        yield self.table
        yield self.bar
        yield self._status
        yield KeyFooter()

    def on_mount(self) -> None:
        app, table = self.trajview, self.table
        episodes = EpisodeKeys(
            app,
            at_hand=self._episode_at_hand,
            follow=app.open_cited,
            undone=self._show_undone,
        )
        self.commands = {
            **table.commands,
            "filter": self._type_filter,
            "mark.run": self._mark,
            "compare": self._compare,
            "open": lambda: self._open(self.runs.current),
            "annotate": lambda: self._open(self.runs.current, annotate=True),
            "search.corpus": app.show_search,
            "agreement": app.show_agreement,
            "bookmarks": app.show_bookmarks,
            "edit": self._edit,
            "reload": self._reload,
            "help": partial(app.show_help, "browser"),
            "back": self._back,
            **self._filtering.commands,
            **episodes.commands,
        }
        saved = ListPlace() if app.episodes.is_planned else app.saved_places.of_list(self.settings.paths)
        where = self.settings.where or saved.query
        self.runs.come_back(replace(saved, query=where))
        if where:
            self._filtering.begin(where)
        opened = _title_text(self.settings.paths, self.corpus.streams)
        self._title.update(Content.assemble(("trajview", "bold"), Content(f"  {opened}")))
        self._show_texts()
        self._unsubscribe = self.corpus.subscribe(self._arrivals.add)
        self._ticking = self.set_interval(_TICK, self._tick)

    def on_unmount(self) -> None:
        self._unsubscribe()
        self._filtering.cancel()

    # What comes while files are read

    @property
    def finished(self) -> bool:
        """Whether the whole corpus is in the list."""
        return self._arrivals.finished

    def _tick(self) -> None:
        """Draw what came, and how far the reading is: nothing may come for long, as while a file is unpacked."""
        self._arrivals.show()
        self._show_counts()
        if self.finished:
            self._ticking.stop()

    def _taken(self, changes: Sequence[Updated]) -> None:
        self._filtering.find_out()
        changed = [each.item for each in changes if isinstance(each.item, RunInfo)]
        self.trajview.list_changed(changed if changes else None, self.finished)
        if not self._begun and not self.runs.shown:
            self.call_after_refresh(self._begin)  # A filter may wait for what was annotated.

    def on_run_table_drawn(self, message: RunTable.Drawn) -> None:
        message.stop()
        self._begin()

    def _begin(self) -> None:
        """The first rows are on the screen: see to the others, and to what was annotated."""
        if not self._begun:
            self._begun = True
            self.corpus.go_on()
            self.refresh_status()
            self.bar.prepare()
            self.trajview.list_begun()

    def on_screen_resume(self) -> None:
        if self._begun:
            self.refresh_status()

    def keep_place(self) -> None:
        places, paths, place = self.trajview.saved_places, self.settings.paths, self.runs.saved
        if self.trajview.episodes.is_planned:
            return
        if self.settings.where and place.query == self.settings.where.strip():
            place = replace(place, query=places.of_list(paths).query)  # that of the command line is for this time
        places.keep_list(paths, place)

    # Annotation status

    def refresh_status(self) -> None:
        """Read the annotation statuses again, in a thread."""

        def read(task: Task) -> None:
            try:
                statuses, progress = self._read_statuses()
            except (OSError, TrajviewError) as error:
                task.tell(self._statuses_failed, error)
            else:
                task.tell(self._take_statuses, statuses, progress)

        self._background.start("statuses", read)

    def _take_statuses(self, statuses: Mapping[str, str], progress: str) -> None:
        self._progress = progress
        if statuses != self.runs.table.statuses:
            self.runs.set_statuses(statuses)
            self.table.rows_come()
            self.table.show_news()
        self._show_texts()
        self.trajview.enter_queue()

    def _statuses_failed(self, error: Exception) -> None:
        self.notify(one_line(str(error)), title="Annotations not read", severity="warning", markup=False)
        self.trajview.statuses_failed()

    # The header and the status line

    def _show_texts(self) -> None:
        """Bring the header, the empty sentence, the count of the filter and the status line up to date."""
        runs = self.runs
        self._show_counts()
        self.table.empty = _empty_text(runs, self.corpus, self.finished)
        self.bar.count(_filter_text(runs))
        self._show_status()
        self._open_awaited()

    def _show_counts(self) -> None:
        counts = Content(_counts_text(self.runs, self.corpus, self.finished, self._progress))
        if counts != self._counts.content:  # It is looked at again and again, and seldom another one.
            self._counts.update(counts)

    def _show_status(self, text: str = "") -> None:
        """Show a text in the status line, or else what there is to say of the row under the cursor."""
        item = self.runs.current
        self._status.set_class(isinstance(item, Problem), "-problem")
        self._status.update(Content(text or _row_text(item)), layout=False)

    def on_rows_list_moved(self, message: RunTable.Moved) -> None:
        message.stop()
        self._show_status()

    # Opening

    def on_rows_list_opened(self, message: RunTable.Opened) -> None:
        message.stop()
        self._open(self.runs.current)

    def _open(self, item: RunRow | None, *, annotate: bool = False) -> None:
        if isinstance(item, Problem):
            from trajview.app.runs.problem import ProblemScreen

            self.app.push_screen(ProblemScreen(item))
        elif item is None:
            if not self._is_read:
                self._await_nothing()
                self._awaited = self.trajview.keys.wait(passes=self._needs_no_row, patience=None), annotate
                self._show_status(_AWAITED)
        else:
            self.runs.go(self.runs.cursor)
            self.trajview.open_run(item, annotate=annotate)

    @property
    def _is_read(self) -> bool:
        """Whether all runs are in the list, and all is known of them that the filter asks for."""
        return self.finished and not self._filtering.finds_out

    def _open_awaited(self) -> None:
        """Open the run that was asked for before one was in the list, or say that there is none."""
        item = self.runs.current
        if self._awaited is None:
            return
        if item is None and not self._is_read:
            self._show_status(_AWAITED)
            return
        wait, annotate = self._awaited
        self._awaited = None
        if item is not None and self.is_current:
            self._open(item, annotate=annotate)
            wait.done()
        else:
            wait.never("no run was found")

    def _await_nothing(self) -> None:
        if self._awaited is not None:
            self._awaited[0].done()
            self._awaited = None

    def _needs_no_row(self, command: str) -> bool:
        """Whether a command does something while a run is waited for."""
        return not self.is_current or command in _WITHOUT_ROWS or self.bar.has_focus_within

    # Comparing

    def _mark(self) -> None:
        """Mark the run under the cursor, or take its mark away."""
        if self.runs.mark():
            key = key_of("compare")
            first = f"Marked: {key} on another run compares the two."
            text = first if len(self.runs.marked) == 1 else f"Two are marked: {key} compares them."
            self.notify(text, timeout=3, markup=False)
        self.table.refresh()

    def _compare(self) -> None:
        """Compare the two marked runs, or the marked one with the one under the cursor."""
        runs = self.runs.to_compare()
        if len(runs) == 2:
            self.app.clear_notifications()  # what to do to get here
            self.trajview.show_comparison(*runs)
            return
        name = f"{called(runs[0], 60)} is marked; " if runs else f"mark one with {key_of('mark.run')}, and "
        self.notify(f"Compare needs two runs: {name}go to another run.", timeout=5, markup=False)

    # The list, for the rest of the program

    def neighbour(self, info: RunInfo, step: int) -> RunInfo | None:
        """The next or previous run as the list stands, with the cursor put on it; None where the list ends."""
        found = self.runs.next_run(info.place, step)
        if found is not None:
            self.table.rows_changed()
        return found

    def open_next(self, info: RunInfo, step: int) -> bool:
        """Open the next or previous run; False where the list ends."""
        found = self.neighbour(info, step)
        if found is not None:
            self.trajview.open_run(found)
        return found is not None

    def go_to(self, info: RunInfo) -> None:
        """Put the cursor on a run, if it is shown."""
        if self.runs.go_to(info.place):
            self.table.rows_changed()

    def keys_shown(self) -> list[str]:
        """The keys of the runs in the list, as it is filtered and sorted now."""
        rows = self.runs.rows
        return [item.key for row in self.runs.shown if isinstance(item := rows[row], RunInfo)]

    def show_queue(self, keys: Sequence[str], progress: str) -> None:
        """Show the runs of a queue only, in its order, and say how far it is."""
        self.runs.arrange(keys)
        self._progress = progress
        self.table.rows_changed()
        self._show_texts()

    # The episode at hand

    def _episode_at_hand(self) -> RunInfo | None:
        item = self.runs.current
        return item if isinstance(item, RunInfo) and item.summarised else None

    def _show_undone(self, info: RunInfo | None) -> None:
        if info is not None and self.is_current:
            self.go_to(info)

    # The filter

    def _type_filter(self) -> None:
        self.bar.start()
        # Reading a filter, and comparing with a pattern, takes modules that nothing else here needs.
        self._background.start("filter", lambda _: _import_filters())

    # Keys

    def on_key(self, event: events.Key) -> None:
        """Escape leads back to the list, pressed once too often as well: it does not quit where another key does."""
        leave = key_of("back")
        if event.key == "escape" and leave != "escape" and not self.bar.is_open:
            event.stop()
            self._show_status(f"{leave} quits")

    async def _back(self) -> None:
        """Clear the filter if there is one; else leave."""
        self._await_nothing()
        if self.bar.is_open:
            self.bar.action_clear()
        else:
            await self.app.run_action("quit")

    def _edit(self) -> None:
        """Open the file of the row in the editor or pager."""
        from trajview.app.shared.edit import open_outside

        item = self.runs.current
        if isinstance(item, RunInfo):
            open_outside(self.app, item.path, item.line)
        elif item is not None and item.where.path is not None:
            open_outside(self.app, item.where.path, item.where.line)

    def _reload(self) -> None:
        """Look at the files and folders again, in a thread; draw all, in case another program wrote on the terminal."""
        self.refresh()
        self._show_status("reading the files again…")
        self._background.start("reload", lambda task: task.tell(self._reloaded, self.corpus.reload()))

    def _reloaded(self, is_done: bool) -> None:
        self._show_texts()
        self.notify("The files were read again." if is_done else "The files are still being read.", timeout=3)


def _import_filters() -> None:
    import trajview.highlight
    import trajview.where.parse
    import trajview.where.select  # noqa: F401


def _counts_text(runs: RunList, corpus: Corpus, finished: bool, progress: str) -> str:
    """How much there is, how far the annotation is, and whether the files are still being read."""
    counts = [_count(runs.runs, "run")]
    if runs.problems:
        counts.append(_count(runs.problems, "problem"))
    if corpus.skipped:
        counts.append(f"{corpus.skipped:,} skipped")
    if progress:
        counts.append(progress)
    if not finished:
        counts.append(_reading_text(corpus.bytes_done, corpus.bytes_total))
    elif corpus.following:
        counts.append("following")
    return " · ".join(counts)


def _reading_text(done: int, total: int) -> str:
    """`reading… 38% of 84 MB`; how much is read where nobody knows of how much."""
    if not done:
        return "reading…"
    return f"reading… {min(99, 100 * done // total)}% of {size_text(total)}" if total else f"reading… {size_text(done)}"


def _empty_text(runs: RunList, corpus: Corpus, finished: bool) -> str:
    """The sentences that stand where there are no rows; empty where there are."""
    if runs.shown:
        return ""
    if runs.open:
        return f"Nothing matches so far.\n{_count(runs.open, 'run')} {'has' if runs.open == 1 else 'have'} to be read to know."
    if runs.runs + runs.problems:
        why = f"{runs.given_up[:1].upper()}{runs.given_up[1:]}." if runs.given_up else ""
        return f"{why or f'Nothing matches “{one_line(runs.query, 40)}”.'}\n{key_of('back', 'escape', begins=True)} clears the filter."
    if not finished:
        return "Reading…"
    if corpus.following:
        return "Nothing here yet.\nWhat is written from now on appears by itself."
    skipped = corpus.skipped
    why = (
        f" {_count(skipped, 'file')} looked like no log and {'was' if skipped == 1 else 'were'} skipped."
        if skipped
        else ""
    )
    return f"No runs here.{why}\nOpen a log, or a folder that holds some: trajview PATH"


def _filter_text(runs: RunList) -> str:
    """What the filter leaves, and how many runs have to be read to know."""
    if not runs.query.strip():
        return ""
    problems = sum(isinstance(runs.rows[row], Problem) for row in runs.shown) if runs.problems else 0
    counts = [f"{len(runs.shown) - problems:,} of {_count(runs.runs, 'run')}"]
    if problems:
        counts.append(f"{problems:,} of {_count(runs.problems, 'problem')}")
    if runs.open:
        counts.append(f"{runs.open:,} not known yet")
    return " · ".join(counts)


def _row_text(item: RunRow | None) -> str:
    """Where a run comes from, how large it is, and who is in it; of a problem, what to do about it."""
    if item is None:
        return ""
    if isinstance(item, Problem):
        return f"{key_of('open')} shows all of it · {one_line(item.hint or item.reason, 400)}"
    pieces = [one_line(item.source if item.line is None else f"{item.source}:{item.line}")]
    if item.length:
        pieces.append(size_text(item.length))
    if called(item) != one_line(item.id):
        pieces.append(one_line(item.id))
    pieces += [one_line(", ".join(names)) for names in (item.agents, item.models) if names]
    return " · ".join(pieces)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _title_text(paths: tuple[Path, ...], streams: Iterable[Stream] = ()) -> str:
    """The opened paths in a few words; `streams` are what is piped in."""
    piped = {stream.path for stream in streams}
    names = [STANDARD_INPUT if path in piped or shown(path) == "-" else one_line(str(path), 60) for path in paths[:2]]
    if len(paths) > 2:
        names.append(f"and {len(paths) - 2} more")
    return ", ".join(names)
