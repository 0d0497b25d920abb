"""Docent's models in pydantic, for validating data: they report what Docent would refuse, and where.

The reading model (`messages`, `transcript`, `run`) has the same fields; `AgentRun.from_docent` validates by these.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Final, Literal, Union

from msgspec import NODEFAULT, Struct, structs
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    TypeAdapter,
    create_model,
    field_validator,
    model_validator,
)

from . import messages, run, transcript
from .transcript import checked_metadata

__all__ = ["AgentRun", "AssistantMessage", "ChatMessage", "MessageBase", "SystemMessage", "ToolMessage", "Transcript", "UserMessage", "message_adapter", "plain_message"]  # fmt: skip


Metadata = Annotated[dict[str, Any], BeforeValidator(checked_metadata)]
"""The metadata of a run, a transcript, a group or a message."""


def _model_of(record: type[Struct], base: type[BaseModel] = BaseModel, **types: Any) -> Any:
    """A model with the fields of a typed record; `types` has those of fields that are models themselves.

    Keys that no field knows are kept where the record has `extras` for them.
    """
    fields: dict[str, Any] = {}
    for each in structs.fields(record):
        default = ... if each.default is NODEFAULT else each.default
        if each.default_factory is not NODEFAULT:
            default = Field(default_factory=each.default_factory)
        fields[each.name] = types.get(each.name, each.type), default
    if fields.pop("extras", None) is None:
        return create_model(record.__name__, __base__=base, **fields)
    return create_model(record.__name__, __config__=ConfigDict(extra="allow"), **fields)


_PARTS: Final[dict[str, type[Struct]]] = {
    "text": messages.TextPart, "reasoning": messages.ReasoningPart, "image": messages.ImagePart, "audio": messages.AudioPart,
    "video": messages.VideoPart, "other": messages.OtherPart,
}  # fmt: skip


def _part_tag(value: object) -> str:
    kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    return kind if isinstance(kind, str) and kind in _PARTS else "other"


_parts: Final = tuple(Annotated[_model_of(record), Tag(tag)] for tag, record in _PARTS.items())
_ContentPart: Final[Any] = Annotated[Union[_parts], Discriminator(_part_tag)]  # noqa: UP007
_ToolCall: Final = _model_of(messages.ToolCall, view=_model_of(messages.ToolCallView) | None)


_STANDS_FOR = "stands_for"
"""The key of a text part for the part that it stands for. Docent ignores it."""


def _as_it_was(part: object) -> object:
    """The part that a text part stands for; any other as it is."""
    if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get(_STANDS_FOR), dict):
        return part[_STANDS_FOR]
    return part


class MessageBase(BaseModel):
    """The common fields of messages. Keys that no field knows are moved to `metadata`."""

    id: str | None = None
    content: str | list[_ContentPart] = ""
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
    """A message to the model before anybody speaks."""

    role: Literal["system"] = "system"


class UserMessage(MessageBase):
    """A message of a person; `tool_call_id` where it answers calls, as Docent has it."""

    role: Literal["user"] = "user"
    tool_call_id: list[str] | None = None

    @field_validator("tool_call_id", mode="before")
    @classmethod
    def _one_id_is_a_list(cls, value: object) -> object:
        return [value] if isinstance(value, str) else value


class AssistantMessage(MessageBase):
    """A message of a model with its calls; `citations` and `suggested_messages` are Docent's."""

    role: Literal["assistant"] = "assistant"
    model: str | None = None
    tool_calls: list[_ToolCall] | None = None  # type: ignore[valid-type]  # as above
    citations: list[Any] | None = None
    suggested_messages: list[Any] | None = None


class ToolMessage(MessageBase):
    """The answer of a tool. `error` is set when the source says that the call failed."""

    role: Literal["tool"] = "tool"
    tool_call_id: str | None = None
    function: str | None = None
    error: dict[str, Any] | None = None

    @field_validator("error", mode="before")
    @classmethod
    def _error_text_is_a_dict(cls, value: object) -> object:
        return {"message": value} if isinstance(value, str) else value


ChatMessage = Annotated[SystemMessage | UserMessage | AssistantMessage | ToolMessage, Discriminator("role")]


class _Run(BaseModel):
    """The checks of a run beside its fields. An old form of Docent's gives `transcripts` as a dict by name."""

    @field_validator("transcripts", "transcript_groups", mode="before", check_fields=False)
    @classmethod
    def _dict_counts_by_its_values(cls, value: object) -> object:
        if value is None:
            return []
        return list(value.values()) if isinstance(value, dict) else value

    @field_validator("transcripts", check_fields=False)
    @classmethod
    def _at_least_one_transcript(cls, value: list[Any]) -> list[Any]:
        if not value:
            raise ValueError("an agent run needs at least one transcript")
        return value


_TranscriptGroup: Final = _model_of(transcript.TranscriptGroup, metadata=Metadata)
Transcript: Final = _model_of(transcript.Transcript, messages=list[ChatMessage], metadata=Metadata)
"""A conversation."""
AgentRun: Final = _model_of(
    run.AgentRun,
    _Run,
    transcripts=list[Transcript],  # type: ignore[valid-type]  # mypy wants classes
    transcript_groups=list[_TranscriptGroup],  # type: ignore[valid-type]
    metadata=Metadata,
)
"""One run: at least one transcript."""


@cache
def message_adapter() -> TypeAdapter[ChatMessage]:
    """The adapter that validates messages by their role."""
    return TypeAdapter(ChatMessage)


def plain_message(message: ChatMessage) -> dict[str, Any]:
    """A validated message as plain data, for `messages.message_from`."""
    found = dict(message)
    if isinstance(message.content, list):
        found["content"] = [dict(part) for part in message.content]
    if isinstance(message, AssistantMessage) and message.tool_calls is not None:
        calls: list[dict[str, Any]] = [dict(call) for call in message.tool_calls]
        found["tool_calls"] = [call if call["view"] is None else {**call, "view": dict(call["view"])} for call in calls]
    return found
