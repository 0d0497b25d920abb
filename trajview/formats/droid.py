"""What Factory's droid prints with `--output-format stream-json`: messages, calls, their results, and the last answer."""

from __future__ import annotations

from typing import Any

from .base import Origin
from .chat_format import Chat, message_item
from .line_format import LineFormat, failure
from .plain import as_text, text_or_none

__all__ = ["FORMAT", "Droid"]

_TELLING = {"message": "role", "tool_call": "toolName", "tool_result": "toolCallId", "completion": "finalText"}
"""A key that each type of line has."""


class Droid(LineFormat):
    """`{"type": "tool_call", "session_id", "toolCallId", "toolName", "parameters"}`, `{"type": "completion", "finalText"}`, …"""

    name = "droid"
    label = "droid stream"
    recognises = "lines with `session_id` of type message, tool_call, tool_result or completion"

    def is_line(self, line: Any) -> bool:
        kind = line.get("type")
        if not isinstance(kind, str) or "session_id" not in line:
            return False
        return _TELLING.get(kind, "") in line and not isinstance(line.get("message"), dict)

    def session(self, lines: list[Any], origin: Origin) -> Chat:
        found = next((line["session_id"] for line in lines if isinstance(line, dict) and "session_id" in line), None)
        events = [line for line in lines if isinstance(line, dict) and not self.is_line(line)]
        items = [_message(line) for line in lines if not isinstance(line, dict) or self.is_line(line)]
        return Chat(text_or_none(found) or origin.default_id, items, None, {"events": events} if events else {})


def _message(line: Any) -> Any:
    if not isinstance(line, dict):
        return line
    used = {"type", "session_id", "toolCallId", "toolName"}
    if line["type"] == "message":
        return message_item(line, used)
    if line["type"] == "completion":
        return message_item(line, {*used, "finalText"}, role="assistant", content=as_text(line["finalText"]))
    if line["type"] == "tool_call":
        call = {"id": line.get("toolCallId"), "name": line["toolName"], "arguments": line.get("parameters")}
        return message_item(line, {*used, "parameters"}, role="assistant", content="", tool_calls=[call])
    text = as_text(line.get("value", line.get("error")))
    fields: dict[str, Any] = {"role": "tool", "tool_call_id": as_text(line["toolCallId"]), "content": text}
    if line.get("isError") is True or line.get("error"):
        fields["error"] = failure("error", line.get("error") or text)
    return message_item(line, {*used, "value", "isError", "error"}, **fields)


FORMAT = Droid()
