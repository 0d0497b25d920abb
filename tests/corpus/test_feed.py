"""What a scan finds is handed on to everybody, each thing once and in order, whoever publishes and subscribes meanwhile."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Iterator

import pytest

from trajview.corpus.feed import Feed

PATIENCE = 20.0
Change = tuple[int, int]


class Rows:
    """What a subscriber has in the end, and whether it was called by two at once."""

    def __init__(self) -> None:
        self.rows: list[int] = []
        self.ends = self.within = self.overlaps = 0

    def take(self, batch: list[int | Change], finished: bool) -> None:
        self.within += 1
        self.overlaps += self.within > 1
        for item in batch:
            if isinstance(item, tuple):
                self.rows[item[0]] = item[1]
            else:
                self.rows.append(item)
        self.ends += finished
        self.within -= 1


@pytest.fixture
def in_short_turns() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("in_short_turns")
@pytest.mark.parametrize("seed", range(5))
def test_all_have_all_rows_in_the_end_as_they_are_then(seed: int) -> None:
    chance, numbering = random.Random(seed), threading.Lock()
    feed: Feed[int, Change] = Feed(lambda number, item: (number, item))
    found: list[Rows] = []

    def some() -> None:
        count = len(feed)
        replaced = {chance.randrange(count): chance.randrange(10**6)} if count and chance.random() < 0.4 else {}
        feed.publish(list(range(count, count + chance.randrange(3))), replaced)

    def publish() -> None:
        for _ in range(150):
            with numbering:  # which is up to who publishes
                if chance.random() < 0.4:
                    with feed.held():
                        some()
                        some()
                else:
                    some()

    def subscribe() -> None:
        for _ in range(10):
            rows = Rows()
            leave = feed.subscribe(rows.take)
            if chance.random() < 0.3:
                leave()
            else:
                found.append(rows)

    threads = [threading.Thread(target=what, daemon=True) for what in (publish, subscribe) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    feed.finish()
    assert found
    for rows in found:
        assert rows.rows == feed.items
        assert (rows.ends, rows.overlaps) == (1, 0)
