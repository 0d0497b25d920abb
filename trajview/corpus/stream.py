"""What a corpus has to know of a file that this program is filling, as from standard input."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from trajview.errors import Problem

__all__ = ["Stream"]


class Stream(Protocol):
    """A file that is being filled by this program, such as from standard input."""

    path: Path

    @property
    def going(self) -> bool:
        """Whether more may come."""

    @property
    def size(self) -> int:
        """Bytes that came so far."""

    @property
    def problem(self) -> Problem | None:
        """Why it ended too early, if it did."""
