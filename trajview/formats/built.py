"""Messages that are built when they are looked at: what the sequences of the formats share."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Raw, Struct
from msgspec.json import Decoder

from trajview.models.on_demand import OnDemand

from .plainly import Plain
from .stretches import Stretch, stretches_of
from .unread import ABSENT, Measured, Told, Unread, Usual, json_of

if TYPE_CHECKING:
    from trajview.models.messages import ChatMessage

__all__ = [
    "Labelled", "Logged", "Measured", "MessagesOnDemand", "is_odd", "length_of_calls", "measured_in", "measured_in_all",
    "measured_texts", "model_in", "size_of_text", "size_of_texts", "texts_in",
]  # fmt: skip

_KEPT = 4_000
_TEXT_OR_PARTS = frozenset(b'"[')
_QUOTE, _NULL = b'"n'
_LOOKED_AT = 256
"""Bytes of a text that is not decoded whose lines are counted; the rest has as many, for all that is known."""
_ESCAPED = re.compile(rb"\\u(?:00[2-7]|001[bB]|013[01]|017[fF]|212[aA])")
"""A character, escaped, that is an ASCII letter or matches one where case is ignored; or that begins a colour's code."""
_ODD = ("\u0130".encode(), "\u0131".encode(), "\u017f".encode(), "\u212a".encode())
"""The latter as they are: they match an i, an s and a k."""

Labelled = tuple[Literal["text", "reasoning", "arguments"], str, str | None]
Logged = tuple[Raw, Raw | None]
"""JSON of a text and of calls, as they were logged; that of no text is empty."""


class MessagesOnDemand(OnDemand["ChatMessage"]):
    """Messages of which the last few thousand that were looked at are kept. `roles` are known of all."""

    roles: list[str]
    makes_calls = True
    """Whether there may be calls in them, and answers."""
    _unread: Unread | None = None
    """What they are made of, where that is bytes. Its outline tells which element."""

    def __init__(self) -> None:
        self._built: OrderedDict[int, ChatMessage] = OrderedDict()
        self._stretches: list[Stretch] | None = None

    def _build(self, index: int) -> ChatMessage:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.roles)

    def _item(self, index: int) -> ChatMessage:
        found = self._built.get(index)
        if found is None:
            if not -len(self) <= index < len(self):
                raise IndexError(index)
            if index < 0:
                return self._item(index + len(self))
            found = self._built[index] = self._build(index)
            while len(self._built) > _KEPT:
                try:
                    self._built.popitem(last=False)
                except KeyError:  # another thread was faster
                    break
        return found

    def measured(self) -> list[Measured]:
        """How long each message is: of texts, not built messages."""
        raise NotImplementedError

    def undecoded(self, index: int) -> bytes | None:  # noqa: ARG002 - of those that know some
        """The JSON of a message whose content is a text, where that is not decoded yet."""
        return None

    def stretches(self) -> list[Stretch]:
        """All messages in stretches of the bytes that they stand in; empty where that is not known."""
        if self._stretches is None:
            unread = self._unread
            found = [] if unread is None else stretches_of(unread.data, unread.raws)
            if unread is not None and unread.outline is not None and (elements := unread.outline.elements) is not None:
                found = [(bisect_left(elements, start), bisect_left(elements, end), data) for start, end, data in found]
            self._stretches = found
        return self._stretches

    def logged(self, index: int) -> Logged | None:  # noqa: ARG002 - of those that know some
        """The JSON of a message's text and calls, where it says nothing else and neither is decoded yet."""
        return None

    def called(self, calls: Raw) -> list[str] | None:
        """What the calls of a message that is `logged` say, as `searchable` has it; None where it must be built."""
        raise NotImplementedError

    def plain(self, index: int) -> Plain | None:
        """What is said and called in a message; None where it must be built."""
        raise NotImplementedError

    def models(self) -> dict[str, None]:
        """The models that messages of the assistant name, in order."""
        found: dict[str, None] = {}
        for index, role in enumerate(self.roles):
            if role == "assistant" and (model := self._model(index)):
                found[model] = None
        return found

    def _model(self, index: int) -> str | None:
        """The model that a message of the assistant names."""
        raise NotImplementedError

    def searchable(self, index: int) -> list[str] | None:
        """All that is said and called in a message, as `highlight.text_of` joins it; None where it must be built."""
        raise NotImplementedError

    def labelled(self, index: int) -> list[Labelled] | None:  # noqa: ARG002 - of those that know some
        """The same with the field that each text is of, and its tool; None where the message must be built for that."""
        return None


