"""Compressed files, and those in another encoding, as plain ones: unpacked once, kept for random access, in memory or in a nameless file.

What is kept is bounded, and is unpacked again where it was let go. The file without a name is gone with the program,
however that ends.
"""

from __future__ import annotations

import bz2
import codecs
import io
import lzma
import os
import sys
import tempfile
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from threading import Event, Lock
from typing import Any, BinaryIO, Final

from trajview.errors import UnreadableError, Where

from .bounds import check_unpacked

__all__ = [
    "CHUNK",
    "IN_MEMORY",
    "LOOK_AGAIN",
    "MOST",
    "MOST_BYTES",
    "PIECE",
    "SPARE",
    "UNPACK_ERRORS",
    "Progress",
    "Region",
    "Unpacked",
    "UnpackedFile",
    "compression_of",
    "has_room",
    "is_plain",
    "kept_files",
    "log_suffix",
    "pieces_of",
    "share_unpacked",
    "size_unpacked",
    "unpacked",
    "wide_encoding",
    "zstd_module",
]

Progress = Callable[[int], None]
"""Called now and then with the bytes of the compressed file that were read; what it raises ends the work."""

UNPACK_ERRORS: Final = (zlib.error, lzma.LZMAError, EOFError, ValueError, OSError)
"""The errors of unpacking where the bytes are damaged, with zstd's own."""
_SUFFIXES: Final = frozenset({".gz", ".bz2", ".xz", ".zst", ".zstd"})
_MAGIC: Final = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2", b"\xfd7zXZ": "xz"}
_SKIPPABLE: Final = b"\x2a\x4d\x18"
"""Bytes 2 to 4 of a zstd frame that holds nothing of the text; the first one is 0x50 to 0x5f (RFC 8878, 3.1.2)."""
_HEAD: Final = 8
"""Bytes that tell how a file is compressed, or encoded."""
PIECE: Final = 32 << 10
"""Bytes that are read in one go: where they are damaged, what comes of them is lost."""
CHUNK: Final = 1 << 20
"""Bytes that come out of a file in one go."""
IN_MEMORY: Final = 1 << 20
"""Bytes up to which what came out of a file is kept in memory."""
MOST: Final = 64
"""Files that are kept, most of which may stay open on disk: a program may have as few as 256 open, as on macOS."""
MOST_BYTES: Final = 16 << 30
"""Bytes of all files that are kept."""
SPARE: Final = 256 << 20
"""Bytes of disk that stay free."""
LOOK_AGAIN: Final = 0.1
"""Seconds between two looks of who waits for another thread's unpacking, which may be called off meanwhile."""

_ASCII: Final = frozenset(b"\t\n\r" + bytes(range(32, 127)))
_UNMARKED: Final = (("utf-32-le", 4, 0), ("utf-32-be", 4, 3), ("utf-16-le", 2, 0), ("utf-16-be", 2, 1))
"""Encodings, bytes of a character, and which of these an ASCII character is."""


def log_suffix(name: str) -> str:
    """The suffix of a file's name in small letters, without that of a compression: `.jsonl` for `a.JSONL.gz`."""
    stem, suffix = _split(name.lower())
    return _split(stem)[1] if suffix in _SUFFIXES else suffix


def _split(name: str) -> tuple[str, str]:  # `os.path.splitext` takes twice as long, and folders have many names
    at = name.rfind(".")
    return (name[:at], name[at:]) if name[: max(at, 0)].strip(".") else (name, "")


def compression_of(head: bytes) -> str | None:
    """How a file is compressed, by its first bytes, of which five are enough."""
    if head[1:4] == _SKIPPABLE and head[0] >> 4 == 5:
        return "zstd"
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)


def wide_encoding(head: bytes) -> str | None:
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


def is_plain(head: bytes) -> bool:
    """Whether a file with these first eight bytes is read as it is: not compressed, and in no other encoding."""
    return compression_of(head) is None and wide_encoding(head) is None


