"""Runs to list, and a corpus that hands them out when the test says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any
from zlib import crc32

from trajview.app.runs.run_list import RunList, RunRow
from trajview.corpus.info import RunInfo, Updated
from trajview.errors import Problem, UnreadableError, Where
from trajview.models.run import AgentRun
from trajview.where.fields import Ref


def run(id: str, **more: Any) -> RunInfo:
    """A run of that id; everything else has a plain default."""
    given: dict[str, Any] = {
        "key": id, "offset": crc32(id.encode("utf-8", "replace")), "path": Path("/logs/runs.jsonl"), "source": "runs.jsonl", "format": "docent", "container": "jsonl",
    }  # fmt: skip
    return RunInfo(id=id, **{**given, **more})


def sorted_by(runs: RunList) -> Ref | None:
    """The field that gives the order of a list, None for the order of the corpus."""
    return runs.keys[0].ref if runs.keys else None


def problem(reason: str = "The line ends in the middle of a string", line: int = 3) -> Problem:
    """A torn line."""
    return Problem(reason, "The writer may have been killed.", Where(Path("/logs/torn.jsonl"), line))


class FakeCorpus:
    """The shape of a corpus: batches go to the subscribers on the thread that calls `feed`, earlier ones at once."""

    def __init__(self, items: list[RunRow] | None = None, *, finished: bool = True, skipped: int = 0) -> None:
        self.items = list(items or [])
        self.finished = finished
        self.skipped = skipped
        self.streams = ()
        self.following = self.keeps = False
        self.reloads = 0
        self.bytes_done = sum(item.length for item in self.items if isinstance(item, RunInfo))
        self.bytes_total = 0
        self.contents: dict[str, AgentRun] = {}
        self.was_read: list[str] = []
        self.holding: Event | None = None
        self.callbacks: list[Callable[[list[RunRow | Updated], bool], None]] = []

    def go_on(self) -> None:
        """Nothing waits."""

    def subscribe(self, callback: Callable[[list[RunRow | Updated], bool], None]) -> Callable[[], None]:
        self.callbacks.append(callback)
        callback(list(self.items), self.finished)
        return lambda: self.callbacks.remove(callback)

    def reload(self) -> bool:
        self.reloads += 1
        return self.finished

    def read(self, info: RunInfo) -> AgentRun:
        self.was_read.append(info.id)
        if self.holding is not None:
            assert self.holding.wait(20)
        if info.id not in self.contents:
            raise UnreadableError("the record is gone")
        return self.contents[info.id]

    def listed(self, info: RunInfo) -> tuple[None, RunInfo]:
        return None, info

    def feed(self, batch: list[RunRow | Updated], finished: bool = False) -> None:
        self.items += [item for item in batch if not isinstance(item, Updated)]
        self.finished = finished
        for callback in self.callbacks:
            callback(batch, finished)
