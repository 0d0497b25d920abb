"""A text in which citations stand out, can be put in, and be found under the cursor."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.widgets import TextArea

from trajview.annotation.citations import Citation, find_citations
from trajview.app.shared.palette import component_style

__all__ = ["CitingText"]


class CitingText(TextArea):
    """A TextArea that knows about citations, `[T0B12]`."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"citing-text--citation"}
    DEFAULT_CSS = """
    CitingText > .citing-text--citation { color: $text-warning; text-style: underline; }
    """

    def get_line(self, line_index: int) -> Text:
        """A line of the document, its citations in their style."""
        line = super().get_line(line_index)
        found = find_citations(line.plain)
        if found:
            style = component_style(self, "citing-text--citation")
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
