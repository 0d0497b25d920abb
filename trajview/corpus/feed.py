"""What a scan finds, handed on in batches to everyone who listens, from any thread, each thing once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Generic, TypeVar

__all__ = ["Feed"]

_Item = TypeVar("_Item")


@dataclass(slots=True, eq=False)
class _Subscriber(Generic[_Item]):
    callback: Callable[[list[_Item], bool], None]
    seen: int = 0
    told_end: bool = False
    busy: bool = False


class Feed(Generic[_Item]):
    """An ever-growing list with an end, and its subscribers."""

    def __init__(self) -> None:
        self.finished = False
        self._items: list[_Item] = []
        self._subscribers: list[_Subscriber[_Item]] = []
        self._lock = Lock()

    def publish(self, batch: Sequence[_Item]) -> None:
        """Hand on what was found."""
        with self._lock:
            self._items.extend(batch)
        self._deliver_all()

    def finish(self) -> None:
        """Say that this was all. What is published later still goes out."""
        with self._lock:
            self.finished = True
        self._deliver_all()

    def subscribe(self, callback: Callable[[list[_Item], bool], None]) -> Callable[[], None]:
        """Have a function called with every batch and whether that was all; returns what unsubscribes it.

        What was published before is replayed at once in the calling thread. Nothing is lost or given twice, and calls
        never overlap. No lock is held during a call, so it may call back, or wait for another thread.
        """
        subscriber = _Subscriber(callback)
        with self._lock:
            self._subscribers.append(subscriber)
        self._deliver(subscriber)

        def unsubscribe() -> None:
            with self._lock:
                if subscriber in self._subscribers:
                    self._subscribers.remove(subscriber)

        return unsubscribe

    def _deliver_all(self) -> None:
        with self._lock:
            subscribers = list(self._subscribers)
        for subscriber in subscribers:
            self._deliver(subscriber)

    def _deliver(self, subscriber: _Subscriber[_Item]) -> None:
        while True:
            with self._lock:
                # Whoever is calling it just now looks again afterwards, and takes what is new along.
                if subscriber.busy or subscriber not in self._subscribers:
                    return
                batch, finished = self._items[subscriber.seen :], self.finished
                if not batch and (subscriber.told_end or not finished):
                    return
                subscriber.busy = True
                subscriber.seen += len(batch)
                subscriber.told_end = finished
            try:
                subscriber.callback(batch, finished)
            finally:
                with self._lock:
                    subscriber.busy = False
