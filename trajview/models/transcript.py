"""Transcripts, and Docent's rule for their action units."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any
from uuid import uuid4

from msgspec import Struct, field

from .brief import brief, counted, quoted
from .messages import ChatMessage
from .units import count_units, unit_starts

__all__ = ["Transcript", "TranscriptGroup", "checked_metadata", "count_units", "new_id", "transcript_of", "unit_starts"]

_ROLE = attrgetter("role")


def checked_metadata(value: Any) -> dict[str, Any]:
    """Check metadata by Docent's rule: a dict (null counts as empty). Else raises ValueError, which names the type."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"metadata must be a dict, not {type(value).__name__}")
    return value


def new_id() -> str:
    """Make a unique id."""
    return str(uuid4())


class TranscriptGroup(Struct, kw_only=True):
    """A named group of transcripts of one run; groups nest by `parent_transcript_group_id`.

    A transcript is in it whose `transcript_group_id` is the group's `id`. Raises ValueError where `metadata` is no dict.

    >>> from trajview import TranscriptGroup
    >>> TranscriptGroup(id="g1", name="sub-agents").plain()["parent_transcript_group_id"] is None
    True
    """

    id: str = field(default_factory=new_id)
    name: str | None = None
    description: str | None = None
    collection_id: str | None = None
    agent_run_id: str | None = None
    parent_transcript_group_id: str | None = None
    created_at: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.metadata = checked_metadata(self.metadata)

    def plain(self) -> dict[str, Any]:
        """The group as Docent writes it in JSON."""
        found = {name: getattr(self, name) for name in self.__struct_fields__}
        if self.collection_id is None:
            del found["collection_id"]
        return found

    def __repr__(self) -> str:
        return brief(type(self), f"id={quoted(self.id)}", f"name={quoted(self.name)}" if self.name else "")


class _Units(Struct):
    """Action units, with their sources: a list that is replaced or has grown makes them stale."""

    messages: list[ChatMessage]
    explicit: list[list[int]] | None
    length: int
    starts: list[int]
    members: list[list[int]] | None = None
    """The messages of each unit, made on demand: readers of starts alone need none."""


def _members(starts: list[int], count: int) -> list[list[int]]:
    ends = [*starts[1:], count] if starts else []
    return [list(range(start, end)) for start, end in zip(starts, ends, strict=True)]


class _UnitCache:
    """The action units of a transcript, once someone asked."""

    units: _Units | None = None


class Transcript(Struct, kw_only=True, dict=True):
    """A conversation: messages in order, grouped into action units.

    `units` is set when the source itself says where its units start (an episode's turns): a list of lists of message
    indices, ascending and contiguous. Otherwise Docent's rule decides. Messages and units count from 0. Raises ValueError
    where `metadata` is no dict.

    >>> from trajview import open_corpus
    >>> corpus = open_corpus("sample_data/adp")
    >>> transcript = corpus.load(corpus["kitchen/who_drinks_the_coffee"]).transcripts[0]
    >>> transcript
    Transcript(id='kitchen/who_drinks_the_coffee', 10 messages, 5 action units)
    >>> transcript.units_of_action
    [[0, 1, 2], [3, 4], [5, 6], [7, 8], [9]]
    >>> transcript.messages[1]
    AssistantMessage('', reasoning, calls bash)
    """

    id: str = field(default_factory=new_id)
    name: str | None = None
    description: str | None = None
    transcript_group_id: str | None = None
    created_at: str | None = None
    messages: list[ChatMessage] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    units: list[list[int]] | None = None

    def __post_init__(self) -> None:
        self.metadata = checked_metadata(self.metadata)

    @classmethod
    def from_docent(cls, data: Any) -> Transcript:
        """A transcript of Docent's JSON, decoded. Raises pydantic's ValidationError, a ValueError, where Docent would refuse it.

        >>> from trajview import Transcript
        >>> transcript = Transcript.from_docent({"messages": [{"role": "user", "content": "Hello"}]})
        >>> transcript.messages
        [UserMessage('Hello')]
        >>> Transcript.from_docent(transcript.to_docent()) == transcript
        True
        """
        from .docent import Transcript as Model

        return transcript_of(Model.model_validate(data))

    def to_docent(self) -> dict[str, Any]:
        """The transcript as Docent writes it in JSON; `units` where the source named them."""
        found = {name: getattr(self, name) for name in self.__struct_fields__ if name != "units"}
        found["messages"] = [message.plain() for message in self.messages]
        return found if self.units is None else {**found, "units": self.units}

    def set_messages(self, messages: Sequence[ChatMessage]) -> None:
        """Replace the messages; the action units are computed anew by Docent's rule."""
        self.messages = list(messages)
        self.units = None

    def __repr__(self) -> str:
        return brief(
            type(self),
            f"id={quoted(self.id)}",
            f"name={quoted(self.name)}" if self.name else "",
            counted(len(self.messages), "message"),
            counted(len(self.unit_starts), "action unit"),
        )

    def _repr_html_(self) -> str:
        from trajview.export.notebook import transcript_in_notebook

        return transcript_in_notebook(self)

    @cached_property
    def _cache(self) -> _UnitCache:
        # Not a field: the cache makes no difference between transcripts, and a copy has its own.
        return _UnitCache()

    @property
    def unit_starts(self) -> list[int]:
        """The index of the first message of each action unit, ascending, from 0."""
        return self._cached().starts

    @property
    def units_of_action(self) -> list[list[int]]:
        """The message indices of each action unit: a list of lists, both from 0."""
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
                starts = unit_starts(map(_ROLE, messages))
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
        """The transcript as strings of at most `token_limit` GPT-4 tokens (cl100k_base), in Docent's layout.

        Messages are labelled by `transcript_idx` and their own number (`T0B12`), and by `agent_run_idx` too where it is
        given. `highlight_action_unit` is marked: it is a unit's number, from 0.

        Raises IndexError for an action unit out of range and ValueError for a limit below the minimum.

        >>> from trajview import count_tokens, open_corpus
        >>> transcript = next(open_corpus("sample_data/docent/coding_run.json").runs()).transcripts[0]
        >>> texts = transcript.to_str_with_token_limit(4000, highlight_action_unit=4)
        >>> len(texts) > 1, all(count_tokens(text) <= 4000 for text in texts)
        (True, True)
        """
        from .text import transcript_to_str_with_token_limit

        return transcript_to_str_with_token_limit(
            self, token_limit, transcript_idx, agent_run_idx, highlight_action_unit
        )


def transcript_of(model: Any) -> Transcript:
    """Make a transcript from a validated pydantic model."""
    from .docent import plain_message
    from .messages import message_from

    fields = dict(model)
    fields["messages"] = [message_from(plain_message(message)) for message in model.messages]
    return Transcript(**fields)
