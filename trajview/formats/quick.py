"""Plain chat records summed up from their bytes: roles and calls are looked at, texts are skipped and never built.

Four times as fast as decoding a record whole. It knows only records of the commonest shape, OpenAI's chats whose
contents are texts, and gives up on everything else; what it finds is what `detect` and `summarise` find, which the
tests hold it to. Detection looks at the keys of a record and at a few messages, so records that have the same of both
are of the same format: the first of them is looked at in full (`learn`), those after it here.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
from msgspec import UNSET, Raw, UnsetType

from trajview.models.units import count_units

from . import docent, openai, quick_episode, registry, sotopia
from .base import Origin, Summary
from .chat_format import Beside, ChatFormat, beside_messages
from .outline import outline_of
from .quick_docent import look_at_parts, look_at_run, parted_run
from .roles import ROLES, sample
from .task import task_told
from .unread import ABSENT, Parted, PartedRun, Told, Usual, json_of, parted
from .utf8 import is_utf8, seems_utf8

if TYPE_CHECKING:
    from .episode_outline import PartedEpisode
    from .quick_adp import PartedTrajectory
    from .quick_taskweaver import PartedConversation

    Apart = Parted | PartedRun | PartedEpisode | PartedConversation | PartedTrajectory
    """What a large record is taken apart into."""

__all__ = ["QuickLook"]

_MAX_KEYS: Final = 60
_MAX_SHAPES: Final = 2000
_MAX_MISSES: Final = 20
_RARELY: Final = 16
"""After many records in a row that it does not know, it looks at one in so many."""
_LARGE: Final = 1 << 20
"""Bytes from which on a record is never decoded to learn its format: the messages that detection looks at are enough."""
_LONGEST: Final = 1 << 20
"""Bytes of the first element of a list that may be a message."""
_HEAD: Final = 1 << 16
"""Bytes among which the key `transcripts` is looked for: with it, a record is Docent's."""
_TURNS: Final = re.compile(rb'"messages"\s*:\s*\[\s*\[')
"""With turns under that key, it may be an episode."""
_ROUNDS: Final = re.compile(rb'"rounds"\s*:\s*\[\s*\{')
"""And with rounds under that, one of TaskWeaver's conversations."""
_ITEMS: Final = re.compile(rb'"content"\s*:\s*\[\s*\{[^{}]*"class_"')
"""And with items of a class under that, one of ADP's trajectories."""
_TEXT_OR_NULL: Final = frozenset({(b'"',), (b"n",)})
_LIST_OR_NULL: Final = frozenset({(b"[",), (b"n",)})
_CONTENT: Final = attrgetter("content")
_CALLS: Final = attrgetter("tool_calls")
_FIRST: Final = struct.Struct("c").unpack_from
_NESTED: Final = frozenset({"metadata", "tools", "scores", "usage", "metrics"})
"""Keys whose value may be an object or a list: detection looks at whether they are there, never into them."""
_TELLING: Final = frozenset({"type", "role", "from", "schema_version", "trajectory_format"})
"""Keys whose value may tell the format; a record with one of them is always looked at in full."""
_PLAIN_KEY: Final = re.compile(r"[\w .-]{1,60}", re.ASCII)  # a Struct cannot have just any
_CONTAINERS: Final = frozenset({dict, list})
_LETTERS: Final = {spelled: role[0] for spelled, role in ROLES.items()}
"""Roles, however they are spelled, as letters, whose pairs in a text are counted at the speed of memory."""
_NEW_UNIT: Final = tuple(
    before[0] + role[0]
    for before in sorted(set(ROLES.values()))
    for role in sorted(set(ROLES.values()) - {before, "system"})
    if count_units([before, role]) > 1
)
"""Docent's rule: a message of the second role starts an action unit after one of the first; one of the same role does
not, except a system's."""
_Role = Literal[tuple(ROLES)]  # type: ignore[valid-type]  # mypy wants them spelled out

