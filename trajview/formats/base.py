"""The answers of formats about a record: the confidence that it is theirs, its summary for the list, and its origin."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from trajview.models.reward import Reward

__all__ = ["LONGEST_TASK", "Detection", "Origin", "Summary"]


LONGEST_TASK = 60
"""Characters of a task that are shown in a list. One that was cut off has one more."""


class Detection(Struct, frozen=True):
    """The confidence of a format that a record is its own (0 to 1), and the reasons, in words."""

    format: str
    confidence: float
    why: tuple[str, ...] = ()


class Summary(Struct, frozen=True):
    # A Struct, as `Origin` is: one of each is made for each of up to millions of records, in a tenth of the time.
    """The facts about a run for the list of a corpus. They must agree with `read`.

    `messages` and `units` count over all transcripts of the run except the per-agent views of an episode: they are
    those of the first transcript for Sotopia, and sums elsewhere. `agents` and `rewards` are in the run's order.
    """

    id: str
    name: str | None = None
    messages: int = 0
    units: int = 0
    transcripts: int = 1
    agents: tuple[str, ...] = ()
    rewards: tuple[Reward, ...] = ()
    models: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    """Values of wrong types that the cheap look met, one sentence each; the run opens all the same."""
    task: str | None = None
    """The first words that a user says (see `formats.task`), of a run without a name."""


class Origin(Struct, frozen=True):
    """The origin of a record: file, index among its records (from 0), first line (from 1), and how many there are.

    It names a record that has no id of its own, and places errors.
    """

    path: Path = Path("record")
    record: int = 0
    line: int | None = None
    alone: bool = True

    @property
    def default_id(self) -> str:
        """An id that does not change from one opening to the next: the file's stem, and the record where it has many."""
        stem = self.path.name.split(".", 1)[0] or self.path.name
        return stem if self.alone else f"{stem}#{self.record}"
