"""Agent Data Protocol trajectories: one item of `content` becomes one message.

Actions are assistant messages; observations are messages of the user, of a tool (`environment`) or of the assistant
(`agent`). A tool message carries the id of the call that it answers: the file's, else by position.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Sequence
from functools import cached_property
from typing import Any, Final, Literal

from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.json import Decoder

from trajview.errors import FormatError, Problem
from trajview.models.adp_spelling import ACTIONS, CALLS, CLASSES, OBSERVATIONS, current_class, current_spelling
from trajview.models.messages import (
    AssistantMessage,
    ChatMessage,
    ContentPart,
    ImagePart,
    Measured,
    MessageSource,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript
from trajview.models.units import count_units

from .base import Detection, Origin, Summary
from .contract import Format
from .logged import ABSENT, Elements, decoded
from .outline import size_of_texts
from .plain import (
    as_text,
    dict_or_value,
    id_of,
    is_list,
    json_or_value,
    kind,
    not_an_object,
    number,
    place,
    refused_at,
    text_or_none,
)
from .shape import wrong_in_items
from .task import task_in
from .words import AddedWords

__all__ = ["FORMAT", "AdpFormat"]

_LOOK_AT = 20
_AVAILABLE = ("available_custom_tools", "available_code_languages", "available_apis")

# The keys of an item that become something other than metadata.
_SHOWN = {
    "api_action": {"function", "kwargs", "description", "reasoning_content"},
    "code_action": {"language", "content", "description", "reasoning_content"},
    "message_action": {"content", "description", "reasoning_content"},
    "text_observation": {"content", "name"},
    "image_observation": {"content", "annotations"},
    "web_observation": {"html", "axtree", "image_observation"},
}
_NEVER_METADATA = {"class_", "tool_call_id"}
_ROLE_OF_SOURCE = {"user": "user", "agent": "assistant", "environment": "tool"}


class _Head(Struct, gc=False):
    """The fields of an item of today's spelling that tell its speaker, its call, and its length."""

    class_: Literal[tuple(sorted(CLASSES))] | None  # type: ignore[valid-type]  # mypy wants them spelled out
    source: Any = None
    function: Any = None
    language: Any = None
    tool_call_id: Any = None
    reward: Any = None
    content: Raw = ABSENT
    description: Raw = ABSENT
    reasoning_content: Raw = ABSENT
    axtree: Raw = ABSENT
    html: Raw = ABSENT
    thoughts: UnsetType = UNSET
    message: UnsetType = UNSET
    text: UnsetType = UNSET
    code: UnsetType = UNSET

    @property
    def role(self) -> str:
        """The role of the message that the item becomes."""
        class_, source = self.class_, self.source
        if class_ in ACTIONS:
            return "assistant"
        if isinstance(source, str) and source in _ROLE_OF_SOURCE:
            return _ROLE_OF_SOURCE[source]
        # A class of a newer version: ADP's class names end with their kind.
        return "assistant" if class_ is not None and class_.lower().endswith("action") else "tool"

    @property
    def link(self) -> str | None:
        """The id of the call that the item itself names."""
        return None if self.tool_call_id in (None, "") else as_text(self.tool_call_id)

    @property
    def called(self) -> str:
        """The function that the item calls."""
        return as_text(self.language if self.class_ == "code_action" else self.function)

    @property
    def size(self) -> Measured:
        """The length of an item that is not decoded."""
        texts = self.content, self.description, self.reasoning_content, self.axtree, self.html
        return *size_of_texts(texts), 2 if self.class_ in CALLS else 0


_decode_head: Final = Decoder(_Head).decode


def _undecoded(logged: Raw) -> _Head | None:
    """The head of an item that stays bytes; None where it is of another class or spelling."""
    try:
        return _decode_head(logged)
    except ValueError:
        return None


def _decoded(item: Any) -> _Head:
    """The head of an item that is a value, whatever it is."""
    get = (item if isinstance(item, dict) else {}).get
    return _Head(get("class_"), get("source"), get("function"), get("language"), get("tool_call_id"), get("reward"))


def _content(record: Any, origin: Origin) -> Elements:
    """The items of a trajectory. Raises FormatError where there are none."""
    if not isinstance(record, dict):
        raise not_an_object("an ADP trajectory", record, origin)
    content = record.get("content")
    if not is_list(content):
        what = "there is none" if "content" not in record else f"this one is {kind(content)}"
        raise FormatError(
            f"the content of an ADP trajectory is a list, and {what}",
            hint="it is listed as raw JSON",
            where=place(origin),
        )
    return content if isinstance(content, Elements) else Elements(content)


