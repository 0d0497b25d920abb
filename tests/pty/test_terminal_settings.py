"""The terminal's settings are changed at the first moment for what is typed early, and are restored however it ends."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

pytestmark = pytest.mark.pty

SLOW = "import sys, time; sys.argv = ['trajview', *sys.argv[1:]]; from trajview.cli import front; front._are_paths = lambda _: print('in', flush=True) or time.sleep(30); front.run()"
"""The program, which hangs right after its first moment."""


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """Both ends of a pseudo-terminal."""
    master, slave = pty.openpty()
    yield master, slave
    os.close(master)
    os.close(slave)


def started(slave: int, arguments: Sequence[str], folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=folder,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm-256color", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        preexec_fn=lambda: _control(0),
    )


def _control(descriptor: int) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSCTTY, 0)


def has_echo(slave: int) -> bool:
    return bool(termios.tcgetattr(slave)[3] & termios.ECHO)


def typed(slave: int) -> int:
    """How many bytes were typed that nobody has read."""
    return int.from_bytes(fcntl.ioctl(slave, termios.FIONREAD, bytes(4)), sys.byteorder)


def test_a_line_that_is_wrong_leaves_the_terminal_as_it_was(terminal: tuple[int, int], tmp_path: Path) -> None:
    _, slave = terminal
    before = termios.tcgetattr(slave)
    for arguments in (["nowhere"], ["annotate", "nowhere"], ["--nonsense"], ["annotate", "--help"]):
        started(slave, ["-m", "trajview", *arguments], tmp_path).wait(60)
        assert termios.tcgetattr(slave) == before, arguments


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_a_signal_before_the_viewer_is_there_leaves_the_terminal_as_it_was(
    terminal: tuple[int, int], tmp_path: Path, number: int, code: int
) -> None:
    master, slave = terminal
    before = termios.tcgetattr(slave)
    program = started(slave, ["-c", SLOW, "logs"], tmp_path)
    deadline = time.monotonic() + 60
    seen = b""
    while b"in" not in seen:
        seen += os.read(master, 100)
        assert time.monotonic() < deadline
    assert not has_echo(slave)
    program.send_signal(number)
    assert program.wait(60) == code
    assert termios.tcgetattr(slave) == before


def test_while_it_is_stopped_before_the_viewer_is_there_the_terminal_is_as_it_was(
    terminal: tuple[int, int], tmp_path: Path
) -> None:
    master, slave = terminal
    before = termios.tcgetattr(slave)
    program = started(slave, ["-c", SLOW, "logs"], tmp_path)
    seen = b""
    while b"in" not in seen:
        seen += os.read(master, 100)
    taken = termios.tcgetattr(slave)
    os.write(master, b"rm -r logs\r")
    program.send_signal(signal.SIGTSTP)
    assert os.WIFSTOPPED(os.waitpid(program.pid, os.WUNTRACED)[1])
    assert termios.tcgetattr(slave) == before
    assert typed(slave) == 0, "the shell would do what was typed for the viewer"
    program.send_signal(signal.SIGCONT)
    deadline = time.monotonic() + 60
    while termios.tcgetattr(slave) != taken:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    program.send_signal(signal.SIGTERM)
    program.wait(60)
    assert termios.tcgetattr(slave) == before


def test_a_command_that_prints_changes_nothing(terminal: tuple[int, int], tmp_path: Path) -> None:
    master, slave = terminal
    program = started(slave, ["-c", SLOW, "ls", "logs"], tmp_path)
    seen = b""
    while b"in" not in seen:
        seen += os.read(master, 100)
    assert has_echo(slave)
    program.kill()
    program.wait(60)
