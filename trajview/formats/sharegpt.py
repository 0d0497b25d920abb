"""ShareGPT: `conversations` of turns with `from` and `value`, or with `role` and `content`."""

from __future__ import annotations

from typing import Any

from .base import Detection, Origin
from .chat_format import Chat, ChatFormat, chat_of, messages_under
from .plain import not_an_object
from .roles import sample
from .traits import traits_of

__all__ = ["FORMAT", "ShareGPT"]

_KEYS = ("conversations", "conversation", "items")


def _has_turns(value: Any) -> bool:
    return isinstance(value, list) and any(
        isinstance(turn, dict) and isinstance(turn.get("from"), str) and "value" in turn for turn in sample(value)
    )


def _key_of(record: dict[Any, Any]) -> str | None:
    for key in _KEYS:
        if _has_turns(record.get(key)):
            return key
    turns = record.get("conversations")
    return "conversations" if isinstance(turns, list) and traits_of(turns).messages else None


class ShareGPT(ChatFormat):
    """`{"conversations": [{"from": "human", "value": …}], "system": …, …}`."""

    name = "sharegpt"
    label = "ShareGPT conversation"
    recognises = "`conversations` is a list of messages with `from` and `value`"

    def detect(self, record: Any) -> Detection | None:
        if not isinstance(record, dict):
            return None
        key = _key_of(record)
        if key is None:
            return None
        if _has_turns(record[key]):
            return Detection(self.name, 0.95, (f"`{key}` is a list of turns with `from` and `value`",))
        return Detection(self.name, 0.85, ("`conversations` is a list of messages with role and content",))

    def look(self, record: Any, origin: Origin) -> Chat:
        if not isinstance(record, dict):
            raise not_an_object("a ShareGPT record", record, origin)
        key = _key_of(record) or next((key for key in _KEYS if key in record), None)
        if key is None:
            raise not_an_object("a ShareGPT record", record, origin, "an object with `conversations`")
        items, problems = messages_under(record, key)
        used = {key}
        system = record.get("system")
        if isinstance(system, str):
            used.add("system")
            if system:
                items = [{"role": "system", "content": system}, *items]
        return chat_of(record, origin, items, used, problems)


FORMAT = ShareGPT()
