"""Messages of the reading model: Docent's, and what the other sources need on top of it.

Shapes follow Docent's `ChatMessage`; `name`, `recipient`, `timestamp`, `reward` and `usage` are ours, optional,
and written only when they are set, so that Docent reads what we write. For the same reason a part that Docent has no
type for (an image, say) is written as a text that names it, with the part itself beside the text.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic_core.core_schema import SerializerFunctionWrapHandler

__all__ = [
    "AssistantMessage", "AudioPart", "ChatMessage", "ContentPart", "ImagePart", "MessageBase", "Metadata", "OtherPart",
    "ReasoningPart", "SystemMessage", "TextPart", "ToolCall", "ToolCallView", "ToolMessage", "UserMessage",
    "VideoPart",
]  # fmt: skip


def _metadata_or_raise(value: object) -> dict[str, Any]:
    """Docent's rule: metadata is a dict (null counts as empty), anything else is refused by the name of its type."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"metadata must be a dict, not {type(value).__name__}")
    return value


Metadata = Annotated[dict[str, Any], BeforeValidator(_metadata_or_raise)]
"""What is known of a run, a transcript, a group or a message beside its fields."""


class _OptionalExtras(BaseModel):
    """Leaves out of what it writes the fields of ours that hold nothing."""

    @model_serializer(mode="wrap")
    def _drop_unset(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return self._drop_unset_of(handler(self))

    def _drop_unset_of(self, data: dict[str, Any]) -> dict[str, Any]:
        for name in type(self)._unset_names():
            if data.get(name) is None:
                data.pop(name, None)
        return data

    @classmethod
    def _unset_names(cls) -> frozenset[str]:
        return frozenset()


class TextPart(_OptionalExtras):
    """A piece of text. `temporal` marks text that TaskWeaver showed to the model in one round only."""

    model_config = ConfigDict(extra="allow")

    type: Literal["text"] = "text"
    text: str
    refusal: bool | None = None
    temporal: bool | None = None

    @classmethod
    def _unset_names(cls) -> frozenset[str]:
        return frozenset({"temporal"})


class ReasoningPart(_OptionalExtras):
    """What the model thought before it spoke. `redacted` reasoning holds no readable text, but may have a `summary`.

    Docent refuses a `redacted` that is null, so one that is not known is not written.
    """

    model_config = ConfigDict(extra="allow")

    type: Literal["reasoning"] = "reasoning"
    reasoning: str
    signature: str | None = None
    redacted: bool | None = None
    summary: str | None = None

    @property
    def readable(self) -> str:
        """What a person can read of it. Docent's rule: the summary, where the reasoning is redacted and has one."""
        return self.summary if self.redacted and self.summary else self.reasoning

    @classmethod
    def _unset_names(cls) -> frozenset[str]:
        return frozenset({"redacted", "summary"})


class ImagePart(_OptionalExtras):
    """An image: `image` is a path, a URL or a data URL; `annotations` are ADP's boxes."""

    model_config = ConfigDict(extra="allow")

    type: Literal["image"] = "image"
    image: str = ""
    annotations: list[dict[str, Any]] | None = None

    @classmethod
    def _unset_names(cls) -> frozenset[str]:
        return frozenset({"annotations"})


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


class ToolCall(_OptionalExtras):
    """A call of `function` with `arguments`; `language` is set where the argument `code` is code in that language."""

    model_config = ConfigDict(extra="allow")

    id: str = ""
    function: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    type: Literal["function"] | None = None
    parse_error: str | None = None
    view: ToolCallView | None = None
    language: str | None = None

    @classmethod
    def _unset_names(cls) -> frozenset[str]:
        return frozenset({"language"})


_IN_DOCENT = frozenset({"text", "reasoning"})
"""The types of part that Docent has; it refuses a message with another."""
_STANDS_FOR = "stands_for"
"""The key of a text part under which we write the part that it stands for. Docent ignores it."""
_LONGEST_NAME = 200
"""Characters of a path or URL in the text that stands for a part; a data URL holds the whole file."""


def _as_docent_part(part: dict[str, Any]) -> dict[str, Any]:
    """A part, dumped, in a form that Docent reads."""
    kind = str(part.get("type"))
    if kind in _IN_DOCENT:
        return part
    target = part.get(kind)
    name = f": {target[:_LONGEST_NAME]}" if isinstance(target, str) and target else ""
    return {"type": "text", "text": f"[{kind}{name}]", _STANDS_FOR: part}


def _as_it_was(part: object) -> object:
    """The part that a text part stands for; any other as it is."""
    if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get(_STANDS_FOR), dict):
        return part[_STANDS_FOR]
    return part


class MessageBase(_OptionalExtras):
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
        metadata = _metadata_or_raise(data.get("metadata"))
        known = {key: value for key, value in data.items() if key not in unknown}
        known["metadata"] = {**{key: data[key] for key in data if key in unknown}, **metadata}
        return known

    @field_validator("content", mode="before")
    @classmethod
    def _content_as_it_was(cls, value: object) -> object:
        if isinstance(value, list):
            return [_as_it_was(part) for part in value]
        return "" if value is None else value

    @model_serializer(mode="wrap")
    def _drop_unset(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data = self._drop_unset_of(handler(self))
        content = data.get("content")
        if isinstance(content, list):
            data["content"] = [_as_docent_part(part) for part in content]
        return data

    @property
    def text(self) -> str:
        """The text parts, joined by a newline (Docent's rule)."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content if isinstance(part, TextPart))

    @property
    def parts(self) -> list[TextPart | ReasoningPart | ImagePart | AudioPart | VideoPart | OtherPart]:
        """The content as parts; a plain string is one text part, an empty one none."""
        if isinstance(self.content, str):
            return [TextPart(text=self.content)] if self.content else []
        return list(self.content)

    @property
    def reasoning(self) -> list[str]:
        """What can be read of every reasoning part, in order."""
        if isinstance(self.content, str):
            return []
        return [part.readable for part in self.content if isinstance(part, ReasoningPart)]

    @classmethod
    def _unset_names(cls) -> frozenset[str]:
        return frozenset({"name", "recipient", "timestamp", "reward", "usage"})


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
