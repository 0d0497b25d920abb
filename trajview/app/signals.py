"""Being told to end by the system: what is typed is written down, and the terminal is left as it was found."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

__all__ = ["heed_signals"]

_EVERY: Final = 1.0
"""Seconds from one look at whether the terminal is still there to the next."""


def heed_signals(write_down: Callable[[], None], leave: Callable[[int], None]) -> None:
    """On the running loop, of the main thread: heed SIGTERM and SIGHUP.

    Both first have `write_down` called. Then SIGTERM has `leave` called with the exit code, 143; SIGHUP, for which there is
    no terminal left to restore, ends the process at once, as it would have. What was started to ignore one (nohup) does.
    A terminal that is gone ends it all the same, without a signal too: Textual would ask it for keys without a pause.
    """
    loop = asyncio.get_running_loop()

    before = signal.getsignal(signal.SIGHUP) or signal.SIG_DFL

    def hung_up() -> None:
        write_down()
        loop.remove_signal_handler(signal.SIGHUP)
        # Who has something else to tidy up does; and it ends also what was started to ignore it.
        signal.signal(signal.SIGHUP, signal.SIG_DFL if before is signal.SIG_IGN else before)
        os.kill(os.getpid(), signal.SIGHUP)

    def terminated() -> None:
        loop.remove_signal_handler(signal.SIGTERM)  # The second one ends it, whatever the first is busy with.
        write_down()
        leave(128 + signal.SIGTERM)

    for number, heed in ((signal.SIGHUP, hung_up), (signal.SIGTERM, terminated)):
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, heed)

    def look() -> None:
        if _is_gone():
            hung_up()
        else:
            loop.call_later(_EVERY, look)

    loop.call_later(_EVERY, look)


def _is_gone() -> bool:
    """Whether the terminal that keys come from was closed."""
    with suppress(OSError, ValueError, AttributeError):  # there is none
        poll = select.poll()
        poll.register(sys.__stdin__.fileno(), 0)  # type: ignore[union-attr]  # with suppress
        return any(event & select.POLLHUP for _, event in poll.poll(0))
    return False
