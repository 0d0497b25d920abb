"""The `repr` of runs, transcripts, messages and parts: one line, however much they hold."""

from __future__ import annotations

from collections.abc import Iterable
from reprlib import Repr
from typing import Final

from .reward import Reward, overall_of

__all__ = ["brief", "counted", "overall_rewards", "quoted"]

_LONGEST: Final = 200
"""Characters of the line."""
_TEXT: Final = 60
"""Characters of a text in it."""

_values = Repr()
_values.maxstring = _values.maxother = 40
_values.maxlevel, _values.maxdict, _values.maxlist = 2, 4, 4


def brief(kind: type, *facts: str) -> str:
    """`Kind(fact, fact)`, without those that are empty, and cut where it would be too long."""
    line = f"{kind.__name__}({', '.join(filter(None, facts))})"
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 2]}…)"


def quoted(value: object) -> str:
    """A value as Python writes it, cut where it is long; of a data URL only its head."""
    if not isinstance(value, str):
        return _values.repr(value)
    if value.startswith("data:") and len(value) > _TEXT:
        return repr(value[:_TEXT].partition(",")[0] + ",…")
    return repr(value if len(value) <= _TEXT else value[:_TEXT] + "…")


def counted(count: int, what: str) -> str:
    """`1 message`, `1,200 messages`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def overall_rewards(rewards: Iterable[Reward] | None) -> str:
    """`rewards=[0.5, 1.0]`, each agent's overall one; empty where there are none."""
    found = [round(overall_of(reward), 4) for reward in rewards or ()]
    return f"rewards={found}" if found else ""
