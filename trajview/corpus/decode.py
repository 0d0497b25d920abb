"""Tolerant decoding of JSON bytes into plain Python values, with the place of what is wrong.

msgspec reads what is proper JSON. What it refuses goes to Python's own reader, which takes NaN, Infinity, control
characters in strings and lone surrogates; half a surrogate pair becomes U+FFFD, because no model can hold it.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from .memory import fits_decoded

__all__ = [
    "LARGE_RUN",
    "MORE_TEXT",
    "PART",
    "BadRecord",
    "decode_by_parts",
    "decode_json",
    "decode_text",
    "decode_value",
]

_HALF_PAIR: Final = re.compile("[\ud800-\udfff]")
_HALF_PAIR_ESCAPE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
MORE_TEXT: Final = "there is more text after the end of the record"
"""The reason given for several values in a row."""
LARGE_RUN: Final = 20_000_000
"""Bytes from which on a run is a large one: millions of objects may be made of it."""
PART: Final = 8 << 20
"""Bytes that are decoded in one call where others are to have a turn."""
_OBJECT: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY: Final = msgspec.json.Decoder(list[msgspec.Raw])
_MAX_DIGITS: Final = 4000  # Python refuses to read longer whole numbers


class BadRecord(ValueError):
    """Bytes that are no record. `line` and `column` count from 1 within the bytes, 0 where they are not known.

    `torn`: the bytes end in the middle of the record, as when a program was stopped while it wrote.
    """

    def __init__(self, reason: str, line: int = 0, column: int = 0, *, torn: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column
        self.torn = torn


def decode_text(data: bytes | memoryview) -> tuple[str, bool]:
    """Decode bytes as text, and tell whether some were not UTF-8 and became U+FFFD."""
    raw = bytes(data)
    try:
        return raw.decode("utf-8"), False
    except UnicodeDecodeError:
        return raw.decode("utf-8", errors="replace"), True


def decode_json(data: bytes | memoryview) -> tuple[Any, bool]:
    """A JSON value, and whether bytes that are no UTF-8 were replaced in it. Raises BadRecord, and MemoryError early:
    where memory runs out while msgspec makes a long string, it ends the process."""
    if not fits_decoded(len(data)):
        raise MemoryError
    try:
        return msgspec.json.decode(data), False
    except RecursionError as error:
        raise BadRecord("the JSON is nested too deeply to be read") from error
    except ValueError:  # msgspec.DecodeError and UnicodeDecodeError are ValueErrors
        return _decode_slowly(data)


def decode_value(data: bytes | memoryview) -> Any:
    """Decode JSON that is part of a record which was read. Raises as `decode_json` does."""
    return decode_json(data)[0]


def decode_by_parts(data: bytes | memoryview) -> Any:
    """The value that `decode_json` gives, with a turn for others between its parts, where it is a large one: half a
    gigabyte in one call takes a second and more in which nobody can press ctrl+c. Raises as that does."""
    if not fits_decoded(len(data)):
        raise MemoryError
    try:
        return _parts(data)
    except (ValueError, RecursionError):
        return decode_json(data)[0]


def _parts(data: bytes | memoryview) -> Any:
    if len(data) > PART:
        if data[:1] == b"{":
            return {key: _parts(memoryview(part)) for key, part in _OBJECT.decode(data).items()}
        if data[:1] == b"[":
            return [_parts(memoryview(part)) for part in _ARRAY.decode(data)]
    return msgspec.json.decode(data)


def _decode_slowly(data: bytes | memoryview) -> tuple[Any, bool]:
    import json  # what msgspec refuses is rare

    text, replaced = decode_text(data)
    text = text.removeprefix("\ufeff")  # of the first line of each file, where several were joined
    try:
        value = json.loads(text, strict=False, parse_int=_whole_number)
        if _HALF_PAIR_ESCAPE.search(data):
            value = _without_half_pairs(value)
    except json.JSONDecodeError as error:
        torn = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        nothing = error.msg == "Expecting value" and not text[: error.pos].strip()
        if text.startswith("\0", error.pos):
            reason = "there are zero bytes in it, which no JSON has"
        else:
            reason = "this is no JSON" if nothing else _plain(error.msg)
        raise BadRecord(reason, error.lineno, error.colno, torn=torn) from error
    except RecursionError as error:
        raise BadRecord("the JSON is nested too deeply to be read") from error
    return value, replaced


def _plain(message: str) -> str:
    """The parser's words as part of a sentence."""
    return {
        "Extra data": MORE_TEXT,
        "Expecting value": "a value is missing",
        "Invalid control character at": "a control character in a string",
    }.get(message, message[:1].lower() + message[1:].removesuffix(" starting at").removesuffix(" at"))


def _whole_number(digits: str) -> int | str:
    return int(digits) if len(digits) < _MAX_DIGITS else digits


def _without_half_pairs(value: Any) -> Any:
    if isinstance(value, str):
        return _HALF_PAIR.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_half_pairs(item) for item in value]
    if isinstance(value, dict):
        return {_without_half_pairs(key): _without_half_pairs(item) for key, item in value.items()}
    return value
