"""A large chat record taken apart without being decoded: its messages stay bytes until one is looked at.

Taking it apart checks that all of it is JSON, and costs a third of making values of it, in time and in memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, overload

import msgspec
from msgspec import UNSET, Raw

from .roles import sample

__all__ = ["ABSENT", "KEY", "LAZY_FROM", "Decode", "Head", "Parted", "PartedRun", "Told", "Unread", "parted"]

Decode = Callable[[bytes | memoryview], Any]
"""Makes a value of bytes that are known to be JSON, but maybe not UTF-8."""

LAZY_FROM: Final = 2_000
"""Messages: shorter transcripts are built at once, which takes some 40 ms at the most."""
ABSENT: Final = Raw()
KEY: Final = "messages"
"""The key whose value stays bytes."""
_EDGE: Final = 1 << 14  # bytes
_TRIES: Final = 50
_PLAIN_KEY: Final = re.compile(r"[\w .-]{1,60}", re.ASCII)  # a Struct cannot have just any


class Head(msgspec.Struct, gc=False):
    """What tells a message's role, and how long it is."""

    role: Any = None
    content: Raw = ABSENT
    tool_calls: Raw = ABSENT


_decode_head: Final = msgspec.json.Decoder(Head).decode
_NO_HEAD: Final = Head()


def _head(raw: Raw) -> Head:
    try:
        return _decode_head(raw)
    except ValueError:  # no object
        return _NO_HEAD


class Told(Protocol):
    """What is known of a message without decoding it: a `Head`, or more."""

    @property
    def role(self) -> Any: ...
    @property
    def content(self) -> Raw: ...
    @property
    def tool_calls(self) -> Any: ...


@dataclass(slots=True)
class Parted:
    """A record whose `messages` are still bytes: one Raw of each. `fields` are all other keys, decoded."""

    fields: dict[str, Any]
    raws: list[Raw]
    heads: Sequence[Told] | None = None
    """What is known of each, where someone has looked."""

    def sampled(self) -> dict[str, Any]:
        """The record with those of its messages alone that detection looks at. Raises ValueError."""
        return {**self.fields, KEY: [msgspec.json.decode(raw) for raw in sample(self.raws)]}


@dataclass(slots=True)
class PartedRun:
    """An agent run of transcripts whose messages are still bytes. `fields` are all keys but `transcripts`."""

    fields: dict[str, Any]
    transcripts: list[Parted]


def parted(data: bytes | memoryview) -> Parted | None:
    """The parts of a JSON object that holds a list of messages; None where it holds none, or is no proper JSON."""
    return _parted_by_guess(data) or _parted(data)


def _parted(data: bytes | memoryview) -> Parted | None:
    try:
        fields = msgspec.json.decode(data, type=dict[str, Raw])
        messages = fields.pop(KEY, None)
        if messages is None:
            return None
        raws = msgspec.json.decode(messages, type=list[Raw])
        return Parted({key: msgspec.json.decode(value) for key, value in fields.items()}, raws)
    except (ValueError, RecursionError):
        return None


def _parted_by_guess(data: bytes | memoryview) -> Parted | None:
    """The same, in one pass instead of two, where the first and last bytes tell which keys there are."""
    keys = _keys_around(data)
    if keys is None or not all(map(_PLAIN_KEY.fullmatch, keys)):
        return None
    fields: list[Any] = [("m", list[Raw]), *((f"f{i}", Any, UNSET) for i in range(len(keys)))]
    names = {"m": KEY, **{f"f{i}": key for i, key in enumerate(keys)}}
    record = msgspec.defstruct("_Record", fields, rename=names, forbid_unknown_fields=True)
    try:
        found: Any = msgspec.json.decode(data, type=record)
    except (ValueError, RecursionError):  # the guess was wrong
        return None
    values = {key: getattr(found, f"f{i}") for i, key in enumerate(keys)}
    return Parted({key: value for key, value in values.items() if value is not UNSET}, found.m)


def _keys_around(data: bytes | memoryview) -> list[str] | None:
    """What may be the keys of an object beside `messages`, in order, by its first and last bytes."""
    head, tail = bytes(data[:_EDGE]), bytes(data[-_EDGE:])
    try:
        before, found, _ = head.partition(b'"messages"')
        if not found:
            return None
        keys = dict.fromkeys(msgspec.json.decode(before.rstrip().rstrip(b",") + b"}", type=dict[str, Raw]))
    except ValueError:
        return None
    end = len(tail)
    for _ in range(_TRIES):
        end = tail.rfind(b"]", 0, end)
        if end < 0:
            return None
        try:
            after = msgspec.json.decode(b'{"":0' + tail[end + 1 :], type=dict[str, Raw])
        except (ValueError, RecursionError):
            continue
        del after[""]
        found_keys = [*(keys | dict.fromkeys(after))]
        return None if KEY in found_keys else found_keys
    return None


class Unread(Sequence[Any]):
    """The elements of a list, each decoded when it is asked for, and every time anew."""

    __slots__ = ("_heads", "decode", "raws")

    def __init__(self, parts: Parted, decode: Decode) -> None:
        self.raws = parts.raws
        self.decode = decode
        self._heads = parts.heads

    def told(self) -> Iterable[tuple[Raw, Told]]:
        """Each element as it is, and its head; that of one that is no object is empty. To be asked for once."""
        heads, self._heads = self._heads, None
        return zip(self.raws, map(_head, self.raws) if heads is None else heads, strict=True)

    def __len__(self) -> int:
        return len(self.raws)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self.decode(memoryview(raw)) for raw in self.raws[index]]
        return self.decode(memoryview(self.raws[index]))

    def __iter__(self) -> Iterator[Any]:
        return (self.decode(memoryview(raw)) for raw in self.raws)
