"""A cheap look for wrong types in a record: enough to say in the list that something is off, not what all is.

`trajview validate` runs the full check; this runs on every record of a corpus, and looks at types only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Raw

from .logged import Elements
from .plain import kind

__all__ = ["wrong_in_items", "wrong_in_messages"]

_BRACE = ord("{")
_NONE = type(None)
_DICT = frozenset({dict})
_CONTENT = frozenset({str, list, dict, _NONE})
_ROLE = frozenset({str, _NONE})
_CALLS = frozenset({list, dict, _NONE})
_METADATA = frozenset({dict, _NONE})


def wrong_in_messages(messages: Iterable[Any], start: str = "message", first: int = 0) -> list[str]:
    """What is wrong with the types of chat messages: one sentence for each that is not as it should be. `first`: the number of the first."""
    messages = list(messages)
    if _are_fine(messages):
        return []
    found = []
    for index, message in enumerate(messages, first):
        if not isinstance(message, dict):
            found.append(f"{start} {index} is {kind(message)}, not an object")
            continue
        content = message.get("content")
        if content is not None and not isinstance(content, (str, list, dict)):
            found.append(f"{start} {index}: content is {kind(content)}, not text or a list of parts")
            continue
        role = message.get("role")
        if role is not None and not isinstance(role, str):
            found.append(f"{start} {index}: role is {kind(role)}, not text")
            continue
        calls = message.get("tool_calls")
        if calls is not None and not isinstance(calls, (list, dict)):
            found.append(f"{start} {index}: tool_calls is {kind(calls)}, not a list")
            continue
        metadata = message.get("metadata")
        if metadata is not None and not isinstance(metadata, dict):
            found.append(f"{start} {index}: metadata is {kind(metadata)}, not an object")
    return found


def _are_fine(messages: list[Any]) -> bool:
    """Whether nothing is wrong: most often so, and found out in a fraction of the time that it takes to say what is."""
    return (
        _DICT.issuperset(map(type, messages))
        and _CONTENT.issuperset([type(message.get("content")) for message in messages])
        and _ROLE.issuperset([type(message.get("role")) for message in messages])
        and _CALLS.issuperset([type(message["tool_calls"]) for message in messages if "tool_calls" in message])
        and _METADATA.issuperset([type(message["metadata"]) for message in messages if "metadata" in message])
    )


def wrong_in_items(items: Iterable[Any], what: str) -> list[str]:
    """One sentence for each item that is no object."""
    if isinstance(items, Elements):  # of what is not decoded, the first byte tells
        return (
            []
            if all(memoryview(each)[0] == _BRACE for each in items.logged if isinstance(each, Raw))
            else wrong_in_items(list(items), what)
        )
    return [
        f"{what} {index} is {kind(item)}, not an object"
        for index, item in enumerate(items)
        if not isinstance(item, dict)
    ]
