"""Writing of files that are whole or not there, and that replace others only where they may."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from trajview.errors import TrajviewError, Where

__all__ = ["AlreadyThere", "NotWritten", "give_name", "name_for", "new_file"]

_LONGEST_NAME = 100
_BUFFER = 2**20
_ANOTHER = "take another name, or --force"


class NotWritten(TrajviewError):
    """A file could not be written; the old one is as it was."""

    title = "Not written"


class AlreadyThere(NotWritten):
    """The file exists, and may not be replaced."""

    def __init__(self, path: Path, hint: str) -> None:
        super().__init__("there is such a file already", hint=hint, where=Where(path))
        self.path = path


def name_for(run: str) -> str:
    """A file name, without its ending, for a run of this id: no separators, no spaces, not hidden, not too long."""
    name = re.sub(r"[^\w.@+=-]+", "_", run).strip("._-")
    while len(name.encode()) > _LONGEST_NAME:
        name = name[: -1 - len(name) // 20]
    return name or "run"


@contextmanager
def new_file(path: Path, *, replace: bool = False, hint: str = _ANOTHER) -> Iterator[BinaryIO]:
    """Open a file to write into, which gets its name when all is written.

    Raises AlreadyThere where there is a file of that name (also one that came meanwhile), unless `replace`, and
    NotWritten where the system does not let it be written.
    """
    if not replace and os.path.lexists(path):
        raise AlreadyThere(path, hint)
    temporary = path.with_name(f".{path.name[:80]}.{secrets.token_hex(6)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except (OSError, ValueError) as error:
        raise _refusal(error, path) from error
    try:
        with open(descriptor, "wb", buffering=_BUFFER) as file:
            yield file
        give_name(temporary, path, replace=replace, hint=hint)
    except OSError as error:
        raise _refusal(error, path) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def give_name(temporary: Path, path: Path, *, replace: bool = False, hint: str = _ANOTHER) -> None:
    """Give a written file its name. Raises AlreadyThere where a file has it, unless `replace`, and OSError."""
    if replace:
        temporary.replace(path)
        return
    try:
        os.link(temporary, path)  # fails where a file of that name came meanwhile, as no renaming does
    except FileExistsError:
        raise AlreadyThere(path, hint) from None
    except OSError:  # a file system without links
        temporary.replace(path)


def _refusal(error: OSError | ValueError, path: Path) -> NotWritten:
    if isinstance(error, FileNotFoundError):
        return NotWritten("its folder does not exist", hint="make it first", where=Where(path))
    if isinstance(error, OSError):
        return NotWritten(f"it cannot be written: {error.strerror or error}", where=Where(path))
    return NotWritten("this is no name of a file", where=Where(path))  # a NUL in it
