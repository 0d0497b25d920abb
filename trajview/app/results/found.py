"""What a search across the corpus goes through, and what it has found so far as rows under a cursor, without Textual."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from trajview.app.runs.run_list import RunList, RunRow
from trajview.corpus.info import Place, RunInfo
from trajview.corpus.matches import Hit
from trajview.corpus.search import RunMatches

if TYPE_CHECKING:
    from trajview.annotation.citations import Citation

__all__ = [
    "ALL",
    "AROUND",
    "FEW",
    "FEWEST",
    "KEPT",
    "KEPT_OF_ONE",
    "MOST",
    "WIDTH",
    "Group",
    "Landing",
    "Results",
    "Row",
    "Scope",
    "ranks_in",
    "scope_of",
]

KEPT_OF_ONE: Final = 60
"""Hits that are kept of each of the first runs: as many as a tall screen shows of one."""
FEW: Final = 6
"""Hits that are kept of each run after those, until more are asked for."""
FEWEST: Final = 3
"""Hits that are shown of a run at least, however many runs were found."""
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
    unit: int | None = None
    """The unit to open at, in place of the message."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Runs that are searched; `rows` is None for all that there are.

    `runs` of `of` runs are; of `open` more it was not known yet whether the filter, `why`, lets them through.
    """

    rows: tuple[RunRow, ...] | None = None
    runs: int = 0
    of: int = 0
    open: int = 0
    why: str = ""

    @property
    def places(self) -> Iterable[Place] | None:
        """Where they are, None for everywhere; made as it is gone through, since there may be a hundred thousand."""
        return None if self.rows is None else (row.place for row in self.rows if isinstance(row, RunInfo))

    @property
    def text(self) -> str:
        """`in 12 of 60 runs`; empty for all."""
        if self.rows is None:
            return ""
        text = f"in {self.runs:,} of {self.of:,} run{'s' * (self.of != 1)}"
        return f"{text}, {self.open:,} not known yet" if self.open else text


ALL = Scope()


def scope_of(runs: RunList) -> Scope:
    """What the list shows now, where a filter or a queue may leave some out; else all."""
    if not runs.chosen:
        return ALL
    rows = tuple(runs.rows[row] for row in runs.shown)
    return Scope(rows, sum(isinstance(row, RunInfo) for row in rows), runs.runs, runs.open, runs.query.strip())


def ranks_in(runs: RunList) -> dict[Place, int]:
    """Which place each run has in the list as it stands now."""
    rows = (runs.rows[row] for row in runs.shown)
    return {row.place: at for at, row in enumerate(rows) if isinstance(row, RunInfo)}


class Group:
    """A run that was found, its hits as far as they are known, and of these how many are shown.

    `rows` are its heading, a row for each hit, and one that says what is left. `reading` is whether that is being read.
    """

    def __init__(self, found: RunMatches, number: int, limit: int) -> None:
        """`number` counts the runs in the order in which they were found; `limit` is how many hits are shown at most."""
        self.found, self.number = found, number
        self._heading, self._rest = Row("run", self), Row("more", self)
        known = sum(len(hit.spans) for hit in found.hits)
        self.learn(found.hits, complete=0 < len(found.hits) < FEW or known >= found.matches)
        self.show(limit)

    def learn(self, hits: Sequence[Hit], *, complete: bool) -> None:
        """Take in these hits, which are all where it is `complete`, and show them."""
        self.hits, self.complete, self.reading = hits, complete, False
        self._hit_rows = [Row("hit", self, hit) for hit in hits]
        self.show(len(hits))

    def show(self, limit: int) -> None:
        """Show at most so many hits; one that is left takes no more room than to say so."""
        if self.complete and len(self.hits) == limit + 1:
            limit += 1
        self.rows = [self._heading, *self._hit_rows[:limit]]
        if not self.complete or limit < len(self.hits):
            self.rows.append(self._rest)

    def height(self, limit: int) -> int:
        """How many rows there are with at most so many hits."""
        return 1 + min(limit, len(self.hits)) + (not self.complete or limit < len(self.hits))

    @property
    def left(self) -> int:
        """How many matches are not shown; about, where a match runs over several lines."""
        if self.rows[-1] is not self._rest:
            return 0
        return max(1, self.found.matches - sum(len(row.hit.spans) for row in self.rows if row.hit is not None))


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A row of the list: a run's heading, a hit of it, or what is left."""

    kind: Literal["run", "hit", "more"]
    group: Group
    hit: Hit | None = None


