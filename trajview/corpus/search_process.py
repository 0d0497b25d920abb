"""A search in a process of its own, for a viewer: it takes no time from the screen, and ends the moment it is to.

Python looks for a regular expression without letting another thread run, and some take for ever (`(a+)+b`): only a
process can be stopped then.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, Unpack

from trajview.errors import Problem, UnreadableError
from trajview.patterns.patience import TooSlow

from .child import Child, parent
from .info import Place
from .query import Query
from .search import CorpusSearch, RunMatches, cores
from .search_workers import Reached
from .searcher import Limits

__all__ = ["SearchProcess"]

_NICE: Final = 5
"""How far the search stands back behind the screen, which needs a core only for moments."""
_EVERY: Final = 0.1
"""Seconds from one word on the progress to the next."""


class SearchProcess:
    """A search that goes on in another process; `found` gives what it finds, from one thread, and `stop` may be called by any."""

    def __init__(
        self, paths: Sequence[Path], query: Query, *, only: Iterable[Place] | None = None, **limits: Unpack[Limits]
    ) -> None:
        """See `CorpusSearch`. Nothing is started yet; `only` is gone through when it is, in that thread."""
        self.bytes_done = 0
        self.stopped = False
        self._paths, self._query, self._only, self._limits = tuple(paths), query, only, limits
        self._child: Child | None = None

    def found(self) -> Iterator[RunMatches | Problem]:
        """Yield the findings, until the end or until it is stopped. Raises UnreadableError where it broke off, and TooSlow."""
        if self.stopped:
            return
        only = None if self._only is None else frozenset(self._only)
        try:
            child = self._child = Child(__name__)
        except OSError as error:
            raise UnreadableError(f"the search cannot be started: {error.strerror or error}".lower()) from error
        try:
            if self.stopped:  # meanwhile
                return
            child.send((self._paths, self._query, only, self._limits))
            yield from self._received(child)
        except (EOFError, OSError) as error:
            if not self.stopped:
                raise UnreadableError(
                    "the search broke off", hint="maybe the pattern takes too long: try a simpler one"
                ) from error
        finally:
            child.close()

    def _received(self, child: Child) -> Iterator[RunMatches | Problem]:
        while not self.stopped:
            found: RunMatches | Problem | Reached | TooSlow | None = child.receive()
            if found is None:
                return
            if isinstance(found, Reached):
                self.bytes_done = found.bytes_done
            elif isinstance(found, TooSlow):
                raise found
            else:
                yield found

    def stop(self) -> None:
        """End it at once."""
        self.stopped = True
        if self._child is not None:
            self._child.kill()


def main() -> None:
    """Search for what the parent says, and send what is found; None is the end."""
    os.nice(_NICE)  # the processes that share the search inherit this
    with parent() as (receive, send):
        told = time.monotonic()

        def tick() -> bool:
            nonlocal told
            now = time.monotonic()
            if now - told > _EVERY:
                told = now
                send(Reached(search.bytes_done))
            return False

        paths, query, only, limits = receive()
        search = CorpusSearch(paths, query, only=only, cancelled=tick, processes=cores(), **limits)
        try:
            for found in search.found():
                send(found)
            send(Reached(search.bytes_done))
            send(None)
        except TooSlow as error:
            send(error)
