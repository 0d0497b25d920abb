"""Docent's rule for action units, from the roles alone: cheap enough to run on every run of a corpus."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["count_units", "unit_starts"]


def unit_starts(roles: Iterable[str]) -> list[int]:
    """The index of the first message of each action unit, from the roles alone.

    Docent's rule: a system message is a unit of its own; a user message starts one unless the message before it is
    a user's; an assistant message starts one unless the message before it is a user's or an assistant's; a tool
    message joins the current unit, and starts one only where there is none.
    """
    starts: list[int] = []
    append = starts.append
    previous = ""
    for index, role in enumerate(roles):
        if role == "assistant":
            if previous != "assistant" and previous != "user":
                append(index)
        elif role == "user":
            if previous != "user":
                append(index)
        elif role == "system" or previous == "system" or not previous:
            append(index)
        previous = role or "tool"
    return starts


def count_units(roles: Iterable[str]) -> int:
    """The number of action units of messages with these roles."""
    return len(unit_starts(roles))
