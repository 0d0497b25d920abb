"""Citations in lines of text, and the words that a citation quotes: the spans that show them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from rich.cells import cell_len, set_cell_size

from trajview.annotation.citations import Citation, find_citations, find_quote, may_cite
from trajview.app.render.layout import Layout, margin_of
from trajview.app.render.lines import Line

__all__ = [
    "CITATION",
    "QUOTED",
    "citation_at",
    "citations_in",
    "citations_on_rows",
    "mark_citations",
    "mark_quote",
    "quoted_row",
]

CITATION, QUOTED = "citation", "quoted"
LONGEST_LINE = 20_000
"""Characters: in a longer line no citation is looked for while it is drawn."""
MOST_LINES = 40
"""Lines over which a citation may go."""

Span = tuple[int, int, int]
"""The number of a line, and from where to where in its text."""


def citations_in(lines: Sequence[Line]) -> list[tuple[Citation, list[Span]]]:
    """The citations in lines that belong together, each with its pieces: the number of a line, and from where to where.

    A quotation may go on over the lines that follow.
    """
    found: list[tuple[Citation, list[Span]]] = []
    taken = 0, 0
    for number, line in enumerate(lines):
        if line.ours or len(line.text) > LONGEST_LINE or not may_cite(line.text):
            continue
        texts = _texts_from(lines, number)
        for citation in find_citations("\n".join(texts)):
            if citation.start < len(line.text) and (number, citation.start) >= taken:
                pieces = _pieces(citation.start, citation.end, texts, number)
                taken = pieces[-1][0], pieces[-1][2]
                found.append((citation, pieces))
    return found


def _texts_from(lines: Sequence[Line], number: int) -> list[str]:
    """The text of a line and of those that follow in the same field of the message, as far as a citation may go."""
    texts = [lines[number].text]
    length = len(texts[0])
    for following in lines[number + 1 : number + MOST_LINES]:
        length += len(following.text)
        if following.ours or following.said != lines[number].said or length > LONGEST_LINE:
            break
        texts.append(following.text)
        length += 1
    return texts


def _pieces(start: int, end: int, texts: Iterable[str], number: int) -> list[Span]:
    """The parts of consecutive lines, from this number on, that are between two places of their joined text."""
    pieces = []
    for line, text in enumerate(texts, number):
        first, last = max(0, start), min(len(text), end)
        if first < last:
            pieces.append((line, first, last))
        start, end = start - len(text) - 1, end - len(text) - 1
    return pieces


def mark_citations(lines: Sequence[Line]) -> None:
    """Give citations their style."""
    for _, pieces in citations_in(lines):
        for number, start, end in pieces:
            lines[number].spans.append((start, end, CITATION))


def _marked(layout: Layout) -> list[tuple[Citation, list[Span]]]:
    """The citations that have their style."""
    marked = [any(name == CITATION for _, _, name in line.spans) for line in layout.lines]
    if not any(marked):
        return []
    return [one for one in citations_in(layout.lines) if marked[one[1][0][0]]]


def citations_on_rows(layout: Layout) -> list[tuple[int, int, Citation]]:
    """The citations that are shown: the first and the last row of each, in order."""
    begins = [(index, start) for index, start, _ in layout.rows]
    shown = {index for index, _ in begins}
    found: list[tuple[int, int, Citation]] = []
    for citation, pieces in _marked(layout):
        (first, start, _), (last, _, end) = pieces[0], pieces[-1]
        if first in shown:
            found.append((bisect_right(begins, (first, start)) - 1, bisect_left(begins, (last, end)) - 1, citation))
    return found


def citation_at(layout: Layout, number: int, cell: int) -> Citation | None:
    """The citation on a cell of a row, None where there is none."""
    index, start, end = layout.rows[number]
    text = layout.lines[index].text[start:end]
    cell -= cell_len(margin_of(layout, number))
    if not 0 <= cell < cell_len(text):
        return None
    at = start + len(set_cell_size(text, cell))
    marked = _marked(layout)
    return next((one for one, pieces in marked if any(line == index and a <= at < b for line, a, b in pieces)), None)


def mark_quote(lines: Sequence[Line], quote: str) -> bool:
    """Give quoted words their style; False if they are not there."""
    said = [line for line in lines if not line.ours]
    texts = [line.text for line in said]
    at = find_quote(quote, "\n".join(texts))
    if at is None:
        return False
    for number, first, last in _pieces(*at, texts, 0):
        line = said[number]
        if line.finish is not None:
            line.finish()  # it colours the whole block, and would paint over this
        line.spans.append((first, last, QUOTED))
    return True


def quoted_row(layout: Layout) -> int | None:
    """The first row with quoted words."""
    for number, (index, start, end) in enumerate(layout.rows):
        quoted = (span for span in layout.lines[index].spans if span[2] == QUOTED)
        if any(first < max(end, start + 1) and last > start for first, last, _ in quoted):
            return number
    return None
