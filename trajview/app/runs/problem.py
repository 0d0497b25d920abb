"""The whole of a problem: what could not be read, where, why, and what to do about it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from trajview.app.shared.modal import ScrolledDialog
from trajview.errors import Problem
from trajview.textsafe import safe_text

__all__ = ["ProblemScreen"]


class ProblemScreen(ScrolledDialog[None]):
    """A problem on a small panel; Escape, Enter and q close it."""

    DEFAULT_CSS = """
    ProblemScreen {
        align: center middle;
        & > VerticalScroll {
            width: 90%;
            max-width: 90;
            height: auto;
            max-height: 80%;
            padding: 1 2;
            background: $surface;
            border: round $warning 60%;
            border-title-color: $text-warning;
            border-subtitle-color: $text-muted;
        }
        & .place { color: $text-muted; margin-bottom: 1; }
        & .hint { color: $text-muted; margin-top: 1; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q,o", "dismiss", "close"),
        Binding("ctrl+o", "edit", "open in $EDITOR", show=True),
    ]

    def __init__(self, problem: Problem) -> None:
        super().__init__()
        self.problem = problem

    def compose(self) -> ComposeResult:
        problem = self.problem
        with VerticalScroll() as panel:
            panel.border_title = "Not read"
            panel.border_subtitle = "ctrl+o open in $EDITOR · esc close" if problem.where.path else "esc close"
            if str(problem.where):
                yield Static(Content(safe_text(str(problem.where))), classes="place")
            yield Static(Content(safe_text(problem.reason)), classes="reason")
            if problem.hint:
                yield Static(Content(safe_text(problem.hint)), classes="hint")

    def action_edit(self) -> None:
        """Open the file at the line."""
        from trajview.app.shared.edit import open_outside

        if self.problem.where.path is not None:
            open_outside(self.app, self.problem.where.path, self.problem.where.line)
