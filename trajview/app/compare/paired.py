"""The lines of a message beside those of another: which belong together, what differs in them, and what is folded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest
from typing import Final, NamedTuple

from trajview.app.render.blocks import message_lines
from trajview.app.render.headers import unit_header
from trajview.app.render.layout import Layout, lay_out
from trajview.app.render.lines import Line
from trajview.app.render.options import Fold, ViewOptions
from trajview.compare.alignment import Alignment, Kind
from trajview.compare.text import pair_lines
from trajview.models.transcript import Transcript

__all__ = ["Pair", "Paired", "PairedRow", "header_of", "lay_out_pairs", "pairs_of", "stretch_of", "waiting"]

_CONTEXT: Final = 2
"""Equal lines that stay beside those that differ."""
_LABELS: Final = {
    Kind.SAME: ("same", "dim"), Kind.CHANGED: ("changed", "hit"), Kind.OTHER: ("other", "hit"),
    Kind.LEFT: ("only here", "hit"), Kind.RIGHT: ("only here", "hit"),
}  # fmt: skip


class Pair(NamedTuple):
    """A line of the left side beside one of the right; None where there is none."""

    left: Line | None
    right: Line | None
    kind: Kind
    """OTHER where the lines have nothing to do with each other: their rows are beside each other as they come."""


class PairedRow(NamedTuple):
    """A row of the left layout beside one of the right; where the width is shared, one of them is None."""

    left: int | None
    right: int | None
    kind: Kind


@dataclass(slots=True)
class Paired:
    """Both sides laid out, and the rows that are shown."""

    left: Layout
    right: Layout
    rows: list[PairedRow]


def stretch_of(found: Alignment, first: int, count: int) -> list[Pair]:
    """A folded stretch of units that are the same: a line that says so."""
    begin, end = found.units[first], found.units[first + count - 1]
    texts = [f"⋯ units {a} to {b}: the same" for a, b in ((begin.left, end.left), (begin.right, end.right))]
    return [_note(*texts, action="fold"), Pair(Line(""), Line(""), Kind.SAME)]


def waiting() -> list[Pair]:
    """What stands for a row of messages whose lines are still being paired."""
    return [_note("⋯ comparing…", "⋯ comparing…"), Pair(Line(""), Line(""), Kind.SAME)]


def _note(left: str, right: str, *, action: str = "", indent: int = 0) -> Pair:
    """A line of the viewer's own on each side."""
    a, b = (Line(text, style="fold", action=action, ours=True, one_row=True, indent=indent) for text in (left, right))
    return Pair(a, b, Kind.SAME)


def header_of(found: Alignment, number: int, *, sides: bool) -> Pair:
    """The headers of a row of units. Not `sides`: one side is below the other."""
    row = found.units[number]
    label, style = _LABELS[row.kind]
    if not sides and row.left is not None and row.right is not None and row.left != row.right:
        label += f" · unit {row.right} at the right"

    def header(transcript: Transcript, unit: int | None) -> Line | None:
        if unit is None:
            return None
        line = unit_header(transcript, unit, [])
        line.right = label, style
        return line

    kind = row.kind if row.kind in (Kind.LEFT, Kind.RIGHT) else Kind.SAME
    return Pair(header(found.left, row.left), header(found.right, row.right), kind)


def pairs_of(found: Alignment, row: int, *, whole: bool, options: ViewOptions) -> list[Pair]:
    """The lines of a row of messages, an empty one last. `whole`: nothing is folded."""
    message = found.messages[row]
    kind = message.kind
    fold = Fold.OPEN if whole or kind is Kind.CHANGED else Fold.PREVIEW
    most = options.preview_lines if kind is Kind.SAME else 2 * _CONTEXT + 1
    if kind is Kind.SAME:
        options = replace(options, preview_lines=1)
    left = _message_lines(found.left, message.left, fold, options)
    right = _message_lines(found.right, message.right, fold, options)
    if kind in (Kind.SAME, Kind.CHANGED):
        body = _alike(left[1:], right[1:])
        # Output that is the same is folded already, as in a transcript: what is folded there is never built.
        if not (whole or (kind is Kind.SAME and _is_output(found.left, message.left))):
            body = _folded(body, most)
        pairs = [Pair(left[0], right[0], Kind.SAME), *body]
    else:
        for lines, side in ((left, Kind.LEFT), (right, Kind.RIGHT)):
            for line in lines[1:]:
                _mark(line, (), side)
        pairs = [Pair(a, b, kind) for a, b in zip_longest(left, right)]
    return [*pairs, Pair(Line("") if left else None, Line("") if right else None, Kind.SAME)]


