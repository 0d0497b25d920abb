"""opencode's sessions: a line for the session, one for each message, and one for each of its parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .base import Origin
from .chat_format import Chat, message_item
from .line_format import LineFormat, failure, reasoning, time_of
from .plain import as_text, text_or_none

__all__ = ["FORMAT", "OpenCode"]


class OpenCode(LineFormat):
    """`{"id", "projectID", "title"}`, `{"id", "sessionID", "role"}`, `{"messageID", "type", …}`, gathered from a folder."""

    name = "opencode"
    label = "opencode session"
    recognises = "a session with `projectID`, then messages with `sessionID` and parts with `messageID`"

    def is_line(self, line: Any) -> bool:
        if "projectID" in line:
            return "directory" in line or "title" in line
        if "role" in line:
            return "sessionID" in line and "content" not in line
        return isinstance(line.get("type"), str) and ("messageID" in line or "text" in line)

    def begins_session(self, line: Any) -> bool:
        return isinstance(line, dict) and "projectID" in line and self.is_line(line)

    def session(self, lines: list[Any], origin: Origin) -> Chat:
        about: dict[str, Any] = {}
        messages: list[tuple[dict[Any, Any], list[Any]]] = []
        events: list[Any] = []
        for line in lines:
            if not isinstance(line, dict):
                events.append(line)
            elif "projectID" in line:
                about.update(line)
            elif "role" in line:
                messages.append((line, []))
            elif messages:
                messages[-1][1].append(line)
            else:
                events.append(line)
        messages.sort(key=_created)
        items = [item for message, parts in messages for item in _messages(message, parts)]
        chat = Chat(text_or_none(about.get("id")) or origin.default_id, items, text_or_none(about.get("title")))
        chat.metadata = {**about, **({"events": events} if events else {})}
        return chat


def _created(message: tuple[dict[Any, Any], list[Any]]) -> str:
    held = message[0].get("time")
    return time_of(held.get("created") if isinstance(held, dict) else None) or ""


def _messages(message: dict[Any, Any], parts: list[Any]) -> Iterator[dict[Any, Any]]:
    """A message with its parts, and the answers of the tools that it called."""
    content: list[Any] = []
    calls: list[dict[str, Any]] = []
    answers: list[dict[str, Any]] = []
    beside: list[Any] = []
    for part in parts:
        kind = part["type"] if isinstance(part.get("type"), str) else ""
        if kind == "reasoning":
            content += reasoning(part.get("text"))
        elif kind == "text":
            content.append({"type": "text", "text": as_text(part.get("text"))})
        elif kind == "file" and as_text(part.get("mime")).startswith("image/"):
            content.append({"type": "image", "image": as_text(part.get("url"))})
        elif kind == "tool":
            calls.append(_call(part))
            answers += _answers(part)
        else:
            beside.append(part)
    fields: dict[str, Any] = {"content": content}
    fields |= {key: value for key, value in _facts(message).items() if value}
    fields |= {"tool_calls": calls} if calls else {}
    fields |= {"parts_beside": beside} if beside else {}
    yield message_item(message, {"time", "tokens", "modelID"}, **fields)
    yield from answers


def _facts(message: dict[Any, Any]) -> dict[str, Any]:
    """The time, the model and the usage of a message."""
    time, tokens, cost = message.get("time"), message.get("tokens"), message.get("cost")
    usage = {**tokens, **({"cost": cost} if cost is not None else {})} if isinstance(tokens, dict) else None
    model = message.get("modelID") if message.get("role") == "assistant" else None
    return {
        "timestamp": time_of(time.get("created")) if isinstance(time, dict) else None,
        "model": model,
        "usage": usage,
    }


def _state(part: dict[Any, Any]) -> dict[Any, Any]:
    state = part.get("state")
    return state if isinstance(state, dict) else {}


def _call(part: dict[Any, Any]) -> dict[str, Any]:
    return {"id": part.get("callID"), "name": as_text(part.get("tool")), "arguments": _state(part).get("input")}


def _answers(part: dict[Any, Any]) -> Iterator[dict[str, Any]]:
    """The answer that a call holds itself, once it is done."""
    state = _state(part)
    failed = state.get("status") == "error"
    if not failed and state.get("status") != "completed":
        return
    text = as_text(state.get("error") if failed else state.get("output"))
    item: dict[str, Any] = {"role": "tool", "tool_call_id": as_text(part.get("callID")), "content": text}
    item["name"] = as_text(part.get("tool"))
    rest = {key: state[key] for key in ("title", "metadata") if state.get(key)}
    yield {**item, **({"error": failure("error", text)} if failed else {}), **({"metadata": rest} if rest else {})}


FORMAT = OpenCode()
