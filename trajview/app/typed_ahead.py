"""Keys typed while one run is submitted and the next is opened: held until its fields are there, and typed into them."""

from __future__ import annotations

from collections import deque

from textual.events import Event

__all__ = ["TypedAhead"]

_PATIENCE = 10.0
"""Seconds after which no next run is expected any more: what was held is let go, and keys act at once."""


class TypedAhead:
    """What is typed for a run that is not open yet, in its order. All times are of the monotonic clock."""

    def __init__(self) -> None:
        self._held: deque[Event] = deque()
        self._since: float | None = None
        self.submitting = False
        """The wait began with a submission, not with a key that only goes to another run."""

    @property
    def waiting(self) -> bool:
        """The next run's fields are not there yet."""
        return self._since is not None

    @property
    def holds(self) -> bool:
        """Something was typed that is in no field yet: further keys come after it."""
        return bool(self._held)

    def wait(self, now: float, submitting: bool = False) -> None:
        """Another run is to come: hold what is typed from now on. What is held already stays, for it comes after."""
        if self._since is None:
            self._since, self.submitting = now, submitting

    def hold(self, event: Event, now: float) -> bool:
        """Hold an event; False where there is nothing to wait for, and where it took too long: all is let go then."""
        if self._since is not None and now - self._since > _PATIENCE:
            self.drop()
        if self._since is None and not self._held:
            return False
        self._held.append(event)
        return True

    def arrived(self) -> None:
        """The fields are there: `next` gives what to type into them."""
        self._since = None

    def next(self) -> Event | None:
        """What is to be typed now; None where nothing is, or where another run has to come first."""
        return self._held.popleft() if self._held and self._since is None else None

    def drop(self) -> None:
        """No other run is coming, or not as expected: what was typed for it is for nobody."""
        self._since = None
        self._held.clear()
