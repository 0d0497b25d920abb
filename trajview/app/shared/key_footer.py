"""The bottom line: the keys that do something here, in one widget.

Textual's own footer is a widget per key, which takes as long to mount as the rest of the first screen together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.content import Content
from textual.widget import Widget

from trajview.app.keys import KEYS, character_of

if TYPE_CHECKING:
    from textual import events
    from textual.binding import Binding
    from textual.screen import Screen

__all__ = ["KeyFooter"]

_ALWAYS = frozenset({"help", "back"})
_SPARE = frozenset(key.footer for key in KEYS if key.spare)
"""Those that come where all others have room."""
_PLACES = {key.id: place for place, key in enumerate(KEYS)}
"""Where each key stands in the table."""


def _takes_text(widget: Widget) -> bool:
    """Whether a widget is a field for text; by name, because importing Textual's text area takes 20 ms."""
    return any(kind.__name__ in ("Input", "TextArea") for kind in type(widget).__mro__)


class KeyFooter(Widget):
    """The keys of the focused widget and its screen whose bindings are to be shown; a click presses the key.

    Keys that do not fit are left out from the right; help and the way back always stay.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"key-footer--key"}

    DEFAULT_CSS = """
    KeyFooter {
        dock: bottom;
        height: 1;
        background: $panel;
        color: $footer-description-foreground;
        & > .key-footer--key { color: $text-accent; text-style: bold; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._keys: list[tuple[str, str, str]] = []
        """The key, how it is written, and what it does in a word."""

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_changed)

    def on_unmount(self) -> None:
        self.screen.bindings_updated_signal.unsubscribe(self)

    def _bindings_changed(self, screen: Screen[object]) -> None:
        if not self.is_attached or screen is not self.screen:
            return
        by_action: dict[str, tuple[bool, int, Binding]] = {}
        focused = screen.focused
        in_text = focused is not None and _takes_text(focused)
        for node, binding, enabled, _ in screen.active_bindings.values():
            # What the focused field takes as text does nothing else now;
            # what Enter opens and what is selected around it are not meant there.
            typed = focused is not None and (
                focused.check_consume_key(binding.key, character_of(binding.key))
                or (in_text and node is screen and (binding.key == "enter" or binding.id == "select.down"))
            )
            if binding.show and enabled and not typed:
                # In the table's order also where keys are changed, which puts them last.
                place = _PLACES.get(binding.id or "", len(_PLACES))
                by_action.setdefault(binding.action, (node is screen, place, binding))
        found = [binding for _, _, binding in sorted(by_action.values(), key=lambda each: each[:2])]
        keys = [(one.key, self.app.get_key_display(one), one.description) for one in found]
        if keys != self._keys:
            self._keys = keys
            self.refresh()

    def _shown(self) -> list[tuple[int, str, str, str]]:
        """What fits: the cell where an entry begins, the key, how it is written, what it does."""
        widths = [Content(f" {written} {says} ").cell_length for _, written, says in self._keys]
        wanted = [2 if says in _SPARE else 0 if says in _ALWAYS else 1 for _, _, says in self._keys]
        room = self.size.width
        kept = set()
        for at in sorted(range(len(widths)), key=wanted.__getitem__):
            if widths[at] <= room:
                kept.add(at)
                room -= widths[at]
        shown, x = [], 0
        for at in sorted(kept):
            shown.append((x, *self._keys[at]))
            x += widths[at]
        return shown

    def render(self) -> Content:
        style = self.get_visual_style("key-footer--key")
        pieces = [Content.assemble((f" {written}", style), f" {says} ") for _, _, written, says in self._shown()]
        return Content("").join(pieces)

    def on_click(self, event: events.Click) -> None:
        """Press the key that was clicked."""
        hit = [key for x, key, _, _ in self._shown() if x <= event.x]
        if hit and event.x < self.render().cell_length:
            event.stop()
            self.app.simulate_key(hit[-1])
