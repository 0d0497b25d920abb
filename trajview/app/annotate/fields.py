"""The texts of the annotation panel: the reasoning, and the reason for one score, with the citations in them."""

from __future__ import annotations

from rich.text import Text
from textual import events
from textual.binding import Binding
from textual.widgets import TextArea

from trajview.annotation.citations import Citation, find_citations
from trajview.app.shared.styled import palette_of

__all__ = ["TEXT_KEYS", "CitingText", "RationaleText", "ReasoningText", "joined"]

_LOOKS = {"citation": "underline $text-warning"}
TEXT_KEYS = {binding.key: binding.action for binding in Binding.make_bindings(TextArea.BINDINGS)}
"""The actions of keys other than characters in a text, by key."""


class CitingText(TextArea):
    """A text in which citations, `[T0B12]`, stand out, can be put in, and be found under the cursor.

    Keys do what they do in the order in which they were pressed, however quickly they come: Textual runs the actions of
    keys like left and backspace only after the keys behind them were given to the field.
    """

    DEFAULT_CSS = """
    CitingText {
        &.-textual-compact { padding: 0 1; background: $foreground 6%; border: none; }
        &.-textual-compact:focus { background: $primary 18%; }
        &.-textual-compact:ansi { background: ansi_default; outline-left: outer ansi_bright_black; }
        &.-textual-compact:ansi:focus { background: ansi_default; outline-left: outer ansi_blue; }
        & .text-area--cursor-line { background: transparent; }
    }
    """

    def __init__(self) -> None:
        super().__init__(soft_wrap=True, show_line_numbers=False, tab_behavior="focus", compact=True, highlight_cursor_line=False)  # fmt: skip

    def check_consume_key(self, key: str, character: str | None = None) -> bool:  # noqa: ARG002 - Textual's
        """Whether a key is typed into the text: none is a command of the transcript where the text is locked, either."""
        return character is not None and character.isprintable()

    async def on_key(self, event: events.Key) -> None:
        action = TEXT_KEYS.get(event.key)
        if action is not None:
            event.prevent_default()
            event.stop()
            await self.run_action(action)
        elif self.read_only and (event.is_printable or event.key == "enter"):
            event.stop()

    def get_line(self, line_index: int) -> Text:
        """A line of the document, its citations in their style."""
        line = super().get_line(line_index)
        found = find_citations(line.plain)
        if found:
            style = palette_of(self, _LOOKS, {})["citation"]
            for citation in found:
                line.stylize(style, citation.start, citation.end)
        return line

    def insert_citation(self, text: str) -> None:
        """Put a citation where the cursor is, in place of what is selected, apart from the words around it."""
        start, end = sorted(self.selection)
        before = self.document.get_line(start[0])[: start[1]]
        after = self.document.get_line(end[0])[end[1] :]
        if before and not before[-1].isspace() and before[-1] not in "([{“\"'":
            text = f" {text}"
        if after[:1].isalnum():
            text += " "
        self.replace(text, start, end, maintain_selection_offset=False)

    @property
    def citation_at_cursor(self) -> Citation | None:
        """The citation under the cursor, else the next one in the text, else the first; None where there is none."""
        citations = find_citations(self.text)
        row, column = self.cursor_location
        at = sum(len(self.document.get_line(line)) + len(self.document.newline) for line in range(row)) + column
        return next((citation for citation in citations if citation.end >= at), citations[0] if citations else None)


class ReasoningText(CitingText):
    """The reasoning, in as many lines as it takes."""

    DEFAULT_CSS = """
    ReasoningText.-textual-compact { height: 1fr; scrollbar-size-vertical: 1; }
    """

    @property
    def at_top(self) -> bool:
        """Whether the cursor is on the first line, from which up leads out of the text."""
        return self.navigator.is_first_wrapped_line(self.cursor_location)


class RationaleText(CitingText):
    """The reason for a score: one line, wrapped over the rows that there are. Enter leads out of it."""

    DEFAULT_CSS = """
    RationaleText.-textual-compact { height: auto; min-height: 1; max-height: 3; width: 1fr; scrollbar-size-vertical: 0; }
    """

    @property
    def line(self) -> str:
        """The text, as one line."""
        return joined(self.text)

    def on_paste(self, event: events.Paste) -> None:
        event.text = joined(event.text)


def joined(text: str) -> str:
    """The lines of a text as one."""
    return " ".join(text.splitlines())
