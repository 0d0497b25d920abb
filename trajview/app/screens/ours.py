"""What our screens have in common beside how they are drawn: the app, `/`, and keys that came too early."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, cast

from textual.widgets import Input

from trajview.app.screens.one_frame import OneFrame

if TYPE_CHECKING:
    from textual import events

    from trajview.app.app import TrajviewApp

__all__ = ["Holding", "Ours", "Searched"]


class Ours(OneFrame):
    """For screens of the viewer. To be named before the Textual class, as those that follow."""

    @property
    def trajview(self) -> TrajviewApp:
        """The app, by its own type."""
        return cast("TrajviewApp", self.app)


class Searched(Ours):
    """For those that `/` searches."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """`/` has priority, and yet is text where text is typed."""
        if action == "search" and isinstance(self.focused, Input):
            return False
        return super().check_action(action, parameters)


class Holding(Ours):
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
