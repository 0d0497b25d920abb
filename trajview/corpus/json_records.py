"""The records of a JSON or JSONL file, with exact byte offsets; the content decides which of the two it is.

A JSONL file is read line by line and never held whole. A JSON array is split without building its values; only a file
that msgspec refuses is split by brackets, so that the records before a tear still open.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, Final

from trajview.errors import Problem, Where

from .decode import MORE_TEXT, BadRecord, decode_json
from .foreign import HEAD, foreign, no_text
from .held import Span, held_records, is_plain, spans_in
from .held_torn import TOKEN, HeldTorn, gap_between, held_in_torn
from .json_lines import MISSING, IsMessage, attempt, json_lines
from .lines import BOM, SPACE, Line, lines_of
from .memory import check_room, no_room
from .record import DECODED, TORN_HINT, Record, RecordLook, not_utf8, problem_of

__all__ = ["json_records"]

_FIRST_LINES: Final = 100
_TAIL: Final = 1 << 16
_TOO_LONG_TO_TRY: Final = 16 << 20
"""Bytes of a first line that is not decoded only to tell that it is one."""
_LONG: Final = 1 << 16
_LARGE: Final = 1 << 20
"""Bytes from which on a list of messages is not decoded."""


def json_records(
    file: BinaryIO,
    path: Path,
    lines_expected: bool,
    is_message: IsMessage,
    look: RecordLook = DECODED,
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
    if not lines_expected:
        alone = _on_one_line(file, start, path)
        if alone is not None:
            data, offset, number = alone
            yield from _whole(data, offset, number, path, is_message, look)
            return
        file.seek(start)
    lines = lines_of(file, start)
    first = next(lines, None)
    if first is None:
        return
    second = next(lines, None)
    if second is None:
        yield from _of_one_line(first, path, lines_expected, is_message, look)
    elif first.left_out or _are_lines(first, second, lines_expected):
        yield from json_lines(chain((first, second), lines), path, is_message, look)
    else:
        data = _rest(file, first.offset, path)
        if lines_expected and data[:1] != b"[" and attempt(data)[0] is MISSING and _holds_lines(file, start):
            del data
            file.seek(start)
            yield from json_lines(lines_of(file, start), path, is_message, look)
        else:
            yield from _whole(data, first.offset, first.number, path, is_message, look)


def _of_one_line(
    line: Line,
    path: Path,
    lines_expected: bool,
    is_message: IsMessage,
    look: RecordLook,
) -> Iterable[Record | Problem]:
    """The records of a file that has one line."""
    if not lines_expected or (not line.left_out and line.text[:1] == b"["):
        return _whole(line.data, line.offset, line.number, path, is_message, look)
    found = list(json_lines(iter((line,)), path, is_message, look))
    if len(found) == 1 and isinstance(found[0], Problem) and MORE_TEXT in found[0].reason:
        return _broken(line.data, line.offset, line.number, path, is_message)
    return found


def _holds_lines(file: BinaryIO, start: int) -> bool:
    """Whether one of the first lines is a record by itself."""
    file.seek(start)
    some = islice(lines_of(file, start), _FIRST_LINES)
    return any(isinstance(attempt(line.view)[0], dict | list) for line in some)


def _on_one_line(file: BinaryIO, start: int, path: Path) -> tuple[bytes, int, int] | None:
    """A file whose value is on one long line: its bytes, offset and line. Read in one piece, it is in memory once."""
    head = file.read(_LONG)
    text = head.lstrip(SPACE)
    if len(head) < _LONG or b"\n" in text:
        return None
    skipped = len(head) - len(text)
    data = _rest(file, start + skipped, path)
    return None if b"\n" in data else (data, start + skipped, 1 + head.count(b"\n", 0, skipped))


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
        return True  # nor is there anything in one value between these
    is_torn = last not in b"[,:" and second.text[:1] in (b"{", b"[")
    if not is_torn and last not in b"]}" and not expected:
        return False  # nor is it an object or a list
    value = attempt(first.view)[0]
    if value is not MISSING:
        return expected or isinstance(value, dict | list)
    return is_torn and isinstance(attempt(second.view)[0], dict | list)


def _whole(
    data: bytes,
    offset: int,
    line: int,
    path: Path,
    is_message: IsMessage,
    look: RecordLook,
) -> Iterable[Record | Problem]:
    """The records of one JSON value that starts at an offset."""
    found: Iterable[Record | Problem] | None = None
    if data[:1] == b"[":
        found = _of_list(data, offset, line, path, is_message, look)
    elif (value := look.value(data, 0, True)) is not None:
        found = (Record(value, "json", offset, len(data), line=line, data=data),)
    elif data[:1] == b"{":
        found = _of_object(data, offset, line, path, is_message, look)
    return _one_record(data, offset, line, path, is_message) if found is None else found


def _of_list(
    data: bytes,
    offset: int,
    line: int,
    path: Path,
    is_message: IsMessage,
    look: RecordLook,
) -> Iterable[Record | Problem] | None:
    """The records in a JSON array, which is one itself where it is a list of messages; None where it has to be decoded."""
    spans = _elements(data)
    if spans is None:
        return _broken(data, offset, line, path, is_message)
    if not spans:
        return ()
    head = attempt(data[slice(*spans[0])])[0]
    if isinstance(head, dict | list) and not is_message(head):
        return _array(data, spans, offset, line, path, look=look)
    if len(data) >= _LARGE and (value := look.value(data, 0, True)) is not None:
        return (Record(value, "json", offset, len(data), line=line, data=data),)
    return None


def _of_object(
    data: bytes, offset: int, line: int, path: Path, is_message: IsMessage, look: RecordLook
) -> Iterable[Record | Problem] | None:
    """The records in a JSON object that only holds a list of them; None where it is one itself."""
    if (spans := held_records(data, is_message)) is not None:
        return _array(data, spans, offset, line, path, look=look)
    if not is_plain(data) and (torn := held_in_torn(data, is_message)) is not None:
        return chain(_array(data, torn.spans, offset, line, path), _wrong_in(torn, data, line, path))
    return None


def _one_record(data: bytes, offset: int, line: int, path: Path, is_message: IsMessage) -> Iterator[Record | Problem]:
    """The record that a JSON value is."""
    try:
        value, replaced = decode_json(data)
    except BadRecord as error:
        if data[:1] in (b"{", b"["):
            yield from _broken(data, offset, line, path, is_message)
        else:
            hint = "it is neither JSON nor JSONL; is the name right?"
            bad = problem_of(error, path, line, "file", cut=True)
            yield no_text(data, path) or Problem(bad.reason, hint, bad.where)
        return
    if replaced:
        yield not_utf8(path, line)
    yield Record(value, "json", offset, len(data), line=line, data=data)


def _elements(data: bytes) -> list[Span] | None:
    """Start and end of each element of an array, None where msgspec does not take it for JSON."""
    try:
        return spans_in(data)
    except (ValueError, RecursionError):
        return None


def _array(
    data: bytes,
    spans: list[Span],
    offset: int,
    line: int,
    path: Path,
    container: str = "json array",
    look: RecordLook = DECODED,
) -> Iterator[Record | Problem]:
    before, index, told, alone = 0, 0, False, len(spans) == 1
    view = memoryview(data)
    for start, end in spans:
        line += data.count(b"\n", before, start)
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
        yield Record(value, container, offset + start, end - start, index, line, alone, data=element)
        index += 1


def _broken(data: bytes, offset: int, line: int, path: Path, is_message: IsMessage) -> Iterator[Record | Problem]:
    """What can be had of JSON that does not decode: an array with a torn end, NaN in it, or several values in a row."""
    in_array = data[:1] == b"["
    spans, complete = _balanced(data, 1 if in_array else 0)
    if in_array and spans and is_message(attempt(data[slice(*spans[0])])[0]):
        # One record, a list of messages; it has to decode as a whole to be one.
        spans = [(0, len(data))]
    if not spans or spans == [(0, len(data))]:
        try:
            value, replaced = decode_json(data)
        except BadRecord as error:
            yield problem_of(error, path, line, "file", cut=True)
            return
        if replaced:
            yield not_utf8(path, line)
        yield Record(value, "json", offset, len(data), line=line, data=data)
        return
    yield from _array(data, spans, offset, line, path, "json array" if in_array else "json values")
    yield from _wrong_between(data, _gap_in(data, spans, in_array), complete, line, path)


def _wrong_in(held: HeldTorn, data: bytes, line: int, path: Path) -> Iterator[Problem]:
    """What is wrong with an object that holds records."""
    if held.around is not None and held.complete:
        yield problem_of(held.around, path, line, "file", cut=True)
    else:
        yield from _wrong_between(data, held.gap, held.complete, line, path)


def _wrong_between(data: bytes, gap: int | None, complete: bool, line: int, path: Path) -> Iterator[Problem]:
    if not complete:
        at = line + data.count(b"\n")
        yield Problem("the last record is torn: the file ends before it is complete", TORN_HINT, Where(path, at))
    elif gap is not None:
        at = line + data.count(b"\n", 0, gap)
        column = gap - data.rfind(b"\n", 0, gap)
        reason = f"there is something else than a comma between two records (line {at}, column {column})"
        yield Problem(reason, "the records around it open", Where(path, at))


def _balanced(data: bytes, base: int) -> tuple[list[Span], bool]:
    """Spans of the objects and arrays `base` brackets deep, and whether all closed."""
    spans: list[Span] = []
    depth, start = 0, 0
    for match in TOKEN.finditer(data):
        token = match.group()
        if token in (b"{", b"["):
            if depth == base:
                start = match.start()
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
            if depth == base:
                spans.append((start, match.end()))
            elif depth < base:
                break
        elif token == b'"':  # a string without an end
            return spans, False
    return spans, depth < max(base, 1)


def _gap_in(data: bytes, spans: list[Span], in_array: bool) -> int | None:
    """Where there is something else than a comma between two elements of an array, or than its end behind the last one.

    Of several values in a row only what is behind the last one counts.
    """
    gap = gap_between(data, spans, 1) if in_array else None
    end = spans[-1][1]
    if gap is None and data[end:].strip(SPACE) != (b"]" if in_array else b""):
        return end
    return gap
