"""The messages of a long chat, each built when it is looked at: a viewer opens 100,000 without building them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from msgspec import Raw, Struct
from msgspec.json import Decoder

from trajview.models.said import strings_within

from .blocks import said_in
from .built import Labelled, Logged, MessagesOnDemand, model_in, texts_in
from .chat import Conversation, message_models
from .outline import add_to, outline_of_texts
from .parts import parse_arguments
from .plain import as_text
from .plainly import Plain, chat_call, plainly
from .roles import ROLES, Piece, pieces_of
from .unread import (
    ABSENT,
    LAZY_FROM,
    UNDECODED,
    WHOLE,
    Decode,
    Measured,
    Outline,
    Unread,
    Usual,
    json_in_order,
    json_of,
    new_outline,
)

if TYPE_CHECKING:
    from trajview.models.messages import ChatMessage

__all__ = ["LAZY_FROM", "LazyMessages", "strings_in"]

_PLAIN_KEYS = frozenset({"role", "content", "tool_calls", "tool_call_id", "id"})
_CALL_ROLES = ("function_call", "tool_call")
"""Spellings of an assistant whose text may be a call."""
_CALL_KEYS = frozenset({"id", "type", "function"})
_NEAR = 40
_QUOTE, _NULL = b'"n'


class _Function(Struct, forbid_unknown_fields=True, gc=False):
    name: str
    arguments: str | dict[str, Any] | None


class _Call(Struct, forbid_unknown_fields=True, gc=False):
    function: _Function
    id: Any = None
    type: Any = None


class _Plain(Struct, forbid_unknown_fields=True, gc=False):
    """A message that says nothing but its content and its calls."""

    role: Any = None
    content: str | None = None
    tool_calls: list[_Call] | None = None
    tool_call_id: Any = None
    id: Any = None


_decode_plain: Final = Decoder(_Plain).decode
_decode_calls: Final = Decoder(list[_Call] | None).decode


_MORE: Final = sorted({*Usual.__struct_fields__} - _PLAIN_KEYS)
_NO_MORE: Final = (ABSENT,) * len(_MORE)
_more: Final = attrgetter(*_MORE)


class LazyMessages(MessagesOnDemand):
    """The messages that logged items become, as `Conversation` builds them; the last few thousand are kept.

    `roles` and `strings` know what can be known without building.
    """

    def __init__(self, items: Sequence[Any]) -> None:
        super().__init__()
        self._pieces: list[Any] = []  # an item as it was logged where it is one message, else a Piece of one
        self.roles: list[str] = []
        """The role of each message."""
        self._outline: Outline | None = None
        """What is known of them, where they are bytes: then the pieces are elements of a list, each maybe several times."""
        self._in_events = False
        self._decode: Decode | None = None
        if isinstance(items, Unread):
            self._decode = items.decode
            self._take_unread(items)
        else:
            self._take(items)
        self._calls: dict[str, list[tuple[int, str]]] | None = None

    def _take(self, items: Sequence[Any]) -> None:
        add, add_role = self._pieces.append, self.roles.append
        for item in items:
            # Nearly all items are such; the rest takes ten times as long.
            if type(item) is dict and type(role := item.get("role")) is str and role in ROLES:
                content = item.get("content")
                if content is None or type(content) is str:
                    add(item)
                    add_role(ROLES[role])
                    continue
            for piece in pieces_of(item):
                add(piece)
                add_role(piece.role)

    def _take_unread(self, items: Unread) -> None:
        """The same of items that are bytes, and stay so where they are one message."""
        self._unread, outline = items, items.outline
        if outline is None and items.usual is not None:
            outline = outline_of_texts(items.usual)
        if outline is None:
            outline = new_outline()
            for element, (raw, head) in enumerate(items.told()):
                if not add_to(outline, element, head):
                    for place, piece in enumerate(found := pieces_of(items.decode(json_of(raw)))):
                        is_whole = len(found) == 1 and piece.result is None
                        outline.add(element, piece.role, None, WHOLE if is_whole else place)
        elements = outline.elements
        self._pieces = list(items.raws) if elements is None else [items.raws[element] for element in elements]
        self._outline, self.roles, items.outline = outline, outline.roles, outline
        self._in_events = items.in_events

    def _piece(self, index: int) -> Piece:
        found = self._pieces[index]
        if isinstance(found, Piece):
            return found
        if self._decode is not None and self._outline is not None:
            if type(found) in UNDECODED:
                found = self._decode(json_in_order(found))
            place = self._outline.places.get(index, WHOLE)
            if place != WHOLE:
                return pieces_of(found)[place]
        return Piece(self.roles[index], found)

    def _build(self, index: int) -> ChatMessage:
        return message_models([self._plain(index)])[0]

    def _plain(self, index: int) -> dict[str, Any]:
        piece = self._piece(index)
        if piece.role != "tool":
            return Conversation().add(piece)
        before = self._piece(index - 1) if index else None
        conversation = Conversation.after(
            self._functions(piece, index), [Conversation().add(before)] if before is not None else []
        )
        return conversation.add(piece)

    def _functions(self, piece: Piece, index: int) -> dict[str, str]:
        """What the calls that a tool's answer refers to are named: by its id, the last call before it."""
        known: dict[str, str] = {}
        for holder in (piece.item, piece.result):
            if not isinstance(holder, dict):
                continue
            for key in ("tool_call_id", "call_id", "tool_use_id"):
                if holder.get(key) is None:
                    continue
                call = as_text(holder[key])
                name = self._function(call, index)
                if name is not None:
                    known[call] = name
        return known

    def _function(self, call: str, index: int) -> str | None:
        """The function of the last call of that id before a message. An answer nearly always follows its call."""
        for before in range(index - 1, max(-1, index - _NEAR), -1):
            if self.roles[before] == "assistant":
                for made, function in reversed(_calls_of(self._piece(before))):
                    if made == call:
                        return function
        if index <= _NEAR:
            return None
        if self._calls is None:
            self._calls = _calls_in(map(self._piece, range(len(self))))
        places = self._calls.get(call, [])
        last = bisect_left(places, (index, "")) - 1
        return places[last][1] if last >= 0 else None

    def measured(self) -> list[Measured]:
        if self._outline is not None:
            return [size or self._measured(index) for index, size in enumerate(self._outline.sizes)]
        return [self._measured(index) for index in range(len(self))]

    def _measured(self, index: int) -> Measured:
        item = self._pieces[index]
        said: Any = None
        if type(item) is dict:
            said = item.get("content") or ""
        elif isinstance(item, Piece) and item.blocks is None and item.result is None and type(item.item) is dict:
            item = item.item
            said = item.get("value")  # ShareGPT's
        if type(said) is str:
            calls = item.get("tool_calls")
            return said.count("\n") + 1 if said else 0, len(said), 2 * len(calls) if isinstance(calls, list) else 0
        texts = [text for text in self.strings(index) if len(text) > 40 or "\n" in text]
        return sum(text.count("\n") + 1 for text in texts), sum(map(len, texts)), 0

    def undecoded(self, index: int) -> bytes | None:
        if self._outline is None or (self._outline.as_bytes is not None and not self._outline.as_bytes[index]):
            return None
        found = self._pieces[index]
        return bytes(json_of(found)) if type(found) in UNDECODED else None

    def logged(self, index: int) -> Logged | None:
        found = self._pieces[index]
        if type(found) is not Usual or _more(found) != _NO_MORE or found.role in _CALL_ROLES:
            return None
        content, calls = found.content, found.tool_calls
        if content is not ABSENT and (first := memoryview(content)[0]) != _QUOTE:
            if first != _NULL:
                return None
            content = ABSENT
        if calls is ABSENT:
            return content, None
        return (content, calls) if self.roles[index] == "assistant" else None

    def called(self, calls: Raw) -> list[str] | None:
        try:
            return _texts_called(_decode_calls(calls) or ())
        except ValueError:  # it holds something else, or bytes that are no text
            return None

    def plain(self, index: int) -> Plain | None:
        piece = self._piece(index)
        found = plainly(piece.item, chat_call) if piece.result is None and piece.blocks is None else None
        if found is None and (said := said_in(piece)) is not None:
            found = said.plain()
        return found

    def _model(self, index: int) -> str | None:
        found = self._pieces[index]
        if self._in_events and type(found) in UNDECODED:
            found = self._piece(index)
        return model_in(found.item if isinstance(found, Piece) else found)

    def searchable(self, index: int) -> list[str] | None:
        if (logged := self.logged(index)) is not None and (texts := texts_in(self, logged)) is not None:
            return texts
        raw = self._pieces[index]
        if type(raw) is Raw:
            try:
                plain = _decode_plain(raw)
            except ValueError:  # it holds something else, or bytes that are no text
                pass
            else:
                return _texts_of(plain, self.roles[index])
        return self._searchable(index)

    def _searchable(self, index: int) -> list[str] | None:
        piece = self._piece(index)
        item = piece.item
        if not isinstance(item, dict):
            return None
        if not item.keys() <= _PLAIN_KEYS or not isinstance(item.get("content"), str | None):
            said = said_in(piece)
            return None if said is None else said.searchable()
        if item.get("role") in _CALL_ROLES:
            return None
        content = item.get("content")
        texts = [content] if content else []
        calls = item.get("tool_calls")
        if calls:
            if self.roles[index] != "assistant" or not isinstance(calls, list):
                return None
            for call in calls:
                function = call.get("function") if isinstance(call, dict) and call.keys() <= _CALL_KEYS else None
                if not isinstance(function, dict) or function.keys() != {"name", "arguments"}:
                    return None
                name, (arguments, problem) = function["name"], parse_arguments(function["arguments"])
                if problem is not None or not isinstance(name, str) or name in ("", "?"):
                    return None
                texts.append(name)
                texts += strings_within(arguments)
        return texts

    def labelled(self, index: int) -> list[Labelled] | None:
        if self.searchable(index) is None:
            return None
        piece, tool = self._piece(index), None
        if piece.role == "tool":
            call = piece.item.get("tool_call_id") if piece.result is None else piece.result.get("tool_use_id", "")
            if not isinstance(call, str):
                return None
            tool = self._functions(piece, index).get(call)
        if (said := said_in(piece)) is not None:
            return said.labelled(tool)
        content = piece.item.get("content")
        found: list[Labelled] = [("text", content, tool)] if content else []
        for call in piece.item.get("tool_calls") or ():
            name, (arguments, _) = call["function"]["name"], parse_arguments(call["function"]["arguments"])
            found.append(("arguments", name, name))
            found += [("arguments", text, name) for text in strings_within(arguments)]
        return found

    def strings(self, index: int) -> list[str]:
        """Every text of a logged message, keys left out: what it says is among them, and more."""
        piece = self._piece(index)
        if piece.result is not None:
            return strings_in(piece.result)
        if piece.blocks is not None:
            return strings_in(piece.blocks)
        return strings_in(piece.item)


