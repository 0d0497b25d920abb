"""What is opened of what a person named: how much may come out of a compressed file, and whether links out of a folder count.

One choice holds for the whole program, and for the processes that it starts.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from trajview.errors import UnreadableError, Where

from .memory import giga

__all__ = ["ALWAYS", "BOUNDS", "Bounds", "check_unpacked", "most_unpacked"]

ALWAYS: Final = 256 << 20
"""Bytes that may come out of any file."""
_RATIO: Final = 250
"""Bytes that may come out of a large file, in multiples of its size. Text becomes a fifth to a thirtieth."""
_REPEATED: Final = 1000
"""The same up to `_MUCH` bytes: calls of a model that each repeat all messages before them become a five-hundredth."""
_MUCH: Final = 4 << 30


@dataclass(slots=True)
class Bounds:
    """The choice of the person, of which None is what they have not chosen.

    `max_unpacked`: bytes that may come out of one compressed file; else its size decides. `follow_links`: open also
    what symbolic links in a folder lead to outside of it.
    """

    max_unpacked: int | None = None
    follow_links: bool | None = None

    def complete(self, max_unpacked: int | None, follow_links: bool | None) -> None:
        """Choose what is not chosen yet."""
        if self.max_unpacked is None:
            self.max_unpacked = max_unpacked
        if self.follow_links is None:
            self.follow_links = follow_links


BOUNDS: Final = Bounds()
"""The choice for this program, made where it starts."""


def most_unpacked(packed: int, *, in_memory: bool = False) -> int:
    """The bytes that may come out of so many compressed ones, on a disk or `in_memory`."""
    if BOUNDS.max_unpacked is not None:
        return BOUNDS.max_unpacked
    return max(ALWAYS, _RATIO * packed, 0 if in_memory else min(_MUCH, _REPEATED * packed))


def check_unpacked(size: int, packed: int, path: Path, what: str = "it", *, in_memory: bool = False) -> None:
    """Raise UnreadableError where more bytes come out of compressed ones than may; `what` is unpacked."""
    most = most_unpacked(packed, in_memory=in_memory)
    if size <= most:
        return
    why = f", {most // max(1, packed):,} times its size" if BOUNDS.max_unpacked is None else ""
    raise UnreadableError(
        f"{what} is not unpacked: more than {giga(most)} come out of it{why}",
        hint="if you trust the file, allow more: `--max-unpacked 50G`",
        where=Where(path),
    )
