"""The records of a file before any of them is read: where the lines are, and what their first bytes say.

A pass for newlines costs a tenth of reading the records, so that every run of a large file is in the list at once.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import BytesIO
from typing import Any, BinaryIO, Final

from .decode import BadRecord, decode_json
from .files import open_source
from .info import RunInfo
from .walk import SourceFile

__all__ = ["listed", "peeked_id"]

_CHUNK: Final = 1 << 20
_HEAD: Final = 256
"""Bytes at the start of a record that are looked at."""
_FIRST_LINE: Final = 4 << 20
"""The first line decides what a file is; a longer one is left to the reading of the whole file."""
_EDGE: Final = 4096
_BOM: Final = b"\xef\xbb\xbf"
_SPACE: Final = b" \t\r\n"
_LINES: Final = frozenset({".jsonl", ".ndjson"})
_JSON: Final = frozenset({".json", ".traj"})
_ID: Final = re.compile(rb'\{\s*"(?:id|pk)"\s*:\s*"((?:[^"\\\x00-\x1f]){1,200})"')


def peeked_id(head: bytes) -> str | None:
    """The id of a record by its first bytes: where `id`, or Sotopia's `pk`, comes first and is a plain text."""
    match = _ID.match(head)
    if match is None or not match[1].strip():
        return None
    with suppress(UnicodeDecodeError):
        return match[1].decode("utf-8")
    return None


def listed(
    source: SourceFile, is_message: Callable[[Any], bool], default_id: Callable[[int, bool], str]
) -> Iterator[RunInfo] | None:
    """The records that a file seems to hold, in order, not summed up; None where only reading it can tell.

    `default_id` names a record without an id, by its number and whether it is alone. Raises UnreadableError.
    """
    suffix = source.path.suffix.lower()
    if suffix not in _LINES and suffix not in _JSON:
        return None
    file = open_source(source.path)
    try:
        found = _begin(file, source, suffix in _LINES, is_message, default_id)
    except BaseException:
        file.close()
        raise
    if found is None:
        file.close()
    return found


def _begin(
    file: BinaryIO,
    source: SourceFile,
    lines: bool,
    is_message: Callable[[Any], bool],
    default_id: Callable[[int, bool], str],
) -> Iterator[RunInfo] | None:
    head = file.read(4096)
    skipped = len(_BOM) if head.startswith(_BOM) else 0
    start = skipped + len(head[skipped:]) - len(head[skipped:].lstrip(_SPACE))
    if head[start : start + 1] != b"{" or isinstance(file, BytesIO):  # BytesIO: the file is UTF-16
        return None
    number = head.count(b"\n", 0, start) + 1
    if not lines:
        return _alone(file, source, start, number, head[start:], default_id)
    file.seek(start)
    first = file.readline(_FIRST_LINE)
    if not first.endswith(b"\n"):
        return None
    try:
        value = decode_json(first)[0]
    except BadRecord:
        return None
    if is_message(value):
        return None
    return _lines(file, source, skipped, default_id)


def _alone(
    file: BinaryIO, source: SourceFile, start: int, line: int, head: bytes, default_id: Callable[[int, bool], str]
) -> Iterator[RunInfo]:
    with file:
        length = file.seek(0, os.SEEK_END) - start
    found = peeked_id(head[:_HEAD]) or default_id(0, True)
    yield _info(source, "json", found, 0, line, start, length, True)


def _lines(file: BinaryIO, source: SourceFile, start: int, default_id: Callable[[int, bool], str]) -> Iterator[RunInfo]:
    record = 0
    with file:
        for number, begin, length, head in _spans(file, start):
            if head[:1] in (b"{", b"["):
                found = peeked_id(head) or default_id(record, False)
                yield _info(source, "jsonl", found, record, number, begin, length, False)
                record += 1


def _info(
    source: SourceFile, container: str, run_id: str, record: int, line: int, offset: int, length: int, alone: bool
) -> RunInfo:
    return RunInfo(
        run_id, run_id, source.path, source.source, "", container, record, line, offset, length, alone, summarised=False
    )


def _spans(file: BinaryIO, start: int) -> Iterator[tuple[int, int, int, bytes]]:
    """Number (from 1), offset, length and first bytes of each line that is not blank, without the space around it."""
    buffer = bytearray(_CHUNK)
    find = buffer.find
    descriptor = file.fileno()
    base, number, begin = start, 1, start  # where the buffer and the line are in the file
    while size := os.preadv(descriptor, [buffer], base):
        end = find(b"\n", 0, size)
        while end >= 0:
            if begin < base or end == 0:
                span = _span(descriptor, begin, base + end, os.pread(descriptor, _HEAD, begin), b" ")
            else:
                at = begin - base
                span = _span(descriptor, begin, base + end, bytes(buffer[at : at + _HEAD]), buffer[end - 1 : end])
            if span is not None:
                yield number, *span
            number += 1
            begin = base + end + 1
            end = find(b"\n", end + 1, size)
        base += size
    span = _span(descriptor, begin, base, os.pread(descriptor, _HEAD, begin), b" ")
    if span is not None:
        yield number, *span


def _span(descriptor: int, begin: int, end: int, head: bytes, last: bytes | bytearray) -> tuple[int, int, bytes] | None:
    """Offset, length and first bytes of the line without the space around it; None where it is blank."""
    if begin == end:
        return None
    if head[:1] not in (b" ", b"\t", b"\r", b"\n") and last not in (b" ", b"\t", b"\r"):
        return begin, end - begin, head[: end - begin]
    line = b""
    while begin < end:  # as far as space goes, at either side
        line = os.pread(descriptor, min(end - begin, _EDGE), begin)
        rest = line.lstrip(_SPACE)
        begin += len(line) - len(rest) if line else end - begin
        if rest:
            break
    if begin >= end:
        return None
    while True:
        tail = os.pread(descriptor, min(end - begin, _EDGE), max(begin, end - _EDGE))
        rest = tail.rstrip(_SPACE)
        end -= len(tail) - len(rest)
        if rest or not tail:
            return begin, end - begin, os.pread(descriptor, min(_HEAD, end - begin), begin)
