"""What a selection in the transcript view quotes: the message and the words, without gutter, bullets and headers."""

from __future__ import annotations

from dataclasses import dataclass

from trajview.app.render.layout import margin_of
from trajview.app.transcript.session import TranscriptSession

__all__ = ["Quoted", "quoted_by"]

MOST_ROWS = 2_000
"""Rows of a message that are read for a quotation; far more than one holds."""

Corner = tuple[int, int]
"""A character of a row (the gutter not counted), and the row of the session."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """The messages that a selection touches, and its words where it is in one message only."""

    first: int
    last: int
    words: str = ""


def quoted_by(session: TranscriptSession, start: Corner, end: Corner) -> Quoted | None:
    """What is selected from `start` up to before `end`; None where there is no message."""
    if not session.messages:
        return None
    total = session.map.total
    start, end = max(start, (0, 0), key=_down), min(end, (10**9, total - 1), key=_down)
    if _down(end) < _down(start):
        return None
    first, last = session.at_row(start[1])[0], session.at_row(end[1])[0]
    # A message of which only the header or the empty row at its end is selected is not meant.
    while first < last and not _words(session, last, start, end):
        last -= 1
    while first < last and not _words(session, first, start, end):
        first += 1
    return Quoted(first, last, _words(session, first, start, end) if first == last else "")


def _down(corner: Corner) -> tuple[int, int]:
    return corner[1], corner[0]


def _words(session: TranscriptSession, message: int, start: Corner, end: Corner) -> str:
    """The selected words of one message, on one line."""
    layout = session.layout(message)
    top = session.map.start(message)
    begin = max(0, start[1] - top)
    pieces: list[str] = []
    before = (-1, 0)
    for number in range(begin, min(len(layout.rows), end[1] - top + 1, begin + MOST_ROWS)):
        index, left, right = layout.rows[number]
        line = layout.lines[index]
        if line.ours:
            continue
        margin = len(margin_of(layout, number))
        a = left + max(0, start[0] - margin) if top + number == start[1] else left
        b = min(right, left + max(0, end[0] - margin)) if top + number == end[1] else right
        # Rows of one line go on where the last one stopped, unless a space was dropped between them.
        pieces.append(("" if before == (index, left) else " ") + line.text[a:b])
        before = index, right
    return " ".join("".join(pieces).split())
