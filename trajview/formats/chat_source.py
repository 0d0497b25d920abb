"""The messages of a chat, each read when it is looked at: a run of 100,000 opens without reading them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, Final, Literal

from msgspec import UNSET, Raw, Struct, UnsetType, convert
from msgspec.json import Decoder

from trajview.models.messages import ChatMessage, Measured, MessageSource, ToolCall, fitting_message

from .chat import Conversation, message_of
from .logged import Decode, Elements
from .outline import WHOLE, Outline, outline_of
from .parts import parse_arguments
from .plain import as_text, put
from .roles import ROLES, Piece, pieces_of

__all__ = ["ChatSource", "strings_in"]

_LONGEST: Final = 8 << 20
"""Bytes of a message from which on it is decoded with an eye on memory: without some, msgspec would end the process."""
_NEAR: Final = 40


class _Function(Struct, forbid_unknown_fields=True, gc=False):
    name: str
    arguments: str | dict[str, Any] | None


class _Call(Struct, forbid_unknown_fields=True, gc=False):
    function: _Function
    id: str | None = None
    type: Literal["function"] | None = None


class _Usual(Struct, forbid_unknown_fields=True, gc=False):
    """A message as most are logged: each key is a field of the model, or has no value, and each value is of its type."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str | None = None
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None
    name: str | None = None
    metadata: dict[str, Any] | None = None
    id: str | UnsetType = UNSET
    timestamp: str | UnsetType = UNSET
    model: str | UnsetType = UNSET
    usage: dict[str, Any] | UnsetType = UNSET
    annotations: Any = UNSET
    refusal: None = None
    reasoning_content: None = None
    function_call: None = None
    audio: None = None


_decode_usual: Final = Decoder(_Usual).decode


