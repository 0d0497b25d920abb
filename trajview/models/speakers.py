"""Who speaks, where the role does not tell: a number for each of several speakers, which stands for a colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

from trajview.models.messages import ChatMessage

__all__ = ["COLOURS", "speakers_of"]

COLOURS: Final = 5
"""Colours of speakers; a sixth has that of the first."""

_LOOKED_AT: Final = 300
"""Messages whose names are looked at: who comes later has the colour of the role."""


def speakers_of(messages: Sequence[ChatMessage], agents: Sequence[str] = ()) -> Mapping[str, int]:
    """Number the speakers of a transcript from 0, each with the number of its colour.

    Args:
        messages: The messages of the transcript.
        agents: The agents of the run, in its order: where there are several, they and nobody else have colours, the same
            in every transcript.

    Returns:
        The number by name; empty where no role has more than one speaker.
    """
    names = list(dict.fromkeys(agents))
    if len(names) < 2:
        said = [(m.role, m.name) for m in islice(messages, _LOOKED_AT) if m.name and m.role in ("user", "assistant")]
        shared = {role for role in ("user", "assistant") if len({name for at, name in said if at == role}) > 1}
        names = list(dict.fromkeys(name for role, name in said if role in shared))
    return {name: number % COLOURS for number, name in enumerate(names)}
