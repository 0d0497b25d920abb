"""Files into records and back: which container a file is, its records, and one record read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from trajview.errors import Problem, UnreadableError, Where

from .decode import BadRecord, decode_json
from .files import open_source, read_member, read_range
from .info import RunInfo
from .json_records import decode_lines, json_records
from .record import QuickLook, Record, problem_of
from .walk import SourceFile

__all__ = ["bytes_of", "records_of", "value_of"]

_LINES = frozenset({".jsonl", ".ndjson"})
_YAML = frozenset({".yaml", ".yml"})
_COMPRESSED = {
    b"\x1f\x8b": ("gzip", "gunzip -k"),
    b"\x28\xb5\x2f\xfd": ("zstd", "zstd -dk"),
    b"BZh": ("bzip2", "bunzip2 -k"),
    b"\xfd7zXZ": ("xz", "xz -dk"),
}


def records_of(
    source: SourceFile, is_message: Callable[[Any], bool], quick: QuickLook | None = None
) -> Iterator[Record | Problem]:
    """The records of a file, in order, and what could not be read in it. An empty file has none.

    `quick` may spare the decoding of a record where it knows enough of it from its bytes.
    Raises UnreadableError where the file cannot be opened at all.
    """
    path = source.path
    suffix = path.suffix.lower()
    try:
        with open_source(path) as file:
            head = file.read(4096)
            file.seek(0)
            if head.startswith(b"PK\x03\x04") or suffix == ".eval":
                from .zip_records import zip_records

                yield from zip_records(file, path)
                return
            for magic, (name, command) in _COMPRESSED.items():
                if head.startswith(magic):
                    yield Problem(f"the file is compressed with {name}", f"unpack it first: `{command}`", Where(path))
                    return
            start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
            if suffix in _YAML and start not in (b"{", b"["):
                from .yaml_records import yaml_records

                yield from yaml_records(file, path)
            else:
                yield from json_records(file, path, suffix in _LINES, is_message, quick)
    except OSError as error:  # while reading: the disk, or a network file system
        raise UnreadableError(f"reading it failed: {error.strerror or error}".lower(), where=Where(path)) from error


def bytes_of(info: RunInfo | Record, path: Path) -> bytes:
    """The record's bytes, as UTF-8. Raises UnreadableError."""
    if info.member is not None:
        return read_member(path, info.member)
    return read_range(path, info.offset, info.length)


def value_of(info: RunInfo) -> Any:
    """The record read again and decoded. Raises UnreadableError."""
    data = bytes_of(info, info.path)
    try:
        if info.container == "jsonl messages":
            return decode_lines(data)
        if info.container == "yaml":
            from .yaml_records import decode_yaml

            return decode_yaml(data)[0]
        return decode_json(data)[0]
    except BadRecord as error:
        found = problem_of(error, info.path, info.line or 1)
        raise UnreadableError(found.reason, hint="the file was changed; open it again", where=found.where) from error
