"""What an action unit took: calls, time and tokens; counted in a thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from trajview.models.messages import AssistantMessage, ChatMessage
from trajview.models.transcript import Transcript

__all__ = ["UnitFacts", "duration_of", "facts_of", "messages_of", "short_count", "short_duration", "time_of"]

MOST_TIMED = 300
"""Messages at either end of a unit that are asked for their time."""


class UnitFacts(NamedTuple):
    """The tool calls in a unit, its seconds (None where it has no times), its tokens."""

    calls: int
    seconds: float | None
    tokens: int


def facts_of(transcript: Transcript, unit: int, cancelled: Callable[[], bool] = lambda: False) -> UnitFacts | None:
    """Count a unit; None once it is cancelled. Takes as long as its text: for a thread."""
    from trajview.highlight import text_of
    from trajview.models.tokens import count_tokens

    calls = tokens = 0
    for index in messages_of(transcript, unit):
        if cancelled():
            return None
        message = transcript.messages[index]
        if isinstance(message, AssistantMessage):
            calls += len(message.tool_calls or ())
        tokens += count_tokens(text_of(message))
    return UnitFacts(calls, duration_of(transcript, unit), tokens)


def messages_of(transcript: Transcript, unit: int) -> range:
    """The numbers of the messages of a unit."""
    starts = transcript.unit_starts
    end = starts[unit + 1] if unit + 1 < len(starts) else len(transcript.messages)
    return range(starts[unit], end)


def duration_of(transcript: Transcript, unit: int) -> float | None:
    """Seconds from the start of a unit to its last message; None where times are missing or run backwards.

    A message is stamped when it is complete. So a unit that an assistant opens began with the message before it; one
    that a user opens began with that: for the user's own time nobody is to blame.
    """
    indices = messages_of(transcript, unit)
    messages = transcript.messages
    opens = messages[indices[0]]
    before = indices[0] - 1
    first = [before] if opens.role == "assistant" and before >= 0 else []
    begun = _timed(messages, [*first, *indices[:MOST_TIMED]])
    ended = _timed(messages, reversed(indices[-MOST_TIMED:]))
    if begun is None or ended is None or begun[0] == ended[0] or ended[1] < begun[1]:
        return None
    return ended[1] - begun[1]


def _timed(messages: Sequence[ChatMessage], indices: Iterable[int]) -> tuple[int, float] | None:
    """The first of some messages that has a time, and the time."""
    return next(((index, time) for index in indices if (time := time_of(messages[index])) is not None), None)


def time_of(message: ChatMessage) -> float | None:
    """When a message was logged, in seconds: ISO 8601, or a number of seconds, milliseconds or microseconds.

    Docent has no field for it, and its users write it to the metadata. A time without a zone counts as UTC.
    """
    said = message.timestamp if message.timestamp is not None else message.metadata.get("timestamp")
    if isinstance(said, bool) or not isinstance(said, str | int | float) or (isinstance(said, str) and len(said) > 40):
        return None
    try:
        return _seconds(float(said))
    except (ValueError, OverflowError):
        pass
    try:
        found = datetime.fromisoformat(str(said))
        return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _seconds(number: float) -> float | None:
    if not 0 <= number < 1e17:  # nor is it a number at all, perhaps
        return None
    return number / 1e6 if number > 1e14 else number / 1e3 if number > 1e11 else number


def short_duration(seconds: float) -> str:
    """`0.4s`, `14s`, `3m20`, `2h05`, `3d`: at most five characters, for any time that people live."""
    if seconds < 9.95:
        return f"{seconds:.1f}s"
    if seconds < 59.5:
        return f"{seconds:.0f}s"
    minutes, left = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}m{left:02}"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02}" if hours < 24 else f"{hours // 24}d"


def short_count(count: int) -> str:
    """`812`, `1.2k`, `18k`, `1.3M`: at most four characters up to a billion."""
    if count < 1000:
        return str(count)
    for size, letter in ((1_000, "k"), (1_000_000, "M")):
        if count < 9.95 * size:
            return f"{count / size:.1f}{letter}"
        if count < 999.5 * size:
            return f"{count / size:.0f}{letter}"
    return f"{count / 1e9:.0f}G"