def _texts_of(plain: _Plain, role: str) -> list[str] | None:
    if plain.role in _CALL_ROLES:
        return None
    texts = [plain.content] if plain.content else []
    if plain.tool_calls:
        called = _texts_called(plain.tool_calls) if role == "assistant" else None
        return None if called is None else texts + called
    return texts


def _texts_called(calls: Iterable[_Call]) -> list[str] | None:
    """What some calls say; None where that has to be built."""
    texts: list[str] = []
    for call in calls:
        arguments, problem = parse_arguments(call.function.arguments)
        if problem is not None or call.function.name in ("", "?"):
            return None
        texts.append(call.function.name)
        texts += strings_within(arguments)
    return texts


def _calls_of(piece: Piece) -> list[tuple[str, str]]:
    """The calls that a piece makes: id and function of each, in order."""
    if piece.role != "assistant" or not isinstance(piece.item, dict):
        return []
    calls = Conversation().add(piece).get("tool_calls") or []
    return [(call["id"], call["function"]) for call in calls if call.get("id")]


def _calls_in(pieces: Iterable[Piece]) -> dict[str, list[tuple[int, str]]]:
    """Where calls of each id are made, ascending, and of which function."""
    found: dict[str, list[tuple[int, str]]] = {}
    for index, piece in enumerate(pieces):
        for call, function in _calls_of(piece):
            found.setdefault(call, []).append((index, function))
    return found


def strings_in(value: object) -> list[str]:
    """Every text within a decoded value, in order; keys are left out."""
    if isinstance(value, str):
        return [value]
    found: list[str] = []
    stack: list[Any] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, dict):
            stack.extend(reversed(list(item.values())))
        elif isinstance(item, list):
            stack.extend(reversed(item))
    return found
