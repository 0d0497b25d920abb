"""TaskWeaver's conversations taken apart without being decoded: which messages they become, and how long these are.

It knows only conversations whose rounds are objects with a list of posts, and these of the usual types, and gives up on
everything else. What a post says stays bytes until someone looks at it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw

from trajview.models.messages import Measured
from trajview.models.on_demand import OnDemand

from . import registry, taskweaver
from .base import Origin, Summary
from .sizes import size_of_text, size_of_texts
from .taskweaver_entries import ANSWERS, FIRST, Entry, Outlined, answers_in, post_entries, round_metadata
from .unread import ABSENT, Decode, fields_of, json_of

__all__ = ["PartedConversation", "UnreadEntries", "look_at_conversation", "parted_conversation"]

_SAMPLED: Final = 20
"""Rounds that detection looks at."""


class _Attachment(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    type: str
    content: Raw = ABSENT
    id: Raw = ABSENT
    extra: Raw = ABSENT


class _Post(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """A post, whose values are bytes as they were logged, so that it can be written again."""

    send_from: str
    message: Raw = ABSENT
    attachment_list: list[_Attachment] | None = None
    id: Raw = ABSENT
    send_to: Raw = ABSENT


class _Round(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    post_list: list[_Post]
    id: Raw = ABSENT
    state: Raw = ABSENT
    user_query: Raw = ABSENT


class _AnyAttachment(msgspec.Struct, gc=False):
    """One that may have other keys than TaskWeaver's own as well."""

    type: str
    content: Raw = ABSENT


class _AnyPost(msgspec.Struct, gc=False):
    """The same of a post."""

    send_from: str
    message: Raw = ABSENT
    attachment_list: list[_AnyAttachment] | None = None


