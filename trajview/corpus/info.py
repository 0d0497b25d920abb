"""What a corpus knows about a run before it is opened."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trajview.models.run import Reward


@dataclass(frozen=True, slots=True)
class RunInfo:
    """A run in a corpus: where its record is, and what a cheap look found.

    `key` is unique in the corpus and is what annotations refer to: the run's id, or `id@hash` where the id repeats.
    `offset` and `length` are the record's bytes in the file (of its UTF-8 form where the file is UTF-16, of `member`
    where the file is an archive); `record` counts from 0, `line` from 1.
    """

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
    rewards: tuple[Reward, ...] = ()
    models: tuple[str, ...] = ()
    member: str | None = None
    """The name of the record inside an archive."""