class Results:
    """The runs that one search has found, in order, as rows; the cursor is on one of them."""

    def __init__(self, typed: str = "", state: Literal["none", "searching", "done", "stopped"] = "none") -> None:
        self.typed = typed
        self.state = state
        self.groups: list[Group] = []
        self.rows: list[Row] = []
        self.matches = self.messages = 0
        self.problems = 0
        """How many runs could not be read."""
        self.cursor = 0
        self.limit = FEW
        """How many hits are shown of a run at most, until more are asked for."""
        self._moved = False
        """Whether somebody has moved the cursor: rows do not change under it then."""
        self.arranged = False
        """Whether the runs stand in another order than that in which they were found."""

    def add(self, found: RunMatches) -> None:
        """Take in a run, of which at most `KEPT_OF_ONE` hits were kept, or none."""
        group = Group(found, len(self.groups), self.limit)
        self.groups.append(group)
        self.rows += group.rows
        if group.number == 0:
            self.cursor = self._first_of(group)
        self.matches += found.matches
        self.messages += found.messages

    def fit(self, height: int) -> None:
        """Show as many hits of each run as so many rows have room for, unless the cursor was moved by now."""
        if self._moved or not self.groups:
            return
        limit = FEWEST
        while limit < KEPT_OF_ONE and sum(group.height(limit + 1) for group in self.groups) <= height:
            limit += 1
        if limit != self.limit:
            self.limit = limit
            for group in self.groups:
                group.show(limit)
            self.rows = [row for group in self.groups for row in group.rows]
            self.cursor = self._first_of(self.groups[0])

    def arrange(self, rank: Mapping[Place, int] | None) -> bool:
        """Put the runs in this order, those without a rank last; None for that in which they were found.

        The cursor stays on its row. False where they stand so already, which is not said to be arranged then.
        """
        under, before, self._moved = self.current, [*self.groups], True
        self.groups.sort(key=lambda group: group.number)
        if rank is not None:
            self.groups.sort(key=lambda group: rank.get(group.found.place, len(rank)))
        moved = self.groups != before
        self.arranged = rank is not None and moved
        self.rows = [row for group in self.groups for row in group.rows]
        if under is not None:
            self.cursor = self.rows.index(under)
        return moved

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    def go(self, index: int) -> bool:
        """Put the cursor on a row, or on the nearest there is; whether it moved."""
        before, self.cursor, self._moved = self.cursor, max(0, min(index, len(self.rows) - 1)), True
        return self.cursor != before

    def step_run(self, step: int) -> bool:
        """To the first hit of the next run, or of this one or the one before it; whether the cursor moved."""
        if not self.rows:
            return False
        group = self.rows[self.cursor].group
        if step > 0 or self.cursor <= self._first_of(group):
            at = self.groups.index(group) + step
            group = self.groups[max(0, min(at, len(self.groups) - 1))]
        return self.go(self._first_of(group))

    def step_from(self, place: Place, step: int) -> Group | None:
        """The run found after (or before) the one at that place, with the cursor on its first hit; None past the ends."""
        at = next((at for at, group in enumerate(self.groups) if group.found.place == place), None)
        if at is None or not 0 <= at + step < len(self.groups):
            return None
        self.go(self._first_of(self.groups[at + step]))
        return self.groups[at + step]

    def _first_of(self, group: Group) -> int:
        """The row of a run's first hit, of its heading where no hit is shown."""
        return self.rows.index(group.rows[:2][-1])

    def expand(self, group: Group, hits: Sequence[Hit]) -> None:
        """Show these hits of a run, which are all, or as many as can be shown. The cursor stays on its row."""
        start = self.rows.index(group.rows[0])
        end = start + len(group.rows)
        group.learn(hits, complete=len(hits) < MOST)
        self.rows[start:end] = group.rows
        self.go(self.cursor if self.cursor < end else self.cursor - end + start + len(group.rows))
