"""The columns of the list of runs, what stands in their cells, and text that fits in so many of the screen's."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len, set_cell_size

from trajview.corpus.info import RunInfo
from trajview.formats.base import LONGEST_TASK
from trajview.textsafe import one_line
from trajview.where.fields import Kind, Ref, getter

if TYPE_CHECKING:
    from trajview.models.run import Reward

__all__ = [
    "COLUMNS", "Column", "called", "cell", "fit", "fit_path", "is_number", "is_opaque", "number", "reward_text", "size_text", "title_of",
    "value_text",
]  # fmt: skip


class Column:
    """The fields that the list always has a column for, as the filter names them; it may have others as well."""

    ID: Final = Ref("run")
    SOURCE: Final = Ref("source")
    FORMAT: Final = Ref("format")
    MESSAGES: Final = Ref("messages")
    UNITS: Final = Ref("units")
    REWARD: Final = Ref("reward")
    STATUS: Final = Ref("status")
    AGENTS: Final = Ref("agents")
    MODELS: Final = Ref("models")


COLUMNS: Final = (
    Column.ID, Column.SOURCE, Column.FORMAT, Column.MESSAGES, Column.UNITS, Column.REWARD, Column.STATUS, Column.AGENTS, Column.MODELS,
)  # fmt: skip
"""Those fields, in the order in which their columns stand."""


def title_of(column: Ref) -> str:
    """What stands above a column."""
    return "annotation" if column == Column.STATUS else one_line(str(column), 40)


def is_number(column: Ref) -> bool:
    """Whether the cells of a column stand at the right edge."""
    return column.kind is Kind.NUMBER


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


_OPAQUE = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}|[0-7][0-9a-hjkmnp-tv-z]{25}", re.IGNORECASE
)
_MARKS = frozenset("*_`#~>[-+")
"""Signs that Markdown uses."""


def is_opaque(id: str) -> bool:
    """Whether an id is a UUID, a ULID or a long hexadecimal number, which says nothing to a reader."""
    return _OPAQUE.fullmatch(id) is not None


def called(info: RunInfo, limit: int = 200) -> str:
    """What a run is called, safe, on one line: its name, or else its task, or else its id.

    A run that has nothing but an opaque id and a file of its own is called what the file is.
    """
    if info.task and not info.name:
        task = info.task if len(info.task) <= LONGEST_TASK else f"{info.task[:LONGEST_TASK].rstrip()}…"
        if not _MARKS.isdisjoint(task):
            from trajview.app.render.markdown import prose_line

            task = prose_line(task, limit)
        return one_line(task, limit)
    if info.alone and not info.name and is_opaque(info.id):
        file = info.path.stem.replace(info.id, "").strip("-_. ")
        return one_line(info.id if not file or is_opaque(file) else file, limit)
    return one_line(info.name or info.id, limit)


def cell(info: RunInfo, column: Ref) -> str:
    """The text of a cell of a field that the list itself knows, safe for a terminal and on one line.

    It is empty, or an ellipsis, where the value is not known yet.
    """
    if not info.summarised and column not in (Column.ID, Column.SOURCE):
        return "…" if column == Column.MESSAGES else ""
    if column == Column.ID:
        return called(info)
    return reward_text(info.rewards) if column == Column.REWARD else value_text(getter(column)(info))


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


def fit(text: str, width: int, *, right: bool = False) -> str:
    """Text in exactly `width` cells: padded, or cut with an ellipsis. A wide character is never cut in half."""
    have = cell_len(text)
    if have > width:
        if width <= 0:
            return ""
        text = set_cell_size(text, width - 1).rstrip() + "…"
        have = cell_len(text)
    pad = " " * (width - have)
    return pad + text if right else text + pad


def fit_path(path: str, width: int) -> str:
    """A path in exactly `width` cells; one that is too long loses its front, for its end says more."""
    if cell_len(path) <= width:
        return fit(path, width)
    return "…" + fit(set_cell_size(path[::-1], max(0, width - 1)).rstrip()[::-1], max(0, width - 1))