def _is_output(transcript: Transcript, number: int | None) -> bool:
    return number is not None and transcript.messages[number].role == "tool"


def _message_lines(transcript: Transcript, number: int | None, fold: Fold, options: ViewOptions) -> list[Line]:
    """A message's lines, its header first; none where there is no message."""
    if number is None:
        return []
    lines = message_lines(transcript.messages[number], fold, options, number)
    lines[0].one_row = True
    return lines


def _alike(left: Sequence[Line], right: Sequence[Line]) -> list[Pair]:
    """The lines of two messages that belong together beside each other, with the words that differ marked."""
    pairs = []
    found = pair_lines([line.text for line in left], [line.text for line in right])
    for i, j, kind, left_spans, right_spans in found:
        a, b = None if i is None else left[i], None if j is None else right[j]
        if kind is not Kind.SAME:
            _mark(a, left_spans, Kind.LEFT)
            _mark(b, right_spans, Kind.RIGHT)
        pairs.append(Pair(a, b, kind))
    return pairs


def _mark(line: Line | None, spans: Sequence[tuple[int, int]], side: Kind) -> None:
    """Show that a line is on this side only, or these pieces of it are."""
    if line is None:
        return
    if line.finish is not None:
        line.finish()  # it colours the whole block, and would paint over this
        line.finish = None
    if not line.ours:
        line.fill = f"only.{side.value}"
    line.spans += [(start, end, f"word.{side.value}") for start, end in spans]


def _folded(pairs: Sequence[Pair], most: int) -> list[Pair]:
    """The pairs with each stretch of more than `most` equal lines folded to a line that says so."""
    kept: list[Pair] = []
    at = 0
    for same, stretch in groupby(pairs, lambda pair: pair.kind is Kind.SAME):
        lines = [*stretch]
        # Beside the header nothing differs: there the first line alone says what it is about.
        before = _CONTEXT if at else 1
        at += len(lines)
        after = _CONTEXT if at < len(pairs) else 0
        count = len(lines) - before - after
        if same and len(lines) > most and count > 1:
            text = f"⋯ {count:,} lines the same"
            lines[before : before + count] = [_note(text, text, action="fold", indent=2)]
        kept += lines
    return kept


def lay_out_pairs(pairs: Sequence[Pair], width: int, sides: bool) -> Paired:
    """The rows of both sides: padded so that what belongs together is on one row, or one side below the other."""
    left = lay_out([pair.left for pair in pairs if pair.left is not None], width)
    right = lay_out([pair.right for pair in pairs if pair.right is not None], width)
    of_left, of_right = _rows_by_line(left), _rows_by_line(right)
    stretches: list[_Stretch] = []
    for a, b, kind in pairs:
        rows = [] if a is None else next(of_left), [] if b is None else next(of_right)
        stretches.append((*rows, kind))
    return Paired(left, right, [*(_beside(stretches) if sides else _below(stretches))])


_Stretch = tuple[list[int], list[int], Kind]
"""The rows of the lines of a pair."""


def _rows_by_line(layout: Layout) -> Iterator[list[int]]:
    for _, rows in groupby(range(len(layout.rows)), lambda number: layout.rows[number][0]):
        yield [*rows]


def _beside(stretches: Iterable[_Stretch]) -> Iterator[PairedRow]:
    """Each line beside the other of its pair; lines of no pair as they come."""
    for kind, together in groupby(stretches, lambda stretch: stretch[2]):
        if kind is Kind.OTHER:
            loose = [*together]
            lefts = [row for left, _, _ in loose for row in left]
            rights = [row for _, right, _ in loose for row in right]
            together = iter([(lefts, rights, kind)])
        for left, right, _ in together:
            yield from (PairedRow(a, b, kind) for a, b in zip_longest(left, right))


def _below(stretches: Iterable[_Stretch]) -> Iterator[PairedRow]:
    """What is the same once; of what differs the left lines, then the right ones."""
    for same, together in groupby(stretches, lambda stretch: stretch[2] is Kind.SAME):
        stretch = [*together]
        if same:
            for left, right, _ in stretch:
                yield from (PairedRow(row, None, Kind.SAME) for row in left)
                yield from (PairedRow(None, row, Kind.SAME) for row in ([] if left else right))
        else:
            yield from (PairedRow(row, None, Kind.LEFT) for left, _, _ in stretch for row in left)
            yield from (PairedRow(None, row, Kind.RIGHT) for _, right, _ in stretch for row in right)
