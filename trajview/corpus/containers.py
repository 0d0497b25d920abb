"""Containers: the records of a file of any kind, and one record read again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Literal

from trajview.errors import Problem, UnreadableError

from .decode import BadRecord, decode_by_parts, decode_json
from .files import read_range, reading
from .info import RunInfo
from .json_lines import decode_lines, lines_after
from .json_records import json_records
from .memory import check_room_to_open, no_room
from .record import DECODED, Record, RecordLook, damaged, problem_of
from .unpack import Progress, UnpackedFile, log_suffix
from .walk import SourceFile

__all__ = ["Start", "bytes_of", "kind_of", "records_after", "records_of", "value_of"]

Start = tuple[int, int, int]
"""A line of a JSONL file that is not its first record: offset, number of the line (from 1), number of the record."""

_LINES = frozenset({".jsonl", ".ndjson"})
_YAML = frozenset({".yaml", ".yml"})


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
            found = _records(file, path, look)
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
        yield from lines_after(file, source.path, *start, look)


def _records(file: BinaryIO, path: Path, look: RecordLook) -> Iterator[Record | Problem]:
    kind = kind_of(file, path)
    if kind == "zip":
        from .zip_records import zip_records

        yield from zip_records(file, path, look)
    elif kind == "yaml":
        from .yaml_records import yaml_records

        yield from yaml_records(file, path)
    else:
        yield from json_records(file, path, log_suffix(path.name) in _LINES, look)


def kind_of(file: BinaryIO, path: Path) -> Literal["zip", "yaml", "json"]:
    """The kind of records in an open file: zip, yaml or json. The file stands at its start afterwards."""
    suffix = log_suffix(path.name)
    head = file.read(4096)
    file.seek(0)
    if head.startswith(b"PK\x03\x04") or suffix == ".eval":
        return "zip"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    return "yaml" if suffix in _YAML and start not in (b"{", b"[") else "json"


def bytes_of(info: RunInfo | Record, path: Path) -> bytes:
    """The record's bytes, as UTF-8. Raises UnreadableError."""
    if info.member is not None:
        from .zip_records import read_member

        return read_member(path, info.member)
    return read_range(path, info.offset, info.length)


def value_of(info: RunInfo, *, by_parts: bool = False) -> Any:
    """Read a record again and decode it. Raises UnreadableError. `by_parts` (see `decode_by_parts`) takes longer."""
    check_room_to_open(info.length, info.path, info.line)
    data = bytes_of(info, info.path)
    try:
        if info.container == "jsonl messages":
            return decode_lines(data)
        if info.container == "yaml":
            from .yaml_records import decode_yaml

            return decode_yaml(data)[0]
        return decode_by_parts(data) if by_parts else decode_json(data)[0]
    except BadRecord as error:
        found = problem_of(error, info.path, info.line or 1)
        raise UnreadableError(found.reason, hint="the file was changed; open it again", where=found.where) from error
