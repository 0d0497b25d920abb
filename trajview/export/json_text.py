"""Values of logs as strict JSON on one line: values that JSON cannot hold are replaced, and named as lost."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from tempfile import SpooledTemporaryFile
from typing import Any, Final

from trajview.formats.plain import as_json
from trajview.textsafe import safe_json

from .exported import Lost

__all__ = ["json_line", "json_list", "json_text", "line_of", "list_of", "shallow"]

_DEEPEST: Final = 150
"""Levels of a value that are written as JSON; what is deeper becomes text. Readers give up at some 250."""
_IN_MEMORY: Final = 4 * 2**20
"""Bytes of a line up to which nothing of it is written to disk."""
_NOT_ASCII: Final = re.compile("[^ -~]")
_HALVES: Final = "Halves of characters (lone surrogates) are written as escapes, which strict readers refuse."


def json_line(value: Any, lost: Lost) -> str:
    """A value as a line of JSON in UTF-8; one with lone surrogates is written with escapes.

    NaN and the infinities become null, types that JSON has not (a YAML date) their text.
    """
    text = json_text(value, lost)
    if _has_halves(text):
        lost.say(_HALVES)
        return _NOT_ASCII.sub(_escape, text)
    return text


def json_text(value: Any, lost: Lost, depth: int = 0) -> str:
    """A value, so many levels deep in another, as JSON in which there may be lone surrogates: for `line_of`."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        text = json.dumps(shallow(value, lost, depth), ensure_ascii=False, allow_nan=False)
    # Among these are the line ends of Unicode, which end a line for some readers.
    return safe_json(text)


def json_list(values: Iterable[Any], lost: Lost, depth: int) -> Iterator[str]:
    """Values in a list, so many levels deep in another value, as pieces of JSON for `line_of`."""
    return list_of([json_text(value, lost, depth)] for value in values)


def list_of(each: Iterable[Iterable[str]]) -> Iterator[str]:
    """A list of values that are pieces of JSON themselves."""
    yield "["
    for number, pieces in enumerate(each):
        if number:
            yield ", "
        yield from pieces
    yield "]"


def line_of(pieces: Iterable[str], lost: Lost) -> Iterator[str]:
    """JSON on a line, as UTF-8 can hold it. Where one of its pieces has a lone surrogate, all are written with escapes:
    therefore no piece is given before the last is known, and many of them wait on disk."""
    halves = False
    with SpooledTemporaryFile(_IN_MEMORY) as held:
        for piece in pieces:
            halves = halves or _has_halves(piece)
            held.write(piece.encode("utf-8", "surrogatepass"))
            held.write(b"\n")
        if halves:
            lost.say(_HALVES)
        held.seek(0)
        for data in held:
            piece = data[:-1].decode("utf-8", "surrogatepass")
            yield _NOT_ASCII.sub(_escape, piece) if halves else piece


def _has_halves(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]


def shallow(value: Any, lost: Lost, depth: int = 0) -> Any:
    """A value that JSON can hold, at most so many levels deep."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        lost.say("Numbers that JSON has not (NaN, Infinity) are written as null.")
        return None
    if isinstance(value, dict | list | tuple):
        if depth >= _DEEPEST:
            lost.say(f"What is nested more than {_DEEPEST} levels deep is written as text.")
            return as_json(value, None)
        if isinstance(value, dict):
            return {_key(key, lost): shallow(item, lost, depth + 1) for key, item in value.items()}
        return [shallow(item, lost, depth + 1) for item in value]
    lost.say("Values that JSON has no type for, such as dates, are written as text.")
    return str(value)


def _key(key: object, lost: Lost) -> str:
    if isinstance(key, str):
        return key
    lost.say("Keys that are no text are written as text.")
    return str(key)
