"""Going to places in any transcript of a run, and back again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from trajview.app.keys import key_of

if TYPE_CHECKING:
    from trajview.app.shared.commands import Commands
    from trajview.app.transcript.display import Display
    from trajview.app.transcript.notices import Notices
    from trajview.app.transcript.reading import Reading
    from trajview.app.transcript.session import Position, TranscriptSession

__all__ = ["MOST_REMEMBERED", "Places"]

MOST_REMEMBERED: Final = 100
"""Jumps that can be gone back."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the reader was: the transcript, the cursor, and the top of the screen."""

    transcript: int
    cursor: Position
    top: Position


class Places:
    """Remembers where jumps came from, and finishes a jump once its transcript is shown.

    `show` is called with the transcript to show; `arrived` is to be called when one is.
    """

    def __init__(self, reading: Reading, display: Display, notices: Notices, show: Callable[[int], None]) -> None:
        self._reading, self._display, self._notices, self._show = reading, display, notices, show
        self._jumps: list[_Place] = []
        self._arrival: tuple[int, Callable[[TranscriptSession], object] | None] | None = None

    @property
    def commands(self) -> Commands:
        return {"back.jump": self.back}

    def forget(self) -> None:
        """Another run is read: there is nothing to go back to."""
        self._jumps, self._arrival = [], None

    def remember(self) -> None:
        """Let `back` lead to where the reader is now."""
        session = self._reading.session
        if session is not None:
            self._jumps.append(_Place(self._reading.index, session.cursor, session.top))
            del self._jumps[:-MOST_REMEMBERED]

    def go(self, transcript: int, arrive: Callable[[TranscriptSession], object] | None = None) -> None:
        """Show a transcript, and have `arrive` move its session once it is shown."""
        self._arrival = transcript, arrive
        self._reading.wanted = transcript
        if transcript == self._reading.index:
            self.arrived()
        else:
            self._show(transcript)

    def jump(self, transcript: int, arrive: Callable[[TranscriptSession], object], notice: str = "") -> None:
        """Go to a place so that `back` leads here again, and say so."""
        self.remember()
        name = notice or self._reading.name_of(transcript)
        self._notices.brief(f"{name} · {key_of('back.jump')} goes back")
        self.go(transcript, arrive)

    def back(self) -> None:
        """Back to where the last jump came from."""
        if not self._jumps:
            self._notices.brief("nothing to go back to")
            return
        place = self._jumps.pop()

        def arrive(session: TranscriptSession) -> None:
            session.set_quoted(None)
            session.to_place(place.cursor, place.top)

        self.go(place.transcript, arrive)

    def arrived(self) -> None:
        """A transcript is shown: finish the jump that leads to it; one that leads to another is given up."""
        arrival, self._arrival = self._arrival, None
        session = self._reading.session
        if arrival is None or session is None:
            return
        transcript, arrive = arrival
        if transcript == self._reading.index and arrive is not None:
            arrive(session)
            self._display.moved()
