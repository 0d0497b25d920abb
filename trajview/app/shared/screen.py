"""The base of the viewer's screens, and what those share that hold keys which came too early."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, cast

from textual import events
from textual.await_complete import AwaitComplete
from textual.screen import Screen
from textual.widgets import Input, TextArea

from trajview.app.keys import KEYS
from trajview.app.shared.commands import HasCommands
from trajview.app.shared.faults import ReportsFaults

if TYPE_CHECKING:
    from trajview.app.annotate.panel import AnnotationPanel
    from trajview.app.app import TrajviewApp

__all__ = ["Holding", "TrajviewScreen"]

_OPEN_FIELDS: Final = frozenset(key.id for key in KEYS if key.priority and "annotation" not in key.screens)


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

    def can_do(self, id: str) -> bool:
        """Whether a command can be done now: what opens a field has priority, and is yet text where text is typed."""
        return not (id in _OPEN_FIELDS and isinstance(self.focused, Input | TextArea)) and super().can_do(id)

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Close, if it is in front: Textual would close whatever screen is, for each of several keys."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def _hold(self, event: events.Key | events.Paste, early: deque[events.Event], at_once: frozenset[str]) -> bool:
        """Put an event behind those that are held; False where it is one of the actions that are done `at_once`, and comes first.

        Escape takes back what is held: what it would have ended is not begun.
        """
        if isinstance(event, events.Key):
            if event.key == "escape" and early:
                early.clear()
                return True
            bound = self.active_bindings.get(event.key)
            if not early and bound is not None and bound.binding.id in at_once:
                return False
        early.append(event)
        return True


class Holding(TrajviewScreen):
    """For those that hold what is typed before they can do it; their `for_later` says what that is."""

    _early: deque[events.Event] | None = None
    """What was typed before that; None where nothing is held."""

    def _type_early(self) -> None:
        """Do what was held, as if it were typed now, and hold nothing more."""
        self.trajview.call_later(self.trajview.type_held, self._next_early)

    def _next_early(self) -> events.Event | None:
        if self._early:
            return self._early.popleft()
        self._early = None
        return None
