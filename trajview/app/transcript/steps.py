"""The steps from one thing to the next of its kind in a transcript, without Textual: units, highlights, a search's hits."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from trajview.app.render.matches import rows_of_matches
from trajview.models.messages import ToolMessage
from trajview.textsafe import strip_escapes, without_colours

if TYPE_CHECKING:
    from trajview.app.transcript.session import TranscriptSession

__all__ = ["Hits", "Steps"]


class Steps:
    """Moves the cursor of a session to the next thing of a kind (step 1) or the previous one (-1); False if there is none."""

    def __init__(self, session: TranscriptSession, hits: Hits) -> None:
        self._session, self._hits = session, hits

    def unit(self, step: int) -> bool:
        """Next or previous unit; going back stops first at the start of the unit that the cursor is in."""
        session, starts = self._session, self._session.unit_starts
        unit = session.unit
        if not starts:
            return False
        if step < 0 and session.message > starts[unit]:
            return session.to_unit(unit)
        return 0 <= unit + step < len(starts) and session.to_unit(unit + step)

    def user(self, step: int) -> bool:
        """Next or previous user message."""
        return self._step([i for i, role in enumerate(self._session.roles) if role == "user"], step, wrap=False)

    def highlight(self, step: int) -> bool:
        """Next or previous highlight, round the ends; while a search is on, its hits row by row."""
        if self._session.highlights.shown_search is not None:
            return self._hits.step(step)
        return self._step(self._session.highlights.stops, step)

    def error(self, step: int) -> bool:
        """Next or previous error, round the ends."""
        return self._step(self._session.highlights.errors, step)

    def mark(self, step: int) -> bool:
        """Next or previous marked unit, round the ends."""
        return self._step([self._session.unit_starts[unit] for unit in self._session.highlights.marks], step)

    def _step(self, targets: Sequence[int], step: int, *, wrap: bool = True) -> bool:
        if not targets or not (wrap or self.is_further(targets, step)):
            return False
        self._session.to_message(_next(targets, self._session.message, step))
        return True

    def is_further(self, targets: Sequence[int], step: int) -> bool:
        """Whether one of some messages, ascending, lies in that direction before the end."""
        return bool(targets) and (_next(targets, self._session.message, step) - self._session.message) * step > 0

    def passed(self, targets: Sequence[int]) -> int:
        """Which of some messages, ascending, the cursor is on or last passed, from 1; 0 before the first."""
        return bisect_right(targets, self._session.message)


class Hits:
    """The matches of the search in a session, row by row as they are shown."""

    def __init__(self, session: TranscriptSession) -> None:
        self._session = session

    def rows(self, message: int) -> list[int]:
        """The rows of a message, as it is folded now, on which a match begins."""
        return list(dict.fromkeys(self._rows_of_matches(message)))

    def _rows_of_matches(self, message: int) -> list[int]:
        """The row of each match."""
        session, search = self._session, self._session.search
        if search is None:
            return []
        looks = partial(search.looks_at, session.roles[message])
        return rows_of_matches(session.layout(message), search.pattern, looks)

    def _row_further(self, step: int) -> int | None:
        """The next row with a match in the message that the cursor is in; None where it holds no more."""
        message, here = self._session.message, self._session.cursor[1]
        if not self._is_hit(message):
            return None
        self._reveal(message)
        rows = self.rows(message)[::step]
        return next((row for row in rows if (row - here) * step > 0), None)

    def _is_hit(self, message: int) -> bool:
        at = bisect_left(self._messages, message)
        return message in self._messages[at : at + 1]

    def is_further(self, step: int) -> bool:
        """Whether there is a match in that direction before the end; shows those of the message that the cursor is in."""
        return self._session.steps.is_further(self._messages, step) or self._row_further(step) is not None

    def step(self, step: int) -> bool:
        """Next or previous row with a match, round the ends."""
        message, row = self._session.message, self._row_further(step)
        if row is not None:
            self._session.to_message(message, row)
        elif self._messages:
            self.go(_next(self._messages, message, step), last=step < 0)
        return bool(self._messages)

    def go(self, message: int, *, last: bool = False) -> None:
        """Jump to the first (or last) match in a message, showing it where it is hidden."""
        self._reveal(message)
        rows = self.rows(message)
        self._session.to_message(message, rows[-1 if last else 0] if rows else None)

    def go_to_line(self, message: int, line: str) -> bool:
        """Jump to the first match in a message that is on a line which reads so; whether there is one."""
        wanted, layout = strip_escapes(line).strip("… \t\r"), self._session.layout(message)
        for row in self.rows(message):
            shown = layout.lines[layout.rows[row][0]].text.strip()
            if shown and (shown in wanted or wanted in shown):
                self._session.to_message(message, row)
                return True
        return False

    @property
    def _messages(self) -> Sequence[int]:
        return self._session.search.messages if self._session.search is not None else ()

    def _reveal(self, number: int) -> None:
        """Unfold a message, and show reasoning or tool output again, where that hides matches."""
        session, search = self._session, self._session.search
        assert search is not None
        if len(self._rows_of_matches(number)) >= search.counts[bisect_left(search.messages, number)]:
            return
        session.unfold(number)
        message, found = session.messages[number], search.pattern.search
        hides_output = isinstance(message, ToolMessage) and not session.options.show_tools
        if hides_output and found(without_colours(message.text)):
            session.toggle_tools()
        if not session.options.show_reasoning and any(map(found, message.reasoning)):
            session.toggle_reasoning()

    @property
    def passed(self) -> int:
        """Which match the cursor is on or last passed, from 1; 0 before the first."""
        search, message = self._session.search, self._session.message
        if search is None:
            return 0
        at = bisect_left(search.messages, message)
        if not self._is_hit(message):
            return search.before[at]
        above = bisect_right(self._rows_of_matches(message), self._session.cursor[1])
        return search.before[at] + min(above, search.counts[at])


def _next(targets: Sequence[int], here: int, step: int) -> int:
    """The first of some messages, ascending, after this one (step 1), or the last before it (-1), round the ends."""
    index = bisect_right(targets, here) if step > 0 else bisect_left(targets, here) - 1
    return targets[index % len(targets)]
