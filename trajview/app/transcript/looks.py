"""What is folded and hidden in a transcript, as keys change it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trajview.app.app import TrajviewApp
    from trajview.app.shared.commands import Commands
    from trajview.app.transcript.desk import Desk
    from trajview.app.transcript.session import TranscriptSession

__all__ = ["Looks"]


class Looks:
    """Folds and unfolds. The app keeps the look, which goes with the reader into other runs."""

    def __init__(self, desk: Desk, app: TrajviewApp) -> None:
        self._reading, self._display, self._panes = desk.reading, desk.display, desk.panes
        self._notices, self._app = desk.notices, app

    @property
    def commands(self) -> Commands:
        return {
            "fold.toggle": self.fold,
            "fold.level": lambda: self._change(lambda session: session.next_fold_level()),
            "show.reasoning": lambda: self._change(
                lambda session: "reasoning shown" if session.toggle_reasoning() else "reasoning hidden"
            ),
            "show.tools": lambda: self._change(
                lambda session: "tool output shown" if session.toggle_tools() else "tool output hidden"
            ),
            "show.outline": lambda: self._panes.show_outline(not self._panes.outline_shown),
            "outline.highlighted": self.only_highlighted,
            "show.metadata": self._panes.toggle_metadata,
        }

    def fold(self) -> None:
        """Fold or unfold the message under the cursor."""
        session = self._reading.session
        if session is not None:
            session.toggle_fold()
            self._display.moved()

    def _change(self, change: Callable[[TranscriptSession], str]) -> None:
        """Change what all messages show, and say what `change` returns."""
        session = self._reading.session
        if session is not None:
            sentence = change(session)
            self._app.look = session.look
            self._display.moved()
            self._notices.brief(sentence)

    def only_highlighted(self) -> None:
        """List highlighted units only in the outline, or all."""
        if self._reading.session is None:
            return
        outline = self._display.outline
        count = outline.toggle_highlighted()
        if not self._panes.outline_shown:
            self._panes.show_outline(True)
        self._notices.brief(f"highlighted units only: {count:,}" if outline.only_highlighted else "all units")
