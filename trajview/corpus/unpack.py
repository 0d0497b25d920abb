"""Compressed files, and those in another encoding, as plain ones: unpacked once, kept for random access, in memory or in a nameless file.

What is kept is bounded, and is unpacked again where it was let go. The file without a name is gone with the program,
however that ends.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from codecs import getincrementaldecoder
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from threading import Event, Lock
from typing import Any, BinaryIO, Final, Literal

from trajview.errors import UnreadableError, Where

from .region import Region
from .streams import COMPRESSIONS, Damaged, PackedStream, zstd_module

__all__ = [
    "COMPRESSED_SUFFIXES",
    "Progress",
    "UnpackedFile",
    "WideEncoding",
    "log_suffix",
    "share_unpacked",
    "size_unpacked",
    "unpacked",
    "zip_errors",
    "zip_module",
]

COMPRESSED_SUFFIXES: Final = frozenset({".gz", ".bz2", ".xz", ".zst", ".zstd"})
WideEncoding = Literal["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]
Progress = Callable[[int], None]
"""Called now and then with the bytes of the compressed file that were read; what it raises ends the work."""

_CHUNK: Final = 1 << 20
_IN_MEMORY: Final = 16 << 20
_KEPT_IN_MEMORY: Final = 64 << 20
_KEPT_ON_DISK: Final = 16 << 30
_MOST_OPEN: Final = 64
"""Files on disk that are kept, each of which stays open: a program may have as few as 256, as on macOS."""
_SPARE: Final = 256 << 20
"""Bytes of disk that stay free."""
_LOOK_AGAIN: Final = 0.1
"""Seconds between two looks of who waits for another thread's unpacking, which may be called off meanwhile."""


def log_suffix(path: Path | str) -> str:
    """The suffix of a file's name in small letters, without that of a compression: `.jsonl` for `a.JSONL.gz`."""
    if type(path) is str and path[:1] != "." and os.sep not in path:  # nearly all
        dot = path.rfind(".")
        suffix = path[dot:].lower() if dot >= 0 else ""
        if suffix in COMPRESSED_SUFFIXES:
            path = path[:dot]
            dot = path.rfind(".")
            suffix = path[dot:].lower() if dot >= 0 else ""
        return suffix
    stem, suffix = os.path.splitext(os.path.basename(path))  # noqa: PTH119, PTH122 - walked folders have many names
    return (os.path.splitext(stem)[1] if suffix.lower() in COMPRESSED_SUFFIXES else suffix).lower()  # noqa: PTH122


def zip_module() -> Any:
    """The zipfile module, one that reads zstd, as Inspect writes its logs since 2025."""
    if sys.version_info < (3, 14):
        try:
            from backports.zstd import zipfile

            return zipfile
        except ImportError:
            pass
    import zipfile as plain

    return plain


def zip_errors(zipfile: Any) -> tuple[type[Exception], ...]:
    """What that module raises for an archive or a member that is broken."""
    import lzma
    import zlib

    found = [zipfile.BadZipFile, zlib.error, lzma.LZMAError, KeyError, RuntimeError, EOFError, ValueError, OSError]
    if hasattr(zipfile, "ZIP_ZSTANDARD"):
        found.append(zstd_module().ZstdError)
    return tuple(found)


class UnpackedFile(io.BufferedReader):
    """What a compressed file holds, up to where it is damaged.

    `damage` says how: empty where only its end is missing, None where it is whole.
    """

    damage: str | None = None


class _Recoded:
    """A text in another encoding as UTF-8."""

    def __init__(self, file: BinaryIO, encoding: str) -> None:
        self._file = file
        self._decode = getincrementaldecoder(encoding)("replace").decode

    def read1(self, size: int) -> bytes:
        while chunk := self._file.read(size):
            if text := self._decode(chunk):
                return text.encode("utf-8")
        return b""  # half a character at the end is none


class _Kept:
    """Something unpacked: bytes, or a file without a name."""

    def __init__(self, content: bytes | BinaryIO, size: int, damage: str | None) -> None:
        self.content, self.size, self.damage = content, size, damage

    @property
    def in_memory(self) -> bool:
        return isinstance(self.content, bytes)

    def open(self) -> UnpackedFile:
        if isinstance(self.content, bytes):
            file = UnpackedFile(io.BytesIO(self.content))
        else:
            file = UnpackedFile(Region(self.content, self.size), _CHUNK)
        file.damage = self.damage
        return file


_Key = tuple[Path, str, int, int, int, int]


class _Work:
    """A file that is being unpacked: how many of its bytes were read, and whether that is over, however it ended."""

    def __init__(self, size: int) -> None:
        self.size, self.done, self.over = size, 0, Event()


