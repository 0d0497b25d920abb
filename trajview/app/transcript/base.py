"""What all parts of the transcript screen share: its widgets, the session that is read, and what is said of it."""

from __future__ import annotations

from trajview.app.shared.prompt import Prompt
from trajview.app.shared.selecting import Selecting
from trajview.app.shared.status_line import StatusLine
from trajview.app.transcript.minimap import Minimap
from trajview.app.transcript.outline import Outline
from trajview.app.transcript.session import SearchHits, TranscriptSession
from trajview.app.transcript.view import TranscriptView
from trajview.corpus.info import RunInfo
from trajview.formats.registry import format_or_default
from trajview.models.run import AgentRun
from trajview.textsafe import one_line

__all__ = ["TranscriptBase"]


class TranscriptBase(Selecting):
    """State and sentences of the transcript screen. The screen itself sets the widgets when it is mounted."""

    view: TranscriptView
    info: RunInfo
    outline: Outline
    minimap: Minimap
    side: TranscriptView
    prompt: Prompt
    status: StatusLine

    def __init__(self) -> None:
        super().__init__()
        self.run: AgentRun | None = None
        self.beginning = ""
        """How the run begins: whether a log still holds the same one (see `models.beginning`)."""
        self.sessions: dict[int, TranscriptSession] = {}
        self.index = 0
        """Which transcript of the run is shown."""
        self._wanted = 0
        """Which transcript was asked for last; it is shown once it is prepared."""
        self._tokens: dict[int, int] = {}
        self._said = ""
        self._gone = False  # the list holds the run no more
        self._shown_message = -1
        self.sought = ""
        """What is searched for, in this transcript and in those that are shown next; "" for nothing."""
        self.found_in: dict[int, SearchHits] = {}
        """What that search has found, by transcript of the run, as far as it has been through them."""

    @property
    def session(self) -> TranscriptSession | None:
        """The transcript that is being read."""
        return self.view.session if self.run is not None else None

    def _moved(self) -> None:
        """The session has moved: repaint, and let everything follow."""
        self.view.sync()

    def _follow(self) -> None:
        session = self.session
        if session is None:
            return
        self.outline.follow()
        self.minimap.follow()
        self._say_status()
        if self.has_class("-metadata") and session.message != self._shown_message:
            self._show_metadata()

    def _say_status(self) -> None:
        session = self.session
        if session is None:
            if self.has_class("-failed"):
                self.status.say(["cannot be shown"], self._said, "$accent")
            return
        count = len(session.messages)
        if not count:
            self.status.say(["this transcript has no messages"])
            return
        total = max(1, session.map.total)
        at_end = session.y_of(session.top) + session.height >= total
        percent = 100 if at_end else min(99, round(100 * session.y_of(session.cursor) / total))
        left = [
            f"unit {session.unit}/{len(session.unit_starts) - 1}",
            f"message {session.message}/{count - 1}",
            f"{percent}%",
        ]
        if session.search is not None:
            left.append(f"“{one_line(session.search.text, 24)}” {self._hits_said(session.search, session.hit_number)}")
        elif session.stops and session.stops != session.error_messages:
            left.append(f"highlight {session.stop_number}/{len(session.stops)}")
        if session.error_messages:
            errors = len(session.error_messages)
            left.append(f"{errors} error{'s' * (errors > 1)}")
        if not session.scanned:
            left.append("looking for highlights…")
        tokens = self._tokens.get(self.index)
        if tokens is not None:
            left.append(f"{_short(tokens)} tokens")
        if self.trajview.corpus.following:
            left.append("gone from its log" if self._gone else "following")
        right = self._said or self._annotation_says()
        self.status.say(left, right, "$accent" if self._said else "")

    def _annotation_says(self) -> str:
        if self.has_class("-annotating"):
            root = one_line(str(self.trajview.store.root), 1000)
            return f"saves to {root if len(root) <= 40 else '…' + root[-39:]}"
        return ""

    def _toast(self, text: str, *, error: bool = False) -> None:
        self.notify(one_line(text, 400), severity="warning" if error else "information", timeout=5, markup=False)

    def _brief(self, text: str) -> None:
        """Say what a key has just done, until the next key."""
        self._said = text
        self._say_status()

    @property
    def _has_more(self) -> bool:
        """Whether the run has several transcripts, of which only one is shown and searched."""
        return self.run is not None and len(self.run.transcripts) > 1

    def _hits_said(self, search: SearchHits, number: int) -> str:
        elsewhere = sum(hits.total for index, hits in self.found_in.items() if index != self.index)
        if not search.total:
            everywhere = not self._has_more or (self.run and len(self.found_in) == len(self.run.transcripts))
            return f"{elsewhere:,} elsewhere" if elsewhere else "not found" if everywhere else "not found here"
        said = f"{number}/{search.total if search.done else '…'}"
        return f"{said}, {elsewhere:,} elsewhere" if elsewhere and not self._tell_the_same else said

    @property
    def _tell_the_same(self) -> bool:
        """Whether the transcripts of the run all tell the same: those of an episode do."""
        return self.run is not None and format_or_default(self.run.source_format).retells

    def _hit_elsewhere(self, step: int) -> bool:  # noqa: ARG002 - for the screens that know more transcripts
        """Go to what a search has found in another transcript, where this one has no more; False if there is none."""
        return False

    def _error_elsewhere(self, step: int) -> bool:  # noqa: ARG002 - for the screens that know more transcripts
        """Go to an error of another transcript, where this one has none in that direction; False if there is none."""
        return False

    def on_key(self) -> None:
        # Before what the key does: that may say something itself.
        self._said = ""

    def _highlights_changed(self) -> None:
        self._moved()
        self.outline.highlights_changed()
        self.minimap.changed()

    def _transcript_shown(self, session: TranscriptSession) -> None:
        """A transcript is on the screen: of another run, another one of this run, the same, read again or looked through."""

    def _show_metadata(self) -> None:
        raise NotImplementedError

    def open_run(self, info: RunInfo, *, annotate: bool = False, unit: int | None = None) -> None:
        """Read a run in a thread and show it."""
        raise NotImplementedError

    def reload_notes(self) -> None:
        """Read the notes and marks of the run from the store."""
        raise NotImplementedError

    def run_changed(self) -> None:
        """The run is another one now, or is to be seen otherwise: show it so, with the reader where he is."""
        raise NotImplementedError

    def _show_transcript(self, index: int) -> None:
        raise NotImplementedError


def _short(count: int) -> str:
    """`812`, `18.2k`, `1.3M`."""
    if count < 1000:
        return str(count)
    return f"{count / 1000:.1f}k" if count < 999_950 else f"{count / 1_000_000:.1f}M"
