"""The items that a scan finds, published in batches to all subscribers, from any thread, each item once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Condition
from typing import Generic, TypeVar

__all__ = ["Feed"]

_Item = TypeVar("_Item")
_Change = TypeVar("_Change")


class _Subscriber(Generic[_Item, _Change]):
    def __init__(self, callback: Callable[[list[_Item | _Change], bool], None], items: Sequence[_Item]) -> None:
        self.callback = callback
        self.waiting: list[_Item | _Change] = [*items]
        """The batches that it is to be given next."""
        self.told_end = self.busy = False


class Feed(Generic[_Item, _Change]):
    """An ever-growing list with an end, whose items may still be replaced, and its subscribers."""

    def __init__(self, change: Callable[[int, _Item], _Change]) -> None:
        """`change` makes the item that a subscriber is given where one that it has is replaced."""
        self.finished = False
        self._change = change
        self._items: list[_Item] = []
        self._subscribers: list[_Subscriber[_Item, _Change]] = []
        self._lock = Condition()
        self._holding = 0

    def __len__(self) -> int:
        return len(self._items)

    @property
    def items(self) -> Sequence[_Item]:
        """The published items, as they are now. The list grows while others publish."""
        return self._items

    def publish(self, batch: Sequence[_Item], replaced: Mapping[int, _Item] | None = None) -> None:
        """Publish new items, and the numbers of those that were replaced."""
        changed = replaced or {}
        with self._lock:
            self._items.extend(batch)
            for number, item in changed.items():
                self._items[number] = item
            if self._subscribers:
                changes = [self._change(number, item) for number, item in changed.items()]
                for subscriber in self._subscribers:
                    subscriber.waiting += batch
                    subscriber.waiting += changes
            self._lock.notify_all()
        self._deliver_all()

    def wait_for(self, condition: Callable[[], bool], timeout: float | None) -> None:
        """Wait until a condition on the published items holds, at most `timeout` seconds."""
        with self._lock:
            self._lock.wait_for(condition, timeout)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold back items that are published in this block, until all that belongs to it is up to date.

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
        """Declare the end. Items published later still go out."""
        with self._lock:
            self.finished = True
            self._lock.notify_all()
        self._deliver_all()

    def subscribe(self, callback: Callable[[list[_Item | _Change], bool], None]) -> Callable[[], None]:
        """Call a function with every batch and whether it is the last; returns a function that ends the subscription.

        What was published before is replayed at once in the calling thread, as it is now. Nothing is lost or given
        twice, and calls never overlap. No lock is held during a call, so it may call back, or wait for another thread.
        """
        with self._lock:
            self._lock.wait_for(lambda: not self._holding)
            subscriber = _Subscriber[_Item, _Change](callback, self._items)
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

    def _deliver(self, subscriber: _Subscriber[_Item, _Change]) -> None:
        while True:
            with self._lock:
                # Whoever is calling it just now, or holds it, looks again afterwards, and takes what is new along.
                if subscriber.busy or subscriber not in self._subscribers or self._holding:
                    return
                batch, subscriber.waiting = subscriber.waiting, []
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
