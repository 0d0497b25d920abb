"""The records of a zip archive: Inspect's `.eval`, where each sample is a JSON file of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from trajview.errors import Problem, UnreadableError, Where

from .bounds import check_unpacked, most_unpacked
from .decode import BadRecord, decode_json
from .files import open_source
from .memory import check_room_to_open, no_room
from .record import DECODED, Record, RecordLook, not_utf8
from .unpack import UNPACK_ERRORS, zstd_module
from .walk import natural_key

if TYPE_CHECKING or sys.version_info >= (3, 14):
    import zipfile
else:  # which reads zstd, as Inspect writes its logs since 2025
    from backports.zstd import zipfile

__all__ = ["read_member", "zip_records"]

_MAX_MEMBER: Final = 1 << 31
"""The largest size (2 GiB) that a member of an archive may claim and still be unpacked."""
_STEP: Final = 4096
_ZSTD: Final = 93
_BOUNDED: Final = {
    zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, *(() if sys.version_info >= (3, 14) else (zipfile.ZIP_BZIP2, _ZSTD)),
}  # fmt: skip
"""Methods of which Python unpacks no more than it is asked for, whatever else a member holds. Of others, what few bytes
hold is unpacked at a time."""
_ERRORS: Final = (*UNPACK_ERRORS, zipfile.BadZipFile, zstd_module().ZstdError, KeyError, RuntimeError)
"""Exceptions for a broken archive or member."""


def zip_records(file: BinaryIO, path: Path, look: RecordLook = DECODED) -> Iterator[Record | Problem]:
    """Each `samples/*.json` (in an archive without samples: each JSON file); one that cannot be read is a Problem.

    `look` may spare the decoding of each.
    """
    try:
        archive = zipfile.ZipFile(file)
        names = sorted((name for name in archive.namelist() if name.endswith(".json")), key=natural_key)
    except _ERRORS as error:
        yield Problem(f"the archive cannot be read: {error}".lower(), "it may be torn, or no zip file", Where(path))
        return
    members = [name for name in names if name.startswith("samples/")] or names
    packed, unpacked = path.stat().st_size, 0
    for index, member in enumerate(members):
        where = Where(path, record=index)
        replaced = False
        try:
            data = _content(archive, path, member)
            unpacked += len(data)
            check_unpacked(unpacked, packed, path, f"what follows {index:,} of its members")
            text = data.strip()
            value = look.value(text, index, len(members) == 1)
            if value is None:
                value, replaced = decode_json(text)
        except UnreadableError as error:
            yield error.problem()
            if unpacked > most_unpacked(packed):
                return
            continue
        except MemoryError:
            yield no_room(path)
            continue
        except BadRecord as error:
            yield Problem(f"{member} in the archive cannot be read: {error.reason}", "the rest opens", where)
            continue
        if replaced:
            yield not_utf8(path, 1)
        yield Record(value, "zip", 0, len(data), index, 1, len(members) == 1, member, data)


def read_member(path: Path, member: str) -> bytes:
    """The content of one file in a zip archive. Raises UnreadableError."""
    with _readable_errors(path, member), open_source(path) as file, zipfile.ZipFile(file) as archive:
        return _content(archive, path, member)


def _content(archive: zipfile.ZipFile, path: Path, member: str) -> bytes:
    with _readable_errors(path, member):
        info = archive.getinfo(member)
        size = info.file_size
        if size > _MAX_MEMBER:
            raise UnreadableError(f"{member} is larger than 2 GiB unpacked", where=Where(path))
        check_unpacked(size, info.compress_size, path, member, in_memory=True)
        check_room_to_open(size, path, None, decoded=False)
        step = max(1, size) if info.compress_type in _BOUNDED else _STEP
        with archive.open(info) as file:
            return b"".join(iter(partial(file.read, step), b""))


@contextmanager
def _readable_errors(path: Path, member: str) -> Iterator[None]:
    try:
        yield
    except NotImplementedError as error:
        raise UnreadableError(
            f"{member} is compressed in a way that this Python cannot read ({error})",
            hint="unpack the archive, and open its files",
            where=Where(path),
        ) from error
    except _ERRORS as error:
        raise UnreadableError(f"{member} in the archive cannot be read: {error}", where=Where(path)) from error
