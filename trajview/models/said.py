"""The texts within a decoded value: every key and value; and whether it is too deep to be written out."""

from __future__ import annotations

from typing import Final

__all__ = ["is_deep", "strings_within"]

_DEEP: Final = 900
"""Levels of lists and objects within each other. Python 3.11 writes no more; later ones write thousands, and indent each."""


def is_deep(value: object, levels: int = _DEEP) -> bool:
    """Whether a value is nested too deeply to be read when written out: of n levels, indents alone take n squared."""
    level: list[object] = [value]
    known = set[int]()
    for _ in range(levels):
        inner = [
            item
            for holder in level
            for item in (
                holder.values() if isinstance(holder, dict) else holder if isinstance(holder, list | tuple) else ()
            )
            if isinstance(item, dict | list | tuple) and id(item) not in known
        ]
        if not inner:
            return False
        known.update(map(id, inner))  # YAML's aliases may stand in many places, and within themselves
        level = [*inner]
    return True


def strings_within(value: object) -> list[str]:
    """The keys and values within a JSON value, in order, however deep it is."""
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
