"""Keys typed while one run is submitted and the next is opened: held until its fields are there, and typed into them.

After a refusal what goes on being typed is for the run that does not come: it is typed into nothing, until there is a pause.
"""

from __future__ import annotations

from collections import deque

from textual.events import Event

__all__ = ["DEAD", "ENDING", "TypedAhead"]

ENDING = ("ctrl+c", "ctrl+q")
"""Keys that end the program: never held, never lost."""

_PATIENCE = 10.0
"""Seconds after which no next run is expected any more: what was held is let go, and keys act at once."""
DEAD = 0.5
"""Seconds after a refusal in which keys are typed into nothing: nobody has read of it and gone on by then."""
_PAUSE = 0.4
"""Seconds without a key that end typing which began within that time: who types blind is quicker."""


class TypedAhead:
    """What is typed for a run that is not open yet, in its order. All times are of the monotonic clock."""

    def __init__(self) -> None:
        self._held: deque[Event] = deque()
        self._since: float | None = None
        self.submitting = False
        """The wait began with a submission, not with a key that only goes to another run."""
        self._dead_until = 0.0
        self.lost = 0
        """Keys that were typed into nothing since the last refusal."""

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

    def refused(self, now: float) -> bool:
        """What was submitted is refused, and no other run is coming; whether something was typed for one already."""
        self.lost = len(self._held)
        self.drop()
        self._dead_until = now + DEAD
        return bool(self.lost)

    def dead(self, now: float) -> bool:
        """Whether keys are typed into nothing now."""
        return now < self._dead_until

    def loses(self, now: float, *, submits: bool = False) -> bool:
        """Whether a key comes too soon after a refusal to be meant for the run that is still there.

        The key that `submits`, at once again, is an answer: it is meant.
        """
        if not self.dead(now) or (submits and not self.lost):
            return False
        self._dead_until = max(self._dead_until, now + _PAUSE)
        self.lost += 1
        return True
