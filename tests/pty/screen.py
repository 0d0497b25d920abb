"""A terminal with the real program in it: what it shows, every byte that it was sent, and waiting for either."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pexpect
import pyte

PATIENCE = 30.0
"""Seconds until something that is waited for counts as never coming."""


class Terminal:
    """`python -m trajview ARGUMENTS` in a pseudo-terminal, with a home folder of its own."""

    def __init__(
        self,
        home: Path,
        *arguments: str,
        size: tuple[int, int] = (80, 24),
        cwd: Path | None = None,
        program: tuple[str, ...] = ("-m", "trajview"),
        **env: str,
    ) -> None:
        home.mkdir(exist_ok=True)
        config = home / "config.toml"
        if not config.exists():
            config.write_text("")
        columns, rows = size
        own = {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "XDG_DATA_HOME": str(home / ".local"),
            "XDG_STATE_HOME": str(home / ".state"),
            "TRAJVIEW_CONFIG": str(config),
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "USER": "ada",
            "LOGNAME": "ada",
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "COLUMNS": str(columns),
            "LINES": str(rows),
        }
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.sent = bytearray()
        """Every byte that the terminal was sent."""
        self._child = pexpect.spawn(
            sys.executable,
            [*program, *arguments],
            env={**own, **env},
            cwd=str(cwd) if cwd else None,
            dimensions=(rows, columns),
            timeout=PATIENCE,
        )
        # pexpect's pauses before keys and around ends are for programs that are not ready: here, what matters is waited for.
        self._child.delaybeforesend = None
        self._child.ptyproc.delayafterclose = self._child.ptyproc.delayafterterminate = 0.02
        self.pid = self._child.pid

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._child.close(force=True)
        except pexpect.ExceptionPexpect:  # It was killed; a busy machine takes longer to end it.
            self._child.wait()

    def _read(self, seconds: float) -> bool:
        """Take in what the program has written; False once it has ended."""
        try:
            data = self._child.read_nonblocking(65536, timeout=seconds)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.sent += data
        # pyte takes private CSI sequences such as `CSI > 1 u` for plain text; they are not for its eyes.
        self._stream.feed(_without_private(data))
        return True

    @property
    def text(self) -> str:
        """What is on the screen."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def until(self, condition: str | Callable[[], object]) -> None:
        """Wait for a text on the screen, or for a condition."""
        holds = (lambda: condition in self.text) if isinstance(condition, str) else condition
        deadline = time.monotonic() + PATIENCE
        while not holds():
            alive = self._read(0.05)
            if holds():
                return
            assert alive, f"the program ended before {condition!r}:\n{self.text}"
            assert time.monotonic() < deadline, f"never came: {condition!r}\n{self.text}"

    def look(self, seconds: float) -> None:
        """Take in what the program writes for so long."""
        deadline = time.monotonic() + seconds
        while self._read(max(0.0, deadline - time.monotonic())) and time.monotonic() < deadline:
            pass

    def press(self, keys: str) -> None:
        """Send keys as a terminal does."""
        self._child.send(keys)

    def ended(self) -> int:
        """Wait for the program to end; returns its exit code (minus a signal's number)."""
        deadline = time.monotonic() + PATIENCE
        while self._read(0.1):
            assert time.monotonic() < deadline, f"it never ended:\n{self.text}"
        self._child.wait()
        code, signal = self._child.exitstatus, self._child.signalstatus
        return code if code is not None else -int(signal or 0)

    def hang_up(self) -> int:
        """Close the terminal, and wait for the program to end; returns what `ended` does."""
        self._child.ptyproc.fileobj.close()
        self._child.closed = True
        deadline = time.monotonic() + PATIENCE
        while (found := os.waitpid(self.pid, os.WNOHANG))[0] == 0:
            if time.monotonic() > deadline:
                os.kill(self.pid, 9)
                raise AssertionError("it never ended")
            time.sleep(0.05)
        self._child.ptyproc.terminated = self._child.terminated = True
        return os.waitstatus_to_exitcode(found[1])

    def kill(self) -> None:
        """kill -9."""
        self._child.kill(9)
        self.ended()


def _without_private(data: bytes) -> bytes:
    import re

    return re.sub(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]", b"", data)
