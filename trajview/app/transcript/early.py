"""Keys typed while a run is being opened: they are meant for that run, not for the one that is still on the screen."""

from __future__ import annotations

from collections import deque
from typing import Final

from textual import events
from textual.widgets import Input, TextArea

from trajview.app.annotate.annotating import Annotating
from trajview.app.shared.typed_ahead import ENDING

__all__ = ["Early"]

_WITHOUT_RUN: Final = frozenset({"back", "run.next", "run.previous", "edit", "help", "palette"})
"""Commands that do something meanwhile."""


class Early(Annotating):
    """The part of the transcript screen that holds keys until the run is there. What is typed in a field goes there."""

    _opening = False
    _early: deque[events.Event]

    def for_later(self, event: events.Key | events.Paste) -> bool:
        return super().for_later(event) or self.too_early(event)

    def too_early(self, event: events.Key | events.Paste) -> bool:
        """Whether an event is held until the run is there. What needs no run is done at once, if it comes first.

        Asked once more when a key comes back from the widgets: the one before it may have gone to another run by then.
        """
        key = event.key if isinstance(event, events.Key) else ""
        if not (self._opening or self._early) or key in ENDING:
            return False
        if self.panel_has_cursor or isinstance(self.focused, Input | TextArea):
            return False
        return self._hold(event, self._early, _WITHOUT_RUN)

    def _run_is_here(self) -> None:
        """Do what was typed for the run that is shown now."""
        self._opening = False
        if self._early:
            self.trajview.call_later(self.trajview.type_held, self._next_early)

    def _run_never_comes(self) -> None:
        """What was typed for it is for nobody."""
        self._opening = False
        self._early.clear()

    def _next_early(self) -> events.Event | None:
        return self._early.popleft() if self._early and not self._opening else None
