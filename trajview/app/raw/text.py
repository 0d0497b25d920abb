"""A record's text as it is shown: JSON on one line is spread over lines, and of a very long record a piece is shown.

Nothing but white space between tokens is another one than in the file: numbers and escapes stay as they are spelled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from trajview.app.raw.place import place_in, place_near, place_of
from trajview.models.transcript import Transcript

if TYPE_CHECKING:
    from trajview.formats.contract import Whence

__all__ = ["PIECE", "WHOLE", "Shown", "shown_of"]

WHOLE: Final = 32 << 20
"""Bytes of a record up to which it is shown as a whole: laying it out takes 14 times its size, and 0.1 s for each MB."""
PIECE: Final = 8 << 20
"""Bytes that are shown of a longer one."""
_BEFORE: Final = 8
"""One in so many of them is before the message that was read."""
_CUT_WITHIN: Final = 1 << 20
"""Bytes behind the place of a cut in which the end of an object is looked for."""
_PATIENCE: Final = 3.0
"""Seconds for which a message is looked for in a long record."""
_FEW_LINES: Final = 3
_DEEPEST: Final = 60
"""Levels that are indented: of a hundred thousand brackets in a row, each line would be longer than the one before."""
_CUT: Final = re.compile(rb'\},\s*(?=\{")')
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|[{\[]\s*[}\]]|[{}\[\],]|[^"{}\[\],]+', re.DOTALL)


class Shown(NamedTuple):
    """What is shown of a record: its text, and the bytes of the record that it is made of, from one to another.

    `place`: the character at which the message begins, None where it was not found.
    """

    text: str
    begin: int
    end: int
    place: int | None


def shown_of(
    data: bytes,
    at: tuple[Transcript, int] | None,
    whence: Callable[[], Sequence[Whence]] = tuple,
) -> Shown:
    """What to show of a record's bytes, where message `at` was read; in another thread than the screen's.

    `whence` gives for each message of the transcript the steps from the record to what it comes from, where these are
    known; it is asked for a record that is shown as a whole.
    """
    if len(data) <= WHOLE:
        text = _spread(data.decode("utf-8", "replace"))
        return Shown(text, 0, len(data), _place(text, at, whence()) if at is not None else None)
    about, sought = (0, "") if at is None else place_near(data, *at, monotonic() + _PATIENCE)
    begin = _cut(data, about - PIECE // _BEFORE)
    end = _cut(data, begin + PIECE)
    text = _spread(data[begin:end].decode("utf-8", "replace"))
    place = -1
    if sought:  # the one of all that say the same
        for _ in range(1 + data.count(sought.encode("utf-8", "replace"), begin, about)):
            place = text.find(sought, place + 1)
    return Shown(text, begin, end, place if place >= 0 else None)


def _place(text: str, at: tuple[Transcript, int], whence: Sequence[Whence]) -> int | None:
    transcript, number = at
    if len(whence) == len(transcript.messages):
        place = place_in(text, transcript.messages[number], whence[number])
        if place is not None:
            return place
    return place_of(text, transcript, number)


def _cut(data: bytes, at: int) -> int:
    """Where an object begins that follows another one, near a place; that place where there is none."""
    if at <= 0 or at >= len(data):
        return max(0, min(at, len(data)))
    found = _CUT.search(data, at, at + _CUT_WITHIN)
    return found.end() if found is not None else at


def _spread(text: str) -> str:
    """JSON that stands on one line over as many as it has values; anything else as it is."""
    if text.count("\n") >= _FEW_LINES:
        return text
    try:
        return msgspec.json.format(text, indent=2)
    except (ValueError, RecursionError):  # it may be JSON that only Python reads, or a piece of some
        return _spread_anything(text) if text.lstrip()[:1] in ("{", "[") else text


def _spread_anything(text: str) -> str:
    """Spread a record over lines by its brackets and commas alone."""
    lines: list[str] = []
    line, depth = "", 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in ("}", "]"):
            lines.append(line)
            depth = max(0, depth - 1)
            line = _indent(depth) + token
        elif token in ("{", "[", ","):
            depth += token != ","
            lines.append(line + token)
            line = _indent(depth)
        elif token[:1] == '"':
            line += token
        elif token := token.strip():
            line += token + " " * token.endswith(":")
    lines.append(line)
    return "\n".join(line for line in lines if line.strip())


def _indent(depth: int) -> str:
    return "  " * min(depth, _DEEPEST)
