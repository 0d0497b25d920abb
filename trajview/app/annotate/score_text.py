"""A score as it is typed: what digits may still become one, and the next one up or down."""

from __future__ import annotations

import math
from decimal import Decimal

from trajview.annotation.rubric import Dimension, parse_score, written

__all__ = ["LONGEST", "can_become", "start_of", "stepped"]

LONGEST = 12
"""Characters of a typed number; more are refused."""


def can_become(text: str, dimension: Dimension) -> bool:
    """Whether a text is a score or more digits may make it one: `-`, or `1` where the range is 5..10, but not `11`."""
    typed = text.strip()
    unsigned = typed.removeprefix("-")
    whole, point, decimals = unsigned.partition(".")
    if point and dimension.integer:
        return False
    if not whole + decimals:
        return True
    if not (whole + decimals).isdigit() or not unsigned.isascii():
        return False
    low, high = (Decimal(repr(end)) for end in _ends(dimension))
    if typed.startswith("-"):
        low, high = -high, -low
    # What so many more digits can reach: 1 becomes 10 to 19, then 100 to 199; 0.2 becomes 0.2 to just under 0.3.
    least, width = Decimal(unsigned), Decimal(10) ** -len(decimals)
    scales = [Decimal(10) ** more for more in range(1 if point else LONGEST - len(typed) + 1)]
    return any(least * scale <= high and (least + width) * scale > low for scale in scales)


def _ends(dimension: Dimension) -> tuple[float, float]:
    """The lowest and the highest score."""
    if dimension.integer:
        return float(math.ceil(dimension.low)), float(math.floor(dimension.high))
    return dimension.low, dimension.high


def _step(dimension: Dimension) -> float:
    if dimension.step:
        return dimension.step
    if dimension.integer or not math.isfinite(dimension.high - dimension.low):
        return 1.0
    return float(f"{(dimension.high - dimension.low) / 20:.3g}") or 1.0


def start_of(dimension: Dimension) -> float:
    """The score at which steps begin in an empty cell: 0 where scores can be negative, else the middle of the range."""
    low, high = _ends(dimension)
    if low < 0 <= high:
        return 0.0
    step = Decimal(repr(_step(dimension)))
    steps = round((high - low) / 2 / float(step))
    return min(max(float(Decimal(repr(low)) + steps * step), low), high)


def _plus(value: float, step: float) -> float:
    """Add as people do: 0.1 + 0.2 is 0.3."""
    return float(Decimal(repr(value)) + Decimal(repr(step)))


def stepped(text: str, dimension: Dimension, direction: int) -> str:
    """The score one step up (1) or down (-1) within the range. What is no score goes to the nearest, or to `start_of`."""
    low, high = _ends(dimension)
    score = parse_score(text, dimension)
    if isinstance(score, float):
        step = _step(dimension)
        return written(min(max(_plus(score, direction * step), low), high))
    try:
        outside = float(text) if score is not None else math.nan
    except ValueError:
        outside = math.nan
    return written(start_of(dimension) if math.isnan(outside) else min(max(float(round(outside)), low), high))
