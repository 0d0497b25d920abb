"""The run that is read, taken elsewhere: its record as it stands in the file, an editor, the clipboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from trajview.app.keys import key_of

if TYPE_CHECKING:
    from trajview.app.app import TrajviewApp
    from trajview.app.shared.commands import Commands
    from trajview.app.transcript.desk import Desk

__all__ = ["WaysOut"]


class WaysOut:
    """Shows the run in other ways, and copies what is under the cursor; `reread` reads the run again."""

    def __init__(self, desk: Desk, app: TrajviewApp, reread: Callable[[], None]) -> None:
        self._reading, self._panes, self._notices = desk.reading, desk.panes, desk.notices
        self._display, self._app, self._reread = desk.display, app, reread

    @property
    def commands(self) -> Commands:
        return {
            "show.raw": self.show_raw,
            "edit": self.edit,
            "copy": self.copy,
            "copy.unit": self.copy_unit,
            "reveal": self.reveal,
        }

    def _is_hidden(self, what: str) -> bool:
        """Whether this would show what is hidden in blind mode; then it says so."""
        hidden = self._app.episodes.hides(self._reading.info)
        if hidden:
            self._notices.brief(f"{what} would show what is hidden: {key_of('reveal')} reveals it")
        return hidden

    def reveal(self) -> None:
        """Show what is hidden of this run, and have it written down that it was asked for."""
        info = self._reading.info
        if not self._app.episodes.hides(info):
            self._notices.brief("nothing is hidden")
            return

        def revealed() -> None:
            if self._panes.are_there and self._reading.info.key == info.key:
                self._reread()

        self._app.episodes.reveal_model(info, revealed)

    def show_raw(self) -> None:
        """Show the record as it is in the file."""
        if self._is_hidden("the record"):
            return
        from trajview.app.raw.screen import RawScreen

        session = self._reading.session
        at = (session.transcript, session.message) if session is not None and session.messages else None
        self._app.push_screen(RawScreen(self._reading.info, at))

    def edit(self) -> None:
        """Open the file in the editor or pager, at the record."""
        if not self._is_hidden("the file"):
            from trajview.app.shared.edit import open_outside

            open_outside(self._app, self._reading.info.path, self._reading.info.line)

    def copy(self) -> None:
        """Copy what is selected as it is, or the message under the cursor as Markdown."""
        from trajview.export.markdown import message_markdown

        session, selected = self._reading.shown, self._display.selected_text
        text = selected or message_markdown(session.messages[session.message])
        self._take(text, "the selection" if selected else f"message {session.message} as Markdown")

    def copy_unit(self) -> None:
        """Copy the unit under the cursor as Markdown."""
        from trajview.export.markdown import unit_markdown

        session = self._reading.shown
        self._take(unit_markdown(session.transcript, session.unit), f"unit {session.unit} as Markdown")

    def _take(self, text: str, what: str) -> None:
        self._notices.brief(self._app.terminal_clipboard.copy(text, what))
