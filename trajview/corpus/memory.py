"""Whether what has to be in memory as a whole fits there, before the system finds out that it does not."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from trajview.errors import UnreadableError, Where

__all__ = ["check_room", "check_room_to_open"]

_SMALL: Final = 64 << 20
"""Bytes that are not worth asking for."""
_LIST: Final = 2
"""To list the records of a JSON file takes its bytes, and some for where each begins."""
_OPEN: Final = 4
"""To open one takes its bytes, and its values in memory, which are some three times as large."""


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
