"""Rows of the table of targets: each is printed where it is measured, and kept for the table that `all.py` makes."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["KEPT_IN", "Row", "kept", "plain", "tell"]

KEPT_IN = "TRAJVIEW_BENCH_ROWS"
"""The environment variable that names the file of rows, where there is one."""

_UNITS = {"s": " s", "ms": " ms", "x": "x", "MB": " MB", "%": "%", "GB/s": " GB/s"}


@dataclass(frozen=True)
class Row:
    """A figure beside its target."""

    number: int
    """Of the table of targets; 0 for a figure that is not in it."""
    what: str
    figure: str
    target: str
    """Empty for a figure without one."""
    verdict: str
    beside: str
    """What was measured in the same round, to compare with on another machine."""


def plain(value: float, unit: str) -> str:
    """A figure with its unit, no more digits than a second run would show again."""
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{3 if unit == 's' and abs(value) < 1 else digits}f}{_UNITS[unit]}"


def tell(
    number: int,
    what: str,
    value: float,
    limit: float | None = None,
    unit: str = "s",
    *,
    least: bool = False,
    beside: str = "",
) -> None:
    """Print a row, and keep it where that is wanted; `limit` is the most that the value may be, or with `least` the least."""
    target = verdict = ""
    if limit is not None:
        target = f"at {'least' if least else 'most'} {plain(limit, unit)}"
        verdict = "met" if (value >= limit if least else value <= limit) else "missed"
    row = Row(number, what, plain(value, unit), target, verdict, beside)
    said = f" ({target}: {verdict})" if target else ""
    print(
        f"{f'row {number}' if number else '':8}{what:58} {row.figure:>11}{said}{f'   {beside}' if beside else ''}",
        flush=True,
    )
    if name := os.environ.get(KEPT_IN):
        with Path(name).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(row)) + "\n")


def kept(path: Path) -> list[Row]:
    """The rows that were kept in a file."""
    return [Row(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
