"""A screen on top of another that closes once, however many keys ask for it."""

from __future__ import annotations

from typing import ClassVar

from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen, ScreenResultType

from trajview.app.shared.one_frame import OneFrame

__all__ = ["OnceScreen", "ScrolledScreen"]


class OnceScreen(OneFrame, ModalScreen[ScreenResultType]):
    """Keys that come quickly, such as two enters, reach it before the first has closed it.

    Textual closes whatever screen is on top, so the second one would close the screen below.
    """

    _has_answered = False

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close with a result; the first counts."""
        if self._has_answered:
            return AwaitComplete()
        self._has_answered = True
        return super().dismiss(result)


class ScrolledScreen(OnceScreen[ScreenResultType]):
    """One that may hold more than there is room for, in a `VerticalScroll`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll(1)", show=False),
        Binding("k,up", "scroll(-1)", show=False),
    ]

    def action_scroll(self, rows: int) -> None:
        """Rows down or up."""
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)
