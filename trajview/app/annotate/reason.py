"""The question why an episode is skipped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Event
from textual.widgets import Input, Static

from trajview.app.shared.modal import Dialog
from trajview.textsafe import one_line

__all__ = ["ReasonScreen"]


class ReasonScreen(Dialog[str | None]):
    """Asks for one line; its result is what was typed, None where nothing is to be done. Former reasons are a key away."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "cancel"),
        Binding("up", "former(1)", show=False, priority=True),
        Binding("down", "former(-1)", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    ReasonScreen {
        align: center middle;
        & > Vertical {
            width: 62; max-width: 96%; height: auto; padding: 1 2; background: $surface; border-left: outer $primary;
        }
        & .title { text-style: bold; text-wrap: nowrap; text-overflow: ellipsis; }
        & Input { margin: 1 0; border: none; height: 1; padding: 0 1; background: $foreground 8%; }
        & .hint { color: $foreground 50%; }
    }
    """

    def __init__(self, episode: str, former: Sequence[str] = ()) -> None:
        """`former`: reasons given before, the newest first."""
        super().__init__()
        self._episode = episode
        self._former = ["", *dict.fromkeys(former)]
        self._shown = 0

    def compose(self) -> ComposeResult:
        again = "  ·  up: a reason given before" if len(self._former) > 1 else ""
        with Vertical():
            yield Static(Content(f"Skip {one_line(self._episode, 80)}"), classes="title")
            yield Input(self._former[self._shown], placeholder="why?", max_length=300, compact=True)
            yield Static(Content(f"enter: skip  ·  escape: don't{again}"), classes="hint")

    def for_later(self, _: Event) -> bool:
        """Whether a key is for nobody: what is typed once the answer is given is no part of it."""
        return not self.is_active

    def action_former(self, step: int) -> None:
        """Put an earlier reason into the field, or a later one."""
        self._shown = max(0, min(self._shown + step, len(self._former) - 1))
        for field in self.query(Input):  # quick fingers ask before there is one
            field.value = self._former[self._shown]
            field.cursor_position = len(field.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        reason = event.value.strip()
        if reason:
            self.dismiss(reason)
        else:
            # A skipped episode without a reason is a hole that nobody can explain when the scores are used.
            self.query_one(".hint", Static).update("say in a word why; escape goes back")