class ChatSource(MessageSource):
    """The messages that logged items become, as `Conversation` builds them. `roles`: the role of each."""

    def __init__(self, items: Sequence[Any]) -> None:
        super().__init__()
        self._pieces: list[Any] = []  # an item as it was logged where it is one message, else a Piece of one
        self.roles: list[str] = []
        self._outline: Outline | None = None
        """What is known of them, where they are bytes: then the pieces are elements of a list, each maybe several times."""
        self._decode: Decode | None = None
        if isinstance(items, Elements):
            self._decode = items.decode
            self._take_elements(items)
        else:
            self._take(items)
        self._calls: dict[str, list[tuple[int, str]]] | None = None
        self._recent: dict[int, list[tuple[str, str]]] = {}
        """The calls of messages that were looked at lately, by their number."""

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

    def _take_elements(self, items: Elements) -> None:
        """The same of items that are bytes, and stay so where they are one message."""
        self._outline = outline = outline_of(items)
        logged = items.logged
        self._pieces = [logged[element] for element in outline.elements]
        self.roles = outline.roles

    def _piece(self, index: int) -> Piece:
        found = self._pieces[index]
        if isinstance(found, Piece):
            return found
        if self._decode is not None and self._outline is not None:
            if isinstance(found, Raw):
                found = self._decode(memoryview(found))
            place = self._outline.places.get(index, WHOLE)
            if place != WHOLE:
                return pieces_of(found)[place]
        return Piece(self.roles[index], found)

    def read(self, at: int) -> ChatMessage:
        usual = self._usual(at)
        return message_of(self._plain(at)) if usual is None else self._built(usual, at)

    def _usual(self, at: int) -> _Usual | None:
        """A message as most are logged; None where it is another, which takes four times as long to read, or is large."""
        found = self._pieces[at]
        if isinstance(found, Piece):
            return None
        try:
            if not isinstance(found, Raw):
                usual = convert(found, _Usual)
            elif memoryview(found).nbytes <= _LONGEST:
                usual = _decode_usual(found)
            else:
                return None
        except (ValueError, RecursionError):  # it holds something else, or bytes that are no text
            return None
        if usual.role != "assistant" and (usual.tool_calls is not None or usual.model is not UNSET):
            return None
        return None if usual.role != "tool" and usual.tool_call_id is not None else usual

    def _built(self, usual: _Usual, at: int) -> ChatMessage:
        values: dict[str, Any] = {"content": usual.content or "", "metadata": usual.metadata or {}}
        for name in ("id", "timestamp", "model", "usage"):
            value = getattr(usual, name)
            if value is not UNSET:
                values[name] = value
        if usual.annotations is not UNSET:  # of no field, but OpenAI's own program writes them always
            put(values["metadata"], "annotations", usual.annotations)
        if usual.role == "tool":
            values["tool_call_id"] = usual.tool_call_id
            values["function"] = self._answered(usual, at)
        else:
            values["name"] = usual.name
        if usual.role == "assistant":
            calls = [_built_call(call) for call in usual.tool_calls or ()]
            values["tool_calls"] = calls or None
            self._note(at, [(call.id, call.function) for call in calls])
        return fitting_message(usual.role, **values)

    def _answered(self, usual: _Usual, at: int) -> str | None:
        """The function whose call an answer is of, by the rules of `Conversation`."""
        if usual.name is not None:
            return usual.name
        if usual.tool_call_id is not None:
            return self._function(usual.tool_call_id, at)
        before = self._calls_at(at - 1) if at else []
        return before[0][1] if len(before) == 1 else None

    def _plain(self, index: int) -> dict[str, Any]:
        piece = self._piece(index)
        if piece.role == "tool":
            before = [function for _, function in self._calls_at(index - 1)] if index else []
            return Conversation.after(self._functions(piece, index), before).add(piece)
        made = Conversation().add(piece)
        if piece.role == "assistant":
            self._note(index, _calls_in(made))
        return made

    def _calls_at(self, index: int) -> list[tuple[str, str]]:
        """The calls that a message makes: id and function of each, in order."""
        if self.roles[index] != "assistant":
            return []
        found = self._recent.get(index)
        if found is None:
            usual = self._usual(index)
            if usual is None:
                found = _calls_in(Conversation().add(self._piece(index)))
            else:
                found = [(call.id or "", call.function.name) for call in usual.tool_calls or ()]
            self._note(index, found)
        return found

    def _note(self, index: int, calls: list[tuple[str, str]]) -> None:
        """Keep the calls of a message for the answers that follow it."""
        if len(self._recent) > 4 * _NEAR:
            self._recent = {}
        self._recent[index] = calls

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
        if not call:  # calls without an id have none in common
            return None
        for before in range(index - 1, max(-1, index - _NEAR), -1):
            for made, function in reversed(self._calls_at(before)):
                if made == call:
                    return function
        if index <= _NEAR:
            return None
        if self._calls is None:
            self._calls = self._all_calls()
        places = self._calls.get(call, [])
        last = bisect_left(places, (index, "")) - 1
        return places[last][1] if last >= 0 else None

    def _all_calls(self) -> dict[str, list[tuple[int, str]]]:
        """Where calls of each id are made, ascending, and of which function."""
        found: dict[str, list[tuple[int, str]]] = {}
        for index in range(len(self.roles)):
            for call, function in self._calls_at(index):
                if call:
                    found.setdefault(call, []).append((index, function))
        return found

    def size(self, at: int) -> Measured:
        known = None if self._outline is None else self._outline.sizes[at]
        return self._measured(at) if known is None else known

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

    def logged(self, at: int) -> bytes | memoryview | None:
        if self._outline is None or not self._outline.as_bytes[at]:
            return None
        found = self._pieces[at]
        return memoryview(found) if isinstance(found, Raw) else None

    def texts(self, at: int) -> list[str]:
        usual = self._usual(at)
        if usual is None:
            return super().texts(at)
        texts = [usual.content] if usual.content else []
        for call in usual.tool_calls or ():
            texts += filter(None, _built_call(call).said())
        return texts

    def strings(self, index: int) -> list[str]:
        """Every text of a logged message, keys left out: what it says is among them, and more."""
        piece = self._piece(index)
        if piece.result is not None:
            return strings_in(piece.result)
        if piece.blocks is not None:
            return strings_in(piece.blocks)
        return strings_in(piece.item)


def _built_call(call: _Call) -> ToolCall:
    """What `tool_call` makes of a usual one."""
    name = call.function.name
    arguments, problem = parse_arguments(call.function.arguments)
    if name == "?" and problem is None:
        problem = "the call names no function"
    return ToolCall(id=call.id or "", function=name, arguments=arguments, type=call.type, parse_error=problem)


def _calls_in(made: dict[str, Any]) -> list[tuple[str, str]]:
    """The calls of a message that was built: id and function of each."""
    return [(call.get("id") or "", call["function"]) for call in made.get("tool_calls") or ()]


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
