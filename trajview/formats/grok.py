"""The chat history of Grok's CLI: lines whose `type` is the role, with the model's reasoning on a line before its answer."""

from __future__ import annotations

from typing import Any

from .base import Origin
from .chat_format import Chat, message_item
from .line_format import LineFormat
from .plain import as_text, text_or_none

__all__ = ["FORMAT", "Grok"]

_ROLES = {"system": "system", "user": "user", "assistant": "assistant", "tool_result": "tool"}
_OF_OTHERS = frozenset({"message", "role", "uuid", "sessionId", "session_id", "timestamp", "data"})


class Grok(LineFormat):
    """`{"type": "assistant", "content", "tool_calls", "model_id"}`, `{"type": "tool_result", "tool_call_id", "content"}`, …"""

    name = "grok"
    label = "Grok CLI session"
    recognises = (
        "lines of `type` system, user, assistant or tool_result beside `content`, and nothing that others write"
    )

    def is_line(self, line: Any) -> bool:
        kind = line.get("type")
        if not isinstance(kind, str) or not line.keys().isdisjoint(_OF_OTHERS):
            return False
        if kind == "reasoning":
            return "summary" in line
        return (kind in _ROLES and "content" in line) or (kind == "backend_tool_call" and "kind" in line)

    def begins_session(self, line: Any) -> bool:
        return super().begins_session(line) and line["type"] in _ROLES

    def session(self, lines: list[Any], origin: Origin) -> Chat:
        items: list[Any] = []
        parts: list[Any] = []
        for line in lines:
            kind = line.get("type") if isinstance(line, dict) else None
            if kind == "reasoning":
                parts.append(line)
            elif kind == "backend_tool_call":  # which the server made itself, and that has no answer
                parts.append({**line, "text": as_text(line.get("kind"))})
            elif not isinstance(kind, str) or kind not in _ROLES:
                items.append(line)
            else:
                items.append(_message(line, parts if kind == "assistant" else []))
                parts = [] if kind == "assistant" else parts
        if parts:
            items.append({"role": "assistant", "content": parts})
        return Chat(origin.default_id, items)


def _message(line: dict[Any, Any], parts: list[Any]) -> dict[Any, Any]:
    content = line.get("content")
    if parts:
        said = content if isinstance(content, list) else [{"type": "text", "text": as_text(content)}] if content else []
        content = [*parts, *said]
    fields: dict[str, Any] = {"role": _ROLES[line["type"]], "content": content}
    if text_or_none(line.get("model_id")):
        fields["model"] = line["model_id"]
    if text_or_none(line.get("synthetic_reason")):  # it was not typed
        fields["name"] = line["synthetic_reason"]
    return message_item(line, {"type", "content", "model_id", "synthetic_reason"}, **fields)


FORMAT = Grok()
