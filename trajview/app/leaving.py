"""Leaving a transcript or the program: what is not saved is asked about where somebody is there, and kept in any case."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.screen import Screen
from textual.worker import WorkerError

from trajview.app.shared.key_queue import KeyQueue
from trajview.app.shared.screen import TrajviewScreen
from trajview.errors import AnnotationError

if TYPE_CHECKING:
    from trajview.app.annotate.panel import AnnotationPanel

__all__ = ["Leaving"]


class Leaving:
    """Asks about unsaved annotations before their screen or the program is left, or keeps them without a question."""

    def __init__(self, app: App[Any], keys: KeyQueue) -> None:
        self._app = app
        self._keys = keys
        self._leaves = False
        self.unsaid: tuple[str, ...] = ()
        """What there is to say once the terminal is as it was before."""

    async def leave(self, screen: Screen[None]) -> None:
        """Close a screen, once unsaved work has been asked about; asked for several times, it is one leave."""
        if self._leaves:
            return
        self._leaves = True
        try:
            if await self.is_agreed():
                screen.dismiss()
        finally:
            self._leaves = False

    async def is_agreed(self) -> bool:
        """Ask about unsaved work, and save it if that is the answer. The draft is in the journal whatever the answer."""
        from trajview.app.annotate.questions import UnsavedScreen

        for screen, panel in self._panels():
            problem = ""
            try:
                panel.flush()
            except AnnotationError as error:
                problem = str(error)
            if panel.dirty or problem:
                answer = await self._app.push_screen_wait(UnsavedScreen(problem, self._keys))
                if answer == "stay":
                    return False
                if answer == "save":
                    # Should it be refused, the fields that are to be mended are on the screen.
                    await screen.action_do("annotate")
                    if not await self._saved(panel):
                        return False
        return True

    def is_asking(self) -> bool:
        """Whether unsaved work is being asked about."""
        from trajview.app.annotate.questions import UnsavedScreen

        return isinstance(self._app.screen, UnsavedScreen)

    def write_down(self) -> None:
        """Put what is typed into the journal now: nobody is there to be asked."""
        for _, panel in self._panels():
            try:
                panel.flush()
            except AnnotationError as error:
                self.unsaid += (str(panel.rescue() or error),)

    def _panels(self) -> Iterator[tuple[TrajviewScreen, AnnotationPanel]]:
        for screen in self._app.screen_stack:
            if isinstance(screen, TrajviewScreen) and screen.panel is not None:
                yield screen, screen.panel

    async def _saved(self, panel: AnnotationPanel) -> bool:
        """Save an annotation before leaving; False if that did not work, which the panel shows by then."""
        saving = panel.save(sure=True)
        if saving is not None:
            with suppress(WorkerError):  # cancelled, or failed, which is reported elsewhere: it is not saved then
                await saving.wait()
        return not panel.dirty
