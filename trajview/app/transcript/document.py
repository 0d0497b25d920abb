"""A transcript as a document of rows, without Textual: layouts, heights and jumps; see `positions` for the moves."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias, TypedDict

from trajview.app.render.blocks import message_lines
from trajview.app.render.calls import sign_entries
from trajview.app.render.evidence import mark_quote
from trajview.app.render.headers import Scored, unit_header
from trajview.app.render.layout import Layout, lay_out
from trajview.app.render.lines import Line
from trajview.app.render.options import Fold, ViewOptions
from trajview.app.shared.linemap import LineMap
from trajview.app.shared.positions import Position, Positions
from trajview.app.transcript.sizes import estimates, sizes_of
from trajview.highlight import Highlight
from trajview.models.messages import ChatMessage
from trajview.models.transcript import Transcript

__all__ = ["Document", "Looks", "Position"]

LAYOUTS_KEPT = 400
_Kept: TypeAlias = "tuple[int, int, int]"
"""What survives a new width: a message, the logical line of a row in it, and the character that the row starts with."""


class Looks(TypedDict, total=False):
    """How a document may look from the start, in other ways than the usual ones: see `ViewOptions`."""

    bare: bool
    language: str
    preview_lines: int
    width: int


class Document(Positions):
    """The messages of a transcript as rows: what is laid out, how high the rest is about, and where the reader is."""

    def __init__(
        self,
        transcript: Transcript,
        *,
        bare: bool = False,
        language: str = "",
        preview_lines: int = 8,
        width: int = 80,
    ) -> None:
        super().__init__()
        self.transcript = transcript
        self.messages: Sequence[ChatMessage] = transcript.messages
        self.roles: Sequence[str] = [message.role for message in self.messages]
        self.unit_starts = transcript.unit_starts
        self.options = ViewOptions(bare=bare, language=language, preview_lines=preview_lines, width=max(10, width))
        self.fold_level = 2 if bare else 0
        self.folds: dict[int, Fold] = {}
        self.revision = 0
        """Changes whenever what is shown of messages that are laid out already may have changed, folds by hand apart."""
        self.refolds = 0
        """How often a message was folded or opened by hand."""
        self._stays: tuple[tuple[object, ...], tuple[_Kept, _Kept]] | None = None
        """Where the window and the cursor were left by the last size, and what they were to stay at."""
        self.highlights_revision = 0
        """Changes whenever highlights or marks have changed."""
        self.marks: dict[int, str] = {}
        """The marked units, and why they are marked, where that was said."""
        self.scored: dict[int, Scored] = {}
        """The units that were scored or noted by hand."""
        self.by_unit: dict[int, list[Highlight]] = {}
        """The highlights of each unit that has some, as far as they are switched on."""
        self.entries: dict[int, dict[int, str]] = {}
        """By message and call: the sub-agent's transcript that it started, by name."""
        self.quoted: tuple[int, str] | None = None
        """A message, and words in it that a citation quotes: they stand out."""
        self._sizes = sizes_of(self.messages)
        self._layouts: OrderedDict[int, Layout] = OrderedDict()
        self.map = self._estimated()

    # -- heights and layouts -------------------------------------------------------------------------------------------

    def fold_of(self, message: int) -> Fold:
        """How a message is folded: by hand, or else by the level."""
        by_hand = self.folds.get(message)
        return by_hand if by_hand is not None else self._fold_by_level(message)

    def _fold_by_level(self, message: int) -> Fold:
        if self.fold_level == 1:
            return Fold.CLOSED
        if self.fold_level == 0 and self.roles[message] == "tool":
            return Fold.PREVIEW
        return Fold.OPEN

    def _estimated(self) -> LineMap:
        """Heights from the sizes of messages alone."""
        level = (Fold.PREVIEW, Fold.CLOSED, Fold.OPEN)[self.fold_level]
        heights = estimates(self._sizes, self.options, level)
        for message, fold in self.folds.items():
            [heights[message]] = estimates([self._sizes[message]], self.options, fold)
        for message in () if self.options.bare else self.unit_starts:
            heights[message] += 1  # the unit's header
        return LineMap(heights)

    def reasons(self, unit: int) -> list[Highlight]:
        """Why a unit is highlighted, for its header."""
        return self.by_unit.get(unit, [])

    def layout(self, message: int) -> Layout:
        """The lines and rows of a message, its unit's header included. Kept while it stays near the screen."""
        found = self._layouts.get(message)
        if found is not None:
            self._layouts.move_to_end(message)
            return found
        lines = self._lines(message)
        layout = lay_out(lines, self.options.width)
        self._layouts[message] = layout
        if len(self._layouts) > LAYOUTS_KEPT:
            self._layouts.popitem(last=False)
        self.map.set(message, len(layout.rows))
        return layout

    def _lines(self, index: int) -> list[Line]:
        message = self.messages[index]
        options = self.options
        if self.folds.get(index) is Fold.OPEN:
            # What was opened by hand is shown, whatever is hidden elsewhere.
            options = replace(options, show_tools=True, show_reasoning=True)
        lines = message_lines(message, self.fold_of(index), options, index)
        if self.quoted is not None and self.quoted[0] == index:
            mark_quote(lines, self.quoted[1])
        if self.options.bare:
            return lines
        if index in self.entries:
            sign_entries(lines, self.entries[index])
        lines[0].one_row = True
        unit, first = self.unit_of(index)
        if first:
            header = unit_header(
                self.transcript, unit, self.reasons(unit), marked=unit in self.marks, scored=self.scored.get(unit)
            )
            lines = [header, *lines]
        lines.append(Line(""))
        return lines

    @property
    def text_width(self) -> int:
        """The columns of text."""
        return self.options.width

    def set_view(self, width: int, height: int) -> None:
        """Tell the size of the window; the message at its top stays there when the width changes.

        Where nobody has moved since the last size, it goes by what was at the top before that one: a size that comes
        back shows what it showed.
        """
        known = self._stays if self._stays is not None and self._stays[0] == self._stands() else None
        stays = self._kept() if known is None else known[1]
        self.height = max(1, height)
        width = max(10, width)
        if width != self.options.width:
            self.options = replace(self.options, width=width)
            self._relayout()
            self._put_at(stays)
        elif known is not None:
            self._put_at(stays)
        self._clamp()
        self._cursor_into_window()
        self._stays = self._stands(), stays

    def _stands(self) -> tuple[object, ...]:
        """What is another one where somebody has moved, or rows are others for another reason than the width."""
        return self.top, self.cursor, self.revision, self.refolds

    def _change_options(self, **changes: object) -> None:
        kept = self._kept()
        self.options = replace(self.options, **changes)  # type: ignore[arg-type]
        self._relayout()
        self._put_at(kept)

    def _kept(self) -> tuple[_Kept, _Kept]:
        return (self.top[0], *self._kept_row(self.top)), (self.cursor[0], *self._kept_row(self.cursor))

    def _put_at(self, kept: tuple[_Kept, _Kept]) -> None:
        """The window and the cursor to where they were."""
        self.top, self.cursor = (self._at_kept_row(message, (line, start)) for message, line, start in kept)
        self._clamp()

    def _kept_row(self, position: Position) -> tuple[int, int]:
        """The logical line of a row, and the character that it starts with."""
        if not self.messages:
            return 0, 0
        rows = self.layout(position[0]).rows
        line, start, _ = rows[min(position[1], len(rows) - 1)]
        return line, start

    def _at_kept_row(self, message: int, kept: tuple[int, int]) -> Position:
        if not self.messages:
            return 0, 0
        rows = self.layout(message).rows
        return message, max(0, bisect_right(rows, kept, key=lambda row: row[:2]) - 1)

    def _relayout(self) -> None:
        self._layouts.clear()
        self.map = self._estimated()
        self._measured_to = 0
        self.revision += 1

    def refresh_headers(self) -> None:
        """Lay out anew what is kept: a highlight or a mark has changed, no height has."""
        self._layouts.clear()
        self.revision += 1

    # -- positions -----------------------------------------------------------------------------------------------------

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

    def to_message(self, message: int, row: int | None = None) -> None:
        """Put the cursor on a message (on its header, or on a row of it) and the message near the top."""
        if not self.messages:
            return
        message = max(0, min(message, len(self.messages) - 1))
        layout = self.layout(message)
        first = self.header_row(message)
        self.cursor = message, min(first if row is None else row, len(layout.rows) - 1)
        if row is not None and row > first + self.height // 2:
            self.top = self.walk(self.cursor, -(self.height // 3))
        else:
            self.top = message, 0
        self._clamp()
        self._cursor_on_screen()

    def header_row(self, message: int) -> int:
        """The row of a message's own header: below its unit's, where it opens one."""
        if self.options.bare:
            return 0
        return 1 if self.unit_of(message)[1] else 0

    def to_unit(self, unit: int) -> bool:
        """Jump to an action unit; False if there is none of that number."""
        first = self.transcript.get_first_block_in_action_unit(unit)
        if first is None:
            return False
        self.to_message(first)
        return True

    def step_unit(self, step: int) -> bool:
        """Next or previous unit; going back stops first at the start of the unit that the cursor is in."""
        unit = self.unit
        if not self.unit_starts:
            return False
        if step < 0 and self.message > self.unit_starts[unit]:
            return self.to_unit(unit)
        target = unit + step
        return 0 <= target < len(self.unit_starts) and self.to_unit(target)

    def step_user(self, step: int) -> bool:
        """Next or previous user message."""
        return self._step_in([i for i, role in enumerate(self.roles) if role == "user"], step, wrap=False)

    def _step_in(self, targets: Sequence[int], step: int, *, wrap: bool) -> bool:
        if not targets:
            return False
        here = self.message
        index = bisect_right(targets, here) if step > 0 else bisect_left(targets, here) - 1
        if not 0 <= index < len(targets):
            if not wrap:
                return False
            index %= len(targets)
        self.to_message(targets[index])
        return True
