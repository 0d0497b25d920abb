"""Messages of the reading model: Docent's, with the additions that other sources need.

A message knows its role. Everything else of a message that was read from a log stays as it was logged until somebody asks
for it: its `MessageSource` reads it then, and lets it go again when many others have been looked at since. A message that
is made with values (`UserMessage(content="Hello")`) keeps them.

Shapes follow Docent's `ChatMessage`; `name`, `recipient`, `timestamp`, `reward` and `usage` are ours, optional, and written
only when they are set, so that Docent reads what we write. For the same reason a part that Docent has no type for (an
image, say) is written as a text that names it, with the part itself beside the text.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Final, Generic, Literal, Self, TypeVar, overload

from msgspec import Struct, ValidationError, convert, field
from msgspec.structs import replace

from .brief import brief, quoted
from .said import strings_within

__all__ = [
    "AssistantMessage", "AudioPart", "ChatMessage", "ContentPart", "ImagePart", "Measured", "MessageBase", "MessageSource",
    "OtherPart", "Part", "ReasoningPart", "Said", "SystemMessage", "TextPart", "ToolCall", "ToolCallView", "ToolMessage",
    "UserMessage", "VideoPart", "fitting_message", "measured", "message_from", "part_from", "tool_call_from",
]  # fmt: skip

Said = tuple[Literal["text", "reasoning", "arguments"], str, str | None]
"""A text of a message, its kind, and the tool that it goes to or comes from."""
Measured = tuple[int, int, int]
"""The approximate lines and characters of a message's text, and lines of its calls."""


# -- parts and calls ---------------------------------------------------------------------------------------------------


class Part(Struct, kw_only=True):
    """A part of a message's content. `extras` are its keys that no field knows, in the order of the source."""

    _optional: ClassVar[frozenset[str]] = frozenset()
    """Fields that are not written where they are None."""

    type: str
    extras: dict[str, Any] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """The part as JSON data: its fields, then its extras."""
        found = {
            name: value
            for name in self.__struct_fields__
            if (value := getattr(self, name)) is not None or name not in self._optional
        }
        del found["extras"]
        return {**found, **self.extras}

    def __repr__(self) -> str:
        shown = {name: value for name, value in self.plain().items() if value is not None}
        if self.type in self.__struct_fields__:  # as the name of the class says
            del shown["type"]
        return brief(type(self), *(f"{name}={quoted(value)}" for name, value in shown.items()))


class TextPart(Part, kw_only=True):
    """A piece of text. `temporal` marks text that TaskWeaver showed to the model in one round only.

    >>> from trajview import TextPart
    >>> TextPart(text="Hello").plain()
    {'type': 'text', 'text': 'Hello', 'refusal': None}
    """

    _optional: ClassVar[frozenset[str]] = frozenset({"temporal"})

    type: str = "text"
    text: str
    refusal: bool | None = None
    temporal: bool | None = None


class ReasoningPart(Part, kw_only=True):
    """A model's reasoning before it spoke. `redacted` reasoning holds no readable text, but may have a `summary`.

    Docent refuses a `redacted` that is null, so one that is not known is not written.

    >>> from trajview import ReasoningPart
    >>> ReasoningPart(reasoning="gAAAAB…", redacted=True, summary="Looked for the bus.").readable
    'Looked for the bus.'
    """

    _optional: ClassVar[frozenset[str]] = frozenset({"redacted", "summary"})

    type: str = "reasoning"
    reasoning: str
    signature: str | None = None
    redacted: bool | None = None
    summary: str | None = None

    @property
    def readable(self) -> str:
        """The readable text. Docent's rule: the summary, where the reasoning is redacted and has one."""
        return self.summary if self.redacted and self.summary else self.reasoning


class ImagePart(Part, kw_only=True):
    """An image: `image` is a path, a URL or a data URL; `annotations` are ADP's boxes.

    >>> from trajview import ImagePart
    >>> ImagePart(image="data:image/png;base64," + "A" * 10_000)
    ImagePart(image='data:image/png;base64,…')
    """

    _optional: ClassVar[frozenset[str]] = frozenset({"annotations"})

    type: str = "image"
    image: str = ""
    annotations: list[dict[str, Any]] | None = None


