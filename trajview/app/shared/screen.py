"""The base of the viewer's screens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from textual.await_complete import AwaitComplete
from textual.screen import Screen

from trajview.app.shared.commands import HasCommands
from trajview.app.shared.faults import ReportsFaults

if TYPE_CHECKING:
    from trajview.app.annotate.panel import AnnotationPanel
    from trajview.app.app import TrajviewApp
    from trajview.corpus.info import RunInfo

__all__ = ["TrajviewScreen"]


class TrajviewScreen(HasCommands, ReportsFaults, Screen[None]):
    """A screen of the viewer: its keys are those of the key table, and a fault in one of its threads is reported."""

    @property
    def trajview(self) -> TrajviewApp:
        """The app, by its own type."""
        return cast("TrajviewApp", self.app)

    @property
    def panel(self) -> AnnotationPanel | None:
        """The annotation panel of the screen, which may hold unsaved work; None where there is none."""
        return None

    def at_work(self) -> None:
        """Somebody presses keys or moves the mouse."""

    def runs_changed(self, infos: Sequence[RunInfo]) -> None:
        """Some runs are others now, as logs are written on."""

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Close, if it is in front: Textual would close whatever screen is, for each of several keys."""
        return super().dismiss(result) if self.is_active else AwaitComplete()
