"""A quick list of the records in a file before any is read, from the ends of lines and the first bytes of each.

A pass for newlines costs a tenth of reading the records, so that every run of a large file is in the list at once.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import BinaryIO, Final

import msgspec

from trajview.formats import registry

from .decode import BadRecord, decode_json
from .files import open_plain
from .gathered import is_gathered
from .held import may_hold_records
from .info import RunInfo
from .lines import BOM, SPACE, lines_of
from .unpack import wide_encoding
from .walk import SourceFile

__all__ = ["listed", "peeked_id"]

_HEAD: Final = 256
"""Bytes at the start of a record that are looked at."""
_SMALL: Final = 1 << 16
_FIRST_LINE: Final = 4 << 20
"""The first line decides what a file is; a longer one is left to the reading of the whole file."""
_EDGE: Final = 4096
_BLANK: Final = 32
"""The largest byte that may be white space."""
_OPENING: Final = b"{["
_LINES: Final = frozenset({".jsonl", ".ndjson"})
_JSON: Final = frozenset({".json", ".traj"})
_ID: Final = re.compile(rb'\{\s*"(?:id|pk)"\s*:\s*"([^"\\\x00-\x1f]{1,200}+)"')
_NOT_THERE: Final = msgspec.Raw()


class _Keys(msgspec.Struct, gc=False):
    """Keys that no message has: an object with one of them is a record, which is all that has to be known of it."""

    messages: msgspec.Raw = _NOT_THERE
    conversations: msgspec.Raw = _NOT_THERE
    transcripts: msgspec.Raw = _NOT_THERE


_decode_raw: Final = msgspec.json.Decoder(msgspec.Raw).decode
_decode_keys: Final = msgspec.json.Decoder(_Keys).decode


def peeked_id(record: bytes | memoryview) -> str | None:
    """The id of a record by its first bytes: where `id`, or Sotopia's `pk`, comes first and is a plain text."""
    match = _ID.match(record, 0, _HEAD)
    if match is None:
        return None
    found = match[1]
    try:  # `suppress` takes as long as all the rest
        # `str` takes three times as long.
        return found.decode() if found[0] > _BLANK or not found.isspace() else None
    except UnicodeDecodeError:
        return None


def listed(source: SourceFile, stem: str, *, closely: bool = False) -> Iterator[RunInfo] | None:
    """The records that a file seems to hold, in order, not summed up; None where only reading it can tell.

    A record that does not begin with its id has `stem` for one, and its number unless it is alone. `closely`: a small JSON
    file is looked through to its end, where there may be more records. Raises UnreadableError.
    """
    suffix = source.path.suffix.lower()
    if suffix == ".parquet":
        from .tables import listed_rows

        return listed_rows(source, stem)
    if (suffix not in _LINES and suffix not in _JSON) or is_gathered(source.path):
        return None
    file = os.fdopen(open_plain(source.path), "rb")
    found: Iterator[RunInfo] | None = None
    try:
        if suffix in _LINES:
            found = _lines(file, source, stem) if _has_a_record_a_line(file.fileno()) else None
        elif (alone := _alone(file.fileno(), source, stem, closely=closely)) is not None:
            return iter((alone,))
    except OSError:  # reading it says why
        pass
    finally:
        if found is None:
            file.close()
    return found


def _first_object(head: bytes) -> bytes | None:
    """The start of a file from its first value on; None where that is no object."""
    text = head.removeprefix(BOM).lstrip(SPACE)
    return text if text.startswith(b"{") and wide_encoding(head) is None else None


def _has_a_record_a_line(descriptor: int) -> bool:
    """Whether the first line is a record by itself."""
    for size in (_SMALL, _FIRST_LINE):
        text = _first_object(os.pread(descriptor, size, 0))
        if text is None:
            return False
        end = text.find(b"\n")
        if end >= 0:
            return _is_record(text[:end])
    return False


def _is_record(line: bytes) -> bool:
    try:
        keys = _decode_keys(line)
        if any(value is not _NOT_THERE for value in (keys.messages, keys.conversations, keys.transcripts)):
            return True
    except (ValueError, RecursionError):
        pass
    try:
        return not registry.is_message_line(decode_json(line)[0])
    except BadRecord:
        return False


def _lines(file: BinaryIO, source: SourceFile, stem: str) -> Iterator[RunInfo]:
    record = 0
    with file:
        for line in lines_of(file, 0):
            if line.text and line.text[0] in _OPENING:
                found = peeked_id(line.text) or f"{stem}#{record}"
                yield _info(source, "jsonl", found, record, line.number, line.offset, line.length, alone=False)
                record += 1


def _alone(descriptor: int, source: SourceFile, stem: str, *, closely: bool) -> RunInfo | None:
    """The one record that a JSON file seems to hold."""
    head = os.pread(descriptor, _SMALL + 1 if closely else _EDGE, 0)
    text = _first_object(head)
    if text is None or may_hold_records(text[:_EDGE]):
        return None
    if closely and len(head) <= _SMALL:
        try:
            _decode_raw(text)
        except (ValueError, RecursionError):
            return None
    start = len(head) - len(text)
    length = os.fstat(descriptor).st_size - start
    line = head.count(b"\n", 0, start) + 1
    return _info(source, "json", peeked_id(text) or stem, 0, line, start, length, alone=True)


def _info(
    source: SourceFile, container: str, run_id: str, record: int, line: int, offset: int, length: int, *, alone: bool
) -> RunInfo:
    return RunInfo(
        run_id, run_id, source.path, source.source, "", container, record, line, offset, length, alone, summarised=False
    )
