"""Transcripts, and Docent's rule for their action units."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import cast
from uuid import uuid4

from pydantic import Field

from .messages import ChatMessage, Metadata, _OptionalExtras
from .units import count_units, unit_starts

__all__ = ["Transcript", "TranscriptGroup", "count_units", "unit_starts"]

_ROLE = attrgetter("role")


class TranscriptGroup(_OptionalExtras):
    """A named group of transcripts of one run; groups nest by `parent_transcript_group_id`."""

    id: str = Field(default_factory=lambda: str(uuid4()))
    name: str | None = None
    description: str | None = None
    collection_id: str | None = None
    agent_run_id: str | None = None
    parent_transcript_group_id: str | None = None
    created_at: str | None = None
    metadata: Metadata = Field(default_factory=dict)

    @classmethod
    def _unset_names(cls) -> frozenset[str]:
        return frozenset({"collection_id"})


@dataclass(slots=True)
class _Units:
    """Action units, and what they were computed from: a list that is replaced or has grown makes them stale."""

    messages: list[ChatMessage]
    explicit: list[list[int]] | None
    length: int
    starts: list[int]
    members: list[list[int]] | None = None
    """Made when someone asks: who only reads needs the starts."""


def _members(starts: list[int], count: int) -> list[list[int]]:
    ends = [*starts[1:], count] if starts else []
    return [list(range(start, end)) for start, end in zip(starts, ends, strict=True)]


class _UnitCache:
    """The action units of a transcript, once someone asked."""

    units: _Units | None = None


class Transcript(_OptionalExtras):
    """A conversation: messages in order, grouped into action units.

    `units` is set when the source itself says where its units start (an episode's turns): a list of lists of message
    indices, ascending and contiguous. Otherwise Docent's rule decides.
    """

    id: str = Field(default_factory=lambda: str(uuid4()))
    name: str | None = None
    description: str | None = None
    transcript_group_id: str | None = None
    created_at: str | None = None
    messages: list[ChatMessage] = Field(default_factory=list)
    metadata: Metadata = Field(default_factory=dict)
    units: list[list[int]] | None = None

    @classmethod
    def _unset_names(cls) -> frozenset[str]:
        return frozenset({"units"})

    def set_messages(self, messages: Sequence[ChatMessage]) -> None:
        """Replace the messages; the action units are computed anew by Docent's rule."""
        self.messages = list(messages)
        self.units = None

    def read_on_demand(self, messages: Sequence[ChatMessage], roles: Sequence[str]) -> None:
        """Take messages that are built when they are looked at: their roles are known, so that none is built for it."""
        self.messages = cast("list[ChatMessage]", messages)
        starts = [unit[0] for unit in self.units] if self.units else unit_starts(roles)
        self._cache.units = _Units(self.messages, self.units, len(roles), starts)

    @cached_property
    def _cache(self) -> _UnitCache:
        # Not a private attribute: pydantic compares those, and reaching one takes a microsecond.
        return _UnitCache()

    @property
    def unit_starts(self) -> list[int]:
        """The index of the first message of each action unit, ascending."""
        return self._cached().starts

    @property
    def units_of_action(self) -> list[list[int]]:
        """The message indices of each action unit."""
        cached = self._cached()
        if cached.members is None:
            cached.members = _members(cached.starts, cached.length)
        return cached.members

    def _cached(self) -> _Units:
        messages, explicit, cached = self.messages, self.units, self._cache.units
        count = len(messages)
        if (
            cached is None
            or cached.messages is not messages
            or cached.explicit is not explicit
            or cached.length != count
        ):
            if explicit and all(explicit) and [i for unit in explicit for i in unit] == list(range(count)):
                starts = [unit[0] for unit in explicit]
            else:
                # Units that do not cover the messages in order cannot be trusted (someone edited the messages).
                starts = unit_starts(getattr(messages, "roles", None) or map(_ROLE, messages))
            self._cache.units = cached = _Units(messages, explicit, count, starts)
        return cached

    def get_first_block_in_action_unit(self, action_unit_idx: int) -> int | None:
        """The index of the first message of an action unit, None where there is no such unit."""
        starts = self._cached().starts
        return starts[action_unit_idx] if 0 <= action_unit_idx < len(starts) else None

    def get_action_unit_for_block(self, block_idx: int) -> int | None:
        """The action unit that a message belongs to, None where there is no such message. O(log units)."""
        cached = self._cache.units
        # As `_cached` does, whose call alone takes as long as the rest: this is asked a million times.
        if (
            cached is None
            or cached.messages is not (messages := self.messages)
            or cached.explicit is not self.units
            or cached.length != len(messages)
        ):
            cached = self._cached()
        return bisect_right(cached.starts, block_idx) - 1 if 0 <= block_idx < cached.length else None

    def to_str(
        self, transcript_idx: int = 0, agent_run_idx: int | None = None, highlight_action_unit: int | None = None
    ) -> str:
        """The whole transcript as text, as `to_str_with_token_limit` writes it, without a limit."""
        from .text import transcript_to_str

        return transcript_to_str(self, transcript_idx, agent_run_idx, highlight_action_unit)

    def to_str_with_token_limit(
        self,
        token_limit: int,
        transcript_idx: int = 0,
        agent_run_idx: int | None = None,
        highlight_action_unit: int | None = None,
    ) -> list[str]:
        """The transcript as strings of at most `token_limit` GPT-4 tokens (cl100k_base); see `models.text`.

        Raises IndexError for an action unit out of range and ValueError for a limit below the minimum.
        """
        from .text import transcript_to_str_with_token_limit

        return transcript_to_str_with_token_limit(
            self, token_limit, transcript_idx, agent_run_idx, highlight_action_unit
        )
