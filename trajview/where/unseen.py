"""Blind mode for lists of runs and their filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import msgspec

if TYPE_CHECKING:
    from trajview.corpus.info import RunInfo
    from trajview.models.run import AgentRun

__all__ = ["HIDDEN_FIELDS", "Blinded", "Reads", "as_seen"]

HIDDEN_FIELDS: Final = frozenset({"reward", "rewards", "models"})


def as_seen(info: RunInfo) -> RunInfo:
    """The facts about a run without rewards and models."""
    return msgspec.structs.replace(info, rewards=(), models=()) if info.rewards or info.models else info


class Reads(Protocol):
    """The part of a corpus that this module needs."""

    def read(self, info: RunInfo) -> AgentRun:
        """Parse a run for one look. Raises TrajviewError."""


class Blinded:
    """A corpus whose runs do not tell what blind mode hides."""

    def __init__(self, corpus: Reads) -> None:
        self._corpus = corpus

    def read(self, info: RunInfo) -> AgentRun:
        """Parse a run, and blind it. Raises as the corpus does."""
        from trajview.models.blind import blinded

        return blinded(self._corpus.read(info))
