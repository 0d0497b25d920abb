"""What all parts of the transcript screen work with: the run that is read, the widgets, and ways to ask, say and go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from textual.geometry import Offset
from textual.screen import Screen
from textual.widget import Widget

from trajview.app.keys import key_of
from trajview.app.render.layout import margin_of
from trajview.app.shared.background import Background
from trajview.app.shared.prompt import Prompt
from trajview.app.shared.rows_view import GUTTER
from trajview.app.transcript.metadata import metadata_text
from trajview.app.transcript.minimap import Minimap
from trajview.app.transcript.outline import Outline
from trajview.app.transcript.session import TranscriptSession
from trajview.app.transcript.view import TranscriptView
from trajview.formats.registry import format_or_default
from trajview.models.messages import ToolMessage
from trajview.models.transcript import Transcript
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from trajview.app.shared.commands import Commands
    from trajview.corpus.info import RunInfo
    from trajview.models.run import AgentRun

__all__ = ["Desk", "Display", "Notices", "Panes", "Places", "Quoted", "Reading", "quoted_by"]

_MOST_ROWS = 2_000
"""Rows of a message that are read for a quotation; far more than one holds."""

_Arrive = Callable[[TranscriptSession], object]
"""Moves the session of a transcript to where a jump leads."""

_Corner = tuple[int, int]
"""A character of a row (the gutter not counted), and the row of the session."""
_MOST_REMEMBERED: Final = 100
"""Jumps that can be gone back."""


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
    def shown(self) -> TranscriptSession:
        """The transcript that is shown, for commands: they are done only while there is one."""
        assert self.session is not None
        return self.session

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


class Notices:
    """Says things: in the status line until the next key, or in a corner.

    `notify` is Textual's; `refresh` makes the status line anew.
    """

    def __init__(self, notify: Callable[..., object], refresh: Callable[[], None]) -> None:
        self._notify, self.refresh = notify, refresh
        self.text = ""
        """What the last key has done, until the next one."""

    def brief(self, text: str) -> None:
        """Say what a key has just done, until the next key."""
        self.text = text
        self.refresh()

    def forget(self) -> None:
        """A key was pressed: what the last one has done is no news."""
        self.text = ""

    def toast(self, text: str, *, error: bool = False, title: str = "", seconds: float = 5, length: int = 400) -> None:
        """Say something in a corner for so many seconds; each of its lines in at most `length` characters."""
        said = "\n".join(one_line(line, length) for line in text.split("\n"))
        severity: SeverityLevel = "warning" if error else "information"
        self._notify(said, title=title, severity=severity, timeout=seconds, markup=False)


@dataclass(frozen=True, slots=True)
class Quoted:
    """The messages that a selection touches, and its words where it is in one message only."""

    first: int
    last: int
    words: str = ""


class Display:
    """Shows a session, and that it has moved or changed."""

    def __init__(self, view: TranscriptView, outline: Outline, minimap: Minimap) -> None:
        self.view, self.outline, self.minimap = view, outline, minimap

    def show(self, session: TranscriptSession) -> None:
        """Show a session at its own position."""
        for widget in (self.view, self.outline, self.minimap):
            widget.show(session)

    def moved(self) -> None:
        """The session has moved: repaint, and let everything follow (the view calls its `follow`)."""
        self.view.sync()

    @property
    def selected_text(self) -> str:
        """What is selected on the screen, empty for nothing."""
        return self.view.screen.get_selected_text() or ""

    def quoted(self) -> Quoted | None:
        """What the reader has selected, as a quotation; None where nothing of the log is."""
        session, selection = self.view.session, self.view.text_selection
        if session is None or selection is None or not session.messages:
            return None
        start = selection.start or Offset(0, 0)
        end = selection.end or Offset(10**9, session.map.total - 1)
        return quoted_by(session, (start.x - GUTTER, start.y), (end.x - GUTTER, end.y))

    def follow(self) -> None:
        """Bring what stands beside the messages to where the reader is."""
        self.outline.follow()
        self.minimap.follow()

    def highlights_changed(self) -> None:
        """Other units or messages are highlighted."""
        self.moved()
        self.outline.highlights_changed()
        self.minimap.follow()


class Panes:
    """Shows and hides the panes of a screen by its classes, all at once: each change costs the styles of all that is on it."""

    def __init__(self, screen: Screen[None], reading: Reading, messages: TranscriptView, side: TranscriptView) -> None:
        self._screen, self._reading, self._messages, self._side = screen, reading, messages, side
        self._described: tuple[TranscriptSession, int] | None = None
        """The transcript and the message whose metadata is shown."""

    def _change(self, *, add: str = "", remove: set[str]) -> None:
        self._screen.classes = {*self._screen.classes} - remove | ({add} if add else set())

    @property
    def are_there(self) -> bool:
        """Whether the screen is still there."""
        return self._screen.is_mounted

    @property
    def focused(self) -> Widget | None:
        """The widget that keys go to."""
        return self._screen.focused

    def focus_messages(self) -> None:
        """Have keys go to the messages."""
        self._screen.set_focus(self._messages)

    # -- the outline ---------------------------------------------------------------------------------------------------

    @property
    def outline_shown(self) -> bool:
        """Whether the outline is on the screen."""
        return self._screen.query_one("#left").display

    def show_outline(self, shown: bool) -> None:
        """Show or hide the outline, whatever room there is."""
        self._change(add="-outline" if shown else "-no-outline", remove={"-outline", "-no-outline"})

    def show_tree(self, shown: bool) -> None:
        """Show the tree of transcripts for as long as the cursor is in it."""
        self._screen.set_class(shown, "-tree")

    # -- the annotation ------------------------------------------------------------------------------------------------

    @property
    def annotating(self) -> bool:
        """Whether the annotation panel is shown."""
        return self._screen.has_class("-annotating")

    def add(self, panel: Widget) -> None:
        """Mount the annotation panel."""
        self._screen.query_one("#body").mount(panel)

    def show_annotation(self) -> None:
        """Show the annotation panel, in the place of the metadata."""
        self._change(add="-annotating", remove={"-metadata"})

    def close_annotation(self) -> None:
        """Give the place of the annotation panel back to the messages."""
        self._change(remove={"-annotating"})

    # -- the metadata --------------------------------------------------------------------------------------------------

    @property
    def metadata(self) -> bool:
        """Whether the metadata is shown."""
        return self._screen.has_class("-metadata")

    def toggle_metadata(self) -> None:
        """Show or hide what is known about the run and the message, in the place of the annotation panel."""
        if self.metadata:
            self.close_metadata()
        else:
            self._change(add="-metadata", remove={"-annotating"})
            self.describe()
        self._messages.focus()

    def close_metadata(self) -> None:
        """Hide the metadata."""
        self._change(remove={"-metadata"})

    def describe(self) -> None:
        """Show the metadata of the message under the cursor, where the pane is open."""
        session, run = self._reading.session, self._reading.run
        if session is None or run is None or not self.metadata or self._described == (session, session.message):
            return
        self._described = session, session.message
        message = session.messages[session.message] if session.messages else None
        text = metadata_text(run, session.transcript, session.message, message)
        transcript = Transcript(messages=[ToolMessage(content=text)])
        self._side.show(TranscriptSession(transcript, bare=True, language="metadata"))


class Places:
    """Remembers where jumps came from, and finishes a jump once its transcript is shown.

    `show` is called with the transcript to show; `arrived` is to be called when one is.
    """

    def __init__(self, reading: Reading, display: Display, notices: Notices, show: Callable[[int], None]) -> None:
        self._reading, self._display, self._notices, self._show = reading, display, notices, show
        self._jumps: list[tuple[int, _Arrive]] = []
        self._arrival: tuple[int, _Arrive | None] | None = None

    @property
    def commands(self) -> Commands:
        return {"back.jump": self.back}

    def forget(self) -> None:
        """Another run is read: there is nothing to go back to."""
        self._jumps, self._arrival = [], None

    def remember(self) -> None:
        """Let `back` lead to where the reader is now."""
        session = self._reading.session
        if session is None:
            return
        cursor, top = session.cursor, session.top

        def arrive(session: TranscriptSession) -> None:
            session.set_quoted(None)
            session.to_place(cursor, top)

        self._jumps.append((self._reading.index, arrive))
        del self._jumps[:-_MOST_REMEMBERED]

    def go(self, transcript: int, arrive: _Arrive | None = None) -> None:
        """Show a transcript, and have `arrive` move its session once it is shown."""
        self._arrival = transcript, arrive
        self._reading.wanted = transcript
        if transcript == self._reading.index:
            self.arrived()
        else:
            self._show(transcript)

    def jump(self, transcript: int, arrive: _Arrive, notice: str = "") -> None:
        """Go to a place so that `back` leads here again, and say so."""
        self.remember()
        name = notice or self._reading.name_of(transcript)
        self._notices.brief(f"{name} · {key_of('back.jump')} goes back")
        self.go(transcript, arrive)

    def back(self) -> None:
        """Back to where the last jump came from."""
        if self._jumps:
            self.go(*self._jumps.pop())
        else:
            self._notices.brief("nothing to go back to")

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


@dataclass(frozen=True, slots=True)
class Desk:
    """What each part of the screen is handed; a part takes of it what it needs."""

    reading: Reading
    display: Display
    panes: Panes
    places: Places
    notices: Notices
    prompt: Prompt
    background: Background


def quoted_by(session: TranscriptSession, start: _Corner, end: _Corner) -> Quoted | None:
    """What is selected from `start` up to before `end`; None where there is no message."""
    if not session.messages:
        return None
    total = session.map.total
    start, end = max(start, (0, 0), key=_down), min(end, (10**9, total - 1), key=_down)
    if _down(end) < _down(start):
        return None
    first, last = session.at_row(start[1])[0], session.at_row(end[1])[0]
    # A message of which only the header or the empty row at its end is selected is not meant.
    while first < last and not _words(session, last, start, end):
        last -= 1
    while first < last and not _words(session, first, start, end):
        first += 1
    return Quoted(first, last, _words(session, first, start, end) if first == last else "")


def _down(corner: _Corner) -> tuple[int, int]:
    return corner[1], corner[0]


def _words(session: TranscriptSession, message: int, start: _Corner, end: _Corner) -> str:
    """The selected words of one message, on one line."""
    layout = session.layout(message)
    top = session.map.start(message)
    begin = max(0, start[1] - top)
    pieces: list[str] = []
    before = (-1, 0)
    for number in range(begin, min(len(layout.rows), end[1] - top + 1, begin + _MOST_ROWS)):
        index, left, right = layout.rows[number]
        line = layout.lines[index]
        if line.ours:
            continue
        margin = len(margin_of(layout, number))
        a = left + max(0, start[0] - margin) if top + number == start[1] else left
        b = min(right, left + max(0, end[0] - margin)) if top + number == end[1] else right
        # Rows of one line go on where the last one stopped, unless a space was dropped between them.
        pieces.append(("" if before == (index, left) else " ") + line.text[a:b])
        before = index, right
    return " ".join("".join(pieces).split())
