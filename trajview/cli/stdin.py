"""`-`: standard input as a file, whole or while it goes on, and keys from the terminal where it brings the logs."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from threading import Thread
from types import FrameType
from typing import Any, BinaryIO, Final

from trajview.errors import Problem, UnreadableError, Where, is_piped

__all__ = ["DASH", "Spool", "spooled", "take_terminal"]

DASH: Final = Path("-")
_CHUNK: Final = 1 << 20
_HEAD: Final = 8
"""Bytes that tell which kind of file comes."""
_UNASKED: Final = 64 << 20
"""Bytes between two looks at how full the disk is."""
_SPARE: Final = 256 << 20
"""Bytes of disk that stay free."""
_FOLDERS: Final[list[Path]] = []
"""The folders that hold standard input."""


def spooled() -> Path:
    """Copy standard input into a file that is deleted at exit. Raises UnreadableError where nobody pipes anything in.

    A file, because records are read again when they are opened, and a pipe can be read once.
    """
    from .progress import watch_input

    path = _file()
    source: Any = sys.stdin.buffer
    size = 0
    watch_input(lambda: size)
    try:
        with path.open("wb") as target:
            while chunk := source.read1(_CHUNK):
                size += target.write(chunk)
                _check_room(target, size, len(chunk))
    except OSError as error:
        raise _not_kept(error, path) from error
    return path


class Spool:
    """Standard input, read by a thread into a file that is deleted at exit, which can be read meanwhile.

    What is compressed or an archive is of no use before it is whole: the file stays empty until then. Raises
    UnreadableError where nobody pipes anything in.
    """

    def __init__(self) -> None:
        self.path = _file()
        self.path.touch()
        self.going = True
        self.size = 0
        self.problem: Problem | None = None
        # The terminal takes the place of standard input next, for keys.
        self._source = os.dup(sys.stdin.fileno())
        Thread(target=self._read, name="trajview-stdin", daemon=True).start()

    def _read(self) -> None:
        part = self.path.with_name("part")
        target: BinaryIO | None = None
        head = b""
        try:
            while chunk := os.read(self._source, _CHUNK):
                if target is None:
                    head += chunk
                    if len(head) < _HEAD:
                        continue
                    chunk = head
                    target = self._target(head, part)
                target.write(chunk)
                target.flush()
                self.size += len(chunk)
                _check_room(target, self.size, len(chunk))
            if target is None and head:
                target = self._target(head, part)
                target.write(head)
                self.size = len(head)
            if target is not None:
                target.close()
            if part.exists():
                part.replace(self.path)
        except OSError as error:
            self.problem = _not_kept(error, self.path).problem()
        finally:
            os.close(self._source)
            self.going = False

    def _target(self, head: bytes, part: Path) -> BinaryIO:
        from trajview.corpus.unpack import compression_of

        packed = compression_of(head) is not None or head.startswith(b"PK\x03\x04")
        return (part if packed else self.path).open("wb")


def _check_room(target: BinaryIO, size: int, last: int) -> None:
    """Raise OSError where the disk is nearly full: a pipe may have no end, and others need some, too."""
    if size >= _UNASKED and size % _UNASKED < last:
        found = os.fstatvfs(target.fileno())
        if found.f_bavail * found.f_frsize < _SPARE:
            raise OSError(errno.ENOSPC, f"after {size:,} bytes the disk is nearly full")


def _file() -> Path:
    """A file for standard input; raises UnreadableError where that is a terminal, or nothing."""
    if sys.stdin is None or sys.stdin.isatty():
        raise UnreadableError(
            "nothing comes from standard input",
            hint="pipe a log into it: `zcat log.gz | trajview -`",
            where=Where(DASH),
        )
    path = Path("stdin")
    try:
        path = Path(tempfile.gettempdir(), f"trajview-{os.urandom(8).hex()}", "stdin")
        _delete_in_the_end(path.parent)
        path.parent.mkdir(mode=0o700)
    except OSError as error:
        raise _not_kept(error, path) from error
    is_piped(path)
    return path


def _delete_in_the_end(folder: Path) -> None:
    """Delete a folder when the program ends, even by a closed terminal or `kill`, which run no `atexit`.

    To be called before it is made: a signal may come at any moment.
    """
    import atexit

    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _FOLDERS.append(folder)

    def end(number: int, _frame: FrameType | None) -> None:
        for each in _FOLDERS:
            shutil.rmtree(each, ignore_errors=True)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    for number in (signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_DFL:  # what was started to ignore one (nohup) does
            with suppress(ValueError):  # a thread of somebody who uses this as a library
                signal.signal(number, end)


def _not_kept(error: OSError, path: Path) -> UnreadableError:
    return UnreadableError(
        f"standard input cannot be kept: {error.strerror or error}".lower(),
        hint=f"it is kept in {path.parent.parent} while trajview runs; TMPDIR names another folder",
        where=Where(DASH),
    )


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
