"""Active time: the time between keys that a person works on something, without the time away from the keyboard."""

from __future__ import annotations

__all__ = ["ActiveTime"]


class ActiveTime:
    """Adds up active time from the times of keys, in seconds of a monotonic clock (`time.monotonic`).

    After a key, the next `idle_after` seconds count, since reading is work too; what is beyond them, until the next key,
    is idle. It is about one thing at a time: `take` what there is before turning to the next.
    """

    def __init__(self, idle_after: float = 60.0) -> None:
        self.idle_after = idle_after
        self._seconds = 0.0
        self._key: float | None = None
        self._counted = 0.0

    def key(self, now: float) -> None:
        """Take note of a key or a use of the mouse; the first one starts the clock."""
        self._count(now)
        self._key = self._counted = now

    def seconds(self, now: float) -> float:
        """The active time until now that was not taken yet, in seconds."""
        self._count(now)
        return self._seconds

    def take(self, now: float) -> float:
        """Take the active time until now, in seconds; it is no longer counted here, and the clock runs on."""
        taken, self._seconds = self.seconds(now), 0.0
        return taken

    def stop(self, now: float) -> float:
        """Take the active time until now, in seconds, and count nothing until the next key."""
        taken, self._key = self.take(now), None
        return taken

    def _count(self, now: float) -> None:
        if self._key is None:
            return
        until = min(now, self._key + self.idle_after)
        if until > self._counted:
            self._seconds += until - self._counted
            self._counted = until
