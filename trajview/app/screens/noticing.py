"""What is only noticed once a run is open: bytes in it that are no UTF-8, for which the list looks at the first few places."""

from __future__ import annotations

from textual import on
from textual.message import Message
from textual.worker import get_current_worker

from trajview.app.screens.transcript_base import TranscriptBase
from trajview.app.session import TranscriptSession
from trajview.app.unwaited import unwaited
from trajview.corpus.info import RunInfo
from trajview.corpus.turns import giving_way, short_turns
from trajview.errors import Problem

__all__ = ["Noticing"]


class Noticing(TranscriptBase):
    """The part of the transcript screen that looks through a run's bytes once it can be read."""

    class _Noticed(Message):
        def __init__(self, info: RunInfo, problem: Problem) -> None:
            super().__init__()
            self.info, self.problem = info, problem

    _noticed_of = ""
    """The key of the run: one that grows is not looked through each time."""

    def _transcript_shown(self, session: TranscriptSession) -> None:
        super()._transcript_shown(session)
        if self.info.key != self._noticed_of and session.scanned:  # one look through everything at a time
            self._noticed_of = self.info.key
            self._look_at_bytes(self.info)

    @unwaited("bytes")
    def _look_at_bytes(self, info: RunInfo) -> None:
        worker = get_current_worker()
        with short_turns():
            problem = self.trajview.corpus.check_bytes(info, giving_way(lambda: worker.is_cancelled))
        if problem is not None:
            self.post_message(self._Noticed(info, problem))

    @on(_Noticed)
    def _say_what_was_noticed(self, message: _Noticed) -> None:
        message.stop()
        if message.info.key == self.info.key:
            problem = message.problem
            self._toast(f"Some bytes of this run are not UTF-8, and show as \ufffd: {problem.hint}.", error=True)
