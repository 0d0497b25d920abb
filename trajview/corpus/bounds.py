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
"""Bytes that may come out of a larger file, in multiples of its size. Text becomes a fifth to a thirtieth; logs that repeat
themselves all the time a hundredth."""


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


def most_unpacked(packed: int, always: int | None = None) -> int:
    """The bytes that may come out of so many compressed ones; `always` so many."""
    if BOUNDS.max_unpacked is not None:
        return BOUNDS.max_unpacked
    return max(ALWAYS if always is None else always, _RATIO * packed)


def check_unpacked(size: int, packed: int, path: Path, what: str = "it", always: int | None = None) -> None:
    """Raise UnreadableError where more bytes come out of compressed ones than may; `what` is unpacked."""
    most = most_unpacked(packed, always)
    if size <= most:
        return
    why = f", {most // max(1, packed):,} times its size" if BOUNDS.max_unpacked is None else ""
    raise UnreadableError(
        f"{what} is not unpacked: more than {giga(most)} come out of it{why}",
        hint="if you trust the file, allow more: `--max-unpacked 50G`",
        where=Where(path),
    )
