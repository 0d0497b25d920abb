"""A JSON record as it was logged: its long lists stay bytes, of which each element is decoded when somebody looks at it.

To take a record apart so checks that all of it is JSON, and costs a third of making values of it, in time and in memory.
The formats read what comes of it as they read a value that is decoded, in which a list is a list; `plain.is_list` knows both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Final, Literal, TypeVar, cast, overload

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from .roles import ROLES, sample
from .utf8 import is_utf8, seems_utf8

__all__ = ["ABSENT", "LARGE", "Decode", "Elements", "Head", "RecordReader", "decoded", "joined"]

Decode = Callable[[bytes | memoryview], Any]
"""Makes a value of bytes that are known to be JSON, but maybe not UTF-8."""

ABSENT: Final = Raw()
LARGE: Final = 1 << 20
"""Bytes from which on the elements of a record's list are kept as they were logged: it may be opened next."""
_MAX_KEYS: Final = 60
_MAX_MISSES: Final = 20
_RARELY: Final = 16
"""Of a row of records that cannot be read so, one in so many is tried."""
_PLAIN_KEY: Final = re.compile(r"[\w .-]{1,60}", re.ASCII)  # a Struct cannot have just any
_OBJECTS: Final = re.compile(rb"\[\s*\{")
_LISTS: Final = re.compile(rb"\[\s*\[\s*\[")
_Role = Literal[tuple(ROLES)]  # type: ignore[valid-type]  # mypy wants them spelled out


class _Object(Struct, gc=False):
    """An object, whatever is in it."""


class Head(Struct, gc=False):
    """The fields of a message that tell its role, its length, and whether its types are as they should be."""

    role: _Role  # type: ignore[valid-type]
    content: Raw = ABSENT
    tool_calls: Raw = ABSENT
    model: Any = None
    metadata: _Object | None = None
    value: Raw = ABSENT
    text: Raw = ABSENT
    parts: Raw = ABSENT
    function_call: Raw = ABSENT
    reasoning_content: Raw = ABSENT
    tool_call_id: Raw = ABSENT
    type: Raw = ABSENT
    message: Raw = ABSENT
    payload: Raw = ABSENT
    summary: Raw = ABSENT
    snapshot: Raw = ABSENT

    def says_something(self) -> bool:
        """Whether the message has a key for content or calls."""
        return _content_of(self) != _NOTHING

    def item(self, decode: Decode) -> dict[str, Any]:
        """The decoded fields of the message that the head knows."""
        found: dict[str, Any] = {"role": self.role}
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, Raw) and value is not ABSENT:
                found[name] = decode(memoryview(value))
        if self.model is not None:
            found["model"] = self.model
        return found


_Turn = tuple[str, str, str]
_decode_head: Final = msgspec.json.Decoder(Head).decode
_decode_fields: Final = msgspec.json.Decoder(dict[str, Raw]).decode
_decode_raw: Final = msgspec.json.Decoder(Raw).decode
_decode_raws: Final = msgspec.json.Decoder(list[Raw]).decode
_decode_turns: Final = msgspec.json.Decoder(list[list[_Turn]]).decode
_decode_any: Final = msgspec.json.Decoder().decode


_content_of: Final = attrgetter("content", "value", "text", "tool_calls", "parts", "function_call", "reasoning_content")
_NOTHING: Final = (ABSENT,) * 7


_Found = TypeVar("_Found")


class Elements(Sequence[Any]):
    """The elements of a list of a record: each as it was logged, or as much of it as is kept; some are decoded, maybe."""

    __slots__ = ("_heads", "decode", "kept", "logged")

    def __init__(
        self, logged: Sequence[Any], decode: Decode = _decode_any, heads: Sequence[Head | None] | None = None
    ) -> None:
        """`heads`: those of the elements, where they are known."""
        self.logged, self.decode = logged, decode
        self._heads = heads
        self.kept: Any = None
        """Findings about all elements by their readers, so that nobody else has to look."""

    def between(self, before: Sequence[Any], after: Sequence[Any]) -> Elements:
        """These elements, with others that are decoded before and after them."""
        return Elements([*before, *self.logged, *after], self.decode) if before or after else self

    def __len__(self) -> int:
        return len(self.logged)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        found = self.logged[index]
        if isinstance(found, Raw):
            return self.decode(memoryview(found))
        return found.item(self.decode) if isinstance(found, Head) else found

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(len(self)))

    def once(self, look: Callable[[], _Found]) -> _Found:
        """The findings of one reader about all elements; it looks at them if nobody has yet."""
        if self.kept is None:
            self.kept = look()
        return cast("_Found", self.kept)

    def heads(self) -> Sequence[Head | None]:
        """The head of each element, None of one that is not as messages are."""
        if self._heads is None:
            are_heads = bool(self.logged) and type(self.logged[0]) is type(self.logged[-1]) is Head
            self._heads = cast("Sequence[Head]", self.logged) if are_heads else [_head(each) for each in self.logged]
        return self._heads


def _head(element: Raw | Head | dict[str, Any]) -> Head | None:
    if isinstance(element, Head):
        return element
    try:
        return _decode_head(element) if isinstance(element, Raw) else None
    except ValueError:  # no message, or one of other types
        return None


