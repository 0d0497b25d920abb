"""Docent's models as pydantic's, for those who want to validate what they have: they say what Docent would refuse, and where.

The reading model (`messages`, `transcript`, `run`) has the same fields; `AgentRun.from_docent` validates by these.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal
from uuid import uuid4

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    TypeAdapter,
    field_validator,
    model_validator,
)

from .transcript import checked_metadata

__all__ = [
    "AgentRun", "AssistantMessage", "AudioPart", "ChatMessage", "ContentPart", "ImagePart", "MessageBase", "Metadata", "OtherPart",
    "ReasoningPart", "SystemMessage", "TextPart", "ToolCall", "ToolCallView", "ToolMessage", "Transcript", "TranscriptGroup",
    "UserMessage", "VideoPart", "message_adapter", "plain_message",
]  # fmt: skip


Metadata = Annotated[dict[str, Any], BeforeValidator(checked_metadata)]
"""What is known of a run, a transcript, a group or a message beside its fields."""


class TextPart(BaseModel):
    """A piece of text. `temporal` marks text that TaskWeaver showed to the model in one round only."""

    model_config = ConfigDict(extra="allow")

    type: Literal["text"] = "text"
    text: str
    refusal: bool | None = None
    temporal: bool | None = None


class ReasoningPart(BaseModel):
    """What the model thought before it spoke. `redacted` reasoning holds no readable text, but may have a `summary`.

    Docent refuses a `redacted` that is null, so one that is not known is not written.
    """

    model_config = ConfigDict(extra="allow")

    type: Literal["reasoning"] = "reasoning"
    reasoning: str
    signature: str | None = None
    redacted: bool | None = None
    summary: str | None = None


class ImagePart(BaseModel):
    """An image: `image` is a path, a URL or a data URL; `annotations` are ADP's boxes."""

    model_config = ConfigDict(extra="allow")

    type: Literal["image"] = "image"
    image: str = ""
    annotations: list[dict[str, Any]] | None = None


class AudioPart(BaseModel):
    """A sound: `audio` is a path, a URL or a data URL."""

    model_config = ConfigDict(extra="allow")

    type: Literal["audio"] = "audio"
    audio: str = ""


class VideoPart(BaseModel):
    """A video: `video` is a path, a URL or a data URL."""

    model_config = ConfigDict(extra="allow")

    type: Literal["video"] = "video"
    video: str = ""


class OtherPart(BaseModel):
    """A part of a type that we do not know, kept as it came."""

    model_config = ConfigDict(extra="allow")

    type: str = "unknown"


_PART_TYPES = frozenset({"text", "reasoning", "image", "audio", "video"})


def _part_tag(value: object) -> str:
    kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    return kind if isinstance(kind, str) and kind in _PART_TYPES else "other"


ContentPart = Annotated[
    Annotated[TextPart, Tag("text")]
    | Annotated[ReasoningPart, Tag("reasoning")]
    | Annotated[ImagePart, Tag("image")]
    | Annotated[AudioPart, Tag("audio")]
    | Annotated[VideoPart, Tag("video")]
    | Annotated[OtherPart, Tag("other")],
    Discriminator(_part_tag),
]


class ToolCallView(BaseModel):
    """How a tool call wants to be shown (Docent's `ToolCallContent`)."""

    model_config = ConfigDict(extra="allow")

    title: str | None = None
    format: Literal["text", "markdown"] = "text"
    content: str = ""


class ToolCall(BaseModel):
    """A call of `function` with `arguments`; `language` is set where the argument `code` is code in that language."""

    model_config = ConfigDict(extra="allow")

    id: str = ""
    function: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    type: Literal["function"] | None = None
    parse_error: str | None = None
    view: ToolCallView | None = None
    language: str | None = None


_STANDS_FOR = "stands_for"
"""The key of a text part under which we write the part that it stands for. Docent ignores it."""


def _as_it_was(part: object) -> object:
    """The part that a text part stands for; any other as it is."""
    if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get(_STANDS_FOR), dict):
        return part[_STANDS_FOR]
    return part


