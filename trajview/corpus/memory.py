"""Whether what has to be in memory as a whole fits there, before the system finds out that it does not."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from trajview.errors import Problem, UnreadableError, Where

__all__ = ["check_room", "check_room_to_open", "check_room_to_take_apart", "fits", "too_long"]

_SMALL: Final = 64 << 20
"""Bytes that are not worth asking for."""
_LIST: Final = 2
"""To list the records of a JSON file takes its bytes, and some for where each begins."""
_OPEN: Final = 4
"""To open one takes its bytes, and its values in memory, which are some three times as large."""
_APART: Final = 1.5
"""The same where its messages stay bytes until they are looked at."""


def fits(size: int) -> bool:
    """Whether so many bytes can be read in one piece, and looked at there."""
    return size <= _SMALL or size * _APART <= _available()


def check_room(size: int, path: Path) -> None:
    """Raise UnreadableError where a JSON file of so many bytes is too large to be split into its records."""
    if size > _SMALL and size * _LIST > (free := _available()):
        raise UnreadableError(
            f"this is one JSON value of {_giga(size)}, which has to be read as a whole, and {_giga(free)} of memory are free",
            hint="write its records on lines of their own, which can be of any size: `jq -c '.[]' FILE > FILE.jsonl`",
            where=Where(path),
        )


def check_room_to_open(size: int, path: Path, line: int | None) -> None:
    """Raise UnreadableError where a record of so many bytes is too large to be opened."""
    if size > _SMALL and size * _OPEN > (free := _available()):
        raise UnreadableError(
            f"this record has {_giga(size)}, opening it takes {_OPEN} times that, and {_giga(free)} of memory are free",
            hint="cut it into shorter runs, or open it where there is more memory",
            where=Where(path, line),
        )


def check_room_to_take_apart(size: int, path: Path, line: int | None) -> None:
    """Raise UnreadableError where a record of so many bytes is too large to be opened, even if most stays bytes."""
    if size > _SMALL and size * _APART > (free := _available()):
        raise UnreadableError(
            f"this record has {_giga(size)}, opening it takes {_APART} times that, and {_giga(free)} of memory are free",
            hint="cut it into shorter runs, or open it where there is more memory",
            where=Where(path, line),
        )


def too_long(size: int, path: Path, line: int) -> Problem:
    """The Problem that a line of so many bytes does not fit into memory."""
    return Problem(
        f"this line has {_giga(size)}, and {_giga(_available())} of memory are free",
        "it is left out; cut it into shorter runs, or open it where there is more memory",
        Where(path, line),
    )


def _giga(size: int) -> str:
    return f"{size / 1e9:.1f} GB"


def _available() -> int:
    """Bytes of memory that can be had without harm to other programs."""
    try:
        with open("/proc/meminfo", "rb") as file:
            for line in file:
                if line.startswith(b"MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass  # no Linux
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return 1 << 62