def decoded(value: Any) -> Any:
    """A value with all of its elements decoded."""
    if isinstance(value, Elements):
        return list(value)
    if isinstance(value, dict):
        return {key: decoded(item) if key in _LONG_LISTS else item for key, item in value.items()}
    if isinstance(value, list):
        return [decoded(item) if isinstance(item, dict) else item for item in value]
    return value


def joined(items: Sequence[Any], before: Sequence[Any] = (), after: Sequence[Any] = ()) -> Sequence[Any]:
    """Elements with others before and after them; those that are not decoded stay so."""
    return items.between(before, after) if isinstance(items, Elements) else [*before, *items, *after]


class _TranscriptHeads(Struct, forbid_unknown_fields=True, gc=False):
    """A transcript of Docent's form, whose messages are heads."""

    messages: list[Head]
    id: Any = UNSET
    name: Any = UNSET
    description: Any = UNSET
    transcript_group_id: Any = UNSET
    created_at: Any = UNSET
    metadata: Any = UNSET
    units: Any = UNSET
    collection_id: Any = UNSET


_KINDS: Final[dict[str, tuple[tuple[re.Pattern[bytes], Any], ...]]] = {
    "messages": ((_OBJECTS, list[Head]), (_LISTS, list[list[_Turn]])),
    "transcripts": ((_OBJECTS, list[_TranscriptHeads]),),
}
"""Keys of long lists in records, the start of their JSON, and the type of the decoded parts."""
_LONG_LISTS: Final = {
    "messages": _OBJECTS, "transcripts": _OBJECTS, "rounds": _OBJECTS, "post_list": _OBJECTS,
    "content": re.compile(rb'\[\s*\{[^{}]*"class_"'),
}  # fmt: skip
"""Keys whose lists are left undecoded in a large record, and how the JSON of these begins."""


class RecordReader:
    """Reads the records of one file, one after another; not for several threads at once."""

    def __init__(
        self,
        decode: Decode = _decode_any,
        *,
        thorough: bool = False,
        fits: Callable[[int], bool] = lambda _: True,
        large_only: bool = False,
    ) -> None:
        """`decode`: makes a value of an element. `thorough`: look at all bytes for some that are no UTF-8.

        `large_only`: leave all but large records to who decodes them in full, as other packages' formats want them. `fits`: whether there is room for the values of so many bytes: a large record is not read where not.
        """
        self._decode, self._fits, self._large_only = decode, fits, large_only
        self._is_utf8 = is_utf8 if thorough else seems_utf8
        self._shape: _Shape | None = None
        self._misses = 0
        self.signature: Signature | None = None
        """The signature of the record that was read last: equal ones mean the same format. None where that cannot be told."""

    def read(self, data: bytes | memoryview) -> Any:
        """Read a record; None where it has to be decoded in full: it has no such list, or something unusual.

        Its keys are in the order of the file. Where the record is large, every value can be read again as it was logged;
        else only heads of the messages are there, to be counted.
        """
        self.signature = None
        if len(data) >= LARGE:
            found = self._large(data)
        elif self._large_only or data[:1] != b"{" or (self._misses > _MAX_MISSES and self._misses % _RARELY):
            self._misses += 1
            return None
        else:
            found = self._small(data)
            self._misses = 0 if found is not None else self._misses + 1
        return found if found is not None and self._is_utf8(data) else None

    def line(self, data: bytes | memoryview) -> Raw | None:
        """A line of a record of many lines, as it was logged; None where it has to be decoded."""
        try:
            found = _decode_raw(data)
        except (ValueError, RecursionError):
            return None
        return found if self._is_utf8(data) else None

    def joined(self, lines: list[Any]) -> Elements:
        """A record of many lines, each decoded or as it was logged."""
        return Elements(lines, self._decode)

    def _small(self, data: bytes | memoryview) -> dict[str, Any] | None:
        shape = self._shape
        if shape is not None and (found := shape.read(data, self._decode)) is not None:
            self.signature = shape.signature
            return found
        try:
            shape = _Shape.of(_decode_fields(data), shape)
        except (ValueError, RecursionError):
            return None
        if shape is None:
            return None
        self._shape = shape
        found = shape.read(data, self._decode)
        self.signature = shape.signature
        return found

    def _large(self, data: bytes | memoryview) -> Any:
        try:
            if data[:1] == b"[":
                raws = _decode_raws(data)
                return Elements(raws, self._decode) if raws and bytes(memoryview(raws[0])[:1]) == b"{" else None
            return self._object(data)
        except (ValueError, RecursionError):
            return None

    def _object(self, data: bytes | memoryview) -> dict[str, Any] | None:
        """An object whose long lists stay bytes; None where it has none. Raises ValueError and RecursionError."""
        found: dict[str, Any] = {}
        lists = 0
        for key, raw in _decode_fields(data).items():
            if key == "messages" and _LISTS.match(memoryview(raw)) and self._fits(len(data)):
                lists += 1
                found[key] = _decode_turns(raw)
                continue
            if key not in _LONG_LISTS or not _LONG_LISTS[key].match(memoryview(raw)):
                found[key] = _decode_any(raw)
                continue
            lists += 1
            elements = _decode_raws(raw)
            if key == "transcripts":
                found[key] = [self._object(memoryview(each)) or _decode_any(each) for each in elements]
            elif key == "rounds":
                found[key] = Elements([self._round(each) for each in elements], self._decode)
            else:
                found[key] = Elements(elements, self._decode)
        return found if lists else None

    def _round(self, logged: Raw) -> Raw | dict[str, Any]:
        """A round as it was logged; of one that is large itself, the posts in it stay bytes instead."""
        data = memoryview(logged)
        return (self._object(data) or logged) if len(data) >= LARGE else logged


