"""A run as Docent's AgentRun JSON: all of it is kept; Docent passes over the keys of ours, and we read them again."""

from __future__ import annotations

from trajview.models.run import AgentRun
from trajview.models.said import is_deep

from .exported import Exported, Lost, Part, cut
from .json_text import json_line, shallow

__all__ = ["export_docent"]

_DEEP = 250
"""Levels from which on readers give up, Docent's own among them."""


def export_docent(run: AgentRun, part: Part | None = None) -> Exported:
    """The run, or the part of it, as one JSON object on one line."""
    lost = Lost()
    data = cut(run, part).to_docent()
    if is_deep(data, _DEEP):
        data = shallow(data, lost)
    return Exported(json_line(data, lost) + "\n", lost.sentences(), lost.kinds())
