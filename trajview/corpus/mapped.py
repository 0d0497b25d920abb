"""A piece of a file looked through where the system keeps it, which spares a copy of it, as long as nobody may cut the file.

A mapped file that is cut, or a disk that fails, ends a program that looks at what is gone. So a piece is mapped only
under a read lease (fcntl(2), Linux: who would open the file for writing, or cut it, waits until the lease is given
back); only on a disk of this machine, since elsewhere a lease binds nobody; and only where the system has the piece in
memory. What is still on the disk is read: there it may fail, and a thread that waits for mapped pages would keep all
others of Python waiting.
"""

from __future__ import annotations

import mmap
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Final, TypeVar

__all__ = ["PIECE", "look_through"]

Found = TypeVar("Found")

PIECE: Final = 16 << 20
"""Bytes to map at a time: a writer waits for no more than it takes to look through so many, some milliseconds as a rule."""
_ASKED: Final = 512 << 10
"""Bytes from one place to the next that are asked for: a file comes into memory, and goes from there, in longer stretches."""
_NOWAIT: Final[int] = getattr(os, "RWF_NOWAIT", 0)
"""Not known to a Python that was built with an older C library than the system may have."""
_LOCAL: Final = frozenset({"ext2", "ext3", "ext4", "xfs", "f2fs", "tmpfs"})

if sys.platform == "linux":
    import fcntl
    import signal

    def _lease(descriptor: int) -> None:
        """Raises OSError where the file is open for writing, is another user's, or its file system may have no leases."""
        if not _NOWAIT or not _is_local(os.fstat(descriptor).st_dev):
            raise OSError("no disk of this machine, or no way to ask what is in memory")
        # Who waits for the file is told of by a signal that is ignored by default; that of a lease ends the program.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)

    @lru_cache(16)
    def _is_local(device: int) -> bool:
        """By the table of mounts; devices that it has under other numbers, as btrfs does, are not known to be."""
        number = f"{os.major(device)}:{os.minor(device)}"
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as mounts:
            fields = (line.split() for line in mounts)
            return any(each[2] == number and each[each.index("-") + 1] in _LOCAL for each in fields)

    def _in_memory(descriptor: int, offset: int, length: int) -> bool:
        byte = [bytearray(1)]
        try:
            return all(
                os.preadv(descriptor, byte, at, _NOWAIT)
                for at in (offset + length - 1, *range(offset, offset + length, _ASKED))
            )
        except BlockingIOError:
            return False

    def _give_back(descriptor: int) -> None:
        with suppress(OSError):  # it was taken from us, after 45 seconds in which this process stood still
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)

else:

    def _lease(_descriptor: int) -> None:
        raise OSError("no leases")

    def _in_memory(_descriptor: int, _offset: int, _length: int) -> bool:
        return False

    def _give_back(_descriptor: int) -> None:
        pass


def look_through(descriptor: int, offset: int, length: int, look: Callable[[mmap.mmap], Found]) -> Found | None:
    """What `look` makes of `length` bytes of an open file, from an offset on that is a multiple of a page's size.

    None where the piece can't be mapped safely, or is not all in memory: then it is to be read. `look` must be quick, may
    wait for nothing, and must keep nothing of what it is given.
    """
    try:
        _lease(descriptor)
    except OSError:
        return None
    try:
        if not _in_memory(descriptor, offset, length):
            return None
        with mmap.mmap(descriptor, length, access=mmap.ACCESS_READ, offset=offset) as piece:
            return look(piece)
    except (OSError, ValueError):  # reading says what it is
        return None
    finally:
        _give_back(descriptor)
