"""The rows of a list in columns, for filters and orders; a column is filled when it is first asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from trajview.annotation.flag import FLAG
from trajview.corpus.info import Gone, RunInfo
from trajview.errors import Problem

from .fields import Kind, Ref, getter, natural

__all__ = ["Column", "Row", "Table"]

Row = RunInfo | Problem

_EMPTY: Final[dict[Kind, Any]] = {
    Kind.TEXT: "", Kind.NUMBER: math.nan, Kind.TEXTS: (), Kind.NUMBERS: (), Kind.FLAG: False, Kind.ANY: None,
}  # fmt: skip


class Column:
    """The values of one field by row, each of its kind's type; `unknown` holds the rows that have none to speak of.

    These are runs of which it is not known yet, and problems, which have no such value.
    """

    __slots__ = ("get", "needs", "ref", "unknown", "values")

    def __init__(self, ref: Ref) -> None:
        self.ref = ref
        self.needs = ref.field.needs
        self.get = getter(ref) if self.needs in ("row", "summary") and ref.name != "problem" else None
        self.values: list[Any] = []
        self.unknown: set[int] = set()


class Table:
    """The rows, and a column for each field that somebody asked for. `place` says where a row comes from."""

    def __init__(self, place: Callable[[Row], str]) -> None:
        self.rows: list[Row] = []
        self.texts: list[str] = []
        """The texts of rows that are searched, in small letters."""
        self.statuses: Mapping[str, str] = {}
        self._place = place
        self._columns: dict[Ref, Column] = {}
        self._naturals: dict[Ref, list[Any]] = {}

    def extend(self, items: Iterable[Row]) -> range:
        """Add rows at the end; returns their numbers."""
        first = len(self.rows)
        self.rows.extend(items)
        new = range(first, len(self.rows))
        self.texts += [self.text_of(row).lower() for row in new]
        self._fill(new)
        return new

    def replace(self, row: int, item: Row) -> None:
        """Put another item in a row; the details of the one before are forgotten."""
        self.rows[row] = item
        self.texts[row] = self.text_of(row).lower()
        for column in self._columns.values():
            self._set(column, row)
        self._keys_anew(row)

    def learn(self, row: int, values: Mapping[Ref, Any]) -> None:
        """Take in details of the run in a row."""
        for ref, value in values.items():
            column = self.column(ref)
            column.values[row] = value
            column.unknown.discard(row)
        self._keys_anew(row)

    def set_statuses(self, statuses: Mapping[str, str]) -> None:
        """Take over the annotation statuses, by the key of the run."""
        self.statuses = dict(statuses)
        for columns in (self._columns, self._naturals):
            for ref in [ref for ref in columns if ref.field.needs == "status"]:
                del columns[ref]

    def text_of(self, row: int) -> str:
        """The text of a row that is searched, a field per line, so that nothing matches across two of them."""
        item = self.rows[row]
        if isinstance(item, RunInfo):
            said = item.name or item.task or ""
            return "\n".join((item.id, said, item.source, item.format, *item.agents, *item.models))
        return f"{self._place(item)}\n{item.reason}\n{item.hint}"

    def column(self, ref: Ref) -> Column:
        """The column of a field."""
        found = self._columns.get(ref)
        if found is None:
            found = Column(ref)
            self._fill_one(found, range(len(self.rows)))
            self._columns[ref] = found
        return found

    def keys(self, ref: Ref) -> list[Any]:
        """The sort keys of a field, row by row: numbers, or texts, or pairs; None where there is no value."""
        found = self._naturals.get(ref)
        if found is None:
            column = self.column(ref)
            found = self._naturals[ref] = []
            self._more_keys(found, column)
        elif len(found) < len(self.rows):
            self._more_keys(found, self.column(ref))
        return found

    # Filling

    def _fill(self, new: range) -> None:
        for column in self._columns.values():
            self._fill_one(column, new)

    def _fill_one(self, column: Column, new: range) -> None:
        values, get, rows = column.values, column.get, self.rows
        if column.needs == "details":
            values += [_EMPTY[column.ref.kind]] * len(new)
            column.unknown.update(new)
        elif get is None:
            values += [self._value_of_most(column.ref)] * len(new)
            for row in new:
                item = rows[row]
                if type(item) is not RunInfo or item.key in self.statuses:
                    self._set(column, row)
        else:
            whole = column.needs == "summary"
            for row in new:
                item = rows[row]
                if type(item) is RunInfo and (item.summarised or not whole):
                    values.append(get(item))
                else:
                    values.append(None)
                    self._set(column, row)

    def _value_of_most(self, ref: Ref) -> Any:
        """The value of most runs: those without annotation, and those that can be read."""
        return _of_status(ref, "") if ref.field.needs == "status" else False

    def _set(self, column: Column, row: int) -> None:
        ref, item = column.ref, self.rows[row]
        known = True
        if isinstance(item, Problem):
            value, known = self._of_problem(ref, item)
        elif column.needs == "status":
            value = _of_status(ref, self.statuses.get(item.key, ""))
        elif column.get is None:
            value, known = (False, True) if ref.name == "problem" else (_EMPTY[ref.kind], False)
        elif column.needs == "summary" and not item.summarised:
            value, known = _EMPTY[ref.kind], False
        else:
            value = column.get(item)
        column.values[row] = value
        if known:
            column.unknown.discard(row)
        else:
            column.unknown.add(row)

    def _of_problem(self, ref: Ref, item: Problem) -> tuple[Any, bool]:
        if ref.name == "problem":
            return not isinstance(item, Gone), True
        if ref.name in ("source", "path"):
            return (self._place(item) if ref.name == "source" else str(item.where.path or "")), True
        return _EMPTY[ref.kind], False

    def _keys_anew(self, row: int) -> None:
        for ref, keys in self._naturals.items():
            if row < len(keys):
                column = self._columns[ref]
                keys[row] = None if row in column.unknown else _key(ref.kind, column.values[row])

    def _more_keys(self, keys: list[Any], column: Column) -> None:
        kind, unknown, values = column.ref.kind, column.unknown, column.values
        keys += [None if row in unknown else _key(kind, values[row]) for row in range(len(keys), len(self.rows))]


def _of_status(ref: Ref, status: str) -> Any:
    flagged = FLAG in status
    state = status.replace(FLAG, "").strip()
    if ref.name == "status":
        return "" if state == "flagged" else state
    if ref.name == "flagged":
        return flagged or state == "flagged"
    return state == ref.name


def _key(kind: Kind, value: Any) -> Any:
    if kind is Kind.NUMBER:
        return None if value != value else value
    if kind is Kind.TEXT:
        return natural(value) or None
    if kind is Kind.TEXTS:
        return natural(" ".join(value)) or None
    if kind is Kind.NUMBERS:
        return sum(value) / len(value) if value else None
    if kind is Kind.FLAG:
        return 0 if value else 1  # rows with true come first
    return _key_of_any(value)


def _key_of_any(value: Any) -> tuple[int, Any] | None:
    """A sort key that puts numbers before texts; any other value counts as its text."""
    if value is None or value in ("", [], {}):
        return None
    if isinstance(value, (bool, int, float)):
        return (
            None
            if value != value
            else (0, float(value) if abs(value) < 1e300 else math.inf if value > 0 else -math.inf)
        )
    return 1, natural(value if isinstance(value, str) else str(value))
