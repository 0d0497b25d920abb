"""The base of the viewer's screens, and what one hands to the screen of a run that it opens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, cast

from textual.await_complete import AwaitComplete
from textual.screen import Screen

from trajview.app.shared.background import ReportsFaults
from trajview.app.shared.commands import HasCommands

if TYPE_CHECKING:
    from trajview.app.annotate.panel import AnnotationPanel
    from trajview.app.app import TrajviewApp
    from trajview.corpus.info import RunInfo

__all__ = ["Neighbours", "TrajviewScreen"]


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

    def keep_place(self) -> None:
        """Keep where the reader is for another time."""

    def runs_changed(self, infos: Sequence[RunInfo]) -> None:
        """Some runs are others now, as logs are written on."""

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Close, if it is in front: Textual would close whatever screen is, for each of several keys."""
        return super().dismiss(result) if self.is_active else AwaitComplete()


class Neighbours(Protocol):
    """The runs before and after the one that is read, in the order of the screen that it was opened from."""

    @property
    def noun(self) -> str:
        """What its runs are called in a sentence about the first or the last of them, as in `last run`."""

    @property
    def were_searched(self) -> bool:
        """Whether a search goes on in each of them, so that behind its only match in one the next run follows."""

    def open_next(self, info: RunInfo, step: int) -> bool:
        """Open the run that comes after (or before, where `step` is -1) another; False where there is none."""
