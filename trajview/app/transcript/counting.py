"""How many tokens a transcript has: counted in a thread once it is shown, and not each time it has grown a little."""

from __future__ import annotations

from typing import Final

from textual import on, work
from textual.message import Message
from textual.worker import get_current_worker

from trajview.app.transcript.base import TranscriptBase
from trajview.app.transcript.session import TranscriptSession
from trajview.highlight import text_of

__all__ = ["Counting"]

MOST_COUNTED_AGAIN: Final = 500_000
"""Characters of a transcript whose tokens are counted each time it has grown."""

MOST_COUNTED: Final = 30_000_000
"""Characters of a transcript whose tokens are counted without being asked for: some two seconds of one core."""


class Counting(TranscriptBase):
    """The part of the transcript screen that counts tokens, for the status line."""

    class _Counted(Message):
        """The tokens of a transcript were counted."""

        def __init__(self, session: TranscriptSession, tokens: int) -> None:
            super().__init__()
            self.session, self.tokens = session, tokens

    _counted_of: TranscriptSession | None = None
    """What is being counted, or was last: a transcript that is shown again is not begun again."""

    def _transcript_shown(self, session: TranscriptSession) -> None:
        if self.index not in self._tokens and session is not self._counted_of:
            self._counted_of = session
            self._count(session)
        super()._transcript_shown(session)

    def _forget_tokens(self, grown: TranscriptSession) -> None:
        """The run was read again, and this transcript of it is shown: keep the count of what is too long to be counted anew."""
        tokens, self._tokens = self._tokens.get(self.index), {}
        if tokens is not None and grown.characters > MOST_COUNTED_AGAIN:
            self._tokens[self.index] = tokens

    @work(thread=True, exclusive=True, group="tokens", exit_on_error=False)
    def _count(self, session: TranscriptSession) -> None:
        worker = get_current_worker()
        if session.characters > MOST_COUNTED:
            return
        from trajview.models.tokens import count_tokens

        total = 0
        for message in session.messages:
            if worker.is_cancelled:
                return
            total += count_tokens(text_of(message))
        self.post_message(self._Counted(session, total))

    @on(_Counted)
    def _say_tokens(self, message: _Counted) -> None:
        message.stop()
        for index, session in self.sessions.items():
            if session is message.session:
                self._tokens[index] = message.tokens
        self._say_status()
