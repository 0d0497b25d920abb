"""Where a widget is, looked up once for a repaint: Textual walks up the tree of widgets for it, for each line anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.geometry import Region
    from textual.strip import Strip
    from textual.widget import Widget as _Widget
else:
    _Widget = object

__all__ = ["Steady"]


class Steady(_Widget):
    """For widgets that draw line by line. To be named before the Textual class, which it must not stand for in CSS."""

    _painted: Region | None = None

    @property
    def region(self) -> Region:
        """The region that the widget occupies on the screen; `size` and others are made from it."""
        return super().region if self._painted is None else self._painted

    def render_lines(self, crop: Region) -> list[Strip]:
        self._painted = super().region
        try:
            return super().render_lines(crop)
        finally:
            self._painted = None
