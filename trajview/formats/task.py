"""The task of a run without a name: the first words that a user says, found without building a message."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final

from msgspec import Raw
from msgspec.json import decode

from trajview.textsafe import one_line

from .base import LONGEST_TASK
from .roles import ROLES, role_of

__all__ = ["task_from_heads", "task_from_messages", "task_in"]

_LOOKED_AT: Final = 600
"""Characters of a text that are searched for its first words."""
_MOST_BYTES: Final = 12 * _LOOKED_AT + 2
"""Bytes of JSON that hold `_LOOKED_AT` characters, however they are spelled."""
_MESSAGES: Final = 20
"""Messages that are searched: a user who was silent in so many says nothing soon."""
_BEGUN: Final = re.compile(rb'"(?:[^"\\]++|\\(?:u[0-9a-fA-F]{4}|[^u]))*+')
_QUOTE, _BRACKET = b'"['


def task_in(text: str) -> str | None:
    """The first words of a text, on one safe line; None for a blank one. An extra character marks a longer text."""
    head = " ".join(text[:_LOOKED_AT].split())
    if not head.isprintable():
        head = one_line(head, _LOOKED_AT)
    return head[: LONGEST_TASK + 1] or None


def task_from_messages(items: Iterable[Any]) -> str | None:
    """The first words that a user says in logged messages, of any chat format."""
    for item in islice(items, _MESSAGES):
        if isinstance(item, dict) and role_of(item) == "user":
            found = _in_content(item.get("content") if "role" in item else item.get("value"))
            if found:
                return found
    return None


def task_from_heads(items: Sequence[Any], heads: Sequence[Any]) -> str | None:
    """The first words that a user says, from messages of which heads are known; None for those that must be decoded."""
    for item, head in zip(range(len(items)), heads[:_MESSAGES], strict=False):
        if head is None:
            found = task_from_messages([items[item]])
        else:
            found = _in_raw(head.content) if ROLES.get(head.role) == "user" else None
        if found:
            return found
    return None


def _in_content(content: Any) -> str | None:
    if isinstance(content, str):
        return task_in(content)
    if isinstance(content, list):
        for part in content:
            text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else part
            if isinstance(text, str) and (found := task_in(text)):
                return found
    return None


def _in_raw(content: Raw) -> str | None:
    """The first words of undecoded content. A long text is not decoded to its end."""
    data = memoryview(content)
    if not data or data[0] not in (_QUOTE, _BRACKET):
        return None
    if data[0] == _QUOTE and len(data) > _MOST_BYTES and (begun := _BEGUN.match(data[:_MOST_BYTES])):
        return _in_content(_decoded(begun[0] + b'"'))
    return _in_content(_decoded(bytes(data)))


def _decoded(data: bytes) -> Any:
    """Decode JSON; None where it is none."""
    text = data.decode("utf-8", "ignore")
    try:
        return decode(text)
    except ValueError:  # half a pair of surrogates, perhaps
        try:
            return json.loads(text)
        except (ValueError, RecursionError):  # reading all of it reports that
            return None
    except RecursionError:
        return None
