"""The line in which the list is filtered: it filters while it is typed, Enter keeps it, Escape clears it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

__all__ = ["FilterBar"]


class FilterBar(Horizontal):
    """A filter on one line, with what it leaves at the right. Hidden until `start`; posts what is typed."""

    DEFAULT_CSS = """
    FilterBar {
        height: 1;
        display: none;
        background: $surface;
        padding: 0 1;
        & > #filter-sign { width: 2; color: $text-accent; text-style: bold; }
        & > Input { width: 1fr; background: $surface; background-tint: transparent; }
        & > Input:focus { background: $surface; background-tint: transparent; }
        & > #filter-count { width: auto; max-width: 40%; padding-left: 2; color: $text-muted; }
        &.-open { display: block; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "clear", "clear", show=True),
        Binding("enter", "keep", "keep", show=True, priority=True),
        Binding("up", "step(-1)", show=False, priority=True),
        Binding("down", "step(1)", show=False, priority=True),
    ]

    class Changed(Message):
        """The filter is now this text."""

        def __init__(self, query: str) -> None:
            super().__init__()
            self.query = query

    class Left(Message):
        """The person is done with the filter: it is kept, or it was cleared."""

    class Stepped(Message):
        """The person wants the cursor of the list elsewhere, without leaving the filter."""

        def __init__(self, rows: int) -> None:
            super().__init__()
            self.rows = rows

    def compose(self) -> ComposeResult:
        yield Static("/", id="filter-sign")
        yield Input(compact=True, placeholder="words of a name, file, format, agent or model", id="filter-input")
        yield Static("", id="filter-count")

    @property
    def is_open(self) -> bool:
        """Whether the bar is on the screen, with the focus in it or not."""
        return self.has_class("-open")

    def start(self) -> None:
        """Show the bar and type in it; what was typed before is there."""
        self.add_class("-open")
        self.screen.set_focus(
            self.query_one(Input)
        )  # `focus()` would come later, and what is typed meanwhile would be commands

    def count(self, text: str) -> None:
        """Say what the filter leaves: `3 of 42`."""
        self.query_one("#filter-count", Static).update(Content(text))

    def action_clear(self) -> None:
        """Clear the filter and go away."""
        box = self.query_one(Input)
        with box.prevent(Input.Changed):
            box.value = ""
        self.remove_class("-open")
        self.post_message(self.Changed(""))
        self.post_message(self.Left())

    def action_keep(self) -> None:
        """Keep the filter and go back to the list; an empty one goes away."""
        if self.query_one(Input).value.strip():
            self.post_message(self.Left())
        else:
            self.action_clear()

    def action_step(self, rows: int) -> None:
        """Move the cursor of the list."""
        self.post_message(self.Stepped(rows))

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Changed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
