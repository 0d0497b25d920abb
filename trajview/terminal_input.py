"""What is typed while the viewer starts: the terminal hands it over key by key, as the viewer does once it runs.

Until then a terminal collects lines: it shows what is typed where the cursor is, and sends Enter as the end of a line.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import Any, Final

__all__ = ["EarlyInput", "take_early_input"]

_INPUT: Final = 0
"""The file descriptor of standard input."""

EarlyInput = tuple[list[Any], int]
"""The settings of the terminal as they were found, and how many bytes were typed before they were changed."""


def take_early_input() -> EarlyInput | None:
    """Have keys sent as they are typed, until the program ends; None where standard input is no terminal of ours.

    ctrl+c still interrupts. The settings are restored when the program ends, by SIGTERM too.
    """
    try:
        import fcntl
        import termios
    except ImportError:  # Windows
        return None
    try:
        if not os.isatty(_INPUT) or os.tcgetpgrp(_INPUT) != os.getpgrp():
            return None
        found = termios.tcgetattr(_INPUT)
        input_flags, output_flags, control_flags, local_flags, *speeds, characters = found
        characters = list(characters)
        for name in (termios.VSUSP, termios.VQUIT):  # these keys come when the viewer can do something with them
            characters[name] = bytes([os.fpathconf(_INPUT, "PC_VDISABLE") & 0xFF])
        characters[termios.VMIN], characters[termios.VTIME] = 1, 0
        input_flags &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR)
        local_flags &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
        _restore_in_the_end(found)
        settings = [input_flags, output_flags, control_flags, local_flags, *speeds, characters]
        termios.tcsetattr(_INPUT, termios.TCSANOW, settings)
        typed = fcntl.ioctl(_INPUT, termios.FIONREAD, bytes(4))
    except (OSError, termios.error):
        return None
    return found, int.from_bytes(typed, sys.byteorder)


def _restore_in_the_end(settings: list[Any]) -> None:
    import atexit
    import termios

    def restore() -> None:
        with suppress(OSError, termios.error):
            termios.tcsetattr(_INPUT, termios.TCSANOW, settings)

    def end(number: int, _frame: FrameType | None) -> None:
        restore()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    atexit.register(restore)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        with suppress(ValueError):  # a thread of somebody who uses this as a library
            signal.signal(signal.SIGTERM, end)
