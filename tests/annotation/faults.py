"""A disk that fails at a chosen system call, or loses power there, and what is on it afterwards.

Only calls on files under one folder count. Syncing is simulated: what was synced is remembered, so that after a power
cut the disk can be rebuilt with all, half or nothing of what was not.
"""

from __future__ import annotations

import fcntl
import io
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from unittest.mock import patch

__all__ = ["AFTERMATHS", "Aftermath", "Disk", "PowerCut"]

Aftermath = Literal["all", "half", "data lost", "nothing"]
AFTERMATHS: tuple[Aftermath, ...] = ("all", "half", "data lost", "nothing")
"""What survives of that which was not synced: everything (as after SIGKILL); half of what was appended; the names, but
none of the data; nothing, so that files have their old names, too."""

Token = tuple[int, int]
"""An inode, and how many files have had its number."""


class PowerCut(BaseException):
    """The program is gone, in the middle of this call."""


class Disk:
    """Watches the calls under `root` and fails at the n-th (from 1): with `code`, or for good where that is None."""

    def __init__(self, root: Path, at: int | None = None, code: int | None = None) -> None:
        self.root = root
        self.at = at
        self.code = code
        self.calls: list[str] = []
        self.is_off = False
        self._paths: dict[int, Path] = {}
        self._generations: dict[int, int] = {}
        self._data: dict[Token, bytes] = {}
        self._entries: dict[Path, dict[str, Token]] = {}
        for folder, _, files in os.walk(root):
            self._entries[Path(folder)] = self._listed(Path(folder))
            for name in files:
                self._data[self._token(Path(folder, name))] = Path(folder, name).read_bytes()

    # What is synced

    def _token(self, path: Path) -> Token:
        number = os.lstat(path).st_ino
        return number, self._generations.get(number, 0)

    def _listed(self, folder: Path) -> dict[str, Token]:
        return {name: self._token(folder / name) for name in os.listdir(folder)}

    def _synced(self, descriptor: int) -> None:
        path = self._paths[descriptor]
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            self._entries[path] = self._listed(path)
        else:
            with open(path, "rb") as file:  # Not `Path.read_bytes`, which is watched.
                self._data[self._token(path)] = file.read()

    def rebuild(self, into: Path, aftermath: Aftermath) -> None:
        """Write what is left of the disk after the power cut into a new folder."""
        self._rebuild(self.root, into, aftermath)

    def _rebuild(self, folder: Path, into: Path, aftermath: Aftermath) -> None:
        into.mkdir()
        entries = self._entries.get(folder, {}) if aftermath == "nothing" else self._listed(folder)
        for name, token in entries.items():
            if (folder / name).is_dir() and not (folder / name).is_symlink():
                self._rebuild(folder / name, into / name, aftermath)
                continue
            synced = self._data.get(token, b"")
            if aftermath == "all":
                synced = (folder / name).read_bytes()
            elif aftermath == "half":
                now = (folder / name).read_bytes()
                if now.startswith(synced):
                    synced = now[: (len(now) + len(synced)) // 2]
            (into / name).write_bytes(synced)

    # Failing

    def _is_ours(self, target: object) -> bool:
        if isinstance(target, int):
            return target in self._paths
        if isinstance(target, (str, os.PathLike)):
            return Path(target).is_relative_to(self.root)
        return False

    def _happens(self, call: str) -> bool:
        """Count a call; True where the power goes off in it. Raises where it fails."""
        if self.is_off:
            raise PowerCut
        self.calls.append(call)
        if len(self.calls) != self.at:
            return False
        if self.code is not None:
            raise OSError(self.code, os.strerror(self.code))
        self.is_off = True
        return True

    def _wrap(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(target: Any, *args: Any, **kwargs: Any) -> Any:
            if not self._is_ours(target):
                return real(target, *args, **kwargs)
            if self._happens(name):
                if name == "write":  # Some of it may have reached the file.
                    real(target, bytes(args[0])[: len(args[0]) // 2])
                raise PowerCut
            return self._done(name, real, target, args, kwargs)

        return call

    def _done(self, name: str, real: Callable[..., Any], target: Any, args: tuple[Any, ...], kwargs: Any) -> Any:
        if name == "fsync":
            return self._synced(target)
        if name == "close":
            del self._paths[target]
        is_new = name == "open" and args and args[0] & os.O_CREAT and not os.path.lexists(target)
        result = real(target, *args, **kwargs)
        if name == "open":
            self._paths[result] = Path(target)
        if is_new:
            number = os.lstat(target).st_ino
            self._generations[number] = self._generations.get(number, 0) + 1
        return result

    @contextmanager
    def watched(self) -> Iterator[Disk]:
        """While this holds, the calls are watched."""
        names = (
            "open",
            "close",
            "write",
            "fsync",
            "replace",
            "unlink",
            "mkdir",
            "ftruncate",
            "pread",
            "fstat",
            "scandir",
        )
        patches = [patch.object(os, name, self._wrap(name, getattr(os, name))) for name in names]
        patches.append(patch.object(fcntl, "flock", self._wrap("flock", fcntl.flock)))
        patches.append(patch.object(io, "open", self._wrap("read", io.open)))
        for each in patches:
            each.start()
        try:
            yield self
        finally:
            for each in reversed(patches):
                each.stop()
            for descriptor in list(self._paths):  # The dead program's; its locks go with them.
                os.close(descriptor)
            self._paths.clear()
