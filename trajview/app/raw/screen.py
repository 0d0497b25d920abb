"""The record of a run as it stands in the file, at the message that was read; JSON on one line is spread, no more."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static
from textual.worker import get_current_worker

from trajview.app.keys import bindings_for, key_of
from trajview.app.raw.text import Shown, shown_of
from trajview.app.render.layout import Row
from trajview.app.render.matches import spans_between
from trajview.app.render.verbatim import size_of
from trajview.app.shared.key_footer import KeyFooter
from trajview.app.shared.prompt import Prompt
from trajview.app.shared.reading import Reading
from trajview.app.shared.screen import Holding, Searched
from trajview.app.shared.typed_ahead import ENDING
from trajview.app.shared.unwaited import unwaited
from trajview.app.transcript.search import SearchHits, search
from trajview.app.transcript.session import TranscriptSession
from trajview.app.transcript.view import TranscriptView
from trajview.corpus.info import RunInfo
from trajview.corpus.patience import TooSlow
from trajview.corpus.process_wide import short_turns
from trajview.corpus.query import Query, QueryError, query_from
from trajview.errors import UNFORESEEN, TrajviewError, bug
from trajview.models.messages import ToolMessage
from trajview.models.transcript import Transcript
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.corpus.corpus import Corpus
    from trajview.formats.contract import Whence

__all__ = ["RawScreen"]


MOST_FOUND = 100_000
"""Matches of a search that are gone through: a letter is in half a gigabyte more often than memory holds places."""
_WITHOUT_RECORD = frozenset({"back", "edit", "palette"})
"""Commands that do something while the record is being read."""
_Place = tuple[int, int]
"""A line of the record and a column in it, both from 0."""


def _whence(corpus: Corpus, info: RunInfo) -> list[Whence]:
    """For each message of a run what it comes from in its record, where its format tells; in a thread."""
    from trajview.formats.registry import format_or_default

    known = format_or_default(info.format)
    try:
        return known.whence(corpus.value(info)) if known.repeats else []
    except TrajviewError:  # there is no room for the values, say: it is looked for by what it says
        return []


class RawScreen(Searched, Holding, Reading):
    """Shows one record, at a message of it; reads and searches it in a thread."""

    view: TranscriptView
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("raw")]
    DEFAULT_CSS = """
    RawScreen {
        & #raw-title { height: 1; background: $panel; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & TranscriptView { height: 1fr; }
    }
    """

    class _Read(Message):
        """The record was read, or could not be; `place` is where the message begins."""

        def __init__(self, session: TranscriptSession, size: str, place: _Place) -> None:
            super().__init__()
            self.session, self.size, self.place = session, size, place

    class _Found(Message):
        """A search is done: what it has found, and where the matches begin."""

        def __init__(self, hits: SearchHits, places: list[_Place]) -> None:
            super().__init__()
            self.hits, self.places = hits, places

    def __init__(self, info: RunInfo, at: tuple[Transcript, int] | None = None) -> None:
        """`at` is the message that was read, by its transcript and its number in it."""
        super().__init__()
        self.info, self.at = info, at
        self._early = deque()  # of what is typed before the record is there
        self._how_large = self._said = ""
        self._changed = False  # since it was read
        self._sought = self._looks_for = ""
        self._places: list[_Place] = []
        self._went_to: tuple[_Place, int] = (-1, 0), 0
        """The match that the cursor was put on last, and the width of the rows then."""

    def compose(self) -> ComposeResult:
        yield Static("", id="raw-title")
        yield TranscriptView()
        yield Prompt()
        yield KeyFooter()

    def on_mount(self) -> None:
        self.view = self.query_one(TranscriptView)
        self.view.focus()
        self._title(f"reading… {size_of(self.info.length)}")
        self._read()

    def runs_changed(self, infos: Sequence[RunInfo]) -> None:
        """Runs are others now in the list: whether the record that is shown is not what the file holds any more."""
        now = self.trajview.corpus.find(self.info.key)
        gone = now is None or now.key != self.info.key
        if not self._changed and (gone or any(info.key == self.info.key for info in infos)):
            self._changed = True
            self._title(self._said)

    def _title(self, said: str) -> None:
        self._said = said
        where = f"{self.info.source}:{self.info.line}" if self.info.line else self.info.source
        if self._changed:
            said += f" · the file has changed since: {key_of('back')} {key_of('show.raw')} reads it again"
        self.query_one("#raw-title", Static).update(
            Content.assemble(("raw  ", "bold"), one_line(where, 200), (f"  {said}", "$foreground 55%"))
        )

    @unwaited("raw")
    def _read(self) -> None:
        worker = get_current_worker()
        said = ""
        try:
            corpus = self.trajview.corpus
            data = corpus.raw_bytes(self.info)
            shown = shown_of(data, self.at, lambda: _whence(corpus, self.info))
            said = size_of(len(data))
            if shown.end - shown.begin < len(data):
                said += f", of which {shown.begin:,} to {shown.end:,} are here ({key_of('edit')} opens the file)"
        except TrajviewError as error:
            shown = Shown(str(error), 0, 0, None)
        except UNFORESEEN as error:
            shown = Shown(str(bug(error)), 0, 0, None)
        if worker.is_cancelled:
            return
        # Laid out here, because that takes a while.
        text, found = shown.text, shown.place
        transcript = Transcript(messages=[ToolMessage(content=text)])
        session = TranscriptSession(transcript, bare=True, width=self.view.text_width or 80)
        place = (0, 0) if found is None else (text.count("\n", 0, found), found - text.rfind("\n", 0, found) - 1)
        if not worker.is_cancelled:
            self.post_message(self._Read(session, said, place))

    def on_raw_screen__read(self, message: _Read) -> None:
        message.stop()
        self._how_large = message.size
        self._title(self._how_large)
        self.view.show(message.session)
        self._to(message.place)
        self._type_early()

    def for_later(self, event: events.Key | events.Paste) -> bool:
        """Whether an event is held until the record is there. What needs none is done at once, if it comes first."""
        if self._early is None or (isinstance(event, events.Key) and event.key in ENDING):
            return False
        return self._hold(event, self._early, _WITHOUT_RECORD)

    def _to(self, place: _Place) -> None:
        """To the row on which a place is, as wide as the screen is now."""
        if self.view.session is not None:
            rows = self.view.session.layout(0).rows
            self._move("to_message", 0, max(0, bisect_right(rows, place, key=lambda row: row[:2]) - 1))

    # -- search --------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a search, `n` has nowhere to go."""
        if action == "highlight" and not self._sought:
            return False
        return super().check_action(action, parameters)

    def action_search(self) -> None:
        """Ask what to search the record for."""
        if self.view.session is not None:
            self.query_one(Prompt).ask("/", "text or regular expression, as the record spells it", kind="search")

    @on(Prompt.Submitted)
    def _prompt_submitted(self, event: Prompt.Submitted) -> None:
        event.stop()
        self._end_search()
        if not event.text or self.view.session is None:
            return
        try:
            query = query_from(event.text)
        except QueryError as error:
            self._title(f"{error.sentence}: {error.hint}")
        else:
            self._title(f"{self._how_large} · searching…")
            self._looks_for = event.text
            self._look_for(self.view.session, query, event.text)

    @on(Prompt.Cancelled)
    @on(Prompt.Changed)
    def _prompt_told(self, event: Message) -> None:
        event.stop()

    @work(thread=True, exclusive=True, group="search", exit_on_error=False)
    def _look_for(self, session: TranscriptSession, query: Query, text: str) -> None:
        worker = get_current_worker()
        try:
            with short_turns():
                for hits in search(session.messages, query, text=text, cancelled=lambda: worker.is_cancelled):
                    if hits.done:
                        lines = enumerate(session.layout(0).lines if hits.total else [])
                        places = (
                            (line, start)
                            for line, shown in lines
                            for start, _ in spans_between(query.pattern, shown.text, 0, len(shown.text))
                        )
                        self.post_message(self._Found(hits, list(islice(places, MOST_FOUND))))
        except TooSlow as error:
            self.app.call_from_thread(self._gave_up, text, f"{error.sentence}: {error.hint}")

    def _gave_up(self, text: str, why: str) -> None:
        if text == self._looks_for:
            self._looks_for = ""
            self._title(why)

    @on(_Found)
    def _show_found(self, message: _Found) -> None:
        message.stop()
        session = self.view.session
        if session is None or message.hits.text != self._looks_for:
            return
        self._looks_for = ""
        self._sought, self._places = message.hits.text, message.places
        session.set_search(message.hits)
        self._go(bisect_left(self._places, self._row(session)[:2]))
        self.refresh_bindings()

    def _row(self, session: TranscriptSession) -> Row:
        return session.layout(0).rows[session.cursor[1]]

    def _go(self, number: int) -> None:
        """To a match, by its number, round the ends."""
        where = "not found"
        if self._places:
            number %= len(self._places)
            where = f"{number + 1:,}/{len(self._places):,}{'+' * (len(self._places) == MOST_FOUND)}"
            self._to(self._places[number])
            if self.view.session is not None:
                self._went_to = self._places[number], self.view.session.options.width
        self.view.sync()
        self._title(f"{self._how_large} · “{one_line(self._sought, 40)}” {where}")

    def action_highlight(self, step: int) -> None:
        """The next or previous row on which the search has found something."""
        session = self.view.session
        if session is not None and self._sought:
            line, start, end = self._row(session)
            (at_line, at), width = self._went_to
            if at_line == line and width != session.options.width:  # the rows are others now: it may be on a later one
                end = max(end, at + 1)
            place = (line, max(end, start + 1)) if step > 0 else (line, start)
            self._go(bisect_left(self._places, place) - (step < 0))

    def _end_search(self) -> bool:
        """End the search that is on, or under way; False if there was none."""
        self.workers.cancel_group(self, "search")
        was_on = bool(self._sought or self._looks_for)
        self._sought = self._looks_for = ""
        self._places = []
        session = self.view.session
        if was_on and session is not None:
            session.set_search(None)
            self.view.sync()
            self._title(self._how_large)
            self.refresh_bindings()
        return was_on

    # -- the rest of the key table -------------------------------------------------------------------------------------

    def action_edit(self) -> None:
        """Open the file in the editor or pager, at the record."""
        from trajview.app.shared.edit import open_outside

        open_outside(self.app, self.info.path, self.info.line)

    def action_copy(self) -> None:
        """Copy the record."""
        session = self.view.session
        if session is not None and session.messages:
            self.app.copy_to_clipboard(self.get_selected_text() or session.messages[0].text)
            self.notify("copied", timeout=2)

    def action_back(self) -> None:
        """End the search; else back to the transcript."""
        if not self._end_search():
            self.dismiss()