_Link = tuple[str | None, str | None]
"""The id of a call that an item makes or answers, and the function that it answers."""


def _links(heads: Sequence[_Head]) -> list[_Link]:
    """The call that each item makes or answers: by id where the file says so; else an answer is to the first open call."""
    taken = {head.link for head in heads}
    functions: dict[str | None, str] = {}
    waiting: deque[str] = deque()
    answered: set[str] = set()
    last: str | None = None
    answers_began = False
    found: list[_Link] = []
    for index, head in enumerate(heads):
        call, function = head.link, None
        while waiting and waiting[0] in answered:
            waiting.popleft()
        if head.role == "user":  # the next items answer no earlier call, unless they name it
            waiting.clear()
            last = None
        elif head.role == "tool":
            answers_began = True
            if call is not None:
                answered.add(call)
            else:
                call = waiting.popleft() if waiting else last
            last, function = call, functions.get(call)
        elif head.class_ in CALLS:
            if answers_began:  # calls before the answer that none answered are not answered any more by position
                waiting.clear()
                answers_began = False
            call = last = call or _new_id(index, taken)
            functions[call] = head.called
            waiting.append(call)
        else:  # what comes next answers what the agent said, unless a call still waits
            call = None
            last = last if waiting else None
        found.append((call, function))
    return found


def _new_id(index: int, taken: Container[str | None]) -> str:
    call = f"call_{index}"
    while call in taken:
        call += "_"
    return call


def _reward_of(record: dict[str, Any], heads: Sequence[_Head]) -> float | None:
    """The trajectory's own reward, else the last that an item has."""
    details = record.get("details")
    reward = number(details.get("reward")) if isinstance(details, dict) else None
    if reward is not None:
        return reward
    return next((found for head in reversed(heads) if (found := number(head.reward)) is not None), None)


def _model(record: dict[str, Any]) -> str | None:
    """The model's name, which datasets write into `details` under one of these keys."""
    details = record.get("details")
    names = (details.get("model_name"), details.get("model")) if isinstance(details, dict) else ()
    return next(filter(None, map(text_or_none, names)), None)


def _metadata(record: dict[str, Any]) -> dict[str, Any]:
    """The metadata of a trajectory: its details, its version, the available tools, and unknown keys."""
    own = dict_or_value(
        {key: decoded(value) for key, value in record.items() if key not in ("id", "content", "details")}
    )
    own = {key: value for key, value in own.items() if value is not None or key not in (*_AVAILABLE, "schema_version")}
    if not isinstance(record.get("id"), str | int | None):
        own["id"] = record["id"]
    details = record.get("details")
    if not isinstance(details, dict):
        return own if details is None else {**own, "details": details}
    flat = dict_or_value(details)
    return {**own, "details": flat} if flat.keys() & own.keys() else {**flat, **own}


def _call(item: dict[str, Any], call_id: str) -> ToolCall:
    """The tool call of an api_action or code_action."""
    if item["class_"] == "code_action":
        language = as_text(item.get("language"))
        return ToolCall(
            id=call_id,
            function=language or "code",
            arguments={"code": as_text(item.get("content"))},
            language=language or None,
        )
    kwargs, error = json_or_value(item.get("kwargs")), None
    if kwargs is None:
        kwargs = {}
    elif not isinstance(kwargs, dict):
        error = f"kwargs is {kind(kwargs)}, not an object"
        kwargs = {"kwargs": kwargs}
    function = as_text(item.get("function")) or "(no name)"
    return ToolCall(id=call_id, function=function, arguments=dict_or_value(kwargs), parse_error=error)


def _image(item: Any) -> ImagePart:
    """The image of an image_observation; where it is nested in a web page, it may be a bare path."""
    if not isinstance(item, dict):
        return ImagePart(image=as_text(item))
    boxes = item.get("annotations")
    annotations: list[dict[str, Any]] | None
    if isinstance(boxes, list):
        annotations = [dict_or_value(box) if isinstance(box, dict) else {"text": as_text(box)} for box in boxes]
    else:
        annotations = None if boxes is None else [{"text": as_text(boxes)}]
    return ImagePart(image=as_text(item.get("content")), annotations=annotations)


