"""The cache of summaries: the findings of a scan in a file, so that the same file opens at once the next time.

One SQLite file in the user's cache folder. It holds nothing of value: it can be deleted at any time, several programs
may use it at once, and whatever is wrong with it counts as an empty cache. What it says of a file counts only while
path, size, times and inode are the same, and the code that summed it up is.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from msgspec import Struct

from trajview.formats import registry

from .info import Item
from .packed import packed, unpacked
from .walk import SourceFile

if TYPE_CHECKING:
    import sqlite3

__all__ = [
    "JUST_NOW",
    "LARGEST",
    "PATIENCE",
    "Cache",
    "CacheInfo",
    "SummaryCache",
    "cache_path",
    "stamp_of_status",
]

_LAYOUT: Final = 5
"""The version of the tables and their content."""
LARGEST: Final = 200 << 20
"""Bytes of entries above which the longest unused ones go."""
_WAITING: Final = 2000  # files that are put aside until they are written together
PATIENCE: Final = 1.0
"""Seconds to wait for another program that has the cache."""
JUST_NOW: Final = 2_000_000_000
"""Nanoseconds since the last change of a file in which it may change again without its times changing."""
_DAY: Final = 86_400
_MAY_PASS: Final = frozenset({3, 5, 6, 8, 10, 13, 14, 15})
"""SQLite's codes for no right to it, busy, locked, read-only, a bad disk, no space, no such folder, a bad protocol."""
_VERSIONS: Final = (1 << 31) - 1
"""SQLite keeps a signed number of 32 bits."""
_TABLES: Final = """
    CREATE TABLE files (
        path BLOB NOT NULL, named INTEGER NOT NULL, stamp TEXT NOT NULL, used INTEGER NOT NULL, digest BLOB NOT NULL,
        data BLOB NOT NULL, PRIMARY KEY (path, named)
    ) WITHOUT ROWID
"""


class CacheInfo(Struct, frozen=True):
    """The facts about the cache: where it is, its size in bytes, and how many files it knows.

    `problem`: why that is not known, empty where it is.
    """

    path: Path
    size: int
    files: int
    problem: str = ""


def cache_path() -> Path:
    """The path of the cache, in the user's folder for caches."""
    from platformdirs import user_cache_path

    return user_cache_path("trajview", appauthor=False) / "summaries.sqlite"


class Cache:
    """Keeps bytes under a key as long as a stamp is the same. One thread uses it; nothing in it raises."""

    def __init__(self, path: Callable[[], Path]) -> None:
        """`path` says where the file is, when that is needed first."""
        self._path_of = path
        self._database: sqlite3.Connection | None = None
        self._broken = False
        self._why = ""
        """The message of the database when it was found to be broken."""
        self._waiting: list[tuple[bytes, bool, str, int, bytes, bytes]] = []
        self._touched: list[tuple[int, bytes, bool]] = []

    def bytes_at(self, path: bytes, named: bool, stamp: str) -> bytes | None:
        """The bytes kept under a key with this stamp; None where there are none."""
        if not stamp:
            return None
        rows = self._run("SELECT stamp, used, digest, data FROM files WHERE path = ? AND named = ?", path, named)
        if not rows or rows[0][0] != stamp:
            return None
        _, used, digest, data = rows[0]
        if not isinstance(data, bytes) or _sum_of(data) != digest:
            return None
        if time.time() - used > _DAY:
            self._touched.append((int(time.time()), path, named))
        return data

    def keep_bytes(self, path: bytes, named: bool, stamp: str, data: bytes) -> None:
        """Keep bytes under a key; they are written with others, or by `close`."""
        if registry.problems():
            return  # a record that a plug-in failed on may open the next time, when its dependencies are there
        digest = _sum_of(data)
        self._waiting.append((path, named, stamp, int(time.time()), digest, data))
        if len(self._waiting) >= _WAITING:
            self._write()

    def close(self) -> None:
        """Write the waiting entries, and close the file."""
        self._write()
        if self._database is not None:
            self._guarded(self._database.close)
            self._database = None

    def info(self) -> CacheInfo:
        """The facts about the cache, as far as it can be read."""
        path = self._path_of()
        try:
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
        except FileNotFoundError:  # nothing was kept yet
            return CacheInfo(path, 0, 0)
        except OSError as error:
            return CacheInfo(path, 0, 0, (error.strerror or str(error)).lower())
        rows = self._run("SELECT count(*) FROM files") if size else [(0,)]
        return CacheInfo(path, size, int(rows[0][0])) if rows else CacheInfo(path, size, 0, self._why)

    def clear(self) -> None:
        """Delete the cache. Raises OSError where that is not allowed."""
        self.close()
        path = self._path_of()
        for each in (path, path.with_name(f"{path.name}-journal")):
            each.unlink(missing_ok=True)

    # The database

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        touched, self._touched = self._touched, []
        if not waiting and not touched:
            return

        def write() -> None:
            database = self._opened()
            with database:
                database.executemany("REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)", waiting)
                database.executemany("UPDATE files SET used = ? WHERE path = ? AND named = ?", touched)
                total = database.execute("SELECT coalesce(sum(length(data)), 0) FROM files").fetchone()[0]
                if total > LARGEST:
                    oldest = database.execute("SELECT path, named, length(data) FROM files ORDER BY used").fetchall()
                    for path, named, size in oldest:
                        if total <= LARGEST * 3 // 4:
                            break
                        database.execute("DELETE FROM files WHERE path = ? AND named = ?", (path, named))
                        total -= size

        self._guarded(write)

    def _run(self, query: str, *values: Any) -> list[Any]:
        return self._guarded(lambda: self._opened().execute(query, values).fetchall()) or []

    def _guarded(self, work: Callable[[], Any]) -> Any:
        """Do something with the database; a broken one is thrown away, a locked one is not asked again."""
        import sqlite3

        if self._broken:
            return None
        try:
            return work()
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            self._broken = True
            self._why = " ".join(str(error).split())
            code = getattr(error, "sqlite_errorcode", None)
            # SQLite's message on a damaged schema is not UTF-8 itself, which raises an error of Python's own.
            if isinstance(error, UnicodeDecodeError) or (code is not None and code & 0xFF not in _MAY_PASS):
                with suppress(OSError):  # somebody else's; without a cache everything works all the same
                    self.clear()
        return None

    def _opened(self) -> sqlite3.Connection:
        if self._database is None:
            import sqlite3

            path = self._path_of()
            path.parent.mkdir(parents=True, exist_ok=True)
            database = sqlite3.connect(path, timeout=PATIENCE, check_same_thread=False)
            self._database = database
            database.execute("PRAGMA synchronous = OFF")  # a cache that a power cut breaks is made anew
            version = _version()
            if database.execute("PRAGMA user_version").fetchone()[0] != version:
                database.execute("PRAGMA page_size = 16384")  # the entry of a large file takes some 15 MB
                database.execute("PRAGMA auto_vacuum = FULL")
                with database:
                    database.execute("BEGIN IMMEDIATE")
                    # Another program may have been first.
                    if database.execute("PRAGMA user_version").fetchone()[0] != version:
                        database.execute("DROP TABLE IF EXISTS files")
                        database.execute(_TABLES)
                        database.execute(f"PRAGMA user_version = {version}")
        return self._database


