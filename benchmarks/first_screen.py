"""How long trajview takes from exec to a first screen with content, beside an empty Textual app in the same run.

    .venv/bin/python benchmarks/first_screen.py [--runs 15] [PATH ...]

Both programs run in a pseudo-terminal of 120x40, in turn, after one run each that does not count. What they write is
only stamped while they run; afterwards a terminal emulator (pyte) tells which chunk completed the screen. The absolute
figures are this machine's, of this moment; the ratio is what to compare.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Sequence
from pathlib import Path

import pyte
from rows import plain, tell

COLUMNS, ROWS = 120, 40
LIMIT = 1.6  # times the empty app
QUIET = 0.4  # seconds without output after which a screen counts as finished
PATIENCE = 30.0  # seconds
SAMPLES = Path(__file__).resolve().parents[1] / "sample_data"
EMPTY_APP = """\
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static("hello, world")
Empty().run()
"""

Chunks = list[tuple[float, bytes]]


def run_in_terminal(command: Sequence[str], folder: Path) -> Chunks:
    """What a program writes to its terminal until it is quiet, each chunk with its seconds since exec."""
    begin = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        os.chdir(folder)
        # A developer's setting that would have every module compiled anew, which nobody who installed it meets.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
        os.execv(command[0], list(command))
    chunks: Chunks = []
    try:
        while time.perf_counter() - begin < PATIENCE:
            ready, _, _ = select.select([terminal], [], [], QUIET)
            if ready:
                chunks.append((time.perf_counter() - begin, os.read(terminal, 65536)))
            elif chunks:
                break
    except OSError:  # the program has ended
        pass
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)
    return chunks


def first_seen(chunks: Chunks, text: str) -> float:
    """The milliseconds from exec until the text was on the screen."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    for seconds, data in chunks:
        # Kitty's and other private sequences, which pyte would print.
        stream.feed(data.replace(b"\x1b[>1u", b"").replace(b"\x1b[<u", b""))
        if any(text in line for line in screen.display):
            return seconds * 1000
    raise SystemExit(f"{text!r} never came; the screen was:\n" + "\n".join(screen.display))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, default=[SAMPLES], help="what trajview opens  [sample_data]")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--until", default="who_drinks_the_coffee", help="text of the first screen of PATH")
    given = parser.parse_args()
    opened = [str(path.resolve()) for path in given.paths]
    with tempfile.TemporaryDirectory() as folder:
        empty_app = Path(folder, "empty.py")
        empty_app.write_text(EMPTY_APP)
        programs = {
            "empty Textual app": ([sys.executable, str(empty_app)], "hello, world"),
            "trajview": ([sys.executable, "-m", "trajview", *opened], given.until),
        }
        times: dict[str, list[float]] = {name: [] for name in programs}
        for turn in range(given.runs + 1):
            for name, (command, text) in programs.items():
                took = first_seen(run_in_terminal(command, Path(folder)), text)
                if turn:
                    times[name].append(took)
    print(f"exec to first screen, ms, {given.runs} runs each, {COLUMNS}x{ROWS}")
    for name, found in times.items():
        print(f"  {name:18} median {statistics.median(found):6.0f}   min {min(found):6.0f}   max {max(found):6.0f}")
    empty, ours = (statistics.median(found) for found in times.values())
    least = min(times["trajview"]) / min(times["empty Textual app"])
    beside = f"{plain(ours, 'ms')}; an empty Textual app: {plain(empty, 'ms')}; of the minima {least:.2f}x"
    tell(
        1,
        f"exec to a first screen: {' '.join(path.name for path in given.paths)}",
        ours / empty,
        LIMIT,
        "x",
        beside=beside,
    )


if __name__ == "__main__":
    main()
