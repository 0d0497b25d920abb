"""The order of rows by several keys, each ascending or descending; rows without a value are last in either case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .syntax import By
from .table import Table

__all__ = ["merged", "ordered"]

_FEW = 8
"""The number of shown rows per new one from which on merging is worth it."""


def ordered(rows: Sequence[int], sort: Sequence[By], table: Table) -> list[int]:
    """Sort rows; equal ones stay as they came."""
    rows = list(rows)
    for by in reversed(sort):
        keys: list[Any] = table.keys(by.ref)
        present = [row for row in rows if keys[row] is not None]
        absent = [row for row in rows if keys[row] is None] if len(present) < len(rows) else []
        present.sort(key=keys.__getitem__, reverse=by.reverse)
        rows = present + absent
    return rows


def merged(shown: list[int], new: Sequence[int], sort: Sequence[By], table: Table) -> list[int]:
    """Merge new rows into rows that are in order; a new one comes behind those that it is equal to."""
    if len(new) * _FEW > len(shown):
        return ordered([*shown, *new], sort, table)
    columns = [(table.keys(by.ref), by.reverse) for by in sort]

    def is_before(row: int, other: int) -> bool:
        for keys, reverse in columns:
            mine, its = keys[row], keys[other]
            if mine is None or its is None:
                if mine is not its:
                    return its is None
            elif mine != its:
                return bool(mine > its) if reverse else bool(mine < its)
        return False

    found: list[int] = []
    start = 0
    for row in ordered(new, sort, table):
        low, high = start, len(shown)
        while low < high:
            middle = (low + high) // 2
            if is_before(row, shown[middle]):
                high = middle
            else:
                low = middle + 1
        found += shown[start:low]
        found.append(row)
        start = low
    return found + shown[start:]
