"""A short text on how a run begins, kept with annotations, which tells whether the conversation is still the same.

A log that is written on grows at its end, and begins as before. One that was rotated or replaced has the same name, and
begins otherwise; or it ends before what was there.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .messages import ChatMessage
    from .run import AgentRun

__all__ = ["beginning_of", "differs_at"]

_VERSION: Final = "1"
"""The version of beginnings, which compare only within one. To be raised when messages are read otherwise."""
_MESSAGES: Final = 32
_CHARACTERS: Final = 4096
"""Characters of a text that are hashed."""
_OF_JSON: Final = 256
"""Characters of a record that no format knows, which may grow anywhere but at its start."""
_SIZE: Final = 2
"""Bytes of a hash: of two messages that differ one pair in 65,536 seems the same, and the next ones tell."""


def beginning_of(run: AgentRun) -> str:
    """The beginning of a run, for `differs_at`: the number of its messages, and a hash of each of the first 32.

    A last message that an agent or a tool says may still be written, and does not count.
    """
    messages = run.transcripts[0].messages
    count = len(messages)
    first = [messages[at] for at in range(min(count, _MESSAGES))]
    if first and count <= _MESSAGES and first[-1].role in ("assistant", "tool"):
        first.pop()
    longest = _OF_JSON if run.source_format == "raw" else _CHARACTERS
    return f"{_VERSION}:{count}:{''.join(_hash(message, longest) for message in first)}"


def differs_at(then: str, now: str) -> int | None:
    """The message (from 0) from which a run differs from what it was `then`, or behind which it ends now.

    None where it begins as it did, and where that cannot be told: nothing is known of then, or of now.
    """
    before, after = _parsed(then), _parsed(now)
    if before is None or after is None:
        return None
    for at, (was, is_now) in enumerate(zip(before[1], after[1], strict=False)):
        if was != is_now:
            return at
    return after[0] if after[0] < before[0] else None


def _parsed(beginning: str) -> tuple[int, list[str]] | None:
    version, _, rest = beginning.partition(":")
    count, _, hashes = rest.partition(":")
    if version != _VERSION or not (count.isascii() and count.isdigit()) or len(count) > 18:
        return None
    step = 2 * _SIZE
    return int(count), [hashes[at : at + step] for at in range(0, len(hashes) - step + 1, step)]


def _hash(message: ChatMessage, longest: int) -> str:
    from .messages import AssistantMessage, ReasoningPart, TextPart  # Pydantic, which no start-up should wait for.

    said: list[str] = [message.role]
    content = message.content
    if isinstance(content, str):
        said.append(content[:longest])
    else:
        for part in content:
            if isinstance(part, TextPart):
                said.append(part.text[:longest])
            elif isinstance(part, ReasoningPart):
                said.append(part.readable[:longest])
    if isinstance(message, AssistantMessage):
        for call in message.tool_calls or ():
            said += call.function, *(f"{name} {value}"[:longest] for name, value in [*call.arguments.items()][:8])
    return blake2b("\0".join(said).encode("utf-8", "surrogatepass"), digest_size=_SIZE).hexdigest()
