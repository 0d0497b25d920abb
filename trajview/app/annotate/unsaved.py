"""The question that is asked when unsaved work would be left."""

from __future__ import annotations

from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Static

from trajview.app.shared.modal import Dialog
from trajview.textsafe import one_line

__all__ = ["Answer", "UnsavedScreen"]

Answer = Literal["save", "draft", "stay"]


class UnsavedScreen(Dialog[Answer]):
    """Save, leave with the draft kept (or lost, where that failed), or stay. `problem` says why the draft could not be kept, if it could not."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "answer('save')", "submit"),
        Binding("d", "answer('draft')", "keep as draft"),
        Binding("escape,c", "answer('stay')", "stay"),
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
    ]
    DEFAULT_CSS = """
    UnsavedScreen {
        align: center middle;
        & > Vertical { width: 62; max-width: 96%; height: auto; background: $surface; border: round $warning; padding: 1 2; }
        & Horizontal { height: auto; margin: 1 0 0 0; }
        & Button { margin: 0 1 0 0; min-width: 14; }
    }
    """

    def __init__(self, problem: str = "") -> None:
        super().__init__()
        self._problem = problem

    def compose(self) -> ComposeResult:
        if self._problem:
            said = f"This annotation is not submitted, and its draft could not be saved: {one_line(self._problem, 400)}"
        else:
            said = "This annotation is not submitted. Its draft is saved, and will be here next time."
        with Vertical():
            yield Static(said, markup=False)
            with Horizontal():
                yield Button("[u]S[/u]ubmit", id="save", variant="primary", compact=True)
                yield Button("[u]D[/u]iscard" if self._problem else "Keep [u]d[/u]raft", id="draft", compact=True)
                yield Button("[u]C[/u]ancel", id="stay", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.action_answer(event.button.id or "stay")

    def action_answer(self, answer: str) -> None:
        """Give the answer to whoever asked."""
        self.dismiss(answer if answer in ("save", "draft") else "stay")  # type: ignore[arg-type]
