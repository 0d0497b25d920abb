"""The state of reading one transcript, without Textual: its messages as rows, what is folded, and where the reader is.

What is next of a kind, units, highlights or a search's hits, is found by its parts `Steps` and `Hits`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from trajview.app.render.blocks import message_lines
from trajview.app.render.calls import call_at, line_of_call, sign_entries
from trajview.app.render.evidence import mark_quote, quoted_row
from trajview.app.render.headers import Scored, unit_header
from trajview.app.render.layout import Layout, lay_out
from trajview.app.render.lines import Line, Picture
from trajview.app.render.matches import rows_of_matches
from trajview.app.render.options import Fold, ViewOptions
from trajview.app.shared.linemap import LineMap
from trajview.app.shared.positions import Position, Positions
from trajview.app.transcript.highlights import Highlights
from trajview.app.transcript.pictures import Pictures, picture_rows_at
from trajview.app.transcript.search import SearchHits
from trajview.app.transcript.sizes import estimates, sizes_of
from trajview.app.transcript.unit_facts import UnitFacts
from trajview.highlight import Rule
from trajview.models.messages import AssistantMessage, ChatMessage, ToolMessage
from trajview.models.speakers import speakers_of
from trajview.models.transcript import Transcript
from trajview.places import RunPlace
from trajview.textsafe import strip_escapes, without_colours

__all__ = ["LONG", "Calls", "Hits", "Position", "SearchHits", "Steps", "TranscriptSession"]

FOLD_LEVELS = ("tool output folded", "all folded", "all open")
LAYOUTS_KEPT = 400
_MOST_FOLDS = 500
"""Folds that are kept for another time: a search may unfold every message."""
LONG = 2_000
"""Messages from which on highlights are looked for in a thread."""


class _Anchor(NamedTuple):
    """What survives a new width: a message, the logical line of a row in it, and the character that the row starts with."""

    message: int
    line: int
    start: int


class TranscriptSession(Positions):
    """What the reader sees of a transcript, and where he is: what is laid out, and how high the rest is about.

    Its parts know what is highlighted (`highlights`), and go to the next thing of a kind (`steps`) and to the matches of a
    search (`hits`); `calls` knows where calls begin.
    """

    def __init__(
        self,
        transcript: Transcript,
        *,
        rules: Iterable[Rule] = (),
        units: Iterable[int] = (),
        bare: bool = False,
        language: str = "",
        preview_lines: int = 8,
        width: int = 80,
        agents: Sequence[str] = (),
        folder: Path | None = None,
        picture_rows: int = 0,
    ) -> None:
        """Read a transcript from its start.

        Args:
            rules: The highlight rules that are on.
            units: Action units named on the command line.
            bare: Whether the text of the messages is all there is: no headers, no highlights.
            language: Of a bare text: see `ViewOptions`.
            preview_lines: Lines that are shown of folded tool output.
            width: Columns.
            agents: Who speaks in the run: see `speakers_of`.
            folder: The folder of the log, for images that are named by their paths.
            picture_rows: The most rows that an image is drawn in at first; 0: none is ever drawn.
        """
        super().__init__()
        self.transcript = transcript
        self.messages: Sequence[ChatMessage] = transcript.messages
        self.roles: Sequence[str] = [message.role for message in self.messages]
        self._speakers = {} if bare else speakers_of(self.messages, agents)
        self.unit_starts = transcript.unit_starts
        self.options = ViewOptions(
            bare=bare,
            language=language,
            preview_lines=preview_lines,
            width=max(10, width),
            fold_level=2 if bare else 0,
            folder=folder,
            picture_rows=picture_rows,
        )
        self.pictures = Pictures()
        self.folds: dict[int, Fold] = {}
        """How messages are folded by hand."""
        self.highlights = Highlights(transcript, rules, units)
        self.hits = Hits(self)
        self.steps = Steps(self, self.hits)
        self.calls = Calls(self)
        self.scored: dict[int, Scored] = {}
        """The units that were scored or noted by hand."""
        self.entries: dict[int, dict[int, str]] = {}
        """By message and call: the sub-agent's transcript that it started, by name."""
        self.quoted: tuple[int, str] | None = None
        """A message, and words in it that a citation quotes: they stand out."""
        self.tokens: int | None = None
        """How many tokens the transcript has, once they are counted."""
        self.facts: dict[int, UnitFacts] = {}
        """What units took, as far as that is known; from `counted` on, as it was when the transcript was read before."""
        self.counted = 0
        self._changes = 0
        self._layouts: OrderedDict[int, Layout] = OrderedDict()
        self._layouts_for: object = None
        self._resting: tuple[tuple[Position, Position], tuple[_Anchor, _Anchor]] | None = None
        """Where the window and the cursor were left by the last size, and what they were to stay at."""
        self._sizes = sizes_of(self.messages)
        self.map = self._estimated()
        if bare:
            self.highlights.scanned = True
        elif len(self.messages) < LONG:
            self.highlights.take_scan(self.highlights.scan())

    def place(self, transcript: int) -> RunPlace:
        """Where the reader is in this transcript of a run, and what he folded, to come back to another time."""
        top, cursor = self._anchors()
        folds = list(self.folds.items())[-_MOST_FOLDS:]
        return RunPlace(transcript, cursor, top, {message: fold.value for message, fold in folds})

    def come_back(self, place: RunPlace) -> None:
        """Go where the reader was at an earlier time, with what he folded; where the log became shorter, to its end."""
        count = len(self.messages)
        self.folds = {message: Fold(fold) for message, fold in place.folds.items() if message < count}
        self._relayout()
        if place.cursor[0] < count:
            self._put_at((_Anchor(*min(place.top, place.cursor)), _Anchor(*place.cursor)))
            self._show_cursor(0)
        else:
            self.to_end()

    def take_over(self, before: TranscriptSession) -> None:
        """Be where the reader was in an earlier state of this transcript, with what he folded, hid, marked and sought.

        Who was on the last row is on the last row.
        """
        count = len(self.messages)
        self.options, self.height = before.options, before.height
        self.folds = {message: fold for message, fold in before.folds.items() if message < count}
        self.highlights.take_over(before.highlights)
        self.pictures = before.pictures
        self.set_scored(before.scored)
        self.tokens = before.tokens
        sizes = enumerate(zip(self._sizes, before._sizes, strict=False))
        same = next((at for at, (now, then) in sizes if now != then), min(count, before.count))
        self.counted = min(before.counted, max(0, bisect_right(self.unit_starts, same) - 1))
        units = bisect_left(self.unit_starts, same)
        self.facts = {unit: facts for unit, facts in before.facts.items() if unit < units}
        self._relayout()
        if before.count and before.cursor == before.last:
            self.to_end()
        else:
            self.to_place(before.cursor, before.top)

    # -- layouts and heights -------------------------------------------------------------------------------------------

    @property
    def revision(self) -> tuple[int, int]:
        """Another one whenever what is shown of messages may have changed, folds by hand apart."""
        return self._changes, self.highlights.revision

    @property
    def search(self) -> SearchHits | None:
        """What is searched for."""
        return self.highlights.search

    def characters_in(self, messages: range) -> int:
        """How long the texts of some messages are, about."""
        return sum(length for _, length, *_ in self._sizes[messages.start : messages.stop])

    def _estimated(self) -> LineMap:
        """Heights from the sizes of messages alone."""
        level = (Fold.PREVIEW, Fold.CLOSED, Fold.OPEN)[self.options.fold_level]
        heights = estimates(self._sizes, self.options, level)
        for message, fold in self.folds.items():
            [heights[message]] = estimates([self._sizes[message]], self.options, fold)
        for message in () if self.options.bare else self.unit_starts:
            heights[message] += 1  # the unit's header
        return LineMap(heights)

    def layout(self, item: int) -> Layout:
        """The lines and rows of a message, its unit's header included. Kept while it stays near the screen."""
        made_for = self._changes if self.options.bare else self.revision
        if self._layouts_for != made_for:
            self._layouts.clear()
            self._layouts_for = made_for
        found = self._layouts.get(item)
        if found is not None:
            self._layouts.move_to_end(item)
            return found
        layout = self._layouts[item] = lay_out(self._lines(item), self.options.width)
        if len(self._layouts) > LAYOUTS_KEPT:
            self._layouts.popitem(last=False)
        self.map.set(item, len(layout.rows))
        return layout

    def _lines(self, index: int) -> list[Line]:
        options = self.options
        if self.folds.get(index) is Fold.OPEN:
            # What was opened by hand is shown, whatever is hidden elsewhere.
            options = replace(options, show_tools=True, show_reasoning=True)
        lines = message_lines(self.messages[index], self.fold_of(index), options, index, self.voice(index))
        if self.quoted is not None and self.quoted[0] == index:
            mark_quote(lines, self.quoted[1])
        if options.bare:
            return lines
        sign_entries(lines, self.entries.get(index, {}))
        lines[0].one_row = True
        unit, first = self.unit_of(index)
        if first:
            reasons, marked = self.highlights.reasons(unit), unit in self.highlights.marks
            header = unit_header(self.transcript, unit, reasons, marked=marked, scored=self.scored.get(unit))
            lines = [header, *lines]
        return [*lines, Line("")]

    def _relayout(self) -> None:
        """Lay out everything anew: heights have changed."""
        self._changes += 1
        self._resting = None
        self._measured_to = 0
        self.map = self._estimated()

    def set_view(self, width: int, height: int) -> None:
        """Tell the size of the window; the message at its top stays there when the width changes.

        Where nobody has moved since the last size, it goes by what was at the top before that one: a size that comes
        back shows what it showed.
        """
        resting = self._resting is not None and self._resting[0] == (self.top, self.cursor)
        anchors = self._resting[1] if self._resting is not None and resting else self._anchors()
        self.height = max(1, height)
        width = max(10, width)
        match = self.hits.match_here
        picture_rows = picture_rows_at(self.height, self.options.picture_rows) if self.options.picture_rows else 0
        if (width, picture_rows) != (self.options.width, self.options.picture_rows):
            self.options = replace(self.options, width=width, picture_rows=picture_rows)
            self._relayout()
        self._put_at(anchors)
        if match is not None:
            self.cursor = self.message, self.hits.rows(self.message)[match]
        self._cursor_into_window()
        self._resting = (self.top, self.cursor), anchors

    def _anchors(self) -> tuple[_Anchor, _Anchor]:
        """What the top of the window and the cursor are to stay at."""

        def anchor(position: Position) -> _Anchor:
            message, number = position
            rows = self.layout(message).rows if self.messages else [(0, 0, 0)]
            line, start, _ = rows[min(number, len(rows) - 1)]
            return _Anchor(message, line, start)

        return anchor(self.top), anchor(self.cursor)

    def _put_at(self, anchors: tuple[_Anchor, _Anchor]) -> None:
        """Put the window and the cursor where they were."""
        if self.messages:
            self.top, self.cursor = (
                (at.message, max(0, bisect_right(self.layout(at.message).rows, at[1:], key=lambda row: row[:2]) - 1))
                for at in anchors
            )
        self._clamp()

    def undrawn(self) -> Picture | None:
        """The first picture in the window that is still to be drawn."""
        message, number = self.top
        room = self.height
        while self.options.picture_rows and room > 0 and message < len(self.messages):
            layout = self.layout(message)
            for index, _, _ in layout.rows[number : number + room]:
                line = layout.lines[index]
                if line.picture_row is not None and not self.pictures.row(line):
                    return line.picture
            room -= len(layout.rows) - number
            message, number = message + 1, 0
        return None

    def line_at(self, position: Position) -> Line:
        """The line that a row is of."""
        layout = self.layout(position[0])
        return layout.lines[layout.rows[min(position[1], len(layout.rows) - 1)][0]]

    # -- folds ---------------------------------------------------------------------------------------------------------

    def fold_of(self, message: int) -> Fold:
        """How a message is folded: by hand, or else by the level."""
        level = (Fold.PREVIEW if self.roles[message] == "tool" else Fold.OPEN, Fold.CLOSED, Fold.OPEN)[
            self.options.fold_level
        ]
        return self.folds.get(message, level)

    def is_folded(self, message: int) -> bool:
        """Whether something of a message is folded, or all of it hidden as tool output is."""
        hidden = self.roles[message] == "tool" and not self.options.show_tools and message not in self.folds
        return hidden or self.fold_of(message) is not Fold.OPEN

    def toggle_fold(self, message: int | None = None) -> None:
        """Open a folded message, fold an open one (tool output to its first lines, others to their first words)."""
        index = self.message if message is None else message
        if not self.messages:
            return
        previewed = self.roles[index] == "tool" and self.options.fold_level != 1
        folded = Fold.PREVIEW if previewed else Fold.CLOSED
        self._fold(index, Fold.OPEN if self.is_folded(index) else folded)

    def _fold(self, index: int, fold: Fold | None) -> None:
        """Fold a message by hand, or as the level says."""
        if fold is None:
            self.folds.pop(index, None)
        else:
            self.folds[index] = fold
        self._layouts.pop(index, None)
        self._resting = None
        self.layout(index)
        if self.top[0] == index:
            self.top = index, min(self.top[1], self.header_row(index))
        self._clamp()
        self._show_cursor()

    def unfold(self, message: int) -> None:
        """Show all of a message."""
        if self.fold_of(message) is not Fold.OPEN:
            self._fold(message, Fold.OPEN)

    def next_fold_level(self) -> str:
        """The next of: tool output folded, all folded, all open. Folds made by hand are forgotten. Returns its name."""
        self.folds.clear()
        self.look_as(replace(self.options, fold_level=(self.options.fold_level + 1) % len(FOLD_LEVELS)))
        return FOLD_LEVELS[self.options.fold_level]

    def show(self, options: ViewOptions) -> None:
        """Show and hide what these options say; the reader stays where he is."""
        anchors = self._anchors()
        self.options = options
        self._relayout()
        self._put_at(anchors)
        self._show_cursor(0)

    def look_as(self, options: ViewOptions) -> None:
        """Show and fold the same as in another transcript, at this one's width, with its images."""
        own = self.options
        options = replace(options, width=own.width, folder=own.folder, picture_rows=own.picture_rows)
        if options != self.options:
            message = self.message
            self.options = options
            self._relayout()
            self.to_message(message)

    # -- places --------------------------------------------------------------------------------------------------------

    def unit_of(self, message: int) -> tuple[int, bool]:
        """The unit of a message, and whether the message is its first."""
        if not self.unit_starts:
            return 0, False
        unit = max(0, bisect_right(self.unit_starts, message) - 1)
        return unit, self.unit_starts[unit] == message

    @property
    def unit(self) -> int:
        """The unit under the cursor."""
        return self.unit_of(self.cursor[0])[0]

    @property
    def message(self) -> int:
        """The message under the cursor."""
        return self.cursor[0]

    def voice(self, message: int) -> str:
        """What colours a message by its speaker: the number of one of several that share a role, else the role."""
        number = self._speakers.get(self.messages[message].name or "") if self._speakers else None
        return self.roles[message] if number is None else str(number)

    def header_row(self, message: int) -> int:
        """The row of a message's own header: below its unit's, where it opens one."""
        return 0 if self.options.bare else int(self.unit_of(message)[1])

    def to_message(self, message: int, row: int | None = None) -> None:
        """Put the cursor on a message (on its header, or on a row of it) and the message near the top."""
        if not self.messages:
            return
        message = max(0, min(message, len(self.messages) - 1))
        first = self.header_row(message)
        self.cursor = message, min(first if row is None else row, len(self.layout(message).rows) - 1)
        if row is not None and row > first + self.height // 2:
            self.top = self.walk(self.cursor, -(self.height // 3))
        else:
            self.top = message, 0
        self._clamp()
        self._show_cursor(0)

    def to_unit(self, unit: int) -> bool:
        """Jump to an action unit; False if there is none of that number."""
        first = self.transcript.get_first_block_in_action_unit(unit)
        if first is not None:
            self.to_message(first)
        return first is not None

    def to_cause(self, message: int) -> None:
        """Put the cursor on a message where what led to it is seen too: above it is a third of the window.

        Above an answer is as much as shows the call, up to two thirds.
        """
        self.to_message(message)
        if self.messages:
            call = self.calls.answered_by(self.message)
            third = self.walk(self.cursor, -(self.height // 3))
            self.top = third if call is None else max(self.walk(self.cursor, -(2 * self.height // 3)), min(third, call))
            self._clamp()

    def to_place(self, cursor: Position, top: Position) -> None:
        """Back to a place of before, as far as it is still there."""
        if self.messages:
            last = len(self.messages) - 1
            self.top, self.cursor = ((min(at[0], last), at[1]) for at in (top, cursor))
            self._clamp()
            self._show_cursor(0)

    def to_quote(self, message: int, quote: str) -> bool:
        """Jump to a message, and to the words quoted from it where they are shown or can be; False if they are not in it."""
        self.to_message(message)
        if not self.messages or not quote:
            self.set_quoted(None)
            return True
        self.set_quoted((message, quote))
        row = quoted_row(self.layout(message))
        if row is None:
            before = self.folds.get(message)
            self._fold(message, Fold.OPEN)  # by hand: then hidden reasoning and tool output are shown as well
            row = quoted_row(self.layout(message))
            if row is None:
                self._fold(message, before)
                self.set_quoted(None)
        self.to_message(message, row)
        return row is not None

    # -- what is said of messages and units ----------------------------------------------------------------------------

    def set_scored(self, scored: Mapping[int, Scored]) -> None:
        """What is scored and noted by hand, in place of what was."""
        self.scored = {unit: one for unit, one in scored.items() if 0 <= unit < len(self.unit_starts)}
        self._changes += 1

    def set_entries(self, entries: dict[int, dict[int, str]]) -> None:
        """The calls that started a sub-agent, by message and call, with its name: they are signed."""
        if entries != self.entries:
            self.entries = entries
            self._changes += 1

    def set_quoted(self, quoted: tuple[int, str] | None) -> None:
        """Make words of a message stand out, in place of those before; None for none."""
        if quoted != self.quoted:
            self.quoted = quoted
            self._changes += 1


class Calls:
    """The calls in the messages of a session: where each begins, as it is folded now."""

    def __init__(self, session: TranscriptSession) -> None:
        self._session = session

    def at_cursor(self) -> int:
        """Which of its message's calls the cursor is on, -1 above the first."""
        session = self._session
        layout = session.layout(session.message)
        return call_at(layout.lines, layout.rows[min(session.cursor[1], len(layout.rows) - 1)][0])

    def go(self, message: int, call: int) -> None:
        """Jump to a call of a message, or to the message where the call is folded away."""
        session = self._session
        session.to_message(message)
        if session.messages:
            session.to_message(message, self._row(session.message, call))

    def answered_by(self, number: int) -> Position | None:
        """Where the call begins that a message answers; None where it answers none of the calls before it."""
        session = self._session
        answer = session.messages[number]
        if not isinstance(answer, ToolMessage) or answer.tool_call_id is None:
            return None
        while number and session.roles[number] == "tool":
            number -= 1
        asked = session.messages[number]
        calls = asked.tool_calls if isinstance(asked, AssistantMessage) else None
        call = next((index for index, call in enumerate(calls or ()) if call.id == answer.tool_call_id), None)
        return None if call is None else (number, self._row(number, call) or 0)

    def _row(self, message: int, call: int) -> int | None:
        """The row of a message on which a call begins; None where it is folded away."""
        layout = self._session.layout(message)
        line = line_of_call(layout.lines, call)
        return None if line is None else bisect_left(layout.rows, (line, 0, 0))


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
        if step > 0 or session.message == starts[unit]:
            unit += step
        if not 0 <= unit < len(starts):
            return False
        session.to_cause(starts[unit])
        return True

    def user(self, step: int) -> bool:
        """Next or previous user message."""
        turns = [i for i, role in enumerate(self._session.roles) if role == "user"]
        return self.is_further(turns, step) and self._step(turns, step)

    def highlight(self, step: int) -> bool:
        """Next or previous highlight, round the ends; while a search is on, its hits row by row."""
        if self._session.highlights.shown_search is not None:
            return self._hits.step(step)
        return self._step(self._session.highlights.stops, step)

    def error(self, step: int) -> bool:
        """Next or previous error, round the ends."""
        return self._step(self._session.highlights.errors, step, self._session.to_cause)

    def mark(self, step: int) -> bool:
        """Next or previous marked unit, round the ends."""
        return self._step([self._session.unit_starts[unit] for unit in self._session.highlights.marks], step)

    def _step(self, targets: Sequence[int], step: int, go: Callable[[int], None] | None = None) -> bool:
        if targets:
            (go or self._session.to_message)(_next(targets, self._session.message, step))
        return bool(targets)

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
        self._found_in: tuple[Layout, SearchHits] | None = None
        self._found: list[int] = []

    def rows(self, message: int, search: SearchHits | None = None) -> list[int]:
        """The row of each match in a message, as it is folded now; what was found last is kept.

        In a very long message that takes a while: a `search` that is not on yet is looked for in a thread.
        """
        search = search or self._session.search
        if search is None or not search.messages:
            return []
        layout = self._session.layout(message)
        if self._found_in is None or self._found_in[0] is not layout or self._found_in[1] is not search:
            looks = partial(search.looks_at, self._session.roles[message])
            self._found, self._found_in = rows_of_matches(layout, search.pattern, looks), (layout, search)
        return self._found

    def _row_further(self, step: int, *, here: bool = False) -> int | None:
        """The next row with a match in the message that the cursor is in; None where it holds no more."""
        message = self._session.message
        if not self._is_hit(message):
            return None
        self._reveal(message)
        rows, row = self.rows(message), self._session.cursor[1]
        at = bisect_left(rows, row) - 1 if step < 0 else bisect_left(rows, row) if here else bisect_right(rows, row)
        return rows[at] if 0 <= at < len(rows) else None

    def _is_hit(self, message: int) -> bool:
        at = bisect_left(self._messages, message)
        return message in self._messages[at : at + 1]

    def is_further(self, step: int) -> bool:
        """Whether there is a match in that direction before the end; shows those of the message that the cursor is in."""
        return self._session.steps.is_further(self._messages, step) or self._row_further(step) is not None

    @property
    def match_here(self) -> int | None:
        """Which match of its message is the first on the row of the cursor, from 0; None where none is."""
        rows, row = self.rows(self._session.message), self._session.cursor[1]
        at = bisect_left(rows, row)
        return at if row in rows[at : at + 1] else None

    def step(self, step: int, *, here: bool = False) -> bool:
        """Next or previous row with a match, round the ends; `here`: the row of the cursor may be the next."""
        message, row = self._session.message, self._row_further(step, here=here)
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
        if len(self.rows(number)) >= search.counts[bisect_left(search.messages, number)]:
            return
        session.unfold(number)
        message, found = session.messages[number], search.pattern.search
        hides_output = isinstance(message, ToolMessage) and not session.options.show_tools
        if hides_output and found(without_colours(message.text)):
            session.show(replace(session.options, show_tools=True))
        if not session.options.show_reasoning and any(map(found, message.reasoning)):
            session.show(replace(session.options, show_reasoning=True))

    @property
    def passed(self) -> int:
        """Which match the cursor is on or last passed, from 1; 0 before the first."""
        search, message = self._session.search, self._session.message
        if search is None:
            return 0
        at = bisect_left(search.messages, message)
        if not self._is_hit(message):
            return search.before[at]
        above = bisect_right(self.rows(message), self._session.cursor[1])
        return search.before[at] + min(above, search.counts[at])


def _next(targets: Sequence[int], here: int, step: int) -> int:
    """The first of some messages, ascending, after this one (step 1), or the last before it (-1), round the ends."""
    index = bisect_right(targets, here) if step > 0 else bisect_left(targets, here) - 1
    return targets[index % len(targets)]
