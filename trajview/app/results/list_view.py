"""The list of what a search has found: runs with their hits under them, one line each, drawn as they come into view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from trajview.app.keys import key_of
from trajview.app.results.found import Results, Row
from trajview.app.shared.cells import fit, fit_path
from trajview.corpus.matches import Hit, excerpt
from trajview.corpus.search import RunMatches
from trajview.textsafe import one_line, safe_text, strip_escapes

__all__ = ["ResultsList", "marked", "speaker_of"]

_LABEL, _SPEAKER = 7, 16
_NARROW = 90
"""Cells below which the speakers are shown shorter."""


class ResultsList(ScrollView, can_focus=True, inherit_bindings=False):
    """The rows of `Results` under a cursor. Posts `Moved` and `Opened`; the owner changes the results and says so."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "results--dim", "results--run", "results--label", "results--match", "results--cursor", "results--cursor-bar",
    }  # fmt: skip
    DEFAULT_CSS = """
    ResultsList {
        height: 1fr;
        background: $background;
        color: $foreground;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        & > .results--dim { color: $text-muted; }
        & > .results--run { color: $text-primary; text-style: bold; }
        & > .results--label { color: $text-accent; }
        & > .results--match { background: $warning 45%; color: $foreground; }
        & > .results--cursor { background: $boost; }
        & > .results--cursor-bar { color: $primary-muted; }
        &:focus > .results--cursor { background: $block-cursor-blurred-background; }
        &:focus > .results--cursor-bar { color: $primary; }
        &:ansi > .results--cursor { background: transparent; text-style: bold; }
        &:ansi > .results--match { background: ansi_yellow; color: ansi_black; }
    }
    """

    empty: reactive[str] = reactive("")
    """The sentences that stand where there are no rows."""

    class Moved(Message):
        """The cursor is on another row."""

    class Opened(Message):
        """The row under the cursor was clicked."""

    def __init__(self, results: Results, called: Callable[[RunMatches], str], *, id: str | None = None) -> None:
        """`called` says at once what the list calls a run that was found, on one safe line."""
        super().__init__(id=id)
        self.results = results
        self._called_in_list = called

    def show(self, results: Results) -> None:
        """Show what another search has found, from its first row on."""
        self.results = results
        self.scroll_to(y=0, animate=False)
        self.rows_changed()

    def rows_changed(self) -> None:
        """Rows came, or others took their place."""
        self.virtual_size = Size(0, len(self.results.rows))
        self.refresh()

    def move(self, rows: int) -> None:
        """Move the cursor by some rows."""
        self.go(self.results.cursor + rows)

    def move_pages(self, pages: float) -> None:
        """Move the cursor by pages, or by half ones; the view moves with it."""
        rows = max(1, int(self.size.height * abs(pages))) * (1 if pages > 0 else -1)
        self.scroll_to(y=self.scroll_y + rows, animate=False)
        self.move(rows)

    def go(self, index: int) -> None:
        """Put the cursor on a row."""
        self.results.go(index)
        self.show_cursor()

    def show_cursor(self) -> None:
        """Have the row under the cursor in view, and the heading of its run where that is just above."""
        cursor, top, height = self.results.cursor, int(self.scroll_y), max(1, self.size.height)
        first = cursor - 1 if cursor and self.results.rows[cursor - 1].kind == "run" else cursor
        if first < top:
            self.scroll_to(y=first, animate=False)
        elif cursor >= top + height:
            self.scroll_to(y=cursor - height + 1, animate=False)
        self.refresh()
        self.post_message(self.Moved())

    def on_resize(self) -> None:
        if len(self.results.rows):
            self.show_cursor()

    def on_click(self, event: events.Click) -> None:
        index = int(self.scroll_y) + event.y
        if event.button != 1 or index >= len(self.results.rows):
            return
        event.stop()
        if index == self.results.cursor:
            self.post_message(self.Opened())
        else:
            self.go(index)

    # Drawing

    def _style(self, *names: str) -> Style:
        return self.get_visual_style(*(f"results--{name}" for name in names)).rich_style

    def render_line(self, y: int) -> Strip:
        width, index = self.size.width, int(self.scroll_y) + y
        if index >= len(self.results.rows):
            return self._empty(y, width) if not len(self.results.rows) else Strip.blank(width, self._style())
        base = ("cursor",) if index == self.results.cursor else ()
        plain = self._style(*base)
        bar = Segment("▌", self._style(*base, "cursor-bar")) if base else Segment(" ", plain)
        pieces = [bar, *self._row(self.results.rows[index], width - 1, base)]
        return Strip(pieces).crop(0, width).extend_cell_length(width, plain).simplify()

    def _empty(self, y: int, width: int) -> Strip:
        lines = self.empty.split("\n")
        index = y - max(1, (self.size.height - len(lines)) // 3)
        if not self.empty or not 0 <= index < len(lines):
            return Strip.blank(width, self._style())
        left = max(2, (width - max(map(cell_len, lines))) // 2)
        style = self._style() if index == 0 else self._style("dim")
        strip = Strip([Segment(" " * left + lines[index], style)])
        return strip.crop(0, width).extend_cell_length(width, self._style())

    def _row(self, row: Row, width: int, base: tuple[str, ...]) -> list[Segment]:
        dim = self._style(*base, "dim")
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
            Segment(" " * 3, self._style(*base)),
            Segment(fit(hit.label, _LABEL), self._style(*base, "label")),
            Segment(fit(one_line(speaker_of(hit)), speaker - 1) + " ", dim),
            *marked(hit, room, self._style(*base), self._style(*base, "match")),
        ]

    def _heading(self, row: Row, width: int, base: tuple[str, ...]) -> list[Segment]:
        found = row.group.found
        plain, dim = self._style(*base), self._style(*base, "dim")
        count = f"{found.matches:,}"
        name, where = self._called_in_list(found), one_line(found.where, 1000)
        room = width - len(count) - 3
        shown = fit(name, min(cell_len(name), max(12, room * 2 // 3)))
        room -= cell_len(shown) + 2
        return [
            Segment(" ", plain),
            Segment(shown, self._style(*base, "run")),
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