class AudioPart(Part, kw_only=True):
    """A sound: `audio` is a path, a URL or a data URL."""

    type: str = "audio"
    audio: str = ""


class VideoPart(Part, kw_only=True):
    """A video: `video` is a path, a URL or a data URL."""

    type: str = "video"
    video: str = ""


class OtherPart(Part, kw_only=True):
    """A part of an unknown type, kept as it came."""

    type: str = "unknown"


ContentPart = TextPart | ReasoningPart | ImagePart | AudioPart | VideoPart | OtherPart


class ToolCallView(Struct, kw_only=True):
    """The display of a tool call (Docent's `ToolCallContent`)."""

    title: str | None = None
    format: Literal["text", "markdown"] = "text"
    content: str = ""
    extras: dict[str, Any] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """The view as JSON data."""
        return {"title": self.title, "format": self.format, "content": self.content, **self.extras}

    def __repr__(self) -> str:
        return brief(type(self), f"title={quoted(self.title)}", f"format={self.format!r}", quoted(self.content))


class ToolCall(Struct, kw_only=True):
    """A call of `function` with `arguments`, in a message of the assistant.

    `language` is set where the argument `code` is code in that language, `parse_error` where the log's arguments could not
    be read, `view` where the call says how it wants to be shown. `extras` are the log's other keys.

    >>> from trajview import ToolCall
    >>> ToolCall(id="c1", function="bash", arguments={"cmd": "ls"})
    ToolCall('bash', {'cmd': 'ls'})
    """

    id: str = ""
    function: str
    arguments: dict[str, Any] = field(default_factory=dict)
    type: Literal["function"] | None = None
    parse_error: str | None = None
    view: ToolCallView | None = None
    language: str | None = None
    extras: dict[str, Any] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """The call as JSON data: its fields, then its extras."""
        found = {
            "id": self.id, "function": self.function, "arguments": self.arguments, "type": self.type,
            "parse_error": self.parse_error, "view": None if self.view is None else self.view.plain(),
        }  # fmt: skip
        if self.language is not None:
            found["language"] = self.language
        return {**found, **self.extras}

    def __repr__(self) -> str:
        given = ", ".join(f"{quoted(name)}: {quoted(value)}" for name, value in self.arguments.items())
        return brief(type(self), quoted(self.function), f"{{{given}}}")

    def said(self) -> Iterator[str]:
        """The texts of the call: the function, its arguments, and what is wrong with them."""
        yield self.function
        yield from strings_within(self.arguments)
        if self.parse_error:
            yield self.parse_error


_STANDS_FOR: Final = "stands_for"
"""The key of a text part for the part that it stands for. Docent ignores it."""
_LONGEST_NAME: Final = 200
"""Characters of a path or URL in the text that stands for a part; a data URL holds the whole file."""


def _written_for_docent(part: ContentPart) -> dict[str, Any]:
    """A part in a form that Docent reads, since it refuses parts that are neither text nor reasoning."""
    plain = part.plain()
    if isinstance(part, TextPart | ReasoningPart):
        return plain
    target = plain.get(part.type)
    name = f": {target[:_LONGEST_NAME]}" if isinstance(target, str) and target else ""
    return {"type": "text", "text": f"[{part.type}{name}]", _STANDS_FOR: plain}


# -- from plain data ---------------------------------------------------------------------------------------------------

_Fitted = TypeVar("_Fitted", bound=Part | ToolCallView | ToolCall)
_PART_TYPES: Final[dict[Any, type[ContentPart]]] = {
    "text": TextPart, "reasoning": ReasoningPart, "image": ImagePart, "audio": AudioPart, "video": VideoPart,
}  # fmt: skip


def _fitted(data: Any, kind: type[_Fitted], what: str) -> _Fitted:
    """Plain data as a part or call, with unknown keys kept. Raises ValueError where a value does not fit."""
    if not isinstance(data, dict):
        raise ValueError(f"{what} must be an object, not {type(data).__name__}")
    names = frozenset(kind.__struct_fields__) - {"extras"}
    extras = {key: value for key, value in data.items() if key not in names}
    known = {key: data[key] for key in data if key in names} if extras else data
    try:
        return convert({**known, "extras": extras}, kind)
    except ValidationError as error:
        raise ValueError(f"{what} is not one: {error}") from error


