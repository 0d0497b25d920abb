"""Citations in the run that is read: what is cited is highlighted, and a citation can be made and followed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from trajview.annotation.citations import Citation, cite, find_citations, may_cite
from trajview.app.keys import key_of
from trajview.app.render.evidence import citations_on_rows
from trajview.app.transcript.desk import Quoted
from trajview.corpus.process_wide import giving_way, short_turns
from trajview.errors import AnnotationError
from trajview.highlight import Highlight, text_of
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.annotation.rubric import Rubric
    from trajview.annotation.store import AnnotationStore
    from trajview.app.annotate.annotating import Annotator
    from trajview.app.app import TrajviewApp
    from trajview.app.shared.background import Task
    from trajview.app.shared.commands import Commands
    from trajview.app.transcript.desk import Desk
    from trajview.app.transcript.session import Position, TranscriptSession
    from trajview.corpus.info import RunInfo
    from trajview.models.messages import ChatMessage
    from trajview.models.run import AgentRun
    from trajview.models.transcript import Transcript

__all__ = ["YOU", "Cited", "Citer", "cited_in", "highlights_of", "why_nowhere"]

EVALUATOR: Final = "by the evaluator"
YOU: Final = "by you"
MOST_IN_A_TEXT, MOST_IN_A_RUN = 1_000, 50_000
"""Citations: nobody reads more, and a log could be made of nothing else."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation, and by whom: `by the evaluator`, `by you`, `in m12` (of several transcripts `in T1B12`)."""

    citation: Citation
    by: str


class Citer:
    """Makes and follows citations. What a run cites is found in a thread, when it is shown."""

    def __init__(self, desk: Desk, app: TrajviewApp, annotator: Annotator) -> None:
        self._reading, self._display, self._notices = desk.reading, desk.display, desk.notices
        self._places, self._background = desk.places, desk.background
        self._app, self._annotator = app, annotator
        self._cited: list[Cited] = []
        """What the evaluator's reasoning cites, and what assistants do."""
        self._own: list[Cited] = []
        """What the annotator's own reasoning cites."""
        self._cited_of: AgentRun | None = None
        self._cited_key = ""
        self._followed: tuple[int, Position, int] | None = None
        """From where a citation was followed last (transcript and cursor), and which of those there it was."""
        self._ring = -1
        """Which citation of the reasoning was followed last."""

    @property
    def commands(self) -> Commands:
        return {"citation": self.follow_at_cursor, "cite": self.cite}

    # -- what is cited -------------------------------------------------------------------------------------------------

    def transcript_shown(self, session: TranscriptSession) -> None:
        """Highlight what is cited; look for that, where it is another run."""
        run, info = self._reading.run, self._reading.info
        if run is None:
            return
        if info.key != self._cited_key:
            self._cited_key = info.key
            self._cited, self._own = [], []
            self._followed, self._ring = None, -1
            self._places.forget()
        if run is not self._cited_of and session.highlights.scanned:  # one look through all messages at a time
            self._cited_of = run
            self._background.start("citations", lambda task: self._look(run, info, task))
        self._show()

    def _look(self, run: AgentRun, info: RunInfo, task: Task) -> None:
        own = self._own_texts(info)
        with short_turns():
            found = cited_in(run, giving_way(task.cancelled))
        task.tell(self._take, run, found, own)

    def _own_texts(self, info: RunInfo) -> list[str] | None:
        """What the annotator has written on a run, from the store; None where that cannot be read."""
        try:
            return written_on(self._app.store, info.key, self._app.episodes.rubric_for(info))
        except AnnotationError:
            return None  # the panel says so, when it is opened

    def _take(self, run: AgentRun, found: list[Cited], own: list[str] | None) -> None:
        if run is self._reading.run:
            self._cited = found
            if own is not None and not self._annotator.has_run:
                self._own = _cited_by_reader(own)
            self._show()

    def reasoning_changed(self) -> None:
        """What is written in the panel may cite something else now."""
        panel = self._annotator.panel
        if panel is not None and self._annotator.has_run:
            self._own = _cited_by_reader(panel.texts)
            self._show()

    def _show(self) -> None:
        session = self._reading.session
        if session is not None:
            found = highlights_of([*self._cited, *self._own], self._reading.index, session.transcript)
            if session.highlights.set_cited(found):
                self._display.highlights_changed()

    # -- citing --------------------------------------------------------------------------------------------------------

    def cite(self) -> None:
        """Cite the selection, or the message under the cursor, in the reasoning, or into the clipboard without a panel."""
        session = self._reading.shown
        quoted = self._display.quoted() or Quoted(session.message, session.message)
        self._display.view.screen.clear_selection()
        text = cite(self._reading.index, quoted.first, quoted.words, quoted.last)
        if self._annotator.is_shown:
            self._put(text)
        else:
            self._notices.brief(self._app.terminal_clipboard.copy(text, text))

    def _put(self, text: str) -> None:
        """Put a citation into the panel."""
        panel = self._annotator.panel
        if panel is None:
            return
        if panel.cite(text):
            self._notices.brief(f"cited {one_line(text, 60)}")
        else:
            self._notices.brief(f"not cited: the annotation is being {'opened' if panel.opening else 'submitted'}")

    # -- following -----------------------------------------------------------------------------------------------------

    def follow_at_cursor(self) -> None:
        """Follow the citation under the cursor, or the next one in the message; else go round those in the reasoning."""
        session = self._reading.shown
        shown = citations_on_rows(session.layout(session.message))
        if not shown:
            self._follow_next_of_reasoning()
            return
        chosen = self._choice(shown, session.cursor)
        self._followed = self._reading.index, session.cursor, chosen
        self.follow(shown[chosen][2])

    def _choice(self, shown: list[tuple[int, int, Citation]], cursor: Position) -> int:
        """Which citation of a message is meant: of several on a row, the one after that which was followed from here."""
        row, before = cursor[1], self._followed
        here = [number for number, (first, last, _) in enumerate(shown) if first <= row <= last]
        if here and before is not None and before[:2] == (self._reading.index, cursor):
            return next((number for number in here if number > before[2]), here[0])
        below = (number for number, (first, _, _) in enumerate(shown) if first > row)
        return here[0] if here else next(below, 0)

    def _follow_next_of_reasoning(self) -> None:
        """Follow the next citation of the evaluator's reasoning, or of the reader's own."""
        every = [cited for cited in self._cited if cited.by == EVALUATOR] + self._own
        if not every:
            self._notices.brief("no citation in this message")
            return
        self._ring = (self._ring + 1) % len(every)
        cited = every[self._ring]
        whose = "evaluator’s" if cited.by == EVALUATOR else "own"
        self.follow(cited.citation, f"{whose} citation {self._ring + 1}/{len(every)}")

    def follow(self, citation: Citation, notice: str = "") -> None:
        """Go to what a citation refers to, in whichever transcript of the run; where there is no such place, say why."""
        run = self._reading.run
        if run is None or self._reading.session is None:
            return
        nowhere = why_nowhere(citation, run)
        if nowhere is not None:
            self._notices.brief(nowhere)
            return

        def arrive(session: TranscriptSession) -> None:
            if not session.to_quote(citation.message, citation.quote):
                quote = one_line(citation.quote, 40)
                back = f"{key_of('back.jump')} goes back"
                self._notices.brief(f"“{quote}” is not in message {citation.message} · {back}")

        self._places.jump(citation.transcript, arrive, notice or citation.place)


