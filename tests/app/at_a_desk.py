"""The objects of the transcript screen without the screen: a desk with a run on it, and what was shown, said and asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from trajview.app.shared.background import Background
from trajview.app.shared.prompt import Prompt
from trajview.app.transcript.desk import Desk, Display, Notices, Panes, Places, Reading
from trajview.app.transcript.session import TranscriptSession
from trajview.corpus.corpus import open_corpus

__all__ = ["AtDesk"]


class _Shown:
    """Stands for the widgets: counts how often they were told that the reader has moved."""

    def __init__(self) -> None:
        self.moves = self.changes = 0

    def moved(self) -> None:
        self.moves += 1

    def highlights_changed(self) -> None:
        self.changes += 1


class _Question:
    """Stands for the prompt: keeps what is asked, to be answered by the test."""

    def __init__(self) -> None:
        self.asked, self.text = "", ""
        self.is_open = False

    def ask(
        self, sign: str, placeholder: str, text: str = "", *, select: int = 0, then: Callable[[str], object]
    ) -> None:
        self.asked, self.text, self._then, self.is_open = sign, text, then, True

    def answer(self, text: str) -> None:
        self.is_open = False
        self._then(text)


class _Task:
    def cancelled(self) -> bool:
        return False

    def tell(self, function: Callable[..., object], *args: Any, **more: Any) -> None:
        function(*args, **more)

    ask = tell


class _AtOnce:
    """Stands for work in threads: does it at once."""

    def start(self, group: str, work: Callable[[Any], None], **_: Any) -> None:
        work(_Task())

    def cancel(self, group: str) -> None:
        """Nothing goes on."""


class AtDesk:
    """A run that is read, its first transcript shown."""

    def __init__(self, log: Path) -> None:
        corpus = open_corpus(log)
        self.reading = Reading(corpus[0])
        self.reading.run = run = corpus.load(corpus[0])
        self.reading.sessions = {index: TranscriptSession(each) for index, each in enumerate(run.transcripts)}
        self.toasts: list[str] = []
        self.shown, self.prompt = _Shown(), _Question()
        self.notices = Notices(lambda message, **_: self.toasts.append(message), lambda: None)
        display = cast(Display, self.shown)
        self.places = Places(self.reading, display, self.notices, self._show)
        self.desk = Desk(
            self.reading,
            display,
            cast(Panes, None),
            self.places,
            self.notices,
            cast(Prompt, self.prompt),
            cast(Background, _AtOnce()),
        )

    def _show(self, transcript: int) -> None:
        self.reading.index = transcript
        self.places.arrived()

    @property
    def session(self) -> TranscriptSession:
        session = self.reading.session
        assert session is not None
        return session

    @property
    def at(self) -> tuple[int, int]:
        """The transcript and the message that the reader is at."""
        return self.reading.index, self.session.message
