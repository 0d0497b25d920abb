"""Which sources of highlights are on: a small dialog with their counts."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import SelectionList, Static
from textual.widgets.selection_list import Selection

__all__ = ["SourcesScreen"]

_SAYS = {
    "search": "search hits",
    "rule": "rules (--highlight)",
    "error": "errors",
    "mark": "marks",
    "unit": "units named on the command line",
    "citation": "citations",
}


class SourcesScreen(ModalScreen[set[str] | None]):
    """Gives the set of sources that are on, or None if it was left with escape."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "cancel"),
        Binding("enter", "done", "done", priority=True),
    ]
    DEFAULT_CSS = """
    SourcesScreen {
        align: center middle;
        & > Vertical { width: 52; height: auto; background: $surface; border: round $foreground 20%; padding: 0 1; }
        & SelectionList { height: auto; max-height: 10; border: none; background: $surface; }
        & .hint { color: $foreground 50%; margin: 1 0 0 0; }
    }
    """

    def __init__(self, counts: dict[str, int], off: set[str]) -> None:
        super().__init__()
        self._counts, self._off = counts, off

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("Highlights", classes="title")
            if self._counts:
                yield SelectionList[str](
                    *(
                        Selection(Content(f"{_SAYS.get(name, name)}  {count}"), name, name not in self._off)
                        for name, count in self._counts.items()
                    )
                )
            yield Static(
                "space switches, enter keeps, escape leaves"
                if self._counts
                else "This transcript has no highlights yet.",
                classes="hint",
            )

    def action_done(self) -> None:
        """Keep what is chosen."""
        lists = self.query(SelectionList)
        self.dismiss(set(lists.first().selected) if lists else None)