def part_from(data: Any) -> ContentPart:
    """Make a part of plain data; one of an unknown type is kept as it came. Raises ValueError where it is no part."""
    if isinstance(data, Part):
        return data  # type: ignore[return-value]  # all parts are one of these
    kind = data.get("type") if isinstance(data, dict) else None
    if kind == "text" and isinstance(data.get(_STANDS_FOR), dict):
        data = data[_STANDS_FOR]
        kind = data.get("type")
    made = _PART_TYPES.get(kind, OtherPart) if isinstance(kind, str) else OtherPart
    return _fitted(data, made, "a part" if made is OtherPart else f"a part of type {kind}")


def tool_call_from(data: Any) -> ToolCall:
    """Make a tool call of plain data in Docent's form. Raises ValueError where it is none."""
    if isinstance(data, ToolCall):
        return data
    view = data.get("view") if isinstance(data, dict) else None
    if isinstance(view, dict):
        data = {**data, "view": _fitted(view, ToolCallView, "the view of a tool call")}
    return _fitted(data, ToolCall, "a tool call")


# -- values of a message ----------------------------------------------------------------------------------------------


class _Values(Struct, kw_only=True):
    """The values of a message of any role, apart from the role."""

    id: str | None = None
    content: str | list[Any] = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    name: str | None = None
    recipient: str | None = None
    timestamp: str | None = None
    reward: float | None = None
    usage: dict[str, Any] | None = None
    model: str | None = None
    tool_calls: list[ToolCall] | None = None
    citations: list[Any] | None = None
    suggested_messages: list[Any] | None = None
    tool_call_id: str | list[str] | None = None
    function: str | None = None
    error: dict[str, Any] | None = None


_Value = TypeVar("_Value")


