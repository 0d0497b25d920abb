"""Blind mode: a run without the names of models, the rewards, and the evaluator's reasoning.

Hidden are the rewards, of the run and of its messages, the evaluator's reasoning, the names of models, and what the
metadata says of any of these: under whatever key, where a value has the name of one of the models in it, as tags of
experiments do. What is in the conversation itself stays: a text that was cut would be another text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from .messages import AssistantMessage, ChatMessage, Measured, MessageSource, Said
from .run import AgentRun
from .transcript import Transcript

__all__ = ["HIDDEN", "blinded", "tells"]

HIDDEN = "hidden"
"""Stands in the metadata for a hidden value."""

_TELLS = re.compile(
    r"model|reward|score|rating|grade|judge|judg(?:e)?ment|eval|verdict|correct|resolved|success|passed|outcome|annotat"
    r"|label|feedback|comment|critique|preference|winner|rank|accuracy|metric|provider|engine|llm|checkpoint|adapter",
    re.IGNORECASE,
)

_SHORTEST, _LONGEST, _MOST = 3, 200, 50
"""Characters that the name of a model has, and how many of them are looked for elsewhere."""


def tells(key: str) -> bool:
    """Whether a key of metadata may tell a model's name or rating; in doubt it may."""
    return _TELLS.search(key) is not None


def blinded(run: AgentRun) -> AgentRun:
    """A blinded copy of a run; `run` stays as it is, and texts are not copied."""
    names = _names(run)
    return replace(
        run,
        rewards=None,
        reasoning=None,
        # Without rewards, nothing else would tell the number of agents.
        agents=run.agents or (run.agent_names if run.rewards else None),
        metadata=_without(run.metadata, names),
        transcripts=[_transcript(transcript, names) for transcript in run.transcripts],
    )


def _names(run: AgentRun) -> re.Pattern[str] | None:
    """A pattern for the names of models in the metadata; None where there are none."""
    found: set[str] = set()

    def gather(value: Any, told: bool) -> None:
        if isinstance(value, dict):
            for key, item in value.items():
                gather(item, told or "model" in str(key).lower())
        elif isinstance(value, list):
            for item in value:
                gather(item, told)
        elif told and isinstance(value, str) and _SHORTEST <= len(value) <= _LONGEST:
            found.add(value)

    for metadata in (run.metadata, *(transcript.metadata for transcript in run.transcripts)):
        gather(metadata, False)
    ordered = sorted(found)[:_MOST]
    return re.compile("|".join(map(re.escape, ordered)), re.IGNORECASE) if ordered else None


def _transcript(transcript: Transcript, names: re.Pattern[str] | None) -> Transcript:
    source = _BlindSource(transcript.messages, names)
    messages = source.messages(message.role for message in transcript.messages)
    return replace(transcript, messages=messages, metadata=_without(transcript.metadata, names))


class _BlindSource(MessageSource):
    """Messages that are blinded one by one as they are looked at."""

    def __init__(self, messages: Sequence[ChatMessage], names: re.Pattern[str] | None) -> None:
        super().__init__()
        self._messages, self._names = messages, names

    def read(self, at: int) -> ChatMessage:
        message, changes = self._messages[at], dict[str, Any]()
        if message.metadata:
            changes["metadata"] = _without(message.metadata, self._names)
        if message.reward is not None:
            changes["reward"] = None
        if isinstance(message, AssistantMessage) and message.model is not None:
            changes["model"] = None
        return message.replaced(**changes)

    def logged(self, at: int) -> bytes | memoryview | None:
        return self._messages[at].logged

    def size(self, at: int) -> Measured:
        return self._messages[at].size

    def said(self, at: int) -> list[Said]:
        return self._messages[at].said()

    def texts(self, at: int) -> list[str]:
        return self._messages[at].texts()


def _without(value: Any, names: re.Pattern[str] | None) -> Any:
    """Metadata with telling values hidden, at any depth."""
    if isinstance(value, dict):
        return {key: HIDDEN if tells(str(key)) else _without(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [_without(item, names) for item in value]
    if names is not None and isinstance(value, str) and names.search(value):
        return HIDDEN
    return value
