"""What the title and the status line of the transcript screen say, and the count of tokens that is part of it."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

from textual.content import Content

from trajview.app.keys import key_of
from trajview.app.shared.cells import called, size_text
from trajview.app.transcript.session import TranscriptSession
from trajview.app.transcript.unit_facts import UnitFacts, facts_of, messages_of
from trajview.corpus.info import RunInfo
from trajview.corpus.process_wide import short_turns
from trajview.corpus.unpack import share_unpacked
from trajview.errors import Problem
from trajview.models.run import AgentRun, overall_of
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.app.shared.background import Task
    from trajview.app.transcript.desk import Desk

__all__ = ["A_WHILE", "MOST_COUNTED", "TokenCounter", "failed_text", "opening_text", "status_text", "title_text"]

MOST_COUNTED: Final = 30_000_000
"""Characters of a transcript whose tokens are counted without being asked for: some two seconds of one core."""
_EVERY: Final = 0.2
"""Seconds after which what was counted so far is shown."""

_LARGE: Final = 1_000_000  # bytes of a record
A_WHILE: Final = 1.0
"""Seconds after which a run that is being opened says how many they are."""


def opening_text(info: RunInfo, seconds: float) -> list[str]:
    """Which run is being opened for so long: its size where it is large, and how much of its file is unpacked."""
    said = [f"opening {called(info, 60)}…"]
    if info.length > _LARGE:
        said.append(size_text(info.length))
    unpacked = share_unpacked(info.path)
    if unpacked is not None:
        said.append(f"{unpacked:.0%} of its file unpacked")
    if seconds >= A_WHILE:
        said.append(f"{seconds:.0f} s")
    return said


def title_text(run: AgentRun, index: int, info: RunInfo, *, blind: bool) -> Content:
    """The name of a run, which of its transcripts is shown, and where it comes from; `blind` where something is hidden."""
    parts: list[str | tuple[str, str]] = [(one_line(run.name, 80) if run.name else called(info, 80), "bold")]
    if len(run.transcripts) > 1:
        name = one_line(run.transcripts[index].name or "", 40)
        which = f"transcript {index + 1}/{len(run.transcripts)}{f' · {name}' if name else ''}"
        parts.append((f"  {which} ({key_of('transcript.next')})", "$accent"))
    facts = [info.format]
    if blind:
        facts.append(f"blind ({key_of('reveal')} reveals)")
    if run.rewards:
        facts.append("reward " + " / ".join(f"{overall_of(reward):.3g}" for reward in run.rewards))
    if run.agents:
        facts.append(one_line(", ".join(run.agents), 60))
    where = one_line(f"{info.source}:{info.line}" if info.line and not info.alone else info.source, 1000)
    # The end of a path says more than its beginning.
    facts.append(where if len(where) <= 40 else f"…{where[-39:]}")
    parts.append(("  " + " · ".join(facts), "$foreground 55%"))
    return Content.assemble(*parts)


def failed_text(problem: Problem) -> Content:
    """Why a run cannot be shown, and what can be done."""
    return Content.assemble(
        ("This run cannot be shown.\n\n", "bold $error"),
        one_line(str(problem), 2000),
        f"\n\n{key_of('show.raw')} shows the record as it is in the file.",
    )


def status_text(session: TranscriptSession, *, hits: str, following: str) -> list[str]:
    """Where the reader is, what is highlighted, and how long the transcript is: the parts at the left of the status line."""
    count = len(session.messages)
    total = max(1, session.map.total)
    at_end = session.y_of(session.top) + session.height >= total
    percent = 100 if at_end else min(99, round(100 * session.y_of(session.cursor) / total))
    parts = [
        f"unit {session.unit}/{len(session.unit_starts) - 1}",
        f"message {session.message}/{count - 1}",
        f"{percent}%",
    ]
    if session.search is not None:
        parts.append(f"“{one_line(session.search.text, 24)}” {hits}")
    elif session.highlights.stops and session.highlights.stops != session.highlights.errors:
        stops = session.highlights.stops
        parts.append(f"highlight {session.steps.passed(stops)}/{len(stops)}")
    if session.highlights.errors:
        errors = len(session.highlights.errors)
        parts.append(f"{errors} error{'s' * (errors > 1)}")
    if not session.highlights.scanned:
        parts.append("looking for highlights…")
    if session.tokens is not None:
        parts.append(f"{_short_count(session.tokens)} tokens")
    if following:
        parts.append(following)
    return parts


def _short_count(count: int) -> str:
    """A count as `812`, `18.2k` or `1.3M`."""
    if count < 1000:
        return str(count)
    return f"{count / 1000:.1f}k" if count < 999_950 else f"{count / 1_000_000:.1f}M"


class TokenCounter:
    """Counts what the units of the transcript that is shown took, and so its tokens, in a thread."""

    def __init__(self, desk: Desk) -> None:
        self._notices, self._outline, self._background = desk.notices, desk.display.outline, desk.background
        self._session: TranscriptSession | None = None
        """What is being counted, or was last: a transcript that is shown again is not begun again."""

    def transcript_shown(self, session: TranscriptSession) -> None:
        """Count a transcript that is shown, or what it has grown by since it was."""
        if session is not self._session:
            self._session = session
            self._background.start("tokens", lambda task: self._count(session, task))

    def _count(self, session: TranscriptSession, task: Task) -> None:
        found: dict[int, UnitFacts] = {}
        characters, until = 0, monotonic() + _EVERY
        with short_turns():
            for unit in range(session.counted, len(session.unit_starts)):
                characters += session.characters_in(messages_of(session.transcript, unit))
                facts = facts_of(session.transcript, unit, task.cancelled) if characters <= MOST_COUNTED else None
                if facts is None:
                    break
                found[unit] = facts
                if monotonic() > until:
                    task.tell(self._take, session, found)
                    found, until = {}, monotonic() + _EVERY
        task.tell(self._take, session, found)

    def _take(self, session: TranscriptSession, found: dict[int, UnitFacts]) -> None:
        session.facts |= found
        session.counted += len(found)
        if session.counted == len(session.unit_starts):
            session.tokens = sum(facts.tokens for facts in session.facts.values())
        self._outline.facts_changed()
        self._notices.refresh()
