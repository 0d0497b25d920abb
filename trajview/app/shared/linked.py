"""Citations in texts of other screens than the transcript: they stand out, and a click on one follows it."""

from __future__ import annotations

from textual.content import Content
from textual.style import Style

from trajview.annotation.citations import Citation, find_citations

__all__ = ["linked"]


def linked(text: Content, *, most: int = 1_000) -> tuple[Content, list[Citation]]:
    """The text with its citations as links, and the citations; the screen's `follow_citation(number)` follows one."""
    cited = find_citations(text.plain, most)[:most]
    for number, citation in enumerate(cited):
        click = Style.from_meta({"@click": f"screen.follow_citation({number})"})
        for style in ("$text-warning underline", click):
            text = text.stylize(style, citation.start, citation.end)
    return text, cited
