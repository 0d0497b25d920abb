"""First screen, memory and idle CPU with a large log open, beside a small one and an empty Textual app (rows 1, 7, 9).

    .venv/bin/python benchmarks/large.py [--size 1G] [--file LOG.jsonl] [--runs 5]

Linux only. The large log is written from a seed into a temporary folder (or yours is taken). Each program runs in a
pseudo-terminal of 120x40, in turn. Memory is what is anonymous of it, file pages apart: the peak while the list is
read to its end, scrolled there, and 50 runs are opened one after another.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from corpus import find_loop
from first_screen import COLUMNS, EMPTY_APP, ROWS, first_seen, run_in_terminal
from keys import Program
from kinds import LENGTH, bytes_of, write_log
from logs import write_chats
from rows import plain, tell

RATIO, FLAT, MEMORY, IDLE = 1.6, 1.1, 150.0, 1.0  # times, times, MB, %


def first_id(path: Path) -> str:
    """The id of the first record."""
    with path.open("rb") as file:
        return str(json.loads(file.readline())["id"])


def anonymous(pid: int) -> float:
    """MB of anonymous memory of a process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    return 0.0


def cpu(pid: int) -> float:
    """Seconds of processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def share_of_cpu(pid: int, seconds: float) -> float:
    """Percent of a core that a process takes while it waits."""
    before = cpu(pid)
    time.sleep(seconds)
    return (cpu(pid) - before) / seconds * 100


def visit(command: list[str], runs: int) -> tuple[float, float, float]:
    """Peak MB after the list is complete and after so many runs were opened, and the idle CPU in percent."""
    program = Program(command, COLUMNS, ROWS)
    try:
        program.settle(1.0)
        while share_of_cpu(program.pid, 1.0) > 10:  # the list is not complete
            program.settle(0.2, 0.5)
        program.press("G")
        listed = peak = anonymous(program.pid)
        program.settle(0.5, 1.0)
        idle = share_of_cpu(program.pid, 5.0)
        program.press("\r")
        program.settle(1.0, 3.0)
        for _ in range(runs):
            program.press("H")
            peak = max(peak, anonymous(program.pid))
        program.settle(1.0, 3.0)
        return listed, max(peak, anonymous(program.pid)), idle
    finally:
        program.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="1G", help="bytes to write, with K, M or G (powers of ten)")
    parser.add_argument("--messages", type=int, default=LENGTH, help="of each run in it")
    parser.add_argument("--file", type=Path, help="a JSONL log to take instead")
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trajview-bench-") as name:
        folder = Path(name)
        empty, small, large = folder / "empty.py", folder / "small.jsonl", given.file
        empty.write_text(EMPTY_APP)
        write_chats(small, 2, 6)
        if large is None:
            large = folder / "large.jsonl"
            write_log(large, bytes_of(given.size), messages=given.messages)
        trajview = [sys.executable, "-m", "trajview", "--no-cache", "--store", str(folder / "store")]
        programs = {
            "an empty Textual app": ([sys.executable, str(empty)], "hello, world"),
            f"trajview, {small.stat().st_size / 1e3:.0f} KB": ([*trajview, str(small)], "run-0000000"),
            f"trajview, {large.stat().st_size / 1e9:.1f} GB": ([*trajview, str(large)], first_id(large)),
        }
        times: dict[str, list[float]] = {each: [] for each in programs}
        for turn in range(given.runs + 1):
            for each, (command, text) in programs.items():
                took = first_seen(run_in_terminal(command, folder), text).after
                if turn:
                    times[each].append(took)
        bare, little, much = (statistics.median(found) for found in times.values())
        for each, found in list(times.items())[1:]:
            took = statistics.median(found)
            beside = f"{plain(took, 'ms')}; an empty Textual app: {plain(bare, 'ms')}"
            tell(1, f"exec to a first screen: {each}", took / bare, RATIO, "x", beside=beside)
        tell(1, "that of the large log in times of the small one's", much / little, FLAT, "x")
        program = Program([sys.executable, str(empty)], COLUMNS, ROWS)
        program.settle(1.0)
        least = anonymous(program.pid)
        program.close()
        listed, peak, idle = visit([*trajview, str(large)], 50)
        size = f"{large.stat().st_size / 1e9:.1f} GB, {find_loop(large):,} runs"
        beside = f"the empty app: {plain(least, 'MB')}; with the list alone {plain(listed - least, 'MB')} more"
        tell(7, f"{size}, listed and 50 opened: more memory", peak - least, MEMORY, "MB", beside=beside)
        tell(9, f"idle CPU with {size}", idle, IDLE, "%")


if __name__ == "__main__":
    main()
