"""The facts about a run that a corpus knows before the run is opened."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from trajview.errors import Problem
from trajview.models.brief import brief, counted, overall_rewards, quoted
from trajview.models.reward import Reward

from .rewards import Rewards

__all__ = ["Gone", "Item", "Place", "RunInfo", "Updated"]

Place = tuple[Path, str | None, int]
"""The place of a record: file, member of an archive, offset. It stays the same whatever is learnt about the run."""


class RunInfo(msgspec.Struct, frozen=True, gc=False):
    """A run in a corpus: where its record is, and what a cheap look found.

    `key` is unique in the corpus and is what annotations refer to: the run's id, or `id@hash` where the id repeats.
    `offset` and `length` are the record's bytes in the file (of its UTF-8 form where the file is UTF-16, of `member`
    where the file is an archive); `record` counts from 0, `line` from 1.

    `messages` and `units` are of the first transcript of an episode and of all transcripts otherwise. `rewards` has one
    reward per agent: a number, or the overall number and one for each dimension.

    Not `summarised`: the record was found, but not read yet. Its id and key are a guess from its first bytes, its
    format is empty, and its counts say nothing; `Corpus.resolve` gives the rest.

    >>> from trajview import open_corpus
    >>> info = open_corpus("sample_data/docent")[1]
    >>> info
    RunInfo(key='dd194370-bdd7-5e01-8920-39754b3f0bfa', 'runs.jsonl:1', docent, 9 messages, 4 action units, rewards=[1.0])
    >>> info.line, info.messages, tuple(info.rewards)
    (1, 9, ((1.0, {'tests_pass': 1.0, 'hidden_tests': 1.0, 'judged_honest': 1.0}),))
    """

    # A Struct and no dataclass: one is made for each of up to millions of records, ten times as fast and half as large.
    key: str
    id: str
    path: Path
    source: str
    """The path as the list shows it: relative to the folder that was opened."""
    format: str
    container: str
    record: int = 0
    line: int | None = None
    offset: int = 0
    length: int = 0
    alone: bool = True
    name: str | None = None
    messages: int = 0
    units: int = 0
    transcripts: int = 1
    agents: tuple[str, ...] = ()
    rewards: tuple[Reward, ...] | Rewards = ()
    models: tuple[str, ...] = ()
    member: str | None = None
    """The name of the record inside an archive."""
    task: str | None = None
    """The first words that a user says, where neither name nor id is telling; only for the first runs listed."""
    summarised: bool = True

    def __repr__(self) -> str:
        place = self.source if self.line is None or self.alone else f"{self.source}:{self.line}"
        if not self.summarised:
            return brief(type(self), f"key={quoted(self.key)}", quoted(place), "not read yet")
        return brief(
            type(self),
            f"key={quoted(self.key)}",
            quoted(place),
            self.format,
            counted(self.messages, "message"),
            counted(self.units, "action unit"),
            overall_rewards(self.rewards),
        )

    @property
    def place(self) -> Place:
        """The place of the record: a handle that holds before and after the run is summed up."""
        return self.path, self.member, self.offset


Item = RunInfo | Problem
"""The content of a row of the list."""


@dataclass(frozen=True, slots=True)
class Gone(Problem):
    """Stands in a row whose record is not there any more. It is not shown, and may become a row again."""


class Updated(msgspec.Struct, frozen=True):
    """A row that was published earlier and has changed: its run was summed up, has changed, or is gone.

    `row` counts the runs and problems in the order in which they were handed out, from 0.
    """

    row: int
    item: RunInfo | Problem
