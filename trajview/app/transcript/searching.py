"""Search in the run that is read: in a thread, through the transcript that is shown and then the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from trajview.app.transcript.search import SearchHits, search_each
from trajview.corpus.process_wide import give_way, key_pressed, sharing, short_turns
from trajview.corpus.query import Query, QueryError, query_from
from trajview.patterns.patience import TooSlow

if TYPE_CHECKING:
    from trajview.app.results.found import Landing
    from trajview.app.shared.background import Task
    from trajview.app.shared.commands import Commands
    from trajview.app.transcript.desk import Desk
    from trajview.app.transcript.session import TranscriptSession
    from trajview.models.run import AgentRun

__all__ = ["Searcher"]


class Searcher:
    """Searches, and takes the search along into other transcripts and the next run.

    `found` is called when the search has been in the transcript that is shown; `elsewhere` when it has found nothing there
    and something in another, which nobody's key has made stale.
    """

    def __init__(self, desk: Desk, *, found: Callable[[], None], elsewhere: Callable[[], bool]) -> None:
        self._reading, self._display, self._notices = desk.reading, desk.display, desk.notices
        self._prompt, self._background = desk.prompt, desk.background
        self._found, self._elsewhere = found, elsewhere
        self.text = ""
        """What is searched for, in this transcript and in those that are shown next; "" for nothing."""
        self._came_with = ""
        """The search of the whole corpus that led here, which is no search to be left first."""
        self._hits: dict[int, SearchHits] = {}
        """What has been found, by transcript of the run, as far as they were searched."""
        self._searched: AgentRun | None = None
        """The run that `_hits` is about."""
        self._looks_in: TranscriptSession | None = None
        """The transcript that is being searched, or was last."""
        self._landing: Landing | None = None
        """Where the search of the corpus has led, until its first hit is shown."""
        self._leads_on = False
        """Whether no key was pressed since the search was entered: then it may lead into another transcript."""

    @property
    def commands(self) -> Commands:
        return {"search": self.ask}

    def ask(self) -> None:
        """Ask what to search for."""
        self._notices.brief("")  # what the key before has done; a search may show hidden reasoning again
        hint = "text or regular expression; capitals make it mind the case"
        self._prompt.ask("/", hint, then=self._enter)

    def _enter(self, text: str) -> None:
        session = self._reading.session
        if session is not None and text:
            self._leads_on = True
            self._search(session, text)
        elif session is not None:
            self.clear()

    def key_pressed(self) -> None:
        """A key was pressed: the reader stays in this transcript, whatever is found elsewhere."""
        self._leads_on = False

    # -- what is asked of it -------------------------------------------------------------------------------------------

    def is_still_looking(self, session: TranscriptSession) -> bool:
        """Whether a search that came along has not been in a transcript yet."""
        return bool(self.text) and session.search is None and "search" not in session.highlights.off

    @property
    def can_be_left(self) -> bool:
        """Whether there is a search that the reader has begun here."""
        session = self._reading.session
        return session is not None and session.search is not None and session.search.text != self._came_with

    def transcript_further(self, step: int) -> int | None:
        """The next transcript with matches in a direction, where this one has no more; None where there is none."""
        session = self._reading.session
        search = session.highlights.shown_search if session is not None else None
        if session is None or search is None or not search.done:
            return None
        if session.hits.is_further(step) or (search.total and self._reading.retells):
            return None
        return next((other for other in self._reading.others(step) if self._total_in(other)), None)

    def _total_in(self, transcript: int) -> int:
        hits = self._hits.get(transcript)
        return hits.total if hits is not None else 0

    def status(self, session: TranscriptSession) -> str:
        """Where the reader is among the matches, for the status line."""
        search = session.search
        assert search is not None
        elsewhere = sum(hits.total for index, hits in self._hits.items() if index != self._reading.index)
        if not search.total:
            everywhere = len(self._hits) == self._reading.count or self._reading.count < 2
            return f"{elsewhere:,} elsewhere" if elsewhere else "not found" if everywhere else "not found here"
        place = f"{session.hits.passed}/{search.total if search.done else '…'}"
        return f"{place}, {elsewhere:,} elsewhere" if elsewhere and not self._reading.retells else place

    # -- searching -----------------------------------------------------------------------------------------------------

    def come_with(self, typed: str) -> None:
        """A run is opened with a search of the whole corpus."""
        self._came_with, self.text = typed, ""

    def land(self, session: TranscriptSession, landing: Landing) -> None:
        """Go to where something was found, and go on with that search, if it was one."""
        if 0 <= landing.message < len(session.messages):
            session.to_message(landing.message)
            self._display.moved()
        if landing.typed:
            self._landing = landing
            self._search(session, landing.typed)

    def transcript_shown(self, session: TranscriptSession) -> None:
        """Take the search along: into another transcript of the run, and into the next run."""
        text = self.text
        if not text or (session.search is not None and session.search.text == text):
            return
        known = self._hits.get(self._reading.index) if self._is_searched(self._reading.run, text) else None
        if known is not None:
            session.highlights.set_search(known)
        elif self._looks_in is not session:
            self._search(session, text, stay=True)

    def again(self, session: TranscriptSession) -> None:
        """Search a transcript that was read again for the same; the reader stays."""
        if session.search is not None:
            self._search(session, session.search.text, stay=True)

    def _is_searched(self, run: AgentRun | None, text: str) -> bool:
        # Runs that are equal would be compared message by message.
        return run is not None and run is self._searched and text == self.text

    def _search(self, session: TranscriptSession, text: str, *, stay: bool = False) -> None:
        """Begin a search; `stay`: it does not move the reader."""
        run, index = self._reading.run, self._reading.index
        try:
            query = query_from(text)
        except QueryError as error:
            self._notices.toast(f"{error.sentence}: {error.hint}", error=True)
            return
        if run is None:
            return
        if not self._is_searched(run, text):
            self._searched, self._hits = run, {}
        self.text, self._looks_in = text, session
        others = [other for other in self._reading.others(1) if other not in self._hits]
        self._background.start(
            "search", lambda task: self._look(session, query, text, run, [index, *others], stay, task)
        )

    def _look(
        self,
        session: TranscriptSession,
        query: Query,
        text: str,
        run: AgentRun,
        transcripts: Sequence[int],
        stay: bool,
        task: Task,
    ) -> None:
        """Search the transcript that is shown, then those of the run that were not searched yet."""
        cancelled, shown = sharing(task.cancelled), transcripts[0]
        texts = ((transcript, run.transcripts[transcript].messages) for transcript in transcripts)
        elsewhere: dict[int, SearchHits] = {}
        stays, begun = stay, False
        try:
            with short_turns():
                for transcript, hits in search_each(texts, query, session.message, text=text, cancelled=cancelled):
                    if transcript == shown:
                        task.tell(self._take, session, hits, stays)
                        stays = True  # all hits come after the first
                        if not hits.done:  # it is drawn before the search goes on
                            key_pressed()
                            give_way()
                        continue
                    elsewhere[transcript] = hits
                    if hits.total and not begun:  # the others can wait until all are known
                        begun = True
                        task.tell(self._take_elsewhere, run, text, elsewhere, stay)
                        elsewhere = {}
        except TooSlow as error:
            task.tell(self._give_up, text, f"{error.sentence}: {error.hint}")
        else:
            task.tell(self._take_elsewhere, run, text, elsewhere, stay)

    def _give_up(self, text: str, why: str) -> None:
        if self.text == text:  # it would take as long in the next run
            self.text = ""
        self._notices.toast(why, error=True)

    def _take(self, session: TranscriptSession, hits: SearchHits, stay: bool) -> None:
        if session is not self._reading.session or hits.text != self.text:
            return
        session.highlights.set_search(hits)
        if hits.done:
            self._hits[self._reading.index] = hits
        if not stay:
            landing, self._landing = self._landing, None
            if hits.messages:
                first = hits.messages[0]
                session.hits.go(first)
                if landing is not None and first == landing.message:
                    session.hits.go_to_line(first, landing.line)
        self._display.highlights_changed()
        self._found()

    def _take_elsewhere(self, run: AgentRun, text: str, found: dict[int, SearchHits], stay: bool) -> None:
        session = self._reading.session
        if not self._is_searched(run, text) or session is None:
            return
        self._hits.update(found)
        search = session.search
        if not stay and self._leads_on and search is not None and search.done and not search.total:
            self._leads_on = not self._elsewhere()
        self._notices.refresh()

    def clear(self) -> None:
        """Search for nothing any more."""
        self.text, self._hits, self._searched, self._looks_in = "", {}, None, None
        searched = [session for session in self._reading.sessions.values() if session.search is not None]
        for session in searched:
            session.highlights.set_search(None)
        if searched:
            self._display.highlights_changed()
