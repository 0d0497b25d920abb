"""What the rubric says of the score under the cursor, in the lines that the panel can spare."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from trajview.app.annotate.guidance import GuideLine, cut, guide
from trajview.app.annotate.score_grid import ScoreGrid
from trajview.app.shared.styled import Styled
from trajview.textsafe import one_line

__all__ = ["GuidanceBox"]

_STYLES = ("head", "text", "band", "current", "bad", "said")


class GuidanceBox(Styled, Widget):
    """Name, range and description of a dimension and its bands, that of the present score marked; errors come first."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"guidance-box--{name}" for name in _STYLES}
    DEFAULT_CSS = """
    GuidanceBox {
        width: 1fr; height: 2; padding: 0 1 0 0; background: $surface;
        & > .guidance-box--head { color: $text-primary; }
        & > .guidance-box--text { color: $foreground 70%; }
        & > .guidance-box--band { color: $foreground 50%; }
        & > .guidance-box--current { color: $foreground; text-style: bold; }
        & > .guidance-box--bad { color: $text-error; text-style: bold; }
        & > .guidance-box--said { color: $text-accent; }
        &:ansi > .guidance-box--band { color: ansi_default; text-style: dim; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._grid: ScoreGrid | None = None
        self._plain = ""
        self._strict = False

    def show(self, grid: ScoreGrid, strict: bool = False) -> None:
        """The guidance for the cell under the cursor of a grid; `strict` where an unfinished number is an error too."""
        self._grid, self._plain, self._strict = grid, "", strict
        self.refresh()

    def say(self, text: str) -> None:
        """A sentence in its place."""
        self._grid, self._plain = None, text
        self.refresh()

    def wanted(self, grid: ScoreGrid, width: int) -> int:
        """How many lines show the longest guidance of a rubric in full."""
        longest = (len(guide(dimension, "", width, 1_000)) for dimension in grid.dimensions)
        return max(longest, default=1)

    def content_lines(self, width: int, height: int) -> list[tuple[str, str]]:
        """What is shown: a style's name and a text for each line."""
        grid = self._grid
        if grid is None or grid.place is None or grid.dimension is None:
            return [("text", cut(one_line(self._plain), width))]
        place = grid.place
        first: list[tuple[str, str]] = []
        bad = grid.red(place, not self._strict)
        if bad is not None:
            first = [("bad", cut(f"{one_line(grid.dimension.label, 40)}: {bad.sentence}", width))]
        elif grid.said:
            first = [("said", cut(one_line(grid.said, 300), width))]
        whose = grid.names[place.agent] if len(grid.names) > 1 else ""
        lines: list[GuideLine] = guide(grid.dimension, grid.text(place), width, height, whose)
        rest = [(line.kind, line.text) for line in lines]
        # What a key has to say takes the head's line: the name is marked in the table, and nothing moves.
        return [*first, *(rest[1:] if first else rest)]

    def render_line(self, y: int) -> Strip:
        width, height = self.size.width, self.size.height
        self._find_styles()
        base = self.rich_style
        lines = self.content_lines(width, height)
        if y >= len(lines) or width <= 0:
            return Strip.blank(width, base)
        kind, text = lines[y]
        style = base + self._styles[f"guidance-box--{kind}"]
        return Strip([Segment(text, style)]).adjust_cell_length(width, base)
