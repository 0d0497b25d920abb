"""How long one large run takes to be printed and to be exported, and how much memory that takes beside opening it.

    .venv/bin/python benchmarks/export.py [--messages 100000] [--longer 2.3] [--runs 3]

Linux only. A chat of so many messages is written from a seed, `longer` times as long as those of the other benchmarks. What
is beside each figure is the time of a core. Memory is the peak of a process beyond that of one that prints the first line
of the run and ends, in times the file's size.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from kinds import LONG, write_long_run
from rows import plain, tell

SHOW, EXPORT, MEMORY = 4.0, 6.0, 1.5  # seconds, seconds, times the file's size
FORMATS = {"md": EXPORT, "html": EXPORT, "docent": None, "openai": None, "adp": None}


class Cost(NamedTuple):
    """What a process took: seconds, seconds of a core, and bytes at its peak."""

    seconds: float
    core: float
    peak: float


def run(arguments: Sequence[str], *, first_line: bool = False) -> Cost:
    """What a command takes; with `first_line` until its first line is there, when nobody reads any more."""
    output = subprocess.PIPE if first_line else subprocess.DEVNULL
    begin = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "trajview", *arguments], stdout=output, stderr=subprocess.DEVNULL)
    if process.stdout is not None:
        process.stdout.readline()
        seconds = time.perf_counter() - begin
        process.stdout.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if not first_line:
        seconds = time.perf_counter() - begin
        assert process.returncode == 0, arguments
    return Cost(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


def median(costs: Sequence[Cost]) -> Cost:
    """The median of each figure."""
    return Cost(*map(statistics.median, zip(*costs, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--longer", type=float, default=2.3, help="1 makes some 120 MB of 100,000 messages")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trajview-bench-") as name:
        folder = Path(name)
        path = write_long_run(folder, next(iter(LONG)), given.messages, given.longer)
        size = path.stat().st_size
        print(f"one run of {given.messages:,} messages, {size / 1e6:.0f} MB")
        run(["show", str(path)], first_line=True)  # a first time, which may have modules to compile
        opened = median([run(["show", str(path)], first_line=True) for _ in range(given.runs)])
        tell(0, "show: its first line", opened.seconds, beside=f"core {plain(opened.core, 's')}")
        commands = {"show": (["show", str(path)], SHOW)}
        for format, limit in FORMATS.items():
            commands[f"export -f {format}"] = (["export", str(path), "-f", format], limit)
        for what, (arguments, limit) in commands.items():
            cost = median([run(arguments) for _ in range(given.runs)])
            tell(0, what, cost.seconds, limit, beside=f"core {plain(cost.core, 's')}")
            beyond = (cost.peak - opened.peak) / size
            tell(0, f"{what}: memory beyond opening it, over the file's size", beyond, MEMORY, "x")


if __name__ == "__main__":
    main()
