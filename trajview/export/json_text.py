"""Values of logs as strict JSON on one line: what JSON has no word for is replaced, and named as lost."""

from __future__ import annotations

import json
import math
from typing import Any

from trajview.formats.plain import as_json

from .exported import Lost

__all__ = ["json_line", "shallow"]

_DEEPEST = 150
"""Levels of a value that are written as JSON; what is deeper becomes text. Readers give up at some 250."""


def json_line(value: Any, lost: Lost) -> str:
    """A value as JSON, as UTF-8 can hold it: only texts with lone surrogates are written with escapes.

    NaN and the infinities become null, types that JSON has not (a YAML date) their text.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        value = shallow(value, lost)
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    # A line separator within a line would end it for readers that split at all that Unicode calls a line.
    text = text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")
    try:
        text.encode()
    except UnicodeEncodeError:
        lost.say("Halves of characters (lone surrogates) are written as escapes, which strict readers refuse.")
        return json.dumps(value, allow_nan=False)
    return text


def shallow(value: Any, lost: Lost, depth: int = 0) -> Any:
    """The value as JSON can hold it, at most so many levels deep."""
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
