"""How long a key takes until its repaint is complete, beside a Textual widget that does nothing but repaint.

    .venv/bin/python benchmarks/keys.py [--messages 200 20000] [--runs 20000] [--size 120x40] [--presses 60]

The program runs in a pseudo-terminal. For each key: write it, stamp the first and the last byte of the answer, which
ends when nothing has come for 60 ms (never part of a figure). The limit is a ScrollView of plain lines in the same
terminal, in the same run (row 5).
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

from logs import write_chats
from rows import plain, tell

QUIET = 0.06
LIMITS = 16.0, 25.0  # ms, up to 120x40 and above it
SLOWEST = 100.0  # ms
WHILE_READ = 4.0  # s in which keys are pressed while a list is read
LIMIT = """\
from rich.segment import Segment
from textual.app import App
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
class Lines(ScrollView, can_focus=True):
    BINDINGS = [("j", "go(1)"), ("space", "go(38)"), ("b", "go(-38)")]
    def on_mount(self):
        self.virtual_size = Size(self.size.width, 1_000_000)
    def render_line(self, y):
        return Strip([Segment(f"line {self.scroll_offset.y + y} ".ljust(self.size.width, "."))])
    def action_go(self, rows):
        self.scroll_to(y=self.scroll_offset.y + rows, animate=False)
class Limit(App):
    def compose(self):
        yield Lines()
