"""The runs of a corpus: finding one in the list, and reading it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, overload

import trajview
from trajview.errors import PluginProblem, Problem, TrajviewError
from trajview.formats import registry
from trajview.formats.base import Detection

from .found import Found
from .info import Place, RunInfo
from .reader import Reader

__all__ = ["Runs"]


class Runs:
    """The part of a corpus that needs no scan: what was found so far, and each run, parsed when it is asked for."""

    _found: Found
    _reader: Reader

    def _report(self, problem: Problem) -> None:
        """Add a problem that was found by another look than the scan's. For any thread."""
        raise NotImplementedError

    def _report_plugins(self) -> list[PluginProblem]:
        """Report what plug-ins did wrong since the last time, and return it."""
        raise NotImplementedError

    @property
    def infos(self) -> list[RunInfo]:
        """The runs found so far."""
        return self._found.infos

    @property
    def problems(self) -> list[Problem]:
        """What could not be read so far."""
        return self._found.problems

    def __len__(self) -> int:
        return len(self.infos)

    def __iter__(self) -> Iterator[RunInfo]:
        return iter(self.infos)

    @overload
    def __getitem__(self, index: int | str) -> RunInfo: ...
    @overload
    def __getitem__(self, index: slice) -> list[RunInfo]: ...
    def __getitem__(self, index: int | str | slice) -> RunInfo | list[RunInfo]:
        if not isinstance(index, str):
            return self.infos[index]
        found = self.find(index)
        if found is None:
            from .unknown_run import unknown_run

            raise unknown_run(index, self.infos)
        return found

    def find(self, id_or_key: str) -> RunInfo | None:
        """The run with that key, else the first with that id; None where there is none that is summed up (yet)."""
        return self._found.find(id_or_key)

    def at(self, place: Place, id: str) -> RunInfo:
        """The run of that id that was seen at a place, wherever it is by now. Raises UnreadableError where the list has
        none (yet)."""
        return self._found.at(place, id)

    def neighbour(self, info: RunInfo, step: int) -> RunInfo | None:
        """The run so many places after another one (before it, where `step` is negative); None past the ends."""
        return self._found.neighbour(info, step)

    def load(self, info: RunInfo) -> trajview.AgentRun:
        """The run; each of its messages is read when it is looked at. The last few stay in memory, the large ones among them alone.

        Raises UnreadableError where the file is gone or another one now, FormatError where the record is not what its
        format demands.
        """
        try:
            return self._reader.load(info)
        finally:
            self._report_plugins()

    def read(self, info: RunInfo, *, whole: bool = False) -> trajview.AgentRun:
        """The run, parsed for one look: nothing of it is kept. Raises as `load` does.

        `whole`, as `load` gives it: with what its sub-agents said in files beside its own.
        """
        try:
            return self._reader.read_once(info, whole=whole)
        finally:
            self._report_plugins()

    def raw(self, info: RunInfo) -> str:
        """The record's text exactly as it is in the file. Raises UnreadableError."""
        return self._reader.raw(info)

    def raw_bytes(self, info: RunInfo) -> bytes:
        """The same as UTF-8, which is half of the memory. Raises UnreadableError."""
        return self._reader.raw_bytes(info)

    def value(self, info: RunInfo) -> Any:
        """The record as decoded JSON or YAML. Raises UnreadableError."""
        return self._reader.value(info)

    def check_bytes(self, info: RunInfo, cancelled: Callable[[], bool] = lambda: False) -> Problem | None:
        """A problem that is new, and is added to `problems`: bytes of a run are not UTF-8. For a thread.

        The scan looks at the first few places beyond ASCII in each record, which tells files of another encoding.
        """
        try:
            problem = self._reader.bad_bytes(info, cancelled)
        except TrajviewError:
            return None  # opening it says so
        if problem is None or self._found.is_told(problem):
            return None
        self._report(problem)
        return problem

    def runs(self) -> Iterator[trajview.AgentRun]:
        """Every run, parsed one after another; one that cannot be read is left out and added to `problems`."""
        for info in list(self.infos):
            try:
                run = self.load(info)
            except TrajviewError as error:
                self._report(error.problem())
            else:
                yield run

    def detections(self, info: RunInfo) -> list[Detection]:
        """Every format that the record could be, the most likely first, with reasons."""
        return registry.detections(self._reader.value(info, by_parts=True))

    def check(self, info: RunInfo) -> list[Problem]:
        """Everything that is wrong with one run: whether it loads, and what its format finds on top."""
        return [*self._reader.check(info), *self._report_plugins()]
