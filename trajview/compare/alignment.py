"""Two transcripts, aligned by action unit and, within units that correspond, by message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NamedTuple, TypeVar

from trajview.models.transcript import Transcript

from .prints import features_of, prints_of
from .sequence import Block, matches, nothing
from .similar import Features, similar

__all__ = ["Alignment", "Kind", "MessageRow", "Row", "align", "rows_between"]

T = TypeVar("T", str, bytes)


class Kind(Enum):
    """The relation of the two sides of a row."""

    SAME = "same"
    CHANGED = "changed"
    """The sides correspond, and differ."""
    OTHER = "other"
    """The sides have too little in common to correspond, and stand beside each other by their place only."""
    LEFT = "left"
    """There is a left side only."""
    RIGHT = "right"


class Row(NamedTuple):
    """An action unit of the left transcript beside one of the right; None where there is none."""

    left: int | None
    right: int | None
    kind: Kind


class MessageRow(NamedTuple):
    """A message beside one of the other transcript; `row` is the row of units that it belongs to."""

    left: int | None
    right: int | None
    kind: Kind
    row: int


@dataclass(slots=True)
class Alignment:
    """Every unit, and every message, of both transcripts exactly once and in order."""

    left: Transcript
    right: Transcript
    units: list[Row] = field(default_factory=list)
    messages: list[MessageRow] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    """The index of each unit row's first message row."""

    @property
    def prefix(self) -> int:
        """The number of equal units at the start: the index of the row of the first divergence."""
        return next((index for index, row in enumerate(self.units) if row.kind is not Kind.SAME), len(self.units))

    @property
    def same(self) -> bool:
        """Whether both transcripts say the same throughout."""
        return self.prefix == len(self.units)

    def unit_of(self, row: int) -> int:
        """The index of the unit row that a message row is in."""
        return self.messages[row].row

    def begins_unit(self, row: int) -> bool:
        """Whether a message row is the first one of its unit row."""
        return self.starts[self.unit_of(row)] == row

    def count(self, kind: Kind) -> int:
        """The number of unit rows of a kind."""
        return sum(row.kind is kind for row in self.units)

    def differences(self) -> list[int]:
        """The message rows at which a difference begins: in each unit that differs, and again within it."""
        found = []
        ends = [*self.starts, len(self.messages)][1:]
        for row, start, end in zip(self.units, self.starts, ends, strict=True):
            if row.kind is Kind.SAME:
                continue
            differs = [self.messages[index].kind is not Kind.SAME for index in range(start, end)]
            found += [
                start + index for index, here in enumerate(differs) if here and not (index and differs[index - 1])
            ]
        return found


_READ: Final = 0.6
"""The approximate share of the work that reading every message once is."""


def align(
    left: Transcript,
    right: Transcript,
    check: Callable[[], None] = nothing,
    progress: Callable[[float], None] = lambda _share: None,
) -> Alignment:
    """Align two transcripts: equal messages first, then similar ones between them.

    About linear in their sizes; `check` is called all the while and may raise, as `Cancelled`, to end it. `progress` is
    told now and then which share is done, 0 to 1.
    """
    total = max(1, len(left.messages) + len(right.messages))
    prints = (
        prints_of(left, check, lambda read: progress(_READ * read / total)),
        prints_of(right, check, lambda read: progress(_READ * (len(left.messages) + read) / total)),
    )
    found = Alignment(left, right)
    units = left.units_of_action, right.units_of_action

    def features(side: int, unit: int) -> Features:
        messages = prints[side].transcript.messages
        if unit % 64 == 0:
            progress(_READ + (1 - _READ) * unit / len(units[side]))
        return features_of([messages[index] for index in units[side][unit][:16]])

    found.units = rows_between(prints[0].units, prints[1].units, features, check)
    for number, row in enumerate(found.units):
        if number % 128 == 0:
            check()
        found.starts.append(len(found.messages))
        members = (
            units[0][row.left] if row.left is not None else [],
            units[1][row.right] if row.right is not None else [],
        )
        found.messages += [
            MessageRow(
                None if i is None else members[0][i], None if j is None else members[1][j], kind, number
            )
            for i, j, kind in _messages_of(row.kind, members, (prints[0].messages, prints[1].messages), (left, right))
        ]  # fmt: skip
    return found


def _messages_of(
    kind: Kind,
    members: tuple[list[int], list[int]],
    prints: tuple[list[bytes], list[bytes]],
    transcripts: tuple[Transcript, Transcript],
) -> list[Row]:
    """The message rows of a unit row, numbered within the units."""
    if kind is Kind.SAME:
        return [Row(index, index, kind) for index in range(len(members[0]))]
    if kind is not Kind.CHANGED:
        return _unmatched_rows(0, len(members[0]), 0, len(members[1]))
    own = [[prints[side][index] for index in members[side]] for side in (0, 1)]
    return rows_between(
        own[0], own[1], lambda side, index: features_of([transcripts[side].messages[members[side][index]]])
    )


def rows_between(
    left: Sequence[T],
    right: Sequence[T],
    features: Callable[[int, int], Features],
    check: Callable[[], None] = nothing,
    least: float | None = None,
) -> list[Row]:
    """Rows for two sequences of fingerprints; `features(side, index)` is asked where they differ (0 left, 1 right)."""
    left, right = list(left), list(right)
    if right < left:
        turned = rows_between(right, left, lambda side, index: features(1 - side, index), check, least)
        sides = {Kind.LEFT: Kind.RIGHT, Kind.RIGHT: Kind.LEFT}
        return [Row(j, i, sides.get(kind, kind)) for i, j, kind in turned]
    rows: list[Row] = []
    at = 0, 0
    for block in [*matches(left, right, check), (len(left), len(right), 0)]:
        rows += _gap(at, block, features, check, least)
        i, j, size = block
        rows += [Row(i + step, j + step, Kind.SAME) for step in range(size)]
        at = i + size, j + size
    return rows


def _gap(
    at: tuple[int, int],
    block: Block,
    features: Callable[[int, int], Features],
    check: Callable[[], None],
    least: float | None,
) -> list[Row]:
    """The rows between two blocks of equal items."""
    (a, b), (a_end, b_end, _) = at, block
    if a == a_end or b == b_end:
        return _unmatched_rows(a, a_end, b, b_end)
    both: list[list[Features]] = []
    for side, start, end in ((0, a, a_end), (1, b, b_end)):
        seen = []
        for index in range(start, end):
            if index % 64 == 0:
                check()
            seen.append(features(side, index))
        both.append(seen)
    rows: list[Row] = []
    pairs = similar(both[0], both[1], check) if least is None else similar(both[0], both[1], check, least)
    here = a, b
    for i, j in pairs:
        rows += _unmatched_rows(here[0], a + i, here[1], b + j)
        rows.append(Row(a + i, b + j, Kind.CHANGED))
        here = a + i + 1, b + j + 1
    return rows + _unmatched_rows(here[0], a_end, here[1], b_end)


def _unmatched_rows(a: int, a_end: int, b: int, b_end: int) -> list[Row]:
    """The rows of items without a counterpart, put beside each other by their place."""
    both = min(a_end - a, b_end - b)
    rows = [Row(a + step, b + step, Kind.OTHER) for step in range(both)]
    rows += [Row(index, None, Kind.LEFT) for index in range(a + both, a_end)]
    rows += [Row(None, index, Kind.RIGHT) for index in range(b + both, b_end)]
    return rows