Limit().run()
"""
KEYS = {
    "j": ("j",), "page": (" ", "b"), "end, top": ("G", "g"), "unit": ("]", "["), "highlight": ("n", "N"),
    "fold": ("\r",),
}  # fmt: skip

LOOKED_FOR = "failed because"
"""What some units say, so that there are highlights to jump to."""


class Program:
    """A program in a pseudo-terminal."""

    def __init__(self, command: Sequence[str], columns: int, rows: int) -> None:
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
            os.execv(command[0], list(command))

    def read(self) -> bytes:
        """What has been written; waits for it. Ends the benchmark where the program has ended."""
        try:
            return os.read(self.terminal, 1 << 16)
        except OSError as error:  # EIO: nobody has the terminal open any more
            raise SystemExit("the program ended before it was measured; what does it say in a terminal?") from error

    def write(self, keys: str) -> None:
        """Press keys."""
        os.write(self.terminal, keys.encode())

    def take_size(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def settle(self, quiet: float, patience: float = 60.0) -> tuple[float, float, int]:
        """Read until nothing has come for `quiet` seconds: when the first and the last byte came, and how many."""
        first = last = 0.0
        count = 0
        until = time.perf_counter() + patience
        while time.perf_counter() < until:
            ready, _, _ = select.select([self.terminal], [], [], quiet)
            if not ready:
                if first:
                    break
                continue
            data = self.read()
            last = time.perf_counter()
            first = first or last
            count += len(data)
        return first, last, count

    def wait_for(self, text: bytes, patience: float = 120.0) -> None:
        """Read until a text has been written."""
        seen, until = b"", time.perf_counter() + patience
        while text not in seen:
            ready, _, _ = select.select([self.terminal], [], [], 1.0)
            if ready:
                seen += self.read()
            if time.perf_counter() > until:
                raise SystemExit(f"{text!r} never came")

    def press(self, key: str) -> tuple[float, float, int]:
        """Milliseconds from a key to the first and the last byte of its repaint, and the bytes."""
        begin = time.perf_counter()
        self.write(key)
        first, last, count = self.settle(QUIET, 2.0)
        return (first - begin) * 1000, (last - begin) * 1000, count

    def held(self, key: str, presses: int) -> float:
        """Milliseconds from the last of so many presses, 30 a second, to the last byte of its repaint."""
        for _ in range(presses - 1):
            self.write(key)
            until = time.perf_counter() + 1 / 30
            while (left := until - time.perf_counter()) > 0:
                if select.select([self.terminal], [], [], left)[0]:
                    self.read()
        return self.press(key)[1]

    def close(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


def measure(program: Program, name: str, keys: Sequence[str], presses: int) -> tuple[float, float]:
    """Press keys in turn and print a line; returns the p95 and the slowest of the last bytes."""
    program.press(keys[0])
    return show(name, [program.press(keys[turn % len(keys)]) for turn in range(1, presses + 1)])


def show(name: str, took: list[tuple[float, float, int]]) -> tuple[float, float]:
    """Print a line; returns the p95 and the slowest of the last bytes."""
    last = sorted(one[1] for one in took if one[2])
    if not last:
        raise SystemExit(f"{name}: no key was answered")
    p95 = last[min(len(last) - 1, int(0.95 * len(last)))]
    first = statistics.median(one[0] for one in took if one[2])
    print(
        f"    {name:12} first {first:6.1f}   last p50 {statistics.median(last):6.1f}   p95 {p95:6.1f}   max {last[-1]:6.1f}"
    )
    return p95, last[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, nargs="+", default=[200, 20_000])
    parser.add_argument(
        "--runs", type=int, default=20_000, help="in a list that is read while keys are pressed; 0 for none"
    )
    parser.add_argument("--size", default="120x40")
    parser.add_argument("--presses", type=int, default=60)
    given = parser.parse_args()
    if given.runs == 1:
        parser.error("a single run is opened at once, not listed: --runs takes 2 or more, or 0 for none")
    columns, rows = map(int, given.size.split("x"))
    print(f"key to repaint, ms, {given.presses} presses each, {columns}x{rows}")
    with tempfile.TemporaryDirectory() as folder:
        limit_app = Path(folder, "limit.py")
        limit_app.write_text(LIMIT)
        program = Program([sys.executable, str(limit_app)], columns, rows)
        program.settle(0.5)
        print("  limit: a ScrollView of plain lines")
        line, _ = measure(program, "j", KEYS["j"], given.presses)
        page, _ = measure(program, "page", KEYS["page"], given.presses)
        program.close()
        for messages in given.messages:
            path = Path(folder, f"{messages}.jsonl")
            size = write_chats(path, 1, messages)
            command = [sys.executable, "-m", "trajview", "--store", folder, "--highlight", LOOKED_FOR, str(path)]
            program = Program(command, columns, rows)
            begin = time.perf_counter()
            program.wait_for(b"unit 0/")
            opened = time.perf_counter() - begin
            program.settle(1.0)
            program.press("n")
            program.settle(2.0, 30.0)  # until all highlights are counted
            print(f"  trajview, one run of {messages:,} messages, {size / 1e6:.1f} MB, open after {opened:.2f} s")
            found = {name: measure(program, name, keys, given.presses) for name, keys in KEYS.items()}
            last = program.held("j", 60)
            program.close()
            run = f"{messages:,} messages, {given.size}"
            beside = f"a widget that only repaints, a line: {plain(line, 'ms')}, a page: {plain(page, 'ms')}"
            most = LIMITS[columns * rows > 120 * 40]
            for name, (p95, slowest) in found.items():
                tell(5, f"{run}: {name}, p95", p95, most, "ms", beside=f"slowest {plain(slowest, 'ms')}; {beside}")
            tell(5, f"{run}: the slowest of all keys", max(each for _, each in found.values()), SLOWEST, "ms")
            tell(5, f"{run}: the last of 60 j of a held key", last, SLOWEST, "ms")
        if given.runs:
            path = Path(folder, "runs.jsonl")
            size = write_chats(path, given.runs, 2)
            command = [sys.executable, "-m", "trajview", "--no-cache", "--store", folder, str(path)]
            program = Program(command, columns, rows)
            program.wait_for("▌".encode())
            print(f"  trajview, a list of {given.runs:,} runs, {size / 1e6:.1f} MB, while it is read")
            until = time.perf_counter() + WHILE_READ
            took: list[tuple[float, float, int]] = []
            while time.perf_counter() < until:
                took.append(program.press("jk"[len(took) % 2]))
            program.close()
            p95, slowest = show("j, k", took)
            beside = f"slowest {plain(slowest, 'ms')}; a widget that only repaints, a line: {plain(line, 'ms')}"
            tell(0, f"{given.runs:,} runs that are read: j and k, p95", p95, SLOWEST, "ms", beside=beside)


if __name__ == "__main__":
    main()
