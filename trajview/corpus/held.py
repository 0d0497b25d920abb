"""Objects that only hold a list of records, as `{"data": [...]}`: where these records are, and nothing of them is built."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from .decode import BadRecord, decode_json

__all__ = ["Span", "held_records", "is_plain", "may_hold_records", "object_spans", "spans_in"]
# The rest without an underscore is for `held_torn`.

Span = tuple[int, int]
"""Start and end of a value among some bytes."""

KEYS: Final = (
    "agent_runs", "annotations", "chats", "data", "dialogs", "dialogues", "episodes", "examples", "instances", "items",
    "logs", "records", "results", "rows", "runs", "sessions", "traces", "trajectories",
)  # fmt: skip
"""Keys of lists of records. None of them is one by which a format knows a record of its own."""
MAY_HOLD: Final = re.compile(b'"(?:%s)"\\s*:\\s*\\[\\s*[{\\[]' % "|".join(KEYS).encode())
_SURE_FROM: Final = 20
"""Records that are looked at at the start of a list, and as many among the rest."""
SURE: Final = 0.5
_SMALL: Final = 1 << 16
"""Bytes from which on a value is trimmed before its format is looked for."""
FEW: Final = 8
"""Elements that are left of a list then: detection looks at no more."""
_KEY: Final = re.compile(rb'[ \t\r\n,]*"[^"\\]*+(?:\\.[^"\\]*+)*+"[ \t\r\n]*:[ \t\r\n]*', re.DOTALL)

_decode_object: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_list: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode


def may_hold_records(head: bytes) -> bool:
    """Whether an object that begins with these bytes seems to hold a list of records."""
    return MAY_HOLD.search(head) is not None


def is_plain(data: bytes) -> bool:
    """Whether it is an object in JSON as msgspec sees it, whatever its values are."""
    try:
        _decode_object(data)
    except (ValueError, RecursionError):
        return False
    return True


def held_records(data: bytes, is_message: Callable[[Any], bool]) -> list[Span] | None:
    """Where the records are that an object holds in its one list of such; None where that is not certain.

    It is where the object is no record of a known format itself, and all that is looked at in the list are. Every byte
    is passed over twice, and no more than a few of the records are decoded, one after another.
    """
    try:
        values = _decode_object(data)
        lists = [key for key in KEYS if key in values and _is_list_of_records(memoryview(values[key]))]
        if len(lists) != 1:
            return None
        name, view = lists[0], memoryview(data)
        spans = _spans_under(name, values, data)
        if spans is None or not all(_is_record(view[slice(*spans[at])], is_message) for at in some(len(spans))):
            return None
        own = {key: None if key == name else _trimmed(memoryview(value)) for key, value in values.items()}
        own[name] = [_trimmed(view[slice(*span)]) for span in spans[:FEW]]
        return None if confidence(own) else spans
    except (ValueError, RecursionError):  # no JSON, as msgspec sees it
        return None


def spans_in(data: bytes | memoryview, base: int = 0) -> list[Span]:
    """Start and end of each element of an array, counted from `base`. Raises ValueError and RecursionError."""
    spans, at = [], 1
    for raw in _decode_list(data):
        length = len(memoryview(raw))
        while data[at] in b" \t\r\n,":
            at += 1
        spans.append((base + at, base + at + length))
        at += length
    return spans


def object_spans(data: bytes, base: int = 0) -> dict[str, Span] | None:
    """Start and end of the value of each key of an object, counted from `base`; None where it has a key twice.

    Raises ValueError and RecursionError.
    """
    spans, at = {}, 1
    for key, raw in _decode_object(data).items():
        match = _KEY.match(data, at)
        value = memoryview(raw)
        if match is None or memoryview(data)[match.end() : match.end() + len(value)] != value:
            return None
        at = match.end() + len(value)
        spans[key] = base + match.end(), base + at
    return spans


def _is_list_of_records(value: memoryview) -> bool:
    """Whether it is a list whose first element may be a record."""
    head = bytes(value[:_SMALL])
    return head[:1] == b"[" and head[1:].lstrip()[:1] in (b"{", b"[")


def _spans_under(key: str, values: dict[str, msgspec.Raw], data: bytes) -> list[Span] | None:
    """Where the elements of the list under a key of an object are; None where it has a key twice."""
    at = 1
    for each, raw in values.items():
        match = _KEY.match(data, at)
        value = memoryview(raw)
        if match is None:
            return None
        at = match.end()
        if each == key:
            return spans_in(value, at) if memoryview(data)[at : at + len(value)] == value else None
        at += len(value)
    return None


def some(count: int) -> Iterator[int]:
    """The numbers of the first elements of so many, and of some among the others."""
    yield from range(min(count, _SURE_FROM))
    if count > _SURE_FROM:
        yield from sorted({count - 1 - at * (count - _SURE_FROM) // _SURE_FROM for at in range(_SURE_FROM)})


def _is_record(data: memoryview, is_message: Callable[[Any], bool]) -> bool:
    try:
        value = _trimmed(data)
    except BadRecord:
        return False
    return isinstance(value, dict | list) and not is_message(value) and confidence(value) >= SURE


def _trimmed(data: memoryview) -> Any:
    """A value without what detection does not look at, so that of a large one little is built."""
    if len(data) <= _SMALL:
        return decode_json(data)[0]
    first = bytes(data[:1])
    if first == b"{":
        return {key: _trimmed(memoryview(value)) for key, value in _decode_object(data).items()}
    if first == b"[":
        return [_trimmed(memoryview(value)) for value in _decode_list(data)[:FEW]]
    return "…"


def confidence(value: Any) -> float:
    """How sure it is that a value is of a known format."""
    from trajview.formats import registry

    return registry.best(value)[1].confidence
