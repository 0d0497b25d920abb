"""Settings of the whole process, with their gains: turns of threads, and garbage collection."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic, sleep
from typing import Final

__all__ = [
    "LARGE",
    "STARTED",
    "collect_garbage_again",
    "give_way",
    "giving_way",
    "key_pressed",
    "put_off_garbage",
    "sharing",
    "short_turns",
    "without_garbage",
]  # fmt: skip

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
    """Let no thread wait for long within this block, which any number of threads may enter."""
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
    """Note that somebody waits, for `within` seconds where no other thread computes: for a key's answer, by default."""
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
    """Wrap a question whether to end, so that it gives way each time: for a thread that nobody waits for."""

    def asked() -> bool:
        give_way()
        return cancelled()

    return asked


def sharing(cancelled: Callable[[], bool]) -> Callable[[], bool]:
    """Wrap a question whether to end, for a thread that somebody waits for: under a key held down it gives way half of the time."""
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


# Garbage

LARGE: Final = 1 << 20
"""Bytes of a record from which on no garbage is looked for while it is read."""
STARTED: Final = 1.0
"""Seconds after which the first screen is there, and garbage is collected again."""
_YOUNG, _MIDDLE, _OLD = 10_000, 2, 500
"""Objects more than before until the young are looked through, and how often that is done before older ones are.

A key makes some 2,000, so every fifth one waits for a look at the young, of 2 ms, and every fifteenth for one at the
survivors of three such looks, of 6 ms. With those of ten it would be 20 ms.
"""

_pausing = 0
_was_on = True


@contextmanager
def without_garbage(size: int = LARGE) -> Iterator[None]:
    """Look for no garbage among what is made of so many bytes, if they are many: records and scores refer to nothing that
    refers back. Any number of threads may be in here.

    Measured by a core's time: an episode of 471 MB is summed up and opened in 1.8 s (2.7 s with the looks), 493 MB of
    Anthropic's messages in 1.7 s (2.5 s); intervals of agreement take a third of the time.
    """
    global _pausing, _was_on
    if size < LARGE:
        yield
        return
    with _lock:
        if not _pausing:
            _was_on = gc.isenabled()
            gc.disable()
        _pausing += 1
    try:
        yield
    finally:
        with _lock:
            _pausing -= 1
            if not _pausing and _was_on:
                gc.enable()


_put_off = False


def put_off_garbage() -> None:
    """Collect no garbage until `collect_garbage_again`: starting up makes many objects, and no garbage."""
    global _put_off
    _put_off = True
    gc.disable()


def collect_garbage_again() -> None:
    """Collect garbage once more where that was put off, and never look again at objects of the start-up: they stay."""
    global _put_off, _was_on
    if not _put_off:
        return
    gc.freeze()
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)
    with _lock:
        _put_off, _was_on = False, True
        if not _pausing:
            gc.enable()
