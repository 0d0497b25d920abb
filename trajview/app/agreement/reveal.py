"""The question before others' scores are shown to an annotator who has not submitted yet."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Static

from trajview.app.shared.modal import Dialog
from trajview.errors import AnnotationError
from trajview.textsafe import one_line

__all__ = ["RevealScreen"]


class RevealScreen(Dialog[None]):
    """Asks, writes into the journal that it was revealed, and closes: the screen below reads what it may show by now."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r,R,y", "reveal", "show"),
        Binding("escape,q,n", "dismiss", "leave hidden"),
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
    ]
    AUTO_FOCUS = "#hidden"
    DEFAULT_CSS = """
    RevealScreen {
        align: center middle;
        & > Vertical { width: 62; max-width: 96%; height: auto; background: $surface; border: round $foreground 20%; padding: 1 2; }
        & .hint { color: $foreground 60%; margin: 1 0 0 0; }
        & Horizontal { height: auto; margin: 1 0 0 0; }
        & Button { margin: 0 1 0 0; min-width: 16; }
    }
    """

    def __init__(self, what: str, write: Callable[[], None]) -> None:
        """`what`: the question. `write` is called in a thread and writes the answer down, or raises AnnotationError."""
        super().__init__()
        self._what = what
        self._write = write

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content(self._what))
            yield Static(
                "What others gave can change what you give. It is kept in your journal that you looked.", classes="hint"
            )
            with Horizontal():
                yield Button("Leave [u]hidden[/u]", id="hidden", action="screen.dismiss", compact=True)
                yield Button("[u]R[/u]eveal", id="reveal", action="screen.reveal", compact=True)

    @work(exclusive=True, exit_on_error=False)
    async def action_reveal(self) -> None:
        """Write it down, and close; where that fails, say why, and nothing is shown."""
        try:
            await to_thread(self._write)
        except AnnotationError as error:
            self.app.notify(one_line(str(error), 400), title="Not revealed", severity="error", markup=False)
        self.dismiss()
