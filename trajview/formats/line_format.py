"""A format whose sessions are JSON Lines: which lines are its own, and the messages that all of them make together."""

from __future__ import annotations

from abc import abstractmethod
from datetime import UTC, datetime
from typing import Any

from .base import Detection, Origin
from .chat_format import Chat, ChatFormat
from .plain import as_text, is_list, not_an_object, number
from .roles import sample
from .words import AddedWords

__all__ = ["LineFormat", "failure", "reasoning", "time_of"]


class LineFormat(ChatFormat):
    """A format whose file is one session. A module says which lines are its own, and reads them all."""

    lists_only = True
    added_words = AddedWords(
        metadata=(
            "events session rewound spans id parent kind model agent tool start end usage parts_beside span leaf",
        ),
    )

    @abstractmethod
    def is_line(self, line: Any) -> bool:
        """Whether an object is a line of such a session. Looks at a few keys only. Never raises."""

    @abstractmethod
    def session(self, lines: list[Any], origin: Origin) -> Chat:
        """Read all lines of a session. Those that are none of its own may be among them."""

    def begins_session(self, line: Any) -> bool:
        return isinstance(line, dict) and self.is_line(line)

    def detect(self, record: Any) -> Detection | None:
        if not is_list(record):
            return None
        looked_at = list(sample(record))
        own = sum(isinstance(line, dict) and self.is_line(line) for line in looked_at)
        if not own:
            return None
        return Detection(self.name, 0.98 * own / len(looked_at), (f"{own} of {len(looked_at)} lines are its events",))

    def look(self, record: Any, origin: Origin) -> Chat:
        lines = [record] if isinstance(record, dict) else record
        if not is_list(lines):
            raise not_an_object(self.label, record, origin, "a list of events")
        return self.session(list(lines), origin)


def reasoning(*texts: Any) -> list[dict[str, Any]]:
    """A part of reasoning for each text that is not empty."""
    return [{"type": "reasoning", "reasoning": text} for text in map(as_text, texts) if text]


def failure(kind: str, text: Any) -> dict[str, Any]:
    """The error of an answer: its kind, and the first line of what was said."""
    first = as_text(text).strip().split("\n", 1)[0][:200]
    return {"type": kind, **({"message": first} if first else {})}


def time_of(value: Any) -> str | None:
    """A time as ISO text: seconds or milliseconds since 1970 are converted. None for what is no time."""
    if isinstance(value, str):
        return value or None
    seconds = None if isinstance(value, bool) else number(value)
    if seconds is None:
        return None
    if seconds > 1e11:
        seconds /= 1000
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError):
        return None
