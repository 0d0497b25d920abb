"""TaskWeaver's Conversation, Round, Post and Attachment, from YAML and JSON, and its temporal text."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from trajview.errors import FormatError, Where

from .temporal import (
    TEMPORAL_END,
    TEMPORAL_START,
    drop_temporal,
    split_temporal,
    strip_temporal_markers,
    wrap_temporal,
)
from .yaml_bounds import LOADER, YamlBoundsError, check_bounds

__all__ = [
    "DEPRECATED_TYPES", "TEMPORAL_END", "TEMPORAL_START", "Attachment", "AttachmentType", "Conversation", "Post",
    "Round", "drop_temporal", "split_temporal", "strip_temporal_markers", "wrap_temporal",
]  # fmt: skip

_SafeDumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

DEPRECATED_TYPES = frozenset({"python", "sample", "text"})
"""Attachment types that make TaskWeaver refuse a file. (`text` is also the name of a type of today's.)"""


class AttachmentType(StrEnum):
    """The attachment types of today's TaskWeaver."""

    init_plan = "init_plan"
    plan = "plan"
    current_plan_step = "current_plan_step"
    plan_reasoning = "plan_reasoning"
    stop = "stop"
    thought = "thought"
    reply_type = "reply_type"
    reply_content = "reply_content"
    verification = "verification"
    code_error = "code_error"
    execution_status = "execution_status"
    execution_result = "execution_result"
    artifact_paths = "artifact_paths"
    revise_message = "revise_message"
    function = "function"
    web_exploring_plan = "web_exploring_plan"
    web_exploring_screenshot = "web_exploring_screenshot"
    web_exploring_link = "web_exploring_link"
    invalid_response = "invalid_response"
    text = "text"
    shared_memory_entry = "shared_memory_entry"
    image_url = "image_url"


class _Model(BaseModel):
    """Keeps unknown keys. An id that is a number counts as text, a null text as empty, a null list as an empty one."""

    model_config = ConfigDict(extra="allow")

    @field_validator("*", mode="before")
    @classmethod
    def _tolerate(cls, value: object, info: ValidationInfo) -> object:
        field = cls.model_fields.get(info.field_name or "")
        if value is None and field is not None and info.field_name not in ("id", "extra", "content"):
            return field.get_default(call_default_factory=True) if not field.is_required() else value
        if info.field_name == "id" and isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return value


class Attachment(_Model):
    """An attachment of a post. `type` is an AttachmentType, or the name of one that is gone or unknown.

    `content` is text for most types; `artifact_paths` holds a list.

    >>> from trajview import Attachment
    >>> Attachment(type="python", content="1 + 1").is_deprecated
    True
    """

    id: str | None = None
    type: AttachmentType | str = Field(union_mode="left_to_right")
    content: Any = None
    extra: Any = None

    @property
    def type_name(self) -> str:
        """The type as it is written in a file."""
        return self.type.value if isinstance(self.type, AttachmentType) else self.type

    @property
    def is_deprecated(self) -> bool:
        """Whether TaskWeaver itself would refuse the file because of this attachment."""
        return self.type_name in DEPRECATED_TYPES


class Post(_Model):
    """A message from one role to another; the same role twice is self-communication.

    >>> from trajview import Attachment, Post
    >>> Post(send_from="Planner", send_to="User", attachment_list=[Attachment(type="plan", content="1. count")]).attachments("plan")
    ['1. count']
    """

    id: str | None = None
    send_from: str
    send_to: str
    message: str = ""
    attachment_list: list[Attachment] = Field(default_factory=list)

    def attachments(self, type_: AttachmentType | str) -> list[Any]:
        """The contents of the attachments of one type, in order."""
        name = type_.value if isinstance(type_, AttachmentType) else type_
        return [attachment.content for attachment in self.attachment_list if attachment.type_name == name]


class Round(_Model):
    """The posts that follow one query of the user, in order.

    >>> from trajview import Round
    >>> Round(user_query="How many sheep?").state
    'created'
    """

    id: str | None = None
    user_query: str = ""
    state: Literal["created", "finished", "failed"] = "created"
    post_list: list[Post] = Field(default_factory=list)


class Conversation(_Model):
    """A session: rounds of posts. Example files leave out ids; `enabled` counts as true where it is missing.

    >>> from pathlib import Path
    >>> from trajview import Conversation
    >>> conversation = Conversation.from_yaml(Path("sample_data/taskweaver/raw_exp_bees.yaml").read_text())
    >>> [len(each.post_list) for each in conversation.rounds]
    [5, 4]
    >>> Conversation.from_json(conversation.to_json()) == conversation
    True
    """

    id: str | None = None
    plugins: list[Any] = Field(default_factory=list)
    roles: list[Any] = Field(default_factory=list)
    enabled: bool = True
    rounds: list[Round] = Field(default_factory=list)

    @classmethod
    def from_yaml(cls, text: str) -> Self:
        """Read a conversation from YAML. Raises FormatError if it is no YAML; pydantic's ValidationError if no conversation."""
        try:
            check_bounds(text)
            data = yaml.load(text, Loader=LOADER)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            problem = getattr(error, "problem", None) or "it cannot be parsed"
            line = mark.line + 1 if mark is not None else None
            place = f" in line {line}" if line is not None else ""
            raise FormatError(
                f"This is not YAML{place}: {problem}.", hint="check the indentation", where=Where(line=line)
            ) from error
        except YamlBoundsError as error:
            raise FormatError(
                f"This YAML cannot be read: {error}.", hint="write it as JSON", where=Where(line=error.line)
            ) from error
        except (ValueError, RecursionError) as error:
            # A date that does not exist, or a number of too many digits.
            raise FormatError(f"This YAML cannot be read: {error}.", hint="quote the value that is meant") from error
        return cls.model_validate(data)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a conversation from JSON. Raises FormatError if it is no JSON; pydantic's ValidationError if no conversation."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            line = getattr(error, "lineno", None)
            raise FormatError(
                f"This is not JSON: {error}.", hint="check the place it names", where=Where(line=line)
            ) from error
        return cls.model_validate(data)

    def to_dict(self) -> dict[str, Any]:
        """Plain data in TaskWeaver's spelling; ids that are not known are left out, as in its example files."""
        data: dict[str, Any] = self.model_dump(mode="json")
        for item in [data, *_within(data)]:
            if item.get("id") is None:
                item.pop("id", None)
        return data

    def to_yaml(self) -> str:
        """YAML text that `from_yaml` reads back to the same conversation."""
        text: str = yaml.dump(self.to_dict(), Dumper=_SafeDumper, allow_unicode=True, sort_keys=False)
        return text

    def to_json(self) -> str:
        """JSON text that `from_json` reads back to the same conversation."""
        return json.dumps(self.to_dict(), indent=2)


def _within(conversation: dict[str, Any]) -> list[dict[str, Any]]:
    rounds = conversation["rounds"]
    posts = [post for round_ in rounds for post in round_["post_list"]]
    return [*rounds, *posts, *(attachment for post in posts for attachment in post["attachment_list"])]
