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

__all__ = ["DASH", "spooled", "take_terminal"]

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


def take_terminal() -> None:
    """Read keys from the terminal and draw on it, whatever standard input and error are connected to, as `less` does.

    Textual reads the one and draws on the other. `xargs trajview`, `while read` loops, `| trajview -` and
    `2>errors.txt` connect them to something else. Standard output is the terminal.
    """
    if sys.__stdin__ is None or not sys.__stdin__.isatty():
        try:
            terminal = os.open("/dev/tty", os.O_RDWR)
        except OSError as error:
            raise UnreadableError(
                "there is no terminal to read keys from", hint="`trajview show` prints the runs", where=Where()
            ) from error
        if terminal:
            os.dup2(terminal, 0)
            os.close(terminal)
        if sys.__stdin__ is None:
            sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # type: ignore[misc]  # noqa: SIM115
    if sys.__stderr__ is None or not sys.__stderr__.isatty():
        os.dup2(1, 2)
        if sys.__stderr__ is None:
            sys.stderr = sys.__stderr__ = open(2, "w", encoding="utf-8", closefd=False)  # type: ignore[misc]  # noqa: SIM115
