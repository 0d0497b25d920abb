"""The one status line of a screen: facts at the left, what just happened or where things are at the right."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from textual.content import Content
from textual.widget import Widget

__all__ = ["StatusLine"]


class StatusLine(Widget, can_focus=False):
    """Shows parts joined by dots; parts that do not fit are left out, the last ones first."""

    DEFAULT_CSS = """
    StatusLine { height: 1; background: $panel; color: $foreground 80%; padding: 0 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._left: tuple[str, ...] = ()
        self._right = ""
        self._style = ""

    def say(self, left: Sequence[str], right: str = "", style: str = "") -> None:
        """Show other parts. `style` colours the right part: `$error`, `$success`."""
        if (tuple(left), right, style) != (self._left, self._right, self._style):
            self._left, self._right, self._style = tuple(left), right, style
            self.refresh()

    def render(self) -> Content:
        width = self.content_size.width
        right = self._right
        if cell_len(right) > width * 2 // 3:
            right = set_cell_size(right, max(0, width * 2 // 3 - 1)).rstrip() + "…"
        room = width - (cell_len(right) + 2 if right else 0)
        left = ""
        for part in self._left:
            longer = f"{left} · {part}" if left else part
            if cell_len(longer) > room:
                break
            left = longer
        gap = " " * max(1, width - cell_len(left) - cell_len(right))
        return Content.assemble(left, gap, (right, self._style or "$foreground 60%"))

    @property
    def text(self) -> str:
        """What is shown, for tests."""
        return self.render().plain
