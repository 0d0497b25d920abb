"""An episode with its annotators side by side, as lines of text in columns, without Textual."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from rich.cells import cell_len, set_cell_size

from trajview.annotation.rubric import written
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.annotation.disagreement import Comparison, Disagreement, Row
    from trajview.app.agreement.settling import Settling

__all__ = ["Cell", "Look", "queue_row", "sheet"]

Look = Literal["", "agent", "heading", "faint", "near", "far", "gold", "cursor", "bad"]
"""What a cell is, for who gives it a colour."""

_NARROWEST: Final = 5
_WIDEST_NAME: Final = 12
_WIDEST_LABEL: Final = 31
_LEAST_ID: Final = 8
_NEAR: Final = 0.15
_FAR: Final = 0.3
"""From this share of the scale on, a difference is far; from the other one on, it is worth a look."""


class Cell(NamedTuple):
    """Some text of a line."""

    text: str
    look: Look = ""


def queue_row(found: Disagreement, width: int, name: str = "") -> list[Cell]:
    """An episode in the list, by its name if it is known: how far apart, which one, who, and whether it is settled."""
    settled = "✓" if found.settled else " "
    spread = "  – " if found.hidden else f"{found.spread:4.0%}"
    who = f"{len(found.annotators)}"
    room = max(4, width - len(spread) - len(who) - 6)
    id = one_line(found.episode, 200)
    shown = one_line(name or id, 200)
    shown = _fit(shown, min(cell_len(shown), room))
    left = room - cell_len(shown)
    # Beside a name the id is a help: a few cells of it, or none.
    beside = _fit(f"  {id}", left) if name and left >= _LEAST_ID else " " * left
    look: Look = "faint" if found.hidden or not found.spread else "far" if found.spread >= _FAR else ""
    return [
        Cell(spread, look),
        Cell(f"  {shown}", "faint" if found.hidden else ""),
        Cell(f"{beside}  ", "faint"),
        Cell(who, "faint"),
        Cell(f" {settled}", "gold"),
    ]


def sheet(
    found: Comparison, agents: Sequence[str], settling: Settling | None = None, *, room: int = 80, focused: bool = False
) -> tuple[list[list[Cell]], int | None]:
    """The table, agent by agent, and the line of the cursor where there is one.

    Annotators' names are cut where all of them would be wider than `room`.
    """
    golds = settling is not None or any(row.gold is not None for row in found.rows)
    label = min(
        _WIDEST_LABEL, max([len("agent 00"), *(cell_len(one_line(row.dimension.label, 40)) for row in found.rows)])
    )
    label = min(label, max(12, room // 3))
    each = (room - label - 8 - (9 if golds else 0)) // max(1, len(found.annotators)) - 1
    names = [one_line(who, 40) for who in found.annotators]
    widths = [max(_NARROWEST, min(cell_len(name), _WIDEST_NAME, each)) for name in names]
    lines: list[list[Cell]] = []
    at = None
    before = None
    for row in found.rows:
        if row.agent != before:
            if lines:
                lines.append([])
            agent = agents[row.agent] if row.agent < len(agents) else f"agent {row.agent + 1}"
            head = [Cell(_fit(one_line(agent, 60), label), "agent")]
            head += [Cell(" " + _right(name, width), "heading") for name, width in zip(names, widths, strict=True)]
            head.append(Cell("   apart", "heading"))
            lines.append([*head, Cell("     gold", "gold")] if golds else head)
            before = row.agent
        if settling is not None and focused and row == settling.row:
            at = len(lines)
        lines.append(_row(row, found.annotators, widths, label, golds, settling, focused))
    return lines, at


def _row(
    row: Row,
    who: Sequence[str],
    widths: Sequence[int],
    label: int,
    golds: bool,
    settling: Settling | None,
    focused: bool,
) -> list[Cell]:
    same = not row.spread
    cells = [Cell(_fit(one_line(row.dimension.label, 40), label), "faint" if same else "")]
    values = row.scores.values()
    extremes = (min(values), max(values)) if values and not same else ()
    for name, width in zip(who, widths, strict=True):
        score = row.scores.get(name)
        text = "·" if score is None else written(round(score, 2))
        look: Look = "faint" if same or score is None else _look(row) if score in extremes else ""
        cells.append(Cell(" " + _right(text, width), look))
    apart = written(round(max(values) - min(values), 2)) if len(row.scores) > 1 else "–"
    cells.append(Cell(f"{apart:>8}", "faint" if same else _look(row)))
    if golds:
        cells += _gold(row, settling, focused)
    return cells


def _look(row: Row) -> Look:
    spread = row.spread or 0
    return "far" if spread >= _FAR else "near" if spread >= _NEAR else ""


def _gold(row: Row, settling: Settling | None, focused: bool) -> list[Cell]:
    if settling is None or row not in settling.rows:
        return [Cell(f"{'' if row.gold is None else written(round(row.gold, 2)):>9}", "gold")]
    text = settling.text(row)
    look: Look = "bad" if settling.bad(row) else "gold"
    if focused and row == settling.row:
        return [Cell("   "), Cell(f"{text:>6}", "bad" if look == "bad" else "cursor")]
    return [Cell(f"{text or '·':>9}", look if text else "faint")]


def _right(text: str, width: int) -> str:
    cut = text if cell_len(text) <= width else set_cell_size(text, width - 1) + "…"
    return " " * (width - cell_len(cut)) + cut


def _fit(text: str, width: int) -> str:
    return set_cell_size(text, width) if cell_len(text) <= width else set_cell_size(text, width - 1) + "…"
