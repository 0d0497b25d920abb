"""The sheet of the annotation panel: the table of scores, the guidance, the reason for a score, and the reasoning."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static, TextArea

from trajview.annotation.draft import Values
from trajview.app.annotate.fields import RationaleText, ReasoningText
from trajview.app.annotate.guidance import GuidanceBox
from trajview.app.annotate.score_grid import Place, ScoreGrid
from trajview.app.annotate.score_table import ScoreTable

if TYPE_CHECKING:
    from trajview.models.run import Reward

__all__ = ["ScoreSheet"]

_PATIENCE = 2.0
"""Seconds until a field that does not take its keys is left all the same."""


class ScoreSheet(Vertical):
    """The fields for a rubric and its agents, and how the cursor goes from one to the next. Posts Changed.

    The moves wait until the field that has the cursor has taken the keys before them; `Widget.focus` would be too late
    as well. So what is typed quickly lands where it belongs.
    """

    class Changed(Message):
        """Posted when something was typed."""

    DEFAULT_CSS = """
    ScoreSheet { height: 1fr; }
    ScoreSheet > .why { height: auto; max-height: 3; display: none; }
    ScoreSheet > .why.-shown { display: block; }
    ScoreSheet > .why > Static { width: 4; height: 1; color: $text-accent; }
    ScoreSheet > .label { height: 1; color: $foreground 85%; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.table = ScoreTable()
        self.table.moved = self._moved
        self.table.changed = self._changed
        self.guidance = GuidanceBox()
        self.rationale = RationaleText()
        self.reasoning = ReasoningText()
        self._why = Horizontal(Static("why", markup=False), self.rationale, classes="why")
        self._label = Static("reasoning", markup=False, classes="label")
        self._last: Widget | None = None
        self._back_to: Widget | None = None
        """The text that had the cursor when the sheet was locked."""
        self._large = False
        self._reason_wanted = False
        self._shown = ""
        """The reason that was put into its field; what differs from it was typed."""

    def compose(self) -> ComposeResult:
        yield self.table
        yield self.guidance
        yield self._why
        yield self._label
        yield self.reasoning

    # What is in it

    @property
    def grid(self) -> ScoreGrid:
        """The scores that are typed into the table, and the cursor in it."""
        return self.table.grid

    def fill(self, grid: ScoreGrid, reasoning: str, rewards: Sequence[Reward], again: bool = False) -> None:
        """Show these texts, without a word that something was typed.

        The cursor is nowhere yet, or stays where it was where the same run is filled `again`, as after an undo.
        """
        place = self.grid.place
        if again and place is not None:
            grid.go(place)
        self.table.show(grid, rewards)
        with self.prevent(TextArea.Changed):
            self.reasoning.text = reasoning
        if not again:
            self._last = self._back_to = None
            self._reason_wanted = False
        self._moved()
        self._divide()

    def texts(self) -> tuple[Values, str, Values]:
        """Give what is typed: scores by agent and dimension, the reasoning, and the reasons for scores."""
        self._take_reason()
        grid = self.grid
        return tuple(map(dict, grid.values)), self.reasoning.text, tuple(map(dict, grid.rationales))

    def _take_reason(self) -> None:
        """Put the reason that is being typed where it belongs."""
        place = self.grid.place
        if place is not None and self.rationale.text != self._shown:
            self._shown = self.rationale.text
            self.grid.explain(place, self.rationale.line)

    def set_locked(self, locked: bool) -> None:
        """Let nothing be typed, or let it. A locked table keeps the keys meanwhile: none of them reaches the transcript."""
        if locked and (self._holds_cursor(self.reasoning) or self._holds_cursor(self.rationale)):
            self._back_to = self.screen.focused
            self.screen.set_focus(self.table)
        self.table.locked = locked
        self.rationale.read_only = self.reasoning.read_only = locked
        self.table.refresh()
        if not locked:
            if self._back_to is not None and self._holds_cursor(self.table):
                self._focus(self._back_to)
            self._back_to = None

    @property
    def locked(self) -> bool:
        """Whether nothing can be typed."""
        return self.table.locked

    def _changed(self) -> None:
        self._moved()
        self.post_message(self.Changed())

    @on(TextArea.Changed)
    def _text_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if event.text_area is self.rationale:
            self._take_reason()
            self.table.refresh()
        self.post_message(self.Changed())

    # The cursor

    def _moved(self) -> None:
        """Show the guidance and the reason for the score at the cursor: it was moved, or the score has changed."""
        grid = self.grid
        text = grid.rationale(grid.place) if grid.place is not None else ""
        if self.rationale.line != " ".join(text.splitlines()):
            with self.prevent(TextArea.Changed):
                self.rationale.text = text
                self._shown = self.rationale.text
                self.rationale.move_cursor(self.rationale.document.end)
        self._show_why()
        self._guide()
        self.table.follow()

    def _guide(self) -> None:
        if self._holds_cursor(self.reasoning):
            self.guidance.say("What do your scores rest on?")
        else:
            self.guidance.show(self.grid)

    def _holds_cursor(self, widget: Widget) -> bool:
        return self.is_attached and self.screen.focused is widget

    def _show_why(self) -> None:
        """Show the field for reasons where there may be one. It stays, so that nothing jumps as the cursor moves."""
        grid = self.grid
        wanted = self._reason_wanted or any(dimension.rationale for dimension in grid.dimensions)
        wanted = wanted or any(text.strip() for texts in grid.rationales for text in texts.values())
        if wanted != self._why.has_class("-shown"):
            self._why.set_class(wanted, "-shown")
            self._divide()

    def _focus(self, widget: Widget) -> None:
        """Move the cursor at once. `Widget.focus` waits for a later call, and keys typed meanwhile land in the old field."""
        if widget is self.table and not self._holds_cursor(widget):
            self.grid.arrive()
        self._last = widget
        self.screen.set_focus(widget)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self._last = event.widget
        self._guide()

    def resume(self) -> None:
        """Put the cursor where it was, in a run that it was not in yet into the first empty cell."""
        if self._last is not None and self._last.is_attached:
            self._focus(self._last)
        else:
            self.to_first()

    def to_first(self, places: Sequence[Place] | None = None) -> None:
        """Put the cursor into the first of these cells; without them, into the first empty one, else the first."""
        self._focus(self.table if self.grid.to_first(places) else self.reasoning)
        self._moved()

    async def settled(self) -> None:
        """Wait until the field that has the cursor has taken the keys that were given to it."""
        focused = self.screen.focused
        done = asyncio.Event()
        if focused is not None and self in focused.ancestors and focused.call_later(done.set):
            try:
                await asyncio.wait_for(done.wait(), _PATIENCE)
            except TimeoutError:
                return

    def row(self, step: int) -> None:
        """Move down (1) or up (-1): from score to score, out of a reason to its score or the next, out of the reasoning."""
        if self._holds_cursor(self.reasoning):
            if step < 0 and self.reasoning.at_top:
                self._focus(self.table)
            elif step < 0:
                self.reasoning.action_cursor_up()
            else:
                self.reasoning.action_cursor_down()
            return
        out_of_reason = self._holds_cursor(self.rationale)
        self._take_reason()
        inside = True if out_of_reason and step < 0 else self.grid.move(step)
        self._focus(self.table if inside else self.reasoning)
        self._moved()

    def next_score(self) -> None:
        """Move on to the next score, at last to the reasoning. Never into a text: digits typed blindly are scores."""
        self._take_reason()
        self._focus(self.table if self.grid.next() else self.reasoning)
        self._moved()

    def explain(self) -> None:
        """Put the cursor into the reason for its score."""
        if self.grid.place is not None:
            self._reason_wanted = True
            self._show_why()
            self._focus(self.rationale)

    def step(self, direction: int) -> None:
        """Change the score under the cursor by a step, up (1) or down (-1)."""
        self.grid.step(direction)
        self._changed()

    def copy_previous(self) -> None:
        """Take over the previous agent's scores."""
        self.grid.copy_previous()
        self._changed()

    def column(self, step: int) -> None:
        """Move through the agents' columns, then the reasoning, and round; out of a reason as from its score."""
        grid = self.grid
        self._take_reason()
        if self._holds_cursor(self.reasoning):
            grid.to_column(0 if step > 0 else len(grid.names) - 1)
            inside = grid.place is not None
        elif self._holds_cursor(self.rationale) and step < 0:
            inside = True
        else:
            inside = grid.column(step)
        self._focus(self.table if inside else self.reasoning)
        self._moved()

    def cite(self, text: str) -> None:
        """Put a citation where the cursor is or was last: into the reason for a score, else into the reasoning."""
        field = self.rationale if self._last is self.rationale else self.reasoning
        field.insert_citation(text)

    # The space

    def toggle_large(self) -> None:
        """Give the guidance nearly all the space, or as much as before."""
        self._large = not self._large
        self._divide()

    def on_resize(self) -> None:
        self._divide()

    def _divide(self) -> None:
        """Divide the lines: the table as it needs, then the guidance, with at least a few for the reasoning."""
        width, height = self.size
        if not height:
            return
        gap = 1 if height >= 28 else 0
        self._label.display = height >= 14
        room = height - 2 * gap - self._label.display - self._why.has_class("-shown")
        wanted = self.guidance.wanted(self.grid, width - 1)
        reasoning = max(1, min(3, height // 3))
        table = min(self.table.lines, max(1, room - reasoning - (2 if height >= 12 else 1)))
        if self._large:
            table = min(table, max(3, room - 1 - wanted))
            reasoning = 1
        else:
            reasoning = max(reasoning, (room - table) // 3)
        self.table.styles.height = table
        self.table.styles.margin = self.guidance.styles.margin = (0, 0, gap, 0)
        self.guidance.styles.height = min(wanted, max(1, room - table - reasoning))
