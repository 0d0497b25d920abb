"""A cheap look for wrong types in a record: enough to say in the list that something is off, not what all is.

`trajview validate` runs the full check; this runs on every record of a corpus, and looks at types only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .plain import kind

__all__ = ["wrong_in_items", "wrong_in_messages"]


def wrong_in_messages(messages: Iterable[Any], start: str = "message") -> list[str]:
    """What is wrong with the types of chat messages: one sentence for each message that is not as it should be."""
    found = []
    for index, message in enumerate(messages):
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


def wrong_in_items(items: Iterable[Any], what: str) -> list[str]:
    """One sentence for each item that is no object."""
    return [
        f"{what} {index} is {kind(item)}, not an object"
        for index, item in enumerate(items)
        if not isinstance(item, dict)
    ]
