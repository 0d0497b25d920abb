"""Steps of Antigravity's CLI: the user's, the model's with its calls, and those of tools, which name no call."""

from __future__ import annotations

from typing import Any

from .base import Origin
from .chat_format import Chat, message_item
from .line_format import LineFormat, reasoning
from .plain import as_text, json_or_value

__all__ = ["FORMAT", "Antigravity"]


class Antigravity(LineFormat):
    """`{"step_index", "source", "type", "status", "content", "thinking", "tool_calls"}`."""

    name = "antigravity"
    label = "Antigravity session"
    recognises = "lines with `step_index`, `source` and `type`"

    def is_line(self, line: Any) -> bool:
        return line.keys() >= {"step_index", "source", "type"} and isinstance(line["type"], str)

    def session(self, lines: list[Any], origin: Origin) -> Chat:
        items: list[Any] = []
        events: list[Any] = []
        waiting: list[dict[str, Any]] = []
        for line in lines:
            if not isinstance(line, dict) or not self.is_line(line):
                items.append(line)
            elif not any(line.get(key) for key in ("content", "thinking", "tool_calls")):
                events.append(line)
            else:
                items.append(_message(line, waiting))
        return Chat(origin.default_id, items, None, {"events": events} if events else {})


def _message(line: dict[Any, Any], waiting: list[dict[str, Any]]) -> dict[Any, Any]:
    """The message of a step; `waiting` are the calls that nothing answered yet, the first of which a tool's step answers."""
    used = {"step_index", "source", "type", "created_at", "content", "thinking", "tool_calls"}
    content = as_text(line.get("content"))
    fields: dict[str, Any] = {"content": content, "timestamp": line.get("created_at")}
    if line["type"] == "USER_INPUT":
        return message_item(line, used, role="user", **fields)
    if line["type"] == "PLANNER_RESPONSE":
        if line.get("thinking"):
            said = [{"type": "text", "text": content}] if content else []
            fields["content"] = [*reasoning(line["thinking"]), *said]
        calls = [_call(call, f"{line['step_index']}-{at}") for at, call in enumerate(line.get("tool_calls") or ())]
        if calls:
            waiting[:] = calls
            fields["tool_calls"] = calls
        return message_item(line, used, role="assistant", **fields)
    if line["source"] != "MODEL":
        return message_item(line, used, role="system", name=line["type"], **fields)
    fields["name"] = line["type"]
    if waiting:
        fields["tool_call_id"] = waiting.pop(0)["id"]
    return message_item(line, used, role="tool", **fields)


def _call(call: Any, link: str) -> dict[str, Any]:
    """A call, whose arguments are JSON each."""
    held = call if isinstance(call, dict) else {"args": call}
    args = held.get("args")
    arguments = {key: json_or_value(value) for key, value in args.items()} if isinstance(args, dict) else args
    return {"name": as_text(held.get("name")), "arguments": arguments, "id": link}


FORMAT = Antigravity()
