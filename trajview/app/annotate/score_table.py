"""The table of scores as one widget: a line per dimension, a cell per agent, and a cursor that types at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from trajview.annotation.draft import overall
from trajview.annotation.rubric import Rubric
from trajview.app.annotate.fields import TEXT_KEYS
from trajview.app.annotate.guidance import cut
from trajview.app.annotate.score_grid import Place, ScoreGrid
from trajview.app.shared.row_styles import SPEAKERS, SPEAKERS_IN_ANSI
from trajview.app.shared.styled import Styled
from trajview.models.speakers import COLOURS
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.models.run import Reward

__all__ = ["ScoreTable", "short_names"]


_CELL = 8
_WIDE_CELL = 12
_RANGE = 8


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the table: what it is, the agents that it is about, and its cells."""

    kind: Literal["heads", "agent", "scores", "overall", "blank"]
    agents: tuple[int, ...] = ()
    cells: tuple[Place, ...] = ()


class ScoreTable(Styled, ScrollView, can_focus=True):
    """Shows a `ScoreGrid`. Digits, `-`, `.`, Backspace and Delete change the cell under the cursor, letters go to dimensions.

    The keys that move are the panel's. After a key `changed` is called, or `moved` where only the cursor went.
    """

    LOOKS: ClassVar[Mapping[str, str]] = {
        "name": "$foreground 85%", "here": "bold $text-primary", "range": "$foreground 40%",
        "agent": "$text-accent", "cell": "$foreground on $foreground 7%",
        "empty": "$foreground 30% on $foreground 7%", "cursor": "bold $foreground on $primary 40%",
        "away": "$foreground on $foreground 16%", "bad": "$text-error on $error 25%",
        "bad-cursor": "bold $foreground on $error 50%", "mean": "bold $text-primary", "overall": "bold $foreground",
        "why": "bold $text-accent", **SPEAKERS,
    }  # fmt: skip
    IN_ANSI: ClassVar[Mapping[str, str]] = {
        "range": "dim", "cell": "underline", "empty": "dim underline", "cursor": "bold reverse",
        "away": "bold underline", "bad": "bold underline ansi_red", "bad-cursor": "bold reverse ansi_red", **SPEAKERS_IN_ANSI,
    }  # fmt: skip
    DEFAULT_CSS = """
    ScoreTable {
        width: 1fr; background: $surface; overflow-y: auto; overflow-x: hidden; scrollbar-size: 0 1;
        scrollbar-color: $foreground 25%; scrollbar-background: $surface; scrollbar-gutter: stable;
        scrollbar-color-hover: $foreground 40%; scrollbar-background-hover: $surface;
        scrollbar-color-active: $primary; scrollbar-background-active: $surface;

    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.grid = ScoreGrid(Rubric("", ()), ())
        self.rewards: Sequence[Reward] = ()
        """The rewards of the saved record: what the rubric does not ask for counts in the overall too."""
        self.locked = True
        """Whether keys do nothing: no run is open, or it is about to be another one."""
        self.moved: Callable[[], None] = lambda: None
        self.changed: Callable[[], None] = lambda: None
        self._lines: list[_Line] = []

    def show(self, grid: ScoreGrid, rewards: Sequence[Reward] = ()) -> None:
        """Show another grid."""
        self.grid, self.rewards = grid, rewards
        self._lines = _lines_of(grid)
        self.virtual_size = Size(self.size.width, len(self._lines))
        self.scroll_to(y=0, animate=False)
        self.follow()

    def follow(self) -> None:
        """Bring the cursor into view, with the head of its agent where that fits, and repaint."""
        y, height = self._line_of_cursor(), self.size.height
        top = self.scroll_offset.y
        if height and not top <= y < top + height:
            self.scroll_to(y=max(0, min(y - height // 2, len(self._lines) - height)), animate=False)
        elif height and 0 < y == top:
            self.scroll_to(y=y - 1, animate=False)
        self.refresh()

    def on_resize(self) -> None:
        self.follow()

    def _line_of_cursor(self) -> int:
        return next((y for y, line in enumerate(self._lines) if self.grid.place in line.cells), 0)

    # Keys and mouse

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Whether a key is typed into the table: letters, digits and what belongs to a number are no commands."""
        typed = character is not None and len(character) == 1 and (character.isalnum() or character in "-.,")
        return typed or key in ("backspace", "delete")

    def on_key(self, event: events.Key) -> None:
        character = event.character
        if not self.check_consume_key(event.key, character):
            if event.key in TEXT_KEYS and "ctrl" not in event.key and not event.key.startswith("page"):
                event.stop()  # It would act in the text that has the cursor by then.
            return
        event.stop()
        event.prevent_default()
        if self.locked:
            return
        if self.grid.key(event.key, character):
            self.changed()
        elif character is not None:
            self.grid.hotkey(character.lower())
            self.moved()

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        if not self.locked:
            self.grid.paste(event.text)
            self.changed()

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        event.stop()
        if offset is None or self.locked:
            return
        y = self.scroll_offset.y + offset.y
        cells = self._lines[y].cells if y < len(self._lines) else ()
        if cells:
            width = self.scrollable_content_region.width
            right = width - self._cell(width) * len(cells)
            index = max(0, min((offset.x - right) // self._cell(width), len(cells) - 1))
            self.grid.go(cells[index])
            self.moved()

    def on_focus(self) -> None:
        self.moved()

    def on_blur(self) -> None:
        self.refresh()

    # Lines

    def _cell(self, width: int) -> int:
        return _WIDE_CELL if width >= 60 else _CELL

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        number = self.scroll_offset.y + y
        line = self._lines[number] if number < len(self._lines) else _Line("blank")
        return Strip(self._line_segments(line, width)).adjust_cell_length(width, self._style("name"))

    def _line_segments(self, line: _Line, width: int) -> list[Segment]:
        if line.kind == "heads":
            names = short_names([self.grid.names[agent] for agent in line.agents])
            return [
                *self._head(width),
                *(
                    Segment(_fit(f"  {name}", self._cell(width)), self._style_of(agent))
                    for agent, name in zip(line.agents, names, strict=True)
                ),
            ]
        if line.kind == "agent":
            return [
                Segment(_fit(one_line(self.grid.names[line.agents[0]], 200), width), self._style_of(line.agents[0]))
            ]
        if line.kind == "scores":
            return self._scores(line, width)
        if line.kind == "overall":
            means = (Segment(_fit(self._mean(agent), self._cell(width)), self._style("mean")) for agent in line.agents)
            return [*self._head(width, "overall", style="overall"), *means]
        return []

    def _style_of(self, agent: int) -> Style:
        """The style of an agent's name: in the colour that it has in the transcript, where there are several."""
        several = len(self.grid.names) > 1
        return self._style("agent") + (self._styles[str(agent % COLOURS)] if several else Style.null())

    def _mean(self, agent: int) -> str:
        reward = self.rewards[agent] if agent < len(self.rewards) else None
        mean = overall(self.grid.values[agent], self.grid.rubric, reward)
        return "  –" if mean is None else f"  {mean:.2f}"

    def _columns(self) -> int:
        """The number of cells side by side."""
        return 1 if self.grid.stacked else len(self.grid.names)

    def _head(self, width: int, label: str = "", ends: str = "", style: str = "name") -> list[Segment]:
        """The beginning of a line, before the cells: a name, and a range where there is space for it."""
        room = max(0, width - self._columns() * self._cell(width))
        if room < 18:
            return [Segment(_fit(label, room), self._style(style))]
        return [
            Segment(_fit(label, room - _RANGE), self._style(style)),
            Segment(f"{ends:>{_RANGE - 1}} ", self._style("range")),
        ]

    def _scores(self, line: _Line, width: int) -> list[Segment]:
        row = line.cells[0].row
        dimension = self.grid.dimensions[row]
        here = self.grid.place in line.cells
        name, *ends = self._head(width, one_line(dimension.label, 80), dimension.range_text, "here" if here else "name")
        segments = [*(self._with_hotkey(name, row) if self._is_active() else [name]), *ends]
        cell = self._cell(width) * self._columns() // len(line.cells)  # What all agents share is as wide as all cells.
        for place in line.cells:
            segments += self._field(place, cell)
        return segments

    def _with_hotkey(self, name: Segment, row: int) -> list[Segment]:
        """Underline the letter of a dimension in its name."""
        letter = next((letter for letter, of in self.grid.letters.items() if of == row), "")
        at = name.text.lower().find(letter) if letter else -1
        if at < 0:
            return [name]
        text, style = name.text, name.style or Style.null()
        underlined = Segment(text[at], style + Style(underline=True))
        return [Segment(text[:at], style), underlined, Segment(text[at + 1 :], style)]

    def _field(self, place: Place, width: int) -> list[Segment]:
        text, cursor = one_line(self.grid.text(place), 80), place == self.grid.place
        style = self._field_style(place, bool(text))
        typing = cursor and self._is_active() and (not self.grid.fresh or not text)
        room = width - 3 - typing
        shown = text or ("" if typing else "·")
        if cell_len(shown) > room:  # The end is what is being typed.
            shown = "…" + shown[1 - room :] if typing else cut(shown, room)
        return [
            Segment(" ", self._style("name")),
            Segment(f" {shown}{'▏' if typing else ''}", style),
            Segment(" " * (room - cell_len(shown)), style),
            self._field_mark(place, bool(text), style),
        ]

    def _is_active(self) -> bool:
        """Whether what is typed goes to the field at the cursor."""
        return self.has_focus and not self.locked

    def _field_style(self, place: Place, filled: bool) -> Style:
        cursor, active = place == self.grid.place, self._is_active()
        bad = self.grid.red(place) if active else self.grid.bad(place)
        if cursor and active:
            return self._style("bad-cursor" if bad else "cursor")
        if bad:
            return self._style("bad")
        if cursor and not self.locked:
            return self._style("away")
        return self._style("cell" if filled else "empty")

    def _field_mark(self, place: Place, filled: bool, style: Style) -> Segment:
        """The last cell of a field: whether it has a reason, or asks for one."""
        mark, kind = " ", "why"
        if self.grid.rationale(place).strip():
            mark = '"'
        elif filled and self.grid.asks_for_reason(place):
            mark, kind = "?", "range"
        # In the terminal's own colours the cursor is reversed, and a colour would be a block.
        plain = mark == " " or style.reverse
        return Segment(mark, style if plain else self._style(kind) + Style(bgcolor=style.bgcolor))


def _lines_of(grid: ScoreGrid) -> list[_Line]:
    lines: list[_Line] = []
    several = len(grid.dimensions) > 1
    for agents, rows in grid.blocks:
        if agents and (rows or several):
            lines += [_Line("blank")] if lines else []
            lines.append(_Line("heads" if len(agents) > 1 else "agent", agents))
        lines += [_Line("scores", agents, grid.cells(row, agents)) for row in rows]
        lines += [_Line("overall", agents)] if agents and several else []
    return lines


def _fit(text: str, width: int) -> str:
    return set_cell_size(cut(text, max(0, width)), max(0, width))


def short_names(names: Sequence[str]) -> list[str]:
    """First names where they differ, else whole names; for column heads of a few cells."""
    whole = [one_line(name, 60) for name in names]
    first = [name.split(" ", 1)[0] for name in whole]
    return first if len(set(first)) == len(first) else whole
