"""The records of a JSON or JSONL file, with exact byte offsets; the content decides which of the two it is.

A JSONL file is read line by line and never held whole. A JSON array is split without building its values; only a file
that msgspec refuses is split by brackets, so that the records before a tear still open.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, Final

from trajview.errors import Problem, Where

from .decode import MORE_TEXT, BadRecord, decode_json
from .event_lists import sorted_events
from .foreign import HEAD, foreign, no_text
from .held import Span, held_records, is_plain, spans_in
from .held_torn import TOKEN, HeldTorn, held_in_torn
from .json_lines import MISSING, IsMessage, attempt, json_lines
from .lines import BOM, SPACE, Line, lines_of
from .memory import check_room, no_room
from .record import TORN_HINT, LookAtLines, ReadRecord, Record, not_utf8, problem_of

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
    quick: ReadRecord | None = None,
    joined: LookAtLines | None = None,
) -> Iterator[Record | Problem]:
    """The records in a file, in order. `lines_expected`: its name says JSONL. Yields nothing for an empty file.

    One record is: the whole file; an element of an array, unless the array is itself a list of messages, or of the one
    list in an object that only holds records; a line; or all lines, where each is a message. `quick` is tried on each, and `joined` on that.
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
            yield from _whole(data, offset, number, path, is_message, quick, joined)
            return
        file.seek(start)
    lines = lines_of(file, start)
    first = next(lines, None)
    if first is None:
        return
    second = next(lines, None)
    if second is None:
        if lines_expected and (first.left_out or first.text[:1] != b"["):
            found = list(json_lines(iter((first,)), path, is_message, quick, joined=joined))
            several = len(found) == 1 and isinstance(found[0], Problem) and MORE_TEXT in found[0].reason
            yield from _broken(first.data, first.offset, first.number, path, is_message) if several else found
        else:
            yield from _whole(first.data, first.offset, first.number, path, is_message, quick, joined)
        return
    if first.left_out or _are_lines(first, second, lines_expected):
        yield from json_lines(chain((first, second), lines), path, is_message, quick, joined=joined)
        return
    data = _rest(file, first.offset, path)
    if lines_expected and data[:1] != b"[" and attempt(data)[0] is MISSING:
        file.seek(start)
        some = islice(lines_of(file, start), _FIRST_LINES)
        if any(isinstance(attempt(line.view)[0], dict | list) for line in some):
            del data
            file.seek(start)
            yield from json_lines(lines_of(file, start), path, is_message, quick, joined=joined)
            return
    yield from _whole(data, first.offset, first.number, path, is_message, quick, joined)


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
    quick: ReadRecord | None,
    joined: LookAtLines | None,
) -> Iterator[Record | Problem]:
    """The records of one JSON value that starts at an offset."""
    if data[:1] == b"[":
        # A list of messages, if it is one, and not of records.
        spans = _elements(data)
        if spans is None:
            yield from _broken(data, offset, line, path, is_message)
            return
        if not spans:
            return
        head = attempt(data[slice(*spans[0])])[0]
        if isinstance(head, dict | list) and not is_message(head):
            yield from _array(data, spans, offset, line, path, quick=quick)
            return
        if joined is not None and (found := sorted_events(data, spans, look := joined(line))) is not None:
            yield Record(look.taken_apart(), "json", offset, len(data), line=line, data=data, known=found)
            return
        if quick is not None and len(data) >= _LARGE and (value := quick(data, 0, line, True)) is not None:
            yield Record(value, "json", offset, len(data), line=line, data=data)
            return
    elif quick is not None and (found := quick(data, 0, line, True)) is not None:
        yield Record(found, "json", offset, len(data), line=line, data=data)
        return
    elif data[:1] == b"{" and (spans := held_records(data, is_message)) is not None:
        yield from _array(data, spans, offset, line, path, quick=quick)
        return
    elif data[:1] == b"{" and not is_plain(data) and (torn := held_in_torn(data, is_message)) is not None:
        yield from _array(data, torn.spans, offset, line, path)
        yield from _wrong_in(torn, data, line, path)
        return
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
    quick: ReadRecord | None = None,
) -> Iterator[Record | Problem]:
    before, index, told, alone = 0, 0, False, len(spans) == 1
    view = memoryview(data)
    for start, end in spans:
        line += data.count(b"\n", before, start)
        before = start
        element = view[start:end]
        replaced = False
        try:
            value = quick(element, index, line, alone) if quick is not None else None
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
    spans, gap, complete = _balanced(data, 1 if in_array else 0)
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
    yield from _wrong_between(data, gap, complete, line, path)


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


def _balanced(data: bytes, base: int) -> tuple[list[Span], int | None, bool]:
    """Spans of the objects and arrays `base` brackets deep; where something odd lies between them; and whether all closed."""
    spans: list[Span] = []
    depth, start, end = 0, 0, base
    odd: int | None = None
    for match in TOKEN.finditer(data):
        token = match.group()
        if token in (b"{", b"["):
            if depth == base and match.start() >= base:
                start = match.start()
                allowed = (b",",) if spans else (b"",)
                if odd is None and base and data[end:start].strip(SPACE) not in allowed:
                    odd = end
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
            if depth == base:
                end = match.end()
                spans.append((start, end))
            elif depth < base:
                break
        elif token == b'"':  # a string without an end
            return spans, odd, False
    rest = data[end:].strip(SPACE)
    if odd is None and rest != (b"]" if base else b""):
        odd = end
    return spans, odd, depth < max(base, 1)
