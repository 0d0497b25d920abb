"""The annotation panel beside the transcript: opening it, going to and fro, and on to the next run."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from textual import events

from trajview.app.shared.typed_ahead import ENDING
from trajview.app.transcript.base import TranscriptBase
from trajview.errors import AnnotationError
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.app.annotate.panel import AnnotationPanel
    from trajview.corpus.info import RunInfo

__all__ = ["Annotating"]


class Annotating(TranscriptBase):
    """The part of the transcript screen that knows the annotation panel."""

    _panel: AnnotationPanel | None = None

    @property
    def panel(self) -> AnnotationPanel | None:
        """The annotation panel, once it has been opened."""
        return self._panel

    @property
    def panel_has_cursor(self) -> bool:
        """Whether keys go to the panel."""
        panel, focused = self.panel, self.focused
        return panel is not None and focused is not None and panel in focused.ancestors_with_self

    def action_annotate(self) -> None:
        """Open the annotation panel, or put the cursor where it was in it."""
        if self.run is not None:
            self.open_annotation()

    def open_annotation(self, with_cursor: bool = True) -> None:
        """Show the panel for the run that is read; what was typed for another one is kept first."""
        from trajview.app.annotate.panel import AnnotationPanel

        assert self.run is not None
        panel = self.panel
        if panel is None:
            self._panel = panel = AnnotationPanel(self.trajview.store)
            self.query_one("#body").mount(panel)
        self.classes = {*self.classes} - {"-metadata"} | {"-annotating"}
        if panel.key != self.info.key:
            rubric = self.trajview.episodes.rubric_for(self.info)
            names = self.run.agent_names
            panel.open_run(self.info.key, self.run.name or self.run.id, names, rubric, self.beginning)
        else:
            self._tell_panel()
            panel.stay()
            panel.decide()
        if with_cursor:
            panel.focus_fields()
        self._say_status()

    def _tell_panel(self) -> None:
        """Let the panel know how the run begins by now."""
        if self.panel is not None and self.run is not None and self.panel.key == self.info.key:
            self.panel.run_begins(self.beginning, self.run.name or self.run.id, self.run.agent_names)

    def close_annotation(self) -> None:
        """Give its place back to the transcript; the draft is in the journal."""
        self.remove_class("-annotating")
        if self.panel is not None:
            self.panel.rest()
        self.set_focus(self.view)
        self._say_status()

    def at_work(self) -> None:
        """A key was pressed, or the mouse: work on the run whose annotation is open."""
        panel = self.panel
        if panel is not None and self.has_class("-annotating") and panel.key == self.info.key:
            panel.active()

    def for_later(self, event: events.Key | events.Paste) -> bool:
        """Whether an event is held, as typed for the run that is on its way."""
        panel = self.panel
        if panel is not None and self.panel_has_cursor and self._is_lost(event, panel):
            return True
        if panel is None or not (panel.ahead.waiting or panel.ahead.holds):
            return False
        if isinstance(event, events.Key) and not panel.ahead.holds:
            bound = self.active_bindings.get(event.key)
            command = bound.binding.id if bound is not None else None
            if command == "annotation.save":
                return True  # The same key again, or held down. It is not about a run that nobody has seen.
            if command in ("annotation.next_run", "annotation.previous_run") and not panel.ahead.submitting:
                return False  # Several runs on, without a look at those between.
        if isinstance(event, events.Key) and event.key in ENDING:
            return False
        return panel.ahead.hold(event, monotonic())

    def _is_lost(self, event: events.Key | events.Paste, panel: AnnotationPanel) -> bool:
        """Whether an event comes right after a refusal, and is for the run that does not come."""
        submits = False
        if isinstance(event, events.Key):
            if event.key in ENDING:
                return False
            bound = self.active_bindings.get(event.key)
            submits = bound is not None and bound.binding.id == "annotation.save"
        if not panel.ahead.loses(monotonic(), submits=submits):
            return False
        if panel.ahead.lost == 1:
            panel.say_lost()
        return True

    def on_annotation_panel_opened(self, message: AnnotationPanel.Opened) -> None:
        panel = self.panel
        # Of several runs on, only the last one is what anything was typed for.
        if panel is None or panel.leaving or message.key != self.info.key:
            return
        panel.ahead.arrived()
        if panel.ahead.holds:
            self.trajview.call_later(self.trajview.type_held, panel.ahead.next)

    def on_annotation_panel_saved(self, message: AnnotationPanel.Saved) -> None:
        self.trajview.annotations_changed()
        panel = self.panel
        if panel is None or not message.advance or message.key != self.info.key:
            return

        def go_on() -> None:
            if self.is_mounted and message.key == self.info.key:
                self._to_next(panel)

        self.trajview.episodes.when_progress_is_read(go_on)

    def _to_next(self, panel: AnnotationPanel) -> None:
        found, said = self.trajview.next_to_annotate(self.info)
        if found is not None:
            self.open_run(found, annotate=True)
        else:
            panel.stay(said)

    def on_annotation_panel_draft_kept(self) -> None:
        self.trajview.annotations_changed()

    def on_annotation_panel_put_aside(self, message: AnnotationPanel.PutAside) -> None:
        self.trajview.annotations_changed()
        if message.key == self.info.key:
            self.reload_notes()

    def on_annotation_panel_close_requested(self) -> None:
        # The panel stays beside the transcript: what is read is scored in it. The next escape closes it.
        self.set_focus(self.view)
        self._say_status()

    def on_annotation_panel_run_requested(self, message: AnnotationPanel.RunRequested) -> None:
        found = self.trajview.neighbour(self.info, message.step)
        if found is not None:
            self.open_run(found, annotate=True)
        elif self.panel is not None:
            self.panel.stay("this is the last run" if message.step > 0 else "this is the first run")

    # -- the episode as a whole ----------------------------------------------------------------------------------------

    def episode_at_hand(self) -> RunInfo | None:
        """The run that is read, once it is there."""
        return self.info if self.run is not None else None

    def episode_skipped(self, info: RunInfo) -> None:
        """Go on to the next run, if the one that was skipped here is being annotated."""
        if self.is_current and info.key == self.info.key and self.panel is not None and self.has_class("-annotating"):
            self.panel.ahead.wait(monotonic(), submitting=True)
            self._to_next(self.panel)

    def episode_turned(self, info: RunInfo | None) -> None:
        """Show what was undone or done again, in the episode where it was."""
        if not self.is_current:
            return
        panel = self.panel
        if info is not None and info.key != self.info.key:
            self.trajview.browser.go_to(info)
            self.open_run(info, annotate=self.has_class("-annotating"))
            return
        self.reload_notes()
        if panel is not None:
            panel.reload()

    async def before_undo(self) -> bool:
        """What was typed a moment ago is the first thing to take back."""
        try:
            if self.panel is not None:
                await self.panel.keep_all()
        except AnnotationError as error:
            self._toast(one_line(str(error), 300), error=True)
            return False
        return True

    # -- blind ---------------------------------------------------------------------------------------------------------

    def action_reveal(self) -> None:
        """Show what is hidden of this run, and have it written down that it was asked for."""
        if self.run is None:
            return
        if not self.trajview.episodes.hides(self.info):
            self._brief("nothing is hidden")
            return
        info = self.info

        def revealed() -> None:
            if self.is_mounted and self.info.key == info.key:
                self.run_changed()

        self.trajview.episodes.reveal_model(info, revealed)
