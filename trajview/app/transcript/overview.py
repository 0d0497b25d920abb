"""The whole of a transcript in a few lines, without Textual: who speaks, what stands out, and what the window shows.

A line is made from the document's heights and from sorted lists, in O(log messages): all of them take as long for a
hundred thousand messages as for a hundred. Only when highlights change are these lists made anew.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from trajview.app.render.headers import SIGNS
from trajview.app.render.options import Fold
from trajview.app.transcript.session import TranscriptSession

__all__ = ["Overview", "OverviewLine", "highlighted_units"]

_GRAVEST_FIRST = ("error", "search", "rule", "unit", "citation", "mark")

FEW = 6
"""Messages on one line up to which a user's among them is shown, wherever it is."""


class OverviewLine(NamedTuple):
    """One line: the role of what is there, whether that is folded, what stands out, and whether it is on the screen."""

    role: str
    folded: bool
    kind: str
    """`error`, `hit`, `mark` or `sign-COLOUR` (a rule's), the gravest; empty for nothing."""
    message: int
    """The first message of that kind, or the one in the middle of the line."""
    window: bool


class Overview:
    """Draws a session on lines of a given number; follows it as it moves, folds, and is measured."""

    def __init__(self, session: TranscriptSession) -> None:
        self.session = session
        self._places: dict[str, list[tuple[int, str]]] = {}
        self._revision = -1

    def window(self, height: int) -> tuple[int, int]:
        """The first and last line that stand for what is on the screen."""
        session = self.session
        total, top = max(1, session.map.total), session.y_of(session.top)
        return top * height // total, min(height - 1, (top + session.height - 1) * height // total)

    def lines(self, height: int) -> list[OverviewLine | None]:
        """All lines, of so many; None below the end of a document that has fewer rows than that."""
        return [self.line(y, height) for y in range(height)]

    def line(self, y: int, height: int) -> OverviewLine | None:
        """Line `y` of so many."""
        session = self.session
        total = session.map.total
        if not session.messages or not 0 <= y < height:
            return None
        first_row = -(-y * total // height)
        after = -(-(y + 1) * total // height)
        start, end = self.window(height)
        if first_row >= after:  # fewer rows than lines: the line shows the row that it is a part of, and no sign
            message = session.map.find(y * total // height)[0]
            return OverviewLine(session.roles[message], self._folded(message), "", message, start <= y <= end)
        message = session.map.find((first_row + after - 1) // 2)[0]
        begun, within = session.map.find(first_row)
        begun += within > 0
        last = session.map.find(after - 1)[0]
        role, folded = session.roles[message], self._folded(message)
        if role != "user" and last - begun < FEW:
            for index in range(begun, last + 1):
                if session.roles[index] == "user":
                    role, folded = "user", self._folded(index)
                    break
        kind, place = self._sign(begun, last)
        return OverviewLine(role, folded, kind, message if place is None else place, start <= y <= end)

    def _folded(self, message: int) -> bool:
        session = self.session
        if session.roles[message] == "tool" and not session.options.show_tools and message not in session.folds:
            return True
        return session.fold_of(message) is not Fold.OPEN

    def _sign(self, first: int, last: int) -> tuple[str, int | None]:
        """The gravest highlight in messages `first` to `last`, and the first message that has it."""
        session = self.session
        if self._revision != session.highlights_revision:
            self._revision = session.highlights_revision
            self._places = {}
            # Of very many, as many as a screen could ever show.
            for message, source, colour in session.index.places:
                self._places.setdefault(source, []).append((message, colour))
            for places in self._places.values():
                places.sort()
        for source in _GRAVEST_FIRST:
            if source == "search" and session.search is not None and source not in session.sources_off:
                hits = session.search.messages
                at = bisect_left(hits, first)
                if at < len(hits) and hits[at] <= last:
                    return SIGNS[source][1], hits[at]
            known = self._places.get(source, ())
            at = bisect_left(known, (first, ""))
            if at < len(known) and known[at][0] <= last:
                message, colour = known[at]
                return f"sign-{colour}" if colour else SIGNS[source][1], message
        return "", None


def highlighted_units(session: TranscriptSession) -> list[int]:
    """The units that are highlighted, ascending."""
    units = set(session.by_unit)
    if session.search is not None and "search" not in session.sources_off:
        # One walk along both: there may be a hit in each of a hundred thousand messages.
        starts = session.unit_starts
        unit, last = 0, len(starts) - 1
        for message in session.search.messages:
            while unit < last and starts[unit + 1] <= message:
                unit += 1
            units.add(unit)
    return sorted(units)
