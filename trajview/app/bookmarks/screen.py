"""The screen of all marks: a list of them, the way to each, and their notes."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, ClassVar, Final

from rich.segment import Segment
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from trajview.app.bookmarks.bookmarks import Bookmark, Bookmarks, Marked, bookmarks_in
from trajview.app.keys import bindings_for, key_of
from trajview.app.render.headers import first_words
from trajview.app.results.found import Landing
from trajview.app.shared.background import Background, Task
from trajview.app.shared.cells import called, fit
from trajview.app.shared.key_footer import KeyFooter
from trajview.app.shared.prompt import Prompt
from trajview.app.shared.rows_list import RowsList
from trajview.app.shared.screen import TrajviewScreen
from trajview.corpus.matches import RUN
from trajview.corpus.process_wide import short_turns
from trajview.errors import AnnotationError, TrajviewError
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.annotation.unit_notes import Mark
    from trajview.models.transcript import Transcript

__all__ = ["BookmarksScreen"]

_CHEAP: Final = 8_000_000
"""Bytes of a run that is read only to say what its marked units are about."""
_UNIT: Final = 12
"""Cells for the number of a unit."""


class BookmarksList(RowsList):
    """A row for each mark: its run, its unit, its note, and how the unit begins."""

    def __init__(self, bookmarks: Bookmarks) -> None:
        super().__init__(bookmarks)
        self.bookmarks = bookmarks

    def row_line(self, index: int, base: tuple[str, ...]) -> Sequence[Segment]:
        """A mark."""
        row = self.bookmarks.rows[index]
        mark, words = row.mark, self.bookmarks.words.get(row.place, "")
        name = fit(called(row.info), max(16, self.size.width // 3))
        where = f"T{mark.transcript} unit {mark.unit}" if row.info.transcripts > 1 else f"unit {mark.unit}"
        note = f"⚑ {one_line(mark.note, 400)}  " if mark.note else "⚑ "
        return [
            Segment(f" {name}  ", self.style(*base, "run")),
            Segment(fit(where, _UNIT), self.style(*base, "dim")),
            Segment(note, self.style(*base, "label")),
            Segment(words, self.style(*base, "dim")),
        ]


class BookmarksScreen(TrajviewScreen):
    """All marks of this annotator in the runs that are open."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("bookmarks")]
    AUTO_FOCUS = "BookmarksList"
    DEFAULT_CSS = """
    BookmarksScreen {
        background: $background;
        & > #bookmarks-title { height: 1; background: $panel; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    }
    """

    def __init__(self, here: Marked | None = None) -> None:
        """`here`: the run, transcript and unit that the reader comes from."""
        super().__init__()
        self.bookmarks = Bookmarks(here)
        self._elsewhere = ""
        """How many marks there are in other runs, where there are any."""
        self._background = Background(self)
        self.list, self.prompt = BookmarksList(self.bookmarks), Prompt()
        self.commands = {
            **self.list.commands,
            "open": self._open,
            "bookmark.note": self._ask_why,
            "bookmark.remove": self._remove,
            "undo": lambda: self.trajview.episodes.undo(lambda _: self._read()),
            "redo": lambda: self.trajview.episodes.redo(lambda _: self._read()),
            "help": lambda: self.trajview.show_help("bookmarks"),
            "back": self._go_back,
        }

    def compose(self) -> ComposeResult:
        yield Static("", id="bookmarks-title")
        yield self.list
        yield self.prompt
        yield KeyFooter()

    def on_mount(self) -> None:
        self._read()

    # -- what there is -------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        self._background.start("bookmarks", self._look)

    def _look(self, task: Task) -> None:
        """Read the marks, then what the marked units are about: in a thread."""
        app = self.trajview
        try:
            marked, problems = app.store.marked()
        except AnnotationError as error:
            task.tell(self._complain, str(error))
            return
        for problem in problems:
            task.tell(self._complain, str(problem))
        rows, elsewhere = bookmarks_in(app.corpus, marked)
        task.tell(self._show, rows, elsewhere)
        for _, of_run in groupby(rows, key=lambda row: row.info.key):
            if task.cancelled():
                return
            task.tell(self._learn, self._words_of([*of_run]))

    def _words_of(self, rows: Sequence[Bookmark]) -> dict[Marked, str]:
        """What the marked units of a run are about; nothing where that would take long to read."""
        info = rows[0].info
        if info.length > _CHEAP:
            return {}
        try:
            with short_turns():
                transcripts = self.trajview.episodes.load(info).transcripts
        except TrajviewError:
            return {}  # opening it says so
        return {row.place: _words(transcripts, row.mark) for row in rows}

    def _learn(self, words: dict[Marked, str]) -> None:
        self.bookmarks.words |= words
        self.list.refresh()

    def _show(self, rows: Sequence[Bookmark], elsewhere: int) -> None:
        self.bookmarks.show(rows)
        others = "that are not open" if self.trajview.corpus.finished else "that are not open or not read yet"
        self._elsewhere = f"{elsewhere:,} in runs {others}" if elsewhere else ""
        self._draw()

    def _draw(self) -> None:
        runs = len({row.info.key for row in self.bookmarks.rows})
        count = f"{self.bookmarks.count:,} in {runs:,} run{'s' * (runs != 1)}" if runs else ""
        said = " · ".join(filter(None, (count, self._elsewhere)))
        self.query_one("#bookmarks-title", Static).update(Content.assemble(("marks  ", "bold"), said))
        self.list.empty = (
            f"No unit is marked.\n{key_of('mark')} in a run marks one, {key_of('mark.note')} asks why as well."
        )
        self.list.rows_changed()
        self.list.show_cursor()

    def _complain(self, problem: str) -> None:
        self.notify(one_line(problem, 400), severity="warning", timeout=8, markup=False)

    # -- commands ------------------------------------------------------------------------------------------------------

    def _go_back(self) -> None:
        self.dismiss()

    @on(BookmarksList.Opened)
    def _open(self) -> None:
        """Go to the marked unit, in the run below this screen or in another one."""
        row = self.bookmarks.current
        if row is not None:
            self.dismiss()
            self.trajview.open_run(row.info, landing=Landing(row.mark.transcript, RUN, "", "", unit=row.mark.unit))

    def _ask_why(self) -> None:
        """Ask why the unit is marked."""
        row = self.bookmarks.current
        if row is not None:
            self.prompt.ask(
                f"⚑ unit {row.mark.unit}",
                "why it is marked",
                row.mark.note,
                then=lambda text: self.call_later(self._change, row, " ".join(text.split())),
            )

    async def _remove(self) -> None:
        """Take the mark away."""
        row = self.bookmarks.current
        if row is not None and await self._change(row, None):
            self.notify(f"not marked any more · {key_of('undo')} undoes it", timeout=4, markup=False)

    async def _change(self, row: Bookmark, note: str | None) -> bool:
        """Write another note, or that the mark is gone; later keys wait for it. Says whether it is written."""
        info, mark = row.info, row.mark
        try:
            await to_thread(
                self.trajview.store.set_mark, info.key, mark.transcript, mark.unit, note is not None, note or ""
            )
        except AnnotationError as error:
            self._complain(str(error))
            return False
        self.bookmarks.change(row, note)
        self._draw()
        return True


def _words(transcripts: Sequence[Transcript], mark: Mark) -> str:
    """What a marked unit is about; where there is none of its number, that."""
    transcript = transcripts[mark.transcript] if mark.transcript < len(transcripts) else None
    if transcript is None or mark.unit >= len(transcript.unit_starts):
        return "the log has no such unit now"
    return first_words(transcript, mark.unit)
