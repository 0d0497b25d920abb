"""Search in one long run, keys meanwhile, and what has to draw all of it anew (rows 6 and 8).

    .venv/bin/python benchmarks/search.py [--messages 100000] [--longer 1] [--file RUN.jsonl] [--runs 3]

The log is written from a seed (or yours is taken). Times of the search are those of the very loop that the program
runs in a thread; keys are pressed in a pseudo-terminal of 120x40 while it runs. The limit is decoding the run once.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

import msgspec
from keys import Program
from kinds import LONG, write_long_run
from logs import write_chats
from rows import plain, tell

from trajview.app.app import make_app
from trajview.app.screens.transcript import TranscriptScreen
from trajview.app.search import search
from trajview.config import Settings
from trajview.corpus.corpus import Corpus
from trajview.corpus.query import query_from

NEEDLES = {
    "a word that is not there": "zzyzx",
    "a common word": "parser",
    "a regular expression": r"def \w+\(n",
    "one without a fixed text": r"[0-9]{3}\s+\w+ing?",
}
PHRASE = re.compile(r"[a-z]+( [a-z]+){6}")
FIRST, ALL, REPAINT, KEY = 0.2, 1.0, 150.0, 100.0  # s, s, ms, ms


def once(messages: object, text: str, start: int) -> tuple[float, float, int]:
    """Seconds to the first hit and to the last, and how many there are. Without a hit both are the same."""
    begin = time.perf_counter()
    first = 0.0
    total = 0
    for hits in search(messages, query_from(text), start):  # type: ignore[arg-type]
        first = first or time.perf_counter() - begin
        total = hits.total
    return first, time.perf_counter() - begin, total


def megabytes(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.0f} MB"


def report_search(path: Path, runs: int) -> None:
    corpus = Corpus([path])
    corpus.start()
    corpus.wait()
    info = corpus[0]
    data = path.read_bytes()
    gc.disable()  # or it looks through the values for as long again
    begin = time.perf_counter()
    value = msgspec.json.decode(data)
    limit = time.perf_counter() - begin
    gc.enable()
    texts = (PHRASE.search(str(message["content"])) for message in value["messages"][777:])
    needles = {**NEEDLES, "seven words in a row": next(found[0] for found in texts if found)}
    del data, value
    messages = corpus.load(info, lazily=True).transcripts[0].messages
    print(f"{path.name}: {info.length:,} bytes, {len(messages):,} messages; decoding it takes {limit:.2f} s")
    size = megabytes(path)
    for what, text in needles.items():
        found = [once(messages, text, len(messages) // 3) for _ in range(runs)]
        first, every = (statistics.median(each[n] for each in found) for n in (0, 1))
        if found[0][2]:
            tell(8, f"{size}: {what}: first hit", first, FIRST)
        beside = f"{every / limit:.1f}x of decoding ({plain(limit, 's')}), {found[0][2]:,} hits"
        tell(8, f"{size}: {what}: all hits", every, ALL, beside=beside)


def slowest(took: list[tuple[float, float, int]]) -> float:
    """The milliseconds of the slowest of some repaints, each of which has to have come."""
    if not all(count for _, _, count in took):
        raise SystemExit("a key, or a new size, was not answered")
    return max(last for _, last, _ in took)


def report_keys(path: Path, folder: Path, presses: int) -> None:
    command = [sys.executable, "-m", "trajview", "--no-cache", "--store", str(folder / "store"), str(path)]
    program = Program(command, 120, 40)
    try:
        program.wait_for(b"unit 0/")
        program.press("G")
        program.settle(3.0)
        program.press("g")
        took = [program.press("z") for _ in range(6)]
        tell(6, f"{megabytes(path)}: fold or unfold all", slowest(took), REPAINT, "ms")
        took = [program.resize(*size) for size in ((100, 36), (120, 40), (200, 60), (120, 40))]
        tell(6, f"{megabytes(path)}: resize the terminal", slowest(took), REPAINT, "ms")
        for what in ("a common word", "a word that is not there", "one without a fixed text"):
            program.press("/")
            for key in NEEDLES[what]:
                program.press(key)
            os.write(program.terminal, b"\r")
            took = []
            for turn in range(presses):
                time.sleep(0.03)
                took.append(program.press("jk"[turn % 2]))
            waits = sorted(each[1] for each in took if each[2])
            p95 = waits[int(0.95 * (len(waits) - 1))]
            beside = f"p95 {plain(p95, 'ms')}"
            tell(
                8, f"{megabytes(path)}: j and k while it looks for {what}, slowest", waits[-1], KEY, "ms", beside=beside
            )
            program.press("\x1b")
            program.settle(1.0, 3.0)
    finally:
        program.close()


async def report_themes(path: Path, folder: Path) -> None:
    """The program without a terminal: from a new theme to the next complete frame."""
    gc.disable()  # as the command line does: the app says when garbage is looked for
    corpus = Corpus([path])
    app = make_app(corpus, Settings(paths=(path,), store=folder / "store"))
    async with app.run_test(size=(120, 40)) as pilot:
        corpus.start()
        while not (isinstance(app.screen, TranscriptScreen) and app.screen.session is not None):
            await pilot.pause(0.1)
        while not app.screen.session.scanned:
            await pilot.pause(0.1)
        took, core = [], []
        for theme in ("trajview-light", "trajview-dark", "textual-dark", "trajview-dark"):
            begin, busy = time.perf_counter(), time.process_time()
            drawn = asyncio.Event()
            app.theme = theme
            # The styles are made anew after the next refresh, and what follows from that is drawn after the one after it.
            app.call_after_refresh(app.call_after_refresh, drawn.set)
            await drawn.wait()
            took.append((time.perf_counter() - begin) * 1000)
            core.append((time.process_time() - busy) * 1000)
            await pilot.pause(0.2)
        beside = f"of a core: {plain(max(core), 'ms')}"
        tell(6, f"{megabytes(path)}: switch the theme", max(took), REPAINT, "ms", beside=beside)
    corpus.cancel()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--longer", type=float, default=1, help="4.6 makes some 500 MB of 100,000 messages")
    parser.add_argument("--file", type=Path, help="a JSONL log of one long run to take instead")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--presses", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trajview-bench-") as name:
        folder, path = Path(name), given.file
        if path is None:
            path = folder / "run.jsonl"
            if given.longer == 1:
                write_chats(path, 1, given.messages)
            else:
                path = write_long_run(folder, next(iter(LONG)), given.messages, given.longer)
        report_search(path, given.runs)
        report_keys(path, folder, given.presses)
        asyncio.run(report_themes(path, folder))


if __name__ == "__main__":
    main()
