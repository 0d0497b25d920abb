"""Citations on the transcript screen: what is cited is highlighted, and a citation can be followed, and come back from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events, on, work
from textual.geometry import Offset
from textual.message import Message
from textual.worker import get_current_worker

from trajview.annotation.citations import Citation, cite, find_citations
from trajview.app.annotate.annotating import Annotating
from trajview.app.annotate.cited import EVALUATOR, YOU, Cited, cited_in, highlights_of, why_nowhere, written_on
from trajview.app.annotate.citing_text import CitingText
from trajview.app.keys import key_of
from trajview.app.render.evidence import citation_at, citations_on_rows
from trajview.app.shared.rows_view import GUTTER
from trajview.app.transcript.selected import Quoted, quoted_by
from trajview.app.transcript.session import Position, TranscriptSession
from trajview.corpus.info import RunInfo
from trajview.corpus.process_wide import giving_way, short_turns
from trajview.errors import AnnotationError
from trajview.models.run import AgentRun
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.app.annotate.panel import AnnotationPanel

__all__ = ["Citing"]

MOST_REMEMBERED = 100
"""Jumps that can be gone back."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the reader was: the transcript, his cursor, and the top of the screen."""

    transcript: int
    cursor: Position
    top: Position


class Citing(Annotating):
    """Actions that make and follow citations. What a run cites is found in a thread, when it is shown."""

    class _Cited(Message):
        """The citations of a run were found."""

        def __init__(self, run: AgentRun, found: list[Cited], own: list[str] | None) -> None:
            super().__init__()
            self.run, self.found = run, found
            self.own = own
            """The texts of the annotator's own reasoning, where they were read."""

    def __init__(self) -> None:
        super().__init__()
        self._cited: list[Cited] = []
        self._own: list[Cited] = []
        self._cited_of: AgentRun | None = None
        self._cited_key = ""
        self._jumps: list[_Place] = []
        self._going: tuple[int, int, str] | _Place | None = None
        """Where to go in a transcript that is being prepared."""
        self._followed: tuple[_Place, int] | None = None
        """From where a citation was followed last, and which of those there it was."""
        self._ring = -1
        self._to_cite: list[str] = []
        """Citations for a panel that is not open yet."""

    # -- what is cited -------------------------------------------------------------------------------------------------

    def _transcript_shown(self, session: TranscriptSession) -> None:
        super()._transcript_shown(session)
        run = self.run
        if run is None:
            return
        if self.info.key != self._cited_key:
            self._cited_key = self.info.key
            self._cited, self._own, self._jumps, self._to_cite = [], [], [], []
            self._going = self._followed = None
            self._ring = -1
        if run is not self._cited_of and session.scanned:  # one look through all messages at a time
            self._cited_of = run
            self._look_for_citations(run, self.info)
        self._show_cited()
        self._arrive()

    @work(thread=True, exclusive=True, group="citations", exit_on_error=False, description="citations")
    def _look_for_citations(self, run: AgentRun, info: RunInfo) -> None:
        worker = get_current_worker()
        own = self._own_texts(info)
        with short_turns():
            found = cited_in(run, giving_way(lambda: worker.is_cancelled))
        if not worker.is_cancelled:
            self.post_message(self._Cited(run, found, own))

    def _own_texts(self, info: RunInfo) -> list[str] | None:
        """What the annotator has written on a run, from the store; None where that cannot be read."""
        try:
            return written_on(self.trajview.store, info.key, self.trajview.episodes.rubric_for(info))
        except AnnotationError:
            return None  # the panel says so, when it is opened

    @on(_Cited)
    def _take_cited(self, message: _Cited) -> None:
        message.stop()
        if message.run is self.run:
            self._cited = message.found
            if message.own is not None and not self._panel_has_run:
                self._own = _own(message.own)
            self._show_cited()

    @property
    def _panel_has_run(self) -> bool:
        return self.panel is not None and self.panel.key == self.info.key

    def on_annotation_panel_opened(self, _message: AnnotationPanel.Opened) -> None:
        self._own_changed()
        if self._panel_has_run:
            texts, self._to_cite = self._to_cite, []
            for text in texts:
                self._put(text)

    def on_annotation_panel_draft_kept(self) -> None:
        self._own_changed()

    def on_annotation_panel_saved(self, _message: AnnotationPanel.Saved) -> None:
        self._own_changed()

    def _own_changed(self) -> None:
        """What is written in the panel may cite something else now."""
        if self.panel is not None and self._panel_has_run:
            self._own = _own(self.panel.texts)
            self._show_cited()

    def _show_cited(self) -> None:
        session = self.session
        if session is None:
            return
        found = highlights_of([*self._cited, *self._own], self.index, session.transcript)
        if session.set_cited(found):
            self._highlights_changed()

    # -- citing --------------------------------------------------------------------------------------------------------

    def action_cite(self) -> None:
        """Cite the selection, or the message under the cursor, in the reasoning. The cursor stays in the transcript."""
        session = self.session
        if session is None or not session.messages:
            return
        quoted = self._selected(session) or Quoted(session.message, session.message)
        self.clear_selection()
        text = cite(self.index, quoted.first, quoted.words, quoted.last)
        if not self._panel_has_run or not self.has_class("-annotating"):
            self.open_annotation(with_cursor=False)
        self._put(text)

    def _selected(self, session: TranscriptSession) -> Quoted | None:
        selection = self.view.text_selection
        if selection is None:
            return None
        start = selection.start or Offset(0, 0)
        end = selection.end or Offset(10**9, session.map.total - 1)
        return quoted_by(session, (start.x - GUTTER, start.y), (end.x - GUTTER, end.y))

    def _put(self, text: str) -> None:
        """Put a citation into the panel; into one that is still being opened, when it is open."""
        panel = self.panel
        if panel is None:
            return
        if panel.cite(text):
            self._brief(f"cited {one_line(text, 60)}")
        elif panel.opening:
            self._to_cite.append(text)
        else:
            self._brief("not cited: the annotation is being submitted")

    def action_follow_own_citation(self) -> None:
        """Follow the citation at the cursor of the text that is being written; the cursor stays there."""
        text = self.focused
        citation = text.citation_at_cursor if isinstance(text, CitingText) else None
        if citation is None:
            self._brief("no citation at the cursor")
        else:
            self.follow(citation)

    def on_click(self, event: events.Click) -> None:
        """Follow the citation that is clicked, in the transcript or in what is known of the run. A drag selects."""
        for view in (self.view, self.side):
            session, offset = view.session, event.get_content_offset(view)
            if event.widget is not view or session is None or offset is None or view.text_selection is not None:
                continue
            row = view.scroll_offset.y + offset.y
            if session.messages and row < session.map.total:
                message, number = session.at_row(row)
                citation = citation_at(session.layout(message), number, offset.x - GUTTER)
                if citation is not None:
                    self.follow(citation)

    # -- following -----------------------------------------------------------------------------------------------------

    def action_follow_citation(self) -> None:
        """Follow the citation under the cursor, or the next one in the message; else go round those in the reasoning."""
        session = self.session
        if session is None or not session.messages:
            return
        message, row = session.cursor
        shown = citations_on_rows(session.layout(message))
        if not shown:
            self._follow_next_of_reasoning()
            return
        place = _Place(self.index, session.cursor, session.top)
        chosen = self._choice(shown, row, place)
        self._followed = place, chosen
        self.follow(shown[chosen][2])

    def _choice(self, shown: list[tuple[int, int, Citation]], row: int, place: _Place) -> int:
        """Which citation of a message is meant: of several on a row, the one after that which was followed from here."""
        here = [number for number, (first, last, _) in enumerate(shown) if first <= row <= last]
        before = self._followed
        if here and before is not None and (before[0].transcript, before[0].cursor) == (place.transcript, place.cursor):
            return next((number for number in here if number > before[1]), here[0])
        below = (number for number, (first, _, _) in enumerate(shown) if first > row)
        return here[0] if here else next(below, 0)

    def _follow_next_of_reasoning(self) -> None:
        """The next citation of the evaluator's reasoning, or of the reader's own."""
        every = [cited for cited in self._cited if cited.by == EVALUATOR] + self._own
        if not every:
            self._brief("no citation in this message")
            return
        self._ring = (self._ring + 1) % len(every)
        cited = every[self._ring]
        whose = "evaluator’s" if cited.by == EVALUATOR else "own"
        self.follow(cited.citation, f"{whose} citation {self._ring + 1}/{len(every)}")

    def follow(self, citation: Citation, said: str = "") -> bool:
        """Go to what a citation refers to, in whichever transcript of the run; False, and said why, if there is no such."""
        run, session = self.run, self.session
        if run is None or session is None:
            return False
        nowhere = why_nowhere(citation, run)
        if nowhere is not None:
            self._brief(nowhere)
            return False
        self.remember_place()
        self._brief(f"{said or citation.place} · {key_of('back.jump')} goes back")
        self._go(citation.transcript, (citation.transcript, citation.message, citation.quote))
        return True

    def follow_from_history(self, info: RunInfo, citation: Citation) -> None:
        if info.key == self.info.key:
            self.follow(citation)

    def remember_place(self) -> None:
        """Let `'` come back to where the reader is now."""
        session = self.session
        if session is not None:
            self._jumps.append(_Place(self.index, session.cursor, session.top))
            del self._jumps[:-MOST_REMEMBERED]

    def action_jump_back(self) -> None:
        """Back to where the last jump came from."""
        if not self._jumps:
            self._brief("nothing to go back to")
            return
        place = self._jumps.pop()
        self._go(place.transcript, place)

    def _go(self, transcript: int, going: tuple[int, int, str] | _Place) -> None:
        self._going = going
        if transcript == self.index:
            self._wanted = transcript
            self._arrive()
        else:
            self._wanted = transcript
            self._show_transcript(transcript)

    def _arrive(self) -> None:
        """Go where the jump leads, if its transcript is there."""
        going, session = self._going, self.session
        self._going = None
        if going is None or session is None:
            return
        if isinstance(going, _Place):
            if going.transcript == self.index:
                session.set_quoted(None)
                session.to_place(going.cursor, going.top)
                self._moved()
            return
        transcript, message, quote = going
        if transcript != self.index:
            return
        if not session.to_quote(message, quote):
            self._brief(f"“{one_line(quote, 40)}” is not in message {message} · {key_of('back.jump')} goes back")
        self._moved()


def _own(texts: list[str]) -> list[Cited]:
    return [Cited(citation, YOU) for text in texts for citation in find_citations(text)]
