"""The whole of a transcript in a few lines, without Textual: who speaks, what stands out, and what the window shows.

A line is made from the document's heights and from sorted lists, in O(log messages): all of them take as long for a
hundred thousand messages as for a hundred. Only when highlights change are these lists made anew.
"""

from __future__ import annotations

from typing import NamedTuple

from trajview.app.render.headers import sign_of
from trajview.app.transcript.session import TranscriptSession

__all__ = ["OverviewLine", "overview", "window_of"]

FEW = 6
"""Messages on one line up to which a user's among them is shown, wherever it is."""


class OverviewLine(NamedTuple):
    """One line: the role of what is there, whether that is folded, what stands out, and whether it is on the screen."""

    role: str
    folded: bool
    kind: str
    """`error`, `hit`, `mark` or `sign.COLOUR` (a rule's), the gravest; empty for nothing."""
    message: int
    """The first message of that kind, or the one in the middle of the line."""
    window: bool


def window_of(session: TranscriptSession, height: int) -> tuple[int, int]:
    """The first and last line, of so many, that stand for what is on the screen."""
    total, top = max(1, session.map.total), session.y_of(session.top)
    return top * height // total, min(height - 1, (top + session.height - 1) * height // total)


def overview(session: TranscriptSession, height: int) -> list[OverviewLine]:
    """A session on so many lines; none where it has no messages."""
    first, last = window_of(session, height)
    return [_line(session, y, height, window=first <= y <= last) for y in range(height) if session.messages]


def _line(session: TranscriptSession, y: int, height: int, *, window: bool) -> OverviewLine:
    total = session.map.total
    first_row = -(-y * total // height)
    after = -(-(y + 1) * total // height)
    if first_row >= after:  # fewer rows than lines: the line shows the row that it is a part of, and no sign
        message = session.map.find(y * total // height)[0]
        return OverviewLine(session.roles[message], session.is_folded(message), "", message, window)
    message = session.map.find((first_row + after - 1) // 2)[0]
    begun, within = session.map.find(first_row)
    begun += within > 0
    last = session.map.find(after - 1)[0]
    few = range(begun, last + 1) if last - begun < FEW else ()
    speaker = next((index for index in few if session.roles[index] == "user"), message)
    role, folded = session.roles[speaker], session.is_folded(speaker)
    found = session.highlights.gravest(begun, last)
    if found is None:
        return OverviewLine(role, folded, "", message, window)
    return OverviewLine(role, folded, sign_of([found])[1], found.message, window)
