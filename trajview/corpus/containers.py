"""Containers: the records of a file of any kind, and one record read again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal

from trajview.errors import Problem, UnreadableError

from .columns import COLUMNS
from .decode import BadRecord, decode_by_parts, decode_json
from .files import read_range, reading
from .info import RunInfo
from .json_lines import decode_lines, lines_after
from .json_records import json_records
from .memory import check_room_to_open, no_room
from .record import DECODED, Record, RecordLook, damaged, problem_of
from .unpack import Progress, UnpackedFile, log_suffix
from .walk import SourceFile

if TYPE_CHECKING:
    from .tables import TableKind

__all__ = ["TABLES", "Start", "bytes_of", "kind_of", "records_after", "records_of", "value_of"]

Start = tuple[int, int, int]
"""A line of a JSONL file that is not its first record: offset, number of the line (from 1), number of the record."""

_LINES = frozenset({".jsonl", ".ndjson"})
_YAML = frozenset({".yaml", ".yml"})
TABLES: Final = frozenset({"parquet", "arrow", "csv"})
"""Containers of which each row is a record."""
_TABLES: Final[dict[str, TableKind]] = {
    ".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow", ".csv": "csv", ".tsv": "csv",
}  # fmt: skip
_TABLE_HEADS: Final[dict[bytes, TableKind]] = {b"PAR1": "parquet", b"ARROW1": "arrow"}


def records_of(
    source: SourceFile,
    look: RecordLook = DECODED,
    progress: Progress | None = None,
    until: int | None = None,
) -> Iterator[Record | Problem]:
    """The records of a file, in order, and what could not be read in it. An empty file has none.

    `until`: bytes at which it ends, of a file that grows (see `open_source`).

    A compressed file is unpacked first, which `progress` is told of; where it is damaged, the records before that are
    there, and one Problem. `look` may spare the decoding of a record where it knows enough of it from its bytes.
    Raises UnreadableError where the file cannot be opened at all.
    """
    path = source.path
    try:
        with reading(path, progress, until) as file:
            damage = file.damage if isinstance(file, UnpackedFile) else None
            found = _records(file, source, look)
            if COLUMNS:
                found = map(_with_columns, found)
            if damage is None:
                yield from found
                return
            last: Record | Problem | None = None
            for item in found:
                if last is not None:
                    yield last
                last = item
            if isinstance(last, Record):
                yield last
            # Else the last thing is a Problem, and tells of the record that the damage has torn.
            yield damaged(damage, path)
    except MemoryError as error:
        short = no_room(path)
        raise UnreadableError(short.reason, hint=short.hint, where=short.where) from error


def records_after(
    source: SourceFile, start: Start, look: RecordLook = DECODED, until: int | None = None
) -> Iterator[Record | Problem]:
    """The records of a plain JSONL file from a line on. Raises UnreadableError."""
    with reading(source.path, until=until) as file:
        found = lines_after(file, source.path, *start, look)
        yield from map(_with_columns, found) if COLUMNS else found


def _with_columns(found: Record | Problem) -> Record | Problem:
    if isinstance(found, Record):
        found.value = COLUMNS.applied(found.value)
    return found


def _records(file: BinaryIO, source: SourceFile, look: RecordLook) -> Iterator[Record | Problem]:
    path = source.path
    kind = kind_of(file, path)
    if kind == "zip":
        from .zip_records import zip_records

        yield from zip_records(file, path, look)
    elif kind == "yaml":
        from .yaml_records import yaml_records

        yield from yaml_records(file, path)
    elif kind != "json":
        from .tables import table_records

        yield from table_records(file, source, kind, look)
    else:
        yield from json_records(file, path, log_suffix(path.name) in _LINES, look)


def kind_of(file: BinaryIO, path: Path) -> Literal["zip", "yaml", "json"] | TableKind:
    """The kind of records in an open file: zip, yaml, json or a table. The file stands at its start afterwards."""
    suffix = log_suffix(path.name)
    head = file.read(4096)
    file.seek(0)
    if head.startswith(b"PK\x03\x04") or suffix == ".eval":
        return "zip"
    for magic, table in _TABLE_HEADS.items():
        if head.startswith(magic):
            return table
    if suffix in _TABLES:
        return _TABLES[suffix]
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    return "yaml" if suffix in _YAML and start not in (b"{", b"[") else "json"


def bytes_of(info: RunInfo | Record, path: Path) -> bytes:
    """The record's bytes, as UTF-8. Raises UnreadableError."""
    if info.member is not None:
        from .zip_records import read_member

        return read_member(path, info.member)
    if info.container in TABLES:
        from .tables import row_bytes

        return row_bytes(path, info.container, info.offset)
    return read_range(path, info.offset, info.length)


def value_of(info: RunInfo, *, by_parts: bool = False) -> Any:
    """Read a record again and decode it. Raises UnreadableError. `by_parts` (see `decode_by_parts`) takes longer."""
    check_room_to_open(info.length, info.path, info.line)
    data = bytes_of(info, info.path)
    try:
        return COLUMNS.applied(_decoded(info, data, by_parts))
    except BadRecord as error:
        found = problem_of(error, info.path, info.line or 1)
        raise UnreadableError(found.reason, hint="the file was changed; open it again", where=found.where) from error


def _decoded(info: RunInfo, data: bytes, by_parts: bool) -> Any:
    if info.container == "jsonl messages":
        return decode_lines(data)
    if info.container == "yaml":
        from .yaml_records import decode_yaml

        return decode_yaml(data)[0]
    return decode_by_parts(data) if by_parts else decode_json(data)[0]
