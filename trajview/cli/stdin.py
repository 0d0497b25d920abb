"""`-`: standard input as a file, and keys from the terminal where standard input brings the logs."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from trajview.errors import UnreadableError, Where

__all__ = ["DASH", "keys_from_terminal", "spooled"]

DASH: Final = Path("-")
_CHUNK: Final = 1 << 20
_QUIET: Final = 0.5  # seconds before it says that it is reading


def spooled() -> Path:
    """All of standard input, in a file that is deleted at exit. Raises UnreadableError where nobody pipes anything in.

    A file, because records are read again when they are opened, and a pipe can be read once.
    """
    if sys.stdin is None or sys.stdin.isatty():
        raise UnreadableError(
            "nothing comes from standard input",
            hint="pipe a log into it: `zcat log.gz | trajview -`",
            where=Where(DASH),
        )
    import atexit

    folder = Path(tempfile.mkdtemp(prefix="trajview-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / "stdin"
    source: Any = sys.stdin.buffer
    told, since, size = False, time.monotonic(), 0
    try:
        with path.open("wb") as target:
            while chunk := source.read1(_CHUNK):
                size += target.write(chunk)
                if sys.stderr.isatty() and time.monotonic() - since > _QUIET:
                    told, since = True, time.monotonic()
                    sys.stderr.write(f"\rtrajview: reading standard input… {size / 1e6:,.0f} MB ")
                    sys.stderr.flush()
    except OSError as error:
        raise UnreadableError(
            f"standard input cannot be kept: {error.strerror or error}".lower(),
            hint=f"it is kept in {folder.parent} while trajview runs; TMPDIR names another folder",
            where=Where(DASH),
        ) from error
    finally:
        if told:
            sys.stderr.write("\r\x1b[K")
    return path


def keys_from_terminal() -> None:
    """Make the terminal standard input again, as `less` does, so that the viewer can read keys from it."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
        os.dup2(terminal, 0)
        os.close(terminal)
    except OSError as error:
        raise UnreadableError(
            "there is no terminal to read keys from", hint="`trajview show -` prints it", where=Where(DASH)
        ) from error
