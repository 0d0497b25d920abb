"""A search in a process of its own, for a viewer: it takes no time from the screen, and ends the moment it is to.

Python looks for a regular expression without letting another thread run, and some take for ever (`(a+)+b`): only a
process can be stopped then. What it finds comes through a pipe. It ends with the program that started it.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Final

from trajview.errors import Problem, UnreadableError

from .info import Place
from .patience import PATIENCE, TooSlow
from .query import Query
from .search import CorpusSearch, RunMatches, cores
from .search_workers import python_with

__all__ = ["Progress", "SearchProcess"]

_NICE: Final = 5
"""How far the search stands back behind the screen, which needs a core only for moments."""
_EVERY: Final = 0.1
"""Seconds from one word on the progress to the next."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How many bytes are searched; `whole`: that was all."""

    bytes_done: int
    whole: bool = False


@dataclass(frozen=True, slots=True)
class _GivenUp:
    """Why it did not go on to the end."""

    sentence: str
    hint: str


@dataclass(frozen=True, slots=True)
class _Job:
    """What is searched, as `CorpusSearch` takes it."""

    paths: tuple[Path, ...]
    query: Query
    keep: int | None
    keep_in_all: int | None
    around: int
    width: int | None
    patience: float
    only: frozenset[Place] | None


class SearchProcess:
    """A search that goes on in another process; `found` gives what it finds, from one thread, and `stop` may be called by any."""

    def __init__(
        self,
        paths: Sequence[Path],
        query: Query,
        *,
        keep: int | None = None,
        keep_in_all: int | None = None,
        around: int = 0,
        width: int | None = None,
        patience: float = PATIENCE,
        only: Iterable[Place] | None = None,
    ) -> None:
        """See `CorpusSearch`. Nothing is started yet; `only` is gone through when it is, in that thread."""
        self.bytes_done = 0
        self.stopped = False
        self._job = _Job(tuple(paths), query, keep, keep_in_all, around, width, patience, None)
        self._only = only
        self._process: subprocess.Popen[bytes] | None = None

    def found(self) -> Iterator[RunMatches | Problem]:
        """What is found, until the end or until it is stopped. Raises UnreadableError where the search broke off, and TooSlow."""
        if self.stopped:
            return
        job = self._job if self._only is None else replace(self._job, only=frozenset(self._only))
        try:
            process = subprocess.Popen(
                python_with(__name__),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise UnreadableError(f"the search cannot be started: {error.strerror or error}".lower()) from error
        with process:
            self._process = process
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                if self.stopped:  # meanwhile
                    return
                pickle.dump(job, process.stdin)
                process.stdin.close()
                yield from self._read(process.stdout)
            except (EOFError, OSError, pickle.UnpicklingError) as error:
                if not self.stopped:
                    raise UnreadableError(
                        "the search broke off", hint="maybe the pattern takes too long: try a simpler one"
                    ) from error
            finally:
                process.kill()
                with suppress(OSError):  # what is not written yet, nobody will read
                    process.stdin.close()

    def _read(self, pipe: IO[bytes]) -> Iterator[RunMatches | Problem]:
        while not self.stopped:
            frame = pickle.load(pipe)
            if isinstance(frame, Progress):
                self.bytes_done = frame.bytes_done
                if frame.whole:
                    return
            elif isinstance(frame, _GivenUp):
                raise TooSlow(frame.sentence, hint=frame.hint)
            else:
                yield frame

    def stop(self) -> None:
        """End it at once."""
        self.stopped = True
        if self._process is not None:
            self._process.kill()


def main() -> None:
    """Search for what standard input says; what is found goes to standard output."""
    os.nice(_NICE)  # and so are the processes that share it
    job: _Job = pickle.load(sys.stdin.buffer)
    pipe, parent, told = sys.stdout.buffer, os.getppid(), time.monotonic()

    def tick() -> bool:
        nonlocal told
        now = time.monotonic()
        if now - told > _EVERY:
            told = now
            if os.getppid() != parent:
                return True
            pickle.dump(Progress(search.bytes_done), pipe)
            pipe.flush()
        return False

    search = CorpusSearch(
        job.paths, job.query, keep=job.keep, keep_in_all=job.keep_in_all, around=job.around, width=job.width, only=job.only,
        cancelled=tick, processes=cores(), patience=job.patience,
    )  # fmt: skip
    first = True
    try:
        for found in search.found():
            pickle.dump(found, pipe)
            if first:
                pipe.flush()
            first = False
        pickle.dump(Progress(search.bytes_done, whole=True), pipe)
        pipe.flush()
    except TooSlow as error:
        pickle.dump(_GivenUp(error.sentence, error.hint), pipe)
        pipe.flush()
    except BrokenPipeError:  # nobody reads any more
        os._exit(1)
