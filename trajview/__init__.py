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
    "Dimension": "annotation.rubric",
    "EpisodeLog": "models.sotopia",
    "Hit": "corpus.matches",
    "ImagePart": "models.messages",
    "Post": "models.taskweaver",
    "ReasoningPart": "models.messages",
    "Round": "models.taskweaver",
    "Rubric": "annotation.rubric",
    "RunInfo": "corpus.info",
    "RunMatches": "corpus.searcher",
    "Store": "annotation.scoring",
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

if TYPE_CHECKING:  # `as` itself marks a name as public
    from .annotation.rubric import Dimension as Dimension
    from .annotation.rubric import Rubric as Rubric
    from .annotation.scoring import Store as Store
    from .corpus.corpus import Corpus as Corpus
    from .corpus.corpus import open_corpus as open_corpus
    from .corpus.info import RunInfo as RunInfo
    from .corpus.matches import Hit as Hit
    from .corpus.searcher import RunMatches as RunMatches
    from .errors import TrajviewError as TrajviewError
    from .models.adp import Trajectory as Trajectory
    from .models.messages import AssistantMessage as AssistantMessage
    from .models.messages import ChatMessage as ChatMessage
    from .models.messages import ImagePart as ImagePart
    from .models.messages import ReasoningPart as ReasoningPart
    from .models.messages import SystemMessage as SystemMessage
    from .models.messages import TextPart as TextPart
    from .models.messages import ToolCall as ToolCall
    from .models.messages import ToolMessage as ToolMessage
    from .models.messages import UserMessage as UserMessage
    from .models.run import AgentRun as AgentRun
    from .models.sotopia import AgentProfile as AgentProfile
    from .models.sotopia import AnnotationForEpisode as AnnotationForEpisode
    from .models.sotopia import EpisodeLog as EpisodeLog
    from .models.taskweaver import Attachment as Attachment
    from .models.taskweaver import Conversation as Conversation
    from .models.taskweaver import Post as Post
    from .models.taskweaver import Round as Round
    from .models.tokens import count_tokens as count_tokens
    from .models.transcript import Transcript as Transcript
    from .models.transcript import TranscriptGroup as TranscriptGroup


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
