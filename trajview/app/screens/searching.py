"""Search on the transcript screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on, work
from textual.message import Message
from textual.widgets import Input, TextArea
from textual.worker import get_current_worker

from trajview.app.screens.ruling import Ruling
from trajview.app.search import SearchHits, search
from trajview.app.session import TranscriptSession
from trajview.app.widgets.prompt import Prompt
from trajview.corpus.patience import TooSlow
from trajview.corpus.query import Query, QueryError, query_from
from trajview.corpus.turns import short_turns

if TYPE_CHECKING:
    from trajview.app.results import Landing

__all__ = ["Searching"]


class Searching(Ruling):
    """Actions that look for something; the search itself runs in a thread."""

    _came_with = ""
    """The search of the whole corpus that led here, which is no search to be left first."""

    class _Found(Message):
        """A search is done."""

        def __init__(self, session: TranscriptSession, hits: SearchHits) -> None:
            super().__init__()
            self.session, self.hits = session, hits

    _landed: Landing | None = None
    """Where that search has led, until its first hit is shown."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """`/` and `:` have priority, and yet are text where text is typed."""
        if action in ("search", "goto") and isinstance(self.focused, Input | TextArea):
            return False
        return super().check_action(action, parameters)

    def action_search(self) -> None:
        """Ask what to search for."""
        self.prompt.ask("search", "/", "text or regular expression; capitals make it mind the case")

    @on(Prompt.Submitted)
    def _prompt_submitted(self, event: Prompt.Submitted) -> None:
        event.stop()
        if event.kind == "goto":
            self._go_to(event.text)
        elif event.kind != "search":
            return
        elif event.text and self.session is not None:
            self._search(self.session, event.text)
        elif self.session is not None:
            self._clear_search()

    @on(Prompt.Cancelled)
    def _prompt_cancelled(self, event: Prompt.Cancelled) -> None:
        event.stop()

    @on(Prompt.Changed)
    def _prompt_changed(self, event: Prompt.Changed) -> None:
        event.stop()

    def _land(self, session: TranscriptSession, landing: Landing) -> None:
        """Go to where something was found, and go on with that search, if it was one."""
        if 0 <= landing.message < len(session.messages):
            session.to_message(landing.message)
            self._moved()
        if landing.typed:
            self._landed = landing
            self._search(session, landing.typed)

    def _search(self, session: TranscriptSession, text: str) -> None:
        try:
            query = query_from(text)
        except QueryError as error:
            self._toast(f"{error.sentence}: {error.hint}", error=True)
        else:
            self._look_for(session, query, text)

    @work(thread=True, exclusive=True, group="search", exit_on_error=False)
    def _look_for(self, session: TranscriptSession, query: Query, text: str) -> None:
        worker = get_current_worker()
        found = search(session.messages, query, session.message, text=text, cancelled=lambda: worker.is_cancelled)
        try:
            with short_turns():
                for hits in found:
                    self.post_message(self._Found(session, hits))
        except TooSlow as error:
            self.app.call_from_thread(self._toast, f"{error.sentence}: {error.hint}", error=True)

    @on(_Found)
    def _show_found(self, message: _Found) -> None:
        message.stop()
        session = message.session
        if session is not self.session:
            return
        going_on = session.search is not None and not session.search.done and session.search.text == message.hits.text
        session.set_search(message.hits)
        landing, self._landed = self._landed, None
        if message.hits.messages and not going_on:
            first = message.hits.messages[0]
            session.to_hit(first)
            if landing is not None and first == landing.message:
                session.to_match_on(first, landing.line)
        self._highlights_changed()

    def _clear_search(self) -> None:
        if self.session is not None and self.session.search is not None:
            self.session.set_search(None)
            self._highlights_changed()
