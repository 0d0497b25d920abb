"""Screens that are laid out until nothing asks for more, and then drawn once.

Textual draws a new size with the old breakpoints, then with the new ones, and after each a second time, since widgets that
have got a size ask for a layout for that alone. A screen that comes to the top is drawn twice in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, Self

from textual._compositor import Compositor
from textual._node_list import DuplicateIds
from textual.await_complete import AwaitComplete
from textual.command import CommandPalette
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.widget import Widget

from trajview.app.shared.faults import SaysFaults
from trajview.app.shared.patches import PatchCompositor, Patches, Shown
from trajview.app.shared.steady import Empty
from trajview.app.shared.stylesheet import restyle_for

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual import events
    from textual.app import App
    from textual.await_remove import AwaitRemove
    from textual.dom import DOMNode
    from textual.screen import Screen

    _App = App[Any]
    _Screen = Screen[Any]
else:
    _App = _Screen = object

__all__ = ["OneFrame", "OneFrameApp"]

_ROUNDS: Final = 5
"""More than a layout that ends at all takes: scroll bars that come change widths, and widths change heights."""

_OF_WIDGETS: Final = ("_check_refresh", "_layout_required", "_repaint_required")
"""Names of Textual's that are its own business, and may be others in its next version."""


def _draw_in_patches(screen: Screen[Any]) -> None:
    if type(screen._compositor) is Compositor:
        screen._compositor = PatchCompositor()


class OneFrame(SaysFaults, Empty, _Screen):
    """For screens. To be named before the Textual class, which it must not stand for in CSS."""

    focused = Reactive(None, repaint=False)
    """Textual draws the whole screen for another focus; who gets or loses it draws itself."""

    _frame_held = False
    _frame_due = False
    _frame_of: set[Widget]
    _spared = False

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        if type(self._compositor) is Compositor:
            self._compositor = PatchCompositor()

    def dismiss(self, result: Any = None) -> AwaitComplete:
        """Close with a result, if it is in front: Textual would close whatever screen is, for each of several keys."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def spare(self) -> None:
        """Do not draw all of it when that is asked for next."""
        self._spared = True

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Draw all of it anew, or lay it out, which draws what that changes: a part that was mounted, or is gone."""
        spared, self._spared = self._spared, False
        if spared and not (regions or layout or recompose):
            return self
        return super().refresh(*regions, repaint=repaint and not layout, layout=layout, recompose=recompose)

    def _is_bare(self) -> bool:
        """Not where another screen, or the terminal, shows through."""
        background = self.styles.background
        return background.a == 1 and background.ansi is None and super()._is_bare()

    @contextmanager
    def _one_frame(self) -> Iterator[None]:
        """Draw nothing in here; afterwards lay out what is asked for, and draw it all at once.

        Where Textual is not made as it was, all is drawn as it would have it.
        """
        if self._frame_held or not all(hasattr(self, name) for name in _OF_WIDGETS):
            yield
            return
        self._frame_held, self._frame_due, self._frame_of = True, False, set()
        try:
            yield
            for _ in range(_ROUNDS):
                if not self._asked_for_layout():
                    break
                super()._refresh_layout()
        finally:
            self._frame_held = False
        self._compositor.update_widgets(self._frame_of)
        if self._frame_due:
            self._compositor_refresh()

    def draw_now(self) -> None:
        """Draw what is asked for, and do not wait for the next sixtieth of a second."""
        if self.is_current and self._compositor.size:
            with self._one_frame():
                self._frame_due = True

    def _asked_for_layout(self) -> bool:
        """Whether widgets ask for a layout. All that ask to be drawn again are in `_frame_of` from then on.

        The screen hears of it later as well, but then there is nothing left to be done.
        """
        asked = False
        # Scroll bars are nobody's children, and what is not shown yet is not visible.
        for widget in {*self.walk_children(Widget, with_self=True), *self._compositor.visible_widgets}:
            if widget._layout_required or widget._repaint_required:
                asked = asked or widget._layout_required
                self._frame_of.add(widget)
                widget._check_refresh()
        return asked

    def _compositor_refresh(self) -> None:
        if self._frame_held:
            self._frame_due = True
        else:
            super()._compositor_refresh()

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        with self._one_frame():
            if size is not None and size != self._compositor.size:
                self._heed_breakpoints(size)
            super()._refresh_layout(size, scroll and not (self._frame_held and self._asked_for_layout()))

    def _heed_breakpoints(self, size: Size) -> None:
        """Textual looks at them once it has drawn."""
        classes: dict[str, bool] = {}
        for cells, breakpoints in ((size.width, self.HORIZONTAL_BREAKPOINTS), (size.height, self.VERTICAL_BREAKPOINTS)):
            reached = max((each for each in breakpoints or () if each[0] <= cells), default=None)
            classes |= {each[1]: each == reached for each in breakpoints or ()}
        before = self.classes
        self.update_classes(classes, update=False)
        if changed := before ^ self.classes:
            restyle_for(self, changed)

    def _screen_resized(self, size: Size) -> None:
        """Take on a new size: Textual tells of each one twice."""
        if isinstance(self.app, OneFrameApp):
            self.app.forget_shown()  # a terminal that was smaller for a moment has lost what stood there
        if size != self._compositor.size:
            super()._screen_resized(size)

    def _on_screen_resume(self, event: events.ScreenResume) -> None:
        event.prevent_default()
        with self._one_frame():
            super()._on_screen_resume(event)
            self._frame_due = True


class OneFrameApp(SaysFaults, _App):
    """For the app of such screens, to be named before the Textual class: what is on top is drawn when it comes there."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._shown = Shown()

    def forget_shown(self) -> None:
        """The terminal may show anything: what changes is written, whatever is known to stand there."""
        self._shown.forget()

    def action_command_palette(self) -> None:
        """Textual's palette, over lines that it would not keep in place."""
        if self.use_command_palette and not CommandPalette.is_open(self):
            palette = CommandPalette(id="--command-palette")
            _draw_in_patches(palette)
            with suppress(DuplicateIds):  # the last one is not gone yet
                self.push_screen(palette)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if isinstance(renderable, Patches):
            renderable.shown = self._shown
        elif renderable is not None:
            self.forget_shown()
        super()._display(screen, renderable)

    @property
    def _background_screens(self) -> list[Screen[Any]]:
        """The screens that show through. Textual draws the one below also where nothing of it can be seen."""
        return [] if self.screen.styles.background.a == 1 else super()._background_screens

    if not TYPE_CHECKING:  # it has as many signatures as Textual's

        def push_screen(self, *args: Any, **more: Any) -> Any:
            self._spare_screen()  # what is below
            return super().push_screen(*args, **more)

    async def _replace_screen(self, screen: Screen[Any]) -> Screen[Any]:
        self._spare_screen()  # what is on top by now
        return await super()._replace_screen(screen)

    def _spare_screen(self) -> None:
        if self.screen_stack and isinstance(self.screen, OneFrame):
            self.screen.spare()

    def _prune(self, *nodes: Widget, parent: DOMNode | None = None) -> AwaitRemove:
        # A screen that is removed takes no room from others: nothing is laid out anew for that.
        return super()._prune(*nodes, parent=None if parent is self else parent)

    def refresh(self, *, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Draw all of the screen anew, as after another program had the terminal."""
        if layout and self.screen_stack:
            self.screen.refresh(repaint=repaint)
        return super().refresh(repaint=repaint, layout=layout, recompose=recompose)