_TYPED: Final = {sotopia.FORMAT.name: quick_episode.look_at_episode, docent.FORMAT.name: look_at_run}
"""Formats whose records are decoded into types of their own."""


_first_of: Final = json.JSONDecoder().raw_decode


def _begins_with_a_message(data: bytes | memoryview) -> bool:
    """Whether the first element of a list is a message, which makes the list one record."""
    try:
        head = bytes(data[1:_LONGEST]).decode("utf-8", "replace").lstrip(" \t\r\n")
        return registry.is_message_line(_first_of(head)[0])
    except (ValueError, RecursionError):  # no JSON, or it is too long
        return False


class _Object(msgspec.Struct, gc=False):
    """An object, whatever is in it."""


class _Call(msgspec.Struct, gc=False):
    """A call as OpenAI spells it."""

    function: _Object


class _Message(msgspec.Struct, gc=False):
    """What tells a message's role, whether it is one, and whether its types are as they should be."""

    role: _Role  # type: ignore[valid-type]
    content: Raw = ABSENT
    tool_calls: list[_Call] | None = None
    model: str | None = None
    metadata: _Object | None = None


_Shape = tuple[Any, ...]


class QuickLook:
    """Sums up the records of one file after another; not for several threads at once."""

    def __init__(self, *, thorough: bool = False, fits: Callable[[int], bool] = lambda _: True) -> None:
        """`thorough`: look at all bytes for some that are no UTF-8, which is as much work as the rest.

        `fits`: whether there is room for the values of so many bytes; a large record that is to be decoded is left where not.
        """
        self._fits = fits
        self._is_utf8 = is_utf8 if thorough else seems_utf8
        self.wants_tasks = True
        """Whether a summary is to have a task, where there is one; looking for it is some percent of the work."""
        self._keys: dict[str, None] = {}
        self._decoder: msgspec.json.Decoder[Any] | None = None
        self._values: Callable[[Any], tuple[Any, ...]] = tuple
        self._kinds: dict[tuple[type, ...], bool] = {}
        self._shapes: dict[_Shape, bool] = {}
        self._asked: _Shape | None = None
        self._misses = 0
        self._learnt = ""
        """The format of the record that was looked at in full last."""
        self._typed_misses = 0
        self._parted: Apart | None = None

    def taken_apart(self) -> Apart | None:
        """The parts of the record that was looked at last, where it is large; given once."""
        found, self._parted = self._parted, None
        return found

    def look(self, data: bytes | memoryview, origin: Origin, *, apart: bool = False) -> tuple[str, Summary] | None:
        """Name of the format and summary of a record; None where it has to be looked at in full.

        `apart`: the record, if it is large, is the next to be opened, so that `taken_apart` shall give its parts.
        """
        self._asked = self._parted = None
        if self._learnt in _TYPED and self._typed_misses <= _MAX_MISSES and not apart:
            found = _TYPED[self._learnt](data, origin)
            if found is None:
                self._typed_misses += 1
            elif self._learnt == sotopia.FORMAT.name or self._is_utf8(data):
                return found
        if len(data) >= _LARGE and (apart or self._decoder is None or data[:1] == b"["):
            return self._look_at_large(data, origin)
        if self._decoder is None or (self._misses > _MAX_MISSES and self._misses % _RARELY):
            self._misses += 1
            return None
        try:
            record = self._decoder.decode(data)
        except (ValueError, RecursionError):  # no such chat, or no JSON at all
            self._misses += 1
            return None
        messages, values = record.m, self._values(record)
        kinds = tuple(map(type, values))
        self._misses = 0
        if not _have_texts(messages) or not self._are_known(kinds):
            return None
        shape = _shape(kinds, messages)
        known = self._shapes.get(shape)
        if known is None:
            self._asked = shape
            if len(data) >= _LARGE:
                return self._look_at_large(data, origin)
        if not known or not self._is_utf8(data):
            return None
        fields = dict(zip(self._keys, values))  # noqa: B905 - as many as there are keys
        if UnsetType in kinds:
            fields = {key: value for key, value in fields.items() if value is not UNSET}
        letters = "".join([_LETTERS[message.role] for message in messages])
        telling = messages if self.wants_tasks else ()
        return openai.FORMAT.name, _summary(beside_messages(fields, origin), letters, _models(messages), telling)

    def _look_at_large(self, data: bytes | memoryview, origin: Origin) -> tuple[str, Summary] | None:
        """The same of a record that is never decoded, not even to learn its format: what detection sees of it is."""
        head = bytes(data[:_HEAD])
        if b'"transcripts"' in head and (found := self._look_at_large_run(data, origin)) is not None:
            return found
        if (
            _TURNS.search(head)
            and self._fits(len(data))
            and (episode := quick_episode.parted_episode(data, origin)) is not None
        ):
            self._parted = episode
            return quick_episode.look_at_parts(episode)
        if _ROUNDS.search(head) and (found := self._look_at_large_conversation(data, origin)) is not None:
            return found
        if _ITEMS.search(head) and (found := self._look_at_large_trajectory(data, origin)) is not None:
            return found
        try:
            if data[:1] == b"[" and not _begins_with_a_message(data):
                return None  # an array of records
            parts = parted(data)
            if parts is None or not parts.raws:
                return None
            sampled, messages = parts.sampled()
            known = registry.best(sampled)[0]
            self.learn(sampled, known.name)
            if not isinstance(known, ChatFormat) or (chat := known.beside(parts.fields, messages, origin)) is None:
                return None
            whole = known.whole(parts)
            if whole is None:
                return None
            usual = whole.usual
            models: list[str]
            if usual is not None:
                whole.heads, models = usual, _models_of_usual(usual)
            else:
                whole.heads = heads = list(map(_message, map(json_of, whole.raws)))
                models = _models(heads)
            whole.outline = outline_of(whole.heads, usual)
        except (ValueError, RecursionError):  # no such chat
            return None
        if whole.outline is None or not self._is_utf8(data):
            return None
        self._parted = whole
        letters = "".join([_LETTERS[role] for role in whole.outline.roles])
        return known.name, _summary(chat.beside(), letters, models, whole.heads)

    def _look_at_large_run(self, data: bytes | memoryview, origin: Origin) -> tuple[str, Summary] | None:
        parts = parted_run(data)
        found = look_at_parts(parts, origin) if parts is not None else None
        if found is None or not self._is_utf8(data):
            return None
        self._parted = parts
        return found

    def _look_at_large_trajectory(self, data: bytes | memoryview, origin: Origin) -> tuple[str, Summary] | None:
        from .quick_adp import look_at_trajectory, parted_trajectory  # most never need it

        parts = parted_trajectory(data)
        found = look_at_trajectory(parts, origin) if parts is not None else None
        if found is None or not self._is_utf8(data):
            return None
        self._parted = parts
        return found

    def _look_at_large_conversation(self, data: bytes | memoryview, origin: Origin) -> tuple[str, Summary] | None:
        from .quick_taskweaver import look_at_conversation, parted_conversation  # most never need it

        parts = parted_conversation(data)
        found = look_at_conversation(parts, origin) if parts is not None else None
        if found is None or not self._is_utf8(data):
            return None
        self._parted = parts
        return found

    def _are_known(self, kinds: tuple[type, ...]) -> bool:
        """Whether detection looks at no more than the types of a record's values, where they are of these types."""
        known = self._kinds.get(kinds)
        if known is None:
            pairs = zip(self._keys, kinds, strict=True)
            known = not any(kind in _CONTAINERS and key not in _NESTED for key, kind in pairs)
            if len(self._kinds) < _MAX_SHAPES:
                self._kinds[kinds] = known
        return known

    def learn(self, record: Any, format_name: str) -> None:
        """Take note of the format of a record, found by looking at it in full after `look` gave None."""
        asked, self._asked = self._asked, None
        self._learnt = format_name
        if asked is not None and len(self._shapes) < _MAX_SHAPES:
            self._shapes[asked] = format_name == openai.FORMAT.name
        elif format_name == openai.FORMAT.name and isinstance(record, dict) and "messages" in record:
            keys = record.keys() - self._keys.keys() - {"messages"}
            if (keys or self._decoder is None) and len(keys) + len(self._keys) <= _MAX_KEYS and _are_plain(keys):
                self._keys.update((key, None) for key in record if key in keys)
                self._decoder = _decoder(tuple(self._keys))
                self._values = _getter(len(self._keys))
                self._kinds.clear()
                self._shapes.clear()
                self._misses = 0