class _Damaged(Exception):
    """The rest cannot be unpacked. The reason is empty where only the end is missing."""


def zstd_module() -> Any:
    """The module that reads zstd, imported where there is some."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def _begin(compression: str) -> Any:
    """A decompressor for one stream."""
    match compression:
        case "gzip":
            return zlib.decompressobj(zlib.MAX_WBITS | 16)
        case "bzip2":
            return bz2.BZ2Decompressor()
        case "xz":
            return lzma.LZMADecompressor(lzma.FORMAT_XZ)
        case _:
            return zstd_module().ZstdDecompressor()


def pieces_of(file: BinaryIO, compression: str) -> Iterator[bytes]:
    """Unpack a file piece by piece: any number of streams in a row, with zeros and zstd's skippable frames.

    Python's own files of these kinds stop at what they do not know after a stream, without a word, or take it for a
    tear. Raises _Damaged, and OSError where reading fails.
    """
    gzip = compression == "gzip"  # a byte of it becomes at most 1,032
    failed = (*UNPACK_ERRORS, zstd_module().ZstdError) if compression == "zstd" else UNPACK_ERRORS
    rest = file.read(PIECE)
    while rest:
        stream = _begin(compression)
        while not stream.eof:
            if not rest and (gzip or stream.needs_input) and not (rest := file.read(PIECE)):
                raise _Damaged
            try:
                found = stream.decompress(rest, 0 if gzip else CHUNK)
            except failed as error:
                raise _Damaged(" ".join(str(error).split()) or type(error).__name__) from error
            rest = b""
            if found:
                yield found
        rest = stream.unused_data.lstrip(b"\0")  # zeros are padding, as xz allows
        while len(rest) < _HEAD and (more := file.read(PIECE)):
            rest = (rest + more).lstrip(b"\0")
        if rest and compression_of(rest) != compression:
            if any(magic.startswith(rest) for magic, name in _MAGIC.items() if name == compression):
                raise _Damaged
            raise _Damaged(f"what follows its first {file.tell() - len(rest):,} bytes is no {compression}")


def _as_utf8(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """A text that may be in another encoding as UTF-8."""
    head = b""
    for piece in pieces:
        head += piece
        if len(head) >= _HEAD:
            break
    pieces = chain((head,), pieces)
    if (encoding := wide_encoding(head[:_HEAD])) is None:
        return pieces
    decode = codecs.getincrementaldecoder(encoding)("replace").decode
    return (decode(piece).encode() for piece in pieces)  # half a character at the end is none


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


class UnpackedFile(io.BufferedReader):
    """The content of a compressed file, up to where it is damaged.

    `damage` says how: empty where only its end is missing, None where it is whole.
    """

    damage: str | None = None


class Unpacked:
    """A file that is being unpacked, or was: the number of its bytes read, and its content."""

    def __init__(self, packed: int) -> None:
        self.packed, self.read, self.over = packed, 0, Event()
        self.content: BinaryIO | None = None
        """The content, once all of it is there."""
        self.size = 0
        self.damage: str | None = None

    def open(self) -> UnpackedFile:
        assert self.content is not None
        if isinstance(self.content, io.BytesIO):
            file = UnpackedFile(io.BytesIO(self.content.getvalue()))  # which shares the bytes
        else:
            file = UnpackedFile(Region(self.content, self.size), CHUNK)
        file.damage = self.damage
        return file

    def unpack(self, file: BinaryIO, path: Path, progress: Progress | None) -> None:
        """Unpack all of the file. Raises UnreadableError."""
        compression = compression_of(file.read(_HEAD))
        file.seek(0)
        target: BinaryIO = io.BytesIO()
        try:
            for piece in self._text(file, compression):
                self.size += len(piece)
                if compression is not None:
                    check_unpacked(self.size, self.packed, path)
                if self.size > IN_MEMORY:
                    if isinstance(target, io.BytesIO):
                        begun = target.getvalue()
                        target = tempfile.TemporaryFile(prefix="trajview-")  # noqa: SIM115 - it is closed when it is let go
                        target.write(begun)
                    _check_room(target, path, self.size)
                target.write(piece)
                self.read = file.tell()
                if progress is not None:
                    progress(self.read)
            target.flush()
            if self.damage and not self.size:
                raise UnreadableError(
                    f"the file is not what its first bytes say, {compression}: {self.damage}", where=Where(path)
                )
            self.content = target
        except OSError as error:
            raise UnreadableError(
                f"unpacking it failed: {error.strerror or error}".lower(),
                hint=f"there has to be room for {self.size:,} bytes and more in {tempfile.gettempdir()}",
                where=Where(path),
            ) from error
        finally:
            if self.content is None:
                target.close()

    def _text(self, file: BinaryIO, compression: str | None) -> Iterator[bytes]:
        """The content of a file, up to where it is damaged."""
        pieces = iter(partial(file.read, CHUNK), b"") if compression is None else pieces_of(file, compression)
        try:
            yield from _as_utf8(pieces)
        except _Damaged as error:
            self.damage = str(error)


_Key = tuple[Path, int, int, int, int]

kept_files: OrderedDict[_Key, Unpacked] = OrderedDict()
"""The files that are being unpacked, and those that were, the least recently used first."""
_lock = Lock()


def share_unpacked(path: Path) -> float | None:
    """The share of a file that is unpacked so far, from 0 to 1; None where it is not being unpacked."""
    with _lock:
        going = [each for key, each in kept_files.items() if key[0] == path and not each.over.is_set()]
    return max((each.read / max(1, each.packed) for each in going), default=None)


def size_unpacked(path: Path) -> int | None:
    """The unpacked size in bytes of a file that was unpacked last; None where nothing is kept of it."""
    with _lock:
        done = (each.size for key, each in reversed(kept_files.items()) if key[0] == path and each.over.is_set())
        return next(done, None)


def unpacked(file: BinaryIO, path: Path, progress: Progress | None = None) -> UnpackedFile:
    """The content of a file that is not plain, as UTF-8. Where another thread unpacks it, this waits for that.

    Raises UnreadableError where it is damaged from the start, or too large.
    """
    status = os.fstat(file.fileno())
    key = (path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    while True:
        with _lock:
            known = kept_files.get(key)
            if known is None:
                made = kept_files[key] = Unpacked(status.st_size)
                break
            kept_files.move_to_end(key)
        while not known.over.wait(LOOK_AGAIN):
            if progress is not None:
                progress(known.read)
        if known.content is not None:
            return known.open()
    try:
        made.unpack(file, path, progress)
    finally:
        with _lock:
            if made.content is None:  # whoever waits for it takes over
                del kept_files[key]
            else:
                _let_go(key)
            made.over.set()
    return made.open()


def _let_go(newest: _Key) -> None:
    """Let go of what the file held before, and of what was not used for longest; whoever reads it still does."""
    done = [key for key, each in kept_files.items() if each.over.is_set()]
    size = sum(kept_files[key].size for key in (*done, newest))
    for count, key in enumerate(done):
        if key[0] == newest[0] or size > MOST_BYTES or len(done) - count >= MOST:
            size -= kept_files.pop(key).size


def has_room(target: BinaryIO) -> bool:
    """Whether the disk of a file has bytes to spare."""
    found = os.fstatvfs(target.fileno())
    return found.f_bavail * found.f_frsize >= SPARE


def _check_room(target: BinaryIO, path: Path, size: int) -> None:
    """Raise UnreadableError where the disk is nearly full, even without what is kept of other files."""
    while not has_room(target):
        with _lock:
            oldest = next((key for key, each in kept_files.items() if each.over.is_set()), None)
            if oldest is not None:
                del kept_files[oldest]
                continue
        raise UnreadableError(
            f"there is no room to unpack it: after {size:,} bytes the disk is nearly full",
            hint=f"make room in {tempfile.gettempdir()}, or set TMPDIR to a folder that has some",
            where=Where(path),
        )
