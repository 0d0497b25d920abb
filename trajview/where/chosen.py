"""The runs that a filter lets through, in its order, with the values of some of their fields."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trajview.corpus.info import RunInfo
from trajview.errors import Problem, TrajviewError

from .fields import Ref
from .select import compile_node
from .syntax import By, Query, refs_in
from .table import Row, Table

if TYPE_CHECKING:
    from .details import Reads

__all__ = ["Chosen", "chosen_by"]


class Chosen:
    """The runs of a corpus that match a filter, with the values of some fields."""

    def __init__(
        self,
        corpus: Reads,
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
        from .kept import DetailsCache
        from .unseen import Blinded

        self.node = query.node
        self.sort = tuple(sort)
        self.table = Table(_place)
        self.table.set_statuses(statuses)
        # The cache has what the metadata says of models and rewards, and blind mode must not show that.
        self._cache = DetailsCache() if cached and not blind else None
        self._blind = blind
        self._source: Reads = Blinded(corpus) if blind else corpus
        self._from = found
        self._select = compile_node(query.node, self.table)
        self._asked = _details(refs_in(query.node))
        self._wanted = _details([*shown, *(by.ref for by in sort)])

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
        table = self.table
        try:
            for found in self._from:
                info = self._seen(found)
                new = table.extend([info])
                yes, unknown = self._select(new)
                if unknown:
                    self._read(new[0], info, self._asked)
                    yes, _ = self._select(new)
                if yes:
                    self._read(new[0], info, self._wanted)
                    yield new[0], info
        finally:
            if self._cache is not None:
                self._cache.close()

    def _seen(self, info: RunInfo) -> RunInfo:
        from .unseen import as_seen

        return as_seen(info) if self._blind else info

    def _read(self, row: int, info: RunInfo, refs: Sequence[Ref]) -> None:
        left = [ref for ref in refs if row in self.table.column(ref).unknown]
        if left:
            from .details import read_details

            self.table.learn(row, read_details(self._source, info, left, cache=self._cache))


def _place(item: Row) -> str:
    return str(item.where) if isinstance(item, Problem) else item.source


def _details(refs: Iterable[Ref]) -> tuple[Ref, ...]:
    return tuple(dict.fromkeys(ref for ref in refs if ref.field.needs == "details"))


def chosen_by(
    expression: str, corpus: Reads, infos: Iterable[RunInfo], statuses: Mapping[str, str] | None
) -> list[RunInfo]:
    """The runs that a filter lets through, in its order if it says one, else in theirs.

    `statuses`: those of annotations by run, None where nobody knows them. Raises WhereError where the filter is none, and
    TrajviewError where it asks for annotations that nobody knows.
    """
    from .parse import parse

    query = parse(expression)
    asked = [*refs_in(query.node), *(by.ref for by in query.sort)]
    needing = [ref for ref in asked if ref.field.needs == "status"]
    if needing and statuses is None:
        raise TrajviewError(f"`{needing[0]}` is about annotations", hint="say whose: where(…, store=Store(…))")
    chosen = Chosen(corpus, infos, query, query.sort, (), dict(statuses or {}), cached=False)
    return [info for _, info in chosen.infos()]
