"""The order of rows by several keys, each upwards or downwards; what has no value is last in either case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .syntax import By
from .table import Table

__all__ = ["ordered"]


def ordered(rows: list[int], sort: Sequence[By], table: Table) -> list[int]:
    """The rows in order; equal ones stay as they came."""
    for by in reversed(sort):
        keys: list[Any] = table.keys(by.ref)
        present = [row for row in rows if keys[row] is not None]
        absent = [row for row in rows if keys[row] is None] if len(present) < len(rows) else []
        present.sort(key=keys.__getitem__, reverse=by.reverse)
        rows = present + absent
    return rows
