"""How long trajview takes from exec to a first screen with content, beside an empty Textual app in the same run (row 1).

    .venv/bin/python benchmarks/first_screen.py [--runs 15] [--folders] [--files 20000] [PATH ...]

Linux only. With --folders a folder of so many files is opened as well: for the first time, again (from the cache), with names that
count up without zeros, and with its files in 200 folders; and a folder in which as many files are no logs. All programs run
in a pseudo-terminal of 120x40, in turn, after one run each that does not count. What they write is only stamped while they
run, with the time and with the processor time that the program took so far; afterwards a terminal emulator (pyte) tells
which chunk completed the screen. The absolute figures are this machine's, of this moment; the ratio is what to compare,
and that of the processor time where other programs are at work.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import select
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pyte
from corpus import write_folder
from rows import plain, tell

COLUMNS, ROWS = 120, 40
LIMIT = 1.6  # times the empty app
QUIET = 0.4  # seconds without output after which a screen counts as finished
PATIENCE = 30.0  # seconds
_PROCESS_CLOCK = 2  # CPUCLOCK_SCHED, in Linux' numbers of the clocks of other processes
SAMPLES = Path(__file__).resolve().parents[1] / "sample_data"
EMPTY_APP = """\
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static("hello, world")
Empty().run()
"""


class Chunk(NamedTuple):
    """What a program wrote, after how many seconds since exec, and of processor time."""

    seconds: float
    processor: float
    data: bytes


class Seen(NamedTuple):
    """Milliseconds since exec, and of processor time until then."""

    after: float
    processor: float


def processor_time(pid: int) -> float:
    """Seconds that a process, with all its threads, has had a processor (user and system)."""
    return time.clock_gettime(~pid << 3 | _PROCESS_CLOCK)


def run_in_terminal(command: Sequence[str], folder: Path, cache: Path | None = None) -> list[Chunk]:
    """What a program writes to its terminal until it is quiet; `cache` is the user's folder for caches."""
    begin = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        os.chdir(folder)
        # A developer's setting that would have every module compiled anew, which nobody who installed it meets.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
        if cache is not None:
            os.environ["XDG_CACHE_HOME"] = str(cache)
        os.execv(command[0], list(command))
    chunks: list[Chunk] = []
    try:
        while time.perf_counter() - begin < PATIENCE:
            ready, _, _ = select.select([terminal], [], [], QUIET)
            if ready:
                seconds, processor = time.perf_counter() - begin, processor_time(pid)
                chunks.append(Chunk(seconds, processor, os.read(terminal, 65536)))
            elif chunks:
                break
    except OSError:  # the program has ended
        pass
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)
    return chunks


def first_seen(chunks: Sequence[Chunk], text: str) -> Seen:
    """When the text was on the screen for the first time."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    for seconds, processor, data in chunks:
        # Kitty's and other private sequences, which pyte would print.
        stream.feed(data.replace(b"\x1b[>1u", b"").replace(b"\x1b[<u", b""))
        if any(text in line for line in screen.display):
            return Seen(seconds * 1000, processor * 1000)
    raise SystemExit(f"{text!r} never came; the screen was:\n" + "\n".join(screen.display))


def write_folders(within: Path, count: int) -> dict[str, Path]:
    """Folders of so many files in another one: with zeros before their numbers, without, in 200 folders, and hardly any logs."""
    folders = {name: within / name for name in ("padded", "counted", "nested", "others")}
    write_folder(folders["padded"], count)
    for name in ("counted", "nested", "others"):
        folders[name].mkdir()
    for number, path in enumerate(sorted(folders["padded"].iterdir())):
        (folders["counted"] / f"run_{number}.json").hardlink_to(path)
        deep = folders["nested"] / f"task_{number // 100}"
        deep.mkdir(exist_ok=True)
        (deep / f"run_{number % 100}.json").hardlink_to(path)
        (folders["others"] / f"{number}.{'json' if not number else 'txt'}").hardlink_to(path)
    return folders


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, default=[SAMPLES], help="what trajview opens  [sample_data]")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--until", default="who_drinks_the_coffee", help="text of the first screen of PATH")
    parser.add_argument("--folders", action="store_true", help="large folders as well")
    parser.add_argument("--files", type=int, default=20_000, help="how many files these have")
    given = parser.parse_args()
    opened = [str(path.resolve()) for path in given.paths]
    with tempfile.TemporaryDirectory(prefix="trajview-bench-") as name:
        folder = Path(name)
        empty_app = folder / "empty.py"
        empty_app.write_text(EMPTY_APP)
        trajview, kept, fresh = [sys.executable, "-m", "trajview"], folder / "kept", folder / "fresh"
        programs: dict[str, tuple[list[str], str, Path]] = {
            "an empty Textual app": ([sys.executable, str(empty_app)], "hello, world", fresh),
            " ".join(path.name for path in given.paths): ([*trajview, *opened], given.until, kept),
        }
        if given.folders:
            written = {path: [*trajview, str(path)] for path in write_folders(folder, given.files).values()}
            padded, counted, nested, others = written.values()
            time.sleep(2.5)  # of a file that is younger than two seconds, nothing is kept
            listed = {**os.environ, "XDG_CACHE_HOME": str(kept)}
            subprocess.run([*trajview, "ls", padded[-1]], env=listed, stdout=subprocess.DEVNULL, check=True)
            files = f"a folder of {given.files:,} files"
            programs |= {
                files: (padded, "r0", fresh),
                f"{files}, opened again": (padded, "r0", kept),
                f"{files}, run_0 to run_{given.files - 1}": (counted, "r0", fresh),
                f"{given.files:,} files in folders of 100": (nested, "r0", fresh),
                f"{files}, of which one is a log": (others, "r0", fresh),
            }
        times: dict[str, list[Seen]] = {each: [] for each in programs}
        for turn in range(given.runs + 1):
            for each, (command, text, cache) in programs.items():
                shutil.rmtree(fresh, ignore_errors=True)
                took = first_seen(run_in_terminal(command, folder, cache), text)
                if turn:
                    times[each].append(took)
    print(f"exec to first screen, ms, {given.runs} runs each, {COLUMNS}x{ROWS}; in brackets processor time")
    for each, found in times.items():
        middle, least, most = (
            f"{said} {at(seen.after for seen in found):6.0f} ({at(seen.processor for seen in found):.0f})"
            for said, at in (("median", statistics.median), ("min", min), ("max", max))
        )
        print(f"  {each:48} {middle}   {least}   {most}")
    empty, *ours = times.values()
    bare = statistics.median(seen.after for seen in empty)
    for each, found in zip(list(times)[1:], ours, strict=True):
        middle = statistics.median(seen.after for seen in found)
        least = min(seen.after for seen in found) / min(seen.after for seen in empty)
        # Of each round by itself: what other programs were at work then, both met.
        processor = statistics.median(own.processor / other.processor for own, other in zip(found, empty, strict=True))
        beside = f"{plain(middle, 'ms')}; an empty Textual app: {plain(bare, 'ms')}; of the minima {least:.2f}x; "
        beside += f"of the processor time {processor:.2f}x"
        tell(1, f"exec to a first screen: {each}", middle / bare, LIMIT, "x", beside=beside)


if __name__ == "__main__":
    main()
