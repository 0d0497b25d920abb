"""The messages of a long Docent transcript, each built by Docent's own rules when it is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Raw, Struct
from msgspec.json import Decoder

from trajview.models.said import strings_within

from .built import Labelled, Logged, Measured, MessagesOnDemand, measured_in, measured_in_all, model_in, texts_in
from .docent import message_of
from .plainly import Plain, docent_call, plainly
from .roles import ROLES, role_of, roles_of
from .unread import ABSENT, Unread, Usual, json_of

if TYPE_CHECKING:
    from trajview.models.messages import ChatMessage

__all__ = ["DocentMessages"]

_ANSWER_KEYS = frozenset({"role", "content", "tool_call_id", "function", "id"})
_KEYS = {
    "system": frozenset({"role", "content", "id"}),
    "user": frozenset({"role", "content", "id"}),
    "assistant": frozenset({"role", "content", "id", "tool_calls", "model"}),
    "tool": _ANSWER_KEYS,
}
"""Keys of messages that are built as they are logged, where each value is a text or null."""
_QUOTE = ord('"')
_CALL_KEYS = frozenset({"id", "function", "arguments", "type"})


_TEXT_OR_NULL = frozenset(b'"n')
_TEXTS = ("id", "tool_call_id", "function", "model")
_VALUES = {
    role: (
        attrgetter(*(others := sorted({*Usual.__struct_fields__} - keys - {"role"}))),
        (ABSENT,) * len(others),
        attrgetter(*(name for name in _TEXTS if name in keys), "content"),
    )
    for role, keys in _KEYS.items()
}
"""Of a usual message, by its role: the values that it must not have, what they are then, and those that have to be a text or null."""


class _Call(Struct, forbid_unknown_fields=True, gc=False):
    function: str
    arguments: dict[str, Any] = {}
    id: str = ""
    type: Literal["function"] = "function"


_decode_calls: Final = Decoder(list[_Call] | None).decode


class DocentMessages(MessagesOnDemand):
    """The messages that `docent.message_of` makes of logged items."""

    def __init__(self, items: Sequence[Any]) -> None:
        super().__init__()
        self._items = items
        self._sizes: list[Measured] | None = None
        self._texts = bytearray()
        """Which messages have a role of Docent's and a text, of those that are bytes."""
        if not isinstance(items, Unread):
            self.roles = roles_of(items)
            return
        self._unread = items
        usual = items.usual
        if usual is not None and (sizes := measured_in_all(usual)) is not None:
            self.roles, self._sizes = [ROLES[message.role] for message in usual], sizes
            self._texts = bytearray(
                [length > 0 and message.role in _KEYS for message, (_, length, _) in zip(usual, sizes, strict=True)]
            )
            return
        self.roles, self._sizes, self._texts = [], [], bytearray(len(items))
        for index, (_, head) in enumerate(items.told()):
            role = head.role
            self.roles.append(ROLES[role] if type(role) is str and role in ROLES else role_of(items[index]))
            self._sizes.append(measured_in(head))
            content = memoryview(head.content)
            self._texts[index] = type(role) is str and role in _KEYS and bool(content) and content[0] == _QUOTE

    def _build(self, index: int) -> ChatMessage:
        return message_of(self._items[index])[0]

    def measured(self) -> list[Measured]:
        if self._sizes is not None:
            return self._sizes
        return [_measured(item) for item in self._items]

    def undecoded(self, index: int) -> bytes | None:
        if isinstance(self._items, Unread) and self._texts[index]:
            return bytes(json_of(self._items.raws[index]))
        return None

    def logged(self, index: int) -> Logged | None:
        unread = self._unread
        if unread is None or unread.usual is None or not self._texts[index]:
            return None
        found = unread.usual[index]
        others, without, texts = _VALUES[found.role]
        if others(found) != without:
            return None
        for value in texts(found):
            if value is not ABSENT and memoryview(value)[0] not in _TEXT_OR_NULL:
                return None
        return found.content, None if found.tool_calls is ABSENT else found.tool_calls

    def called(self, calls: Raw) -> list[str] | None:
        try:
            made = _decode_calls(calls) or ()
        except ValueError:  # it holds something else, or bytes that are no text
            return None
        return [text for call in made for text in (call.function, *strings_within(call.arguments))]

    def plain(self, index: int) -> Plain | None:
        return plainly(self._items[index], docent_call)

    def _model(self, index: int) -> str | None:
        return model_in(self._items.raws[index] if isinstance(self._items, Unread) else self._items[index])

    def searchable(self, index: int) -> list[str] | None:
        if (logged := self.logged(index)) is not None and (texts := texts_in(self, logged)) is not None:
            return texts
        item = self._items[index]
        role = item.get("role") if isinstance(item, dict) else None
        if not isinstance(role, str) or item.keys() - _KEYS.get(role, frozenset()):
            return None
        if any(value is not None and type(value) is not str for key, value in item.items() if key != "tool_calls"):
            return None
        content, calls = item.get("content"), item.get("tool_calls")
        texts = [content] if content else []
        if calls is not None and not isinstance(calls, list):
            return None
        for call in calls or ():
            if not isinstance(call, dict) or call.keys() - _CALL_KEYS or call.get("type", "function") != "function":
                return None
            function, arguments = call.get("function"), call.get("arguments", {})
            if type(function) is not str or type(arguments) is not dict or type(call.get("id", "")) is not str:
                return None
            texts.append(function)
            texts += strings_within(arguments)
        return texts

    def labelled(self, index: int) -> list[Labelled] | None:
        if self.searchable(index) is None:
            return None
        item = self._items[index]
        tool = item.get("function") if item["role"] == "tool" else None
        found: list[Labelled] = [("text", item["content"], tool)] if item.get("content") else []
        for call in item.get("tool_calls") or ():
            name = call["function"]
            found.append(("arguments", name, name))
            found += [("arguments", text, name) for text in strings_within(call.get("arguments", {}))]
        return found


def _measured(item: Any) -> Measured:
    content = item.get("content") if isinstance(item, dict) else None
    if isinstance(content, list):
        content = "\n".join(
            text for part in content if isinstance(part, dict) for text in part.values() if isinstance(text, str)
        )
    calls = item.get("tool_calls") if isinstance(item, dict) else None
    lines = 2 * len(calls) if isinstance(calls, list) else 0
    return (content.count("\n") + 1, len(content), lines) if isinstance(content, str) and content else (0, 0, lines)
