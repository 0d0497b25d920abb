"""Where a message of a transcript stands in the text of its record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from trajview.models.messages import AssistantMessage, ChatMessage
from trajview.models.transcript import Transcript

__all__ = ["place_of"]

_LONG = 300
"""Characters of a text that are looked for: more would tell no more, and break where a reader has joined parts."""
_SHORT = 16
"""Below so many characters a text may be part of any other; only between quotes it tells something."""
_COUNTED = 3_000
"""Messages before one that are asked whether they begin alike. Behind more of them the first such place is taken."""
_BEFORE = 5
"""Messages before one that are looked for where it is not found itself."""


def place_of(record: str, transcript: Transcript, number: int) -> int | None:
    """The character at which message `number` of a transcript begins in its record, None where nothing of it is found.

    By its id, else by what it says, thinks or calls, as JSON or YAML would spell it; of messages that say the same,
    the one that has as many before it. Of a message that is not found, the place of the one before is close enough.
    """
    messages = transcript.messages
    begin = max(0, record.find(f'"{transcript.id}"')) if transcript.id else 0
    for near in range(number, max(-1, number - _BEFORE - 1), -1):
        place = _found(record, messages, near, begin)
        if place is None and begin:
            place = _found(record, messages, near, 0)
        if place is not None:
            return place
    return None


def _found(record: str, messages: Sequence[ChatMessage], number: int, begin: int) -> int | None:
    message = messages[number]
    if message.id and len(message.id) >= 8 and (place := record.find(f'"{message.id}"', begin)) >= 0:
        return place
    for text in _texts(message):
        alike = sum(text in messages[other].text for other in range(number)) if number <= _COUNTED else 0
        for spelt in _spellings(text):
            place = record.find(spelt, begin)
            for _ in range(alike if place >= 0 else 0):
                following = record.find(spelt, place + len(spelt))
                if following < 0:
                    break
                place = following
            if place >= 0:
                return place
    return None


def _texts(message: ChatMessage) -> Iterator[str]:
    """What is in a message, the most telling first."""
    calls = (message.tool_calls or []) if isinstance(message, AssistantMessage) else []
    yield from (call.id for call in calls if call.id and len(call.id) >= 8)
    said = [message.text, *message.reasoning]
    said += [value for call in calls for value in call.arguments.values() if isinstance(value, str)]
    yield from (text.strip()[:_LONG] for text in said if text.strip())
    for text in said:  # joined of parts that stand apart in the record, or broken over lines there
        lines = sorted(filter(None, map(str.strip, text[: 100 * _LONG].split("\n"))), key=len, reverse=True)
        yield from (line[:_LONG] for line in lines[:3] if len(line) >= _SHORT)


def _spellings(text: str) -> Iterator[str]:
    quote = '"' if len(text) < _SHORT else ""
    for ascii_only in (False, True):
        yield quote + json.dumps(text, ensure_ascii=ascii_only)[1:-1] + quote
    if not quote:
        yield text
