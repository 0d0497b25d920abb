"""What stands beside the messages of a transcript: the outline, the metadata or the annotation panel, as there is room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.screen import Screen
from textual.widget import Widget

from trajview.app.transcript.metadata import metadata_text
from trajview.app.transcript.session import TranscriptSession
from trajview.app.transcript.view import TranscriptView
from trajview.models.messages import ToolMessage
from trajview.models.transcript import Transcript

if TYPE_CHECKING:
    from trajview.app.transcript.reading import Reading

__all__ = ["Panes"]


class Panes:
    """Shows and hides the panes of a screen by its classes, all at once: each change costs the styles of all that is on it."""

    def __init__(self, screen: Screen[None], reading: Reading, messages: TranscriptView, side: TranscriptView) -> None:
        self._screen, self._reading, self._messages, self._side = screen, reading, messages, side
        self._described = -1
        """The message whose metadata is shown."""

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
        if self._reading.run is None:
            return
        if self.metadata:
            self.close_metadata()
        else:
            self._change(add="-metadata", remove={"-annotating"})
            self.describe(anew=True)
        self._messages.focus()

    def close_metadata(self) -> None:
        """Hide the metadata."""
        self._change(remove={"-metadata"})

    def describe(self, *, anew: bool = False) -> None:
        """Show the metadata of the message under the cursor, where the pane is open."""
        session, run = self._reading.session, self._reading.run
        if session is None or run is None or not self.metadata or (session.message == self._described and not anew):
            return
        self._described = session.message
        message = session.messages[session.message] if session.messages else None
        text = metadata_text(run, session.transcript, session.message, message)
        transcript = Transcript(messages=[ToolMessage(content=text)])
        self._side.show(TranscriptSession(transcript, bare=True, language="metadata"))

    def another_shown(self) -> None:
        """Another transcript is shown: what is described is a message of the one before."""
        self._described = -1
