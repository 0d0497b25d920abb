"""Plain chat records summed up from their bytes: roles and calls are looked at, texts are skipped and never built.

Four times as fast as decoding a record whole. It knows only records of the commonest shape, OpenAI's chats whose
contents are texts, and gives up on everything else; what it finds is what `detect` and `summarise` find, which the
tests hold it to. Detection looks at the keys of a record and at a few messages, so records that have the same of both
are of the same format: the first of them is looked at in full (`learn`), those after it here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Raw

from trajview.models.units import count_units

from . import openai
from .base import Origin, Summary
from .chat_format import EMPTY_PROBLEM, chat_of
from .roles import ROLES, sample

__all__ = ["QuickLook"]

_MAX_KEYS: Final = 60
_MAX_SHAPES: Final = 2000
_MAX_MISSES: Final = 20
_RARELY: Final = 16
"""After many records in a row that it does not know, it looks at one in so many."""
_BLOCK: Final = 4096
_TEXT_OR_NULL: Final = frozenset(b'"n')
_CONTENT: Final = attrgetter("content")
_ROLE: Final = attrgetter("role")
_MODEL: Final = attrgetter("model")
_CALLS: Final = attrgetter("tool_calls")
_FIRST: Final = itemgetter(0)
_VIEW: Final[Callable[[Raw], Any]] = memoryview
_NESTED: Final = frozenset({"metadata", "tools", "scores", "usage", "metrics"})
"""Keys whose value may be an object or a list: detection looks at whether they are there, never into them."""
_TELLING: Final = frozenset({"type", "role", "from", "schema_version", "trajectory_format"})
"""Keys whose value may tell the format; a record with one of them is always looked at in full."""
_PLAIN_KEY: Final = re.compile(r"[\w .-]{1,60}", re.ASCII)  # a Struct cannot have just any
_CONTAINERS: Final = frozenset({dict, list})
_STARTS_UNIT: Final = frozenset(
    (before, role)
    for before in (None, *ROLES.values())
    for role in ROLES.values()
    if count_units([before, role] if before else [role]) > (1 if before else 0)
)
"""Docent's rule as pairs: a message of the second role starts an action unit after one of the first."""
_Role = Literal[tuple(ROLES)]  # type: ignore[valid-type]  # mypy wants them spelled out


_ABSENT: Final = Raw()


class _Object(msgspec.Struct, gc=False):
    """An object, whatever is in it."""


class _Call(msgspec.Struct, gc=False):
    """A call as OpenAI spells it."""

    function: _Object


class _Message(msgspec.Struct, gc=False):
    """What tells a message's role, whether it is one, and whether its types are as they should be."""

    role: _Role  # type: ignore[valid-type]
    content: Raw = _ABSENT
    tool_calls: list[_Call] | None = None
    model: str | None = None
    metadata: _Object | None = None


_Shape = tuple[Any, ...]


class QuickLook:
    """Sums up the records of one file after another; not for several threads at once."""

    def __init__(self) -> None:
        self._keys: dict[str, None] = {}
        self._decoder: msgspec.json.Decoder[Any] | None = None
        self._shapes: dict[_Shape, bool] = {}
        self._asked: _Shape | None = None
        self._misses = 0

    def look(self, data: bytes, origin: Origin) -> tuple[str, Summary] | None:
        """Name of the format and summary of a record; None where it has to be looked at in full."""
        self._asked = None
        if self._decoder is None or (self._misses > _MAX_MISSES and self._misses % _RARELY):
            self._misses += 1
            return None
        try:
            found = self._decoder.decode(data)
        except (ValueError, RecursionError):  # no such chat, or no JSON at all
            self._misses += 1
            return None
        self._misses = 0
        messages, *values = msgspec.structs.astuple(found)
        kinds = tuple(map(type, values))
        if not messages or any(
            kind in _CONTAINERS and key not in _NESTED for key, kind in zip(self._keys, kinds, strict=True)
        ):
            return None
        contents = list(map(_CONTENT, messages))
        if _ABSENT in contents:
            # Then calls have to make it a message.
            if not all(message.tool_calls for message in messages if message.content is _ABSENT):
                return None
            contents = [content for content in contents if content is not _ABSENT]
        if not _TEXT_OR_NULL.issuperset(map(_FIRST, map(_VIEW, contents))):
            return None
        looked_at = list(sample(messages))
        shape = kinds, tuple(map(_ROLE, looked_at)), tuple(map(bool, map(_CALLS, looked_at)))
        known = self._shapes.get(shape)
        if known is None:
            self._asked = shape
        if not known or not _is_utf8(data):
            return None
        record = {key: value for key, value in zip(self._keys, values, strict=True) if value is not UNSET}
        return openai.FORMAT.name, _summary(record, messages, origin)

    def learn(self, record: Any, format_name: str) -> None:
        """Take note of the format of a record, found by looking at it in full after `look` gave None."""
        asked, self._asked = self._asked, None
        if asked is not None and len(self._shapes) < _MAX_SHAPES:
            self._shapes[asked] = format_name == openai.FORMAT.name
        elif format_name == openai.FORMAT.name and isinstance(record, dict) and "messages" in record:
            keys = record.keys() - self._keys.keys() - {"messages"}
            if (keys or self._decoder is None) and len(keys) + len(self._keys) <= _MAX_KEYS and _are_plain(keys):
                self._keys.update((key, None) for key in record if key in keys)
                self._decoder = _decoder(tuple(self._keys))
                self._shapes.clear()
                self._misses = 0


def _are_plain(keys: Iterable[str]) -> bool:
    return not any(key in _TELLING or _PLAIN_KEY.fullmatch(key) is None for key in keys)


def _decoder(keys: tuple[str, ...]) -> msgspec.json.Decoder[Any]:
    """Decodes records with these keys beside `messages`, and refuses others."""
    fields: list[Any] = [("m", list[_Message]), *((f"f{i}", Any, UNSET) for i in range(len(keys)))]
    names = {"m": "messages", **{f"f{i}": key for i, key in enumerate(keys)}}
    return msgspec.json.Decoder(msgspec.defstruct("_Record", fields, rename=names, forbid_unknown_fields=True))


def _summary(record: dict[str, Any], messages: list[_Message], origin: Origin) -> Summary:
    chat = chat_of(record, origin, (), ("messages",))
    roles = list(map(ROLES.__getitem__, map(_ROLE, messages)))
    units = sum(map(_STARTS_UNIT.__contains__, zip(chain((None,), roles), roles, strict=False)))
    found = [chat.metadata.get("model")]
    request = chat.metadata.get("request")
    if isinstance(request, dict):
        found.append(request.get("model"))
    models = dict.fromkeys(
        model for model in (*found, *dict.fromkeys(map(_MODEL, messages))) if isinstance(model, str) and model
    )
    return Summary(
        chat.id, chat.name, len(roles), units, 1, (), tuple(chat.rewards or ()),
        tuple(dict.fromkeys([*chat.models, *models])),
        tuple(problem for problem in chat.problems if not problem.endswith(EMPTY_PROBLEM)),
    )  # fmt: skip


def _is_utf8(data: bytes) -> bool:
    """Whether bytes are UTF-8. Blocks of plain ASCII, which most of a log is, are passed over at memory speed."""
    if data.isascii():
        return True
    start = -1
    for at in range(0, len(data), _BLOCK):
        if data[at : at + _BLOCK].isascii():
            if start >= 0 and not _decodes(data[start:at]):
                return False
            start = -1
        elif start < 0:
            start = at
    return start < 0 or _decodes(data[start:])


def _decodes(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
