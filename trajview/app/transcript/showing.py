"""What the transcript screen shows of a run, and how it is taken along: folds, metadata, raw record, copies."""

from __future__ import annotations

from trajview.app.keys import key_of
from trajview.app.transcript.base import TranscriptBase
from trajview.app.transcript.metadata import metadata_text
from trajview.app.transcript.session import TranscriptSession
from trajview.models.messages import ToolMessage
from trajview.models.transcript import Transcript

__all__ = ["Showing"]


class Showing(TranscriptBase):
    """Actions that change what is on the screen, or put it somewhere else."""

    def action_fold(self) -> None:
        """Fold or unfold the message under the cursor."""
        if self.session is not None:
            self.session.toggle_fold()
            self._moved()

    def action_fold_level(self) -> None:
        """The next fold level."""
        if self.session is not None:
            said = self.session.next_fold_level()
            self.trajview.look = self.session.look
            self._moved()
            self._brief(said)

    def action_reasoning(self) -> None:
        """Show or hide reasoning."""
        if self.session is not None:
            shown = self.session.toggle_reasoning()
            self.trajview.look = self.session.look
            self._moved()
            self._brief("reasoning shown" if shown else "reasoning hidden")

    def action_tools(self) -> None:
        """Show or hide tool output."""
        if self.session is not None:
            shown = self.session.toggle_tools()
            self.trajview.look = self.session.look
            self._moved()
            self._brief("tool output shown" if shown else "tool output hidden")

    def action_outline(self) -> None:
        """Show or hide the outline."""
        visible = self.query_one("#left").display
        self._show_outline(not visible)

    def _show_outline(self, shown: bool) -> None:
        """In one go: each change of a class of the screen costs the styles of all that is on it."""
        self.classes = {*self.classes} - {"-outline", "-no-outline"} | {"-outline" if shown else "-no-outline"}

    def action_outline_highlighted(self) -> None:
        """List highlighted units only in the outline, or all."""
        if self.session is None:
            return
        count = self.outline.toggle_highlighted()
        if not self.query_one("#left").display:
            self._show_outline(True)
        self._brief(f"highlighted units only: {count:,}" if self.outline.only_highlighted else "all units")

    def action_metadata(self) -> None:
        """Show or hide what is known about the run and the message."""
        if self.run is None:
            return
        shown = not self.has_class("-metadata")
        self.classes = (
            {*self.classes} - {"-metadata", "-annotating"} | {"-metadata"} if shown else {*self.classes} - {"-metadata"}
        )
        if shown:
            self._shown_message = -1
            self._show_metadata()
        self.view.focus()

    def _show_metadata(self) -> None:
        session, run = self.session, self.run
        if session is None or run is None:
            return
        self._shown_message = session.message
        message = session.messages[session.message] if session.messages else None
        text = metadata_text(run, session.transcript, session.message, message)
        self.side.show(
            TranscriptSession(Transcript(messages=[ToolMessage(content=text)]), bare=True, language="metadata")
        )

    def _hides(self, what: str) -> bool:
        """Whether this would show what is hidden in blind mode; then it says so."""
        hidden = self.trajview.episodes.hides(self.info)
        if hidden:
            self._brief(f"{what} would show what is hidden: {key_of('reveal')} reveals it")
        return hidden

    def action_raw(self) -> None:
        """Show the record as it is in the file."""
        if self._hides("the record"):
            return
        from trajview.app.raw.screen import RawScreen

        session = self.session
        at = None if session is None or not session.messages else (session.transcript, session.message)
        self.app.push_screen(RawScreen(self.info, at))

    def action_copy(self) -> None:
        """Copy what is selected as it is, or the message under the cursor as Markdown."""
        from trajview.export.markdown import message_markdown

        session = self.session
        if session is None or not session.messages:
            return
        selected = self.get_selected_text()
        text = selected or message_markdown(session.messages[session.message])
        self.app.copy_to_clipboard(text)
        said = "the selection" if selected else f"message {session.message} as Markdown"
        self._brief(f"copied {said}, {len(text):,} characters")

    def action_copy_unit(self) -> None:
        """Copy the unit under the cursor as Markdown."""
        from trajview.export.markdown import unit_markdown

        session = self.session
        if session is None or not session.messages:
            return
        text = unit_markdown(session.transcript, session.unit)
        self.app.copy_to_clipboard(text)
        self._brief(f"copied unit {session.unit} as Markdown, {len(text):,} characters")

    def action_edit(self) -> None:
        """Open the file in the editor or pager, at the record."""
        if self._hides("the file"):
            return
        from trajview.app.shared.edit import open_outside

        open_outside(self.app, self.info.path, self.info.line)
