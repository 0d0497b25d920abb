"""Anthropic messages: `system` beside `messages`, whose content is blocks."""

from __future__ import annotations

from typing import Any

from .base import Detection, Origin
from .chat_format import Chat, ChatFormat, chat_of, messages_under
from .logged import joined
from .plain import is_list, not_an_object
from .traits import traits_of

__all__ = ["FORMAT", "AnthropicMessages"]


class AnthropicMessages(ChatFormat):
    """`{"system": …, "messages": [{"role", "content": [blocks]}], …}`; an answer under `response` is its last message."""

    name = "anthropic"
    label = "Anthropic messages"
    recognises = "`messages` with blocks such as `tool_use` and `thinking`, or with `system` beside them"

    def detect(self, record: Any) -> Detection | None:
        if not isinstance(record, dict):
            return None
        messages = record.get("messages")
        if not is_list(messages) or not messages:
            return None
        traits = traits_of(messages)
        if not traits.messages or traits.nested_calls:
            return None
        why = []
        confidence = 0.0
        if traits.anthropic_blocks:
            confidence = 0.9
            why.append(f"content has blocks of type {', '.join(sorted(traits.anthropic_blocks))}")
        if isinstance(record.get("system"), (str, list)) and traits.roles <= {"user", "assistant"}:
            confidence = 0.97 if confidence else 0.85
            why.append("`system` stands beside `messages`")
        return Detection(self.name, confidence, tuple(why)) if confidence else None

    def look(self, record: Any, origin: Origin) -> Chat:
        if not isinstance(record, dict) or "messages" not in record:
            raise not_an_object("an Anthropic log", record, origin, "an object with `messages`")
        items, problems = messages_under(record, "messages")
        system = record.get("system")
        used = {"messages"}
        if "system" in record:
            used.add("system")
            if system:
                items = joined(items, [{"role": "system", "content": system}])
        if _answers(record):
            used.add("response")
            items = joined(items, after=[record["response"]])
        return chat_of(record, origin, items, used, problems)


def _answers(record: dict[str, Any]) -> bool:
    """Whether the answer that was logged is a message of its own."""
    response = record.get("response")
    return isinstance(response, dict) and response.get("role") == "assistant" and "content" in response


FORMAT = AnthropicMessages()
