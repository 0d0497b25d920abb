"""A run as an annotator sees it who is not to know what a model was called, earned, or was told about itself.

Hidden are the rewards, of the run and of its messages, the evaluator's reasoning, the names of models, and what the
metadata says of any of these. What is in the conversation itself stays: a text that was cut would be another text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, cast, overload

from .messages import AssistantMessage, ChatMessage
from .run import AgentRun
from .transcript import Transcript

__all__ = ["HIDDEN", "blinded", "tells"]

HIDDEN = "hidden"
"""Stands in the metadata where a value is hidden."""

_TELLS = re.compile(
    r"model|reward|score|rating|grade|judge|judg(?:e)?ment|eval|verdict|correct|resolved|success|passed|outcome|annotat"
    r"|label|feedback|comment|critique|preference|winner|rank|accuracy|metric|provider|engine|llm|checkpoint|adapter",
    re.IGNORECASE,
)


def tells(key: str) -> bool:
    """Whether a key of metadata may tell what a model was, or how it was rated. Rather one too many than one too few."""
    return _TELLS.search(key) is not None


def blinded(run: AgentRun) -> AgentRun:
    """The same run without these; `run` stays as it is, and texts are not copied."""
    return run.model_copy(
        update={
            "rewards": None,
            "reasoning": None,
            # Without rewards, nothing else would say how many agents there are.
            "agents": run.agents or (run.agent_names if run.rewards else None),
            "metadata": _without(run.metadata),
            "transcripts": [_transcript(transcript) for transcript in run.transcripts],
        }
    )


def _transcript(transcript: Transcript) -> Transcript:
    messages = transcript.messages
    blind = (
        [_message(message) for message in messages]
        if isinstance(messages, list)
        # Messages that are built when they are looked at stay so.
        else cast("list[ChatMessage]", _BlindMessages(messages))
    )
    return transcript.model_copy(update={"messages": blind, "metadata": _without(transcript.metadata)})


def _message(message: ChatMessage) -> ChatMessage:
    update: dict[str, Any] = {}
    if message.reward is not None:
        update["reward"] = None
    if message.metadata:
        metadata = _without(message.metadata)
        if metadata != message.metadata:
            update["metadata"] = metadata
    if isinstance(message, AssistantMessage) and message.model is not None:
        update["model"] = None
    return message.model_copy(update=update) if update else message


def _without(value: Any) -> Any:
    """Metadata with what tells hidden, at any depth."""
    if isinstance(value, dict):
        return {key: HIDDEN if tells(str(key)) else _without(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without(item) for item in value]
    return value


class _BlindMessages(Sequence[ChatMessage]):
    """Messages that are blinded one by one as they are looked at; all else is what the messages behind them know."""

    def __init__(self, messages: Sequence[ChatMessage]) -> None:
        self._messages = messages

    def __len__(self) -> int:
        return len(self._messages)

    @overload
    def __getitem__(self, index: int) -> ChatMessage: ...
    @overload
    def __getitem__(self, index: slice) -> list[ChatMessage]: ...
    def __getitem__(self, index: int | slice) -> ChatMessage | list[ChatMessage]:
        if isinstance(index, slice):
            return [_message(message) for message in self._messages[index]]
        return _message(self._messages[index])

    def __iter__(self) -> Iterator[ChatMessage]:
        return map(_message, self._messages)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_messages" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self._messages, name)
