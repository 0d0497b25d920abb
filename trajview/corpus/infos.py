"""The entries of the list of runs: the place of each record, its summary, a key of its own, and maybe its task."""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final

import msgspec

from trajview.formats.base import Summary

from .containers import bytes_of
from .info import Item, RunInfo
from .record import Record
from .rewards import Rewards, row_of
from .walk import SourceFile

if TYPE_CHECKING:
    from trajview.models.run import Reward

__all__ = ["MOST_TASKS", "Infos", "OwnKeys", "Tasks", "says_nothing", "task_of"]

_MAX_NAMES: Final = 1000
MOST_TASKS: Final = 5_000
"""Runs that get a task: looking for it takes time, keeping it memory, and nobody reads a list of millions."""
_WORD: Final = r"(?<![^\W_])[^\W\d_]{3,}+(?![^\W_])"
_TELLING: Final = re.compile(rf"{_WORD}.*?{_WORD}|\A{_WORD}\Z", re.DOTALL)
"""Two words, of letters alone; or one, and nothing else."""
_LOOKED_AT = 200


class OwnKeys:
    """Gives each run a key of its own: its id; where another run has that, the id with a digest of its bytes."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._copies: dict[str, int] = {}

    def of(self, run_id: str, found: Record | RunInfo, path: Path) -> str:
        """A key for a record. Raises UnreadableError where that takes its bytes, and they are not there."""
        key = run_id
        if key in self._taken:
            at_hand = found.data if isinstance(found, Record) else None
            data = at_hand[: found.length] if at_hand is not None else bytes_of(found, path)
            from hashlib import blake2b  # importing it takes longer than all the rest here, and few ids repeat

            base = key = f"{run_id}@{blake2b(data).hexdigest()[:8]}"
            copy = self._copies.get(base, 1)
            while key in self._taken:
                copy += 1
                key = f"{base}-{copy}"
            self._copies[base] = copy
        self._taken.add(key)
        return key

    def of_run(self, info: RunInfo) -> str:
        """A key for a run without one. Raises as `of` does."""
        return self.of(info.id, info, info.path)

    def on(self, found: list[Item]) -> list[Item]:
        """Make the keys in a list of items unique: a run whose id another one has gets a key of its own."""
        taken = self._taken
        keys = [item.key for item in found if isinstance(item, RunInfo)]
        own = set(keys)
        if len(own) == len(keys) and taken.isdisjoint(own):
            taken |= own
            return found
        for at, item in enumerate(found):
            if isinstance(item, RunInfo):
                if item.key in taken:
                    found[at] = msgspec.structs.replace(item, key=self.of_run(item))
                else:
                    taken.add(item.key)
        return found

    def give_back(self, key: str) -> None:
        """Free a key that no run has any more."""
        self._taken.discard(key)


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
        """Whether fewer runs than wanted have a task."""
        return len(self._given) < MOST_TASKS

    def of(self, summary: Summary, path: PurePath, member: str | None) -> str | None:
        """The task of a run (see `task_of`); None for further runs once enough have one."""
        if not summary.task:
            return None
        run = (path, member, summary.id)
        if run not in self._given:
            if not self.wanted or task_of(summary, path, member) is None:
                return None
            self._given.add(run)
        return summary.task


class Infos:
    """Makes RunInfos, one after another."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._tasks = Tasks()

    def of(self, found: Record, source: SourceFile, format_name: str, summary: Summary, key: str) -> RunInfo:
        """Make the RunInfo of a record that was summed up by a format."""
        path = source.path
        return RunInfo(
            key=key,
            id=summary.id,
            path=path,
            source=source.source if found.member is None else f"{source.source}/{found.member}",
            format=format_name,
            container=found.container,
            record=found.record,
            line=found.line,
            offset=found.offset,
            length=found.length,
            alone=found.alone,
            member=found.member,
            name=summary.name,
            messages=summary.messages,
            units=summary.units,
            transcripts=summary.transcripts,
            agents=self._shared(summary.agents),
            rewards=self._kept(summary.rewards),
            models=self._shared(summary.models),
            task=self._tasks.of(summary, path, found.member),
        )

    def _kept(self, rewards: tuple[Reward, ...]) -> tuple[Reward, ...] | Rewards:
        found = row_of(rewards)
        return rewards if found is None else Rewards(self._shared(found[0]), found[1])

    def _shared(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Share equal names among runs, so that they are in memory once."""
        known = self._names.get(names)
        if known is None:
            known = names
            if len(self._names) < _MAX_NAMES:
                self._names[names] = names
        return known
