"""The fields of the annotation panel: a number per agent and dimension in a table, and the reasoning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Protocol, cast

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static, TextArea

from trajview.annotation.rubric import BadScore, Dimension, Rubric
from trajview.textsafe import one_line

__all__ = ["ReasoningText", "ScoreField", "ScoreTable", "short_names"]


class _Mover(Protocol):
    """The sheet, to its fields: what moves the cursor between them."""

    def action_row(self, step: int) -> None: ...
    def action_field(self, step: int) -> None: ...
    def action_enter(self) -> None: ...


class ScoreField(Input):
    """A number to type, for one agent (from 0) and one dimension.

    The keys that leave the field have priority: they must act before the keys after them are given to this field, or
    what is typed quickly would all land here.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "leave('row', 1)", "next score", show=False, priority=True),
        Binding("up", "leave('row', -1)", "previous score", show=False, priority=True),
        Binding("tab", "leave('field', 1)", "next field", show=False, priority=True),
        Binding("shift+tab", "leave('field', -1)", "previous field", show=False, priority=True),
        Binding("enter", "leave('enter', 1)", "next score", show=False, priority=True),
    ]

    DEFAULT_CSS = """
    ScoreField.-textual-compact {
        width: 7; height: 1; margin: 0 0 0 1; padding: 0 1; background: $foreground 6%; color: $foreground;
    }
    ScoreField.-textual-compact:focus { background: $primary 35%; text-style: bold; }
    ScoreField.-textual-compact.-bad { background: $error 25%; color: $text-error; }
    ScoreField.-textual-compact.-bad:focus { background: $error 45%; }
    ScoreField.-textual-compact:disabled { opacity: 100%; }
    """

    def __init__(self, agent: int, dimension: Dimension) -> None:
        super().__init__(compact=True, max_length=60)
        self.agent = agent
        self.dimension = dimension

    def action_leave(self, how: str, step: int) -> None:
        """Go on to another field, as the sheet says."""
        sheet = cast("_Mover", next(node for node in self.ancestors if hasattr(node, "action_enter")))
        if how == "row":
            sheet.action_row(step)
        elif how == "field":
            sheet.action_field(step)
        else:
            sheet.action_enter()


class ReasoningText(TextArea):
    """The reasoning, in as many lines as it takes. Posts `Left` when the cursor goes up from its first line."""

    class Left(Message):
        """The cursor was on the first line and went up."""

    DEFAULT_CSS = """
    ReasoningText.-textual-compact {
        height: 1fr; min-height: 4; padding: 0 1; background: $foreground 6%;
        scrollbar-size-vertical: 1; border: none;
    }
    ReasoningText.-textual-compact:focus { background: $primary 18%; }
    ReasoningText .text-area--cursor-line { background: transparent; }
    """

    def __init__(self) -> None:
        super().__init__(soft_wrap=True, show_line_numbers=False, tab_behavior="focus", compact=True, highlight_cursor_line=False)  # fmt: skip

    def action_cursor_up(self, select: bool = False) -> None:
        if not select and self.navigator.is_first_wrapped_line(self.cursor_location):
            self.post_message(self.Left())
            return
        super().action_cursor_up(select)


