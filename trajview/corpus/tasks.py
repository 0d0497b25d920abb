"""What the list says of runs that neither a name nor a telling id describes: the first words of their task."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Final

from trajview.formats.base import Summary

__all__ = ["Tasks", "says_nothing", "task_of"]

_MOST: Final = 5_000
"""So many runs have a task: looking for it takes time, keeping it memory, and nobody reads a list of millions."""
_WORD: Final = r"(?<![^\W_])[^\W\d_]{3,}+(?![^\W_])"
_TELLING: Final = re.compile(rf"{_WORD}.*?{_WORD}|\A{_WORD}\Z", re.DOTALL)
"""Two words, of letters alone; or one, and nothing else."""
_LOOKED_AT = 200


def says_nothing(run_id: str, path: PurePath) -> bool:
    """Whether an id tells nobody what the run is about: a number, a UUID, `run-0012`, the name of a file of many runs."""
    if "#" in run_id and run_id.startswith(f"{path.name.split('.', 1)[0] or path.name}#"):
        return True
    return _TELLING.search(run_id[:_LOOKED_AT]) is None


def task_of(summary: Summary, path: PurePath, member: str | None) -> str | None:
    """The task of a run in a file, or an archive's member, where nothing else says what it is about."""
    task = summary.task
    return task if task and says_nothing(summary.id, path if member is None else PurePath(member)) else None


class Tasks:
    """Gives the first runs their tasks; a run that is read again, and had one, still has one."""

    def __init__(self) -> None:
        self._given: set[tuple[PurePath, str | None, str]] = set()

    @property
    def wanted(self) -> bool:
        """Whether there are not enough yet."""
        return len(self._given) < _MOST

    def of(self, summary: Summary, path: PurePath, member: str | None) -> str | None:
        """See `task_of`; None of every further run once enough have one."""
        if not summary.task:
            return None
        run = (path, member, summary.id)
        if run not in self._given:
            if not self.wanted or task_of(summary, path, member) is None:
                return None
            self._given.add(run)
        return summary.task
