"""The state of reading one transcript, without Textual: a document, its folds, highlights and search."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, Unpack

from trajview.app.render.calls import call_at, line_of_call
from trajview.app.render.evidence import QUOTED
from trajview.app.render.headers import Scored
from trajview.app.render.matches import rows_of_matches
from trajview.app.render.options import Fold
from trajview.app.transcript.document import Looks, Position
from trajview.app.transcript.highlighted import Highlighted
from trajview.app.transcript.search import SearchHits
from trajview.highlight import Highlight, Rule
from trajview.models.messages import ToolMessage
from trajview.models.transcript import Transcript
from trajview.textsafe import strip_escapes, without_colours

__all__ = ["Look", "Position", "SearchHits", "TranscriptSession"]

FOLD_LEVELS = ("tool output folded", "all folded", "all open")


class Look(NamedTuple):
    """What a reader shows and folds in whole transcripts: it goes with him from one to the next."""

    reasoning: bool
    tools: bool
    fold_level: int


class TranscriptSession(Highlighted):
    """What the reader sees of a transcript, and where he is."""

    def __init__(
        self,
        transcript: Transcript,
        *,
        rules: Sequence[Rule] = (),
        units: Iterable[int] = (),
        **looks: Unpack[Looks],
    ) -> None:
        super().__init__(transcript, **looks)
        self.look_for_highlights(rules, units)

    def take_over(self, before: TranscriptSession) -> None:
        """Be where the reader was in an earlier state of this transcript, with what he folded, hid, marked and sought.

        Who was on the last row is on the last row.
        """
        at_end = before.messages and before.cursor == before._last()
        count = len(self.messages)
        self.options, self.fold_level, self.height = before.options, before.fold_level, before.height
        self.folds = {message: fold for message, fold in before.folds.items() if message < count}
        self.marks = {unit: why for unit, why in before.marks.items() if unit < len(self.unit_starts)}
        self.scored = {unit: scored for unit, scored in before.scored.items() if unit < len(self.unit_starts)}
        self.sources_off = {
            off for off in before.sources_off if off.removeprefix("rule:") in self.rules or ":" not in off
        }
        self._cited = [found for found in before._cited if found.message < count]
        if before.search is not None and (not before.search.messages or before.search.messages[-1] < count):
            self.search = replace(before.search, done=False)  # there may be more now
        self._index_highlights()
        self._relayout()
        if not count:
            return
        self.top, self.cursor = (min(position, (count - 1, position[1])) for position in (before.top, before.cursor))
        self._clamp()
        if at_end:
            self.to_end()

    @property
    def look(self) -> Look:
        """What is shown and folded in all messages."""
        return Look(self.options.show_reasoning, self.options.show_tools, self.fold_level)

    def look_as(self, look: Look) -> None:
        """Show and fold the same as in another transcript."""
        if look != self.look:
            message = self.message
            self.options = replace(self.options, show_reasoning=look.reasoning, show_tools=look.tools)
            self.fold_level = look.fold_level
            self._relayout()
            if self.messages:
                self.to_message(message)

    # -- folds ---------------------------------------------------------------------------------------------------------

    def toggle_fold(self, message: int | None = None) -> None:
        """Open a folded message, fold an open one (tool output to its first lines, others to their first words)."""
        index = self.message if message is None else message
        if not self.messages:
            return
        hidden = self.roles[index] == "tool" and not self.options.show_tools and index not in self.folds
        if self.fold_of(index) is Fold.OPEN and not hidden:
            tool = self.roles[index] == "tool" and self.fold_level != 1
            self.folds[index] = Fold.PREVIEW if tool else Fold.CLOSED
        else:
            self.folds[index] = Fold.OPEN
        self._refold(index)

    def _refold(self, index: int) -> None:
        self._layouts.pop(index, None)
        self.refolds += 1
        rows = len(self.layout(index).rows)
        if self.cursor[0] == index:
            self.cursor = index, min(self.cursor[1], rows - 1)
        if self.top[0] == index:
            self.top = index, min(self.top[1], self.header_row(index))
        self._clamp()
        self._show_cursor()

    def unfold(self, message: int) -> None:
        """Show all of a message."""
        if self.fold_of(message) is not Fold.OPEN:
            self.folds[message] = Fold.OPEN
            self._refold(message)

    def next_fold_level(self) -> str:
        """The next of: tool output folded, all folded, all open. Folds made by hand are forgotten. Returns its name."""
        self.fold_level = (self.fold_level + 1) % len(FOLD_LEVELS)
        self.folds.clear()
        message = self.message
        self._relayout()
        self.to_message(message)
        return FOLD_LEVELS[self.fold_level]

    def toggle_reasoning(self) -> bool:
        """Show or hide reasoning; returns whether it is shown now."""
        self._change_options(show_reasoning=not self.options.show_reasoning)
        self._cursor_on_screen()
        return self.options.show_reasoning

    def toggle_tools(self) -> bool:
        """Show or hide tool output; returns whether it is shown now."""
        self._change_options(show_tools=not self.options.show_tools)
        self._cursor_on_screen()
        return self.options.show_tools

    # -- highlights ----------------------------------------------------------------------------------------------------

    def reasons(self, unit: int) -> list[Highlight]:
        """Why a unit is highlighted: one highlight for all hits of a search in it, of which there may be very many."""
        found = super().reasons(unit)
        if self.search is None or "search" in self.sources_off:
            return found
        hits, starts = self.search.messages, self.unit_starts
        at = bisect_left(hits, starts[unit])
        end = starts[unit + 1] if unit + 1 < len(starts) else len(self.messages)
        if at == len(hits) or hits[at] >= end:
            return found
        hit = Highlight(unit, hits[at], "search", self.search.text)
        return sorted([*found, hit], key=lambda h: (h.message, h.source))

    def step_highlight(self, step: int) -> bool:
        """Next or previous highlight, round the ends; while a search is on, its hits row by row."""
        if self.search is not None and "search" not in self.sources_off:
            return self._step_hit(step)
        return self._step_in(self.stops, step, wrap=True)

    def step_error(self, step: int) -> bool:
        """Next or previous error, round the ends."""
        return self._step_in(self.error_messages, step, wrap=True)

    def step_mark(self, step: int) -> bool:
        """Next or previous marked unit, round the ends."""
        return self._step_in([self.unit_starts[unit] for unit in sorted(self.marks)], step, wrap=True)

    def set_scored(self, scored: Mapping[int, Scored]) -> None:
        """What is scored and noted by hand, in place of what was."""
        self.scored = {unit: one for unit, one in scored.items() if 0 <= unit < len(self.unit_starts)}
        self.highlights_revision += 1
        self.refresh_headers()

    @property
    def characters(self) -> int:
        """How long the texts of the transcript are, about."""
        return sum(length for _, length, *_ in self._sizes)

    def to_quote(self, message: int, quote: str) -> bool:
        """Jump to a message, and to the words quoted from it where they are shown or can be; False if they are not in it."""
        self.to_message(message)
        if not self.messages or not quote:
            self.set_quoted(None)
            return True
        self.set_quoted((message, quote))
        row = self._row_quoted(message)
        if row is None:
            before = self.folds.get(message)
            self.folds[message] = Fold.OPEN  # by hand: then hidden reasoning and tool output are shown as well
            self._refold(message)
            row = self._row_quoted(message)
            if row is None:
                self.folds.pop(message)
                if before is not None:
                    self.folds[message] = before
                self._refold(message)
        if row is None:
            self.set_quoted(None)
        self.to_message(message, row)
        return row is not None

    def to_place(self, cursor: Position, top: Position) -> None:
        """Back to a place of before, as far as it is still there."""
        if self.messages:
            last = len(self.messages) - 1
            self.top, self.cursor = ((min(at[0], last), at[1]) for at in (top, cursor))
            self._clamp()
            self._cursor_on_screen()

    def _row_quoted(self, message: int) -> int | None:
        layout = self.layout(message)
        for number, (index, start, end) in enumerate(layout.rows):
            if any(
                name == QUOTED and a < max(end, start + 1) and b > start for a, b, name in layout.lines[index].spans
            ):
                return number
        return None

    def set_quoted(self, quoted: tuple[int, str] | None) -> None:
        """Make words of a message stand out, in place of those before; None for none."""
        for message in {found[0] for found in (self.quoted, quoted) if found is not None}:
            self._layouts.pop(message, None)
        self.quoted = quoted
        self.revision += 1

    # -- sub-agents ----------------------------------------------------------------------------------------------------

    def set_entries(self, entries: dict[int, dict[int, str]]) -> None:
        """The calls that started a sub-agent, by message and call, with its name: they are signed."""
        if entries != self.entries:
            self.entries = entries
            self.refresh_headers()

    def call_at_cursor(self) -> int:
        """Which of its message's calls the cursor is on, -1 above the first."""
        layout = self.layout(self.message)
        return call_at(layout.lines, layout.rows[min(self.cursor[1], len(layout.rows) - 1)][0])

    def to_call(self, message: int, call: int) -> None:
        """Jump to a call of a message, or to the message where the call is folded away."""
        self.to_message(message)
        if self.messages:
            layout = self.layout(self.message)
            line = line_of_call(layout.lines, call)
            rows = [number for number, row in enumerate(layout.rows) if row[0] == line]
            self.to_message(message, rows[0] if rows else None)

    # -- search --------------------------------------------------------------------------------------------------------

    def set_search(self, hits: SearchHits | None) -> None:
        """Show a search's hits, or none."""
        self.search = hits
        self.take_index(self.index)
        self.refresh_headers()

    def match_rows(self, message: int) -> list[int]:
        """The rows of a message, as it is folded now, on which a match of the search begins."""
        return list(dict.fromkeys(self._rows_of_matches(message)))

    def _rows_of_matches(self, message: int) -> list[int]:
        if self.search is None:
            return []
        looks = partial(self.search.looks_at, self.roles[message])
        return rows_of_matches(self.layout(message), self.search.pattern, looks)

    def hit_further(self, step: int) -> bool:
        """Whether the search has a match in that direction before the end; shows those of the message that it is in."""
        targets, message = self.search.messages if self.search is not None else (), self.message
        if not targets:
            return False
        if (targets[-1] > message) if step > 0 else (targets[0] < message):
            return True
        if message != (targets[-1] if step > 0 else targets[0]):
            return False
        self._show_matches(message)
        return any((row > self.cursor[1]) if step > 0 else (row < self.cursor[1]) for row in self.match_rows(message))

    def _step_hit(self, step: int) -> bool:
        assert self.search is not None
        targets = self.search.messages
        if not targets:
            return False
        message = self.message
        index = bisect_left(targets, message)
        if index < len(targets) and targets[index] == message:
            self._show_matches(message)
            row = self.cursor[1]
            rows = self.match_rows(message)
            further = [r for r in rows if r > row] if step > 0 else [r for r in reversed(rows) if r < row]
            if further:
                self.to_message(message, further[0])
                return True
        index = bisect_right(targets, message) if step > 0 else index - 1
        return self.to_hit(targets[index % len(targets)], last=step < 0)

    def to_hit(self, message: int, *, last: bool = False) -> bool:
        """Jump to the first (or last) match in a message, showing it where it is hidden."""
        self._show_matches(message)
        rows = self.match_rows(message)
        self.to_message(message, (rows[-1] if last else rows[0]) if rows else None)
        return True

    def to_match_on(self, message: int, line: str) -> bool:
        """Jump to the first match in a message that is on a line which reads so; whether there is one."""
        wanted, layout = strip_escapes(line).strip("… \t\r"), self.layout(message)
        for row in self.match_rows(message):
            shown = layout.lines[layout.rows[row][0]].text.strip()
            if shown and (shown in wanted or wanted in shown):
                self.to_message(message, row)
                return True
        return False

    def _show_matches(self, index: int) -> None:
        """Unfold a message, and show reasoning or tool output again, where that hides matches."""
        assert self.search is not None
        count = self.search.counts[bisect_left(self.search.messages, index)]
        if len(self._rows_of_matches(index)) >= count:
            return
        self.unfold(index)
        message, found = self.messages[index], self.search.pattern.search
        if not self.options.show_tools and isinstance(message, ToolMessage) and found(without_colours(message.text)):
            self.toggle_tools()
        if not self.options.show_reasoning and any(found(thought) for thought in message.reasoning):
            self.toggle_reasoning()

    @property
    def hit_number(self) -> int:
        """Which match of the search the cursor is on or last passed, from 1; 0 before the first."""
        if self.search is None:
            return 0
        index = bisect_left(self.search.messages, self.message)
        before = self.search.before[index]
        if index < len(self.search.messages) and self.search.messages[index] == self.message:
            passed = bisect_right(self._rows_of_matches(self.message), self.cursor[1])
            return before + min(passed, self.search.counts[index])
        return before

    @property
    def stop_number(self) -> int:
        """Which highlight the cursor is on or last passed, from 1; 0 before the first."""
        return bisect_right(self.stops, self.message)
