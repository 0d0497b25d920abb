"""Compressed bytes as plain ones: any number of streams in a row, zeros and zstd's skippable frames among them.

Python's own files of these kinds stop at what they do not know after a stream, without a word, or take it for a tear.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, BinaryIO, Final

__all__ = ["COMPRESSIONS", "Damaged", "PackedStream", "compression_of", "zstd_module"]

_MAGIC: Final = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2", b"\xfd7zXZ": "xz"}
_SKIPPABLE: Final = b"\x2a\x4d\x18"
"""Bytes 2 to 4 of a zstd frame that holds nothing of the text; the first one is 0x50 to 0x5f (RFC 8878, 3.1.2)."""
COMPRESSIONS: Final = frozenset(_MAGIC.values())
_HEAD: Final = max(map(len, _MAGIC))
_PIECE: Final = 32 << 10
"""Bytes that are read in one go: where they are damaged, what comes of them is lost."""


class Damaged(Exception):
    """What follows cannot be unpacked. `reason` says why; it is empty where only the end is missing."""

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason)
        self.reason = reason


def compression_of(head: bytes) -> str | None:
    """How a file is compressed, by its first bytes, of which five are enough."""
    if head[1:4] == _SKIPPABLE and head[0] >> 4 == 5:
        return "zstd"
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)


def zstd_module() -> Any:
    """The module that reads zstd."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


class PackedStream:
    """What a file holds, of which the first bytes say how it is compressed (`compression`, one of COMPRESSIONS)."""

    def __init__(self, file: BinaryIO, compression: str) -> None:
        self._file, self._compression = file, compression
        self._begin, self._errors = _decompressor(compression)
        self._now: Any = self._begin()  # None after the last stream
        self._rest = b""
        self._wrong: str | None = None

    def read1(self, size: int) -> bytes:
        """Some bytes, at most so many; none at the end. Raises Damaged, and OSError where reading fails."""
        while self._now is not None:
            if not self._rest and self._now.needs_input:
                self._rest = self._file.read(_PIECE)
                if not self._rest:
                    self._end("")
                    break
            try:
                found: bytes = self._now.decompress(self._rest, size)
            except self._errors as error:
                self._end(" ".join(str(error).split()) or type(error).__name__)
                break
            self._rest = b""
            if self._now.eof:
                self._go_on(self._now.unused_data)
            if found:
                return found
        if self._wrong is not None:
            raise Damaged(self._wrong)
        return b""

    def _go_on(self, rest: bytes) -> None:
        """Begin the next stream, of which the first bytes may be there; zeros before it only fill up, as xz allows."""
        rest = rest.lstrip(b"\0")
        while len(rest) < _HEAD and (more := self._file.read(_PIECE)):
            rest = (rest + more).lstrip(b"\0")
        if not rest:
            self._end(None)
        elif compression_of(rest) == self._compression:
            self._now, self._rest = self._begin(), rest
        elif any(magic.startswith(rest) for magic, name in _MAGIC.items() if name == self._compression):
            self._end("")
        else:
            whole = self._file.tell() - len(rest)
            self._end(f"what follows its first {whole:,} bytes is no {self._compression}")

    def _end(self, wrong: str | None) -> None:
        self._now, self._wrong = None, wrong


class _Gzip:
    """zlib's decompressor with the manners of the others: it keeps what it was given and has not used yet."""

    def __init__(self) -> None:
        import zlib

        self._zlib = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return bool(self._zlib.eof)

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    def decompress(self, data: bytes, size: int) -> bytes:
        found = self._zlib.decompress(self._zlib.unconsumed_tail + data, size)
        self.needs_input = len(found) < size and not self._zlib.unconsumed_tail
        return found


def _decompressor(compression: str) -> tuple[Callable[[], Any], tuple[type[Exception], ...]]:
    """What makes a decompressor of one stream, and what that raises where it is damaged."""
    if compression == "gzip":
        import zlib

        return _Gzip, (zlib.error, ValueError)
    if compression == "bzip2":
        import bz2

        return bz2.BZ2Decompressor, (OSError, ValueError, EOFError)
    if compression == "xz":
        import lzma

        return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ), (lzma.LZMAError, ValueError, EOFError)
    zstd = zstd_module()
    return zstd.ZstdDecompressor, (zstd.ZstdError, ValueError, EOFError)
