"""ADP trajectories taken apart without being decoded: which call each item makes or answers, and how long it is.

It knows only trajectories whose items are of ADP's own classes, in its current spelling, and gives up on everything else.
What an item says stays bytes until someone looks at it.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Raw

from trajview.models.adp_spelling import CALLS, CLASSES
from trajview.models.messages import Measured
from trajview.models.on_demand import OnDemand

from . import adp, registry
from .adp_links import Link, links_of, role_of
from .base import Origin, Summary
from .sizes import size_of_texts
from .unread import ABSENT, Decode, fields_of, json_in_order, json_of

__all__ = ["PartedTrajectory", "UnreadItems", "look_at_trajectory", "parted_trajectory"]

_Class = Literal[tuple(sorted(CLASSES))]  # type: ignore[valid-type]  # mypy wants them spelled out


class _Item(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """An item of which most is bytes as it was logged, so that it can be written again."""

    class_: _Class  # type: ignore[valid-type]
    function: Any = UNSET
    kwargs: Raw = ABSENT
    language: Any = UNSET
    content: Raw = ABSENT
    name: Raw = ABSENT
    annotations: Raw = ABSENT
    html: Raw = ABSENT
    axtree: Raw = ABSENT
    url: Raw = ABSENT
    image_observation: Raw = ABSENT
    viewport_size: Raw = ABSENT
    source: Any = UNSET
    description: Raw = ABSENT
    reasoning_content: Raw = ABSENT
    reward: Any = UNSET
    tool_call_id: Any = UNSET


class _Head(msgspec.Struct, gc=False):
    """What tells as much of an item that may have other keys as well."""

    class_: _Class  # type: ignore[valid-type]
    function: Any = UNSET
    language: Any = UNSET
    content: Raw = ABSENT
    html: Raw = ABSENT
    axtree: Raw = ABSENT
    source: Any = UNSET
    description: Raw = ABSENT
    reasoning_content: Raw = ABSENT
    reward: Any = UNSET
    tool_call_id: Any = UNSET
    thoughts: Raw = ABSENT
    message: Raw = ABSENT
    text: Raw = ABSENT
    code: Raw = ABSENT


class _Record(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    content: list[_Item]
    id: Any = UNSET
    schema_version: Any = UNSET
    available_custom_tools: Any = UNSET
    available_code_languages: Any = UNSET
    available_apis: Any = UNSET
    details: Any = UNSET


_TOLD: Final = ("class_", "source", "function", "language", "tool_call_id", "reward")
_told: Final = attrgetter(*_TOLD)
_said: Final = attrgetter("content", "description", "reasoning_content", "axtree", "html")
_legacy: Final = attrgetter("thoughts", "message", "text", "code")
_SAMPLED: Final = 20
"""Items that detection looks at, and among which the user says what the task is."""

_decode: Final = msgspec.json.Decoder(_Record).decode
_decode_fields: Final = msgspec.json.Decoder(dict[str, Raw]).decode
_decode_raws: Final = msgspec.json.Decoder(list[Raw]).decode
_decode_head: Final = msgspec.json.Decoder(_Head).decode
_decode_any: Final = msgspec.json.Decoder().decode


class PartedTrajectory(msgspec.Struct):
    """A trajectory that is to be opened. `fields` are all keys but `content`, decoded."""

    fields: dict[str, Any]
    items: Sequence[_Item | Raw]
    roles: list[str]
    links: list[Link]
    sizes: list[Measured]
    """How long each item is, about."""
    reward: float | None
    """The trajectory's own, or the last that an item has."""
    first: list[Any]
    """The first items, decoded."""


def parted_trajectory(data: bytes | memoryview) -> PartedTrajectory | None:
    """The parts of a trajectory; None where the record has to be decoded in full for that."""
    items: Sequence[_Item | Raw]
    heads: Sequence[_Item | _Head]
    try:
        try:
            record = _decode(data)
        except ValueError:  # somewhere in it there may be other keys
            values = _decode_fields(data)
            items = _decode_raws(values.pop("content", ABSENT))
            heads = [_head(item) for item in items]
            fields = {key: _decode_any(value) for key, value in values.items()}
        else:
            items = heads = record.content
            fields = fields_of(record, "content", data)
        first = [_decode_any(json_of(item)) for item in items[:_SAMPLED]]
    except (ValueError, RecursionError):  # no such trajectory, or no JSON at all
        return None
    told = [{key: value for key, value in zip(_TOLD, _told(head), strict=True) if value is not UNSET} for head in heads]
    return PartedTrajectory(
        fields,
        items,
        list(map(role_of, told)),
        links_of(told),
        list(map(_size, heads)),
        adp.reward_of(fields, told),
        first,
    )


def _head(item: Raw) -> _Head:
    """Raises ValueError where an item is of another class or spelling."""
    head = _decode_head(item)
    if _legacy(head) != (ABSENT,) * 4:
        raise ValueError("legacy spelling")
    return head


def _size(head: _Item | _Head) -> Measured:
    return *size_of_texts(_said(head)), 2 if head.class_ in CALLS else 0


def look_at_trajectory(parts: PartedTrajectory, origin: Origin) -> tuple[str, Summary] | None:
    """Name of the format and summary of what may be a trajectory; None where it is something else."""
    sampled = {**parts.fields, "content": parts.first}
    if not parts.first or registry.best(sampled)[0] is not adp.FORMAT:
        return None
    return adp.FORMAT.name, adp.FORMAT.summary(sampled, parts.first, parts.roles, parts.reward, (), origin)


class UnreadItems(OnDemand[Any]):
    """The items of a trajectory, each decoded when it is asked for, and every time anew."""

    def __init__(self, parts: PartedTrajectory, decode: Decode) -> None:
        self._items = parts.items
        self._decode = decode

    def __len__(self) -> int:
        return len(self._items)

    def _item(self, index: int) -> Any:
        return self._decode(json_in_order(self._items[index]))
