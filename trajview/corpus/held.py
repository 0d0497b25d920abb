"""Objects that only hold a list of records, as `{"data": [...]}`, and where the elements of a list are: nothing of them is built.

Proper JSON is taken apart by msgspec. What it refuses is split by its brackets, so that the records before a tear, and
those beside a NaN, still open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from trajview.formats import registry

from .decode import MORE_TEXT, BadRecord, decode_json
from .json_lines import MISSING
from .lines import SPACE

__all__ = ["Elements", "Span", "elements", "held_records", "may_hold_records", "object_spans", "spans_in", "split"]

Span = tuple[int, int]
"""Start and end of a value among some bytes."""

_KEYS: Final = (
    "agent_runs", "annotations", "chats", "data", "dialogs", "dialogues", "episodes", "examples", "instances", "items",
    "logs", "records", "results", "rows", "runs", "samples", "sessions", "traces", "trajectories",
)  # fmt: skip
"""Keys of lists of records. None of them is one by which a format knows a record of its own, but for those that formats
name in `runs_under`."""
_NAME: Final = f'"({"|".join(_KEYS)})"\\s*:\\s*'.encode()
_LIST: Final = re.compile(rb"\[\s*[{\[]")
"""How a list begins whose first element may be a record."""
_MAY_HOLD: Final = re.compile(_NAME + _LIST.pattern)
_NAME_BEFORE: Final = re.compile(rb"(?<!\\)" + _NAME + rb"\Z")
_LONGEST_NAME: Final = 1024
"""Bytes before a list among which its name is looked for."""
_SURE_FROM: Final = 20
"""Records that are looked at at the start of a list, and as many among the rest."""
_SURE: Final = 0.5
_SMALL: Final = 1 << 16
"""Bytes from which on a value is trimmed before its format is looked for."""
_FEW: Final = 8
"""Elements that are left of a list then: detection looks at no more."""
_MOST_BESIDE: Final = 16 << 20
"""Bytes beside a list in what is no proper JSON that are decoded to tell whether the object is a record itself."""
_STRING: Final = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_TOKEN: Final = re.compile(_STRING + rb'|["\[\]{}]', re.DOTALL)
"""A string, a bracket, or the quote at which a string begins that has no end."""
_KEY: Final = re.compile(rb"[ \t\r\n,]*(" + _STRING + rb")[ \t\r\n]*:[ \t\r\n]*", re.DOTALL)

_decode_object: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_list: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode


class Elements(msgspec.Struct):
    """The spans of a list's elements, and what is wrong with the list, if anything.

    Not `complete`: the list has no end. `gap`: where something else than a comma is between two of them. `around`: what
    is wrong before or behind the list, and on which line, from 1.
    """

    spans: list[Span]
    complete: bool = True
    gap: int | None = None
    around: BadRecord | None = None
    begun: int | None = None
    """The start of the value that has no end."""
    proper: bool = False

    def behind(self, base: int) -> Elements:
        """The elements with all places moved on by `base` bytes."""
        spans = [(base + start, base + end) for start, end in self.spans]
        gap = None if self.gap is None else base + self.gap
        return msgspec.structs.replace(self, spans=spans, gap=gap)


def elements(data: bytes | memoryview) -> Elements:
    """The elements of a JSON array; of one that is torn, or is no proper JSON, the objects and arrays in it."""
    try:
        return Elements(spans_in(data), proper=True)
    except (ValueError, RecursionError):
        return split(data)


def split(data: bytes | memoryview, *, in_list: bool = True) -> Elements:
    """The objects and arrays in a list, or object, that begins some bytes; or in a row, if not `in_list`. Every bracket is passed over."""
    spans: list[Span] = []
    base, depth, start = int(in_list), 0, 0
    for match in _TOKEN.finditer(data):
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
            depth = max(depth, 1)
            break
    return Elements(spans, depth < 1, _gap_in(data, spans, in_list), begun=start if depth > base else None)


def _gap_in(data: bytes | memoryview, spans: list[Span], in_list: bool) -> int | None:
    """The place in an array, between elements or behind the last, where something else than a comma or its end is.

    Of several values in a row only what is behind the last one counts.
    """
    end, expected = 1, b""
    for begin, after in spans:
        if in_list and bytes(data[end:begin]).strip(SPACE) != expected:
            return end
        end, expected = after, b","
    return None if bytes(data[end:]).strip(SPACE) == (b"]" if in_list else b"") else end


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
        if match is None or msgspec.json.decode(match[1]) != key:
            return None
        at = match.end() + len(memoryview(raw))
        spans[key] = base + match.end(), base + at
    return spans if data[at:].strip(SPACE) == b"}" or not spans else None


def may_hold_records(head: bytes) -> bool:
    """Whether an object that begins with these bytes seems to hold a list of records."""
    return _MAY_HOLD.search(head) is not None


def held_records(data: bytes) -> Elements | None:
    """The records that an object holds in its one list of such, as far as they are there; None where it is not certain.

    It is where those that are looked at in the list and can be read are of a known format, and the object is of none, or of
    one that says that they are runs.
    Of proper JSON no more than a few of the records are decoded, one after another.
    """
    lists, is_proper = _lists_in(data)
    if len(lists) != 1:
        return None
    [(name, start, end, is_complete)] = lists
    view = memoryview(data)
    found = (elements if is_proper else split)(view[start:end]).behind(start)
    if not _are_records(view, found.spans):
        return None
    if not is_proper and len(data) - (end - start) > _MOST_BESIDE:
        return None
    before, behind = data[:start] + b"[]", data[end:] if is_complete else b"}"
    try:
        own = _trimmed(memoryview(before + behind))
    except BadRecord as error:
        if MORE_TEXT in error.reason:
            return None  # several objects in a row
        found.around = error
        if error.line > before.count(b"\n"):
            error.line += data.count(b"\n", start, end)
        own = _readable(memoryview(before + b"}"))
    if own is MISSING:
        return None
    first = (_readable(view[slice(*span)]) for span in found.spans[:_FEW])
    own[name] = [value for value in first if value is not MISSING]
    known, detection = registry.best(own)
    return None if detection.confidence and known.runs_under != name else found


def _lists_in(data: bytes) -> tuple[list[tuple[str, int, int, bool]], bool]:
    """The lists of an object that may be of records: name, start and end of each, and whether it has an end; and whether
    the object is proper JSON."""
    is_proper = True
    try:
        members = [(key, *span, True) for key, span in (object_spans(data) or {}).items()]
    except (ValueError, RecursionError):
        if not may_hold_records(data):
            return [], False
        is_proper = False
        found = split(data)
        begun = [] if found.begun is None else [(found.begun, len(data), False)]
        members = [
            (_name_before(data, start), start, end, is_complete)
            for start, end, is_complete in [*((*span, True) for span in found.spans), *begun]
        ]
    return [each for each in members if each[0] in _KEYS and _LIST.match(data, each[1])], is_proper


def _name_before(data: bytes, start: int) -> str:
    match = _NAME_BEFORE.search(data, max(0, start - _LONGEST_NAME), start)
    return "" if match is None else match[1].decode()


def _are_records(data: memoryview, spans: list[Span]) -> bool:
    """Whether some of the elements can be read, and those are of a known format."""
    found = [_readable(data[slice(*spans[at])]) for at in _some(len(spans))]
    values = [value for value in found if value is not MISSING]
    return bool(values) and all(
        isinstance(value, dict | list) and not registry.is_message_line(value) and _confidence(value) >= _SURE
        for value in values
    )


def _some(count: int) -> Iterator[int]:
    """The numbers of the first elements of `count`, and of some among the others."""
    yield from range(min(count, _SURE_FROM))
    if count > _SURE_FROM:
        yield from sorted({count - 1 - at * (count - _SURE_FROM) // _SURE_FROM for at in range(_SURE_FROM)})


def _readable(data: memoryview) -> Any:
    try:
        return _trimmed(data)
    except (BadRecord, MemoryError):
        return MISSING


def _trimmed(data: memoryview) -> Any:
    """Decode a value without the parts that detection ignores: of a large one little is built. Raises BadRecord."""
    first = bytes(data[:1])
    try:
        if len(data) > _SMALL and first == b"{":
            return {key: _trimmed(memoryview(value)) for key, value in _decode_object(data).items()}
        if len(data) > _SMALL and first == b"[":
            return [_trimmed(memoryview(value)) for value in _decode_list(data)[:_FEW]]
    except (ValueError, RecursionError):  # no proper JSON
        return decode_json(data)[0]
    return decode_json(data)[0] if len(data) <= _SMALL or first != b'"' else "…"


def _confidence(value: Any) -> float:
    """The confidence that a value is of a known format."""
    return registry.best(value)[1].confidence
