"""A key of its own for each run of a corpus: what annotations refer to."""

from __future__ import annotations

from pathlib import Path

import msgspec

from trajview.errors import Problem

from .containers import bytes_of
from .info import RunInfo
from .record import Record

__all__ = ["OwnKeys"]


class OwnKeys:
    """Gives a run its id for a key; where another run has that, the id with a digest of its bytes, and a number if need be."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._copies: dict[str, int] = {}

    def of(self, run_id: str, found: Record | RunInfo, path: Path) -> str:
        """A key for what was found in a file. Raises UnreadableError where that takes its bytes, and they are not there."""
        key = run_id
        if key in self._taken:
            at_hand = found.data if isinstance(found, Record) else None
            data = at_hand[: found.length] if at_hand is not None else bytes_of(found, path)
            from hashlib import blake2b  # which takes longer than all the rest here, and few ids repeat

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

    def on(self, found: list[RunInfo | Problem]) -> list[RunInfo | Problem]:
        """The same list; the key of a run, which is its id, is made its own where another one has it."""
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
        """A key that no run has any more."""
        self._taken.discard(key)
