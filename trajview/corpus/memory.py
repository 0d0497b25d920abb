"""Checks whether data that must be in memory as a whole fits there, before the system runs out of memory."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from trajview.errors import Problem, UnreadableError, Where

__all__ = [
    "SMALL",
    "available",
    "check_room",
    "check_room_to_open",
    "check_texts",
    "fits",
    "fits_decoded",
    "free_in_group",
    "free_in_process",
    "giga",
    "no_room",
    "too_long",
]

SMALL: Final = 8 << 20
"""Bytes that are not worth asking for."""
_LIST: Final = 2
"""Memory for listing the records of a JSON file, in multiples of its size: its bytes, and the place of each record."""
_OPEN: Final = 4
"""Memory for opening a record, in multiples of its size: its bytes, and its values, some three times as large."""
_APART: Final = 1.5
"""The factor of `_OPEN` where messages stay bytes until they are looked at."""
_QUOTE: Final = re.compile(rb'(?<!\\)"')
"""Matches the end of a text; one of many, as a backslash before a quote may escape it."""
_TEXT: Final = 5
_NO_LIMIT: Final = 1 << 62


def fits(size: int) -> bool:
    """Whether `size` bytes can be read in one piece and looked at."""
    return size <= SMALL or size * _APART <= available()


def fits_decoded(size: int) -> bool:
    """Whether there is room for the decoded values of `size` bytes, beside these."""
    return size <= SMALL or size * (_OPEN - 1) <= available()


def check_texts(data: bytes | memoryview) -> None:
    """Raise MemoryError where some JSON holds a text for which there is no room: msgspec would end the process for it.

    That takes a look at the JSON only where there is no room for all of its values, and then no more than at its texts.
    """
    if len(data) <= SMALL or len(data) * _TEXT <= (free := available()):
        return
    # msgspec reads a text with escapes into a buffer that grows to twice its length, beside the result.
    at, step = 0, max(1, free // _TEXT // 2)  # a text longer than twice the step holds two of these places
    while at + step < len(data):
        found = _QUOTE.search(data, at)
        end = found.start() if found is not None else len(data)
        if end - at >= step:
            raise MemoryError
        at += step


def check_room(size: int, path: Path, *, is_list: bool) -> None:
    """Raise UnreadableError where a JSON file of so many bytes is too large to be split into its records."""
    if size > SMALL and size * _LIST > (free := available()):
        raise UnreadableError(
            f"this is one JSON value of {giga(size)}, which has to be read as a whole, and {giga(free)} of memory are free",
            hint="write its records on lines of their own, which can be of any size: `jq -c '.[]' FILE > FILE.jsonl`"
            if is_list
            else "open it where there is more memory; records that it holds can be written on lines of their own, and these be of any size",
            where=Where(path),
        )


def check_room_to_open(size: int, path: Path, line: int | None, *, decoded: bool = True) -> None:
    """Raise UnreadableError where a record of so many bytes is too large to be opened; not `decoded`: even if most stays bytes."""
    times = _OPEN if decoded else _APART
    if size > SMALL and size * times > (free := available()):
        raise UnreadableError(
            f"this record has {giga(size)}, opening it takes {times} times that, and {giga(free)} of memory are free",
            hint="cut it into shorter runs, or open it where there is more memory",
            where=Where(path, line),
        )


def too_long(size: int, path: Path, line: int) -> Problem:
    """The Problem of a line that does not fit into memory."""
    return Problem(
        f"this line has {giga(size)}, and {giga(available())} of memory are free",
        "it is left out; cut it into shorter runs, or open it where there is more memory",
        Where(path, line),
    )


def no_room(path: Path, line: int | None = None) -> Problem:
    """The Problem that memory ran out in spite of the checks."""
    what = "this file" if line is None else "this record"
    return Problem(
        f"there is not enough memory to read {what}",
        "cut it into shorter runs, or open it where there is more memory",
        Where(path, line),
    )


def giga(size: int) -> str:
    """A size in bytes: `1.4 GB`, below one `312 MB`."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def available() -> int:
    """Bytes of memory that can be had without harm to other programs, and without being ended for it."""
    return min(_free_in_system(), free_in_group(), free_in_process())


def free_in_process() -> int:
    """The bytes that `ulimit -v` leaves of the addresses that this process may use."""
    try:
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most == resource.RLIM_INFINITY:
            return _NO_LIMIT
        used = int(Path("/proc/self/statm").read_bytes().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (ImportError, OSError, ValueError, IndexError):  # no Linux
        return _NO_LIMIT
    return max(0, most - used)


def free_in_group(proc: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")) -> int:
    """The bytes left to our control group, as in a container: the system ends a process that takes more.

    Both versions of Linux's control groups, as its documentation describes them.
    """
    free = _NO_LIMIT
    try:
        lines = proc.read_text().splitlines()
    except (OSError, ValueError):
        return free
    for line in lines:
        _, kinds, inside = (*line.split(":", 2), "", "")[:3]
        if kinds == "":
            base, limit, usage, cached = root, "memory.max", "memory.current", "inactive_file "
        elif "memory" in kinds.split(","):
            base = root / "memory"
            limit, usage, cached = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "
        else:
            continue
        folder = base / inside.strip("/")
        for each in (folder, *folder.parents):
            if not each.is_relative_to(base):
                break
            try:
                most = int((each / limit).read_text())
                used = int((each / usage).read_text())
                stat = (each / "memory.stat").read_text().splitlines()
                spare = sum(int(row[len(cached) :]) for row in stat if row.startswith(cached))
            except (OSError, ValueError):  # `max`, or not to be seen from inside a container
                continue
            free = min(free, max(0, most - used + spare))
    return free


def _free_in_system() -> int:
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
        return _NO_LIMIT
