"""The run that is read on the transcript screen, without Textual: which it is, and its transcripts as far as they are ready."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajview.formats.registry import format_or_default
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.app.transcript.session import TranscriptSession
    from trajview.corpus.info import RunInfo
    from trajview.models.run import AgentRun

__all__ = ["Reading"]


class Reading:
    """What is read, shared by all parts of the screen; only the screen itself changes it."""

    def __init__(self, info: RunInfo) -> None:
        self.info = info
        """The run as it is listed now."""
        self.run: AgentRun | None = None
        """The run once it is read; None while it is not, and where it cannot be."""
        self.beginning = ""
        """How the run begins: whether a log still holds the same one (see `models.beginning`)."""
        self.sessions: dict[int, TranscriptSession] = {}
        """The transcripts that are ready, by their index in the run."""
        self.index = 0
        """Which transcript is shown."""
        self.wanted = 0
        """Which transcript was asked for last; it is shown once it is ready."""

    @property
    def session(self) -> TranscriptSession | None:
        """The transcript that is shown."""
        return self.sessions.get(self.index) if self.run is not None else None

    @property
    def count(self) -> int:
        """How many transcripts the run has, 0 where it is not read."""
        return len(self.run.transcripts) if self.run is not None else 0

    @property
    def retells(self) -> bool:
        """Whether the transcripts of the run all tell the same: those of an episode do."""
        return self.run is not None and format_or_default(self.run.source_format).retells

    def name_of(self, transcript: int) -> str:
        """What a transcript is called."""
        assert self.run is not None
        return one_line(self.run.transcripts[transcript].name or f"transcript {transcript + 1}", 60)

    def others(self, step: int) -> list[int]:
        """The other transcripts, from the one after (or before) the one that is shown, round the ends."""
        return [(self.index + step * distance) % self.count for distance in range(1, self.count)]

    def none_left(self) -> None:
        """Forget the run that was read: it is not the one that was asked for."""
        self.run, self.sessions = None, {}
