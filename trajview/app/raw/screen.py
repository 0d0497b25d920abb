"""The record of a run as it stands in the file, at the message that was read; JSON on one line is spread, no more."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from trajview.app.keys import bindings_for, key_of
from trajview.app.raw.text import Shown, shown_of
from trajview.app.render.verbatim import size_of
from trajview.app.shared.background import Background, Task
from trajview.app.shared.edit import open_outside
from trajview.app.shared.key_footer import KeyFooter
from trajview.app.shared.prompt import Prompt
from trajview.app.shared.screen import TrajviewScreen
from trajview.app.transcript.search import SearchHits, search
from trajview.app.transcript.session import TranscriptSession
from trajview.app.transcript.view import TranscriptView
from trajview.corpus.info import RunInfo
from trajview.corpus.process_wide import short_turns
from trajview.corpus.query import Query, QueryError, query_from
from trajview.errors import UNFORESEEN, TrajviewError, bug
from trajview.models.messages import ToolMessage
from trajview.models.transcript import Transcript
from trajview.patterns.patience import TooSlow
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.corpus.corpus import Corpus
    from trajview.formats.contract import Whence

__all__ = ["RawScreen"]


_WITHOUT_RECORD = frozenset({"back", "edit", "palette"})
"""Commands that do something while the record is being read."""
_LONG = 60.0
"""Seconds that keys wait for the record at most."""
_Place = tuple[int, int]
"""A line of the record and a column in it, both from 0."""


def _go_to(session: TranscriptSession, place: _Place) -> None:
    """Put the cursor on the row on which a place is, as wide as the screen is now."""
    rows = session.layout(0).rows
    session.to_message(0, max(0, bisect_right(rows, place, key=lambda row: row[:2]) - 1))


class RawScreen(TrajviewScreen):
    """Shows one record, at a message of it; reads and searches it in a thread."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("raw")]
    DEFAULT_CSS = """
    RawScreen {
        & #raw-title { height: 1; background: $panel; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & TranscriptView { height: 1fr; }
    }
    """

    def __init__(self, info: RunInfo, at: tuple[Transcript, int] | None = None) -> None:
        """`at` is the message that was read, by its transcript and its number in it."""
        super().__init__()
        self.info, self.at = info, at
        self._size_text = self._status = ""
        self._changed = False  # since it was read
        self._sought = ""
        """What is searched for, "" for nothing."""
        self.view, self.prompt = TranscriptView(), Prompt()
        self._background = Background(self)
        self.commands = {
            **self.view.commands,
            "search": self._ask,
            "highlight.next": partial(self._step_match, 1),
            "highlight.previous": partial(self._step_match, -1),
            "copy": self._copy,
            "edit": lambda: open_outside(self.app, self.info.path, self.info.line),
            "help": lambda: self.trajview.show_help("raw"),
            "back": self._go_back,
        }

    def compose(self) -> ComposeResult:
        yield Static("", id="raw-title")
        yield self.view
        yield self.prompt
        yield KeyFooter()

    def on_mount(self) -> None:
        self.view.focus()
        self._title(f"reading… {size_of(self.info.length)}")
        self._coming = self.trajview.keys.wait(passes=self._needs_no_record, patience=_LONG)
        self._background.start("raw", self._read, waited_for=False)

    def on_unmount(self) -> None:
        self._coming.never()

    def _needs_no_record(self, command: str) -> bool:
        return not self.is_current or command in _WITHOUT_RECORD

    def can_do(self, id: str) -> bool:
        """Whether a command can be done now: without a search, `n` has nowhere to go."""
        if id in ("highlight.next", "highlight.previous"):
            return self.view.session is not None and self.view.session.search is not None
        return super().can_do(id)

    def runs_changed(self, infos: Sequence[RunInfo]) -> None:
        """Runs are others now in the list: whether the record that is shown is not what the file holds any more."""
        now = self.trajview.corpus.find(self.info.key)
        gone = now is None or now.key != self.info.key
        if not self._changed and (gone or any(info.key == self.info.key for info in infos)):
            self._changed = True
            self._title(self._status)

    def _title(self, status: str) -> None:
        self._status = status
        where = f"{self.info.source}:{self.info.line}" if self.info.line else self.info.source
        if self._changed:
            status += f" · the file has changed since: {key_of('back')} {key_of('show.raw')} reads it again"
        self.query_one("#raw-title", Static).update(
            Content.assemble(("raw  ", "bold"), one_line(where, 200), (f"  {status}", "$foreground 55%"))
        )

    # -- the record ----------------------------------------------------------------------------------------------------

    def _read(self, task: Task) -> None:
        size = ""
        try:
            corpus = self.trajview.corpus
            data = corpus.raw_bytes(self.info)
            shown = shown_of(data, self.at, lambda: _whence(corpus, self.info))
            size = size_of(len(data))
            if shown.end - shown.begin < len(data):
                size += f", of which {shown.begin:,} to {shown.end:,} are here ({key_of('edit')} opens the file)"
        except TrajviewError as error:
            shown = Shown(str(error), 0, 0, None)
        except UNFORESEEN as error:
            shown = Shown(str(bug(error)), 0, 0, None)
        text, found = shown.text, shown.place
        transcript = Transcript(messages=[ToolMessage(content=text)])
        session = TranscriptSession(transcript, bare=True, width=self.view.text_width or 80)
        session.layout(0)  # here, because that takes a while
        place = (0, 0) if found is None else (text.count("\n", 0, found), found - text.rfind("\n", 0, found) - 1)
        task.tell(self._show, session, size, place)

    def _show(self, session: TranscriptSession, size: str, place: _Place) -> None:
        self._size_text = size
        self._title(size)
        self.view.show(session)
        _go_to(session, place)
        self.view.sync()
        self._coming.done()

    # -- search --------------------------------------------------------------------------------------------------------

    def _ask(self) -> None:
        if self.view.session is not None:
            self.prompt.ask("/", "text or regular expression, as the record spells it", then=self._search_typed)

    def _search_typed(self, text: str) -> None:
        self._end_search()
        if not text or self.view.session is None:
            return
        try:
            query = query_from(text)
        except QueryError as error:
            self._title(f"{error.sentence}: {error.hint}")
            return
        self._sought = text
        self._title(f"{self._size_text} · searching…")
        self._background.start("search", partial(self._look_for, self.view.session, query, text))

    def _look_for(self, session: TranscriptSession, query: Query, text: str, task: Task) -> None:
        try:
            with short_turns():
                for hits in search(session.messages, query, text=text, cancelled=task.cancelled):
                    if hits.done:
                        session.hits.rows(0, hits)
                        task.tell(self._show_found, session, hits)
        except TooSlow as error:
            task.tell(self._give_up, f"{error.sentence}: {error.hint}")

    def _give_up(self, why: str) -> None:
        self._sought = ""
        self._title(why)

    def _show_found(self, session: TranscriptSession, hits: SearchHits) -> None:
        session.highlights.set_search(hits)
        self._step_match(1, here=True)
        self.refresh_bindings()

    def _step_match(self, step: int, *, here: bool = False) -> None:
        """To the next row on which the search has found something, or the previous one; `here`: from this row on."""
        session = self.view.session
        if session is not None and session.search is not None:
            found = session.hits.step(step, here=here)
            which = f"{session.hits.passed:,}/{session.search.total:,}" if found else "not found"
            self.view.sync()
            self._title(f"{self._size_text} · “{one_line(self._sought, 40)}” {which}")

    def _end_search(self) -> bool:
        """End the search that is on, or under way; False if there was none."""
        self._background.cancel("search")
        sought, self._sought = self._sought, ""
        if not sought or self.view.session is None:
            return False
        self.view.session.highlights.set_search(None)
        self.view.sync()
        self._title(self._size_text)
        self.refresh_bindings()
        return True

    # -- the rest of the key table -------------------------------------------------------------------------------------

    def _copy(self) -> None:
        session = self.view.session
        if session is not None and session.messages:
            selected = self.get_selected_text()
            what = "the selection" if selected else "the record"
            self.notify(self.trajview.terminal_clipboard.copy(selected or session.messages[0].text, what), timeout=4)

    def _go_back(self) -> None:
        if not self._end_search():
            self.dismiss()


def _whence(corpus: Corpus, info: RunInfo) -> list[Whence]:
    """For each message of a run what it comes from in its record, where its format tells; in a thread."""
    from trajview.formats.registry import format_or_default

    known = format_or_default(info.format)
    try:
        return known.whence(corpus.value(info)) if known.repeats else []
    except TrajviewError:  # there is no room for the values, say: it is looked for by what it says
        return []
