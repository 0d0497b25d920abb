"""Leaving a transcript or the program, told to by a person or the system.

What is not saved is asked about where somebody is there, and kept in any case.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from textual.app import App
from textual.screen import Screen
from textual.worker import WorkerError

from trajview.app.shared.key_queue import KeyQueue
from trajview.app.shared.screen import TrajviewScreen
from trajview.errors import AnnotationError

if TYPE_CHECKING:
    from trajview.app.annotate.panel import AnnotationPanel

__all__ = ["Leaving", "heed_signals"]

_EVERY: Final = 1.0
"""Seconds from one look at whether the terminal is still there to the next."""


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
        saving = panel.save(advance=False)
        if saving is not None:
            with suppress(WorkerError):  # cancelled, or failed, which is reported elsewhere: it is not saved then
                await saving.wait()
        return not panel.dirty


def heed_signals(write_down: Callable[[], None], leave: Callable[[int], None]) -> None:
    """On the running loop, of the main thread: heed SIGTERM and SIGHUP.

    Both first have `write_down` called. Then SIGTERM has `leave` called with the exit code, 143; SIGHUP, for which there is
    no terminal left to restore, ends the process at once, as it would have. What was started to ignore one (nohup) does.
    A terminal that is gone ends it all the same, without a signal too: Textual would ask it for keys without a pause.
    """
    loop = asyncio.get_running_loop()

    before = signal.getsignal(signal.SIGHUP) or signal.SIG_DFL

    def hung_up() -> None:
        write_down()
        loop.remove_signal_handler(signal.SIGHUP)
        # Who has something else to tidy up does; and it ends also what was started to ignore it.
        signal.signal(signal.SIGHUP, signal.SIG_DFL if before is signal.SIG_IGN else before)
        os.kill(os.getpid(), signal.SIGHUP)

    def terminated() -> None:
        loop.remove_signal_handler(signal.SIGTERM)  # The second one ends it, whatever the first is busy with.
        write_down()
        leave(128 + signal.SIGTERM)

    for number, heed in ((signal.SIGHUP, hung_up), (signal.SIGTERM, terminated)):
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, heed)

    def look() -> None:
        if _is_gone():
            hung_up()
        else:
            loop.call_later(_EVERY, look)

    loop.call_later(_EVERY, look)


def _is_gone() -> bool:
    """Whether the terminal that keys come from was closed."""
    with suppress(OSError, ValueError, AttributeError):  # there is none
        poll = select.poll()
        poll.register(sys.__stdin__.fileno(), 0)  # type: ignore[union-attr]  # with suppress
        return any(event & select.POLLHUP for _, event in poll.poll(0))
    return False
