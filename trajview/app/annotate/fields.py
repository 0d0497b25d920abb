"""The texts of the annotation panel: the reasoning, and the reason for one score."""

from __future__ import annotations

from textual import events
from textual.binding import Binding
from textual.widgets import TextArea

from trajview.app.annotate.citing_text import CitingText

__all__ = ["TEXT_KEYS", "RationaleText", "ReasoningText"]

TEXT_KEYS = {binding.key: binding.action for binding in Binding.make_bindings(TextArea.BINDINGS)}
"""What keys other than characters do in a text."""


class _OrderedText(CitingText):
    """A text in which keys do what they do in the order in which they were pressed, however quickly they come.

    Textual runs the actions of keys like left and backspace only after the keys behind them were given to the field.
    """

    def __init__(self) -> None:
        super().__init__(soft_wrap=True, show_line_numbers=False, tab_behavior="focus", compact=True, highlight_cursor_line=False)  # fmt: skip

    async def _on_key(self, event: events.Key) -> None:
        action = TEXT_KEYS.get(event.key)
        event.prevent_default()  # Textual would call the handler of the class above once more.
        if action is None:
            await super()._on_key(event)
        else:
            event.stop()
            await self.run_action(action)


class ReasoningText(_OrderedText):
    """The reasoning, in as many lines as it takes."""

    DEFAULT_CSS = """
    ReasoningText.-textual-compact {
        height: 1fr; padding: 0 1; background: $foreground 6%; scrollbar-size-vertical: 1; border: none;
    }
    ReasoningText.-textual-compact:focus { background: $primary 18%; }
    ReasoningText.-textual-compact:ansi { background: ansi_default; outline-left: outer ansi_bright_black; }
    ReasoningText.-textual-compact:ansi:focus { background: ansi_default; outline-left: outer ansi_blue; }
    ReasoningText .text-area--cursor-line { background: transparent; }
    """

    @property
    def at_top(self) -> bool:
        """The cursor is on the first line, from which up leads out of the text."""
        return self.navigator.is_first_wrapped_line(self.cursor_location)


class RationaleText(_OrderedText):
    """Why a score is what it is: one line, wrapped over the rows that there are. Enter leads out of it."""

    DEFAULT_CSS = """
    RationaleText.-textual-compact {
        height: auto; min-height: 1; max-height: 3; width: 1fr; padding: 0 1; background: $foreground 6%; border: none;
        scrollbar-size-vertical: 0;
    }
    RationaleText.-textual-compact:focus { background: $primary 18%; }
    RationaleText.-textual-compact:ansi { background: ansi_default; outline-left: outer ansi_bright_black; }
    RationaleText.-textual-compact:ansi:focus { background: ansi_default; outline-left: outer ansi_blue; }
    RationaleText .text-area--cursor-line { background: transparent; }
    """

    @property
    def line(self) -> str:
        """The text, as one line."""
        return " ".join(self.text.splitlines())

    async def _on_paste(self, event: events.Paste) -> None:
        event.text = " ".join(event.text.splitlines())
        await super()._on_paste(event)
        event.prevent_default()  # Textual would call the handler of the class above once more.
