"""trajview: read the logs of AI agents in a terminal, and score them by hand.

The public API is imported on first use, so that `import trajview` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_WHERE = {
    "AgentProfile": "models.sotopia",
    "AgentRun": "models.run",
    "AnnotationForEpisode": "models.sotopia",
    "AssistantMessage": "models.messages",
    "Attachment": "models.taskweaver",
    "ChatMessage": "models.messages",
    "Conversation": "models.taskweaver",
    "Corpus": "corpus.corpus",
    "EpisodeLog": "models.sotopia",
    "ImagePart": "models.messages",
    "Post": "models.taskweaver",
    "ReasoningPart": "models.messages",
    "Round": "models.taskweaver",
    "RunInfo": "corpus.info",
    "SystemMessage": "models.messages",
    "TextPart": "models.messages",
    "ToolCall": "models.messages",
    "ToolMessage": "models.messages",
    "Trajectory": "models.adp",
    "TrajviewError": "errors",
    "Transcript": "models.transcript",
    "TranscriptGroup": "models.transcript",
    "UserMessage": "models.messages",
    "count_tokens": "models.tokens",
    "open_corpus": "corpus.corpus",
}

__all__ = [*sorted(_WHERE), "__version__"]

if TYPE_CHECKING:
    from .corpus.corpus import Corpus, open_corpus
    from .corpus.info import RunInfo
    from .errors import TrajviewError
    from .models.adp import Trajectory
    from .models.messages import (
        AssistantMessage,
        ChatMessage,
        ImagePart,
        ReasoningPart,
        SystemMessage,
        TextPart,
        ToolCall,
        ToolMessage,
        UserMessage,
    )
    from .models.run import AgentRun
    from .models.sotopia import AgentProfile, AnnotationForEpisode, EpisodeLog
    from .models.taskweaver import Attachment, Conversation, Post, Round
    from .models.tokens import count_tokens
    from .models.transcript import Transcript, TranscriptGroup


def __getattr__(name: str) -> Any:
    where = _WHERE.get(name)
    if where is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{where}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
