"""The sheet of the annotation panel: a table of scores per agent, what the field in hand asks, and the reasoning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from trajview.annotation.rubric import BadScore, Rubric
from trajview.app.widgets.annotation_fields import ReasoningText, ScoreField, ScoreTable
from trajview.textsafe import one_line

__all__ = ["ScoreSheet"]


class ScoreSheet(VerticalScroll, can_focus=False):
    """The fields for a rubric and its agents, and how the cursor goes from one to the next.

    It knows what is typed, not what that means: the panel says which of it is bad.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "field(1)", "next field", show=False),
        Binding("shift+tab", "field(-1)", "previous field", show=False),
    ]
    DEFAULT_CSS = """
    ScoreSheet {
        height: 1fr; scrollbar-size-vertical: 1; scrollbar-gutter: stable;
        scrollbar-color: $foreground 25%; scrollbar-background: $surface;
        scrollbar-color-hover: $foreground 40%; scrollbar-background-hover: $surface;
        scrollbar-color-active: $primary; scrollbar-background-active: $surface;
    }
    ScoreSheet .tables { height: auto; }
    ScoreSheet .guidance { height: 2; color: $foreground 50%; margin: 0 0 1 0; }
    ScoreSheet .label { height: 1; color: $foreground 85%; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[ScoreTable] = []
        self._reasoning = ReasoningText()

    def compose(self) -> ComposeResult:
        yield Vertical(classes="tables")
        yield Static(markup=False, classes="guidance")
        yield Static("reasoning", markup=False, classes="label")
        yield self._reasoning

    # What is in it

    @property
    def fields(self) -> list[ScoreField]:
        """The fields in reading order: row by row within a table."""
        return [field for table in self.tables for field in table.fields.values()]

    @property
    def reasoning(self) -> str:
        """The reasoning as it is typed."""
        return self._reasoning.text

    def typed(self, agents: int) -> list[dict[str, str]]:
        """What is typed for so many agents, by dimension."""
        values: list[dict[str, str]] = [{} for _ in range(agents)]
        for field in self.fields:
            values[field.agent][field.dimension.name] = field.value
        return values

    async def build(self, rubric: Rubric, agents: Sequence[str]) -> None:
        """Tables for these agents and this rubric; those that are there are used again where they fit."""
        if len(agents) <= 2:
            blocks = [tuple(range(len(agents)))]
        else:
            blocks = [(index,) for index in range(len(agents))]
        fits = [(table.rubric, table.agents) for table in self.tables] == [(rubric, block) for block in blocks]
        if not fits:
            holder = self.query_one(".tables", Vertical)
            await holder.remove_children()
            self.tables = [ScoreTable(rubric, block, [agents[i] for i in block]) for block in blocks]
            await holder.mount_all(self.tables)
        for table in self.tables:
            table.name_agents([agents[i] for i in table.agents])

    def fill(self, values: Sequence[Mapping[str, str]], reasoning: str) -> None:
        """Show these values, one mapping by dimension for each agent, without a word that something was typed."""
        with self.prevent(Input.Changed, TextArea.Changed):
            for field in self.fields:
                field.value = values[field.agent].get(field.dimension.name, "")
            self._reasoning.text = reasoning

    def enable(self, enabled: bool) -> None:
        """Let the fields be typed in, or not."""
        for widget in (*self.fields, self._reasoning):
            widget.disabled = not enabled

    def show_scores(self, bad: Mapping[tuple[int, str], BadScore], means: Sequence[float | None]) -> None:
        """Errors at their fields, and the overall of every agent."""
        for table in self.tables:
            table.show(bad, [means[agent] for agent in table.agents])

    # The cursor

    def focus_first(self, places: Mapping[tuple[int, str], object] | None = None) -> None:
        """Put the cursor into the first of these fields; without them, into the first blank one, else the first."""
        fields = self.fields
        if places is not None:
            wanted = [field for field in fields if (field.agent, field.dimension.name) in places]
        else:
            wanted = [field for field in fields if not field.value.strip()] or fields
        self._focus(wanted[0] if wanted else self._reasoning)

    def _focus(self, widget: Widget) -> None:
        """Move the cursor at once. `Widget.focus` waits for a later call, and keys typed meanwhile land in the old field."""
        self.screen.set_focus(widget)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        field = event.widget if isinstance(event.widget, ScoreField) else None
        for table in self.tables:
            table.mark_row(field)
        guidance = "What do your scores rest on?"
        if field is not None:
            guidance = f"{field.dimension.label}, {field.dimension.range_text}. {field.dimension.description}"
        self.query_one(".guidance", Static).update(Content(one_line(guidance)))

    def on_reasoning_text_left(self, event: ReasoningText.Left) -> None:
        event.stop()
        fields = [field for field in self.fields if field.agent == 0]
        if fields:
            self._focus(fields[-1])

    def _step(self, field: ScoreField, step: int, on_to_next_agent: bool = False) -> None:
        """Up or down the column of an agent, and over its ends: into the next column or table, or the reasoning."""
        stacked = len(self.tables) > 1
        columns = sorted(self.fields, key=lambda f: f.agent)
        if not stacked and not on_to_next_agent:
            columns = [f for f in columns if f.agent == field.agent]
        index = columns.index(field) + step
        if index >= len(columns):
            self._focus(self._reasoning)
        elif index >= 0:
            self._focus(columns[index])

    def action_row(self, step: int) -> None:
        focused = self.screen.focused
        if isinstance(focused, ScoreField):
            self._step(focused, step)

    def action_enter(self) -> None:
        """On from a score: down the column, then to the next agent's, then to the reasoning."""
        focused = self.screen.focused
        if isinstance(focused, ScoreField):
            self._step(focused, 1, on_to_next_agent=True)

    def action_field(self, step: int) -> None:
        places: list[Widget] = [*self.fields, self._reasoning]
        focused = self.screen.focused
        index = places.index(focused) + step if focused in places else 0
        self._focus(places[index % len(places)])
