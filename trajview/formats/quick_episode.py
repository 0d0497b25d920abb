"""Sotopia's episodes summed up from their bytes: decoded into the very types that an episode has, and no others.

It knows only records with EpisodeLog's own keys whose turns are lists of three texts, and gives up on everything else;
such a record is an episode beyond doubt, since no other format has these keys.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import UNSET

from .base import Origin, Summary
from .sotopia import FORMAT
from .sotopia_episode import episode_from

__all__ = ["look_at_episode"]


class _Record(msgspec.Struct, forbid_unknown_fields=True):
    environment: Any
    agents: Any
    messages: list[list[tuple[str, str, str]]]
    rewards: Any
    reasoning: Any
    pk: Any = UNSET
    tag: Any = UNSET
    models: Any = UNSET
    agent_classes: Any = UNSET
    environment_prompt: Any = UNSET
    rewards_prompt: Any = UNSET


_decode: Final = msgspec.json.Decoder(_Record).decode
_fields: Final = [name for name in _Record.__struct_fields__ if name != "messages"]


def look_at_episode(data: bytes | memoryview, origin: Origin) -> tuple[str, Summary] | None:
    """Name of the format and summary of an episode; None where the record has to be looked at in full."""
    try:
        record = _decode(data)
    except (ValueError, RecursionError):  # no such episode, or no JSON at all
        return None
    turns = record.messages
    if not turns or not turns[0]:
        return None
    fields = {name: value for name in _fields if (value := getattr(record, name)) is not UNSET}
    return FORMAT.name, FORMAT.summary(episode_from(fields, turns, origin))
