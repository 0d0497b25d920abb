"""The record of a run as it stands in the file; JSON on one line is spread, nothing else is changed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static
from textual.worker import get_current_worker

from trajview.app.keys import bindings_for
from trajview.app.reading import Reading
from trajview.app.render.verbatim import size_of
from trajview.app.session import TranscriptSession
from trajview.app.unwaited import unwaited
from trajview.app.widgets.key_footer import KeyFooter
from trajview.app.widgets.transcript_view import TranscriptView
from trajview.corpus.info import RunInfo
from trajview.errors import TrajviewError
from trajview.models.messages import ToolMessage
from trajview.models.transcript import Transcript
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.app.app import TrajviewApp

__all__ = ["RawScreen"]


class RawScreen(Reading, Screen[None]):
    """Shows one record; reads it in a thread."""

    view: TranscriptView
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("raw")]
    DEFAULT_CSS = """
    RawScreen {
        & #raw-title { height: 1; background: $panel; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & TranscriptView { height: 1fr; }
    }
    """

    class _Read(Message):
        """The record was read, or could not be."""

        def __init__(self, session: TranscriptSession, size: int) -> None:
            super().__init__()
            self.session, self.size = session, size

    def __init__(self, info: RunInfo) -> None:
        super().__init__()
        self.info = info

    def compose(self) -> ComposeResult:
        yield Static("", id="raw-title")
        yield TranscriptView()
        yield KeyFooter()

    def on_mount(self) -> None:
        self.view = self.query_one(TranscriptView)
        self.view.focus()
        self._title(f"reading… {size_of(self.info.length)}")
        self._read()

    def _title(self, said: str) -> None:
        where = f"{self.info.source}:{self.info.line}" if self.info.line else self.info.source
        self.query_one("#raw-title", Static).update(
            Content.assemble(("raw  ", "bold"), one_line(where, 200), (f"  {said}", "$foreground 55%"))
        )

    @unwaited("raw")
    def _read(self) -> None:
        worker = get_current_worker()
        size = 0
        try:
            shown = text = cast("TrajviewApp", self.app).corpus.raw(self.info)
            size = len(text.encode("utf-8", "replace"))
        except TrajviewError as error:
            shown = text = str(error)
        if text.count("\n") < 3:
            try:
                shown = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
            except (ValueError, RecursionError):
                shown = text
        if worker.is_cancelled:
            return
        # Laid out here, because that takes seconds for a record of 100 MB.
        transcript = Transcript(messages=[ToolMessage(content=shown)])
        session = TranscriptSession(transcript, bare=True, width=self.view.text_width or 80)
        session.layout(0)
        if not worker.is_cancelled:
            self.post_message(self._Read(session, size))

    def on_raw_screen__read(self, message: _Read) -> None:
        message.stop()
        self._title(size_of(message.size))
        self.view.show(message.session)

    def action_edit(self) -> None:
        """Open the file in the editor or pager, at the record."""
        from trajview.app.edit import open_outside

        open_outside(self.app, self.info.path, self.info.line)

    def action_copy(self) -> None:
        """Copy the record."""
        session = self.view.session
        if session is not None and session.messages:
            self.app.copy_to_clipboard(self.get_selected_text() or session.messages[0].text)
            self.notify("copied", timeout=2)

    def action_back(self) -> None:
        """Back to the transcript."""
        self.dismiss()
