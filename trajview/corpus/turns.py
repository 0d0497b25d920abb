"""Threads that compute beside the screen: they let it have its turn ten times as soon as Python would."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic, sleep
from typing import Final

__all__ = ["give_way", "giving_way", "key_pressed", "sharing", "short_turns"]

_TURN: Final = 0.0005
"""Seconds that a thread which computes may keep another one waiting; Python's default is 5 ms, and a key has some five
waits."""
_ANSWER: Final = 0.03
"""Seconds in which a key is answered, where no other thread computes."""
_HEAD_START: Final = 0.05
"""Seconds that a thread which somebody waits for has for itself at first: mostly it has something to show by then."""
_lock = Lock()
_inside = 0
_usual = 0.0
_answered_by = -1.0


@contextmanager
def short_turns() -> Iterator[None]:
    """While some thread is in here, none waits for long. To be entered by any number of them."""
    global _inside, _usual
    with _lock:
        if not _inside:
            _usual = sys.getswitchinterval()
            sys.setswitchinterval(min(_usual, _TURN))
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                sys.setswitchinterval(_usual)


def key_pressed(within: float = _ANSWER) -> None:
    """Somebody waits for an answer, which takes so many seconds where no other thread computes: to a key, by default."""
    global _answered_by
    _answered_by = max(_answered_by, monotonic() + within)


def give_way() -> None:
    """Wait until a key that was just pressed is answered: for a thread that computes and that nobody waits for.

    To be called every millisecond or so. Under a key that is held down, such a thread has a tenth of the time.
    """
    wait = _answered_by - monotonic()
    if wait > 0:
        sleep(wait)


def giving_way(cancelled: Callable[[], bool]) -> Callable[[], bool]:
    """The same question, whether to end, which now gives way each time that it is asked."""

    def asked() -> bool:
        give_way()
        return cancelled()

    return asked


def sharing(cancelled: Callable[[], bool]) -> Callable[[], bool]:
    """The same, for a thread that somebody waits for as well: under a key that is held down it has half of the time."""
    own_until = monotonic() + _HEAD_START

    def asked() -> bool:
        nonlocal own_until
        now = monotonic()
        if own_until < now < _answered_by:
            wait = _answered_by - now
            sleep(wait)
            own_until = now + 2 * wait
        return cancelled()

    return asked