class _Field(Generic[_Value]):
    """A field of a message: read from its values, which are read from the log first where they are not known yet."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, message: None, owner: type) -> Self: ...
    @overload
    def __get__(self, message: MessageBase, owner: type) -> _Value: ...
    def __get__(self, message: MessageBase | None, owner: type) -> Self | _Value:
        if message is None:
            return self
        found: _Value = getattr(message._values or message._read(), self._name)
        return found

    def __set__(self, message: MessageBase, value: _Value) -> None:
        setattr(message._own(), self._name, value)


_COMMON: Final = ("name", "recipient", "timestamp", "reward", "usage")
"""Fields that are not written where they are None."""


class MessageBase:
    """The common part of messages. Keyword arguments that no field knows are moved to `metadata`.

    `content` is a text, or a list of parts (or of dicts that say the same); `metadata` is a dict. `id`, `name` (who speaks),
    `recipient` and `timestamp` are texts or None, `reward` is a number or None, and `usage` a dict (token counts) or None.

    Raises ValueError where a value is of another type than its field: Docent's rules.
    """

    __slots__ = ("_at", "_source", "_values")

    role: ClassVar[Literal["system", "user", "assistant", "tool"]]
    _own_fields: ClassVar[tuple[str, ...]] = ()
    """The fields of this role alone, in the order in which they are written."""
    keys: ClassVar[frozenset[str]]
    """The keys of a message of this role in Docent's JSON; any other is one of its metadata."""

    _values: _Values | None
    _source: MessageSource | None
    _at: int

    id: _Field[str | None] = _Field()
    content: _Field[str | list[ContentPart]] = _Field()
    metadata: _Field[dict[str, Any]] = _Field()
    name: _Field[str | None] = _Field()
    recipient: _Field[str | None] = _Field()
    timestamp: _Field[str | None] = _Field()
    reward: _Field[float | None] = _Field()
    usage: _Field[dict[str, Any] | None] = _Field()

    def __init_subclass__(cls) -> None:
        cls.keys = frozenset(("id", "content", "role", "metadata", *_COMMON, *cls._own_fields))

    def __init__(self, **values: Any) -> None:
        self._values = self._values_of(values)
        self._source = None
        self._at = 0

    @classmethod
    def _values_of(cls, data: dict[str, Any]) -> _Values:
        known = {key: value for key, value in data.items() if key in cls.keys}
        if known.pop("role", cls.role) != cls.role:
            raise ValueError(f"the role of this message is {cls.role}, not {data['role']}")
        unknown = {str(key): value for key, value in data.items() if key not in cls.keys}
        metadata = known.get("metadata")
        if metadata is not None and not isinstance(metadata, dict):
            raise ValueError(f"metadata must be a dict, not {type(metadata).__name__}")
        known["metadata"] = {**unknown, **(metadata or {})}
        cls._convert(known)
        return convert(known, _Values)

    @classmethod
    def _convert(cls, known: dict[str, Any]) -> None:
        """Make parts and calls of plain data. Raises ValueError where something is neither."""
        content = known.get("content")
        if content is None:
            known["content"] = ""
        elif isinstance(content, list):
            known["content"] = [part_from(part) for part in content]
        elif not isinstance(content, str):
            raise ValueError(f"content must be text or a list of parts, not {type(content).__name__}")

    # -- reading

    def _read(self) -> _Values:
        source = self._source
        assert source is not None
        self._values = values = source.read(self._at)._own()
        source.keep(self)
        return values

    def _own(self) -> _Values:
        """The values for changing: from here on they are not let go."""
        values = self._values or self._read()
        self._source, self._values = None, values
        return values

    @property
    def logged(self) -> bytes | memoryview | None:
        """The JSON that the message was logged as, where that spells all of its texts; None where that is not known."""
        return None if self._source is None else self._source.logged(self._at)

    @property
    def size(self) -> Measured:
        """The approximate lines and characters of texts, and lines of calls: known without reading a long message."""
        return measured(self) if self._source is None else self._source.size(self._at)

    # -- texts

    @property
    def text(self) -> str:
        """The text parts, joined by a newline (Docent's rule)."""
        content = self.content
        if isinstance(content, str):
            return content
        return "\n".join([part.text for part in content if isinstance(part, TextPart)])

    @property
    def parts(self) -> list[ContentPart]:
        """The content as parts; a plain string is one text part, an empty one none."""
        content = self.content
        if isinstance(content, str):
            return [TextPart(text=content)] if content else []
        return list(content)

    @property
    def reasoning(self) -> list[str]:
        """The readable text of every reasoning part, in order."""
        content = self.content
        if isinstance(content, str):
            return []
        return [part.readable for part in content if isinstance(part, ReasoningPart)]

    def said(self) -> list[Said]:
        """The searchable texts: the text, reasoning, calls with their arguments, the error; empty ones are left out.

        A message that is not read yet is read for this alone, and lets it go again.
        """
        if self._values is None and self._source is not None:
            return self._source.said(self._at)
        return [each for each in self._own_texts() if each[1]]

    def texts(self) -> list[str]:
        """The texts of `said` without their kinds, found sooner in a message that is not read yet."""
        if self._values is None and self._source is not None:
            return self._source.texts(self._at)
        return [text for _, text, _ in self._own_texts() if text]

    def _own_texts(self) -> Iterator[Said]:
        yield "text", self.text, None
        for thought in self.reasoning:
            yield "reasoning", thought, None

    # -- as plain data

    def plain(self) -> dict[str, Any]:
        """The message as Docent's JSON data; fields of ours where they are set."""
        values = self._values or self._read()
        content = values.content
        found: dict[str, Any] = {
            "id": values.id,
            "content": content if isinstance(content, str) else [_written_for_docent(part) for part in content],
            "role": self.role,
            "metadata": values.metadata,
        }
        for name in _COMMON:
            value = getattr(values, name)
            if value is not None:
                found[name] = value
        for name in self._own_fields:
            found[name] = getattr(values, name)
        return found

    def replaced(self, **changes: Any) -> Self:
        """A copy of the message with other values."""
        made = type(self).__new__(type(self))
        made._values, made._source, made._at = replace(self._values or self._read(), **changes), None, 0
        return made

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MessageBase) or type(other) is not type(self):
            return NotImplemented
        return (self._values or self._read()) == (other._values or other._read())

    __hash__ = None  # type: ignore[assignment]  # it can be changed

    def __repr__(self) -> str:
        content = self.content
        others = [] if isinstance(content, str) else [part.type for part in content if not isinstance(part, TextPart)]
        return brief(type(self), quoted(self.text), *others, *self._repr_of_calls())

    def _repr_of_calls(self) -> list[str]:
        return []


