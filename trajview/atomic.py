"""Atomic writes: a file is there in full or not at all, and a failure says why."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import stat
from contextlib import ExitStack, suppress
from pathlib import Path
from time import time
from typing import Final

from trajview.debug_log import note
from trajview.errors import AnnotationError, Where

__all__ = ["make_folder", "may_replace", "refusal", "sync_folder", "write_all", "write_atomically"]

_NO_FOLDER_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EBADF}
"""Errors of file systems that cannot sync a folder; they keep its entries by themselves."""

_TEMPORARY: Final = re.compile(
    r"\.(?:.+\.[0-9a-f]{12}\.trajview|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[0-9a-f]{12})\.tmp", re.DOTALL
)
"""Matches the name of a temporary file, and what it was before it said whose it is: then only a record's."""
_WRITING: Final = 2.0
"""Seconds in which a program that has made a temporary file has its lock as well."""
_LONG_AGO: Final = 86400.0
"""Seconds after which nobody writes a temporary file any more, where files have no locks."""

_WHY: dict[int, tuple[str, str]] = {
    errno.ENOSPC: ("the disk is full", "free some space, then save again"),
    errno.EDQUOT: ("your disk quota is used up", "free some space, then save again"),
    errno.EFBIG: ("files may not grow that large here", "see `ulimit -f`, then save again"),
    errno.EACCES: ("no permission to write there", "make the folder writable, or choose another with --store"),
    errno.EPERM: ("no permission to write there", "make the folder writable, or choose another with --store"),
    errno.EROFS: ("the file system is read-only", "choose another folder with --store"),
    errno.ENOTDIR: ("a part of the path is a file and not a folder", "choose another folder with --store"),
    errno.EEXIST: ("a file is where a folder is needed", "choose another folder with --store"),
    errno.EISDIR: ("a folder is where a file is needed", "move it away, or choose another folder with --store"),
    errno.EIO: ("the disk reports an error", "check the disk; choose another folder with --store"),
    errno.ESTALE: ("the network folder was lost", "check the connection, then save again"),
}


def refusal(error: OSError, path: Path, what: str) -> AnnotationError:
    """Turn an operating system error into a sentence with a hint; `what` starts it: "The annotation was not saved"."""
    why, hint = _WHY.get(
        error.errno or 0, (error.strerror or type(error).__name__, "what you typed is still in the panel")
    )
    if isinstance(error, ReadOnly):
        why, hint = "its file is read-only", "make it writable (`chmod u+w`), or move it away"
    return AnnotationError(f"{what}: {why}.", hint=hint, where=Where(path))


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of the data, however little the system takes at a time."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def sync_folder(folder: Path) -> None:
    """Make a folder's entries durable, where its file system can. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise
    finally:
        os.close(descriptor)


class ReadOnly(PermissionError):
    """A person has made a file read-only, which a rename would not mind."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EACCES, "it is read-only", str(path))


def may_replace(path: Path) -> int | None:
    """Check that a file may be replaced, and return its permissions, None where there is none. Raises ReadOnly."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError:  # There is none; any other fault comes up in writing.
        return None
    if not mode & 0o222:
        raise ReadOnly(path)
    return mode


def write_atomically(path: Path, data: bytes, mode: int | None = None) -> None:
    """Replace a file by `data`, durable when this returns. Raises OSError, and then the old file is as it was.

    `mode` are its permissions, None for those that it has, or those of a new file. Of a link, what it leads to is
    replaced. A file that is read-only stays.

    The one exception: where only the last step fails, syncing the folder, the new file is in place but may not survive
    a power cut. The temporary file is beside the target and does not end in `.json`, since Sotopia opens all that do.
    Those that a program left there when it was killed are removed.
    """
    if path.is_symlink():
        path = Path(os.path.realpath(path))
    kept = may_replace(path)
    temporary = path.with_name(f".{path.stem}.{secrets.token_hex(6)}.trajview.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if kept is None else kept & 0o777)
    with ExitStack() as unless_replaced:  # Whatever ends it, ctrl+c too, leaves no temporary file behind.
        unless_replaced.callback(_remove, temporary)
        try:
            with suppress(OSError):  # A file system without locks; see `_remove_left`.
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if mode is not None:
                os.fchmod(descriptor, mode)
            elif kept is not None:
                with suppress(OSError):  # A file system without permissions has the same for all files.
                    os.fchmod(descriptor, kept)
            write_all(descriptor, data)
            os.fsync(descriptor)
            temporary.replace(path)
            unless_replaced.pop_all()
            note("a file of %d bytes is written", len(data))
        finally:
            os.close(descriptor)  # Which unlocks it: not before it has its name.
    _remove_left(path.parent)
    sync_folder(path.parent)


def _remove_left(folder: Path) -> None:
    """Remove the temporary files in a folder whose programs were killed before they had removed them."""
    with suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208 - there may be many
            if name.endswith(".tmp") and _TEMPORARY.fullmatch(name) and _is_left(folder / name):
                _remove(folder / name)


def _is_left(temporary: Path) -> bool:
    """Whether nobody writes a temporary file any more: who does holds its lock."""
    try:
        descriptor = os.open(temporary, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or time() - status.st_mtime < _WRITING:
            return False
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # A file system without locks.
        return time() - status.st_mtime > _LONG_AGO
    finally:
        os.close(descriptor)
    return True


def _remove(temporary: Path) -> None:
    with suppress(OSError):  # The error to report is the reason why the file could not be written.
        temporary.unlink()


def make_folder(folder: Path) -> None:
    """Make a folder and its parents, durable. Raises OSError."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in missing:
        sync_folder(path.parent)
