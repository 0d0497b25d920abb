"""What the list keeps of a run: where its record is, and what a look at it found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajview.formats.base import Summary

from .info import RunInfo
from .own_keys import OwnKeys
from .record import Record
from .rewards import Rewards, row_of
from .tasks import Tasks
from .walk import SourceFile

if TYPE_CHECKING:
    from trajview.models.run import Reward

__all__ = ["Infos"]

_MAX_NAMES: Final = 1000


class Infos:
    """Makes RunInfos, one after another."""

    def __init__(self, keys: OwnKeys) -> None:
        self.keys = keys
        self.gives_keys = True
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._tasks = Tasks()

    def of(self, found: Record, source: SourceFile, format_name: str, summary: Summary) -> RunInfo:
        """The RunInfo of a record, summed up as one of a format."""
        path = source.path
        task = self._tasks.of(summary, path, found.member)
        return RunInfo(
            key=self.keys.of(summary.id, found, path) if self.gives_keys else "",
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
            task=task,
        )

    def _kept(self, rewards: tuple[Reward, ...]) -> tuple[Reward, ...] | Rewards:
        found = row_of(rewards)
        return rewards if found is None else Rewards(self._shared(found[0]), found[1])

    def _shared(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The same names, in memory once however many runs have them."""
        known = self._names.get(names)
        if known is None:
            known = names
            if len(self._names) < _MAX_NAMES:
                self._names[names] = names
        return known
