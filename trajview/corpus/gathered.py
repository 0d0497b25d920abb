"""Sessions that are spread over files: their first file stands for all of them, and is read as lines, one a file.

OpenHands keeps an event a file, `events/0.json` and so on. opencode keeps a session in `session/<project>/<session>.json`, its
messages in `message/<session>/`, and what is in each in `part/<message>/`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

__all__ = ["first_event", "gathered", "is_gathered", "parts_beside"]

_EVENTS: Final = "events"
_EVENT: Final = re.compile(r"[0-9]{1,9}\.json")
_PARTS: Final = frozenset({"message", "part"})
"""Folders beside opencode's `session` that hold what its sessions consist of."""
_NO_LINE: Final = bytes.maketrans(b"\r\n", b"  ")


def first_event(folder: str, names: Iterable[str]) -> str | None:
    """The first of the events that a folder of that name holds, one a file; None where it holds other files too."""
    if folder != _EVENTS:
        return None
    logs = [name for name in names if name.endswith(".json")]
    return min(logs, key=_number) if len(logs) > 1 and all(map(_EVENT.fullmatch, logs)) else None


def parts_beside(names: Iterable[str]) -> frozenset[str]:
    """The folders among some in one folder that hold only parts of sessions."""
    return _PARTS if {"session", *_PARTS} <= set(names) else frozenset()


def is_gathered(path: Path) -> bool:
    """Whether a file stands for a session that is spread over files."""
    if path.parent.name == _EVENTS and _EVENT.fullmatch(path.name):
        with suppress(OSError):
            return first_event(_EVENTS, _names(path.parent)) == path.name
        return False
    return path.suffix == ".json" and path.parent.parent.name == "session" and (path.parents[2] / "message").is_dir()


def gathered(path: Path) -> bytes:
    """The lines of a session of which this is the first file. Raises OSError where that cannot be read."""
    files = _events(path.parent) if path.parent.name == _EVENTS else _opencode(path)
    return b"".join(line + b"\n" for line in files)


def _number(name: str) -> int:
    return int(name.partition(".")[0])


def _line(path: Path) -> bytes:
    """A file of JSON on one line: its strings hold no line feeds."""
    return path.read_bytes().strip().translate(_NO_LINE)


def _events(folder: Path) -> Iterator[bytes]:
    for name in sorted(filter(_EVENT.fullmatch, _names(folder)), key=_number):
        yield _line(folder / name)


def _names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def _opencode(path: Path) -> Iterator[bytes]:
    root, session = path.parents[2], _line(path)
    yield session
    for message in _files(root / "message" / _id_in(session, path.stem)):
        line = _line(message)
        yield line
        yield from map(_line, _files(root / "part" / _id_in(line, message.stem)))


def _files(folder: Path) -> list[Path]:
    with suppress(OSError):
        return sorted(path for path in folder.iterdir() if path.suffix == ".json")
    return []


def _id_in(line: bytes, stem: str) -> str:
    """The id that a file states, which names the folder of its parts; one that is no plain name is not followed."""
    found: Any = None
    with suppress(ValueError, RecursionError):
        found = json.loads(line)
    own = found.get("id") if isinstance(found, dict) else None
    return own if isinstance(own, str) and re.fullmatch(r"[\w-]+", own) else stem
