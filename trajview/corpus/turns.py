"""Threads that compute beside the screen: they let it have its turn ten times as soon as Python would."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

__all__ = ["short_turns"]

_TURN: Final = 0.0005
"""Seconds that a thread which computes may keep another one waiting; Python's default is 5 ms, and a key has some five
waits."""
_lock = Lock()
_inside = 0
_usual = 0.0


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
