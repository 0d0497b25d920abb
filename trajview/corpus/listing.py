"""The records of a file before any of them is read: where the lines are, and what their first bytes say.

A pass for newlines costs a tenth of reading the records, so that every run of a large file is in the list at once.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from mmap import mmap
from typing import Any, Final, TypeAlias

import msgspec

from .decode import BadRecord, decode_json
from .files import open_plain, wide_encoding
from .held import may_hold_records
from .info import RunInfo
from .lines import BOM, SPACE
from .mapped import PIECE, look_through
from .walk import SourceFile

__all__ = ["listed", "peeked_id", "places"]

_CHUNK: Final = 1 << 21
_HEAD: Final = 256
"""Bytes at the start of a record that are looked at."""
_FIRST_LINE: Final = 4 << 20
"""The first line decides what a file is; a longer one is left to the reading of the whole file."""
_SMALL: Final = 1 << 16
_EDGE: Final = 4096
_MARKED: Final = BOM[0]
_BLANK: Final = 32
"""Bytes up to this one may be space."""
_RETURN: Final = 13
_LONG: Final = 200
"""Bytes of a line, on average, from which on a look at lines takes no longer than finding them."""
_OPENING: Final = b"{["
_LINES: Final = frozenset({".jsonl", ".ndjson"})
_JSON: Final = frozenset({".json", ".traj"})
_Place: TypeAlias = tuple[int, int, int, str | None]
"""Number, offset, length and id of a line. Its length is negative while it is unclear where in it a record may be."""
_ID: Final = re.compile(rb'\{\s*"(?:id|pk)"\s*:\s*"([^"\\\x00-\x1f]{1,200}+)"')


def peeked_id(head: bytes) -> str | None:
    """The id of a record by its first bytes: where `id`, or Sotopia's `pk`, comes first and is a plain text."""
    return _id_in(head, 0, len(head))


def _id_in(data: bytes | bytearray | mmap, start: int, end: int) -> str | None:
    match = _ID.match(data, start, end)
    if match is None:
        return None
    found = match[1]
    try:  # `suppress` takes as long as all the rest
        # `str` takes three times as long.
        return found.decode() if found[0] > _BLANK or not found.isspace() else None
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
    try:
        found = places(descriptor, begun.bom, begun.whole)
        for record, (number, begin, length, run_id) in enumerate(found):
            yield _info(source, "jsonl", run_id or default_id(record, False), record, number, begin, length, False)
    finally:
        os.close(descriptor)


def _info(
    source: SourceFile, container: str, run_id: str, record: int, line: int, offset: int, length: int, alone: bool
) -> RunInfo:
    return RunInfo(
        run_id, run_id, source.path, source.source, "", container, record, line, offset, length, alone, summarised=False
    )


def places(descriptor: int, start: int = 0, whole: bytes | None = None) -> Iterator[_Place]:
    """Number (from 1), offset, length and id of each line that may be a record, without the space around it.

    From `start` on, of an open file, or of `whole`: all there is from there on, if it is few bytes. Raises OSError.
    Mapped where that is safe, and read into a buffer elsewhere: of a mapped file that is cut meanwhile, one look too far
    ends the program.
    """
    looking = _Looking(descriptor, start)
    if whole is not None:
        yield from _cleared(descriptor, looking.at(whole, start, len(whole)))
    else:
        base, buffer, long_lines = 0, bytearray(_SMALL), True  # the first lines at once
        while True:
            found, size, number = None, PIECE, looking.number
            # Where large pages begin: all else takes the system twice as long to map.
            if base and long_lines and not base % _CHUNK:
                found = look_through(descriptor, base, size, partial(looking.at, base=base, size=size))
            if found is None:
                if base and len(buffer) < _CHUNK:
                    buffer = bytearray(_CHUNK)
                if not (size := os.preadv(descriptor, [memoryview(buffer)[: len(buffer) - base % len(buffer)]], base)):
                    break
                found = looking.at(buffer, base, size)
            base += size
            # Who would write the file is not to wait while a great many lines are looked at.
            long_lines = (looking.number - number) * _LONG <= size
            yield from found if looking.is_clear else _cleared(descriptor, found)
    yield from looking.rest()


class _Looking:
    """A look for lines through a file that comes in pieces, one behind the other."""

    def __init__(self, descriptor: int, start: int) -> None:
        self._descriptor = descriptor
        self.number = 1
        """Of the line that is not ended yet, from 1."""
        self._begin = self._end = start  # of the line that is not ended yet, in the file
        self.is_clear = True
        """Whether none of the lines that were found last has to be read."""

    def at(self, piece: bytes | bytearray | mmap, base: int, size: int) -> list[_Place]:
        """The lines that end in the piece that is at `base`, which has `size` bytes.

        Nothing is read here, since who would write the file may be waiting for this.
        """
        found: list[_Place] = []
        find, add = piece.find, found.append
        self.is_clear = True
        begin, number = self._begin, self.number
        end = find(b"\n", 0, size)
        while end >= 0:
            at, stop, last = begin - base, end, 0
            if 0 <= at < end and (last := piece[end - 1]) == _RETURN and at < end - 1:
                stop = end - 1
                last = piece[stop - 1]
            if last > _BLANK and (first := piece[at]) > _BLANK:
                if first in _OPENING:
                    head = at + _HEAD
                    add((number, begin, stop - at, _id_in(piece, at, head if head < stop else stop)))
                elif first == _MARKED:
                    add((number, begin, begin - base - end, None))
                    self.is_clear = False
            elif at != end:
                add((number, begin, begin - base - end, None))
                self.is_clear = False
            number += 1
            begin = base + end + 1
            end = find(b"\n", end + 1, size)
        self._begin, self.number, self._end = begin, number, base + size
        return found

    def rest(self) -> list[_Place]:
        """The last line, if no newline ends it."""
        if self._begin >= self._end or (span := _span(self._descriptor, self._begin, self._end)) is None:
            return []
        return [(self.number, *span)]


def _cleared(descriptor: int, found: list[_Place]) -> Iterator[_Place]:
    """The same lines, where those that are unclear are read, and left out where they are no records."""
    for place in found:
        number, begin, length, _ = place
        if length >= 0:
            yield place
        elif (span := _span(descriptor, begin, begin - length)) is not None:
            yield number, *span


def _span(descriptor: int, begin: int, end: int) -> tuple[int, int, str | None] | None:
    """Offset, length and id of a line, read for that, without the space around it, and the byte order mark before it.

    None where it is no record.
    """
    while begin < end:  # as far as space goes, at either side
        line = os.pread(descriptor, min(end - begin, max(_EDGE, len(BOM))), begin)
        rest = line.lstrip(SPACE)
        while rest.startswith(BOM):
            rest = rest.removeprefix(BOM).lstrip(SPACE)
        if line and line == rest:
            break
        begin += len(line) - len(rest) if line else end - begin
    if begin >= end:
        return None
    while True:
        tail = os.pread(descriptor, min(end - begin, _EDGE), max(begin, end - _EDGE))
        rest = tail.rstrip(SPACE)
        end -= len(tail) - len(rest)
        if rest or not tail:
            break
    head = os.pread(descriptor, min(_HEAD, end - begin), begin)
    return (begin, end - begin, peeked_id(head)) if head[:1] in (b"{", b"[") else None
