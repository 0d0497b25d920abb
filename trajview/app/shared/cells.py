"""The columns of the list of runs, and what stands in their cells."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING

from trajview.corpus.info import RunInfo
from trajview.formats.base import LONGEST_TASK
from trajview.textsafe import one_line
from trajview.where.fields import Kind, Ref

if TYPE_CHECKING:
    from trajview.models.run import Reward

__all__ = [
    "Column", "Shown", "called", "cell", "column_of", "is_number", "number", "ref_of", "reward_text", "size_text", "title_of", "value_text",
]  # fmt: skip


class Column(Enum):
    """A column, by its heading, in the order in which they stand."""

    ID = "run"
    SOURCE = "source"
    FORMAT = "format"
    MESSAGES = "messages"
    UNITS = "units"
    REWARD = "reward"
    STATUS = "annotation"
    AGENTS = "agents"
    MODELS = "models"

    @property
    def is_number(self) -> bool:
        """Whether its cells stand at the right edge."""
        return self in (Column.MESSAGES, Column.UNITS, Column.REWARD)

    @property
    def ref(self) -> Ref:
        """The field that it shows, as the filter names it."""
        return _REFS[self]


_REFS = {
    Column.ID: Ref("run"), Column.SOURCE: Ref("source"), Column.FORMAT: Ref("format"), Column.MESSAGES: Ref("messages"),
    Column.UNITS: Ref("units"), Column.REWARD: Ref("reward"), Column.STATUS: Ref("status"), Column.AGENTS: Ref("agents"),
    Column.MODELS: Ref("models"),
}  # fmt: skip
_COLUMNS = {ref: column for column, ref in _REFS.items()}


Shown = Column | Ref
"""What a column shows: one that the list always has, or a field that the filter or the order is about."""


def ref_of(column: Shown) -> Ref:
    """The field that a column shows."""
    return column.ref if isinstance(column, Column) else column


def title_of(column: Shown) -> str:
    """What stands above a column."""
    return column.value if isinstance(column, Column) else one_line(str(column), 40)


def is_number(column: Shown) -> bool:
    """Whether the cells of a column stand at the right edge."""
    return column.is_number if isinstance(column, Column) else column.kind is Kind.NUMBER


def column_of(ref: Ref) -> Column | None:
    """The column that shows a field, if one does."""
    return _COLUMNS.get(ref)


def _overall(reward: Reward) -> float | None:
    value = reward[0] if isinstance(reward, (tuple, list)) else reward
    return value if isinstance(value, (int, float)) and value == value else None


def number(value: float) -> str:
    """A reward in as few characters as two decimals allow: `7`, `7.2`, `3.14`."""
    if not math.isfinite(value) or abs(value) >= 1e7:
        return f"{value:.3g}"
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def reward_text(rewards: Iterable[Reward]) -> str:
    """The overall reward of each agent: `7.2 / 6.1`; empty where there is none."""
    values = [_overall(reward) for reward in rewards]
    if all(value is None for value in values):
        return ""
    return " / ".join("–" if value is None else number(value) for value in values)


def size_text(size: int) -> str:
    """A size in bytes as people read it: `312 B`, `4.1 KB`, `12 MB`."""
    if size < 1000:
        return f"{size} B"
    amount = float(size)
    for unit in ("KB", "MB", "GB"):
        amount /= 1000
        if amount < 999.5:
            return f"{amount:.1f} {unit}" if amount < 9.95 else f"{amount:.0f} {unit}"
    return f"{amount / 1000:.1f} TB"


def called(info: RunInfo, limit: int = 200) -> str:
    """What a run is called: its name, or else its task, or else its id; safe, on one line."""
    if info.task and not info.name and len(info.task) > LONGEST_TASK:
        return one_line(f"{info.task[:LONGEST_TASK].rstrip()}…", limit)
    return one_line(info.name or info.task or info.id, limit)


def cell(info: RunInfo, column: Column, status: str = "") -> str:
    """The text of a cell, safe for a terminal and on one line; empty where it is not known yet."""
    if not info.summarised and column not in (Column.ID, Column.SOURCE, Column.STATUS):
        return "…" if column is Column.MESSAGES else ""
    if column is Column.MESSAGES:
        return f"{info.messages:,}"
    if column is Column.UNITS:
        return f"{info.units:,}"
    if column is Column.REWARD:
        return reward_text(info.rewards)
    if column is Column.ID:
        return called(info)
    if column is Column.SOURCE:
        return one_line(info.source)
    if column is Column.FORMAT:
        return one_line(info.format)
    if column is Column.STATUS:
        return one_line(status)
    return one_line(", ".join(info.agents if column is Column.AGENTS else info.models))


def value_text(value: object) -> str:
    """The text of a cell that shows any field, safe for a terminal and on one line; empty where there is no value."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer() and abs(value) < 1e15):
        return f"{value:,.0f}" if isinstance(value, float) or abs(value) < 10**15 else f"{str(value)[:12]}…"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, (list, tuple)):
        return one_line(", ".join(value_text(each) for each in value[:20]))
    return one_line(str(value))