def _parts(item: Any) -> str | list[ContentPart]:
    """The content of the message that an item becomes."""
    if not isinstance(item, dict):
        return as_text(item)
    class_ = item.get("class_")
    if class_ in ACTIONS:
        return _parts_of_action(item)
    if class_ == "image_observation":
        return [_image(item)]
    if class_ == "web_observation":
        return _parts_of_page(item)
    return as_text(item.get("content")) if class_ == "text_observation" else as_text(item)


def _parts_of_action(item: dict[str, Any]) -> str | list[ContentPart]:
    """The thought of an agent, and its words, if it said any."""
    thoughts = [as_text(item.get(key)) for key in ("reasoning_content", "description")]
    parts: list[ContentPart] = [ReasoningPart(reasoning=thought) for thought in thoughts if thought]
    said = as_text(item.get("content")) if item.get("class_") == "message_action" else ""
    if not parts:
        return said
    return [*parts, TextPart(text=said)] if said else parts


def _parts_of_page(item: dict[str, Any]) -> list[ContentPart]:
    """The parts of a web page: its address, its content, and its image."""
    texts = [f"URL: {as_text(item['url'])}"] if item.get("url") else []
    pages = {key: as_text(item[key]) for key in ("axtree", "html") if item.get(key)}
    texts += [f"{key}:\n{page}" if len(pages) > 1 else page for key, page in pages.items()]
    screenshot = item.get("image_observation")
    return [*(TextPart(text=text) for text in texts), *([_image(screenshot)] if screenshot else [])]


def _item_metadata(item: dict[str, Any], head: _Head) -> dict[str, Any]:
    """The fields that the message does not show: unknown keys, a page's address and size, values of the wrong type."""
    class_ = head.class_
    if class_ not in CLASSES:
        return {"class_": class_} if class_ is not None else {}
    hidden = _SHOWN[class_] | _NEVER_METADATA
    metadata = {key: value for key, value in dict_or_value(item).items() if key not in hidden and value is not None}
    if number(metadata.get("reward")) is not None:
        del metadata["reward"]
    if isinstance(metadata.get("source"), str) and _ROLE_OF_SOURCE.get(metadata["source"]) == head.role:
        del metadata["source"]
    if class_ == "message_action" and head.link is not None:
        metadata["tool_call_id"] = head.link
    if class_ == "web_observation" and (rest := _rest_of_screenshot(item.get("image_observation"))):
        metadata["image_observation"] = rest
    return metadata


def _rest_of_screenshot(screenshot: Any) -> dict[str, Any]:
    """The fields of a screenshot that the page's image does not show."""
    if not isinstance(screenshot, dict):
        return {}
    shown = ("class_", "content", "annotations", "source")
    return {key: value for key, value in dict_or_value(screenshot).items() if key not in shown and value is not None}


def _message_of(item: Any, head: _Head, link: _Link, model: str | None) -> ChatMessage:
    """The message that an item becomes, where this model is the agent's."""
    known = item if isinstance(item, dict) else {}
    name = known.get("name") if head.class_ == "text_observation" else None
    common: dict[str, Any] = {
        "content": _parts(item),
        "metadata": _item_metadata(known, head),
        "name": as_text(name) or None,
        "reward": number(head.reward),
    }
    call, function = link
    if head.role == "user":
        return UserMessage(**common, tool_call_id=[call] if call is not None else None)
    if head.role == "tool":
        return ToolMessage(**common, tool_call_id=call, function=function)
    tool_calls = [_call(known, call)] if call is not None else None
    return AssistantMessage(**common, model=model, tool_calls=tool_calls)


class AdpSource(MessageSource):
    """The messages that items become. `roles`, `heads`: of each."""

    def __init__(self, content: Elements, model: str | None) -> None:
        super().__init__()
        self._content, self._model = content, model
        self.heads: list[_Head] = []
        self._sizes: list[Measured | None] = []
        for at, logged in enumerate(content.logged):
            head = _undecoded(logged) if isinstance(logged, Raw) else None
            self._sizes.append(None if head is None else head.size)
            self.heads.append(_decoded(self.item(at)) if head is None else head)
        self.roles = [head.role for head in self.heads]

    def item(self, at: int) -> Any:
        """An item in current spelling."""
        item = self._content[at]
        return current_spelling(item) if isinstance(item, dict) else item

    @cached_property
    def _links(self) -> list[_Link]:
        return _links(self.heads)

    def read(self, at: int) -> ChatMessage:
        return _message_of(self.item(at), self.heads[at], self._links[at], self._model)

    def size(self, at: int) -> Measured:
        return self._sizes[at] or super().size(at)


