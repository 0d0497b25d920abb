"""OpenHands' event streams: actions of the agent and the user, and observations that answer them.

What an agent that was delegated to did stands between the delegating action and the observation that ends it; it is a
sub-agent's transcript. Events that say nothing to anybody, as that the agent's state changed, are kept as they came.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from msgspec import Struct

from .chat_format import message_item
from .plain import as_text

__all__ = ["Delegate", "Stream", "is_bare_event", "is_stream_event", "stream_of", "with_sources"]

_SOURCES: Final = frozenset({"agent", "user", "environment"})
_SILENT: Final = frozenset({"change_agent_state", "agent_state_changed", "null", "start", "pause", "resume", "stop"})
_DEEPEST: Final = 50
_MOST: Final = 1_000
"""Delegates of a stream; what would be one more stays where it was delegated."""


def is_stream_event(record: Any) -> bool:
    """Whether a value looks like one event. Looks at keys only."""
    if not isinstance(record, dict) or "role" in record:
        return False
    source = record.get("source")
    if type(source) is not str or source not in _SOURCES:
        return False
    if isinstance(record.get("action"), str):
        return isinstance(record.get("args"), dict)
    return isinstance(record.get("observation"), str) and "content" in record


def is_bare_event(record: Any) -> bool:
    """Whether a value looks like an event of the old issue resolver's history: without id and source, its fields not apart."""
    if not isinstance(record, dict) or "role" in record or "source" in record or "args" in record:
        return False
    return isinstance(record.get("action"), str) or (isinstance(record.get("observation"), str) and "content" in record)


def with_sources(events: Iterable[Any]) -> list[Any]:
    """Bare events as those of a stream: what is not observed the agent does, but for the task; observations follow their action."""
    found: list[Any] = []
    acted = -1
    for at, event in enumerate(events):
        if not is_bare_event(event):
            found.append(event)
        elif isinstance(event.get("observation"), str):
            found.append({"id": at, "source": "environment", "cause": acted, **event})
        else:
            speaks = event["action"] == "message" and acted < 0
            acted = acted if speaks else at
            args = {key: value for key, value in event.items() if key not in ("action", "timestamp")}
            found.append({"id": at, "source": "user" if speaks else "agent", "action": event["action"], "args": args})
    return found


class Delegate(Struct):
    """The messages of an agent that a task was delegated to, and the delegating call."""

    name: str
    call: str
    items: list[Any] = []


class Stream(Struct):
    """The result of sorting events: messages, those of delegates, the models that spoke, and the other events."""

    items: list[Any] = []
    delegates: list[Delegate] = []
    models: tuple[str, ...] = ()
    silent: list[Any] = []


def stream_of(events: Iterable[Any]) -> Stream:
    """Sort events, which may be in pairs of an action and its observation as older logs have them."""
    sorter = _Sorter()
    for number, event in enumerate(_flat(events)):
        sorter.take(event, number)
    return sorter.stream


class _Sorter:
    """Sorts events one by one: into the stream, or into the items of the delegate that is at work."""

    def __init__(self) -> None:
        self.stream = Stream()
        self._open: list[Delegate] = []
        self._calls: dict[int, tuple[str, str]] = {}

    def take(self, event: Any, number: int) -> None:
        if not is_stream_event(event):
            self._items().append(event)
            return
        action, answers = event.get("action"), event.get("observation")
        if (action if isinstance(action, str) else answers) in _SILENT:
            self.stream.silent.append(event)
        elif isinstance(action, str):
            self._take_action(event, action, number)
        else:
            ended = self._open.pop().call if answers == "delegate" and self._open else None
            self._items().append(_observation(event, str(answers), self._calls, ended))

    def _items(self) -> list[Any]:
        return self._open[-1].items if self._open else self.stream.items

    def _take_action(self, event: dict[Any, Any], action: str, number: int) -> None:
        call = _call_of(event, number)
        item = _message_of(event, action) if action in _SPEECH else _call_item(event, action, call)
        if item is None:
            self.stream.silent.append(event)
            return
        self._items().append(item)
        if "tool_calls" in item:
            own = event.get("id")
            self._calls[own if type(own) is int else number] = call
            if action == "delegate":
                self._open_delegate(event["args"].get("agent"), call[0])
        model = item.get("model")
        if model and model not in self.stream.models:
            self.stream.models = (*self.stream.models, model)

    def _open_delegate(self, agent: Any, call: str) -> None:
        if len(self._open) < _DEEPEST and len(self.stream.delegates) < _MOST:
            self._open.append(Delegate(agent if isinstance(agent, str) and agent else "delegate", call))
            self.stream.delegates.append(self._open[-1])


