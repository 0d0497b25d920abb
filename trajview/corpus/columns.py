"""Where the messages and the id of a record are, when a person says so (`--messages`, `--id`), and where a table's row has them.

One choice holds for the whole program, and for the processes that it starts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import msgspec

from trajview.formats import registry

__all__ = ["COLUMNS", "Columns", "record_of_row"]

_SURE: Final = 0.5
"""The confidence from which on a row's one column is taken for the record."""
_LISTS: Final = ("messages", "conversations")
"""Keys under which formats look for a list of messages, or of turns."""
_MOST_TRIED: Final = 20
"""Columns that are tried."""

Row = dict[str, Any]


@dataclass(slots=True)
class Columns:
    """The keys of the messages and of the id in all records, None where nobody says. A dot leads into an object."""

    messages: str | None = None
    id: str | None = None

    def __bool__(self) -> bool:
        return self.messages is not None or self.id is not None

    def choose(self, messages: str | None, id: str | None) -> None:
        """Make a choice in place of the last one."""
        self.messages, self.id = messages, id

    def complete(self, messages: str | None, id: str | None) -> None:
        """Choose what is not chosen yet."""
        self.choose(self.messages or messages, self.id or id)

    def applied(self, record: Any) -> Any:
        """A record with its messages and its id where formats look for them; any other value as it is."""
        if not isinstance(record, dict):
            return record
        if self.id is not None and isinstance(found := _at(record, self.id), str | int):
            record = {**record, "id": str(found)}
        if self.messages is not None and self.messages not in _LISTS and _at(record, self.messages) is not None:
            record = _record_in(record, self.messages)
        return record


COLUMNS: Final = Columns()
"""The choice for this program, made where it starts."""


def record_of_row(row: Row) -> Row:
    """The record that a row of a table stands for: the row itself, or what one column of it holds, with the others beside it.

    Texts that are JSON lists of objects count as such lists.
    """
    row = {key: _list_in(value) for key, value in row.items()}
    row = _applied(row)
    if COLUMNS.messages is not None or registry.best(row)[1].confidence >= registry.LEAST:
        return row
    tried = [key for key, value in row.items() if _may_be_record(value)][:_MOST_TRIED]
    found = [(registry.best(record)[1].confidence, record) for record in (_record_in(row, key) for key in tried)]
    confidence, record = max(found, key=lambda each: each[0], default=(0.0, row))
    return record if confidence >= _SURE else row


def _applied(row: Row) -> Row:
    record: Row = COLUMNS.applied(row)
    return record


def _at(record: Row, path: str) -> Any:
    """The value at a key, else at a path of keys with dots between them; None where there is none."""
    if path in record:
        return record[path]
    found: Any = record
    for key in path.split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _without(record: Row, path: str) -> Row:
    """A record without the value at a path."""
    key, _, inner = (path, "", "") if path in record else path.partition(".")
    rest = {name: value for name, value in record.items() if name != key}
    if inner and len(record[key]) > 1:
        rest[key] = _without(record[key], inner)
    return rest


def _record_in(record: Row, path: str) -> Row:
    """The record whose messages, or whose whole, is the value at a path; what is beside it comes along."""
    from trajview.formats.plain import put

    cell = _decoded(_at(record, path))
    rest = _without(record, path)
    if isinstance(cell, dict):
        if "id" in rest:
            cell = {"id": rest["id"], **cell}
        rest = {key: value for key, value in rest.items() if cell.get(key) != value}
        if rest:
            metadata = dict(cell["metadata"]) if isinstance(cell.get("metadata"), dict) else {}
            for key, value in rest.items():
                put(metadata, key, value)
            cell = {**cell, "metadata": metadata}
        return cell
    if isinstance(cell, str):
        cell = [{"role": "user", "content": cell}]
    for key in _LISTS:
        if key in rest:
            put(rest, f"other {key}", rest.pop(key))
    records = [{**rest, key: cell} for key in _LISTS]
    return max(records, key=lambda each: registry.best(each)[1].confidence)


def _may_be_record(value: Any) -> bool:
    return isinstance(value, dict | list) or (isinstance(value, str) and value[:1] == "{")


def _list_in(value: Any) -> Any:
    """A text that is a JSON list of objects as that list."""
    if not isinstance(value, str) or value[:1] not in ("[", " ", "\n"):
        return value
    found = _decoded(value)
    return found if isinstance(found, list) and found and all(isinstance(each, dict) for each in found) else value


def _decoded(value: Any) -> Any:
    """The JSON in a text; any other value as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return msgspec.json.decode(value)
        except (ValueError, RecursionError):
            pass
    return value