def _source(record: Any, origin: Origin) -> AdpSource:
    content, model = _content(record, origin), _model(record)
    return content.once(lambda: AdpSource(content, model))


class AdpFormat(Format):
    """Agent Data Protocol: Trajectory."""

    name = "adp"
    label = "ADP trajectory"
    recognises = "`content` is a list of actions and observations, each with a `class_`"
    added_words = AddedWords(with_bytes=(("url code", ("class_",)),), metadata=("class_",))

    def detect(self, record: Any) -> Detection | None:
        """Detect ADP by `class_` on the items of `content`, which no other format has."""
        if not isinstance(record, dict) or not is_list(record.get("content")):
            return None
        content = record["content"]
        if not content:
            return self._detect_empty(record)
        looked_at = content[:_LOOK_AT]
        classes = [current_class(item.get("class_")) if isinstance(item, dict) else None for item in looked_at]
        known = [class_ for class_ in classes if class_ in CLASSES]
        if known:
            share = len(known) / len(looked_at)
            why = f"content holds {len(known)} of {len(looked_at)} items with class_ {', '.join(sorted(set(known)))}"
            return Detection(self.name, 0.7 + 0.28 * share, (why,))
        named = [class_ for class_ in classes if class_ is not None]
        if len(named) * 2 >= len(looked_at):
            return Detection(self.name, 0.5, ("content holds items with class_, none of which is known",))
        return None

    def _detect_empty(self, record: dict[Any, Any]) -> Detection | None:
        """Detect a record without steps, which only ADP's own keys beside them can tell."""
        own = [key for key in ("schema_version", *_AVAILABLE) if key in record]
        if "id" in record and (own or isinstance(record.get("details"), dict)):
            return Detection(self.name, 0.6, (f"empty content beside id and {own[0] if own else 'details'}",))
        return None

    def summarise(self, record: Any, origin: Origin) -> Summary:
        """Summarise a trajectory cheaply, in agreement with `read`."""
        source = _source(record, origin)
        roles, model, reward = source.roles, _model(record), _reward_of(record, source.heads)
        said = (source.item(at).get("content") for at, role in enumerate(roles[:_LOOK_AT]) if role == "user")
        return Summary(
            id=id_of(record, origin),
            messages=len(roles),
            units=count_units(roles),
            rewards=() if reward is None else (reward,),
            models=(model,) if model is not None and "assistant" in roles else (),
            problems=tuple(wrong_in_items(record["content"], "item")),
            task=next(filter(None, (task_in(text) for text in said if isinstance(text, str))), None),
        )

    def read(self, record: Any, origin: Origin) -> AgentRun:
        """Read the trajectory as a run with one transcript. Raises FormatError where there is no content."""
        source, run_id = _source(record, origin), id_of(record, origin)
        reward = _reward_of(record, source.heads)
        return AgentRun(
            id=run_id,
            transcripts=[Transcript(id=run_id, messages=source.messages(source.roles))],
            metadata=_metadata(record),
            rewards=None if reward is None else [reward],
            source_format=FORMAT.name,
        )

    def check(self, record: Any, origin: Origin) -> list[Problem]:
        """List the deviations from ADP's schema, for `trajview validate`; the record opens nevertheless."""
        from pydantic import ValidationError

        from trajview.models.adp import Trajectory

        try:
            trajectory = Trajectory.model_validate(record)
        except ValidationError as error:
            return refused_at(origin, error, _HINT)
        where = place(origin)
        problems = [
            Problem(f"content.{index}: {why}", "a call has one id, and one answer", where)
            for index, why in trajectory.broken_links()
        ]
        for index, item in enumerate(trajectory.content):
            if item.class_ not in CLASSES:
                problems.append(Problem(f"content.{index}: class_ {item.class_!r} is unknown", _HINT, where))
        return problems


_HINT = f"ADP's classes are {', '.join(sorted(ACTIONS))}, {', '.join(sorted(OBSERVATIONS))}"

FORMAT = AdpFormat()
