"""The list of runs as a pandas table; pandas is imported for this alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

from trajview.errors import TrajviewError, shown
from trajview.models.reward import Reward, overall_of

from .info import RunInfo

__all__ = ["PandasMissing", "frame_of"]


class PandasMissing(TrajviewError, ImportError):
    """pandas is not installed."""

    title = "pandas is missing"


_COLUMNS = (
    "id", "key", "name", "source", "path", "line", "format", "messages", "units", "transcripts", "agents", "models",
    "reward", "rewards",
)  # fmt: skip


def frame_of(infos: Sequence[RunInfo]) -> Any:
    """A DataFrame with a row per run. Raises PandasMissing."""
    try:
        pandas = import_module("pandas")
    except ModuleNotFoundError as error:
        if error.name != "pandas":  # it is there, but broken
            raise
        raise PandasMissing("pandas is not installed", hint="pip install pandas") from error
    return pandas.DataFrame([_row(info) for info in infos], columns=list(_COLUMNS))


def _row(info: RunInfo) -> dict[str, Any]:
    return {
        "id": info.id, "key": info.key, "name": info.name, "source": info.source, "path": shown(info.path),
        "line": info.line, "format": info.format, "messages": info.messages, "units": info.units,
        "transcripts": info.transcripts, "agents": list(info.agents), "models": list(info.models),
        "reward": _mean(info.rewards), "rewards": list(info.rewards),
    }  # fmt: skip


def _mean(rewards: Iterable[Reward]) -> float:
    found = [value for reward in rewards if not math.isnan(value := overall_of(reward))]
    return sum(found) / len(found) if found else math.nan
