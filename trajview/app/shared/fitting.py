"""Widgets that arrange what is in them for their size, in the layout that gives them that size.

Textual tells of a size once the widget has been drawn in it: what follows from it is drawn after that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.scroll_view import ScrollView

if TYPE_CHECKING:
    from textual.geometry import Size
    from textual.widget import Widget as _Widget
else:
    _Widget = object

__all__ = ["Fitting"]


class Fitting(_Widget):
    """To be named before the Textual class, which it must not stand for in CSS."""

    _fits: Size | None = None
    _scrolls: Size | None = None

    def take_size(self) -> None:
        """Arrange everything for the size that the widget has now."""
        raise NotImplementedError

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        if isinstance(self, ScrollView):
            # How much there is to scroll, the layout does not know: the scroll bar would be drawn anew after each.
            known, self._scrolls = self._scrolls, self.virtual_size
            if known == self.virtual_size:
                virtual_size = known
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        self.on_resize()
        return changed

    def on_resize(self) -> None:
        """Textual's message comes later, unless the widget was not mounted before."""
        if self.is_mounted and self._fits != self.size:
            self._fits = self.size
            self.take_size()
