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


class EarlyInput:
    """The terminal's settings while the viewer starts: keys are sent as they are typed, and ctrl+c still interrupts.

    The settings are as they were found whenever the program is stopped, and when it ends, by SIGTERM too.
    """

    def __init__(self, found: list[Any]) -> None:
        self.found = found
        """The settings as they were found."""
        self.lines = 0
        """How many bytes were typed before they were changed, at most."""
        self.dropped = False
        """Whether something was typed that is dropped, since the program was stopped then."""
        self._is_taken = False

    def take(self) -> None:
        """Change the settings, unless the terminal is another program's now. Raises OSError and termios.error."""
        import fcntl
        import termios

        if os.tcgetpgrp(_INPUT) != os.getpgrp():
            return
        input_flags, output_flags, control_flags, local_flags, *speeds, characters = self.found
        characters = list(characters)
        for name in (termios.VSUSP, termios.VQUIT):  # these keys come when the viewer can do something with them
            characters[name] = bytes([os.fpathconf(_INPUT, "PC_VDISABLE") & 0xFF])
        characters[termios.VMIN], characters[termios.VTIME] = 1, 0
        input_flags &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR)
        local_flags &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
        settings = [input_flags, output_flags, control_flags, local_flags, *speeds, characters]
        collects_lines = termios.tcgetattr(_INPUT)[3] & termios.ICANON
        self._is_taken = True
        termios.tcsetattr(_INPUT, termios.TCSANOW, settings)
        if collects_lines:
            self.lines = int.from_bytes(fcntl.ioctl(_INPUT, termios.FIONREAD, bytes(4)), sys.byteorder)

    def take_again(self) -> None:
        """Change the settings again, where the shell or an editor has had the terminal meanwhile."""
        import termios

        with suppress(OSError, termios.error):
            self.take()

    def restore(self) -> None:
        """Give the terminal back with the settings as they were found, unless that is done."""
        import termios

        if self._is_taken:
            self._is_taken = False
            with suppress(OSError, termios.error):
                termios.tcsetattr(_INPUT, termios.TCSANOW, self.found)

    def heed_ends(self) -> None:
        """Restore the settings when the program ends, and while it is stopped."""
        import atexit

        atexit.register(self.restore)
        for number, heed in (
            (signal.SIGTERM, self._end),
            (signal.SIGTSTP, self._stop),
            (signal.SIGCONT, lambda *_: self.take_again()),
        ):
            if signal.getsignal(number) is signal.SIG_DFL:
                with suppress(ValueError):  # a thread of somebody who uses this as a library
                    signal.signal(number, heed)

    def _end(self, number: int, _frame: FrameType | None) -> None:
        self.restore()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        """Stop, without what was typed so far: the shell would take it for commands."""
        import fcntl
        import termios

        if self._is_taken:
            with suppress(OSError, termios.error):
                self.dropped |= any(fcntl.ioctl(_INPUT, termios.FIONREAD, bytes(4)))
                termios.tcflush(_INPUT, termios.TCIFLUSH)
        self.restore()
        os.kill(os.getpid(), signal.SIGSTOP)


def take_early_input() -> EarlyInput | None:
    """Have keys sent as they are typed, until the program ends; None where standard input is no terminal of ours."""
    try:
        import termios
    except ImportError:  # Windows
        return None
    try:
        if not os.isatty(_INPUT) or os.tcgetpgrp(_INPUT) != os.getpgrp():
            return None
        early = EarlyInput(termios.tcgetattr(_INPUT))
        early.heed_ends()
        early.take()
    except (OSError, termios.error):
        return None
    return early
