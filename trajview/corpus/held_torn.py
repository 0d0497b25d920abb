"""A file that only holds a list of records, and is torn, or no JSON as msgspec sees it: the records in it that are whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from .decode import MORE_TEXT, BadRecord, decode_json
from .held import FEW, KEYS, MAY_HOLD, SURE, Span, confidence, some
from .lines import SPACE

__all__ = ["TOKEN", "HeldTorn", "gap_between", "held_in_torn"]

TOKEN: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{}]', re.DOTALL)
"""A string, a bracket, or the quote at which a string begins that has no end."""
_MOST_BESIDE: Final = 16 << 20
"""Bytes beside the list that are decoded to tell whether the object is a record itself."""


class HeldTorn(Struct, frozen=True):
    """Where the records are, and what is wrong, of which nothing may be: `gap`, where something else than a comma is
    between two of them; not `complete`, the list has no end; `around`, what is before or behind the list, and on which
    line, from 1."""

    spans: list[Span]
    gap: int | None
    complete: bool
    around: BadRecord | None


class _List(Struct):
    """A list of an object: its key, where it begins and ends, and where its elements are."""

    name: str
    start: int
    end: int
    spans: list[Span]
    complete: bool = False


def held_in_torn(data: bytes, is_message: Callable[[Any], bool]) -> HeldTorn | None:
    """The records that an object holds in its one list of such, as far as they are there; None where it is not certain.

    The object may end anywhere, and may hold NaN. As of one that is not torn, those records that can be read all have
    to be of a known format, and the object of none. Every bracket is passed over.
    """
    if MAY_HOLD.search(data) is None:
        return None
    found = _only_list(data)
    if found is None or not found.spans or not _are_records(data, found.spans, is_message):
        return None
    before, behind = data[: found.start], data[found.end :]
    if len(before) + len(behind) > _MOST_BESIDE:
        return None
    around = None
    try:
        own = decode_json(before + b"[]" + (behind if found.complete else b"}"))[0]
    except BadRecord as error:
        if MORE_TEXT in error.reason:
            return None  # several objects in a row
        around = error
        if error.line > before.count(b"\n"):
            around.line += data.count(b"\n", found.start, found.end)
        own = _decoded(before + b"[]}")
    if own is None:
        return None
    first = (_decoded(data[slice(*span)]) for span in found.spans[:FEW])
    own[found.name] = [value for value in first if value is not None]
    return None if confidence(own) else HeldTorn(found.spans, _gap_in(data, found), found.complete, around)


def _only_list(data: bytes) -> _List | None:
    """The one list of an object that may be of records; None where it has none, or several."""
    found: _List | None = None
    reading: _List | None = None
    depth, key, start = 0, (0, 0), 0
    for match in TOKEN.finditer(data):
        token = match.group()
        if token == b'"':
            break
        if token[:1] == b'"':
            if depth == 1:
                key = match.span()
        elif token in (b"{", b"["):
            if depth == 1 and token == b"[" and (name := _name_before(data, key, match.start())):
                if found is not None:
                    return None
                found = reading = _List(name, match.start(), len(data), [])
            elif depth == 2:
                start = match.start()
            depth += 1
        else:
            depth -= 1
            if depth <= 0:
                break
            if reading is not None and depth == 2:
                reading.spans.append((start, match.end()))
            elif reading is not None and depth == 1:
                reading.end, reading.complete = match.end(), True
                reading = None
    return found


def gap_between(data: bytes, spans: list[Span], start: int) -> int | None:
    """Where there is something else than a comma between two elements of a list, or than nothing from `start` to the first."""
    end, expected = start, b""
    for begin, after in spans:
        if data[end:begin].strip(SPACE) != expected:
            return end
        end, expected = after, b","
    return None


def _gap_in(data: bytes, found: _List) -> int | None:
    """Where there is something else than a comma between two elements of a list, or behind the last one."""
    gap = gap_between(data, found.spans, found.start + 1)
    if gap is None and found.complete and data[found.spans[-1][1] : found.end - 1].strip(SPACE):
        return found.spans[-1][1]
    return gap


def _name_before(data: bytes, key: Span, bracket: int) -> str:
    """The key of a list that may be one of records; empty where it is another one."""
    name = data[key[0] + 1 : key[1] - 1].decode("ascii", "replace")
    if name not in KEYS or data[key[1] : bracket].strip(SPACE) != b":":
        return ""
    return name if data[bracket + 1 : bracket + 1024].lstrip(SPACE)[:1] in (b"{", b"[") else ""


def _are_records(data: bytes, spans: list[Span], is_message: Callable[[Any], bool]) -> bool:
    """Whether some of them can be read, and those are of a known format."""
    values = [value for at in some(len(spans)) if (value := _decoded(data[slice(*spans[at])])) is not None]
    return bool(values) and all(not is_message(value) and confidence(value) >= SURE for value in values)


def _decoded(data: bytes) -> Any:
    try:
        return decode_json(data)[0]
    except (BadRecord, MemoryError):
        return None
