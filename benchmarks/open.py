"""How long one large run takes to open, and how much memory, in each kind of file that may hold one (row 4).

    .venv/bin/python benchmarks/open.py [--messages 100000] [--longer 4.6] [--size 500M] [--runs 3]

Linux only. Runs of so many messages are written from a seed, `longer` times as long as those of the other benchmarks, and
then one JSON array of chats of `size` bytes. The program runs in a pseudo-terminal of 120x40: first screen is exec to the first
message, end is from G to the last one; `core` is a core's time until the first. The limit is decoding the file once, in
turns with it. Memory is what is anonymous, file pages apart, at its peak, in times the file's size.
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import msgspec
from kinds import FIRST, LAST, LONG, bytes_of, write_long_run, write_named
from peer_programs import NEVER, Watched, core_time
from rows import plain, tell

OPEN, END = 2.0, 0.3  # seconds
PATIENCE = 120.0  # seconds


def decoded(path: Path, what: str) -> float:
    """Seconds that decoding a file's bytes takes, whose kind is one of LONG, or is one array."""
    data = path.read_bytes()
    decoder = msgspec.json.Decoder()
    decode = decoder.decode_lines if what in LONG and LONG[what].between == b"\n" else decoder.decode
    gc.disable()  # or it looks through the values for as long again
    begin = time.perf_counter()
    value = decode(data)
    took = time.perf_counter() - begin
    del value
    gc.enable()
    return took


def opened(path: Path, folder: Path) -> tuple[float, float, float, float]:
    """Seconds to the first screen, seconds of a core until then, seconds from G to the end, and MB at the peak."""
    program = Watched([sys.executable, "-m", "trajview", "--no-cache", "--store", str(folder / "store"), str(path)])
    try:
        if not program.until((FIRST,), PATIENCE):
            return NEVER, NEVER, NEVER, program.peak
        first, core = time.perf_counter() - program.begin, core_time(program.pid) / 1000
        asked, end = time.perf_counter(), NEVER
        while end != end and time.perf_counter() - asked < PATIENCE:
            os.write(program.terminal, b"G")
            if program.until((LAST,), 1.0):  # a list that is still being found does not know its end yet: ask again
                end = time.perf_counter() - asked
        program.rest(20.0)
        return first, core, end, program.peak
    finally:
        program.close()


def report(path: Path, folder: Path, what: str, runs: int, *, listed: bool = False) -> None:
    """A file's rows; `listed` where its first screen is the list of its runs, which row 4 is not about."""
    size = path.stat().st_size
    limits, found = [], []
    for _ in range(runs):
        limits.append(decoded(path, what))
        found.append(opened(path, folder))
    limit = statistics.median(limits)
    first, core, end, _ = (statistics.median(column) for column in zip(*found, strict=True))
    peak = max(each[3] for each in found)
    number = 0 if listed else 4
    beside = f"decoding {plain(limit, 's')}, {first / limit:.1f}x; core {plain(core, 's')}"
    tell(number, f"{what}, {size / 1e6:.0f} MB: first screen", first, None if listed else OPEN, beside=beside)
    tell(number, f"{what}: its end", end, None if listed else END)
    tell(0, f"{what}: peak memory over the file's size", peak * 1024 * 1024 / size, None, "x", beside=plain(peak, "MB"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--longer", type=float, default=4.6, help="1 makes some 120 MB of 100,000 messages")
    parser.add_argument("--size", default="500M", help="bytes of the array, with K, M or G; 0 leaves it out")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trajview-bench-") as name:
        folder = Path(name)
        print(f"one run of {given.messages:,} messages")
        for what in LONG:
            path = write_long_run(folder, what, given.messages, given.longer)
            if what == next(iter(LONG)):
                opened(path, folder)  # a first time, which may have modules to compile
            report(path, folder, what, given.runs)
            path.unlink()
        if size := bytes_of(given.size):
            path = folder / "array.json"
            write_named(path, size, array=True)
            report(path, folder, "an array of chats, listed", given.runs, listed=True)


if __name__ == "__main__":
    main()
