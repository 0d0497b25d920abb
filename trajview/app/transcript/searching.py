"""Search on the transcript screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual import on, work
from textual.message import Message
from textual.widgets import Input, TextArea
from textual.worker import get_current_worker

from trajview.app.shared.prompt import Prompt
from trajview.app.transcript.ruling import Ruling
from trajview.app.transcript.search import SearchHits, search, search_others
from trajview.app.transcript.session import TranscriptSession
from trajview.corpus.patience import TooSlow
from trajview.corpus.process_wide import give_way, key_pressed, sharing, short_turns
from trajview.corpus.query import Query, QueryError, query_from
from trajview.models.run import AgentRun

if TYPE_CHECKING:
    from trajview.app.results.found import Landing

__all__ = ["Searching"]


class Searching(Ruling):
    """Actions that look for something; the search itself runs in a thread."""

    _came_with = ""
    """The search of the whole corpus that led here, which is no search to be left first."""

    class _Found(Message):
        """A search has found something in the transcript that is shown, or all; `quietly`: the reader stays where he is."""

        def __init__(self, session: TranscriptSession, hits: SearchHits, quietly: bool) -> None:
            super().__init__()
            self.session, self.hits, self.quietly = session, hits, quietly

    class _Elsewhere(Message):
        """A search has been through other transcripts of the run; `quietly`: the reader stays here."""

        def __init__(self, run: AgentRun, text: str, found: dict[int, SearchHits], quietly: bool) -> None:
            super().__init__()
            self.run, self.text, self.found, self.quietly = run, text, found, quietly

    _landed: Landing | None = None
    """Where that search has led, until its first hit is shown."""
    _searched: AgentRun | None = None
    _searched_for = ""
    """The run and the search that `found_in` is about."""
    _looks_in: tuple[TranscriptSession | None, str] = None, ""
    """The transcript that is being searched, and for what."""
    _stepping = 0
    """The step of `n` or `N` that was pressed before a search that goes along was in this transcript."""
    _waits = False
    """Whether no key was pressed since the search was entered: then it may lead into another transcript."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """`/` and `:` have priority, and yet are text where text is typed."""
        if action in ("search", "goto") and isinstance(self.focused, Input | TextArea):
            return False
        return super().check_action(action, parameters)

    def action_search(self) -> None:
        """Ask what to search for."""
        self._brief("")  # what the key before has done; a search may show hidden reasoning again
        self.prompt.ask("search", "/", "text or regular expression; capitals make it mind the case")

    @on(Prompt.Submitted)
    def _prompt_submitted(self, event: Prompt.Submitted) -> None:
        event.stop()
        if event.kind == "goto":
            self._go_to(event.text)
        elif event.kind != "search":
            return
        elif event.text and self.session is not None:
            self._waits = True
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

    def on_key(self) -> None:
        self._waits = False

    def action_highlight(self, step: int) -> None:
        """Next or previous highlight; of a search that has come along and has not looked here yet, once it has."""
        session = self.session
        known = session is None or session.search is not None or "search" in session.sources_off
        if self.sought and not known:
            self._stepping = step
            self._brief("searching…")
        else:
            super().action_highlight(step)

    def _transcript_shown(self, session: TranscriptSession) -> None:
        """The search goes along: into the other transcripts of the run, and into the next run."""
        text, self._stepping = self.sought, 0
        if text and (session.search is None or session.search.text != text):
            known = self.found_in.get(self.index) if self._is_searched(self.run, text) else None
            if known is not None:
                session.set_search(known)
            elif self._looks_in != (session, text):
                self._search(session, text, quietly=True)
        super()._transcript_shown(session)

    def _is_searched(self, run: AgentRun | None, text: str) -> bool:
        # Runs that are equal would be compared message by message.
        return run is not None and run is self._searched and text == self._searched_for

    def _search(self, session: TranscriptSession, text: str, *, quietly: bool = False) -> None:
        try:
            query = query_from(text)
        except QueryError as error:
            self._toast(f"{error.sentence}: {error.hint}", error=True)
            return
        if self.run is None:
            return
        if not self._is_searched(self.run, text):
            self._searched, self._searched_for, self.found_in = self.run, text, {}
        self.sought, self._looks_in = text, (session, text)
        self._look_for(session, query, text, self.run, self.index, frozenset(self.found_in), quietly)

    @work(thread=True, exclusive=True, group="search", exit_on_error=False, description="search")
    def _look_for(
        self,
        session: TranscriptSession,
        query: Query,
        text: str,
        run: AgentRun,
        index: int,
        known: frozenset[int],
        quietly: bool,
    ) -> None:
        """Search the transcript that is shown, then those of the run that were not searched yet."""
        worker = get_current_worker()

        cancelled = sharing(lambda: worker.is_cancelled)
        try:
            with short_turns():
                stay = quietly
                for hits in search(session.messages, query, session.message, text=text, cancelled=cancelled):
                    self.post_message(self._Found(session, hits, stay))
                    if not hits.done:  # it is drawn before the search goes on
                        key_pressed()
                        give_way()
                    stay = True  # all hits come after the first
                count = len(run.transcripts)
                others = [other % count for other in range(index + 1, index + count) if other % count not in known]
                self._look_elsewhere(run, others, query, text, quietly, cancelled)
        except TooSlow as error:
            self.app.call_from_thread(self._give_up, text, f"{error.sentence}: {error.hint}")

    def _give_up(self, text: str, why: str) -> None:
        if self.sought == text:  # it would take as long in the next run
            self.sought = ""
        self._toast(why, error=True)

    def _look_elsewhere(
        self,
        run: AgentRun,
        others: Sequence[int],
        query: Query,
        text: str,
        quietly: bool,
        cancelled: Callable[[], bool],
    ) -> None:
        transcripts = ((other, run.transcripts[other].messages) for other in others)
        found: dict[int, SearchHits] = {}
        begun = False
        for index, hits in search_others(transcripts, query, text=text, cancelled=cancelled):
            found[index] = hits
            if hits.total and not begun:  # the others can wait until all are known
                begun = True
                self.post_message(self._Elsewhere(run, text, found, quietly))
                found = {}
        if not cancelled():
            self.post_message(self._Elsewhere(run, text, found, quietly))

    @on(_Found)
    def _show_found(self, message: _Found) -> None:
        message.stop()
        session, hits = message.session, message.hits
        if session is not self.session or hits.text != self.sought:
            return
        session.set_search(hits)
        if hits.done:
            self.found_in[self.index] = hits
        if not message.quietly:
            landing, self._landed = self._landed, None
            if hits.messages:
                first = hits.messages[0]
                session.to_hit(first)
                if landing is not None and first == landing.message:
                    session.to_match_on(first, landing.line)
        self._highlights_changed()
        step, self._stepping = self._stepping, 0
        if step:
            self._brief("")
            super().action_highlight(step)

    @on(_Elsewhere)
    def _take_elsewhere(self, message: _Elsewhere) -> None:
        message.stop()
        session = self.session
        if not self._is_searched(message.run, message.text) or message.text != self.sought or session is None:
            return
        self.found_in.update(message.found)
        search = session.search
        if not message.quietly and self._waits and search is not None and search.done and not search.total:
            self._waits = not self._hit_elsewhere(1)
        self._say_status()

    def _clear_search(self) -> None:
        self.sought, self.found_in, self._searched, self._looks_in = "", {}, None, (None, "")
        searched = [session for session in self.sessions.values() if session.search is not None]
        for session in searched:
            session.set_search(None)
        if searched:
            self._highlights_changed()
