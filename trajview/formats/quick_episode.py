"""Sotopia's episodes summed up from their bytes: decoded into the very types that an episode has, and no others.

It knows only records with EpisodeLog's own keys whose turns are lists of three texts, and gives up on everything else;
such a record is an episode beyond doubt, since no other format has these keys.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw
from msgspec.structs import replace

from trajview.models.episodes import Said

from .base import Origin, Summary
from .episode_outline import PartedEpisode, count_unless_evaluated, onlooker_count, onlooker_outline
from .sotopia import FORMAT
from .sotopia_episode import Episode, episode_from
from .unread import in_order

__all__ = ["look_at_episode", "look_at_parts", "parted_episode"]


class _Record(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    environment: Any
    agents: Any
    messages: list[list[Said]]
    rewards: Raw
    reasoning: Any
    pk: Any = UNSET
    tag: Any = UNSET
    models: Any = UNSET
    agent_classes: Any = UNSET
    environment_prompt: Any = UNSET
    rewards_prompt: Any = UNSET


_FIELDS: Final = tuple(name for name in _Record.__struct_fields__ if name not in ("messages", "rewards"))
_values: Final = attrgetter(*_FIELDS)
_decode: Final = msgspec.json.Decoder(_Record).decode
_decode_rewards: Final = msgspec.json.Decoder(list[tuple[float, dict[str, float]]]).decode
_decode_any: Final = msgspec.json.Decoder().decode


def look_at_episode(data: bytes | memoryview, origin: Origin) -> tuple[str, Summary] | None:
    """Name of the format and summary of an episode; None where the record has to be looked at in full."""
    record = _record(data)
    if record is None:
        return None
    count = count_unless_evaluated(record.messages)
    episode = _episode(record, origin, evaluated=count is None)
    if episode is None:
        return None
    return FORMAT.name, FORMAT.summary(episode, onlooker_count(episode) if count is None else count)


def parted_episode(data: bytes | memoryview, origin: Origin) -> PartedEpisode | None:
    """The episode that a record is, to be opened; None where the record has to be decoded in full for that."""
    record = _record(data)
    episode = None if record is None else _episode(record, origin)
    if episode is not None:
        episode = replace(episode, fields=in_order(episode.fields, "messages", data))
    return None if episode is None else PartedEpisode(episode, onlooker_outline(episode))


def look_at_parts(parts: PartedEpisode) -> tuple[str, Summary]:
    """Name of the format and summary of an episode that is to be opened."""
    return FORMAT.name, FORMAT.summary(parts.episode, len(parts.outlined.roles))


def _record(data: bytes | memoryview) -> _Record | None:
    try:
        record = _decode(data)
    except (ValueError, RecursionError):  # no such episode, or no JSON at all
        return None
    return record if record.messages and record.messages[0] else None


def _episode(record: _Record, origin: Origin, *, evaluated: bool = True) -> Episode | None:
    try:
        rewards, are_usual = _rewards(record.rewards)
    except (ValueError, RecursionError):
        return None
    fields = {key: value for key, value in zip(_FIELDS, _values(record), strict=True) if value is not UNSET}
    fields["rewards"] = rewards
    episode = episode_from(fields, record.messages, origin, rewards if are_usual else None, evaluated=evaluated)
    if are_usual and episode.rewards is None:  # they are shown as they are
        fields["rewards"] = _decode_any(record.rewards)
    return episode


def _rewards(data: Raw) -> tuple[Any, bool]:
    """The rewards, and whether they are of the very types that an episode has. Raises ValueError."""
    try:
        return _decode_rewards(data), True
    except ValueError:
        return _decode_any(data), False
