"""A run as Docent's AgentRun JSON: all of it is kept; Docent passes over the keys of ours, and we read them again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trajview.models.run import AgentRun
from trajview.models.said import is_deep

from .exported import Exported, Lost, Part, cut
from .json_text import json_line, shallow

__all__ = ["export_docent"]

_BLOCK: Final = 2**20
_DEEP: Final = 250
"""Levels from which on readers give up, Docent's own among them."""


def export_docent(run: AgentRun, part: Part | None = None) -> Exported:
    """The run, or the part of it, as one JSON object on one line."""
    lost = Lost()
    return Exported(_line(run, part, lost), lost)


def _line(run: AgentRun, part: Part | None, lost: Lost) -> Iterator[str]:
    data = cut(run, part).to_docent()
    if is_deep(data, _DEEP):
        data = shallow(data, lost)
    line = json_line(data, lost)
    del data
    for start in range(0, len(line), _BLOCK):
        yield line[start : start + _BLOCK]
    yield "\n"
