"""How long what a message says is, about, told from its bytes: what a transcript is laid out by before it is read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Raw

from trajview.models.messages import Measured

from .logged import ABSENT, Head

__all__ = [
    "length_of_calls", "measured_in", "size_of_text", "size_of_texts",
]  # fmt: skip

_TEXT_OR_PARTS = frozenset(b'"[')
_LOOKED_AT = 256
"""Bytes of a text that is not decoded whose lines are counted; the rest has as many, for all that is known."""


def measured_in(head: Head) -> Measured:
    """The size of a message that is not decoded, from its bytes."""
    content, calls = memoryview(head.content), head.tool_calls
    called = 0 if calls is ABSENT else 2 * bytes(calls).count(b'"arguments"')
    length = len(content) - 2
    if length <= 0 or content[0] not in _TEXT_OR_PARTS:
        return 0, 0, called
    seen = length if length < _LOOKED_AT else _LOOKED_AT
    return 1 + content[:seen].tobytes().count(b"\\n") * length // seen, length, called


def size_of_text(content: memoryview) -> tuple[int, int]:
    """Lines and characters of a text or of parts that are not decoded, about."""
    length = len(content) - 2
    if length <= 0 or content[0] not in _TEXT_OR_PARTS:
        return 0, 0
    seen = min(length, _LOOKED_AT)
    return 1 + bytes(content[:seen]).count(b"\\n") * length // seen, length


def size_of_texts(texts: Iterable[Raw]) -> tuple[int, int]:
    """The same of some of them together; an absent one is empty."""
    lines = length = 0
    for text in texts:
        if text is not ABSENT:
            more, longer = size_of_text(memoryview(text))
            lines += more
            length += longer
    return lines, length


def length_of_calls(calls: Any) -> int:
    """Lines of the calls of a message, which may not be decoded, about."""
    if not calls or calls is ABSENT:
        return 0
    return 2 * bytes(calls).count(b'"arguments"') if isinstance(calls, Raw) else 2 * len(calls)