class _Record(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    rounds: list[_Round]
    id: Any = UNSET
    plugins: Any = UNSET
    roles: Any = UNSET
    enabled: Any = UNSET


_decode: Final = msgspec.json.Decoder(_Record).decode
_decode_fields: Final = msgspec.json.Decoder(dict[str, Raw]).decode
_decode_rounds: Final = msgspec.json.Decoder(list[dict[str, Raw]]).decode
_decode_posts: Final = msgspec.json.Decoder(list[Raw]).decode
_decode_post: Final = msgspec.json.Decoder(_AnyPost).decode
_decode_any: Final = msgspec.json.Decoder().decode

_OF_ROUND: Final = ("id", "state", "user_query")

_Logged = _Post | Raw | dict[str, Any]
"""A post as it was logged. One that is decoded stands for a round that has a query and nothing else."""


class PartedConversation(msgspec.Struct):
    """A conversation that is to be opened. `fields` are all keys but `rounds`, decoded."""

    fields: dict[str, Any]
    outlined: Outlined
    """What a list shows of its entries."""
    sizes: list[Measured]
    """How long each entry is, about."""
    posts: list[_Logged] = msgspec.field(default_factory=list)
    starts: list[int] = msgspec.field(default_factory=list)
    """The first entry of each post."""
    rounds: list[tuple[int, _Round | dict[str, Raw]]] = msgspec.field(default_factory=list)
    """Those that have posts, each with its number, from 1; what else they have is bytes."""
    firsts: list[int] = msgspec.field(default_factory=list)
    """The first post of each of these."""


def parted_conversation(data: bytes | memoryview) -> PartedConversation | None:
    """The parts of a conversation; None where the record has to be decoded in full for that."""
    try:
        try:
            record = _decode(data)
        except ValueError:  # somewhere in it there may be other keys
            return _parted_with_other_keys(data)
        parts = PartedConversation(fields_of(record, "rounds", data), Outlined([], [], []), [])
        for number, round_ in enumerate(record.rounds, 1):
            _add(parts, number, round_, round_.post_list, round_.post_list, round_.user_query)
    except (ValueError, RecursionError):  # no such conversation, or no JSON at all
        return None
    return _with_agents(parts)


def _parted_with_other_keys(data: bytes | memoryview) -> PartedConversation:
    """The same in three passes instead of one. Raises ValueError and RecursionError where it is something else."""
    fields = _decode_fields(data)
    rounds = _decode_rounds(fields.pop("rounds", ABSENT))
    decoded = {key: _decode_any(value) for key, value in fields.items()}
    parts = PartedConversation(decoded, Outlined([], [], []), [])
    for number, round_ in enumerate(rounds, 1):
        posts = _decode_posts(round_.pop("post_list", ABSENT))
        _add(parts, number, round_, posts, list(map(_decode_post, posts)), round_.get("user_query", ABSENT))
    return _with_agents(parts)


def _with_agents(parts: PartedConversation) -> PartedConversation:
    parts.outlined.agents[:] = filter(None, dict.fromkeys(parts.outlined.agents))
    return parts


def _add(
    parts: PartedConversation,
    number: int,
    round_: _Round | dict[str, Raw],
    posts: Sequence[_Logged],
    heads: Sequence[_Post | _AnyPost],
    query: Raw,
) -> None:
    """Add a round with its posts, of which this is known. Raises ValueError."""
    if not posts:
        asked = None if query is ABSENT else _decode_any(query)
        if not asked:
            return
        posts = [{"send_from": "User", "message": asked}]  # as `entries_of` has it
        heads = [_AnyPost("User", query)]
    parts.rounds.append((number, round_))
    parts.firsts.append(len(parts.posts))
    parts.posts += posts
    for head in heads:
        _outline(head, parts)


def _outline(post: _Post | _AnyPost, parts: PartedConversation) -> None:
    """Add what is known of the entries that a post becomes. Raises ValueError."""
    roles, agents, asked = parts.outlined
    parts.starts.append(len(roles))
    if post.send_from == "User":
        if len(roles) < FIRST:
            asked.append(None if post.message is ABSENT else _decode_any(post.message))
        roles.append("user")
    else:
        roles.append("assistant")
        if not agents or agents[-1] != post.send_from:
            agents.append(post.send_from)
    attached: Sequence[_Attachment | _AnyAttachment] | None = post.attachment_list
    if not attached:
        parts.sizes.append((*size_of_text(memoryview(post.message)), 0))
        return
    types = [one.type for one in attached]
    if ANSWERS.isdisjoint(types):
        said = [post.message, *(one.content for one in attached if one.type != "reply_type")]
        parts.sizes.append((*size_of_texts(said), 0))
        return
    answers = [places for _, places in answers_in(types)]
    taken = {place for places in answers for place in places}
    own = [one.content for place, one in enumerate(attached) if place not in taken and one.type != "reply_type"]
    parts.sizes.append((*size_of_texts([post.message, *own]), 0))
    for places in answers:
        roles.append("tool")
        parts.sizes.append((*size_of_texts([attached[place].content for place in places]), 0))


def look_at_conversation(parts: PartedConversation, origin: Origin) -> tuple[str, Summary] | None:
    """Name of the format and summary of what may be a conversation; None where it is something else."""
    if not parts.rounds:
        return None
    sampled = {**parts.fields, "rounds": [{"post_list": []}] * min(_SAMPLED, len(parts.rounds))}
    if registry.best(sampled)[0] is not taskweaver.FORMAT:
        return None
    return taskweaver.FORMAT.name, taskweaver.FORMAT.summary(sampled, parts.outlined, (), origin)


class UnreadEntries(OnDemand[Entry]):
    """The entries of a conversation, each decoded with its post when it is asked for."""

    def __init__(self, parts: PartedConversation, decode: Decode) -> None:
        self._parts = parts
        self._decode = decode
        self._last: tuple[int, list[Entry]] = -1, []

    def __len__(self) -> int:
        return len(self._parts.sizes)

    def _item(self, index: int) -> Entry:
        index = range(len(self))[index]
        starts = self._parts.starts
        post = bisect_right(starts, index) - 1
        known, entries = self._last
        if known != post:
            entries = self._entries_of(post)
            self._last = post, entries
        return entries[index - starts[post]]

    def _entries_of(self, number: int) -> list[Entry]:
        parts = self._parts
        post = parts.posts[number]
        if isinstance(post, dict):
            value: Any = post
        else:
            value = self._decode(json_of(post))
        entries = post_entries(value, f"call_{parts.starts[number]}")
        place = bisect_left(parts.firsts, number)
        if place < len(parts.firsts) and parts.firsts[place] == number:
            at, round_ = parts.rounds[place]
            said = round_ if isinstance(round_, dict) else {key: getattr(round_, key) for key in _OF_ROUND}
            known = {key: self._decode(memoryview(value)) for key, value in said.items() if value is not ABSENT}
            entries[0].round_metadata = round_metadata(known, at)
        return entries
