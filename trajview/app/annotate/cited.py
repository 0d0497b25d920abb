"""What is cited in a run, by whom, and the highlights and sentences that come of it. No screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trajview.annotation.citations import Citation, find_citations, may_cite
from trajview.highlight import Highlight, text_of
from trajview.models.messages import ChatMessage
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript

if TYPE_CHECKING:
    from trajview.annotation.rubric import Rubric
    from trajview.annotation.store import AnnotationStore

__all__ = ["EVALUATOR", "YOU", "Cited", "cited_in", "highlights_of", "why_nowhere", "written_on"]

EVALUATOR = "by the evaluator"
YOU = "by you"
MOST_IN_A_TEXT, MOST_IN_A_RUN = 1_000, 50_000
"""Citations: nobody reads more, and a log could be made of nothing else."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation, and by whom: `by the evaluator`, `by you`, `in m12` (of several transcripts `in T1B12`)."""

    citation: Citation
    by: str


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
