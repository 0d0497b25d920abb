"""The annotation panel beside the transcript: opening it, going to and fro, and on to the next run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from trajview.errors import AnnotationError
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.app.annotate.panel import AnnotationPanel
    from trajview.app.app import TrajviewApp
    from trajview.app.transcript.desk import Desk
    from trajview.corpus.info import RunInfo

__all__ = ["Annotator"]


class Annotator:
    """Has a run annotated in the panel, which is made when it is first asked for.

    `open_run` shows another run with its annotation; `reload_notes` reads the notes on units again; `written` is called when
    the panel holds another text than before, as it was opened, kept or submitted.
    """

    def __init__(
        self,
        desk: Desk,
        app: TrajviewApp,
        *,
        open_run: Callable[[RunInfo], None],
        reload_notes: Callable[[], None],
        written: Callable[[], None],
    ) -> None:
        self._app, self._reading, self._panes, self._notices = app, desk.reading, desk.panes, desk.notices
        self._open_run, self._reload_notes, self._written = open_run, reload_notes, written
        self.panel: AnnotationPanel | None = None
        """The annotation panel, once it has been opened."""

    @property
    def has_cursor(self) -> bool:
        """Whether keys go to the panel."""
        focused = self._panes.focused
        return self.panel is not None and focused is not None and self.panel in focused.ancestors_with_self

    @property
    def has_run(self) -> bool:
        """Whether the panel is about the run that is read."""
        return self.panel is not None and self.panel.key == self._reading.info.key

    @property
    def is_shown(self) -> bool:
        """Whether the panel is on the screen, for the run that is read."""
        return self.has_run and self._panes.annotating

    def open(self, with_cursor: bool = True) -> None:
        """Show the panel for the run that is read, with the cursor where it was; what was typed for another one is kept first."""
        from trajview.app.annotate.panel import AnnotationPanel

        run, info = self._reading.run, self._reading.info
        assert run is not None
        panel = self.panel
        if panel is None:
            self.panel = panel = AnnotationPanel(
                self._app.store,
                self._app.keys,
                opened=self._written,
                kept=self._kept,
                saved=self._saved,
                put_aside=self._put_aside,
                left=self.leave_fields,
                run_wanted=self._step_run,
            )
            self._panes.add(panel)
        self._panes.show_annotation()
        if panel.key != info.key:
            rubric = self._app.episodes.rubric_for(info)
            panel.open_run(info.key, run.name or run.id, run.agent_names, rubric, self._reading.beginning)
        else:
            self.run_begins()
            panel.stay()
            panel.decide()
        if with_cursor:
            panel.focus_fields()
        self._notices.refresh()

    def run_begins(self) -> None:
        """Let the panel know how the run begins by now."""
        run = self._reading.run
        if self.panel is not None and run is not None and self.has_run:
            self.panel.run_begins(self._reading.beginning, run.name or run.id, run.agent_names)

    def close(self) -> None:
        """Give its place back to the transcript; the draft is in the journal."""
        self._panes.close_annotation()
        if self.panel is not None:
            self.panel.expect_nothing()
            self.panel.rest()
        self.leave_fields()

    def leave_fields(self) -> None:
        """Put the cursor into the transcript. The panel stays beside it: what is read is scored in it."""
        self._panes.focus_messages()
        self._notices.refresh()

    def at_work(self) -> None:
        """A key was pressed, or the mouse: work on the run whose annotation is open."""
        if self.panel is not None and self.is_shown:
            self.panel.active()

    async def keep(self) -> bool:
        """Bring what is typed into the journal; False where that cannot be, which is said."""
        try:
            if self.panel is not None:
                await self.panel.keep_all()
        except AnnotationError as error:
            self._notices.toast(one_line(str(error), 300), error=True)
            return False
        return True

    # -- what the panel says -------------------------------------------------------------------------------------------

    def _kept(self) -> None:
        self._written()
        self._app.annotations_changed()

    def _saved(self, key: str, advance: bool) -> None:
        """An annotation was submitted: go on to the next run, if wanted."""
        self._kept()
        if not advance or key != self._reading.info.key:
            return

        def go_on() -> None:
            if self._panes.are_there and key == self._reading.info.key:
                self.to_next()

        self._app.episodes.when_progress_is_read(go_on)

    def to_next(self) -> None:
        """Open the next run that waits for its annotation; where there is none, say so."""
        found, sentence = self._app.next_to_annotate(self._reading.info)
        if found is not None:
            self._open_run(found)
        elif self.panel is not None:
            self.panel.stay(sentence)

    def _put_aside(self, key: str) -> None:
        """Work about another run was put aside; so were the notes."""
        self._app.annotations_changed()
        if key == self._reading.info.key:
            self._reload_notes()

    def _step_run(self, step: int) -> None:
        """Open the next or previous run of the list with its annotation."""
        found = self._app.browser.neighbour(self._reading.info, step)
        if found is not None:
            self._open_run(found)
        elif self.panel is not None:
            self.panel.stay("this is the last run" if step > 0 else "this is the first run")

    def skipped(self, info: RunInfo) -> None:
        """An episode is skipped: go on to the next one."""
        if self.panel is not None and info.key == self._reading.info.key and self._panes.annotating:
            self.panel.expect_fields(submitted=True)
            self.to_next()

    def turned(self) -> None:
        """What was done to this episode is undone, or done again."""
        self._reload_notes()
        if self.panel is not None:
            self.panel.reload()
