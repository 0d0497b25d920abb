"""How long `trajview stats` takes with tokens, and a filter for which runs are read: the first time, and the second.

    .venv/bin/python benchmarks/stats.py [--size 1G] [--file LOG.jsonl] [--runs 1]

The log is written from a seed into a temporary folder, no record twice (or yours is taken). Prints medians of whole programs,
each started anew, with a cache of their own: empty the first time, and what the first one left the second.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kinds import LENGTH, bytes_of
from logs import chat
from rows import plain, tell

FILTER = "reward < 0.5 errors > 0"
CASES = {
    "stats, with tokens": (["stats"], 60.0, 2.0),
    f"ls --where '{FILTER}'": (["ls", "--where", FILTER], 5.0, 1.0),
}
"""What is run, and the most that it may take of 1 GB the first and the second time, in seconds."""
_SETTLED = 2.5
"""Seconds after which a file that was written counts as one that changes no more."""


def write_distinct(path: Path, size: int) -> None:
    """JSON Lines of so many bytes of chats, all of them different."""
    rng = random.Random(1)
    written = number = 0
    with path.open("wb", buffering=1 << 20) as file:
        while written < size:
            written += file.write(json.dumps(chat(rng, number, LENGTH)).encode() + b"\n")
            number += 1


def seconds(arguments: list[str], path: Path, cache: Path) -> float:
    """How long a command takes; what it prints goes nowhere."""
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "trajview", *arguments, str(path)],
        env={**os.environ, "XDG_CACHE_HOME": str(cache)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="1G", help="bytes to write, with K, M or G (powers of ten)")
    parser.add_argument("--file", type=Path, help="a log to take instead")
    parser.add_argument("--runs", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trajview-bench-") as name:
        folder = Path(name)
        path = given.file or folder / "log.jsonl"
        if given.file is None:
            write_distinct(path, bytes_of(given.size))
            time.sleep(_SETTLED)
        size = path.stat().st_size
        print(f"{size / 1e6:,.0f} MB")
        for what, (arguments, most_first, most_again) in CASES.items():
            first, again = [], []
            for turn in range(given.runs):
                cache = folder / f"cache {turn} of {arguments[0]}"
                first.append(seconds(arguments, path, cache))
                again.append(seconds(arguments, path, cache))
            once, twice = statistics.median(first), statistics.median(again)
            gb = size / 1e9
            beside = f"{plain(size / once / 1e6, 'MB')} a second on {os.cpu_count()} cores"
            tell(0, f"{gb:.1f} GB: {what}", once, max(1.0, most_first * gb), beside=beside)
            tell(0, f"{gb:.1f} GB: the same a second time", twice, max(1.0, most_again * gb))


if __name__ == "__main__":
    main()
