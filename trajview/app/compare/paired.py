"""The lines of a message beside those of another: which belong together, what differs in them, and what is folded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Final, NamedTuple

from trajview.app.render.blocks import message_lines
from trajview.app.render.headers import unit_header
from trajview.app.render.layout import Layout, lay_out
from trajview.app.render.lines import Line
from trajview.app.render.options import Fold, ViewOptions
from trajview.compare.alignment import Alignment, Kind, Row
from trajview.compare.text import pair_lines
from trajview.models.transcript import Transcript

__all__ = [
    "Pair",
    "Paired",
    "PairedLines",
    "PairedRow",
    "lay_out_pair",
    "paired_lines",
    "stretch_lines",
    "waiting_lines",
]

_CONTEXT: Final = 2
"""Equal lines that stay beside those that differ."""
_LABELS: Final = {
    Kind.SAME: ("same", "dim"), Kind.CHANGED: ("changed", "hit"), Kind.OTHER: ("other", "hit"),
    Kind.LEFT: ("only here", "hit"), Kind.RIGHT: ("only here", "hit"),
}  # fmt: skip


class Pair(NamedTuple):
    """A line of the left side beside one of the right, by index; None where there is none."""

    left: int | None
    right: int | None
    kind: Kind


@dataclass(slots=True)
class PairedLines:
    """The lines of both sides, and which are beside each other."""

    left: list[Line]
    right: list[Line]
    pairs: list[Pair]
    loose: bool = False
    """The sides have nothing to do with each other: their rows are beside each other as they come."""


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


def stretch_lines(found: Alignment, first: int, count: int) -> PairedLines:
    """A folded stretch of units that are the same: a line that says so."""
    lines = []
    for side in (0, 1):
        a, b = found.units[first][side], found.units[first + count - 1][side]
        label = Line(f"⋯ units {a} to {b}: the same", style="fold", action="fold", ours=True, one_row=True)
        lines.append([label, Line("")])
    return PairedLines(lines[0], lines[1], [Pair(0, 0, Kind.SAME), Pair(1, 1, Kind.SAME)])


def waiting_lines(found: Alignment, row: int, *, begins: bool) -> PairedLines:
    """What stands for a row of messages whose lines are still being paired."""
    left, right = ([Line("⋯ comparing…", style="fold", ours=True, one_row=True), Line("")] for _ in (0, 1))
    if begins:
        _add_headers(found, found.messages[row].row, left, right, True)
    return PairedLines(left, right, [Pair(index, index, Kind.SAME) for index in range(len(left))])


def paired_lines(
    found: Alignment, row: int, *, begins: bool, whole: bool, sides: bool, options: ViewOptions
) -> PairedLines:
    """The lines of a row of messages. `begins`: its unit's header first; `whole`: nothing is folded."""
    message = found.messages[row]
    kind = message.kind
    fold = Fold.OPEN if whole or kind is Kind.CHANGED else Fold.PREVIEW
    most = options.preview_lines if kind is Kind.SAME else 2 * _CONTEXT + 1
    if kind is Kind.SAME:
        options = replace(options, preview_lines=1)
    left = _side(found.left, message.left, fold, options)
    right = _side(found.right, message.right, fold, options)
    if not left or not right:
        pairs = _alone(left or right, Kind.LEFT if left else Kind.RIGHT)
    elif kind is Kind.OTHER:
        pairs = _unlike(left, right)
    else:
        # Output that is the same is folded already, as in a transcript: what is folded there is never built.
        may_fold = not whole and not (kind is Kind.SAME and _is_output(found.left, message.left))
        pairs = _alike(left, right, most if may_fold else None)
    if begins:
        _add_headers(found, message.row, left, right, sides)
        pairs = _below_headers(found.units[message.row], pairs)
    return PairedLines(left, right, pairs, loose=kind is Kind.OTHER)


def _unlike(left: Sequence[Line], right: Sequence[Line]) -> list[Pair]:
    """Two messages that have nothing to do with each other: their lines beside each other as they come."""
    _tint(left[1:-1], Kind.LEFT)
    _tint(right[1:-1], Kind.RIGHT)
    body = zip_longest(range(len(left) - 1), range(len(right) - 1))
    return [*(Pair(i, j, Kind.OTHER) for i, j in body), Pair(len(left) - 1, len(right) - 1, Kind.SAME)]


