"""Two runs as a text diff: unified, or side by side where there is room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from trajview.compare.alignment import Alignment, Kind, MessageRow
from trajview.compare.facts import Fact
from trajview.compare.plain import message_lines, speaker
from trajview.compare.text import LinePair, pair_lines
from trajview.textsafe import one_line, safe_text

from .tables import cells

__all__ = ["Style", "compared"]

_REMOVED, _ADDED, _HEAD, _DIM = "31", "32", "1", "2"
_STRONG: Final = "7"
_SIGN: Final = {Kind.LEFT: "-", Kind.RIGHT: "+"}


@dataclass(frozen=True, slots=True)
class Style:
    """The style of a diff. `width`: columns for both sides together, 0 for a unified diff."""

    colour: bool = False
    width: int = 0
    context: int = 3

    def painted(self, text: str, sgr: str) -> str:
        """The text in a colour, where there are colours."""
        return f"\x1b[{sgr}m{text}\x1b[0m" if self.colour and text else text


def compared(titles: tuple[str, str], facts: Sequence[Fact], found: Alignment, style: Style) -> Iterator[str]:
    """The lines of a diff: its two sides, the facts about both, then the differences by action unit."""
    yield style.painted(f"--- {one_line(titles[0], 300)}", _HEAD)
    yield style.painted(f"+++ {one_line(titles[1], 300)}", _HEAD)
    widest = max((cells(fact.name) for fact in facts), default=0)
    for fact in facts:
        name = fact.name + " " * (widest - cells(fact.name))
        sides = style.painted(fact.left or "–", _REMOVED), style.painted(fact.right or "–", _ADDED)
        yield f"    {name}  {sides[0]} → {sides[1]}" if fact.differs else f"    {name}  {fact.left}"
    ends = [*found.starts, len(found.messages)][1:]
    same: list[int] = []
    for number, row in enumerate(found.units):
        if row.kind is Kind.SAME:
            same.append(number)
            continue
        if same:
            yield _same_text(found, same, style)
            same = []
        yield style.painted(f"@@ {_unit(found, number)} @@", "36")
        for message in found.messages[found.starts[number] : ends[number]]:
            yield from _message(found, message, style)
    if same:
        yield _same_text(found, same, style)


def _unit(found: Alignment, number: int) -> str:
    left, right, kind = found.units[number]
    if kind is Kind.LEFT:
        return f"unit {left} of the left run only"
    if kind is Kind.RIGHT:
        return f"unit {right} of the right run only"
    which = f"unit {left}" if left == right else f"unit {left} | {right}"
    return f"{which}: {'changed' if kind is Kind.CHANGED else 'other'}"


def _same_text(found: Alignment, rows: Sequence[int], style: Style) -> str:
    first, last = found.units[rows[0]], found.units[rows[-1]]
    spans = [str(a) if a == b else f"{a} to {b}" for a, b in zip(first[:2], last[:2], strict=True)]
    where = spans[0] if spans[0] == spans[1] else " | ".join(spans)
    return style.painted(f"== unit{'s' * (len(rows) > 1)} {where}: the same", _DIM)


def _message(found: Alignment, row: MessageRow, style: Style) -> Iterator[str]:
    left = found.left.messages[row.left] if row.left is not None else None
    right = found.right.messages[row.right] if row.right is not None else None
    who = dict.fromkeys(
        f"{speaker(message)}, message {number}"
        for message, number in ((left, row.left), (right, row.right))
        if message is not None
    )
    yield style.painted(f"  {one_line(' | '.join(who), 300)}", _HEAD)
    if row.kind is Kind.SAME:
        assert left is not None
        count = len(message_lines(left))
        yield style.painted(f"    ({_counted(count)} the same)" if count else "    (empty in both)", _DIM)
        return
    lines = [
        list(map(_shown, message_lines(message))) if message is not None else [] for message in (left, right)
    ]  # fmt: skip
    pairs = pair_lines(lines[0], lines[1])
    for pair in _with_context(pairs, style.context):
        if isinstance(pair, int):
            yield style.painted(f"    ⋮ {_counted(pair)} the same", _DIM)
        elif style.width:
            yield from _side_by_side(pair, lines, style)
        else:
            yield from _unified(pair, lines, style)


def _shown(line: str) -> str:
    return safe_text(line.expandtabs(4)).replace("\n", " ")


def _counted(lines: int) -> str:
    return f"{lines:,} line{'s' * (lines != 1)}"


def _with_context(pairs: Sequence[LinePair], context: int) -> Iterator[LinePair | int]:
    """The pairs with `context` equal lines around differences; a number stands for those left out."""
    shown = bytearray(len(pairs))
    for index, pair in enumerate(pairs):
        if pair.kind is not Kind.SAME:
            start, end = max(0, index - context), min(len(pairs), index + context + 1)
            shown[start:end] = b"\x01" * (end - start)
    left_out = 0
    for index, pair in enumerate(pairs):
        if not shown[index]:
            left_out += 1
            continue
        if left_out:
            yield left_out
            left_out = 0
        yield pair
    if left_out:
        yield left_out


def _marked(text: str, spans: Sequence[tuple[int, int]], sgr: str, style: Style) -> str:
    """A line in a colour, with some pieces of it standing out."""
    if not style.colour:
        return text
    found, at = [], 0
    for start, end in spans:
        found += [style.painted(text[at:start], sgr), style.painted(text[start:end], f"{sgr};{_STRONG}")]
        at = end
    return "".join([*found, style.painted(text[at:], sgr)])


def _unified(pair: LinePair, lines: Sequence[Sequence[str]], style: Style) -> Iterator[str]:
    if pair.kind is Kind.SAME:
        assert pair.left is not None
        yield f"    {lines[0][pair.left]}"
        return
    if pair.left is not None:
        yield style.painted("-   ", _REMOVED) + _marked(lines[0][pair.left], pair.left_spans, _REMOVED, style)
    if pair.right is not None:
        yield style.painted("+   ", _ADDED) + _marked(lines[1][pair.right], pair.right_spans, _ADDED, style)


def _side_by_side(pair: LinePair, lines: Sequence[Sequence[str]], style: Style) -> Iterator[str]:
    room = max(10, (style.width - 3) // 2)
    sign = {Kind.SAME: " ", Kind.CHANGED: "|", Kind.LEFT: "<", Kind.RIGHT: ">"}[pair.kind]
    same = pair.kind is Kind.SAME
    left = _wrapped(lines[0], pair.left, pair.left_spans, "" if same else _REMOVED, room, style)
    right = _wrapped(lines[1], pair.right, pair.right_spans, "" if same else _ADDED, room, style)
    for number in range(max(len(left), len(right))):
        a, width = left[number] if number < len(left) else ("", 0)
        b = right[number][0] if number < len(right) else ""
        yield f"{a}{' ' * (room - width)} {style.painted(sign, _DIM)} {b}".rstrip()


def _wrapped(
    lines: Sequence[str], index: int | None, spans: Sequence[tuple[int, int]], sgr: str, room: int, style: Style
) -> list[tuple[str, int]]:
    """The rows of a line, each with its cells."""
    if index is None:
        return []
    rows, start = [], 0
    for piece in _pieces(lines[index], room):
        end = start + len(piece)
        own = [(max(a, start) - start, min(b, end) - start) for a, b in spans if a < end and b > start]
        rows.append((_marked(piece, own, sgr, style) if sgr else piece, cells(piece)))
        start = end
    return rows


def _pieces(text: str, room: int) -> list[str]:
    if text.isascii():
        return [text[at : at + room] for at in range(0, len(text), room)] or [""]
    from rich.cells import chop_cells

    return chop_cells(text, room) or [""]
