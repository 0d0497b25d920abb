"""The Agent Data Protocol's Trajectory: actions and observations, old and new schema versions, and the legacy spelling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic_core.core_schema import SerializerFunctionWrapHandler

from .adp_spelling import CLASSES, current_class, current_spelling

__all__ = [
    "ApiAction", "BoundingBox", "CodeAction", "ContentItem", "ImageAnnotation", "ImageObservation", "MessageAction",
    "OtherItem", "TextObservation", "Trajectory", "WebObservation",
]  # fmt: skip

Source = Literal["user", "agent", "environment"]


class _OptionalExtras(BaseModel):
    """Leaves newer fields without a value out of its output."""

    _newer: ClassVar[tuple[str, ...]] = ()

    @model_serializer(mode="wrap")
    def _drop_unset(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        return {key: value for key, value in data.items() if value is not None or key not in self._newer}


class _Item(_OptionalExtras):
    """The common fields of actions and observations. Unknown keys are kept; newer fields are written only when set."""

    model_config = ConfigDict(extra="allow")
    _newer = ("reward", "tool_call_id", "reasoning_content")

    reward: float | None = None
    tool_call_id: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _in_current_spelling(cls, data: object) -> object:
        return current_spelling(data) if isinstance(data, dict) and "class_" in data else data


class _Action(_Item):
    """An action of the agent. `description` is its brief thought, `reasoning_content` the long one."""

    description: str | None = None
    reasoning_content: str | None = None


# The pydantic plugin of mypy takes the field for the **kwargs of the __init__ that it generates.
class ApiAction(_Action):  # type: ignore[no-redef]
    """A call of a function with keyword arguments."""

    class_: Literal["api_action"] = "api_action"
    function: str
    kwargs: dict[str, Any] = Field(default_factory=dict)


class CodeAction(_Action):
    """Code that the agent ran. ADP lists 300 languages; any name is taken."""

    class_: Literal["code_action"] = "code_action"
    language: str
    content: str


class MessageAction(_Action):
    """A message by the agent."""

    class_: Literal["message_action"] = "message_action"
    content: str


class TextObservation(_Item):
    """A text for the agent from a user, another agent or the environment."""

    class_: Literal["text_observation"] = "text_observation"
    content: str
    name: str | None = None
    source: Source


class BoundingBox(BaseModel):
    """A box on an image; the unit is the source's (pixels, or fractions of the image)."""

    model_config = ConfigDict(extra="allow")

    x: float
    y: float
    width: float
    height: float


class ImageAnnotation(BaseModel):
    """An element seen on an image: its text, its type and where it is. Newer versions add keys, which are kept."""

    model_config = ConfigDict(extra="allow")

    text: str | None = None
    element_type: str
    bounding_box: BoundingBox


class ImageObservation(_Item):
    """An image: `content` is its path."""

    class_: Literal["image_observation"] = "image_observation"
    content: str
    annotations: list[ImageAnnotation] | None = None
    source: Source


class WebObservation(_Item):
    """A web page: HTML, accessibility tree, address, screenshot, and the size of the window in pixels."""

    class_: Literal["web_observation"] = "web_observation"
    html: str | None = None
    axtree: str | None = None
    url: str | None = None
    image_observation: ImageObservation | None = None
    viewport_size: tuple[int, int] | None = None


class OtherItem(_Item):
    """An item of an unknown class (a newer version's), kept as it came."""

    class_: str


def _class_tag(value: object) -> str:
    class_ = current_class(value.get("class_") if isinstance(value, dict) else getattr(value, "class_", None))
    return class_ if class_ in CLASSES else "other"


ContentItem = Annotated[
    Annotated[ApiAction, Tag("api_action")]
    | Annotated[CodeAction, Tag("code_action")]
    | Annotated[MessageAction, Tag("message_action")]
    | Annotated[TextObservation, Tag("text_observation")]
    | Annotated[ImageObservation, Tag("image_observation")]
    | Annotated[WebObservation, Tag("web_observation")]
    | Annotated[OtherItem, Tag("other")],
    Discriminator(_class_tag),
]


class Trajectory(_OptionalExtras):
    """One trajectory. Any schema version loads; what it writes is in ADP's current spelling.

    `schema_version` and the `available_*` lists came with 1.2 and later; they are written only when they are set. Raises
    ValueError (pydantic's) where a record is no trajectory.

    >>> from trajview import Trajectory
    >>> said = {"class_": "MessageAction", "message": "It is a teapot."}  # the legacy spelling
    >>> trajectory = Trajectory.model_validate({"id": "teapot", "content": [said]})
    >>> trajectory.content[0].class_, trajectory.content[0].content
    ('message_action', 'It is a teapot.')
    >>> list(trajectory.broken_links())
    []
    """

    model_config = ConfigDict(extra="allow")
    _newer = ("schema_version", "available_custom_tools", "available_code_languages", "available_apis")

    schema_version: str | None = None
    id: str
    content: list[ContentItem]
    available_custom_tools: list[str] | None = None
    available_code_languages: list[str] | None = None
    available_apis: list[str] | None = None
    details: dict[str, Any] = Field(default_factory=dict)

    @field_validator("id", mode="before")
    @classmethod
    def _number_counts_as_text(cls, value: object) -> object:
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @field_validator("details", mode="before")
    @classmethod
    def _null_details_are_empty(cls, value: object) -> object:
        return {} if value is None else value

    def broken_links(self) -> Iterator[tuple[int, str]]:
        """The index of each item whose `tool_call_id` links nothing, and why (ADP's rule since 1.3)."""
        calls: set[str] = set()
        answered: set[str] = set()
        for index, item in enumerate(self.content):
            link = item.tool_call_id
            if link is None or isinstance(item, OtherItem):
                continue
            if isinstance(item, MessageAction):
                yield index, f"a message_action calls no tool, but has the tool_call_id {link!r}"
            elif isinstance(item, ApiAction | CodeAction):
                if link in calls:
                    yield index, f"the tool_call_id {link!r} is used by two actions"
                calls.add(link)
            elif link not in calls:
                yield index, f"the tool_call_id {link!r} belongs to no action before it"
            elif link in answered:
                yield index, f"the tool_call_id {link!r} is answered twice"
            else:
                answered.add(link)