class ScoreTable(Vertical):
    """A row per dimension and a column per agent in `agents` (indices), with the overall of each below.

    Up to two agents stand side by side; the panel stacks a table per agent for more.
    """

    DEFAULT_CSS = """
    ScoreTable { height: auto; margin: 0 0 1 0; }
    ScoreTable Horizontal { height: 1; }
    ScoreTable .name { width: 1fr; height: 1; text-wrap: nowrap; text-overflow: ellipsis; color: $foreground 85%; }
    ScoreTable .range { width: 7; height: 1; text-align: right; color: $foreground 40%; }
    ScoreTable .head { width: 7; height: 1; margin: 0 0 0 1; padding: 0 0 0 1; text-wrap: nowrap; text-overflow: ellipsis; color: $text-accent; }
    ScoreTable .block { width: 1fr; height: 1; text-wrap: nowrap; text-overflow: ellipsis; color: $text-accent; }
    ScoreTable .bad { display: none; height: auto; color: $text-error; padding: 0 0 0 2; }
    ScoreTable .bad.-shown { display: block; }
    ScoreTable .overall .name { color: $foreground; text-style: bold; }
    ScoreTable .mean { width: 7; height: 1; margin: 0 0 0 1; padding: 0 0 0 1; text-style: bold; color: $text-primary; }
    ScoreTable Horizontal.-focus .name { color: $text-primary; text-style: bold; }
    """

    def __init__(self, rubric: Rubric, agents: Sequence[int], names: Sequence[str]) -> None:
        super().__init__()
        self.rubric = rubric
        self.agents = tuple(agents)
        self.names = tuple(names)
        self.fields: dict[tuple[int, str], ScoreField] = {
            (agent, dimension.name): ScoreField(agent, dimension) for dimension in rubric.dimensions for agent in agents
        }
        self._bad: dict[str, Static] = {}
        self._means: dict[int, Static] = {}
        self._rows: dict[str, Horizontal] = {}
        self._heads: list[Static] = []

    def compose(self) -> ComposeResult:
        with Horizontal():
            if len(self.agents) == 1:
                self._heads = [Static(markup=False, classes="block")]
                yield self._heads[0]
            else:
                yield Static("", classes="name")
                self._heads = [Static(markup=False, classes="head") for _ in self.agents]
                yield from self._heads
        for dimension in self.rubric.dimensions:
            row = self._rows[dimension.name] = Horizontal()
            with row:
                yield Static(Content(one_line(dimension.label)), classes="name")
                yield Static(Content(dimension.range_text), classes="range")
                for agent in self.agents:
                    yield self.fields[agent, dimension.name]
            bad = self._bad[dimension.name] = Static(markup=False, classes="bad")
            yield bad
        if len(self.rubric.dimensions) > 1:
            with Horizontal(classes="overall"):
                yield Static("overall", classes="name")
                for agent in self.agents:
                    mean = self._means[agent] = Static(markup=False, classes="mean")
                    yield mean

    def on_mount(self) -> None:
        self.name_agents(self.names)

    def name_agents(self, names: Sequence[str]) -> None:
        """Other names over the columns; the fields stay."""
        self.names = tuple(names)
        shown = [one_line(name, 60) for name in names] if len(names) == 1 else short_names(names)
        for head, name, full in zip(self._heads, shown, names, strict=True):
            head.update(Content(name))
            head.tooltip = Content(one_line(full, 120))

    def show(self, bad: Mapping[tuple[int, str], BadScore], means: Sequence[float | None]) -> None:
        """Errors at their fields, and the overall of each agent in this table's order."""
        for name, line in self._bad.items():
            found = [(agent, bad[agent, name]) for agent in self.agents if (agent, name) in bad]
            whose = [f"{short}: " for short in short_names(self.names)] if len(self.agents) > 1 else [""]
            text = "\n".join(f"{whose[self.agents.index(agent)]}{score.sentence}" for agent, score in found)
            line.update(Content(text))
            line.set_class(bool(found), "-shown")
            for agent in self.agents:
                self.fields[agent, name].set_class((agent, name) in bad, "-bad")
        for agent, mean in zip(self.agents, means, strict=True):
            if agent in self._means:
                self._means[agent].update(Content("–" if mean is None else f"{mean:.2f}"))

    def mark_row(self, field: ScoreField | None) -> None:
        """Make the row of the focused field stand out."""
        for name, row in self._rows.items():
            row.set_class(field is not None and field.agent in self.agents and name == field.dimension.name, "-focus")

    def column(self, agent: int) -> Iterator[ScoreField]:
        """The fields of an agent, from the top."""
        return (field for (of, _), field in self.fields.items() if of == agent)

    def on_click(self, event: events.Click) -> None:
        event.stop()


def short_names(names: Sequence[str]) -> list[str]:
    """First names where they differ, else whole names; for column heads of a few cells."""
    whole = [one_line(name, 60) for name in names]
    first = [name.split(" ", 1)[0] for name in whole]
    return first if len(set(first)) == len(first) else whole
