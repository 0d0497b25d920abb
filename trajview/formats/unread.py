"""A large chat record taken apart without being decoded: its messages stay bytes until one is looked at.

Taking it apart checks that all of it is JSON, and costs a third of making values of it, in time and in memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import suppress
from functools import cache
from operator import attrgetter
from typing import Any, Final, Literal, Protocol, cast

import msgspec
from msgspec import UNSET, Raw
from msgspec.structs import asdict, fields

from trajview.models.messages import Measured
from trajview.models.on_demand import OnDemand
from trajview.patterns.quick_bytes import address_of

from .roles import ROLES, sample

__all__ = [
    "ABSENT", "KEY", "UNDECODED", "WHOLE", "Decode", "Head", "Outline", "Parted", "PartedRun", "Told", "Unread", "Usual",
    "as_logged", "fields_of", "in_order", "json_in_order", "json_of", "new_outline", "parted",
]  # fmt: skip

Decode = Callable[[bytes | memoryview], Any]
"""Makes a value of bytes that are known to be JSON, but maybe not UTF-8."""

ABSENT: Final = Raw()
KEY: Final = "messages"
"""The key whose value stays bytes."""
_EDGE: Final = 1 << 14  # bytes
_TRIES: Final = 50
_Role = Literal[tuple(ROLES)]  # type: ignore[valid-type]  # mypy wants them spelled out
_PLAIN_KEY: Final = re.compile(r"[\w .-]{1,60}", re.ASCII)  # a Struct cannot have just any


class Head(msgspec.Struct, gc=False):
    """What tells a message's role, and how long it is."""

    role: Any = None
    content: Raw = ABSENT
    tool_calls: Raw = ABSENT


_decode_head: Final = msgspec.json.Decoder(Head).decode
_NO_HEAD: Final = Head()


