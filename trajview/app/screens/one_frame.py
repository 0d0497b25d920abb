"""Screens that are laid out until nothing asks for more, and then drawn once.

Textual draws a new size with the old breakpoints, then with the new ones, and after each a second time, since widgets that
have got a size ask for a layout for that alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from textual.geometry import Size
from textual.widget import Widget

if TYPE_CHECKING:
    from textual.screen import Screen

    _Screen = Screen[Any]
else:
    _Screen = object

__all__ = ["OneFrame"]

_ROUNDS: Final = 5
"""More than a layout that ends at all takes: scroll bars that come change widths, and widths change heights."""


class OneFrame(_Screen):
    """For screens. To be named before the Textual class, which it must not stand for in CSS."""

    _arranging = False
    _drawn_when_arranged = False

    def _screen_resized(self, size: Size) -> None:
        """Take on a new size. Textual tells of each one twice, and looks at the breakpoints after it has drawn."""
        if self.is_attached and size != self._compositor.size:
            self._heed_breakpoints(size)
            super()._screen_resized(size)

    def _heed_breakpoints(self, size: Size) -> None:
        for cells, breakpoints in ((size.width, self.HORIZONTAL_BREAKPOINTS), (size.height, self.VERTICAL_BREAKPOINTS)):
            reached = max((each for each in breakpoints or () if each[0] <= cells), default=None)
            self.update_classes({each[1]: each == reached for each in breakpoints or ()}, animate=False)

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        if self._arranging:
            super()._refresh_layout(size, scroll)
            return
        self._arranging, self._drawn_when_arranged = True, False
        changed: set[Widget] = set()
        try:
            scroll = not self._requests(changed) and scroll
            for _ in range(_ROUNDS):
                super()._refresh_layout(size, scroll)
                if not self._requests(changed):
                    break
        finally:
            self._arranging = False
        self._compositor.update_widgets(changed)
        if self._drawn_when_arranged:
            self._compositor_refresh()

    def _requests(self, changed: set[Widget]) -> bool:
        """Whether widgets ask for a layout. Those that are to be drawn again are put with the others in `changed`.

        The screen hears of it later as well, but then there is nothing left to be done.
        """
        asked = False
        # Scroll bars are nobody's children, and what is not shown yet is not visible.
        for widget in {*self.walk_children(Widget, with_self=True), *self._compositor.visible_widgets}:
            if widget._layout_required or widget._repaint_required:
                asked = asked or widget._layout_required
                changed.add(widget)
                widget._check_refresh()
        return asked

    def _compositor_refresh(self) -> None:
        if self._arranging:
            self._drawn_when_arranged = True
        else:
            super()._compositor_refresh()