class SystemMessage(MessageBase):
    """A message to the model before anybody speaks.

    >>> from trajview import SystemMessage
    >>> SystemMessage(content="Be brief.").role
    'system'
    """

    __slots__ = ()

    role = "system"


class UserMessage(MessageBase):
    """A message of a person; `tool_call_id` where it answers calls, as Docent has it: a list of their ids, or None.

    >>> from trajview import UserMessage
    >>> message = UserMessage(content="Will it rain?", channel="phone")
    >>> message.text, message.metadata
    ('Will it rain?', {'channel': 'phone'})
    >>> message.replaced(name="Ada").plain()["name"]
    'Ada'
    """

    __slots__ = ()

    role = "user"
    _own_fields = ("tool_call_id",)

    tool_call_id: _Field[list[str] | None] = _Field()

    @classmethod
    def _convert(cls, known: dict[str, Any]) -> None:
        super()._convert(known)
        ids = known.get("tool_call_id")
        if isinstance(ids, str):
            known["tool_call_id"] = [ids]
        elif ids is not None and not (isinstance(ids, list) and all(type(one) is str for one in ids)):
            raise ValueError("tool_call_id of a user's message must be a list of texts")


class AssistantMessage(MessageBase):
    """A message of a model, with its calls.

    `model` is its name, `tool_calls` a list of ToolCalls, or None; `citations` and `suggested_messages` are Docent's.

    >>> from trajview import AssistantMessage, ReasoningPart, TextPart, ToolCall
    >>> thought, said = ReasoningPart(reasoning="A forecast would help."), TextPart(text="Let me look.")
    >>> message = AssistantMessage(content=[thought, said], tool_calls=[ToolCall(function="forecast")])
    >>> message
    AssistantMessage('Let me look.', reasoning, calls forecast)
    >>> message.reasoning, message.text
    (['A forecast would help.'], 'Let me look.')
    """

    __slots__ = ()

    role = "assistant"
    _own_fields = ("model", "tool_calls", "citations", "suggested_messages")

    model: _Field[str | None] = _Field()
    tool_calls: _Field[list[ToolCall] | None] = _Field()
    citations: _Field[list[Any] | None] = _Field()
    suggested_messages: _Field[list[Any] | None] = _Field()

    @classmethod
    def _convert(cls, known: dict[str, Any]) -> None:
        super()._convert(known)
        calls = known.get("tool_calls")
        if isinstance(calls, list):
            known["tool_calls"] = [tool_call_from(call) for call in calls]
        elif calls is not None:
            raise ValueError(f"tool_calls must be a list, not {type(calls).__name__}")

    def _repr_of_calls(self) -> list[str]:
        return [f"calls {call.function}" for call in self.tool_calls or ()]

    def plain(self) -> dict[str, Any]:
        """The message as Docent's JSON data, its calls too; fields of ours where they are set."""
        found = super().plain()
        if found["tool_calls"] is not None:
            found["tool_calls"] = [call.plain() for call in found["tool_calls"]]
        return found

    def _own_texts(self) -> Iterator[Said]:
        yield from super()._own_texts()
        for call in self.tool_calls or ():
            for text in call.said():
                yield "arguments", text, call.function


