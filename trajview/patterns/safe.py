"""A check whether a regular expression of unknown origin can take for ever; `re` cannot be interrupted."""

from __future__ import annotations

import re
from typing import Any

from .tree import OP, tree_of

__all__ = ["slow_because"]

_MOST_OPEN = 3
_MANY = 1_000
_FEW = 256
"""Ways in which a repetition within a repetition may match at one place: no more than a single one that is as long."""


def slow_because(pattern: str, most_open: int = _MOST_OPEN) -> str | None:
    """The reason why matching may take exponential or high polynomial time, in a few words; None if it does not.

    `most_open`: how many repetitions without an end there may be.
    """
    try:
        open_ended = _count(tree_of(pattern), False)
    except (re.error, RecursionError, OverflowError):
        return "it cannot be read"
    except _Nested:
        return "a repetition within a repetition"
    return f"{open_ended} open repetitions, one after the other" if open_ended > most_open else None


class _Nested(Exception):
    pass


def _count(parsed: Any, inside: bool) -> int:
    """How many repetitions without a small end are in it; raises _Nested where one is within another, and both are not small."""
    found = 0
    for op, value in parsed:
        if op in (OP.MAX_REPEAT, OP.MIN_REPEAT, OP.POSSESSIVE_REPEAT):
            _, high, inner = value
            many = high > 1
            if many and inside:
                raise _Nested
            nests = many and (high > _FEW or _ways(inner) ** high > _FEW)
            found += (high >= _MANY) + _count(inner, inside or nests)
        else:
            for inner in _within(op, value):
                found += _count(inner, inside)
    return found


def _ways(parsed: Any) -> int:
    """The number of ways in which repetitions may share out their match, at most; `_MANY` is any larger number, too."""
    ways = 1
    for op, value in parsed:
        if op in (OP.MAX_REPEAT, OP.MIN_REPEAT, OP.POSSESSIVE_REPEAT):
            low, high, inner = value
            each = _ways(inner)
            ways *= _MANY if high >= _MANY or (each > 1 and high > _FEW) else (high - low + 1) * each**high
        else:
            inner_ways = [_ways(inner) for inner in _within(op, value)]
            ways *= sum(inner_ways) if op is OP.BRANCH else max(inner_ways, default=1)
        ways = min(ways, _MANY)
    return ways


def _within(op: Any, value: Any) -> list[Any]:
    if op is OP.SUBPATTERN:
        return [value[3]]
    if op is OP.BRANCH:
        return list(value[1])
    if op in (OP.ASSERT, OP.ASSERT_NOT):
        return [value[1]]
    if op is OP.ATOMIC_GROUP:
        return [value]
    if op is OP.GROUPREF_EXISTS:
        return [part for part in value[1:] if part is not None]
    return []
