"""The list of what a search has found: runs with their hits under them, one line each, drawn as they come into view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from trajview.app.keys import key_of
from trajview.app.results.found import Results, Row
from trajview.app.shared.cells import fit, fit_path
from trajview.app.shared.rows_list import RowsList
from trajview.corpus.matches import Hit, excerpt
from trajview.corpus.search import RunMatches
from trajview.textsafe import one_line, safe_text, strip_escapes

__all__ = ["ResultsList", "marked", "speaker_of"]

_LABEL, _SPEAKER = 7, 16
_NARROW = 90
"""Cells below which the speakers are shown shorter."""


class ResultsList(RowsList):
    """The rows of `Results`: the runs that were found, each with its hits under it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--match"}
    DEFAULT_CSS = """
    ResultsList {
        & > .rows--run { text-style: bold; }
        & > .rows--match { background: $warning 45%; color: $foreground; }
        &:ansi > .rows--match { background: ansi_yellow; color: ansi_black; }
    }
    """

    def __init__(self, results: Results, called: Callable[[RunMatches], str], *, id: str | None = None) -> None:
        """`called` says at once what the list calls a run that was found, on one safe line."""
        super().__init__(results, id=id)
        self.results = results
        self._called_in_list = called

    def show(self, results: Results) -> None:
        """Show what another search has found, from its first row on."""
        self.rows = self.results = results
        self.scroll_to(y=0, animate=False)
        self.rows_changed()

    def first_beside(self, index: int) -> int:
        """The heading of a run where that is just above."""
        return index - 1 if index and self.results.rows[index - 1].kind == "run" else index

    def row_line(self, index: int, base: tuple[str, ...]) -> list[Segment]:
        """A run's heading, a hit, or how many are left."""
        row, width = self.results.rows[index], self.size.width - 1
        dim = self.style(*base, "dim")
        if row.kind == "run":
            return self._heading(row, width, base)
        if row.kind == "more":
            what = "reading…" if row.group.reading else f"… {row.group.left:,} more: {key_of('open')} shows them"
            return [Segment(" " * 3 + what, dim)]
        assert row.hit is not None
        hit = row.hit
        speaker = _SPEAKER if width >= _NARROW else _SPEAKER - 6
        room = width - 3 - _LABEL - speaker
        return [
            Segment(" " * 3, self.style(*base)),
            Segment(fit(hit.label, _LABEL), self.style(*base, "label")),
            Segment(fit(one_line(speaker_of(hit)), speaker - 1) + " ", dim),
            *marked(hit, room, self.style(*base), self.style(*base, "match")),
        ]

    def _heading(self, row: Row, width: int, base: tuple[str, ...]) -> list[Segment]:
        found = row.group.found
        plain, dim = self.style(*base), self.style(*base, "dim")
        count = f"{found.matches:,}"
        name, where = self._called_in_list(found), one_line(found.where, 1000)
        room = width - len(count) - 3
        shown = fit(name, min(cell_len(name), max(12, room * 2 // 3)))
        room -= cell_len(shown) + 2
        return [
            Segment(" ", plain),
            Segment(shown, self.style(*base, "run")),
            Segment("  ", plain),
            Segment(fit_path(where, max(0, room)), dim),
            Segment(f" {count} ", dim),
        ]


def speaker_of(hit: Hit) -> str:
    """Who says it, or which tool is called or answers."""
    if hit.field == "arguments":
        return f"→ {hit.tool}"
    if hit.field == "reasoning":
        return "reasoning"
    if hit.field == "metadata":
        return f"{hit.role} metadata".strip()
    return hit.tool or hit.role


def marked(hit: Hit, room: int, plain: Style, match: Style) -> list[Segment]:
    """The line of a hit, cut to so many characters around its first match, with the matches coloured."""
    text = hit.text.rstrip()
    left = len(text) - len(text.lstrip())
    spans = [
        (start - left, min(end, len(text)) - left) for start, end in hit.spans if start >= left and start < len(text)
    ]
    text = text[left:]
    kept: Sequence[tuple[int, int]] = ()
    if spans:
        text, kept, _ = excerpt(text, spans, max(1, room))
    pieces, at = [], 0
    for start, end in kept:
        pieces += [Segment(_flat(text[at:start]), plain), Segment(_flat(text[start:end]), match)]
        at = end
    return [*pieces, Segment(_flat(text[at:]), plain)]


def _flat(text: str) -> str:
    return safe_text(strip_escapes(text)).replace("\t", " ").replace("\n", " ")