def _are_plain(keys: Iterable[str]) -> bool:
    return not any(key in _TELLING or _PLAIN_KEY.fullmatch(key) is None for key in keys)


def _decoder(keys: tuple[str, ...]) -> msgspec.json.Decoder[Any]:
    """Decodes records with these keys beside `messages`, and refuses others."""
    fields: list[Any] = [("m", list[_Message]), *((f"f{i}", Any, UNSET) for i in range(len(keys)))]
    names = {"m": "messages", **{f"f{i}": key for i, key in enumerate(keys)}}
    return msgspec.json.Decoder(msgspec.defstruct("_Record", fields, rename=names, forbid_unknown_fields=True))


_message: Final = msgspec.json.Decoder(_Message).decode
_object: Final = msgspec.json.Decoder(_Object | None).decode
_text: Final = msgspec.json.Decoder(str | None).decode


def _have_texts(messages: Sequence[_Message]) -> bool:
    """Whether there are messages, and the content of each is a text, or there are calls in its place."""
    try:
        kinds = set(map(_FIRST, map(_CONTENT, messages)))
    except struct.error:
        kinds = {_FIRST(message.content) for message in messages if message.content is not ABSENT}
        if not all(message.tool_calls for message in messages if message.content is ABSENT):
            return False  # calls have to make it a message
    return bool(messages) and kinds <= _TEXT_OR_NULL


