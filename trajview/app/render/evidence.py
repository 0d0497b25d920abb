"""Citations in lines of text, and the words that a citation quotes: the spans that show them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from rich.cells import cell_len, set_cell_size

from trajview.annotation.citations import Citation, find_citations, find_quote, may_cite

from .layout import Layout, margin_of
from .lines import Line

__all__ = ["CITATION", "QUOTED", "citation_at", "citations_on_rows", "mark_citations", "mark_quote"]

CITATION, QUOTED = "citation", "quoted"
LONGEST_LINE = 20_000
"""Characters: in a longer line no citation is looked for while it is drawn."""


def mark_citations(lines: Sequence[Line]) -> None:
    """Give citations their style."""
    for line in lines:
        if not line.ours and len(line.text) <= LONGEST_LINE and may_cite(line.text):
            line.spans += [(found.start, found.end, CITATION) for found in find_citations(line.text)]


def citations_on_rows(layout: Layout) -> list[tuple[int, int, Citation]]:
    """The citations that are shown: the first and the last row of each, in order."""
    found: list[tuple[int, int, Citation]] = []
    rows_of_line: dict[int, list[tuple[int, int]]] = {}
    for number, (index, start, _) in enumerate(layout.rows):
        line = layout.lines[index]
        if any(name == CITATION for _, _, name in line.spans):
            rows_of_line.setdefault(index, []).append((start, number))
    for index, rows in rows_of_line.items():
        for citation in find_citations(layout.lines[index].text):
            first = max((number for start, number in rows if start <= citation.start), default=rows[0][1])
            last = max((number for start, number in rows if start < citation.end), default=first)
            found.append((first, last, citation))
    return found


def citation_at(layout: Layout, number: int, cell: int) -> Citation | None:
    """The citation on a cell of a row, None where there is none."""
    index, start, end = layout.rows[number]
    line = layout.lines[index]
    if not any(name == CITATION for _, _, name in line.spans):
        return None
    text = line.text[start:end]
    cell -= cell_len(margin_of(layout, number))
    if not 0 <= cell < cell_len(text):
        return None
    at = start + len(set_cell_size(text, cell))
    return next((found for found in find_citations(line.text) if found.start <= at < found.end), None)


def mark_quote(lines: Sequence[Line], quote: str) -> bool:
    """Give quoted words their style; False if they are not there."""
    said = [line for line in lines if not line.ours]
    starts = [0, *accumulate(len(line.text) + 1 for line in said)]
    at = find_quote(quote, "\n".join(line.text for line in said))
    if at is None:
        return False
    for start, line in zip(starts, said, strict=False):
        a, b = max(0, at[0] - start), min(len(line.text), at[1] - start)
        if a < b:
            if line.finish is not None:
                line.finish()  # it colours the whole block, and would paint over this
            line.spans.append((a, b, QUOTED))
    return True
