"""The messages of a chat, each read when it is looked at: a run of 100,000 opens without reading them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

from msgspec import UNSET, Raw, Struct, UnsetType, convert
from msgspec.json import Decoder

from trajview.models.messages import ChatMessage, Measured, MessageSource, ToolCall, fitting_message

from .chat import Conversation, message_of
from .logged import Elements
from .outline import outline_of, size_in
from .parts import parse_arguments
from .plain import as_text, put
from .roles import Piece, pieces_of

__all__ = ["ChatSource"]

_LONGEST: Final = 8 << 20
"""Bytes of a message from which on it is decoded with an eye on memory: without some, msgspec would end the process."""
_NEAR: Final = 40
_Calls = list[tuple[str, str]]
"""Id and function of each call of a message."""


class _Function(Struct, forbid_unknown_fields=True, gc=False):
    name: str
    arguments: str | dict[str, Any] | None


class _Call(Struct, forbid_unknown_fields=True, gc=False):
    function: _Function
    id: str | None = None
    type: Literal["function"] | None = None


class _PlainMessage(Struct, forbid_unknown_fields=True, gc=False):
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


_decode_usual: Final = Decoder(_PlainMessage).decode


class ChatSource(MessageSource):
    """The messages that logged items become, as `Conversation` builds them. `roles`: the role of each."""

    def __init__(self, items: Sequence[Any]) -> None:
        super().__init__()
        self._items = items if isinstance(items, Elements) else Elements(items)
        self._outline = outline_of(self._items)
        self.roles = self._outline.roles
        self._calls: dict[str, list[tuple[int, str]]] | None = None
        self._recent: dict[int, _Calls] = {}
        """The calls of messages that were looked at lately, by their number."""

    def read(self, at: int) -> ChatMessage:
        usual = self._usual(at)
        return message_of(self._built(at)) if usual is None else self._of_usual(usual, at)

    def _usual(self, at: int) -> _PlainMessage | None:
        """A message as most are logged; None where it is another, which takes four times as long to read, or is large."""
        found = self._items.logged[self._outline.elements[at]]
        try:
            if not isinstance(found, Raw):
                usual = convert(found, _PlainMessage)
            elif memoryview(found).nbytes <= _LONGEST:
                usual = _decode_usual(found)
            else:
                return None
        except (ValueError, RecursionError):  # it holds something else, or bytes that are no text
            return None
        if usual.role != "assistant" and (usual.tool_calls is not None or usual.model is not UNSET):
            return None
        return None if usual.role != "tool" and usual.tool_call_id is not None else usual

    def _of_usual(self, usual: _PlainMessage, at: int) -> ChatMessage:
        values: dict[str, Any] = {"content": usual.content or "", "metadata": usual.metadata or {}}
        for name in ("id", "timestamp", "model", "usage"):
            value = getattr(usual, name)
            if value is not UNSET:
                values[name] = value
        if usual.annotations is not UNSET:  # no field holds them, but OpenAI's own program always writes them
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

    def _answered(self, usual: _PlainMessage, at: int) -> str | None:
        """The function whose call an answer is of, by the rules of `Conversation`."""
        if usual.name is not None:
            return usual.name
        if usual.tool_call_id is not None:
            return self._function(usual.tool_call_id, at)
        before = self._calls_at(at - 1)
        return before[0][1] if len(before) == 1 else None

    def problems(self) -> Iterator[str]:
        """The problems of the messages, for `trajview validate`."""
        for at in range(len(self.roles)):
            usual = self._usual(at)
            if usual is None:
                made = Conversation()
                made.add(self._piece(at))
                yield from made.problems
            else:
                for call in map(_built_call, usual.tool_calls or ()):
                    if call.parse_error:
                        yield f"call of {call.function}: {call.parse_error}"

    def _piece(self, at: int) -> Piece:
        return pieces_of(self._items[self._outline.elements[at]])[self._outline.places.get(at, 0)]

    def _built(self, at: int) -> dict[str, Any]:
        """A message that is none of the usual ones, as data of the reading model."""
        piece = self._piece(at)
        if piece.role == "tool":
            before = [function for _, function in self._calls_at(at - 1)]
            return Conversation.after(self._functions(piece, at), before).add(piece)
        made = Conversation().add(piece)
        self._note(at, _calls_in(made))
        return made

    def _calls_at(self, at: int) -> _Calls:
        """The calls that a message makes, in order; there is none before the first."""
        if at < 0 or self.roles[at] != "assistant":
            return []
        found = self._recent.get(at)
        if found is not None:
            return found
        usual = self._usual(at)
        if usual is None:
            return _calls_in(self._built(at))
        return self._note(at, [(call.id or "", call.function.name) for call in usual.tool_calls or ()])

    def _note(self, at: int, calls: _Calls) -> _Calls:
        """Keep the calls of a message for the answers that follow it."""
        if len(self._recent) > 4 * _NEAR:
            self._recent = {}
        self._recent[at] = calls
        return calls

    def _functions(self, piece: Piece, at: int) -> dict[str, str]:
        """The functions of the calls that a tool's answer refers to: by its id, the last call before it."""
        holders = [holder for holder in (piece.item, piece.result) if isinstance(holder, dict)]
        ids = [as_text(holder.get(key)) for holder in holders for key in ("tool_call_id", "call_id", "tool_use_id")]
        return {call: name for call in ids if (name := self._function(call, at)) is not None}

    def _function(self, call: str, at: int) -> str | None:
        """The function of the last call of that id before a message. An answer nearly always follows its call."""
        if not call:  # calls without an id have none in common
            return None
        for before in range(at - 1, max(-1, at - _NEAR), -1):
            for made, function in reversed(self._calls_at(before)):
                if made == call:
                    return function
        if at <= _NEAR:
            return None
        if self._calls is None:
            self._calls = self._all_calls()
        places = self._calls.get(call, [])
        last = bisect_left(places, (at, "")) - 1
        return places[last][1] if last >= 0 else None

    def _all_calls(self) -> dict[str, list[tuple[int, str]]]:
        """The places where calls of each id are made, ascending, with their functions."""
        found: dict[str, list[tuple[int, str]]] = {}
        for at in range(len(self.roles)):
            for call, function in self._calls_at(at):
                if call:
                    found.setdefault(call, []).append((at, function))
        return found

    def size(self, at: int) -> Measured:
        known = self._outline.sizes.get(at)
        if known is not None:
            return known
        head = self._items.heads()[self._outline.elements[at]]
        return super().size(at) if head is None else size_in(head)

    def logged(self, at: int) -> memoryview | None:
        found = self._items.logged[self._outline.elements[at]]
        return memoryview(found) if isinstance(found, Raw) else None

    def texts(self, at: int) -> list[str]:
        usual = self._usual(at)
        if usual is None:
            return super().texts(at)
        texts = [usual.content] if usual.content else []
        for call in usual.tool_calls or ():
            texts += filter(None, _built_call(call).said())
        return texts


def _built_call(call: _Call) -> ToolCall:
    """A usual call as `tool_call` makes it."""
    name = call.function.name
    arguments, problem = parse_arguments(call.function.arguments)
    if name == "?" and problem is None:
        problem = "the call names no function"
    return ToolCall(id=call.id or "", function=name, arguments=arguments, type=call.type, parse_error=problem)


def _calls_in(made: dict[str, Any]) -> _Calls:
    """The calls of a message that was built."""
    return [(call.get("id") or "", call["function"]) for call in made.get("tool_calls") or ()]
