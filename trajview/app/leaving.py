"""Leaving a transcript or the program: what is not saved is asked about where somebody is there, and kept in any case."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from textual import work
from textual.app import App
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.worker import WorkerError, WorkerFailed

from trajview.errors import AnnotationError

if TYPE_CHECKING:
    from trajview.app.annotate.panel import AnnotationPanel
    from trajview.corpus.corpus import Corpus

__all__ = ["Leaving"]


class Leaving(App[int]):
    """The part of the app that lets nobody leave unsaved work behind unasked."""

    corpus: Corpus

    _leaves = False
    """A transcript is being left, which may wait for an answer."""

    unsaid: tuple[str, ...] = ()
    """What there is to say once the terminal is as it was before."""

    @work
    async def leave_transcript(self, screen: Screen[None]) -> None:
        """Back to the browser, once unsaved work has been asked about; asked for several times, it is one leave."""
        if self._leaves:
            return
        self._leaves = True
        try:
            if await self._may_leave():
                screen.dismiss()
        finally:
            self._leaves = False

    async def _may_leave(self) -> bool:
        """Ask about unsaved work. The draft is in the journal whatever the answer."""
        from trajview.app.annotate.unsaved import UnsavedScreen
        from trajview.app.transcript.screen import TranscriptScreen

        for screen in self.screen_stack:
            if not isinstance(screen, TranscriptScreen):
                continue
            panel = screen.panel
            if panel is None:
                continue
            problem = ""
            try:
                panel.flush()
            except AnnotationError as error:
                problem = str(error)
            if panel.dirty or problem:
                answer = await self.push_screen_wait(UnsavedScreen(problem))
                if answer == "stay":
                    return False
                if answer == "save":
                    # Should it be refused, the fields that are to be mended are on the screen.
                    screen.action_annotate()
                    if not await self._saved(panel):
                        return False
        return True

    async def _saved(self, panel: AnnotationPanel) -> bool:
        """Save an annotation before leaving; False if that did not work, which the panel has said by then."""
        panel.save(sure=True)
        saving = [worker for worker in self.workers if worker.node is panel and worker.group == "annotation-save"]
        if saving:  # None where a score was refused; and to wait for none is to wait for all, this one too.
            with suppress(WorkerError):  # cancelled, or failed, which is said elsewhere: it is not saved then
                await self.workers.wait_for_complete(saving)
        return not panel.dirty

    # Ending

    def action_help_quit(self) -> None:
        """What ctrl+c does where nothing is selected that it could copy."""
        self._ask_to_quit()

    async def action_quit(self) -> None:
        """Leave, once unsaved work has been asked about."""
        self._ask_to_quit()

    def _ask_to_quit(self) -> None:
        from trajview.app.annotate.unsaved import UnsavedScreen

        if not isinstance(self.screen, UnsavedScreen):  # who is asked already is not asked twice
            self._quit()

    @work(exclusive=True, group="quit")
    async def _quit(self) -> None:
        if await self._may_leave():
            self.corpus.cancel()
            self.exit(0)

    def _handle_exception(self, error: Exception) -> None:
        """No fault of a screen that is being made while the program ends: it gets no widgets any more, and looks for them."""
        cause = error.error if isinstance(error, WorkerFailed) else error
        if not (self._exit and isinstance(cause, NoMatches)):
            super()._handle_exception(error)

    def write_down(self) -> None:
        """What is typed goes into the journal now: nobody is there to be asked."""
        for screen in self.screen_stack:
            panel: AnnotationPanel | None = getattr(screen, "panel", None)
            if panel is not None:
                try:
                    panel.flush()
                except AnnotationError as error:
                    self.unsaid += (str(panel.rescue() or error),)

    def told_to_end(self, code: int) -> None:
        """End with an exit code, and ask nothing."""
        self.corpus.cancel()
        self.exit(code)
