"""Processes that work for this one: each runs `main` of a module of ours, is given messages, and answers with others.

Python runs on one core, and a regular expression can take for ever without letting another thread run: only a process can be ended then.
A child ends with whoever started it: however that ends, the pipe that holds the two together breaks, and the kernel's
signal for that ends the child in the middle of whatever it does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from trajview.debug_log import note

from .bounds import BOUNDS
from .columns import COLUMNS

__all__ = ["Child", "parent"]


class Child:
    """A process that runs `main` of a module of ours. Raises OSError where none can be started."""

    def __init__(self, module: str) -> None:
        from multiprocessing.connection import Pipe

        # Never from the current folder, which may be a folder of logs with modules among them.
        path = str(Path(__file__).parents[2])
        choices = (
            f"from {BOUNDS.__module__} import BOUNDS; BOUNDS.complete({BOUNDS.max_unpacked}, {BOUNDS.follow_links}); "
            f"from {COLUMNS.__module__} import COLUMNS; COLUMNS.choose({COLUMNS.messages!r}, {COLUMNS.id!r})"
        )
        program = f"import sys; sys.path.append({path!r}); {choices}; from {module} import main; main()"
        self.pipe, theirs = Pipe()
        lifeline, self._lifeline = os.pipe()  # each child has its own: a shared end would signal only one of them
        ends = theirs.fileno(), lifeline
        note("a process is started: %s", module)
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", program, *map(str, ends)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, pass_fds=ends, start_new_session=True,
            )  # fmt: skip
        except OSError:
            self.pipe.close()
            os.close(self._lifeline)
            raise
        finally:
            theirs.close()
            os.close(lifeline)

    def send(self, message: object) -> None:
        """Send it a message. Raises OSError where it has ended."""
        self.pipe.send(message)

    def receive(self) -> Any:
        """Wait for its next message. Raises OSError or EOFError where it has ended."""
        return self.pipe.recv()

    def close(self) -> None:
        """End the process, whatever it does."""
        self.kill()
        self.process.wait()
        self.pipe.close()
        os.close(self._lifeline)

    def kill(self) -> None:
        """End the process, from any thread."""
        self.process.kill()


@contextmanager
def parent() -> Iterator[tuple[Callable[[], Any], Callable[[object], None]]]:
    """Connect a child with its parent: a function that receives messages, and one that sends them."""
    from multiprocessing.connection import Connection

    pipe, lifeline = Connection(int(sys.argv[1])), int(sys.argv[2])
    _end_with(lifeline)
    with suppress(EOFError, OSError):
        yield pipe.recv, pipe.send


def _end_with(lifeline: int) -> None:
    """End this process as soon as the other end of a pipe is closed, by SIGIO, whatever Python is busy with."""
    import fcntl
    import select

    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC | os.O_NONBLOCK)
    ended = select.poll()
    ended.register(lifeline, select.POLLIN)
    if ended.poll(0):  # before we asked
        os._exit(1)
