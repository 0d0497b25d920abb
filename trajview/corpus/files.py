"""Opening a source: read-only, plain files only, and as UTF-8 whatever its encoding.

Files are read, not mapped: a mapped log that its writer cuts short while we look would end the program (SIGBUS), and
reading with a large buffer is as fast as decoding can follow.
"""

from __future__ import annotations

import codecs
import io
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, Final

from trajview.errors import UnreadableError, Where

from .region import Region
from .streams import compression_of
from .unpack import Progress, WideEncoding, unpacked, zip_errors, zip_module

__all__ = [
    "Stamp",
    "as_stamp",
    "open_plain",
    "open_source",
    "read_member",
    "read_range",
    "size_of_files",
    "stamp_of",
    "wide_encoding",
]

_BUFFER: Final = 64 << 10
MAX_MEMBER: Final = 1 << 31
"""A member of an archive that says it is larger (2 GiB) is not unpacked."""

_ASCII: Final = frozenset(b"\t\n\r" + bytes(range(32, 127)))
_UNMARKED: Final[tuple[tuple[WideEncoding, int, int], ...]] = (
    ("utf-32-le", 4, 0), ("utf-32-be", 4, 3), ("utf-16-le", 2, 0), ("utf-16-be", 2, 1),
)  # fmt: skip
"""Encodings, bytes of a character, and which of these an ASCII character is."""

Stamp = tuple[int, int, int, int]
"""What tells that a file is another one now: its size in bytes, the times of its last change and of the last change to
its status in nanoseconds, and its inode. Programs set the first time as they like (`cp -p`, `rsync -t`), never the second."""


def size_of_files(paths: Iterable[Path]) -> int:
    """Bytes of some files; 0 where a folder is among them, or what cannot be looked at."""
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
    number = open_plain(path)
    # A small file needs no large buffer; of a large one, what is read in large pieces passes it by.
    status = os.fstat(number)
    file = os.fdopen(number, "rb", buffering=max(8192, min(_BUFFER, status.st_size + 1)))
    given = False
    try:
        head = file.read(8)
        if head is None:  # such as /proc/kmsg, which calls itself plain and would have us wait
            raise UnreadableError("this is not a plain file", where=Where(path))
        compression = compression_of(head)
        if compression is not None:
            file.seek(0)
            with file:
                file = unpacked(file, path, compression, progress)
            head = file.read(8)
        encoding = wide_encoding(head)
        file.seek(0)
        if encoding is not None:
            return unpacked(file, path, encoding, progress, status)
        given = True
        if until is not None and compression is None:
            return io.BufferedReader(Region(file, until, closes=True), _BUFFER)
        return file
    except OSError as error:
        raise _unreadable(path, error) from error
    finally:  # whatever ends it, ctrl+c too, leaves nothing open
        if not given:
            file.close()


def wide_encoding(head: bytes) -> WideEncoding | None:
    """UTF-16 or UTF-32, where the first eight bytes of a file say so.

    They do by a byte order mark; or because a log begins with two ASCII characters, which leave zeros in such a text
    only, and tell the order of its bytes (RFC 4627, section 3).
    """
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\0" not in head[:4]:
        return None
    for encoding, width, place in _UNMARKED:
        text = head[: 2 * width]
        chars = text[place::width]
        if len(text) == 2 * width and _ASCII.issuperset(chars) and text.count(0) == len(text) - len(chars):
            return encoding
    return None


def stamp_of(path: Path) -> Stamp:
    """What tells that a file is the same. Raises UnreadableError."""
    try:
        status = path.stat()
    except OSError as error:
        raise _unreadable(path, error) from error
    return as_stamp(status)


def as_stamp(status: os.stat_result) -> Stamp:
    """The same of a status that is at hand."""
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


def read_member(path: Path, member: str, archive: Any = None) -> bytes:
    """The content of one file in a zip archive, which may be open already. Raises UnreadableError."""
    zipfile = zip_module()
    try:
        if archive is None:
            with open_source(path) as file, zipfile.ZipFile(file) as opened:
                return read_member(path, member, opened)
        if archive.getinfo(member).file_size > MAX_MEMBER:
            raise UnreadableError(f"{member} is larger than 2 GiB unpacked", where=Where(path))
        return bytes(archive.read(member))
    except NotImplementedError as error:
        raise UnreadableError(
            f"{member} is compressed in a way that this Python cannot read ({error})",
            hint="unpack the archive, and open its files",
            where=Where(path),
        ) from error
    except zip_errors(zipfile) as error:
        raise UnreadableError(f"{member} in the archive cannot be read: {error}", where=Where(path)) from error


def _unreadable(path: Path, error: OSError) -> UnreadableError:
    hint = "ask for the right to read it, or `chmod u+r` it" if isinstance(error, PermissionError) else "check the path"
    return UnreadableError((error.strerror or str(error)).lower(), hint=hint, where=Where(path))