class Usual(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """A message that says who speaks and has no other keys than the usual ones: each value is bytes, as it was logged.

    It tells as much as a `Head`, and can be written again; so the bytes that it was made of are looked at once only.
    """

    role: _Role  # type: ignore[valid-type]
    content: Raw = ABSENT
    tool_calls: Raw = ABSENT
    tool_call_id: Raw = ABSENT
    name: Raw = ABSENT
    id: Raw = ABSENT
    function: Raw = ABSENT
    error: Raw = ABSENT
    model: Raw = ABSENT
    metadata: Raw = ABSENT
    reasoning_content: Raw = ABSENT
    refusal: Raw = ABSENT
    timestamp: Raw = ABSENT


_written: Final = msgspec.json.Encoder().encode
_decode_one_usual: Final = msgspec.json.Decoder(Usual).decode
_decode_usual: Final = msgspec.json.Decoder(list[Usual]).decode
_decode_raws: Final = msgspec.json.Decoder(list[Raw]).decode
_decode_object: Final = msgspec.json.Decoder(dict[str, Raw]).decode


def json_of(item: Raw | msgspec.Struct) -> bytes | memoryview:
    """The bytes of an element of a list; of a usual one, with its keys in the usual order."""
    return memoryview(item) if type(item) is Raw else _written(item)


_COMMON: Final = frozenset({"content", "tool_calls", "tool_call_id", "kwargs"})
"""What is shown of a message in places of its own."""


def json_in_order(item: Raw | msgspec.Struct) -> bytes | memoryview:
    """The same with its keys in the order in which they stand in the file, those first whose values are decoded."""
    if type(item) is Raw:
        return memoryview(item)
    values = _beside(type(item))(item)
    if values.count(ABSENT) + 1 >= len(values):  # as nearly always
        return _written(item)
    found = {key: value for key, value in asdict(item).items() if value is not UNSET and value is not ABSENT}
    places = {key: address_of(memoryview(value)) or 0 for key, value in found.items() if type(value) is Raw}
    return _written({key: found[key] for key in sorted(found, key=lambda key: places.get(key, -1))})


@cache
def _beside(kind: type[msgspec.Struct]) -> Callable[[msgspec.Struct], tuple[Any, ...]]:
    """The values of an element that stay bytes, but for those that every other one has."""
    return attrgetter(*(field.name for field in fields(kind) if field.type is Raw and field.name not in _COMMON))


def fields_of(record: msgspec.Struct, but: str, data: bytes | memoryview) -> dict[str, Any]:
    """The values that a record has, but for one key, in the order in which its bytes have them."""
    names = [name for name in record.__struct_fields__ if name != but]
    return in_order({name: value for name in names if (value := getattr(record, name)) is not UNSET}, but, data)


def in_order(fields: dict[str, Any], but: str, data: bytes | memoryview) -> dict[str, Any]:
    """Values of an object in the order in which its bytes have them; these are all that it has, but for one key."""
    if len(fields) < 2:
        return fields
    keys = _keys_around(data, but, fields.keys())
    if keys is None:  # as long as decoding it
        keys = [key for key in _decode_object(data) if key != but]
    return {key: fields[key] for key in keys}


def as_logged(message: dict[str, Any], as_it_is: bool) -> Raw | Usual:
    """A message that is decoded, as if it were not: `as_it_is`, or as a usual one if it is. Raises ValueError, OverflowError."""
    data = _written(message)
    if not as_it_is:
        with suppress(ValueError):
            return _decode_one_usual(data)
    return Raw(data)


UNDECODED: Final = frozenset({Raw, Usual})
"""Types of elements that are not decoded."""


class Told(Protocol):
    """What is known of a message without decoding it: a `Head`, or more."""

    @property
    def role(self) -> Any: ...
    @property
    def content(self) -> Raw: ...
    @property
    def tool_calls(self) -> Any: ...


def _head(raw: Raw | Usual) -> Told:
    try:
        return raw if isinstance(raw, Usual) else _decode_head(raw)
    except ValueError:  # no object
        return _NO_HEAD


WHOLE: Final = -1
"""The place of a message that is all of its element."""


class Outline(msgspec.Struct):
    """Which messages the elements of a list become, known without decoding them."""

    roles: list[str]
    """The role of each message."""
    sizes: list[Measured | None] | list[Measured]
    """How long each is, None where that is not known."""
    elements: list[int] | None = None
    """The element that each message is made of; None where each element is one message."""
    as_bytes: bytearray | None = None
    """Which messages show by the bytes of their element whether they may be errors; None where all do."""
    places: dict[int, int] = {}
    """Which piece of its element a message is, of those that are not all of it."""

    def add(
        self, element: int, role: str, size: Measured | None, place: int = WHOLE, *, as_bytes: bool = False
    ) -> None:
        """Add a message, where they are not one for each element."""
        assert self.elements is not None
        assert self.as_bytes is not None
        if place != WHOLE:
            self.places[len(self.roles)] = place
        self.roles.append(role)
        self.sizes.append(size)  # type: ignore[arg-type]  # then it is a list of the first kind
        self.elements.append(element)
        self.as_bytes.append(as_bytes)

    def extend(self, other: Outline, elements: int) -> None:
        """Add the messages of elements that stand behind so many; neither has one message for each."""
        assert self.elements is not None
        assert self.as_bytes is not None
        before = len(self.roles)
        self.places.update((before + index, place) for index, place in other.places.items())
        self.roles += other.roles
        self.sizes = [*self.sizes, *other.sizes]
        self.elements += (elements + element for element in other.elements or ())
        self.as_bytes += other.as_bytes or b""


def new_outline() -> Outline:
    """An outline of nothing yet, to be added to."""
    return Outline([], [], [], bytearray())


class Parted(msgspec.Struct):
    """A record whose `messages` are still bytes. `fields` are all other keys, decoded; None of a bare list of messages."""

    fields: dict[str, Any] | None
    raws: Sequence[Raw | Usual]
    """The messages: all as they were logged, or all usual ones, but for the last maybe."""
    heads: Sequence[Told] | None = None
    """What is known of each, where someone has looked."""
    outline: Outline | None = None
    """Which messages of ours they become, where someone has looked (`outline.outline_of`)."""
    data: bytes | memoryview | None = None
    """What they are views of, but for some at either end maybe."""
    in_events: bool = False
    """Whether the messages may stand in events of a session; some are decoded then."""

    @property
    def usual(self) -> list[Usual] | None:
        """The messages, where all are usual ones."""
        # The last one may be of another key.
        are = bool(self.raws) and type(self.raws[0]) is type(self.raws[-1]) is Usual
        return cast("list[Usual]", self.raws) if are else None

    def sampled(self) -> tuple[Any, list[Any]]:
        """The record with those of its messages alone that detection looks at, and these. Raises ValueError."""
        messages = [msgspec.json.decode(json_of(raw)) for raw in sample(self.raws)]
        return messages if self.fields is None else {**self.fields, KEY: messages}, messages


class PartedRun(msgspec.Struct):
    """An agent run of transcripts whose messages are still bytes. `fields` are all keys but `transcripts`."""

    fields: dict[str, Any]
    transcripts: list[Parted]


def parted(data: bytes | memoryview) -> Parted | None:
    """The parts of a JSON object that holds a list of messages, or of such a list; None of other or improper JSON."""
    if data[:1] == b"[":
        return _parted_list(data)
    return _parted_by_guess(data) or _parted(data)


def _parted_list(data: bytes | memoryview) -> Parted | None:
    for decode in (_decode_usual, _decode_raws):
        try:
            found = decode(data)
        except (ValueError, RecursionError):  # one is not usual, or this is no list
            continue
        return Parted(None, found, data=data) if found else None
    return None


def _parted(data: bytes | memoryview) -> Parted | None:
    try:
        fields = msgspec.json.decode(data, type=dict[str, Raw])
        messages = fields.pop(KEY, None)
        if messages is None:
            return None
        raws = msgspec.json.decode(messages, type=list[Raw])
        return Parted({key: msgspec.json.decode(value) for key, value in fields.items()}, raws, data=data)
    except (ValueError, RecursionError):
        return None


def _parted_by_guess(data: bytes | memoryview) -> Parted | None:
    """The same, in one pass instead of two, where the first and last bytes tell which keys there are."""
    keys = _keys_around(data)
    if keys is None or not all(map(_PLAIN_KEY.fullmatch, keys)):
        return None
    names = {"m": KEY, **{f"f{i}": key for i, key in enumerate(keys)}}
    found: Any = None
    for message in (Usual, Raw):
        fields: list[Any] = [("m", list[message]), *((f"f{i}", Any, UNSET) for i in range(len(keys)))]  # type: ignore[valid-type]
        record = msgspec.defstruct("_Record", fields, rename=names, forbid_unknown_fields=True)
        try:
            found = msgspec.json.decode(data, type=record)
        except (ValueError, RecursionError):  # one is not usual, or the guess was wrong
            continue
        break
    if found is None:
        return None
    values = {key: getattr(found, f"f{i}") for i, key in enumerate(keys)}
    return Parted({key: value for key, value in values.items() if value is not UNSET}, found.m, data=data)


def _keys_around(data: bytes | memoryview, but: str = KEY, wanted: Set[str] | None = None) -> list[str] | None:
    """What may be the keys of an object beside one, which holds a list, in order, by its first and last bytes.

    `wanted`: these are the keys, in some order; then they surely are in that one.
    """
    head, tail = bytes(data[:_EDGE]), bytes(data[-_EDGE:])
    try:
        before, found, _ = head.partition(f'"{but}"'.encode())
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
        if wanted is None or wanted == {*found_keys}:
            return None if but in found_keys else found_keys
    return None


class Unread(OnDemand[Any]):
    """The elements of a list, each decoded when it is asked for, and every time anew."""

    __slots__ = ("_heads", "data", "decode", "in_events", "outline", "raws", "usual")

    def __init__(self, parts: Parted, decode: Decode) -> None:
        self.raws = parts.raws
        self.usual = parts.usual
        """See `Parted`, as of the next."""
        self.outline = parts.outline
        self.data = parts.data
        self.in_events = parts.in_events
        self.decode = decode
        self._heads = parts.heads

    def told(self) -> Iterable[tuple[Raw | Usual, Told]]:
        """Each element as it is, and its head; that of one that is no object is empty. To be asked for once."""
        heads, self._heads = self._heads, None
        return zip(self.raws, map(_head, self.raws) if heads is None else heads, strict=True)

    def __len__(self) -> int:
        return len(self.raws)

    def _item(self, index: int) -> Any:
        raw = self.raws[index]
        return self.decode(json_in_order(raw)) if type(raw) in UNDECODED else raw
