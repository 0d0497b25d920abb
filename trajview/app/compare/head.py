"""What stands above two runs that are compared: their names, their rewards, and what else differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from trajview.app.compare.comparison import GUTTER, MIDDLE, Comparison, side_width
from trajview.app.keys import key_of
from trajview.app.shared.cells import fit
from trajview.compare.facts import Fact

__all__ = ["CompareHead"]

_FEW: Final = 5
"""Facts that are shown unasked, where the screen is high enough."""
_LOW: Final = 30
"""Rows of a screen that has room for no more than two."""
_COLOURS: Final = "$text-primary", "$text-warning"
_SIGNS: Final = "◂ ", "▸ "
_DIM: Final = "$foreground 55%"


class CompareHead(Static):
    """The runs' names above their sides, and below them what is known of both and differs."""

    DEFAULT_CSS = """
    CompareHead { height: auto; max-height: 60%; background: $panel; text-wrap: nowrap; }
    """

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = names
        self._comparison: Comparison | None = None
        self._facts: Sequence[Fact] = ()
        self._all = False

    def show(self, comparison: Comparison, facts: Sequence[Fact]) -> None:
        """Show another comparison, and what differs in its runs."""
        self._comparison, self._facts = comparison, facts
        self.follow()

    def toggle_facts(self) -> None:
        """Show all facts that differ, or the first of them."""
        self._all = not self._all
        self.follow()

    def follow(self) -> None:
        """Another side is chosen, the sides are arranged otherwise, or the screen has another size."""
        comparison, size = self._comparison, self.screen.size
        sides = comparison is None or comparison.sides
        width = side_width(size.width - 1) if sides else size.width - 4
        most = _FEW if size.height >= _LOW else 2
        if self._all:
            most = max(most, size.height // 2)
        shown = self._facts if len(self._facts) <= most + 1 else self._facts[:most]
        lines = [*self._name_lines(width, sides), *_fact_lines(shown, width, sides)]
        if len(shown) < len(self._facts):
            more = f"⋯ {len(self._facts) - len(shown)} more: {key_of('compare.facts')}"
            lines.append(Content.assemble(" " * GUTTER, (more, _DIM)))
        self.update(Content("\n").join(lines))

    def _name_lines(self, width: int, sides: bool) -> list[Content]:
        chosen = self._comparison.side if self._comparison is not None else 0
        styles = [f"{'bold' if side == chosen else '$foreground 75%'} {colour}" for side, colour in enumerate(_COLOURS)]
        left, right = ((fit(name, width), style) for name, style in zip(self._names, styles, strict=True))
        if sides:
            return [Content.assemble(" " * GUTTER, left, " " * MIDDLE, right)]
        return [Content.assemble(sign, name) for sign, name in zip(_SIGNS, (left, right), strict=True)]


def _fact_lines(facts: Sequence[Fact], width: int, sides: bool) -> Iterator[Content]:
    column = min(32, max((cell_len(fact.name) for fact in facts), default=0) + 2, max(8, width // 2))
    for fact in facts:
        name = fit(fact.name, column - 1) + " ", _DIM
        left, right = fact.left or "–", fact.right or "–"
        if sides:
            values = fit(left, width - column) + " " * MIDDLE + fit(right, width)
        else:
            values = fit(f"{left} → {right}" if fact.differs else left, max(4, width - column))
        yield Content.assemble(" " * GUTTER, name, values)
