"""The records of a JSONL file, line by line: each is one, or all lines are, where each holds a message."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from trajview.errors import Problem, UnreadableError, Where
from trajview.formats import registry

from .decode import BadRecord, decode_json
from .lines import SPACE, Line, lines_of
from .memory import check_room_to_open, no_room, too_long
from .record import LAST_LINE, Record, RecordLook, not_utf8, problem_of

__all__ = ["MISSING", "attempt", "decode_lines", "json_lines", "lines_after"]

MISSING: Final = object()
"""Stands for the value of text that is no JSON."""
_MAX_PROBLEMS: Final = 1000


def attempt(data: bytes | memoryview) -> tuple[Any, bool]:
    """Decode a JSON value, and tell whether bytes of it were replaced; MISSING where it is none."""
    if data in (b"{", b"["):  # the first line of JSON that is indented for people
        return MISSING, False
    try:
        return decode_json(data)
    except BadRecord:
        return MISSING, False


def decode_lines(data: bytes, line: Callable[[memoryview], Any] = lambda _: None) -> list[Any]:
    """Decode the lines that can be read, for a record made of many lines. `line` may know one without decoding it."""
    found, start, view = [], 0, memoryview(data)
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        value = line(view[start:end])
        if value is None:
            value, _ = attempt(bytes(view[start:end]).strip(SPACE))
        if value is not MISSING:
            found.append(value)
        start = end
    return found


def lines_after(
    file: BinaryIO, path: Path, offset: int, number: int, index: int, look: RecordLook
) -> Iterator[Record | Problem]:
    """The records of a JSONL file from a line on, which has this offset and number, and is record `index`, not 0."""
    file.seek(offset)
    yield from json_lines(lines_of(file, offset, number), path, look, index)


def json_lines(
    lines: Iterator[Line],
    path: Path,
    look: RecordLook,
    index: int = 0,
) -> Iterator[Record | Problem]:
    """The records of some lines, the first of which is record `index`; see `json_records`."""
    reader = _Values(lines, path, look, index)
    for found in (values := iter(reader)):
        if isinstance(found, Problem):
            yield found
            continue
        line, value = found
        if index == 0 and registry.is_message_line(value):
            reader.are_joined = True
            yield from _one_record_of_lines(line, value, values, look)
            return
        else:
            yield _line_record(line, value, index)
        index += 1


def _line_record(line: Line, value: Any, index: int) -> Record:
    # Never `alone`, so that a record without an id keeps its name while the log grows.
    return Record(value, "jsonl", line.offset, line.length, index, line.number, False, data=line.text)


def _one_record_of_lines(
    first: Line, value: Any, values: Iterator[tuple[Line, Any] | Problem], look: RecordLook
) -> Iterator[Record | Problem]:
    found, end = [value], first.offset + first.length
    for each in values:
        if isinstance(each, Problem):
            yield each
            continue
        line, value = each
        found.append(value)
        end = line.offset + line.length
    yield Record(look.joined(found), "jsonl messages", first.offset, end - first.offset, 0, first.number)


class _Values:
    """The values of lines, one after another, and the problems of these lines."""

    def __init__(self, lines: Iterator[Line], path: Path, look: RecordLook, before: int) -> None:
        self.are_joined = False
        """Whether all lines are one record."""
        self._look = look
        self._lines = lines
        self._path = path
        self._before = before

    def __iter__(self) -> Iterator[tuple[Line, Any] | Problem]:
        bad, good, told = 0, self._before, False
        for line in self._lines:
            if line.left_out:
                yield too_long(line.length, self._path, line.number)
                continue
            try:
                value = self._look.line(line.text) if self.are_joined else self._look.value(line.text, good, False)
                if value is not None:
                    good += 1
                    yield line, value
                    continue
                check_room_to_open(line.length, self._path, line.number)
                value, replaced = decode_json(line.view)
            except UnreadableError as error:
                yield error.problem()
                continue
            except MemoryError:
                yield no_room(self._path, line.number)
                continue
            except BadRecord as error:
                bad += 1
                if bad <= _MAX_PROBLEMS:
                    what = "line" if line.ended else LAST_LINE
                    yield problem_of(error, self._path, line.number, what, cut=not line.ended)
                continue
            if replaced and not told:
                told = True
                yield not_utf8(self._path, line.number)
            good += 1
            yield line, value
        if bad > _MAX_PROBLEMS:
            reason = f"{bad - _MAX_PROBLEMS:,} more lines cannot be read"
            yield Problem(reason, "is this a JSONL file?", Where(self._path))