def _alike(left: list[Line], right: list[Line], most: int | None) -> list[Pair]:
    """Two messages that belong together, line by line; more than `most` equal lines in a row are folded."""
    pairs = _body(left, right)
    if most is not None:
        pairs = _folded(left, right, pairs, most)
    return [Pair(0, 0, Kind.SAME), *pairs, Pair(len(left) - 1, len(right) - 1, Kind.SAME)]


def _below_headers(unit: Row, pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs moved down by the headers of a unit, which are before them now."""
    down_left, down_right = int(unit.left is not None), int(unit.right is not None)
    return [
        Pair(0 if down_left else None, 0 if down_right else None, _own(unit.kind)),
        *(
            Pair(None if i is None else i + down_left, None if j is None else j + down_right, kind)
            for i, j, kind in pairs
        ),
    ]


def _is_output(transcript: Transcript, number: int | None) -> bool:
    return number is not None and transcript.messages[number].role == "tool"


def _own(kind: Kind) -> Kind:
    return kind if kind in (Kind.LEFT, Kind.RIGHT) else Kind.SAME


def _add_headers(found: Alignment, number: int, left: list[Line], right: list[Line], sides: bool) -> None:
    """Put the header of the unit before the lines of each side that has it."""
    row = found.units[number]
    for transcript, unit, lines in ((found.left, row.left, left), (found.right, row.right, right)):
        if unit is not None:
            header = unit_header(transcript, unit, [])
            label, style = _LABELS[row.kind]
            if not sides and row.left is not None and row.right is not None and row.left != row.right:
                label += f" · unit {row.right} at the right"
            header.right = label, style
            lines.insert(0, header)


def _side(transcript: Transcript, number: int | None, fold: Fold, options: ViewOptions) -> list[Line]:
    """A message's lines: its header first, an empty one last; none where there is no message."""
    if number is None:
        return []
    lines = message_lines(transcript.messages[number], fold, options, number)
    lines[0].one_row = True
    lines.append(Line(""))
    return lines


def _alone(lines: list[Line], side: Kind) -> list[Pair]:
    _tint(lines[1:-1], side)
    last = len(lines) - 1
    return [
        Pair(
            i if side is Kind.LEFT else None,
            i if side is Kind.RIGHT else None,
            side if i < last else Kind.SAME,
        )
        for i in range(len(lines))
    ]


def _body(left: Sequence[Line], right: Sequence[Line]) -> list[Pair]:
    """The lines of two messages between header and end beside each other, with the words that differ marked."""
    texts = [line.text for line in left[1:-1]], [line.text for line in right[1:-1]]
    if texts[0] == texts[1]:
        return [Pair(i + 1, i + 1, Kind.SAME) for i in range(len(texts[0]))]
    pairs = []
    for i, j, own, left_spans, right_spans in pair_lines(*texts):
        pairs.append(Pair(None if i is None else i + 1, None if j is None else j + 1, own))
        if own is Kind.SAME:
            continue
        if i is not None:
            _mark(left[i + 1], left_spans, Kind.LEFT)
        if j is not None:
            _mark(right[j + 1], right_spans, Kind.RIGHT)
    return pairs


def _tint(lines: Sequence[Line], side: Kind) -> None:
    for line in lines:
        _mark(line, (), side)


def _mark(line: Line, spans: Sequence[tuple[int, int]], side: Kind) -> None:
    """Show that a line is on this side only, or these pieces of it are."""
    if line.finish is not None:
        line.finish()  # it colours the whole block, and would paint over this
        line.finish = None
    if not line.ours:
        line.fill = f"only.{side.value}"
    line.spans += [(start, end, f"word.{side.value}") for start, end in spans]


def _folded(left: list[Line], right: list[Line], pairs: list[Pair], most: int) -> list[Pair]:
    """The pairs with long stretches of equal lines folded; a line that says so is added to both sides."""
    kept: list[Pair] = []
    ends = len(left) - 1, len(right) - 1
    folds: list[tuple[Line, Line]] = []
    at = 0
    while at < len(pairs):
        end = at
        while end < len(pairs) and pairs[end].kind is Kind.SAME:
            end += 1
        # Beside the header nothing differs: there the first line alone says what it is about.
        before = _CONTEXT if at else 1
        after = _CONTEXT if end < len(pairs) else 0
        count = end - at - before - after
        if end - at > most and count > 1:
            fold = [
                Line(f"⋯ {count:,} lines the same", style="fold", action="fold", ours=True, indent=2) for _ in (0, 1)
            ]
            kept += pairs[at : at + before]
            kept.append(Pair(ends[0] + len(folds), ends[1] + len(folds), Kind.SAME))
            folds.append((fold[0], fold[1]))
            kept += pairs[end - after : end]
        else:
            kept += pairs[at:end]
        at = end
        while at < len(pairs) and pairs[at].kind is not Kind.SAME:
            kept.append(pairs[at])
            at += 1
    # The empty lines at the ends stay the last ones.
    left[-1:-1] = [fold[0] for fold in folds]
    right[-1:-1] = [fold[1] for fold in folds]
    return kept


def lay_out_pair(lines: PairedLines, widths: tuple[int, int], sides: bool) -> Paired:
    """The rows of both sides: padded so that what belongs together is on one row, or one side below the other."""
    shown_left, at_left = _shown(lines.left, [i for i, _, _ in lines.pairs if i is not None])
    shown_right, at_right = _shown(lines.right, [j for _, j, _ in lines.pairs if j is not None])
    left, right = lay_out(shown_left, widths[0]), lay_out(shown_right, widths[1])
    found = Paired(left, right, [])
    rows_left, rows_right = _rows_of(left, at_left), _rows_of(right, at_right)
    if not sides:
        _below(found, lines.pairs, rows_left, rows_right)
    elif lines.loose:
        _loosely(found, lines.pairs, rows_left, rows_right)
    else:
        for i, j, kind in lines.pairs:
            a, b = rows_left(i), rows_right(j)
            found.rows += [PairedRow(x, y, kind) for x, y in zip_longest(a, b)]
    return found


def _shown(lines: Sequence[Line], wanted: Sequence[int]) -> tuple[list[Line], dict[int, int]]:
    """The lines that are not folded away, and where each of them is among these."""
    return [lines[index] for index in wanted], {index: number for number, index in enumerate(wanted)}


def _rows_of(layout: Layout, at: Mapping[int, int]) -> Callable[[int | None], Sequence[int]]:
    """From a line, as the pairs count them, to its rows."""
    first: dict[int, int] = {}
    count: dict[int, int] = {}
    for number, (index, _, _) in enumerate(layout.rows):
        first.setdefault(index, number)
        count[index] = count.get(index, 0) + 1

    def rows(index: int | None) -> Sequence[int]:
        if index is None:
            return ()
        line = at[index]
        return range(first[line], first[line] + count[line])

    return rows


def _loosely(
    found: Paired,
    pairs: Sequence[Pair],
    rows_left: Callable[[int | None], Sequence[int]],
    rows_right: Callable[[int | None], Sequence[int]],
) -> None:
    """Rows beside each other as they come, between headers and ends that are paired."""
    loose: tuple[list[int], list[int]] = ([], [])

    def flush() -> None:
        found.rows += [PairedRow(x, y, Kind.OTHER) for x, y in zip_longest(*loose)]
        loose[0].clear()
        loose[1].clear()

    for i, j, kind in pairs:
        if kind is Kind.OTHER:
            loose[0].extend(rows_left(i))
            loose[1].extend(rows_right(j))
            continue
        flush()
        found.rows += [PairedRow(x, y, kind) for x, y in zip_longest(rows_left(i), rows_right(j))]
    flush()


def _below(
    found: Paired,
    pairs: Sequence[Pair],
    rows_left: Callable[[int | None], Sequence[int]],
    rows_right: Callable[[int | None], Sequence[int]],
) -> None:
    """What is the same once; of what differs the left lines, then the right ones."""
    waiting: list[PairedRow] = []
    for i, j, kind in pairs:
        if kind is Kind.SAME:
            found.rows += waiting
            waiting.clear()
            if i is not None:
                found.rows += [PairedRow(row, None, kind) for row in rows_left(i)]
            else:
                found.rows += [PairedRow(None, row, kind) for row in rows_right(j)]
            continue
        found.rows += [PairedRow(row, None, Kind.LEFT) for row in rows_left(i)]
        waiting += [PairedRow(None, row, Kind.RIGHT) for row in rows_right(j)]
    found.rows += waiting