class MessageBase(BaseModel):
    """What every message has. Keys that no field knows are moved to `metadata`."""

    id: str | None = None
    content: str | list[ContentPart] = ""
    role: str
    metadata: Metadata = Field(default_factory=dict)
    name: str | None = None
    recipient: str | None = None
    timestamp: str | None = None
    reward: float | None = None
    usage: dict[str, Any] | None = None

    @model_validator(mode="before")
    @classmethod
    def _unknown_keys_to_metadata(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        unknown = data.keys() - cls.model_fields.keys()
        if not unknown:
            return data
        metadata = checked_metadata(data.get("metadata"))
        known = {key: value for key, value in data.items() if key not in unknown}
        known["metadata"] = {**{key: data[key] for key in data if key in unknown}, **metadata}
        return known

    @field_validator("content", mode="before")
    @classmethod
    def _content_as_it_was(cls, value: object) -> object:
        if isinstance(value, list):
            return [_as_it_was(part) for part in value]
        return "" if value is None else value


class SystemMessage(MessageBase):
    """What the model is told before anybody speaks."""

    role: Literal["system"] = "system"


class UserMessage(MessageBase):
    """What a person says; `tool_call_id` where it answers calls, as Docent has it."""

    role: Literal["user"] = "user"
    tool_call_id: list[str] | None = None

    @field_validator("tool_call_id", mode="before")
    @classmethod
    def _one_id_is_a_list(cls, value: object) -> object:
        return [value] if isinstance(value, str) else value


class AssistantMessage(MessageBase):
    """What a model says and calls; `citations` and `suggested_messages` are Docent's."""

    role: Literal["assistant"] = "assistant"
    model: str | None = None
    tool_calls: list[ToolCall] | None = None
    citations: list[Any] | None = None
    suggested_messages: list[Any] | None = None


class ToolMessage(MessageBase):
    """What a tool answered. `error` is set when the source says that the call failed."""

    role: Literal["tool"] = "tool"
    tool_call_id: str | None = None
    function: str | None = None
    error: dict[str, Any] | None = None

    @field_validator("error", mode="before")
    @classmethod
    def _error_text_is_a_dict(cls, value: object) -> object:
        return {"message": value} if isinstance(value, str) else value


ChatMessage = Annotated[SystemMessage | UserMessage | AssistantMessage | ToolMessage, Discriminator("role")]


class TranscriptGroup(BaseModel):
    """A named group of transcripts of one run; groups nest by `parent_transcript_group_id`."""

    id: str = Field(default_factory=lambda: str(uuid4()))
    name: str | None = None
    description: str | None = None
    collection_id: str | None = None
    agent_run_id: str | None = None
    parent_transcript_group_id: str | None = None
    created_at: str | None = None
    metadata: Metadata = Field(default_factory=dict)


class Transcript(BaseModel):
    """A conversation: messages in order. `units` is ours: the messages of each action unit, where the source says so."""

    id: str = Field(default_factory=lambda: str(uuid4()))
    name: str | None = None
    description: str | None = None
    transcript_group_id: str | None = None
    created_at: str | None = None
    messages: list[ChatMessage] = Field(default_factory=list)
    metadata: Metadata = Field(default_factory=dict)
    units: list[list[int]] | None = None


class AgentRun(BaseModel):
    """One run: at least one transcript. An old form of Docent's gives `transcripts` as a dict by name."""

    id: str = Field(default_factory=lambda: str(uuid4()))
    name: str | None = None
    description: str | None = None
    transcripts: list[Transcript]
    transcript_groups: list[TranscriptGroup] = Field(default_factory=list)
    metadata: Metadata = Field(default_factory=dict)
    agents: list[str] | None = None
    rewards: list[float | tuple[float, dict[str, float]]] | None = None
    reasoning: str | None = None
    source_format: str | None = None

    @field_validator("transcripts", "transcript_groups", mode="before")
    @classmethod
    def _dict_counts_by_its_values(cls, value: object) -> object:
        if value is None:
            return []
        return list(value.values()) if isinstance(value, dict) else value

    @field_validator("transcripts")
    @classmethod
    def _at_least_one_transcript(cls, value: list[Transcript]) -> list[Transcript]:
        if not value:
            raise ValueError("an agent run needs at least one transcript")
        return value


@cache
def message_adapter() -> TypeAdapter[ChatMessage]:
    """What validates messages by their role."""
    return TypeAdapter(ChatMessage)


def plain_message(message: ChatMessage) -> dict[str, Any]:
    """A validated message as plain data, for `messages.message_from`."""
    found = dict(message)
    if isinstance(message.content, list):
        found["content"] = [dict(part) for part in message.content]
    if isinstance(message, AssistantMessage) and message.tool_calls is not None:
        calls = [dict(call) for call in message.tool_calls]
        found["tool_calls"] = [call if call["view"] is None else {**call, "view": dict(call["view"])} for call in calls]
    return found
