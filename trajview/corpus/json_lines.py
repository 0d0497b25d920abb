"""The records of a JSONL file, line by line: each is one, or all lines are, where each holds a message."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from trajview.errors import Problem, UnreadableError, Where

from .decode import LARGE_RUN, BadRecord, collector_paused, decode_json
from .lines import SPACE, Line, lines_of
from .memory import check_room_to_open, no_room, too_long
from .record import LAST_LINE, LinesLook, LookAtLines, ReadRecord, Record, not_utf8, problem_of

__all__ = ["MISSING", "IsMessage", "attempt", "decode_lines", "json_lines", "lines_after", "parted_lines"]

IsMessage = Callable[[Any], bool]

MISSING: Final = object()
"""Stands for the value of what is no JSON."""
_MAX_PROBLEMS: Final = 1000


def attempt(data: bytes | memoryview) -> tuple[Any, bool]:
    """A JSON value, and whether bytes of it were replaced; MISSING where it is none."""
    if data in (b"{", b"["):  # as what is written for people begins
        return MISSING, False
    try:
        return decode_json(data)
    except BadRecord:
        return MISSING, False


def decode_lines(data: bytes) -> list[Any]:
    """The values of the lines that can be read, for a record made of many lines."""
    found = (attempt(line)[0] for line in data.split(b"\n") if line.strip(SPACE))
    return [value for value in found if value is not MISSING]


def lines_after(
    file: BinaryIO, path: Path, offset: int, number: int, index: int, quick: ReadRecord | None = None
) -> Iterator[Record | Problem]:
    """The records of a JSONL file from a line on, which has this offset and number, and is record `index`, not 0."""
    file.seek(offset)
    yield from json_lines(lines_of(file, offset, number), path, lambda _: False, quick, index)


def json_lines(
    lines: Iterator[Line],
    path: Path,
    is_message: IsMessage,
    quick: ReadRecord | None,
    index: int = 0,
    joined: LookAtLines | None = None,
) -> Iterator[Record | Problem]:
    """The records of some lines, the first of which is record `index`; see `json_records`."""
    reader = _Values(lines, path, index)
    reader.quick = quick
    for found in (values := iter(reader)):
        if isinstance(found, Problem):
            yield found
            continue
        line, value = found
        if index == 0 and is_message(value):
            reader.quick = None  # every value is wanted
            yield from _one_record_of_lines(line, value, values, reader, joined)
            return
        else:
            yield _line_record(line, value, index)
        index += 1


def _line_record(line: Line, value: Any, index: int) -> Record:
    # Never `alone`, so that a record without an id keeps its name while the log grows.
    return Record(value, "jsonl", line.offset, line.length, index, line.number, False, data=line.text)


def _one_record_of_lines(
    first: Line, value: Any, values: Iterator[tuple[Line, Any] | Problem], reader: _Values, joined: LookAtLines | None
) -> Iterator[Record | Problem]:
    messages, end = [value], first.offset + first.length
    look = joined(first.number) if joined is not None else None
    if look is not None:
        messages, take = look.lines, look.take
        look.give(value)
        reader.quick = lambda data, *_: _TAKEN if take(data) else None
    with collector_paused(LARGE_RUN):  # as it may be: nobody knows yet how many lines there are
        for found in values:
            if isinstance(found, Problem):
                yield found
                continue
            line, value = found
            if look is None:
                messages.append(value)
            elif value is not _TAKEN:
                look.give(value)
            end = line.offset + line.length
    known = look.found() if look is not None else None
    if look is not None and known is not None:
        value, length = look.taken_apart(), end - first.offset
        yield Record(value, "jsonl messages", first.offset, length, 0, first.number, known=known)
        return
    messages = [decode_json(memoryview(each))[0] if isinstance(each, msgspec.Raw) else each for each in messages]
    yield Record(messages, "jsonl messages", first.offset, end - first.offset, 0, first.number)


def parted_lines(data: bytes, look: LinesLook) -> Any:
    """What a look takes apart of a record of many lines, as `decode_lines` has them; None where they must be decoded."""
    start, view = 0, memoryview(data)
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        line = view[start:end]
        start = end
        if not look.take(line) and (text := bytes(line).strip(SPACE)) and (value := attempt(text)[0]) is not MISSING:
            look.give(value)
    return None if look.found() is None else look.taken_apart()


_TAKEN: Final = object()
"""Stands for the value of a line that a look has taken."""


class _Values:
    """The values of lines, one after another, and what is wrong with them. `quick`, once set, may spare the decoding."""

    def __init__(self, lines: Iterator[Line], path: Path, before: int = 0) -> None:
        self.quick: ReadRecord | None = None
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
                value = self.quick(line.text, good, line.number, False) if self.quick is not None else None
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
