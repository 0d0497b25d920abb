"""What happens to a run while it is read: its log holds it no more, or another one; and bytes in it that are no UTF-8."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from trajview.corpus.process_wide import giving_way, short_turns
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.app.shared.background import Task
    from trajview.app.transcript.desk import Desk
    from trajview.app.transcript.session import TranscriptSession
    from trajview.corpus.corpus import Corpus
    from trajview.corpus.info import RunInfo
    from trajview.errors import Problem

__all__ = ["SETTLED", "Follower"]

SETTLED: Final = 1.0
"""Seconds after which a run that went out of its log counts as gone: one that is written anew may be back by then."""
_LONG: Final = 12.0  # seconds that such news stay


class Follower:
    """Says what becomes of the run that is read, and has it read again when it has grown.

    `reread` reads it again; `later` calls a function after so many seconds.
    """

    def __init__(
        self,
        desk: Desk,
        corpus: Corpus,
        reread: Callable[[], None],
        later: Callable[[float, Callable[[], None]], object],
    ) -> None:
        self._reading, self._notices, self._background = desk.reading, desk.notices, desk.background
        self._corpus, self._reread, self._later = corpus, reread, later
        self._checked = ""
        """The key of the run whose bytes were checked: one that grows is not looked through each time."""
        self.gone = False
        """Whether the list holds the run no more."""

    def transcript_shown(self, session: TranscriptSession) -> None:
        """Check the bytes of the run, once nothing else looks through all of it."""
        info = self._reading.info
        if info.key != self._checked and session.highlights.scanned:
            self._checked = info.key
            self._background.start("bytes", lambda task: self._check_bytes(info, task), waited_for=False)

    def _check_bytes(self, info: RunInfo, task: Task) -> None:
        with short_turns():
            problem = self._corpus.check_bytes(info, giving_way(task.cancelled))
        if problem is not None:
            task.tell(self._warn, info, problem)

    def _warn(self, info: RunInfo, problem: Problem) -> None:
        if info.key == self._reading.info.key:
            self._notices.toast(
                f"Some bytes of this run are not UTF-8, and show as \ufffd: {problem.hint}.", error=True
            )

    def runs_changed(self, infos: Sequence[RunInfo]) -> None:
        """Runs are others now in the list; this one may be among them, or have made way for one of them."""
        own = self._reading.info
        if any(info.key == own.key for info in infos):
            self.gone = False
            self._reread()
        elif own.summarised:
            now = next((info for info in infos if info.place == own.place and info.summarised), None)
            if now is not None:
                name = one_line(now.name or now.id, 40)
                self._is_gone(f"This log holds another run now, {name}. What you see, and score, is the one before.")
            elif self._corpus.following and not self.gone:
                self._later(SETTLED, self._check_gone)

    def _check_gone(self) -> None:
        own = self._reading.info
        now = self._corpus.find(own.key)
        if not self.gone and self._reading.run is not None and (now is None or now.key != own.key):
            self._is_gone("This run is not in its log any more. What you see, and score, is what was read of it.")

    def _is_gone(self, sentence: str) -> None:
        self.gone = True
        self._notices.toast(sentence, error=True, seconds=_LONG, length=1_000)
        self._notices.brief(self._notices.text)
