"""The first bytes of a file as a file of their own."""

from __future__ import annotations

import io
import os
from typing import Any, BinaryIO

__all__ = ["Region"]


class Region(io.RawIOBase):
    """The first `size` bytes of a file, which others may read at the same time; `closes`: the file is closed with it."""

    def __init__(self, file: BinaryIO, size: int, *, closes: bool = False) -> None:
        self._file, self._size, self._closes, self._at = file, size, closes, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: Any) -> int:
        wanted = max(0, min(len(buffer), self._size - self._at))
        size = os.preadv(self._file.fileno(), [memoryview(buffer)[:wanted]], self._at)
        self._at += size
        return size

    def close(self) -> None:
        if self._closes:
            self._file.close()
        super().close()