def _cited_by_reader(texts: list[str]) -> list[Cited]:
    return [Cited(citation, YOU) for text in texts for citation in find_citations(text)]


def cited_in(run: AgentRun, cancelled: Callable[[], bool] = lambda: False) -> list[Cited]:
    """Find what the evaluator's reasoning cites, and what assistants do. Looks at every message: for a thread."""
    found = [Cited(citation, EVALUATOR) for citation in find_citations(run.reasoning or "", MOST_IN_A_TEXT)]
    several = len(run.transcripts) > 1
    for index, transcript in enumerate(run.transcripts):
        for number, text in _texts_of_assistants(transcript.messages, cancelled):
            by = f"in T{index}B{number}" if several else f"in m{number}"
            found += [Cited(citation, by) for citation in find_citations(text, MOST_IN_A_TEXT)]
            if len(found) > MOST_IN_A_RUN:
                return found
    return found


def written_on(store: AnnotationStore, episode: str, rubric: Rubric) -> list[str]:
    """The texts that the annotator has written on a run, submitted or not. Leaves alone what the store knows of the record.

    Reads: for a thread. Raises AnnotationError where it cannot.
    """
    from trajview.annotation.records import bytes_of, record_from

    draft = store.journal.latest_draft(episode, rubric.name)
    if draft is not None:
        return [draft.reasoning, *(why for of in draft.rationales for why in of.values())]
    path = store.path_of(episode, rubric)
    data = bytes_of(path)
    return [] if data is None else [record_from(data, path).reasoning]


def _texts_of_assistants(messages: Sequence[ChatMessage], cancelled: Callable[[], bool]) -> Iterator[tuple[int, str]]:
    """The texts in which assistants may cite, with the numbers of their messages: what they say, think and call."""
    for index, message in enumerate(messages):
        if cancelled():
            return
        if message.role == "assistant" and may_cite(text := text_of(message)):
            yield index, text


def highlights_of(cited: Iterable[Cited], index: int, transcript: Transcript) -> list[Highlight]:
    """The highlights of a transcript of the run: of several messages that are cited together, one in each unit."""
    found: dict[tuple[int, str], Highlight] = {}
    count = len(transcript.messages)
    for one in cited:
        citation = one.citation
        if citation.transcript != index or citation.run:
            continue
        last = min(citation.messages.stop, count) - 1
        message = citation.message
        while message <= last:
            unit = transcript.get_action_unit_for_block(message) or 0
            found.setdefault((message, one.by), Highlight(unit, message, "citation", f"cited {one.by}"))
            following = transcript.get_first_block_in_action_unit(unit + 1)
            if following is None:
                break
            message = following
    return sorted(found.values())


def why_nowhere(citation: Citation, run: AgentRun) -> str | None:
    """Why a citation leads nowhere in a run, in a sentence; None if it leads somewhere."""
    if citation.run:
        return f"{citation.place} is in another run: R{citation.run}"
    transcripts = run.transcripts
    if citation.transcript >= len(transcripts):
        only = "one transcript, T0" if len(transcripts) == 1 else f"transcripts T0 to T{len(transcripts) - 1}"
        return f"{citation.place} points nowhere: this run has {only}"
    count = len(transcripts[citation.transcript].messages)
    if citation.message >= count:
        last = f"its last message is B{count - 1}" if count else "it has no messages"
        return f"{citation.place} points nowhere: of T{citation.transcript}, {last}"
    return None
