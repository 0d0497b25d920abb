"""The records of a file before any of them is read: where the lines are, and what their first bytes say.

A pass for newlines costs a tenth of reading the records, so that every run of a large file is in the list at once.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any, Final

import msgspec

from .decode import BadRecord, decode_json
from .files import open_plain
from .held import may_hold_records
from .info import RunInfo
from .lines import BOM, SPACE, lines_of
from .unpack import wide_encoding
from .walk import SourceFile

__all__ = ["listed", "peeked_id"]

_HEAD: Final = 256
"""Bytes at the start of a record that are looked at."""
_FIRST_LINE: Final = 4 << 20
"""The first line decides what a file is; a longer one is left to the reading of the whole file."""
_SMALL: Final = 1 << 16
_EDGE: Final = 4096
_OPENINGS: Final = (b"{", b"[")
_LINES: Final = frozenset({".jsonl", ".ndjson"})
_JSON: Final = frozenset({".json", ".traj"})
_ID: Final = re.compile(rb'\{\s*"(?:id|pk)"\s*:\s*"([^"\\\x00-\x1f]{1,200}+)"')


def peeked_id(head: bytes | memoryview) -> str | None:
    """The id of a record by its first bytes: where `id`, or Sotopia's `pk`, comes first and is a plain text."""
    match = _ID.match(head)
    if match is None:
        return None
    found = match[1]
    try:
        return None if found.isspace() else found.decode()
    except UnicodeDecodeError:
        return None


def listed(
    source: SourceFile,
    is_message: Callable[[Any], bool],
    default_id: Callable[[int, bool], str],
    *,
    closely: bool = False,
) -> Iterator[RunInfo] | None:
    """The records that a file seems to hold, in order, not summed up; None where only reading it can tell.

    `default_id` names a record without an id, by its number and whether it is alone. `closely`: a small JSON file is
    looked through to its end, where there may be more records. Raises UnreadableError.
    """
    suffix = source.path.suffix.lower()
    if suffix not in _LINES and suffix not in _JSON:
        return None
    descriptor = open_plain(source.path)
    try:
        begun = _begin(descriptor, suffix in _LINES, is_message)
        if begun is not None and closely and suffix in _JSON and not _is_one_value(descriptor, begun.start):
            begun = None
    except OSError:
        begun = None
    finally:
        if begun is None:
            os.close(descriptor)
    if begun is None:
        return None
    if suffix in _LINES:
        return _lines(descriptor, source, begun, default_id)
    return _alone(descriptor, source, begun, default_id)


_NOT_THERE: Final = msgspec.Raw()


class _Keys(msgspec.Struct, gc=False):
    """Keys that no message has: an object with one of them is a record, which is all that has to be known of it."""

    messages: msgspec.Raw = _NOT_THERE
    conversations: msgspec.Raw = _NOT_THERE
    transcripts: msgspec.Raw = _NOT_THERE


_decode_raw: Final = msgspec.json.Decoder(msgspec.Raw).decode
_decode_keys: Final = msgspec.json.Decoder(_Keys).decode


def _is_plainly_a_record(line: bytes) -> bool:
    try:
        keys = _decode_keys(line)
    except (ValueError, RecursionError):
        return False
    return any(value is not _NOT_THERE for value in (keys.messages, keys.conversations, keys.transcripts))


class _Beginning(msgspec.Struct, frozen=True):
    """How a file begins: bytes of its byte order mark, where its first value starts, and first bytes of that.

    `whole` is all of a small file behind the mark.
    """

    bom: int
    start: int
    line: int
    head: bytes
    whole: bytes | None


def _begin(descriptor: int, lines: bool, is_message: Callable[[Any], bool]) -> _Beginning | None:
    """The beginning of a file whose first value is an object; of JSONL, one that is a record by itself."""
    head = os.pread(descriptor, _SMALL if lines else _EDGE, 0)
    bom = len(BOM) if head.startswith(BOM) else 0
    text = head[bom:].lstrip(SPACE)
    start = len(head) - len(text)
    if not text.startswith(b"{") or wide_encoding(head) is not None:
        return None
    if not lines and may_hold_records(text):
        return None
    if lines:
        end = text.find(b"\n")
        if end < 0:
            text = os.pread(descriptor, _FIRST_LINE, start)
            end = text.find(b"\n")
            if end < 0:
                return None
        if not _is_plainly_a_record(text[:end]):
            try:
                if is_message(decode_json(text[:end])[0]):
                    return None
            except BadRecord:
                return None
    whole = head[bom:] if lines and len(head) < _SMALL else None
    return _Beginning(bom, start, head.count(b"\n", 0, start) + 1, text[:_HEAD], whole)


def _is_one_value(descriptor: int, start: int) -> bool:
    data = os.pread(descriptor, _SMALL + 1, start)
    if len(data) <= _SMALL:
        try:
            _decode_raw(data)
        except (ValueError, RecursionError):
            return False
    return True


def _alone(
    descriptor: int, source: SourceFile, begun: _Beginning, default_id: Callable[[int, bool], str]
) -> Iterator[RunInfo]:
    try:
        length = os.fstat(descriptor).st_size - begun.start
    finally:
        os.close(descriptor)
    found = peeked_id(begun.head) or default_id(0, True)
    yield _info(source, "json", found, 0, begun.line, begun.start, length, True)


def _lines(
    descriptor: int, source: SourceFile, begun: _Beginning, default_id: Callable[[int, bool], str]
) -> Iterator[RunInfo]:
    with os.fdopen(descriptor, "rb") as file:
        file.seek(begun.bom)
        record = 0
        for line in lines_of(file if begun.whole is None else BytesIO(begun.whole), begun.bom):
            head = line.text[: min(_HEAD, line.length)]
            if head[:1] in _OPENINGS:
                found = peeked_id(head) or default_id(record, False)
                yield _info(source, "jsonl", found, record, line.number, line.offset, line.length, False)
                record += 1


def _info(
    source: SourceFile, container: str, run_id: str, record: int, line: int, offset: int, length: int, alone: bool
) -> RunInfo:
    return RunInfo(
        run_id, run_id, source.path, source.source, "", container, record, line, offset, length, alone, summarised=False
    )