Signature = tuple[Hashable, ...]
_NESTED: Final = frozenset(
    {
        "metadata",
        "tools",
        "scores",
        "usage",
        "metrics",
        "transcript_groups",
        "agents",
        "models",
        "agent_classes",
        "rewards",
    }
)
"""Keys whose value may be an object or a list: detection looks at whether they are there, never into them."""
_TELLING: Final = frozenset({"type", "role", "from", "schema_version", "trajectory_format"})
"""Keys whose value may tell the format; records with one of them have no signature."""
_CONTAINERS: Final = frozenset({dict, list})
_TEXT_OR_NULL: Final = frozenset(b'"n')


class _Shape:
    """Decodes in one pass the records with a list of messages, or turns, under the same key."""

    def __init__(self, keys: Sequence[str], listed: str, kind: Any) -> None:
        names = {f"f{at}": key for at, key in enumerate(keys)}
        fields = [(name, kind if key == listed else Any, UNSET) for name, key in names.items()]
        made = msgspec.defstruct("_Record", fields, rename=names, forbid_unknown_fields=True)
        self._decode = msgspec.json.Decoder(made).decode
        self._values = attrgetter(*names) if len(names) > 1 else lambda record: (record.f0,)
        self._keys, self._listed, self._kind = tuple(keys), listed, kind
        self.signature: Signature | None = None

    @classmethod
    def of(cls, fields: dict[str, Raw], known: _Shape | None) -> _Shape | None:
        """A shape for this record, and for those of the `known` shape; None where there is no such list."""
        for key, kinds in _KINDS.items():
            raw = fields.get(key)
            kind = next((kind for begins, kind in kinds if raw is not None and begins.match(memoryview(raw))), None)
            if kind is None:
                continue
            more = known._keys if known is not None and (known._listed, known._kind) == (key, kind) else ()
            keys = dict.fromkeys((*more, *fields))
            if len(keys) > _MAX_KEYS or not all(map(_PLAIN_KEY.fullmatch, keys)):
                keys = dict.fromkeys(fields)
            if len(keys) > _MAX_KEYS or not all(map(_PLAIN_KEY.fullmatch, keys)):
                return None
            return cls(list(keys), key, kind)
        return None

    def read(self, data: bytes | memoryview, decode: Decode) -> dict[str, Any] | None:
        """Read a record; None where it has other keys, or something in it is unusual."""
        try:
            record = self._decode(data)
        except (ValueError, RecursionError):
            return None
        values = self._values(record)
        found = {key: value for key, value in zip(self._keys, values, strict=True) if value is not UNSET}
        listed = found.get(self._listed)
        if not listed:
            return None
        self.signature = self._signature(values, listed)
        if isinstance(listed[0], Head):
            found[self._listed] = Elements(listed, decode)
        elif isinstance(listed[0], _TranscriptHeads):
            found[self._listed] = [_transcript(each, decode) for each in listed]
        return found

    def _signature(self, values: Sequence[Any], listed: Sequence[Any]) -> Signature | None:
        """All that detection sees of a record: which keys there are, the types of their values, and of messages of text
        the roles of the first few and the last, and whether these call something."""
        kinds = tuple(map(type, values))
        for key, value_type in zip(self._keys, kinds, strict=True):
            if key in _TELLING and value_type is not UnsetType:
                return None
            if value_type in _CONTAINERS and key not in _NESTED and key != self._listed:
                return None
        if not isinstance(listed[0], Head):
            return (
                (self._keys, kinds) if listed[0] else None
            )  # it is of Docent's form, or a turn in which something is said
        looked_at = list(sample(listed))
        if not all(map(_has_text, looked_at)):
            return None
        return (self._keys, kinds, frozenset([head.role for head in looked_at]), any(map(_calls, looked_at)))


def _has_text(head: Head) -> bool:
    content = memoryview(head.content)
    return content[0] in _TEXT_OR_NULL if content else _calls(head)


def _calls(head: Head) -> bool:
    return head.tool_calls is not ABSENT and bytes(memoryview(head.tool_calls)[:4]) not in (b"[]", b"null")


def _transcript(heads: _TranscriptHeads, decode: Decode) -> dict[str, Any]:
    found = {name: value for name in heads.__struct_fields__ if (value := getattr(heads, name)) is not UNSET}
    found["messages"] = Elements(heads.messages, decode)
    return found
