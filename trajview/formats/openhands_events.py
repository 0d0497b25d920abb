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

__all__ = ["Delegate", "Stream", "is_stream_event", "stream_of"]

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


class Delegate(Struct):
    """What an agent said that a task was delegated to, and the call that did."""

    name: str
    call: str
    items: list[Any] = []


class Stream(Struct):
    """What events make: messages, those of delegates, the models that spoke, and the events that are no message."""

    items: list[Any] = []
    delegates: list[Delegate] = []
    models: tuple[str, ...] = ()
    silent: list[Any] = []


def stream_of(events: Iterable[Any]) -> Stream:
    """Sort events, which may be in pairs of an action and its observation as older logs have them."""
    stream = Stream()
    open_: list[Delegate] = []
    calls: dict[int, tuple[str, str]] = {}
    for number, event in enumerate(_flat(events)):
        items = open_[-1].items if open_ else stream.items
        if not is_stream_event(event):
            items.append(event)
            continue
        action, answers = event.get("action"), event.get("observation")
        if (action if isinstance(action, str) else answers) in _SILENT:
            stream.silent.append(event)
        elif isinstance(action, str):
            call = _call_of(event, number)
            item = _action(event, action, call)
            if item is None:
                stream.silent.append(event)
                continue
            items.append(item)
            if "tool_calls" in item:
                own = event.get("id")
                calls[own if type(own) is int else number] = call
                if action == "delegate" and len(open_) < _DEEPEST and len(stream.delegates) < _MOST:
                    agent = event["args"].get("agent")
                    open_.append(Delegate(agent if isinstance(agent, str) and agent else "delegate", call[0]))
                    stream.delegates.append(open_[-1])
            model = item.get("model")
            if model and model not in stream.models:
                stream.models = (*stream.models, model)
        else:
            ended = open_.pop().call if answers == "delegate" and open_ else None
            items = open_[-1].items if open_ else stream.items
            items.append(_observation(event, str(answers), calls, ended))
    return stream


def _flat(events: Iterable[Any]) -> Iterable[Any]:
    for event in events:
        if isinstance(event, list) and event and all(map(is_stream_event, event)):
            yield from event
        else:
            yield event


def _told(event: dict[Any, Any], key: str) -> str | None:
    """What the event says of the call that it is or answers, as the model named it."""
    about = event.get("tool_call_metadata")
    found = about.get(key) if isinstance(about, dict) else None
    return found if isinstance(found, str) and found else None


def _call_of(event: dict[Any, Any], number: int) -> tuple[str, str]:
    """The id and the function of the call that an action is."""
    own = event.get("id")
    return _told(event, "tool_call_id") or f"event {own if type(own) is int else number}", _told(
        event, "function_name"
    ) or str(event["action"])


def _action(event: dict[Any, Any], action: str, call: tuple[str, str]) -> dict[Any, Any] | None:
    """An action as a message; None of one that is nobody's words and no call of the agent's."""
    args, source = event["args"], event["source"]
    used = {"id", "source", "action", "args", "message", "tool_call_metadata", "cause"}
    if action in ("message", "system"):
        role = "system" if action == "system" else "assistant" if source == "agent" else "user"
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
        return message_item(event, used, **fields)
    if source != "agent":
        return None
    arguments = {
        key: value for key, value in args.items() if value is not None and (key != "thought" or action == "think")
    }
    called = {"id": call[0], "function": call[1], "arguments": arguments}
    content = [] if action == "think" else _thought(event, args)
    return message_item(event, used, role="assistant", content=content or "", tool_calls=[called], **_answered(event))


def _thought(event: dict[Any, Any], args: dict[Any, Any]) -> list[Any]:
    """What the agent thought before it acted: reasoning of the model, and what it said with the call."""
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
    """The model that acted, and what that took."""
    response = _response(event)
    found = {"model": response.get("model"), "usage": response.get("usage")}
    return {key: value for key, value in found.items() if isinstance(value, str if key == "model" else dict) and value}


def _observation(
    event: dict[Any, Any], kind: str, calls: dict[int, tuple[str, str]], ended: str | None
) -> dict[Any, Any]:
    """An observation as a tool's answer. `ended` is the call of the delegate that it ends."""
    cause = event.get("cause")
    known = calls.get(cause) if isinstance(cause, int) else None
    link = ended or _told(event, "tool_call_id") or (known[0] if known else None)
    fields: dict[str, Any] = {"role": "tool", "content": as_text(event.get("content"))}
    if link:
        fields["tool_call_id"] = link
    if not known or not link:
        fields["name"] = _told(event, "function_name") or kind
    if kind == "error":
        fields["error"] = {"type": "error", "message": fields["content"][:200]}
    used = {"id", "source", "cause", "content", "message", "tool_call_metadata"}
    return message_item(event, used, **fields)