_decode_text: Final = Decoder(str).decode


def texts_in(messages: MessagesOnDemand, logged: Logged) -> list[str] | None:
    """What `searchable` gives of a message of which this is the JSON; None where that has to be built, or is no UTF-8."""
    content, calls = logged
    try:
        text = "" if content is ABSENT else _decode_text(content)
    except ValueError:
        return None
    if calls is None:
        return [text] if text else []
    called = messages.called(calls)
    return [text, *called] if text and called is not None else called


class _Model(Struct, gc=False):
    model: Any = None


_decode_model: Final = Decoder(_Model).decode


def model_in(logged: Any) -> str | None:
    """The model that a logged message names: one that is decoded, or bytes."""
    if isinstance(logged, Raw | Usual):
        try:
            logged = {"model": _decode_model(json_of(logged)).model}
        except ValueError:  # no object, or bytes that are no text
            return None
    model = logged.get("model") if isinstance(logged, dict) else None
    return model if isinstance(model, str) else None


def is_odd(logged: bytes) -> bool:
    """Whether ASCII letters may be in a message, or match one that is, which these bytes of it do not show side by side."""
    if (b"\\u" in logged and _ESCAPED.search(logged)) or b"\x1b" in logged:
        return True
    return not logged.isascii() and any(odd in logged for odd in _ODD)


def measured_in_all(messages: Iterable[Usual]) -> list[Measured] | None:
    """What `measured_in` gives of each; None where the content of one is neither a text nor null."""
    sizes: list[Measured] = []
    add = sizes.append
    for message in messages:
        content = memoryview(message.content)
        length = len(content) - 2
        lines = 0
        if length > -2 and content[0] != _QUOTE:
            if content[0] != _NULL:
                return None
            length = 0
        elif length > _LOOKED_AT:
            lines = 1 + content[:_LOOKED_AT].tobytes().count(b"\\n") * length // _LOOKED_AT
        elif length > 0:
            lines = 1 + content[:length].tobytes().count(b"\\n")
        else:
            length = 0
        calls = message.tool_calls
        add((lines, length, 0 if calls is ABSENT else 2 * bytes(calls).count(b'"arguments"')))
    return sizes


def measured_in(head: Told) -> Measured:
    """The size of a message that is not decoded, from its bytes."""
    lines, length = size_of_text(memoryview(head.content))
    return lines, length, length_of_calls(head.tool_calls)


def size_of_text(content: memoryview) -> tuple[int, int]:
    """Lines and characters of a text or of parts that are not decoded, about."""
    length = len(content) - 2
    if length <= 0 or content[0] not in _TEXT_OR_PARTS:
        return 0, 0
    seen = min(length, _LOOKED_AT)
    return 1 + bytes(content[:seen]).count(b"\\n") * length // seen, length


def size_of_texts(texts: Iterable[Raw]) -> tuple[int, int]:
    """The same of some of them together; an absent one is empty."""
    lines = length = 0
    for text in texts:
        if text is not ABSENT:
            more, longer = size_of_text(memoryview(text))
            lines += more
            length += longer
    return lines, length


def measured_texts(texts: Iterable[Any]) -> tuple[int, int]:
    """Lines and characters of texts that are decoded; what is no text has none."""
    lines = length = 0
    for text in texts:
        if type(text) is str and text:
            lines += text.count("\n") + 1
            length += len(text)
    return lines, length


def length_of_calls(calls: Any) -> int:
    """Lines of the calls of a message, which may not be decoded, about."""
    if not calls or calls is ABSENT:
        return 0
    return 2 * bytes(calls).count(b'"arguments"') if isinstance(calls, Raw) else 2 * len(calls)
