"""What a search across the corpus has found so far, as rows under a cursor, without Textual."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Literal

from trajview.corpus.matches import Hit
from trajview.corpus.search import RunMatches

if TYPE_CHECKING:
    from trajview.annotation.citations import Citation
    from trajview.corpus.info import Place

__all__ = ["AROUND", "FEW", "KEPT", "MOST", "WIDTH", "Group", "Landing", "Results", "Row"]

FEW: Final = 6
"""Hits that are kept of a run until more are asked for."""
MOST: Final = 2_000
"""Hits that are shown of one run: who wants more opens it."""
KEPT: Final = 20_000
"""Hits that are kept in all; of the runs after that only the counts are, and their hits are read when they are asked for."""
AROUND: Final = 3
WIDTH: Final = 240
"""Lines kept around each hit, and characters of each line."""


@dataclass(frozen=True, slots=True)
class Landing:
    """Where to open a run: at a message of a transcript, at a line of it, with a search under way.

    No message: where the run begins.
    """

    transcript: int
    message: int
    line: str
    typed: str
    citation: Citation | None = None
    """What is followed there, in place of the message."""


@dataclass(slots=True)
class Group:
    """A run that was found, and the hits in it that are shown."""

    found: RunMatches
    hits: Sequence[Hit]
    complete: bool
    reading: bool = False
    """Whether the rest of its hits is being read."""

    @property
    def left(self) -> int:
        """How many matches are not shown; about, where a match runs over several lines."""
        return 0 if self.complete else max(1, self.found.matches - sum(len(hit.spans) for hit in self.hits))

    @property
    def rows(self) -> int:
        """The heading, a row for each hit, and one that says what is left."""
        return 1 + len(self.hits) + (not self.complete)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the list: a run's heading, a hit of it, or what is left."""

    kind: Literal["run", "hit", "more"]
    group: Group
    hit: Hit | None = None


@dataclass(slots=True)
class Results:
    """The runs that one search has found, in order, as rows; the cursor is on one of them."""

    typed: str = ""
    groups: list[Group] = field(default_factory=list)
    state: Literal["none", "searching", "done", "stopped"] = "none"
    matches: int = 0
    messages: int = 0
    problems: int = 0
    cursor: int = 0
    arranged: bool = False
    """Whether the runs stand in another order than that in which they were found."""
    _found: list[Group] = field(default_factory=list)
    """The runs in the order in which they were found."""
    _starts: list[int] = field(default_factory=list)
    _count: int = 0

    def __len__(self) -> int:
        return self._count

    def add(self, found: RunMatches) -> None:
        """Take in a run, of which at most `FEW` hits were kept, or none."""
        shown = sum(len(hit.spans) for hit in found.hits)
        group = Group(found, found.hits, complete=0 < len(found.hits) < FEW or shown >= found.matches)
        if not self.groups:
            self.cursor = min(1, group.rows - 1)  # the first hit
        self._starts.append(self._count)
        self.groups.append(group)
        self._found.append(group)
        self._count += group.rows
        self.matches += found.matches
        self.messages += found.messages

    def arrange(self, rank: Mapping[Place, int] | None) -> bool:
        """Put the runs in this order, those without a rank last; None for that in which they were found.

        The cursor stays on its row. False where they stand so already, which is not said to be arranged then.
        """
        under, within = None, 0
        if self.groups:
            at = bisect_right(self._starts, self.cursor) - 1
            under, within = self.groups[at], self.cursor - self._starts[at]
        before, self.groups = self.groups, list(self._found)
        if rank is not None:
            last = len(rank)
            self.groups.sort(key=lambda group: rank.get(group.found.place, last))
        moved = any(a is not b for a, b in zip(before, self.groups, strict=True))
        self.arranged = rank is not None and moved
        self._starts = [0, *accumulate(group.rows for group in self.groups)][:-1]
        for start, group in zip(self._starts, self.groups, strict=True):
            if group is under:
                self.cursor = start + within
        return moved

    def row(self, index: int) -> Row:
        """A row by its number. Raises IndexError past the end."""
        if not 0 <= index < self._count:
            raise IndexError(index)
        at = bisect_right(self._starts, index) - 1
        group, within = self.groups[at], index - self._starts[at] - 1
        if within < 0:
            return Row("run", group)
        return Row("hit", group, group.hits[within]) if within < len(group.hits) else Row("more", group)

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        return self.row(self.cursor) if self._count else None

    def go(self, index: int) -> bool:
        """Put the cursor on a row, or on the nearest there is; whether it moved."""
        before, self.cursor = self.cursor, max(0, min(index, self._count - 1))
        return self.cursor != before

    def step_run(self, step: int) -> bool:
        """To the first hit of the next run, or of this one or the one before it; whether the cursor moved."""
        if not self.groups:
            return False
        at = bisect_right(self._starts, self.cursor) - 1
        if step < 0 and self.cursor > self._first_of(at):
            return self.go(self._first_of(at))
        return self.go(self._first_of(max(0, min(at + step, len(self.groups) - 1))))

    def step_from(self, place: Place, step: int) -> Group | None:
        """The run found after (or before) the one at that place, with the cursor on its first hit; None past the ends."""
        at = next((at for at, group in enumerate(self.groups) if group.found.place == place), None)
        if at is None or not 0 <= at + step < len(self.groups):
            return None
        self.go(self._first_of(at + step))
        return self.groups[at + step]

    def _first_of(self, at: int) -> int:
        return self._starts[at] + (1 if self.groups[at].rows > 1 else 0)

    def expand(self, group: Group, hits: Sequence[Hit]) -> None:
        """Show these hits of a run, which are all, or as many as can be shown. The cursor stays on its row."""
        at = self.groups.index(group)
        under = self.current
        before = group.rows
        group.hits, group.reading = hits, False
        group.complete = len(hits) < MOST
        more = group.rows - before
        for later in range(at + 1, len(self._starts)):
            self._starts[later] += more
        self._count += more
        if under is not None and self.cursor >= self._starts[at] + before:
            self.cursor += more
        self.go(self.cursor)
