"""The records of a JSON or JSONL file, with exact byte offsets; the content decides which of the two it is.

A JSONL file is read line by line and never held whole. A JSON array is split without building its values.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, Final

from msgspec import Struct

from trajview.errors import Problem, Where
from trajview.formats import registry

from .decode import MORE_TEXT, BadRecord, decode_json
from .foreign import HEAD, foreign, no_text
from .held import Elements, elements, held_records, split
from .json_lines import MISSING, attempt, json_lines
from .lines import BOM, SPACE, Line, lines_of
from .memory import check_room, no_room
from .record import DECODED, TORN_HINT, Record, RecordLook, not_utf8, problem_of

__all__ = ["LARGE", "json_records"]

_FIRST_LINES: Final = 100
_TAIL: Final = 1 << 16
_TOO_LONG_TO_TRY: Final = 16 << 20
"""Bytes of a first line from which on it is not decoded only to tell that it is one."""
LARGE: Final = 1 << 20
"""Bytes from which on a list of messages is not decoded."""


class _Text(Struct):
    """All JSON of a file, with its place: one value, maybe torn, or several in a row."""

    data: bytes
    offset: int
    line: int
    path: Path
    look: RecordLook


def json_records(
    file: BinaryIO, path: Path, lines_expected: bool, look: RecordLook = DECODED
) -> Iterator[Record | Problem]:
    """The records in a file, in order. `lines_expected`: its name says JSONL. Yields nothing for an empty file.

    One record is: the whole file; an element of an array, unless the array is itself a list of messages, or of the one
    list in an object that only holds records; a line; or all lines, where each is a message. `look` may spare the decoding of each.
    """
    head = file.read(HEAD)
    if (other := foreign(head, path)) is not None:
        yield other
        return
    start = len(BOM) if head.startswith(BOM) else 0
    file.seek(start)
    lines = lines_of(file, start)
    first = next(lines, None)
    if first is None:
        return
    second = next(lines, None)
    if second is None:
        yield from _of_one_line(file, first, path, lines_expected, look)
    elif first.left_out or _are_lines(first, second, lines_expected):
        yield from json_lines(chain((first, second), lines), path, look)
    else:
        data = _rest(file, first.offset, path)
        if lines_expected and data[:1] != b"[" and attempt(data)[0] is MISSING and _holds_lines(file, start):
            del data
            file.seek(start)
            yield from json_lines(lines_of(file, start), path, look)
        else:
            yield from _records_in(_Text(data, first.offset, first.number, path, look))


def _of_one_line(
    file: BinaryIO, line: Line, path: Path, lines_expected: bool, look: RecordLook
) -> Iterable[Record | Problem]:
    """The records of a file that has one line."""
    if lines_expected and line.text[:1] != b"[":
        found = list(json_lines(iter((line,)), path, look))
        if len(found) > 1 or not isinstance(found[0], Problem) or MORE_TEXT not in found[0].reason:
            return found
    data = _rest(file, line.offset, path) if line.left_out else line.data
    return _records_in(_Text(data, line.offset, line.number, path, look))


def _holds_lines(file: BinaryIO, start: int) -> bool:
    """Whether one of the first lines is a record by itself."""
    file.seek(start)
    some = islice(lines_of(file, start), _FIRST_LINES)
    return any(isinstance(attempt(line.view)[0], dict | list) for line in some)


def _rest(file: BinaryIO, start: int, path: Path) -> bytes:
    """The file from an offset on, without white space at its end, and without a second copy of it in memory.

    Raises UnreadableError where it would not fit.
    """
    end = file.seek(0, os.SEEK_END)
    while end > start:
        tail = file.seek(max(start, end - _TAIL))
        kept = file.read(end - tail).rstrip(SPACE)
        end = tail + len(kept)
        if kept:
            break
    file.seek(start)
    is_list = file.read(_TAIL).lstrip(SPACE).startswith(b"[")
    check_room(end - start, path, is_list=is_list)
    file.seek(start)
    return file.read(end - start)


def _are_lines(first: Line, second: Line, expected: bool) -> bool:
    # A torn first line. In one JSON value that is broken over lines, only these can come before a line `{…}` or `[…]`.
    last = bytes(first.view[-1:])
    if first.length > _TOO_LONG_TO_TRY and (first.text[:1], last, second.text[:1]) == (b"{", b"}", b"{"):
        return True  # nothing in one value can stand between these
    is_torn = last not in b"[,:" and second.text[:1] in (b"{", b"[")
    if not is_torn and last not in b"]}" and not expected:
        return False  # nor is it an object or a list
    value = attempt(first.view)[0]
    if value is not MISSING:
        return expected or isinstance(value, dict | list)
    return is_torn and isinstance(attempt(second.view)[0], dict | list)


def _records_in(text: _Text) -> Iterable[Record | Problem]:
    """The records in the JSON of a file."""
    data = text.data
    if data[:1] == b"[":
        found = elements(data)
        if found.proper and not found.spans:
            return ()
        head = attempt(data[slice(*found.spans[0])])[0] if found.spans else None
        if head is MISSING or (isinstance(head, dict | list) and not registry.is_message_line(head)):
            return _array(text, found)
        may_be_quick = len(data) >= LARGE
    else:
        may_be_quick = True
    if may_be_quick and (value := text.look.value(data, 0, True)) is not None:
        return (_alone(text, value),)
    if data[:1] == b"{" and (held := held_records(data)) is not None:
        return _array(text, held)
    return _one_record(text)


def _one_record(text: _Text) -> Iterator[Record | Problem]:
    """The record that the JSON of a file is; where it is none, the values in a row that it may be."""
    data, path, line = text.data, text.path, text.line
    try:
        value, replaced = decode_json(data)
    except BadRecord as error:
        found = split(data, in_list=False) if data[:1] == b"{" else None
        if found is not None and found.spans and found.spans != [(0, len(data))]:
            yield from _array(text, found, "json values")
            return
        bad = problem_of(error, path, line, "file", cut=True)
        if data[:1] not in (b"{", b"["):
            hint = "it is neither JSON nor JSONL; is the name right?"
            bad = no_text(data, path) or Problem(bad.reason, hint, bad.where)
        yield bad
        return
    if replaced:
        yield not_utf8(path, line)
    yield _alone(text, value)


def _alone(text: _Text, value: object) -> Record:
    return Record(value, "json", text.offset, len(text.data), line=text.line, data=text.data)


def _array(text: _Text, found: Elements, container: str = "json array") -> Iterator[Record | Problem]:
    before, index, told, alone = 0, 0, False, len(found.spans) == 1
    line, path, look = text.line, text.path, text.look if found.proper else DECODED
    view = memoryview(text.data)
    for start, end in found.spans:
        line += text.data.count(b"\n", before, start)
        before = start
        element = view[start:end]
        replaced = False
        try:
            value = look.value(element, index, alone)
            if value is None:
                value, replaced = decode_json(element)
        except BadRecord as error:
            yield problem_of(error, path, line)
            continue
        except MemoryError:
            yield no_room(path, line)
            continue
        if replaced and not told:
            told = True
            yield not_utf8(path, line)
        yield Record(value, container, text.offset + start, end - start, index, line, alone, data=element)
        index += 1
    yield from _wrong_in(text, found)


def _wrong_in(text: _Text, found: Elements) -> Iterator[Problem]:
    """The problems of a list of records, apart from those of the records."""
    data, path, line = text.data, text.path, text.line
    if found.around is not None and found.complete:
        yield problem_of(found.around, path, line, "file", cut=True)
    elif not found.complete:
        at = line + data.count(b"\n")
        yield Problem("the last record is torn: the file ends before it is complete", TORN_HINT, Where(path, at))
    elif found.gap is not None:
        at = line + data.count(b"\n", 0, found.gap)
        column = found.gap - data.rfind(b"\n", 0, found.gap)
        reason = f"there is something else than a comma between two records (line {at}, column {column})"
        yield Problem(reason, "the records around it open", Where(path, at))
