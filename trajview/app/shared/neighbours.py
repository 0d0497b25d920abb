"""The runs before and after the one that is read, in the order of whatever it was opened from."""

from __future__ import annotations

from typing import Protocol

from trajview.corpus.info import RunInfo

__all__ = ["Neighbours"]


class Neighbours(Protocol):
    """What a screen hands to that of a run which it opens: where the keys for the next and the previous run lead."""

    @property
    def noun(self) -> str:
        """What its runs are called in a sentence about the first or the last of them, as in `last run`."""

    @property
    def were_searched(self) -> bool:
        """Whether a search goes on in each of them, so that behind its only match in one the next run follows."""

    def open_next(self, info: RunInfo, step: int) -> bool:
        """Open the run that comes after (or before, where `step` is -1) another; False where there is none."""