class SummaryCache(Cache):
    """A cache of the runs and problems in files."""

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(cache_path if path is None else lambda: path)

    def find(self, source: SourceFile, stamp: str) -> Iterator[list[Item]] | None:
        """The runs and problems in a file with this stamp, many at a time, each run by its id for a key; None if not known."""
        data = self.bytes_at(_key(source), source.named, stamp)
        return None if data is None else unpacked(data, source)

    def knows(self, source: SourceFile, stamp: str) -> bool:
        """Whether `find` is worth a try."""
        query = "SELECT stamp FROM files WHERE path = ? AND named = ?"
        rows = self._run(query, _key(source), source.named) if stamp else []
        return bool(rows) and rows[0][0] == stamp

    def keep(self, source: SourceFile, stamp: str, items: Sequence[Item]) -> None:
        """Keep the findings in a file that had this stamp before it was read; written with others, or by `close`."""
        if not stamp:
            return
        try:
            data = packed(items, source.path)
        except (ValueError, TypeError, OverflowError):  # text that no encoding takes, a number beyond 64 bits
            return
        self.keep_bytes(_key(source), source.named, stamp, data)


def stamp_of_status(status: os.stat_result) -> str:
    """The stamp of a file's status; empty where the file was written so lately that it may not tell."""
    if time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) < JUST_NOW:
        return ""
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_dev} {status.st_ino}"


def _sum_of(data: bytes) -> bytes:
    """A check sum of bytes against a bad disk; nobody damages them on purpose."""
    return crc32(data).to_bytes(4)


def _version() -> int:
    """A number that differs for other code, by which a format may find something else in a record."""
    from trajview import __version__
    from trajview.formats.installed import fingerprint

    told = [f"{_LAYOUT} {__version__}", fingerprint()]
    here = Path(__file__).parent
    for folder in (here, here.parent, *(here.parent / name for name in ("formats", "models", "where"))):
        with suppress(OSError):  # installed as a zip file
            told += sorted(
                f"{entry.name} {entry.stat().st_mtime_ns}" for entry in os.scandir(folder) if entry.is_file()
            )
    return crc32("\n".join(told).encode()) % _VERSIONS + 1


def _key(source: SourceFile) -> bytes:
    return os.fsencode(os.path.abspath(source.path))  # noqa: PTH100 - links stay: what they point to may change
