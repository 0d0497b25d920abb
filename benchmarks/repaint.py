"""What has to draw all of one long run anew: folds of everything, a new size of the terminal, another theme (row 6).

    .venv/bin/python benchmarks/repaint.py [--messages 100000] [--longer 4.6] [--file RUN.jsonl] [--rounds 5]

The log is written from a seed (or yours is taken) and read in a pseudo-terminal, from its middle, with the outline beside it
and then with the annotation panel as well. For each key and each size two times are told: to the first correct frame, from
which on nothing that can be seen changes any more (`frames.py`), and to the last byte. The target is about the first, and
about the message at the top, which has to be the same afterwards. A theme is switched by a key that only this script adds.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from frames import Frame, ShownProgram
from kinds import long_run_asked_for, long_run_options
from rows import plain, tell

TARGET = 150.0  # ms
SIZES = (200, 60), (120, 40), (80, 24), (120, 40)
THEME = "\x1b[20~"  # F9
WITH_THEME_KEY = """\
import sys
from trajview.__main__ import main
from trajview.app.app import TrajviewApp
def other_theme(self):
    self.theme = "trajview-dark" if self.theme == "trajview-light" else "trajview-light"
TrajviewApp.action_other_theme = other_theme
TrajviewApp._merged_bindings.bind("f9", "other_theme")
sys.argv[0] = "trajview"
main()
"""
PLACE = re.compile(r"unit \d+/\d+ · message (\d+)/")


def place(program: ShownProgram) -> str:
    """The message under the cursor, as the status line says."""
    program.look()
    found = PLACE.search(program.screen.text)
    if found is None:
        raise SystemExit(f"no status line on the screen:\n{program.screen.text}")
    return found[1]


def told(what: str, frames: Sequence[Frame], limit: float | None = TARGET) -> None:
    """The slowest of some frames, and beside it the others and the last bytes."""
    correct, last = [each.correct for each in frames], [each.last for each in frames]
    beside = (
        f"median {plain(statistics.median(correct), 'ms')}; to the last byte at most {plain(max(last), 'ms')}, "
        f"median {plain(statistics.median(last), 'ms')}, {max(each.count for each in frames) / 1e3:.0f} KB"
    )
    tell(6 if limit else 0, f"{what}: first correct frame", max(correct), limit, "ms", beside=beside)


def report(program: ShownProgram, what: str, rounds: int) -> None:
    """Fold, resize, and switch themes, so many times each."""
    here = place(program)
    acts: dict[str, list[Callable[[], Frame]]] = {
        "fold or unfold all": [partial(program.key_frame, "z")] * 3,
        "hide or show reasoning": [partial(program.key_frame, "r")] * 2,
        "switch the theme": [partial(program.key_frame, THEME)] * 2,
        "resize the terminal": [partial(program.size_frame, *size) for size in SIZES],
    }
    # What the units that come into view took, a thread counts once, and the outline shows it then.
    told(f"{what}: resize the terminal, the first time", [turn() for turn in acts["resize the terminal"]], None)
    for name, turns in acts.items():
        told(f"{what}: {name}", [turn() for _ in range(rounds) for turn in turns])
        if place(program) != here:
            raise SystemExit(f"{name}: message {here} was under the cursor, and now {place(program)} is")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    long_run_options(parser)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trajview-bench-") as name:
        folder = Path(name)
        path = long_run_asked_for(given, folder)
        (folder / "program.py").write_text(WITH_THEME_KEY)
        command = [
            sys.executable,
            str(folder / "program.py"),
            "--no-cache",
            "--store",
            str(folder / "store"),
            str(path),
        ]
        program = ShownProgram(command, 120, 40)
        try:
            program.wait_for(b"unit 0/")
            program.settle(3.0)
            program.press(":")
            for key in "50%\r":
                program.press(key)
            program.settle(1.0, 3.0)
            size = f"{path.stat().st_size / 1e6:.0f} MB"
            report(program, size, given.rounds)
            program.press("a")
            program.settle(1.0, 3.0)
            sizes = [each for _ in range(given.rounds) for each in SIZES]
            told(f"{size}, annotation panel open: resize the terminal", [program.size_frame(*each) for each in sizes])
        finally:
            program.close()


if __name__ == "__main__":
    main()
