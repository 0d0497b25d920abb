"""What stands above two runs that are compared: their names, their rewards, and what else differs."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from trajview.app.compare.comparison import GUTTER, MIDDLE
from trajview.app.keys import key_of
from trajview.compare.facts import Fact

__all__ = ["head_said"]

_COLOURS = "$text-primary", "$text-warning"
_SIGNS = "◂ ", "▸ "
_DIM = "$foreground 55%"


def head_said(
    names: Sequence[str], facts: Sequence[Fact], left_out: int, widths: tuple[int, int], chosen: int, *, sides: bool
) -> Content:
    """The lines of the head. `chosen` is the side that Enter opens; not `sides`: one side is below the other."""
    lines: list[Content] = []
    named = [
        (
            _cut(name, width),
            f"{'bold' if side == chosen else '$foreground 75%'} {_COLOURS[side]}",
        )
        for side, (name, width) in enumerate(zip(names, widths, strict=True))
    ]
    if sides:
        lines.append(Content.assemble(" " * GUTTER, named[0], " " * MIDDLE, named[1]))
    else:
        lines += [Content.assemble(sign, name) for sign, name in zip(_SIGNS, named, strict=True)]
    room = widths[0]
    column = min(32, max((cell_len(fact.name) for fact in facts), default=0) + 2, max(8, room // 2))
    for fact in facts:
        name = _cut(fact.name, column - 1) + " ", _DIM
        values = fact.left or "–", fact.right or "–"
        if sides:
            beside = _cut(values[0], room - column) + " " * MIDDLE + _cut(values[1], widths[1])
            lines.append(Content.assemble(" " * GUTTER, name, beside))
        else:
            said = " → ".join(values) if fact.differs else values[0]
            lines.append(Content.assemble(" " * GUTTER, name, _cut(said, max(4, room - column))))
    if left_out:
        lines.append(Content.assemble(" " * GUTTER, (f"⋯ {left_out} more: {key_of('compare.facts')}", _DIM)))
    return Content("\n").join(lines)


def _cut(text: str, width: int) -> str:
    """The text in exactly so many cells."""
    if width <= 0:
        return ""
    size = cell_len(text)
    return text + " " * (width - size) if size <= width else set_cell_size(text, width - 1) + "…"