class ToolMessage(MessageBase):
    """The answer of a tool: `function` is its name, `tool_call_id` the id of the call.

    `error` is set when the source says that the call failed: a dict, mostly with a `message`.

    >>> from trajview import ToolMessage
    >>> ToolMessage(content="", function="forecast", tool_call_id="c1", error="no network").error
    {'message': 'no network'}
    """

    __slots__ = ()

    role = "tool"
    _own_fields = ("tool_call_id", "function", "error")

    tool_call_id: _Field[str | None] = _Field()
    function: _Field[str | None] = _Field()
    error: _Field[dict[str, Any] | None] = _Field()

    @classmethod
    def _convert(cls, known: dict[str, Any]) -> None:
        super()._convert(known)
        if isinstance(known.get("error"), str):
            known["error"] = {"message": known["error"]}
        call = known.get("tool_call_id")
        if call is not None and type(call) is not str:
            raise ValueError(f"tool_call_id must be a text, not {type(call).__name__}")

    def _own_texts(self) -> Iterator[Said]:
        tool = self.function
        yield "text", self.text, tool
        for thought in self.reasoning:
            yield "reasoning", thought, None
        for text in strings_within(self.error) if self.error else ():
            yield "text", text, tool


ChatMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage
"""A message of any role, as in a transcript."""

_BY_ROLE: Final[dict[str, type[ChatMessage]]] = {
    "system": SystemMessage, "user": UserMessage, "assistant": AssistantMessage, "tool": ToolMessage,
}  # fmt: skip


def message_from(data: dict[str, Any]) -> ChatMessage:
    """Make a message of plain data in Docent's form. Raises ValueError for an unknown role or an unfit value."""
    role = data.get("role")
    made = _BY_ROLE.get(role) if isinstance(role, str) else None
    if made is None:
        raise ValueError(f"role must be one of {', '.join(_BY_ROLE)}")
    return _made(made, made._values_of(data))


def fitting_message(role: str, **values: Any) -> ChatMessage:
    """Make a message of a Docent role from values that are known to fit: they are taken unchecked."""
    return _made(_BY_ROLE[role], _Values(**values))


def _made(kind: type[ChatMessage], values: _Values) -> ChatMessage:
    message = kind.__new__(kind)
    message._values, message._source, message._at = values, None, 0
    return message


def measured(message: MessageBase) -> Measured:
    """The length of a message."""
    lines = length = 0
    for text in (message.text, *message.reasoning):
        if text:
            lines += text.count("\n") + 1
            length += len(text)
    calls = message.tool_calls if isinstance(message, AssistantMessage) else None
    return lines, length, 2 * len(calls or ())


# -- messages of a log -------------------------------------------------------------------------------------------------


class MessageSource:
    """The source of a transcript's messages: each is read when somebody asks for its content.

    A format derives its own, which says how to `read` one; it may know more of a message without reading it. The values of
    the last few thousand messages that were looked at are kept. Safe for several threads, as `read` has to be.
    """

    _most_kept: ClassVar[int] = 4_000

    def __init__(self) -> None:
        self._kept: deque[MessageBase] = deque()

    def read(self, at: int) -> ChatMessage:
        """Read the message of a number, from 0, with all of its values."""
        raise NotImplementedError

    def logged(self, at: int) -> bytes | memoryview | None:  # noqa: ARG002 - of those that know
        """See `MessageBase.logged`."""
        return None

    def size(self, at: int) -> Measured:
        """See `MessageBase.size`."""
        return measured(self.read(at))

    def said(self, at: int) -> list[Said]:
        """See `MessageBase.said`."""
        return self.read(at).said()

    def texts(self, at: int) -> list[str]:
        """See `MessageBase.texts`."""
        return [text for _, text, _ in self.said(at)]

    def messages(self, roles: Iterable[str]) -> list[ChatMessage]:
        """A message for each of these roles, none of which is read yet."""
        made: list[ChatMessage] = []
        add = made.append
        classes = _BY_ROLE
        for at, role in enumerate(roles):
            kind = classes[role]
            message = kind.__new__(kind)
            message._values, message._source, message._at = None, self, at
            add(message)
        return made

    def keep(self, message: MessageBase) -> None:
        """Keep the values of a message that was read just now, and let go of those read longest ago."""
        kept = self._kept
        kept.append(message)
        if len(kept) > self._most_kept:
            try:
                oldest = kept.popleft()
            except IndexError:  # another thread was faster
                return
            if oldest._source is not None:
                oldest._values = None
