"""Calls that started a sub-agent, among the lines of a message: how they are signed, found, and found at the cursor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trajview.app.render.lines import Line
from trajview.textsafe import one_line

__all__ = ["ENTERED", "call_at", "line_of_call", "sign_entries"]

ENTERED = "↳"
"""Stands for the arrow of a call that leads into another transcript."""

_LEADS = (("▸", "call.name"), (ENTERED, "call.name"))


def _heads(lines: Sequence[Line]) -> list[int]:
    return [number for number, line in enumerate(lines) if line.lead in _LEADS]


def sign_entries(lines: Sequence[Line], labels: Mapping[int, str]) -> None:
    """Sign the calls that lead somewhere: `labels` says by the call's number where to. A folded message says the first."""
    if not labels:
        return
    heads = _heads(lines)
    for call, label in labels.items():
        if 0 <= call < len(heads):
            head = lines[heads[call]]
            head.lead = (ENTERED, "call.name")
            head.right = (one_line(label, 40), "mark")
    if not heads and len(lines) > 1:
        first = one_line(next(iter(labels.values())), 30)
        lines[1].right = (f"{ENTERED} {first}", "mark")


def line_of_call(lines: Sequence[Line], call: int) -> int | None:
    """The line on which a call begins; None where it is folded away."""
    heads = _heads(lines)
    return heads[call] if 0 <= call < len(heads) else None


def call_at(lines: Sequence[Line], line: int) -> int:
    """The call that a line belongs to, -1 above the first."""
    return sum(1 for head in _heads(lines) if head <= line) - 1
