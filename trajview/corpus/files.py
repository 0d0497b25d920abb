"""Opening a source: read-only, plain files only, and as UTF-8 whatever its encoding.

Files are read, not mapped: a mapped log that its writer cuts short while we look would end the program (SIGBUS), and
reading with a large buffer is as fast as decoding can follow.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from trajview.errors import UnreadableError, Where

from .gathered import gathered, is_gathered
from .unpack import Progress, Region, is_plain, unpacked

__all__ = [
    "Stamp",
    "as_stamp",
    "open_plain",
    "open_source",
    "read_range",
    "reading",
    "size_of_files",
    "stamp_in",
    "stamp_of",
]

_BUFFER: Final = 64 << 10
Stamp = tuple[int, int, int, int]
"""The stamp of a file, which tells that it is another one now: its size in bytes, the times of its last change and of the
last change to its status in nanoseconds, and its inode. Programs set the first time as they like (`cp -p`, `rsync -t`),
never the second.
"""


def size_of_files(paths: Iterable[Path]) -> int:
    """The size of some files in bytes; 0 where a folder is among them, or one that cannot be looked at."""
    total = 0
    for path in paths:
        try:
            status = path.stat()
        except (OSError, ValueError):
            return 0
        if not stat.S_ISREG(status.st_mode):
            return 0
        total += status.st_size
    return total


def open_plain(path: Path) -> int:
    """A descriptor of the file, to be closed. Raises UnreadableError, also where it is no plain file."""
    try:
        # Without O_NONBLOCK, opening a pipe that took the file's place would wait for a writer.
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError as error:
        raise _unreadable(path, error) from error
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise UnreadableError("this is not a plain file", where=Where(path))
    return number


def open_source(path: Path, progress: Progress | None = None, until: int | None = None) -> BinaryIO:
    """The file as a stream of UTF-8 bytes, unpacked, without a byte order mark unless that is UTF-8's.

    `progress` is told how far the unpacking is. `until`: bytes at which a plain file ends, however long it is by now: one
    that grows as fast as it is read has no other end. Raises UnreadableError.
    """
    if is_gathered(path):
        try:
            return io.BytesIO(gathered(path))
        except OSError as error:
            raise _unreadable(path, error) from error
    number = open_plain(path)
    # A small file needs no large buffer, and large reads of a large file bypass it.
    file = os.fdopen(number, "rb", buffering=max(8192, min(_BUFFER, os.fstat(number).st_size + 1)))
    with ExitStack() as opened:  # whatever ends it, ctrl+c too, leaves nothing open
        opened.enter_context(file)
        try:
            head = file.read(8)
            if head is None:  # such as /proc/kmsg, which claims to be plain and would block
                raise UnreadableError("this is not a plain file", where=Where(path))
            file.seek(0)
            if not is_plain(head):
                return unpacked(file, path, progress)
        except OSError as error:
            raise _unreadable(path, error) from error
        opened.pop_all()
        return file if until is None else io.BufferedReader(Region(file, until, closes=True), _BUFFER)


@contextmanager
def reading(path: Path, progress: Progress | None = None, until: int | None = None) -> Iterator[BinaryIO]:
    """The stream of `open_source` for as long as it is read. Raises UnreadableError where that fails: the disk, or a network file system."""
    with open_source(path, progress, until) as file:
        try:
            yield file
        except OSError as error:
            raise UnreadableError(f"reading it failed: {error.strerror or error}".lower(), where=Where(path)) from error


def stamp_of(path: Path) -> Stamp:
    """The stamp of a file. Raises UnreadableError."""
    try:
        status = path.stat()
    except OSError as error:
        raise _unreadable(path, error) from error
    return stamp_in(path, status)


def stamp_in(path: Path, status: os.stat_result) -> Stamp:
    """The stamp of a file with that status. Of a session with an event a file, the times are those of their folder."""
    stamp = as_stamp(status)
    if path.parent.name != "events" or not is_gathered(path):
        return stamp
    try:
        folder = path.parent.stat()
    except OSError:
        return stamp
    changed, touched = (max(pair) for pair in zip(stamp[1:3], as_stamp(folder)[1:3], strict=True))
    return stamp[0], changed, touched, stamp[3]


def as_stamp(status: os.stat_result) -> Stamp:
    """The stamp in a file's status."""
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def read_range(path: Path, offset: int, length: int) -> bytes:
    """Some bytes of the file's UTF-8 form. Raises UnreadableError, also where the file is shorter now."""
    with open_source(path) as file:
        try:
            file.seek(offset)
            data = file.read(length)
        except OSError as error:
            raise _unreadable(path, error) from error
    if len(data) != length:
        raise UnreadableError("the file is shorter than it was", hint="open it again", where=Where(path))
    return data


def _unreadable(path: Path, error: OSError) -> UnreadableError:
    hint = "ask for the right to read it, or `chmod u+r` it" if isinstance(error, PermissionError) else "check the path"
    return UnreadableError((error.strerror or str(error)).lower(), hint=hint, where=Where(path))
