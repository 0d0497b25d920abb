"""A clock for the journal that goes on only as a test wants it to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

__all__ = ["Clock"]


class Clock:
    """To be put in place of `events.now`: `step` seconds pass with each event, and as many as are let pass between."""

    def __init__(self, step: float = 0.0) -> None:
        self.time = datetime(2026, 5, 1, 9, tzinfo=UTC)
        self.step = step

    def pass_by(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)

    def __call__(self) -> datetime:
        self.pass_by(self.step)
        return self.time
