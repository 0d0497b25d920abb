"""The annotation panel beside the transcript: opening it, going to and fro, and on to the next run."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from trajview.app.screens.transcript_base import TranscriptBase

if TYPE_CHECKING:
    from trajview.app.widgets.annotation_panel import AnnotationPanel

__all__ = ["Annotating"]


class Annotating(TranscriptBase):
    """The part of the transcript screen that knows the annotation panel."""

    @property
    def panel(self) -> AnnotationPanel | None:
        """The annotation panel, once it has been opened."""
        found = self.query("AnnotationPanel")
        return cast("AnnotationPanel", found.first()) if found else None

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
        from trajview.annotation.choice import rubric_of
        from trajview.app.widgets.annotation_panel import AnnotationPanel

        assert self.run is not None
        panel = self.panel
        if panel is None:
            panel = AnnotationPanel(self.trajview.store)
            self.query_one("#body").mount(panel)
        self.remove_class("-metadata")
        self.add_class("-annotating")
        if panel.key != self.info.key:
            rubric = rubric_of(self.trajview.rubric, self.info.format, self.trajview.settings.reward_range)
            panel.open_run(self.info.key, self.run.name or self.run.id, self.run.agent_names, rubric)
        else:
            panel.stay()
        if with_cursor:
            panel.focus_fields()
        self._say_status()

    def close_annotation(self) -> None:
        """Give its place back to the transcript; the draft is in the journal."""
        self.remove_class("-annotating")
        self.set_focus(self.view)
        self._say_status()

    def on_annotation_panel_saved(self, message: AnnotationPanel.Saved) -> None:
        self.trajview.annotations_changed()
        panel = self.panel
        if panel is None or not message.advance or message.key != self.info.key:
            return
        found, said = self.trajview.next_to_annotate(self.info)
        if found is not None:
            self.open_run(found, annotate=True)
        else:
            panel.stay(said)

    def on_annotation_panel_draft_kept(self) -> None:
        self.trajview.annotations_changed()

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
