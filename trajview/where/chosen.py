"""The runs that a filter lets through, in its order, with the values of some of their fields."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from trajview.corpus.info import RunInfo
from trajview.errors import Problem, TrajviewError

from .fields import Ref
from .select import compile_node
from .syntax import By, Query, refs_in
from .table import Row, Table

if TYPE_CHECKING:
    from .details import Details
    from .reading import Listed

__all__ = ["Chosen", "chosen_by"]

_EVERY: Final = 0.1
"""Seconds between two looks at the findings."""


class Chosen:
    """The runs of a corpus that match a filter, with the values of some fields."""

    def __init__(
        self,
        corpus: Listed,
        found: Iterable[RunInfo],
        query: Query,
        sort: Sequence[By],
        shown: Sequence[Ref],
        statuses: dict[str, str],
        *,
        cached: bool,
        blind: bool = False,
    ) -> None:
        """`found`: the runs among which to choose, gone through once, when `infos` is.

        `shown`: fields whose values are wanted of every run that matches. `cached`: keep what runs were read for.
        `blind`: rewards, models and what tells them are as if they were not there.
        """
        from trajview.corpus.search import cores

        from .kept import DetailsCache
        from .reading import DetailsReader

        self.node = query.node
        self.sort = tuple(sort)
        self.table = Table(_place)
        self.table.set_statuses(statuses)
        cache = DetailsCache() if cached else None
        self._reader: DetailsReader[int] = DetailsReader(corpus, cache, blind=blind, processes=cores())
        self._blind = blind
        self._from = found
        self._select = compile_node(query.node, self.table)
        self._asked = _details(refs_in(query.node))
        self._wanted = _details([*shown, *(by.ref for by in sort)])
        self._open: dict[int, RunInfo] = {}
        """Runs that were not given yet, in order: details of them, or of one before, are still to be found out."""
        self._decided: dict[int, bool] = {}
        """Runs among them that are decided, and whether they match."""

    def infos(self) -> Iterator[tuple[int, RunInfo]]:
        """Row and run of each that matches: as they are found, or in order when all are."""
        if not self.sort:
            yield from self._found()
            return
        from .order import ordered

        infos = dict(self._found())
        for row in ordered(list(infos), self.sort, self.table):
            yield row, infos[row]

    def value(self, row: int, ref: Ref) -> Any:
        """The value of a field, as JSON has it: numbers, texts, lists; None where there is none."""
        value = self.table.column(ref).values[row]
        if isinstance(value, float):
            if not math.isfinite(value):
                return None
            return (
                int(value)
                if value.is_integer() and abs(value) < 1e15 and ref.name not in ("reward", "metadata")
                else value
            )
        if isinstance(value, tuple):
            return list(value)
        return None if value == "" else value

    def _found(self) -> Iterator[tuple[int, RunInfo]]:
        try:
            for found in self._from:
                info = self._seen(found)
                [row] = self.table.extend([info])
                self._open[row] = info
                self._look_at(row, info)
                self._learn(0)
                while self._reader.full:
                    self._learn(_EVERY)
                yield from self._next_ones()
            while self._open:
                self._learn(_EVERY)
                yield from self._next_ones()
        finally:
            self._reader.close()

    def _look_at(self, row: int, info: RunInfo, known: Details | None = None) -> None:
        """Decide whether a run matches, or ask for the details that this takes, and then for the wanted values."""
        yes, unknown = self._select([row])
        refs = self._asked if unknown else self._wanted if yes else ()
        names = {ref.name for ref in refs if row in self.table.column(ref).unknown}
        if names:
            self._reader.ask(row, info, names, known=known)
        else:
            self._decided[row] = bool(yes)

    def _learn(self, seconds: float) -> None:
        """Take in the details found by now, or within `seconds`."""
        from .details import values_of

        for row, details in self._reader.take(seconds):
            refs = [ref for ref in (*self._asked, *self._wanted) if details is None or details.has({ref.name})]
            self.table.learn(row, values_of(details, refs))
            self._look_at(row, self._open[row], details)

    def _next_ones(self) -> Iterator[tuple[int, RunInfo]]:
        """The runs that match and whose turn it is."""
        while self._open and (row := next(iter(self._open))) in self._decided:
            info = self._open.pop(row)
            if self._decided.pop(row):
                yield row, info

    def _seen(self, info: RunInfo) -> RunInfo:
        from .unseen import as_seen

        return as_seen(info) if self._blind else info


def _place(item: Row) -> str:
    return str(item.where) if isinstance(item, Problem) else item.source


def _details(refs: Iterable[Ref]) -> tuple[Ref, ...]:
    return tuple(dict.fromkeys(ref for ref in refs if ref.field.needs == "details"))


def chosen_by(
    expression: str,
    corpus: Listed,
    infos: Iterable[RunInfo],
    statuses: Mapping[str, str] | None,
    *,
    blind: bool = False,
) -> list[RunInfo]:
    """The runs that a filter lets through, in its order if it says one, else in theirs.

    `statuses`: those of annotations by run, None where nobody knows them. `blind`: see `Chosen`. Raises WhereError where the filter is none, and
    TrajviewError where it asks for annotations that nobody knows.
    """
    from .parse import parse

    query = parse(expression)
    asked = [*refs_in(query.node), *(by.ref for by in query.sort)]
    needing = [ref for ref in asked if ref.field.needs == "status"]
    if needing and statuses is None:
        raise TrajviewError(f"`{needing[0]}` is about annotations", hint="say whose: where(…, store=Store(…))")
    chosen = Chosen(corpus, infos, query, query.sort, (), dict(statuses or {}), cached=False, blind=blind)
    return [info for _, info in chosen.infos()]
