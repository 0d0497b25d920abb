"""LangChain's messages as it writes them: serialised objects (`lc`), `type` with `data`, or flat with a `type`."""

from __future__ import annotations

from typing import Any

from .base import Detection, Origin
from .chat_format import Chat, ChatFormat, chat_of, messages_under
from .plain import is_list, not_an_object, text_or_none
from .roles import sample

__all__ = ["FORMAT", "LangChain", "is_langchain", "message_of"]

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool", "chat": "user",
          "AIMessageChunk": "assistant", "HumanMessageChunk": "user"}  # fmt: skip
_CLASSES = {"HumanMessage": "human", "AIMessage": "ai", "AIMessageChunk": "ai", "SystemMessage": "system",
            "ToolMessage": "tool", "FunctionMessage": "function", "ChatMessage": "chat"}  # fmt: skip


class LangChain(ChatFormat):
    """`{"messages": [{"lc": 1, "type": "constructor", "id": […, "HumanMessage"], "kwargs"}]}`, or a list of such."""

    name = "langchain"
    label = "LangChain messages"
    recognises = "messages with `lc` and `kwargs`, with `type` and `data`, or of type human, ai and tool"

    def detect(self, record: Any) -> Detection | None:
        messages = record if is_list(record) else record.get("messages") if isinstance(record, dict) else None
        if not messages or not is_list(messages):
            return None
        looked_at = list(sample(messages))
        fitting = sum(map(is_langchain, looked_at))
        return Detection(self.name, 0.97 * fitting / len(looked_at), ("messages are LangChain's",)) if fitting else None

    def begins_session(self, line: Any) -> bool:
        return is_langchain(line)

    def look(self, record: Any, origin: Origin) -> Chat:
        held = {"messages": record} if is_list(record) else record
        if not isinstance(held, dict) or "messages" not in held:
            raise not_an_object("a dump of LangChain's", record, origin, "an object with `messages`")
        messages, problems = messages_under(held, "messages")
        return chat_of(held, origin, list(map(message_of, messages)), {"messages"}, problems)


def is_langchain(message: Any) -> bool:
    """Whether a value is a message of LangChain's, in any of its three spellings."""
    if not isinstance(message, dict) or "role" in message:
        return False
    if message.get("lc") == 1:
        return isinstance(message.get("kwargs"), dict)
    kind = message.get("type")
    known = isinstance(kind, str) and kind in _ROLES
    return known and ("content" in message or (isinstance(message.get("data"), dict) and "content" in message["data"]))


def message_of(message: Any) -> Any:
    """A message of LangChain's as one with a role; any other value as it is."""
    if not is_langchain(message):
        return message
    held, kind = _held(message)
    item = {
        key: value
        for key, value in held.items()
        if key not in ("type", "usage_metadata") and value not in (None, {}, [])
    }
    item["role"] = _ROLES.get(kind, "user") if isinstance(kind, str) else "user"
    item.setdefault("content", "")
    if item["role"] == "assistant" and (model := _model_of(held)):
        item["model"] = model
    if isinstance(held.get("usage_metadata"), dict):
        item["usage"] = held["usage_metadata"]
    more = held.get("additional_kwargs")
    if isinstance(more, dict) and more.get("tool_calls") and not item.get("tool_calls"):
        item["tool_calls"] = more["tool_calls"]
    if item["role"] == "tool" and held.get("status") == "error":
        item["is_error"] = True
    return item


def _held(message: dict[Any, Any]) -> tuple[dict[Any, Any], Any]:
    """What holds the fields of a message, and its type: of a dump (`lc`), beside `data`, or of the message itself."""
    if message.get("lc") == 1:
        held, names = message["kwargs"], message.get("id")
        last = names[-1] if isinstance(names, list) and names else None
        return held, held.get("type") or (_CLASSES.get(last) if isinstance(last, str) else None)
    data = message.get("data")
    return (data if isinstance(data, dict) else message), message.get("type")


def _model_of(held: dict[Any, Any]) -> str | None:
    about = held.get("response_metadata")
    if not isinstance(about, dict):
        return None
    return text_or_none(about.get("model_name")) or text_or_none(about.get("model"))


FORMAT = LangChain()
