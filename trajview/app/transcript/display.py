"""The widgets of the transcript screen that show the session: the messages, the outline and the minimap, moved as one."""

from __future__ import annotations

from textual.geometry import Offset

from trajview.app.shared.rows_view import GUTTER
from trajview.app.transcript.minimap import Minimap
from trajview.app.transcript.outline import Outline
from trajview.app.transcript.selected import Quoted, quoted_by
from trajview.app.transcript.session import TranscriptSession
from trajview.app.transcript.view import TranscriptView

__all__ = ["Display"]


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
