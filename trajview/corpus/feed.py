"""What a scan finds, handed on in batches to everyone who listens, from any thread, each thing once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Condition
from typing import Generic, TypeVar

__all__ = ["Feed"]

_Item = TypeVar("_Item")
_Change = TypeVar("_Change")


class _Subscriber(Generic[_Item, _Change]):
    def __init__(self, callback: Callable[[list[_Item | _Change], bool], None]) -> None:
        self.callback = callback
        self.seen = self.changes = 0
        self.told_end = self.busy = False


class Feed(Generic[_Item, _Change]):
    """An ever-growing list with an end, whose items may still be replaced, and its subscribers."""

    def __init__(self, change: Callable[[int, _Item], _Change]) -> None:
        """`change` makes what a subscriber is given where an item that it has is replaced."""
        self.finished = False
        self._change = change
        self._items: list[_Item] = []
        self._changes: list[_Change] = []
        self._forgotten = 0  # changes that everyone has had
        self._subscribers: list[_Subscriber[_Item, _Change]] = []
        self._lock = Condition()
        self._holding = 0

    def __len__(self) -> int:
        return len(self._items)

    @property
    def items(self) -> Sequence[_Item]:
        """What was published, as it is now. It grows while others publish."""
        return self._items

    def publish(self, batch: Sequence[_Item], replaced: Mapping[int, _Item] | None = None) -> None:
        """Hand on what was found, and which items, by their number, are others now."""
        with self._lock:
            self._items.extend(batch)
            for number, item in (replaced or {}).items():
                self._items[number] = item
                if self._subscribers:
                    self._changes.append(self._change(number, item))
        self._deliver_all()

    @contextmanager
    def held(self) -> Iterator[None]:
        """What is published meanwhile is handed on behind it, when all that belongs to it is as it is now.

        Whoever subscribes meanwhile waits for its end; so nothing within may wait for them, nor subscribe.
        """
        with self._lock:
            self._holding += 1
        try:
            yield
        finally:
            with self._lock:
                self._holding -= 1
                self._lock.notify_all()
            self._deliver_all()

    def finish(self) -> None:
        """Say that this was all. What is published later still goes out."""
        with self._lock:
            self.finished = True
        self._deliver_all()

    def subscribe(self, callback: Callable[[list[_Item | _Change], bool], None]) -> Callable[[], None]:
        """Have a function called with every batch and whether that was all; returns what unsubscribes it.

        What was published before is replayed at once in the calling thread, as it is now. Nothing is lost or given
        twice, and calls never overlap. No lock is held during a call, so it may call back, or wait for another thread.
        """
        subscriber = _Subscriber[_Item, _Change](callback)
        self._deliver(subscriber, new=True)

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

    def _deliver(self, subscriber: _Subscriber[_Item, _Change], *, new: bool = False) -> None:
        while True:
            with self._lock:
                if new:
                    self._lock.wait_for(lambda: not self._holding)
                    subscriber.changes = self._forgotten + len(self._changes)
                    self._subscribers.append(subscriber)
                    new = False
                # Whoever is calling it just now, or holds it, looks again afterwards, and takes what is new along.
                if subscriber.busy or subscriber not in self._subscribers or self._holding:
                    return
                batch: list[_Item | _Change] = [*self._items[subscriber.seen :]]
                subscriber.seen += len(batch)
                batch += self._changes[subscriber.changes - self._forgotten :]
                subscriber.changes = self._forgotten + len(self._changes)
                self._forget()
                finished = self.finished
                if not batch and (subscriber.told_end or not finished):
                    return
                subscriber.busy = True
                subscriber.told_end = finished
            try:
                subscriber.callback(batch, finished)
            finally:
                with self._lock:
                    subscriber.busy = False

    def _forget(self) -> None:
        """Let go of the changes that every subscriber has had."""
        had = min((subscriber.changes for subscriber in self._subscribers), default=0) - self._forgotten
        if had > 0:
            del self._changes[:had]
            self._forgotten += had
