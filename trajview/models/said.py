"""What can be read in a decoded value: every key and value as text."""

from __future__ import annotations

__all__ = ["strings_within"]


def strings_within(value: object) -> list[str]:
    """The keys and values within a JSON value, in order; it may be as deep as a log makes it."""
    found: list[str] = []
    if type(value) is dict:  # nearly all are flat; the rest takes twice as long
        for key, item in value.items():
            if type(item) is not str or type(key) is not str:
                found.clear()
                break
            found.append(key)
            found.append(item)
        else:
            return found
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            for key in reversed(item):
                waiting += (item[key], str(key))
        elif isinstance(item, list | tuple):
            waiting += reversed(item)
        elif isinstance(item, bool):
            found.append(str(item).lower())
        elif item is not None:
            found.append(str(item))
    return found
