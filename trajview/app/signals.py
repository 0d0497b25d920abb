"""Being told to end by the system: what is typed is written down, and the terminal is left as it was found."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable

__all__ = ["heed_signals"]


def heed_signals(write_down: Callable[[], None], leave: Callable[[int], None]) -> None:
    """On the running loop, of the main thread: heed SIGTERM and SIGHUP.

    Both first have `write_down` called. Then SIGTERM has `leave` called with the exit code, 143; SIGHUP, for which there is
    no terminal left to restore, ends the process at once, as it would have. What was started to ignore one (nohup) does.
    """
    loop = asyncio.get_running_loop()

    before = signal.getsignal(signal.SIGHUP) or signal.SIG_DFL

    def hung_up() -> None:
        write_down()
        loop.remove_signal_handler(signal.SIGHUP)
        signal.signal(signal.SIGHUP, before)  # who has something else to tidy up
        os.kill(os.getpid(), signal.SIGHUP)

    def terminated() -> None:
        loop.remove_signal_handler(signal.SIGTERM)  # The second one ends it, whatever the first is busy with.
        write_down()
        leave(128 + signal.SIGTERM)

    for number, heed in ((signal.SIGHUP, hung_up), (signal.SIGTERM, terminated)):
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, heed)
