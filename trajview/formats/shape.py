"""A cheap look for wrong types in a record: enough for the list to show that something is off.

`trajview validate` runs the full check; this runs on every record of a corpus, and looks at types only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from msgspec import Raw

from .logged import Elements
from .plain import kind

__all__ = ["wrong_in_items", "wrong_in_message"]

_BRACE = ord("{")
_NONE: Final = type(None)
_WANTED: Final[tuple[tuple[str, tuple[type, ...], str], ...]] = (
    ("content", (str, list, dict, _NONE), "text or a list of parts"),
    ("role", (str, _NONE), "text"),
    ("tool_calls", (list, dict, _NONE), "a list"),
    ("metadata", (dict, _NONE), "an object"),
)
"""Keys of a chat message, the types of their values, and the names of these."""


def wrong_in_message(message: Any, what: str) -> str | None:
    """The first wrong type in a chat message, named `what`; None where there is none."""
    if not isinstance(message, dict):
        return f"{what} is {kind(message)}, not an object"
    for key, types, wanted in _WANTED:
        if not isinstance(message.get(key), types):
            return f"{what}: {key} is {kind(message[key])}, not {wanted}"
    return None


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
