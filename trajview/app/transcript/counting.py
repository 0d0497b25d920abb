"""How many tokens a transcript has: counted in a thread once it is shown, and not each time it has grown a little."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from trajview.highlight import text_of

if TYPE_CHECKING:
    from trajview.app.shared.background import Task
    from trajview.app.transcript.desk import Desk
    from trajview.app.transcript.session import TranscriptSession

__all__ = ["MOST_COUNTED", "MOST_COUNTED_AGAIN", "TokenCounter"]

MOST_COUNTED_AGAIN: Final = 500_000
"""Characters of a transcript whose tokens are counted each time it has grown."""

MOST_COUNTED: Final = 30_000_000
"""Characters of a transcript whose tokens are counted without being asked for: some two seconds of one core."""


class TokenCounter:
    """Counts the tokens of what is shown, for the status line; `changed` is called when a count is there."""

    def __init__(self, desk: Desk, changed: Callable[[], None]) -> None:
        self._reading, self._background, self._changed = desk.reading, desk.background, changed
        self._tokens: dict[int, int] = {}
        self._counted: TranscriptSession | None = None
        """What is being counted, or was last: a transcript that is shown again is not begun again."""

    @property
    def shown(self) -> int | None:
        """The tokens of the transcript that is shown; None where they are not counted."""
        return self._tokens.get(self._reading.index)

    def forget(self) -> None:
        """Another run is read."""
        self._tokens = {}

    def grown(self, session: TranscriptSession) -> None:
        """The run was read again, and this transcript of it is shown: keep the count of what is too long to count anew."""
        tokens, self._tokens = self.shown, {}
        if tokens is not None and session.characters > MOST_COUNTED_AGAIN:
            self._tokens[self._reading.index] = tokens

    def transcript_shown(self, session: TranscriptSession) -> None:
        """Count a transcript that is shown, unless that is done or far too much."""
        if self._reading.index in self._tokens or session is self._counted:
            return
        self._counted = session
        if session.characters <= MOST_COUNTED:
            self._background.start("tokens", lambda task: self._count(session, task))

    def _count(self, session: TranscriptSession, task: Task) -> None:
        from trajview.models.tokens import count_tokens

        total = 0
        for message in session.messages:
            if task.cancelled():
                return
            total += count_tokens(text_of(message))
        task.tell(self._take, session, total)

    def _take(self, session: TranscriptSession, tokens: int) -> None:
        for index, ready in self._reading.sessions.items():
            if ready is session:
                self._tokens[index] = tokens
        self._changed()
