"""The question before something is shown that is hidden from who has not submitted yet."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Static

from trajview.app.shared.modal import OnceScreen

__all__ = ["RevealScreen"]


class RevealScreen(OnceScreen[bool]):
    """True to show it, and to have that written down; False to leave it hidden. Escape leaves it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r,R,y", "dismiss(True)", "show"),
        Binding("escape,q,n", "dismiss(False)", "leave hidden"),
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

    def __init__(self, what: str) -> None:
        super().__init__()
        self._what = what

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content(self._what))
            yield Static(
                "What others gave can change what you give. It is kept in your journal that you looked.", classes="hint"
            )
            with Horizontal():
                yield Button("Leave [u]hidden[/u]", id="hidden", compact=True)
                yield Button("[u]R[/u]eveal", id="reveal", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "reveal")