def _shape(kinds: tuple[type, ...], messages: list[_Message]) -> _Shape:
    """All that detection can see: every message is one, none has blocks, and all calls are OpenAI's."""
    looked_at = list(sample(messages))
    return kinds, frozenset([message.role for message in looked_at]), any(map(_CALLS, looked_at))


def _getter(count: int) -> Callable[[Any], tuple[Any, ...]]:
    """Gives the values of so many keys of a decoded record."""
    names = [f"f{i}" for i in range(count)]
    if count > 1:
        return attrgetter(*names)
    return lambda found: tuple(getattr(found, name) for name in names)


def _models(messages: list[_Message]) -> list[str]:
    named = [message.model for message in messages]
    return list(filter(None, named)) if any(named) else []


def _models_of_usual(messages: list[Usual]) -> list[str]:
    """The same, having looked at all types that are worth a word. Raises ValueError where one is not as it should be.

    What the calls are is not looked at, but in the messages that detection sees.
    """
    calls = [message.tool_calls for message in messages if message.tool_calls is not ABSENT]
    if not _LIST_OR_NULL.issuperset(map(_FIRST, calls)):
        raise ValueError("calls that are no list")
    for metadata in [message.metadata for message in messages if message.metadata is not ABSENT]:
        _object(metadata)
    return list(filter(None, [_text(message.model) for message in messages if message.model is not ABSENT]))


def _summary(found: Beside, letters: str, named: list[str], messages: Sequence[Told]) -> Summary:
    """The summary of a chat from what stands beside its messages, and from what is known of these: a letter for each role."""
    units = letters.count("s") + sum(map(letters.count, _NEW_UNIT)) + (letters[0] != "s")
    models = (*found.models, *named) if named else found.models
    if len(models) > 1:
        models = tuple(dict.fromkeys(models))
    task = task_told(messages) if found.name is None else None
    return Summary(found.id, found.name, len(letters), units, 1, (), found.rewards, models, found.problems, task)
