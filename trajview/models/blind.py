"""A run as an annotator sees it who is not to know what a model was called, earned, or was told about itself.

Hidden are the rewards, of the run and of its messages, the evaluator's reasoning, the names of models, and what the
metadata says of any of these: under whatever key, where a value has the name of one of the models in it, as tags of
experiments do. What is in the conversation itself stays: a text that was cut would be another text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from .messages import AssistantMessage, ChatMessage
from .on_demand import OnDemand
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

_SHORTEST, _LONGEST, _MOST = 3, 200, 50
"""Characters that the name of a model has, and how many of them are looked for elsewhere."""


def tells(key: str) -> bool:
    """Whether a key of metadata may tell what a model was, or how it was rated. Rather one too many than one too few."""
    return _TELLS.search(key) is not None


def blinded(run: AgentRun) -> AgentRun:
    """The same run without these; `run` stays as it is, and texts are not copied."""
    names = _names(run)
    return run.model_copy(
        update={
            "rewards": None,
            "reasoning": None,
            # Without rewards, nothing else would say how many agents there are.
            "agents": run.agents or (run.agent_names if run.rewards else None),
            "metadata": _without(run.metadata, names),
            "transcripts": [_transcript(transcript, names) for transcript in run.transcripts],
        }
    )


def _names(run: AgentRun) -> re.Pattern[str] | None:
    """What finds the names of the models that the metadata names; None where there is none."""
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
    messages = transcript.messages
    blind = (
        [_message(message, names) for message in messages]
        if isinstance(messages, list)
        # Messages that are built when they are looked at stay so.
        else cast("list[ChatMessage]", _BlindMessages(messages, names))
    )
    return transcript.model_copy(update={"messages": blind, "metadata": _without(transcript.metadata, names)})


def _message(message: ChatMessage, names: re.Pattern[str] | None) -> ChatMessage:
    update: dict[str, Any] = {}
    if message.reward is not None:
        update["reward"] = None
    if message.metadata:
        metadata = _without(message.metadata, names)
        if metadata != message.metadata:
            update["metadata"] = metadata
    if isinstance(message, AssistantMessage) and message.model is not None:
        update["model"] = None
    return message.model_copy(update=update) if update else message


def _without(value: Any, names: re.Pattern[str] | None) -> Any:
    """Metadata with what tells hidden, at any depth."""
    if isinstance(value, dict):
        return {key: HIDDEN if tells(str(key)) else _without(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [_without(item, names) for item in value]
    if names is not None and isinstance(value, str) and names.search(value):
        return HIDDEN
    return value


class _BlindMessages(OnDemand[ChatMessage]):
    """Messages that are blinded one by one as they are looked at; all else is what the messages behind them know."""

    def __init__(self, messages: Sequence[ChatMessage], names: re.Pattern[str] | None) -> None:
        self._messages, self._names = messages, names

    def __len__(self) -> int:
        return len(self._messages)

    def _item(self, index: int) -> ChatMessage:
        return _message(self._messages[index], self._names)

    def __iter__(self) -> Iterator[ChatMessage]:
        return (_message(message, self._names) for message in self._messages)

    def models(self) -> dict[str, None]:
        """No model is named."""
        return {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_messages" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self._messages, name)