def _flat(events: Iterable[Any]) -> Iterable[Any]:
    for event in events:
        if isinstance(event, list) and event and all(map(is_stream_event, event)):
            yield from event
        else:
            yield event


def _call_field(event: dict[Any, Any], key: str) -> str | None:
    """A field of the event about the call that it is or answers, as the model named it."""
    about = event.get("tool_call_metadata")
    found = about.get(key) if isinstance(about, dict) else None
    return found if isinstance(found, str) and found else None


def _call_of(event: dict[Any, Any], number: int) -> tuple[str, str]:
    """The id and the function of the call that an action is."""
    own = event.get("id")
    return _call_field(event, "tool_call_id") or f"event {own if type(own) is int else number}", _call_field(
        event, "function_name"
    ) or str(event["action"])


_SPEECH = frozenset({"message", "system"})
"""Actions of speech."""
_SHOWN = frozenset({"id", "source", "action", "args", "message", "tool_call_metadata", "cause"})


def _message_of(event: dict[Any, Any], action: str) -> dict[Any, Any]:
    """The message of an event in which somebody speaks."""
    args = event["args"]
    role = "system" if action == "system" else "assistant" if event["source"] == "agent" else "user"
    content: list[Any] = [*_thought(event, args), {"type": "text", "text": as_text(args.get("content"))}]
    urls = args.get("image_urls")
    content += [
        {"type": "image_url", "image_url": {"url": url}}
        for url in (urls if isinstance(urls, list) else ())
        if isinstance(url, str)
    ]
    said = content[0]["text"] if len(content) == 1 and content[0]["type"] == "text" else content
    rest = {key: value for key, value in args.items() if key not in ("content", "image_urls", "thought") and value}
    fields = {"role": role, "content": said, **_answered(event), **({"args": rest} if rest else {})}
    return message_item(event, _SHOWN, **fields)


def _call_item(event: dict[Any, Any], action: str, call: tuple[str, str]) -> dict[Any, Any] | None:
    """An action as a message with a call; None where it is no call of the agent's."""
    if event["source"] != "agent":
        return None
    args = event["args"]
    arguments = {
        key: value for key, value in args.items() if value is not None and (key != "thought" or action == "think")
    }
    called = {"id": call[0], "function": call[1], "arguments": arguments}
    content = [] if action == "think" else _thought(event, args)
    return message_item(event, _SHOWN, role="assistant", content=content or "", tool_calls=[called], **_answered(event))


def _thought(event: dict[Any, Any], args: dict[Any, Any]) -> list[Any]:
    """The agent's thought before it acted: reasoning of the model, and the words with the call."""
    thought, found = args.get("thought"), []
    said = thought.get("text") if isinstance(thought, dict) else thought
    hidden = thought.get("reasoning_content") if isinstance(thought, dict) else None
    message = _response(event).get("choices")
    if isinstance(message, list) and message and isinstance(message[0], dict) and not hidden:
        inner = message[0].get("message")
        hidden = inner.get("reasoning_content") if isinstance(inner, dict) else None
    if isinstance(hidden, str) and hidden:
        found.append({"type": "reasoning", "reasoning": hidden})
    if isinstance(said, str) and said:
        found.append({"type": "text", "text": said})
    return found


def _response(event: dict[Any, Any]) -> dict[Any, Any]:
    about = event.get("tool_call_metadata")
    response = about.get("model_response") if isinstance(about, dict) else None
    return response if isinstance(response, dict) else {}


def _answered(event: dict[Any, Any]) -> dict[str, Any]:
    """The model that acted, and its usage."""
    response = _response(event)
    found = {"model": response.get("model"), "usage": response.get("usage")}
    return {key: value for key, value in found.items() if isinstance(value, str if key == "model" else dict) and value}


def _observation(
    event: dict[Any, Any], kind: str, calls: dict[int, tuple[str, str]], ended: str | None
) -> dict[Any, Any]:
    """An observation as a tool's answer. `ended` is the call of the delegate that it ends."""
    cause = event.get("cause")
    known = calls.get(cause) if isinstance(cause, int) else None
    link = ended or _call_field(event, "tool_call_id") or (known[0] if known else None)
    fields: dict[str, Any] = {"role": "tool", "content": as_text(event.get("content"))}
    if link:
        fields["tool_call_id"] = link
    if not known or not link:
        fields["name"] = _call_field(event, "function_name") or kind
    if kind == "error":
        fields["error"] = {"type": "error", "message": fields["content"][:200]}
    used = {"id", "source", "cause", "content", "message", "tool_call_metadata"}
    return message_item(event, used, **fields)
