"""What is noticed while a run is open: that its log holds it no more, and bytes in it that are no UTF-8."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual import on
from textual.message import Message
from textual.worker import get_current_worker

from trajview.app.shared.unwaited import unwaited
from trajview.app.transcript.base import TranscriptBase
from trajview.app.transcript.session import TranscriptSession
from trajview.corpus.info import RunInfo
from trajview.corpus.process_wide import giving_way, short_turns
from trajview.errors import Problem
from trajview.textsafe import one_line

__all__ = ["Noticing"]

SETTLED: Final = 1.0
"""Seconds after which a run that went out of its log counts as gone: one that is written anew may be back by then."""


class Noticing(TranscriptBase):
    """The part of the transcript screen that says what happens to the run, and what is in its bytes."""

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

    def run_changed(self) -> None:
        """Show the run as it is in its file now."""
        raise NotImplementedError

    def runs_changed(self, infos: Sequence[RunInfo]) -> None:
        """Runs are others now in the list; this one may be among them, or have made way for one of them."""
        if any(info.key == self.info.key for info in infos):
            self._gone = False
            self.run_changed()
            return
        if self.info.summarised:
            now = next((info for info in infos if info.place == self.info.place and info.summarised), None)
            if now is not None:
                name = one_line(now.name or now.id, 40)
                said = f"This log holds another run now, {name}. What you see, and score, is the one before."
                self.notify(said, severity="warning", timeout=12, markup=False)
                self._gone = True
            elif self.trajview.corpus.following and not self._gone:
                self.set_timer(SETTLED, self._say_if_gone)
            self._say_status()

    def _say_if_gone(self) -> None:
        """That the list holds the run no more is said once."""
        now = self.trajview.corpus.find(self.info.key)
        if self._gone or self.run is None or (now is not None and now.key == self.info.key):
            return
        self._gone = True
        said = "This run is not in its log any more. What you see, and score, is what was read of it."
        self.notify(said, severity="warning", timeout=12, markup=False)
        self._say_status()
