"""The line that asks for a search or a place to go to, at the foot of the transcript."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Label
from textual.widgets.input import Selection

__all__ = ["Prompt"]


class Prompt(Horizontal):
    """Asks for one text; posts `Cancelled` where that is left with escape."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "done", priority=True),
        Binding("escape", "cancel", "cancel", priority=True),
    ]
    DEFAULT_CSS = """
    Prompt {
        height: 1; display: none; background: $panel;
        & Label { width: auto; padding: 0 1; color: $accent; text-style: bold; }
        & Input { border: none; height: 1; padding: 0; background: $panel; &:focus { border: none; } }
        &.-open { display: block; }
    }
    """

    class Cancelled(Message):
        """The prompt was left with escape."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._then: Callable[[str], object] | None = None
        self._before: Widget | None = None

    def compose(self) -> ComposeResult:
        yield Label("", markup=False)
        yield Input(compact=True, select_on_focus=False)

    def ask(
        self,
        sign: str,
        placeholder: str,
        text: str = "",
        *,
        select: int = 0,
        then: Callable[[str], object],
    ) -> None:
        """Open for a question, with the cursor in the field; the first `select` characters are selected.

        `then` is called with what was entered.
        """
        self._then = then
        if not self.is_open:
            self._before = self.screen.focused
        self.query_one(Label).update(sign)
        field = self.query_one(Input)
        field.placeholder = placeholder
        with field.prevent(Input.Changed):
            field.value = text
        field.cursor_position = len(text)
        if select:
            field.selection = Selection(0, select)
        self.add_class("-open")
        self.screen.set_focus(field)

    def close(self) -> None:
        """Hide, and put the cursor back where it was."""
        self.remove_class("-open")
        if self.query_one(Input).has_focus and self._before is not None and self._before.is_attached:
            self.screen.set_focus(self._before)

    @property
    def is_open(self) -> bool:
        """Whether the prompt is asking."""
        return self.has_class("-open")

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()

    def action_submit(self) -> None:
        """Take what was typed."""
        self.close()
        if self._then is not None:
            self._then(self.query_one(Input).value)

    def action_cancel(self) -> None:
        self.close()
        self.post_message(self.Cancelled())
