"""OpenHands trajectories as a list of `entries`: messages, thoughts and commands of an actor."""

from __future__ import annotations

from typing import Any

from .base import Detection, Origin
from .chat_format import Chat, ChatFormat, chat_of, message_item, messages_under
from .plain import not_an_object
from .roles import sample

__all__ = ["FORMAT", "OpenHandsEntries"]


class OpenHandsEntries(ChatFormat):
    """`{"entries": [{"type", "content", "actorType", …}]}`."""

    name = "openhands"
    label = "OpenHands entries"

    def detect(self, record: Any) -> Detection | None:
        entries = record.get("entries") if isinstance(record, dict) else None
        if not isinstance(entries, list) or not entries:
            return None
        if all(isinstance(entry, dict) and "actorType" in entry and "type" in entry for entry in sample(entries)):
            return Detection(self.name, 0.95, ("`entries` have `type` and `actorType`",))
        return None

    def look(self, record: Any, origin: Origin) -> Chat:
        if not isinstance(record, dict) or "entries" not in record:
            raise not_an_object("an OpenHands trajectory", record, origin, "an object with `entries`")
        entries, problems = messages_under(record, "entries")
        return chat_of(record, origin, list(map(_message_of, entries)), {"entries"}, problems)


def _message_of(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    actor, kind = entry.get("actorType"), entry.get("type")
    used = {"actorType", "type", "content"}
    role = actor.lower() if isinstance(actor, str) else actor
    fields: dict[str, Any] = {"role": role, "content": entry.get("content")}
    if kind == "thought" and isinstance(entry.get("content"), str):
        fields["content"] = [{"type": "reasoning", "reasoning": entry["content"]}]
    elif kind == "command" and role in ("assistant", "agent") and "command" in entry:
        used.add("command")
        fields["tool_calls"] = [{"function": "shell", "arguments": {"command": entry["command"]}}]
    elif kind != "message":
        fields["entry_type"] = kind
    return message_item(entry, used, **fields)


FORMAT = OpenHandsEntries()
