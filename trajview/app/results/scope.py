"""Which runs a search across the corpus goes through: all of them, or those that the list shows, without Textual."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from trajview.app.runs.run_list import RunList, RunRow
from trajview.corpus.info import Place, RunInfo

__all__ = ["ALL", "Scope", "ranks_in", "scope_of"]


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
    def said(self) -> str:
        """`in 12 of 60 runs`; empty for all."""
        if self.rows is None:
            return ""
        said = f"in {self.runs:,} of {self.of:,} run{'s' * (self.of != 1)}"
        return f"{said}, {self.open:,} not known yet" if self.open else said


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
