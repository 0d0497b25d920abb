"""A run as Docent's AgentRun JSON: all of it is kept; Docent passes over the keys of ours, and we read them again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeVar

from pydantic import BaseModel

from trajview.models.run import AgentRun

from .exported import Exported, Lost, Part, cut
from .json_text import json_line, shallow

__all__ = ["export_docent"]

_BLOCK: Final = 2**20
_Model = TypeVar("_Model", bound=BaseModel)


def export_docent(run: AgentRun, part: Part | None = None) -> Exported:
    """The run, or the part of it, as one JSON object on one line."""
    lost = Lost()
    return Exported(_line(run, part, lost), lost)


def _line(run: AgentRun, part: Part | None, lost: Lost) -> Iterator[str]:
    run = cut(run, part)
    try:
        data = run.model_dump(warnings=False)
    except (ValueError, RecursionError):  # pydantic stops at some 250 levels
        data = _shallow_model(run, lost).model_dump(warnings=False)
    line = json_line(data, lost)
    del data
    for start in range(0, len(line), _BLOCK):
        yield line[start : start + _BLOCK]
    yield "\n"


def _shallow_model(model: _Model, lost: Lost) -> _Model:
    return model.model_copy(update={name: _shallow(value, lost) for name, value in model})


def _shallow(value: Any, lost: Lost) -> Any:
    if isinstance(value, BaseModel):
        return _shallow_model(value, lost)
    if isinstance(value, list) and any(isinstance(item, BaseModel) for item in value):
        return [_shallow(item, lost) for item in value]
    return shallow(value, lost)
