"""What widgets that draw line by line share: the styles of their component classes, and being clicked and dragged along."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from textual import events

from trajview.app.shared.palette import component_styles

if TYPE_CHECKING:
    from textual.widget import Widget as _Widget
else:
    _Widget = object

__all__ = ["Dragged", "Styled"]


class Styled(_Widget):
    """Keeps the styles of its component classes until it is to look otherwise. To be named before the Textual class."""

    COMPONENT_CLASSES: ClassVar[set[str]]
    _styles: Mapping[str, Style] = MappingProxyType({})
    _base = Style.null()
    """The widget's own style."""

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles = MappingProxyType({})

    def _find_styles(self) -> None:
        """Look for the styles, where they are not known: before anything is drawn."""
        if not self._styles:
            self._base = self.rich_style
            self._styles = component_styles(self, self.COMPONENT_CLASSES)


class Dragged(_Widget):
    """Knows at which of its lines the mouse is, from the moment it is pressed. To be named before the Textual class."""

    def _pick(self, y: int, *, exactly: bool = False) -> None:
        """The mouse is at a line, which may be beyond the widget; `exactly`: it was clicked there, not dragged."""
        raise NotImplementedError

    def on_mouse_down(self, event: events.MouseDown) -> None:
        event.stop()
        self.capture_mouse()
        self._pick(event.y, exactly=True)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self.app.mouse_captured is self:
            self._pick(event.y)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        event.stop()
        self.release_mouse()
