"""Fingerprints of messages and action units: equal where the messages say the same.

Ids, times, usage and metadata say nothing here: they differ between any two runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from trajview.models.messages import AssistantMessage, ChatMessage, ReasoningPart, TextPart, ToolMessage
from trajview.models.said import strings_within
from trajview.models.transcript import Transcript

from .sequence import nothing
from .similar import Features, words_of

__all__ = ["Prints", "features_of", "json_of", "prints_of", "said", "said_lines"]


def said_lines(message: ChatMessage) -> list[tuple[str, str]]:
    """The texts of a message in order, each with its kind (`text`, `reasoning`, `call NAME`, `error`, a part's type)."""
    content = message.content
    found: list[tuple[str, str]] = []
    if isinstance(content, str):
        if content:
            found.append(("text", content))
    else:
        for part in content:
            if isinstance(part, TextPart):
                found.append(("text", part.text))
            elif isinstance(part, ReasoningPart):
                found.append(("reasoning", part.readable))
            else:
                # The whole part: boxes on an image are a difference too.
                found.append((part.type, json_of(part.plain())))
    if isinstance(message, AssistantMessage):
        found += [(f"call {call.function}", json_of(call.arguments)) for call in message.tool_calls or ()]
    elif isinstance(message, ToolMessage) and message.error:
        found.append(("error", json_of(message.error)))
    return found


_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, default=str)


def json_of(value: Any) -> str:
    """A value as JSON; one that is too deep for it, or has keys of several types, as the texts within."""
    try:
        return _ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError):
        return "\n".join(strings_within(value))


def said(message: ChatMessage) -> str:
    """A message with its speaker as one text: messages with equal texts say the same."""
    who = f"{message.role}\x00{message.name or ''}\x00{message.recipient or ''}"
    content = message.content
    more = (
        message.tool_calls
        if isinstance(message, AssistantMessage)
        else message.error
        if isinstance(message, ToolMessage)
        else None
    )
    if type(content) is str and not more:
        return f"{who}\x00text\x00{content}" if content else who
    return "\x00".join([who, *(text for pair in said_lines(message) for text in pair)])


def _print(texts: str) -> bytes:
    return blake2b(texts.encode("utf-8", "surrogatepass"), digest_size=12).digest()


@dataclass(slots=True)
class Prints:
    """The fingerprint of each message and of each action unit of a transcript."""

    transcript: Transcript
    messages: list[bytes]
    units: list[bytes]


def prints_of(
    transcript: Transcript, check: Callable[[], None] = nothing, progress: Callable[[int], None] = lambda _read: None
) -> Prints:
    """Read every message of a transcript once; `progress` is called now and then with the number read."""
    messages: list[bytes] = []
    for index, message in enumerate(transcript.messages):
        if index % 128 == 0:
            check()
            progress(index)
        messages.append(_print(said(message)))
    units = [b"".join(messages[unit[0] : unit[-1] + 1]) for unit in transcript.units_of_action]
    return Prints(transcript, messages, units)


_MOST_LOOKED_AT = 12
"""Messages of a unit that count for its likeness."""


def features_of(messages: Sequence[ChatMessage]) -> Features:
    """The shape and the words of a message or of a unit's messages."""
    shape: list[str] = []
    words: frozenset[str] = frozenset()
    for message in messages[:_MOST_LOOKED_AT]:
        shape.append(message.role)
        if isinstance(message, AssistantMessage):
            shape += [call.function for call in message.tool_calls or ()]
        words |= words_of(" ".join([text for _, text in said_lines(message)]))
    return Features(tuple(shape), words)
