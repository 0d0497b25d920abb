"""What holds for every test: no network, no home folder, no colour settings of the developer, settled Hypothesis."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# No deadline: a shared machine may stop for a second at any time. In CI the examples are the same each time, and more.
_SLOW = [HealthCheck.too_slow]
settings.register_profile("here", max_examples=40, deadline=None, print_blob=True, suppress_health_check=_SLOW)
settings.register_profile(
    "ci", max_examples=100, deadline=None, print_blob=True, derandomize=True, database=None, suppress_health_check=_SLOW
)
settings.load_profile("ci" if os.environ.get("CI") else "here")

collect_ignore = ["plugin"]  # a package of its own, which is tested where it is installed (test_plugin_package.py)

_ROOM = 4 << 30
"""Bytes of memory that must be free for files: the tests of several workers need one or two of these four gigabytes."""

# A fifth of the time of the tests of screens went into looking through all of pytest's and Textual's objects for garbage.
gc.set_threshold(10_000, 20, 20)


def _use_folders_in_memory() -> None:
    """Put temporary folders, also those of the programs that tests start, into memory where Linux offers it.

    Tests make and delete some hundred thousand small files, and wait until they are on the disk: half of the time of
    those that write annotations. TMPDIR chooses another place.
    """
    folder = "/dev/shm"
    if "TMPDIR" in os.environ or not os.access(folder, os.W_OK | os.X_OK):
        return
    if shutil.disk_usage(folder).free >= _ROOM and not os.statvfs(folder).f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = folder
        tempfile.tempdir = None


_use_folders_in_memory()

# Workers and programs that tests start would each compile all modules anew.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    sys.dont_write_bytecode = False


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two programs for a core: tests of screens and of other programs wait a good part of their time."""
    asked = os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS", "")
    if asked.isdecimal():
        return int(asked)
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # Not everywhere.
        cores = os.cpu_count() or 1
    return min(16, 2 * cores)


@pytest.fixture(autouse=True, scope="session")
def _signals_as_in_a_terminal() -> None:
    """Programs that tests start can be interrupted, also where the tests run under nohup or in the background of a script.

    There these signals are ignored, which a program inherits; a handler it does not.
    """
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


@pytest.fixture(autouse=True, scope="session")
def _a_home_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Home, caches and configuration are empty folders, here and in the programs that tests start."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        for name, folder in {
            "XDG_CONFIG_HOME": ".config",
            "XDG_CACHE_HOME": ".cache",
            "XDG_DATA_HOME": ".local/share",
            "XDG_STATE_HOME": ".local/state",
        }.items():
            patch.setenv(name, str(home / folder))
        for name in (
            "TRAJVIEW_CONFIG", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "EDITOR", "VISUAL", "PAGER", "COLUMNS", "LINES",
            "PYTHONUNBUFFERED",  # which hides what goes wrong when a program ends with something still to be written
        ):  # fmt: skip
            patch.delenv(name, raising=False)
        yield home


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    """Whoever tries to connect to another machine fails at once, and says where to."""

    def refuse(self: socket.socket, address: Any) -> None:
        raise AssertionError(f"a test wants to connect to {address!r}")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        yield
