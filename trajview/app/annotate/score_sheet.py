"""The sheet of the annotation panel: the table of scores, the guidance, the reason for a score, and the reasoning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Static, TextArea

from trajview.annotation.draft import Values
from trajview.app.annotate.fields import RationaleText, ReasoningText, joined
from trajview.app.annotate.guidance import GuidanceBox
from trajview.app.annotate.score_grid import Place, ScoreGrid
from trajview.app.annotate.score_table import ScoreTable

if TYPE_CHECKING:
    from trajview.models.run import Reward

__all__ = ["ScoreSheet"]


class ScoreSheet(Vertical):
    """The fields for a rubric and its agents, and how the cursor goes from one to the next."""

    DEFAULT_CSS = """
    ScoreSheet {
        height: 1fr;
        & > Vertical { height: 1fr; }
        & ScoreTable { height: auto; max-height: 70%; }
        & GuidanceBox { height: auto; min-height: 1; max-height: 65%; }
        &.-roomy ScoreTable, &.-roomy GuidanceBox { margin: 0 0 1 0; }
        &.-tight ScoreTable { max-height: 50%; }
        &.-large ScoreTable { max-height: 30%; }
        &.-large GuidanceBox { max-height: 85%; }
        & .why { height: auto; max-height: 3; display: none; }
        & .why.-shown { display: block; }
        & .why > Static { width: 4; height: 1; color: $text-accent; }
        & .label { height: 1; color: $foreground 85%; }
        &.-tight .label { display: none; }
    }
    """

    def __init__(self, typed: Callable[[], None]) -> None:
        """`typed` is called when something was typed."""
        super().__init__()
        self._typed = typed
        self.table = ScoreTable()
        self.table.moved = self._moved
        self.table.changed = self._changed
        self.guidance = GuidanceBox()
        self.rationale = RationaleText()
        self.reasoning = ReasoningText()
        self._why = Horizontal(Static("why", markup=False), self.rationale, classes="why")
        self._last: Widget | None = None
        self._reason_wanted = False

    def compose(self) -> ComposeResult:
        yield self.table
        with Vertical():
            yield self.guidance
            yield self._why
            yield Static("reasoning", markup=False, classes="label")
            yield self.reasoning

    def on_resize(self) -> None:
        self.set_class(self.size.height >= 28, "-roomy")
        self.set_class(self.size.height < 14, "-tight")

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
        if self.reasoning.text != reasoning:
            with self.prevent(TextArea.Changed):
                self.reasoning.text = reasoning
                self.reasoning.move_cursor(self.reasoning.document.end)
        if not again:
            self._last = None
            self._reason_wanted = False
        self._moved()

    def texts(self) -> tuple[Values, str, Values]:
        """Give what is typed: scores by agent and dimension, the reasoning, and the reasons for scores."""
        self._take_reason()
        grid = self.grid
        return tuple(map(dict, grid.values)), self.reasoning.text, tuple(map(dict, grid.rationales))

    def _take_reason(self) -> None:
        """Put the reason that is being typed where it belongs."""
        place = self.grid.place
        if place is not None and self.rationale.line != joined(self.grid.rationale(place)):
            self.grid.explain(place, self.rationale.line)

    def set_locked(self, locked: bool) -> None:
        """Let nothing be typed, or let it. What is typed into locked fields does nothing, and reaches no transcript."""
        self.table.locked = locked
        self.rationale.read_only = self.reasoning.read_only = locked
        self.table.refresh()

    @property
    def locked(self) -> bool:
        """Whether nothing can be typed."""
        return self.table.locked

    def _changed(self) -> None:
        self._moved()
        self._typed()

    @on(TextArea.Changed)
    def _text_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if event.text_area is self.rationale:
            self._take_reason()
            self.table.refresh()
        self._typed()

    # The cursor

    def _moved(self) -> None:
        """Show the guidance and the reason for the score at the cursor: it was moved, or the score has changed."""
        grid = self.grid
        text = grid.rationale(grid.place) if grid.place is not None else ""
        if self.rationale.line != joined(text):
            with self.prevent(TextArea.Changed):
                self.rationale.text = text
                self.rationale.move_cursor(self.rationale.document.end)
        self._show_why()
        self._guide()
        self.table.follow()

    def _guide(self) -> None:
        self.guidance.show(self.grid, "What do your scores rest on?" if self._holds_cursor(self.reasoning) else "")

    def _holds_cursor(self, widget: Widget) -> bool:
        return self.is_attached and self.screen.focused is widget

    def _show_why(self) -> None:
        """Show the field for reasons where there may be one. It stays, so that nothing jumps as the cursor moves."""
        grid = self.grid
        wanted = self._reason_wanted or any(dimension.rationale for dimension in grid.dimensions)
        wanted = wanted or any(text.strip() for texts in grid.rationales for text in texts.values())
        self._why.set_class(wanted, "-shown")

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
        self._go(self.grid.to_first(places))

    def _go(self, is_score: bool) -> None:
        """Put the cursor into the score to which the grid has moved, else into the reasoning."""
        self._focus(self.table if is_score else self.reasoning)
        self._moved()

    def row(self, step: int) -> None:
        """Move down (1) or up (-1): from score to score, out of a reason to its score or the next.

        Up leads out of the reasoning, from its first line; down is the text's own key there.
        """
        if self._holds_cursor(self.reasoning):
            if self.reasoning.at_top:
                self._focus(self.table)
            else:
                self.reasoning.action_cursor_up()
            return
        out_of_reason = self._holds_cursor(self.rationale)
        self._go(True if out_of_reason and step < 0 else self.grid.move(step))

    def next_score(self) -> None:
        """Move on to the next score, at last to the reasoning. Never into a text: digits typed blindly are scores."""
        self._go(self.grid.next())

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
        if self._holds_cursor(self.reasoning):
            grid.to_column(0 if step > 0 else len(grid.names) - 1)
            inside = grid.place is not None
        elif self._holds_cursor(self.rationale) and step < 0:
            inside = True
        else:
            inside = grid.column(step)
        self._go(inside)

    def cite(self, text: str) -> None:
        """Put a citation where the cursor is or was last: into the reason for a score, else into the reasoning."""
        field = self.rationale if self._last is self.rationale else self.reasoning
        field.insert_citation(text)

    def toggle_large(self) -> None:
        """Give the guidance nearly all the space, or as much as before."""
        self.toggle_class("-large")
