"""Sotopia's episodes summed up from their bytes: decoded into the very types that an episode has, and no others.

It knows only records with EpisodeLog's own keys whose turns are lists of three texts, and gives up on everything else;
such a record is an episode beyond doubt, since no other format has these keys.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Raw

from trajview.models.episodes import Said

from .base import Origin, Summary
from .sotopia import FORMAT
from .sotopia_episode import episode_from

__all__ = ["look_at_episode"]


class _Record(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    environment: Any
    agents: Any
    messages: list[list[Said]]
    rewards: Raw
    reasoning: Any
    pk: Any = None
    tag: Any = None
    models: Any = None
    agent_classes: Any = None
    environment_prompt: Any = None
    rewards_prompt: Any = None


_decode: Final = msgspec.json.Decoder(_Record).decode
_decode_rewards: Final = msgspec.json.Decoder(list[tuple[float, dict[str, float]]]).decode
_decode_any: Final = msgspec.json.Decoder().decode


def look_at_episode(data: bytes | memoryview, origin: Origin) -> tuple[str, Summary] | None:
    """Name of the format and summary of an episode; None where the record has to be looked at in full."""
    try:
        record = _decode(data)
        rewards, are_usual = _rewards(record.rewards)
    except (ValueError, RecursionError):  # no such episode, or no JSON at all
        return None
    turns = record.messages
    if not turns or not turns[0]:
        return None
    fields = {
        "agents": record.agents,
        "models": record.models,
        "pk": record.pk,
        "reasoning": record.reasoning,
        "rewards": rewards,
    }
    return FORMAT.name, FORMAT.summary(episode_from(fields, turns, origin, rewards if are_usual else None))


def _rewards(data: Raw) -> tuple[Any, bool]:
    """The rewards, and whether they are of the very types that an episode has. Raises ValueError."""
    try:
        return _decode_rewards(data), True
    except ValueError:
        return _decode_any(data), False
