"""Docent's agent runs summed up from their bytes: roles and models are looked at, texts are skipped and never built.

It knows only runs with Docent's own keys whose messages are of the usual types, and gives up on everything else; such
a record is Docent's beyond doubt, since no other format has `transcripts` of `messages`.
"""

from __future__ import annotations

import struct
from functools import partial
from operator import attrgetter
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Raw

from trajview.models.units import count_units

from . import docent
from .base import Origin, Summary
from .chat_format import summary_models
from .roles import ROLES
from .task import task_told
from .unread import ABSENT, Parted, PartedRun, Usual, json_of

__all__ = ["look_at_parts", "look_at_run", "parted_run"]

_CONTENT: Final = attrgetter("content")
_FIRST: Final = struct.Struct("c").unpack_from
_FITTING: Final = frozenset({(b'"',), (b"[",), (b"{",), (b"n",)})
"""How contents begin that are of a type which is not worth a word."""
_Role = Literal[tuple(ROLES)]  # type: ignore[valid-type]  # mypy wants them spelled out


class _Object(msgspec.Struct, gc=False):
    """An object, whatever is in it."""


class _Message(msgspec.Struct, gc=False):
    """What tells a message's role, and whether its types are as they should be."""

    role: _Role  # type: ignore[valid-type]
    content: Raw = ABSENT
    tool_calls: list[_Object] | None = None
    model: Any = None
    metadata: _Object | None = None


class _Transcript(msgspec.Struct, forbid_unknown_fields=True):
    """What all kinds of transcript have beside messages."""

    id: Any = UNSET
    name: Any = UNSET
    description: Any = UNSET
    transcript_group_id: Any = UNSET
    created_at: Any = UNSET
    metadata: Any = UNSET
    units: Any = UNSET


class _Messages(_Transcript, forbid_unknown_fields=True, kw_only=True):
    """A transcript whose messages are looked at."""

    messages: list[_Message]


class _Raws(_Transcript, forbid_unknown_fields=True, kw_only=True):
    """A transcript whose messages stay bytes."""

    messages: list[Raw]


class _Usual(_Transcript, forbid_unknown_fields=True, kw_only=True):
    """A transcript whose messages stay bytes, and are the usual ones."""

    messages: list[Usual]


class _Run(msgspec.Struct, forbid_unknown_fields=True):
    """What both kinds of run have beside transcripts."""

    id: Any = UNSET
    name: Any = UNSET
    description: Any = UNSET
    transcript_groups: Any = UNSET
    metadata: Any = UNSET
    agents: Any = UNSET
    rewards: Any = UNSET
    reasoning: Any = UNSET
    source_format: Any = UNSET


class _RunOfMessages(_Run, forbid_unknown_fields=True, kw_only=True):
    transcripts: list[_Messages]


class _RunOfUsual(_Run, forbid_unknown_fields=True, kw_only=True):
    transcripts: list[_Usual]


class _RunOfRaws(_Run, forbid_unknown_fields=True, kw_only=True):
    transcripts: list[_Raws]


_decode_messages: Final = msgspec.json.Decoder(_RunOfMessages).decode
_decode_usual: Final = msgspec.json.Decoder(_RunOfUsual).decode
_decode_raws: Final = msgspec.json.Decoder(_RunOfRaws).decode
_message: Final = msgspec.json.Decoder(_Message).decode
_calls: Final = msgspec.json.Decoder(list[_Object] | None).decode
_object: Final = msgspec.json.Decoder(_Object | None).decode
_run_fields: Final = _Run.__struct_fields__
_transcript_fields: Final = _Transcript.__struct_fields__


def look_at_run(data: bytes | memoryview, origin: Origin) -> tuple[str, Summary] | None:
    """Name of the format and summary of an agent run; None where the record has to be looked at in full."""
    try:
        run = _decode_messages(data)
    except (ValueError, RecursionError):  # no such run, or no JSON at all
        return None
    transcripts = [({"units": each.units}, each.messages) for each in run.transcripts]
    return _summary(_fields(run, _run_fields), transcripts, origin)


def look_at_parts(parts: PartedRun, origin: Origin) -> tuple[str, Summary] | None:
    """The same of a run that was taken apart; the parts keep what is known of their messages."""
    transcripts = []
    try:
        for each in parts.transcripts:
            if (usual := each.usual) is not None:
                each.heads, messages = usual, list(map(_message_of, usual))
            else:
                each.heads = messages = list(map(_message, map(json_of, each.raws)))
            transcripts.append((each.fields or {}, messages))
    except (ValueError, RecursionError):  # no such message
        return None
    return _summary(parts.fields, transcripts, origin)


def parted_run(data: bytes | memoryview) -> PartedRun | None:
    """The parts of an agent run; None where it is no such run, or no proper JSON."""
    run: _RunOfUsual | _RunOfRaws
    try:
        try:
            run = _decode_usual(data)
        except ValueError:  # a message is not usual
            run = _decode_raws(data)
    except (ValueError, RecursionError):
        return None
    if not run.transcripts:
        return None
    transcripts = [Parted(_fields(each, _transcript_fields), each.messages, data=data) for each in run.transcripts]
    return PartedRun(_fields(run, _run_fields), transcripts)


def _message_of(usual: Usual) -> _Message:
    """What decoding the message gives. Raises ValueError where it does."""
    calls = None if usual.tool_calls is ABSENT else _calls(usual.tool_calls)
    metadata = None if usual.metadata is ABSENT else _object(usual.metadata)
    model = None if usual.model is ABSENT else msgspec.json.decode(usual.model)
    return _Message(usual.role, usual.content, calls, model, metadata)


def _fields(holder: msgspec.Struct, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(holder, name)) is not UNSET}


def _summary(
    run: dict[str, Any], transcripts: list[tuple[dict[str, Any], list[_Message]]], origin: Origin
) -> tuple[str, Summary] | None:
    messages = units = 0
    models: dict[Any, None] = {}
    for fields, found in transcripts:
        if not _fit(found):
            return None
        roles = [ROLES[message.role] for message in found]
        explicit = fields.get("units")
        messages += len(roles)
        units += len(explicit) if docent.covers(explicit, len(roles)) else count_units(roles)
        models |= dict.fromkeys(message.model for message in found if type(message.model) is str)
    if not transcripts:
        return None
    named = summary_models([{"model": model} for model in models], run.get("metadata"))
    return docent.FORMAT.name, docent.summary(
        run, messages, units, len(transcripts), named, (), origin, partial(task_told, transcripts[0][1])
    )


def _fit(messages: list[_Message]) -> bool:
    """Whether all contents are of a type that a message may have."""
    try:
        return _FITTING.issuperset(map(_FIRST, map(_CONTENT, messages)))
    except struct.error:  # a message without content
        return _FITTING.issuperset(_FIRST(each.content) for each in messages if each.content is not ABSENT)
