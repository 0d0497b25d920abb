"""A run that reports each message when it is looked at: for the progress of an export, and for stopping it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import cast, overload

from msgspec.structs import replace

from trajview.models.messages import ChatMessage
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript

__all__ = ["Stopped", "watched"]

Step = Callable[[int], None]


class Stopped(Exception):
    """Raised by a step where nobody wants the export any more."""


def watched(run: AgentRun, step: Step) -> AgentRun:
    """Wrap a run so that `step` is called with the number of each message, from 0, before it is looked at.

    An export goes through them several times. What `step` raises ends it.
    """
    return replace(run, transcripts=[_watched(transcript, step) for transcript in run.transcripts])


def _watched(transcript: Transcript, step: Step) -> Transcript:
    messages = cast("list[ChatMessage]", _Messages(transcript.messages, step))
    return replace(transcript, messages=messages)


class _Messages(Sequence[ChatMessage]):
    """Messages that report when they are looked at."""

    def __init__(self, messages: Sequence[ChatMessage], step: Step) -> None:
        self._messages = messages
        self._step = step

    def __len__(self) -> int:
        return len(self._messages)

    @overload
    def __getitem__(self, index: int) -> ChatMessage: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ChatMessage]: ...
    def __getitem__(self, index: int | slice) -> ChatMessage | Sequence[ChatMessage]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        self._step(index)
        return self._messages[index]

    def __iter__(self) -> Iterator[ChatMessage]:
        for index, message in enumerate(self._messages):
            self._step(index)
            yield message