_kept: OrderedDict[_Key, _Kept] = OrderedDict()
_last: dict[tuple[Path, str], _Key] = {}
"""The key of what is kept of each file: to look through 20,000 of them for each one more would take minutes."""
_newest: dict[Path, _Key] = {}
"""The same of what came out of each file last: of one in another encoding that was packed, both are kept."""
_sizes = {True: 0, False: 0}
"""Bytes that are kept in memory, and on disk."""
_open: set[_Key] = set()
"""What is kept on disk."""
_working: dict[_Key, _Work] = {}
_lock = Lock()


def share_unpacked(path: Path) -> float | None:
    """How much of a file is unpacked so far, from 0 to 1; None where it is not being unpacked."""
    with _lock:
        return max((work.done / max(1, work.size) for key, work in _working.items() if key[0] == path), default=None)


def size_unpacked(path: Path) -> int | None:
    """How many bytes came out of a file that was unpacked last; None where nothing is kept of it."""
    with _lock:
        key = _newest.get(path)
        return None if key is None else _kept[key].size


def unpacked(
    file: BinaryIO, path: Path, compression: str, progress: Progress | None = None, status: os.stat_result | None = None
) -> UnpackedFile:
    """What a compressed file holds, or one in another encoding (`compression`) as UTF-8.

    Where another thread unpacks it, this waits for that. `status` is that of the file at `path`, where `file` is what was
    unpacked of it. Raises UnreadableError where it is damaged from the start, or too large.
    """
    status = status or os.fstat(file.fileno())
    key = (path, compression, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    while True:
        with _lock:
            known = _kept.get(key)
            if known is not None:
                _kept.move_to_end(key)
                return known.open()
            others = _working.get(key)
            if others is None:
                work = _working[key] = _Work(status.st_size)
                break
        while not others.over.wait(_LOOK_AGAIN):  # it may fail, or be given up: then it is our turn
            if progress is not None:
                progress(others.done)

    def step(done: int) -> None:
        work.done = done
        if progress is not None:
            progress(done)

    try:
        made = _unpack(file, path, compression, step)
        with _lock:
            _keep(key, made)
    finally:
        with _lock:
            del _working[key]
        work.over.set()
    return made.open()


def _keep(key: _Key, made: _Kept) -> None:
    """Keep what was unpacked, and let go of what the file held before, and of what was not used for longest."""
    before = _last.get(key[:2])
    if before is not None:
        _let_go(before)
    _kept[key] = made
    _last[key[:2]] = _newest[key[0]] = key
    kind, most = made.in_memory, _KEPT_IN_MEMORY if made.in_memory else _KEPT_ON_DISK
    _sizes[kind] += made.size
    if not kind:
        _open.add(key)
    while _sizes[kind] > most or (not kind and len(_open) > _MOST_OPEN):
        oldest = next(each for each, kept in _kept.items() if kept.in_memory == kind)
        if oldest is key:
            break
        _let_go(oldest)


def _let_go(key: _Key) -> None:
    """Keep this no longer; whoever reads it still does."""
    made = _kept.pop(key)
    _sizes[made.in_memory] -= made.size
    _open.discard(key)
    if _last[key[:2]] is key:
        del _last[key[:2]]
    if _newest.get(key[0]) is key:
        del _newest[key[0]]


def _unpack(file: BinaryIO, path: Path, compression: str, progress: Progress) -> _Kept:
    stream = PackedStream(file, compression) if compression in COMPRESSIONS else _Recoded(file, compression)
    spool = io.BytesIO()
    target: BinaryIO = spool
    size = 0
    damage: str | None = getattr(file, "damage", None)
    try:
        while True:
            try:
                chunk = stream.read1(_CHUNK)
            except Damaged as error:
                damage = error.reason
                break
            if not chunk:
                break
            size += len(chunk)
            if target is spool and size > _IN_MEMORY:
                target = tempfile.TemporaryFile(prefix="trajview-")  # noqa: SIM115 - it is closed when it is let go
                target.write(spool.getvalue())
                _check_room(target, path, size)
            elif target is not spool and size % (64 * _CHUNK) < len(chunk):
                _check_room(target, path, size)
            target.write(chunk)
            progress(file.tell())
        target.flush()
    except OSError as error:
        raise UnreadableError(
            f"unpacking it failed: {error.strerror or error}".lower(),
            hint=f"there has to be room for {size:,} bytes and more in {tempfile.gettempdir()}",
            where=Where(path),
        ) from error
    if damage and not size:
        raise UnreadableError(f"the file is not what its first bytes say, {compression}: {damage}", where=Where(path))
    return _Kept(spool.getvalue() if target is spool else target, size, damage)


def _check_room(target: BinaryIO, path: Path, size: int) -> None:
    found = os.fstatvfs(target.fileno())
    if found.f_bavail * found.f_frsize < _SPARE:
        raise UnreadableError(
            f"there is no room to unpack it: after {size:,} bytes the disk is nearly full",
            hint=f"make room in {tempfile.gettempdir()}, or set TMPDIR to a folder that has some",
            where=Where(path),
        )
