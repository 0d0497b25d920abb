"""The events of Copilot's CLI: `session-state/<id>/events.jsonl`. What a sub-agent did is a transcript of its own."""

from __future__ import annotations

from typing import Any

from .base import Origin
from .chat_format import Chat, message_item
from .line_format import LineFormat, failure, reasoning
from .plain import as_text, text_or_none
from .words import AddedWords

__all__ = ["FORMAT", "Copilot"]

_KINDS = frozenset({"session", "user", "assistant", "tool", "system", "hook", "subagent", "skill", "abort"})


class Copilot(LineFormat):
    """`{"type": "assistant.message", "data": {"content", "toolRequests", …}, "id", "timestamp", "parentId"}`."""

    name = "copilot"
    label = "Copilot CLI session"
    recognises = "lines of type `session.start`, `user.message`, `tool.execution_complete` and the like, with `data`"

    added_words = AddedWords(with_bytes=(("failed", ("success",)),))

    def is_line(self, line: Any) -> bool:
        kind = line.get("type")
        return isinstance(kind, str) and kind.partition(".")[0] in _KINDS and isinstance(line.get("data"), dict)

    def session(self, lines: list[Any], origin: Origin) -> Chat:
        chat = Chat(origin.default_id, items := [], None, {})
        functions: dict[str, str] = {}
        branches: dict[str, Chat] = {}
        events: list[Any] = []
        for line in lines:
            data = line.get("data") if isinstance(line, dict) else None
            if not isinstance(data, dict):
                items.append(line)
                continue
            above = text_or_none(data.get("parentToolCallId"))
            call = text_or_none(data.get("toolCallId"))
            if call and text_or_none(data.get("toolName")):
                functions[call] = data["toolName"]
            item = _message(line, data, functions)
            if item is None:
                events.append(line)
                if line.get("type") == "session.start":
                    chat.id = text_or_none(data.get("sessionId")) or chat.id
                elif line.get("type") == "subagent.started" and call:
                    name = text_or_none(data.get("agentDisplayName")) or text_or_none(data.get("agentName")) or "agent"
                    branches[call] = Chat(chat.id, [], name, {"agent": name, "tool_call_id": call})
            elif above:
                branch = branches.setdefault(above, Chat(chat.id, [], functions.get(above), {"tool_call_id": above}))
                branch.items = [*branch.items, item]
            else:
                items.append(item)
        chat.branches = [branch for branch in branches.values() if branch.items]
        if events:
            chat.metadata["events"] = events
        return chat


def _message(line: dict[Any, Any], data: dict[Any, Any], functions: dict[str, str]) -> dict[Any, Any] | None:
    """The message of an event; None where it says nothing to anybody."""
    kind = line.get("type")
    about = {key: line[key] for key in ("id", "timestamp") if line.get(key) is not None}
    step = {key: value for key, value in {**about, **data}.items() if value not in (None, [], "")}
    if kind in ("user.message", "system.message"):
        return message_item(
            step, {"content", "transformedContent"}, role=as_text(kind).partition(".")[0], content=data.get("content")
        )
    if kind == "assistant.message":
        thoughts, spoken = reasoning(data.get("reasoningText")), as_text(data.get("content"))
        said = [{"type": "text", "text": spoken}] if spoken else []
        fields: dict[str, Any] = {"role": "assistant", "content": [*thoughts, *said] if thoughts else spoken}
        if data.get("toolRequests"):
            fields["tool_calls"] = data["toolRequests"]
        if data.get("outputTokens") is not None:
            fields["usage"] = {"output_tokens": data["outputTokens"]}
        return message_item(step, {"content", "reasoningText", "toolRequests", "outputTokens"}, **fields)
    if kind == "tool.execution_complete":
        result, error = data.get("result"), data.get("error")
        text = result.get("content") if isinstance(result, dict) else result
        if not text and isinstance(error, dict):
            text = error.get("message")
        call = as_text(data.get("toolCallId"))
        fields = {"role": "tool", "content": as_text(text or error)}
        fields |= {"tool_call_id": call} if call else {}
        fields |= {"name": functions[call]} if call in functions else {}
        if data.get("success") is False:
            fields["error"] = failure("failed", text or error)
        return message_item(step, {"toolCallId", "result", "error", "success", "model"}, **fields)
    return None


FORMAT = Copilot()
