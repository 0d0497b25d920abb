"""When Python looks for garbage: not before the first screen is there, and all of it only when nobody is at work.

A look through everything takes 10 to 20 ms, and Textual's strips are so many objects that it would come at every
fiftieth key. What is young is looked through when a key is answered, and otherwise as ever, only in larger portions.
"""

from __future__ import annotations

import gc
from asyncio import TimerHandle, get_running_loop
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from textual.app import App
    from textual.timer import Timer

__all__ = ["Garbage"]

_STARTED: Final = 1.0
"""Seconds after which the first screen is there, and garbage is collected again."""
_IDLE: Final = 1.5
"""Seconds without a key after which nobody waits."""
_ANSWERED: Final = 0.02
"""Seconds after which a key is answered, and the next of a key that is held down has not come yet."""
_YOUNG, _MIDDLE, _OLD = 10_000, 10, 100
"""Objects more than before until the young are looked through, and how often that is done before older ones are.

A key makes some 2,000: where it is these that are looked through once it is answered, no key waits for that.
"""
_OFTEN: Final = 5
"""So often the young are looked through after keys, before the older ones are as well."""


class Garbage:
    """Collects garbage for an app whose caller has switched that off until the app runs; leaves it alone otherwise."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._ours = not gc.isenabled()
        self._timer: Timer | None = None
        self._soon: TimerHandle | None = None
        self._worked_at = 0.0
        if self._ours:
            app.set_timer(_STARTED, self._begin)

    def _begin(self) -> None:
        """Collect garbage from now on, but never look again at what start-up made: it stays to the end."""
        gc.freeze()
        gc.set_threshold(_YOUNG, _MIDDLE, _OLD)
        gc.enable()

    def at_work(self) -> None:
        """Somebody has pressed a key: look for garbage once it is answered, and for all of it some time after the last."""
        self._worked_at = monotonic()
        if not self._ours:
            return
        if self._timer is None:
            self._timer = self._app.set_timer(_IDLE, self._look)
        if self._soon is None:
            self._soon = get_running_loop().call_later(_ANSWERED, self._look_at_young)

    def _look_at_young(self) -> None:
        self._soon = None
        if gc.isenabled():
            gc.collect(int(gc.get_count()[1] >= _OFTEN))

    def _look(self) -> None:
        since = monotonic() - self._worked_at
        if since < _IDLE:
            self._timer = self._app.set_timer(_IDLE - since, self._look)
            return
        self._timer = None
        if gc.isenabled():
            gc.collect()
