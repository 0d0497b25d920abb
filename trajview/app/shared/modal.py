"""Screens on top of another one that ask for an answer, or show something until they are closed."""

from __future__ import annotations

from typing import ClassVar

from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen, ScreenResultType

from trajview.app.shared.background import ReportsFaults

__all__ = ["Dialog", "ScrolledDialog"]


class Dialog(ReportsFaults, ModalScreen[ScreenResultType]):
    """A screen on top of another one that closes once, however many keys ask for it.

    Keys that come quickly, such as two enters, reach it before the first has closed it.
    """

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close with a result; the first counts. Textual would close the screen below for the second."""
        return super().dismiss(result) if self.is_active else AwaitComplete()


class ScrolledDialog(Dialog[ScreenResultType]):
    """A dialog that may hold more than there is room for, in a `VerticalScroll`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll(1)", show=False),
        Binding("k,up", "scroll(-1)", show=False),
    ]

    def action_scroll(self, rows: int) -> None:
        """Rows down or up."""
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)
