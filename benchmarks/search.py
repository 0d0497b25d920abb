"""Search in one long run, and keys meanwhile (row 8).

    .venv/bin/python benchmarks/search.py [--messages 100000] [--longer 1] [--file RUN.jsonl] [--runs 3]

The log is written from a seed (or yours is taken). Times of the search are those of the very loop that the program
runs in a thread; keys are pressed in a pseudo-terminal of 120x40 while it runs. The limit is decoding the run once.
"""

from __future__ import annotations

import argparse
import gc
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import msgspec
from keys import Program
from kinds import long_run_asked_for, long_run_options
from rows import plain, tell

from trajview.app.transcript.search import search
from trajview.corpus.corpus import Corpus
from trajview.corpus.query import query_from

NEEDLES = {
    "a word that is not there": "zzyzx",
    "a common word": "parser",
    "a regular expression": r"def \w+\(n",
    "one without a fixed text": r"[0-9]{3}\s+\w+ing?",
}
MILLIONS = {"words": r"\w+", "spaces": r"\s", "pairs of words": r"\w+ \w+", "an e and what follows": "e."}
"""What matches millions of times; without a target."""
PHRASE = re.compile(r"[a-z]+( [a-z]+){6}")
FIRST, ALL, KEY = 0.2, 1.0, 100.0  # s, s, ms


def once(messages: object, text: str, start: int) -> tuple[float, float, int]:
    """Seconds to the first hit and to the last, and how many there are. Without a hit both are the same."""
    begin = time.perf_counter()
    first = 0.0
    total = 0
    for hits in search(messages, query_from(text), start):  # type: ignore[arg-type]
        first = first or time.perf_counter() - begin
        total = hits.total
    return first, time.perf_counter() - begin, total


def phrase_in(texts: Iterable[str]) -> str:
    """The first seven words in a row; "" where nobody says so many."""
    found = (PHRASE.search(text) for text in texts)
    return next((match[0] for match in found if match), "")


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
    del data, value
    messages = corpus.load(info).transcripts[0].messages
    phrase = phrase_in(message.text for message in messages[min(777, len(messages) // 2) :])
    needles = NEEDLES | ({"seven words in a row": phrase} if phrase else {})
    print(f"{path.name}: {info.length:,} bytes, {len(messages):,} messages; decoding it takes {limit:.2f} s")
    size = megabytes(path)
    for what, text in needles.items():
        found = [once(messages, text, len(messages) // 3) for _ in range(runs)]
        first, every = (statistics.median(each[n] for each in found) for n in (0, 1))
        if found[0][2]:
            tell(8, f"{size}: {what}: first hit", first, FIRST)
        beside = f"{every / limit:.1f}x of decoding ({plain(limit, 's')}), {found[0][2]:,} hits"
        tell(8, f"{size}: {what}: all hits", every, ALL, beside=beside)
    for what, text in MILLIONS.items():
        begin = time.process_time()
        _, every, total = once(messages, text, len(messages) // 3)
        took = time.process_time() - begin
        beside = f"{plain(took, 's')} of a core, {took / limit:.1f}x of decoding, {total:,} hits"
        tell(0, f"{size}: {what} (`{text}`): all hits", every, beside=beside)


def report_keys(path: Path, folder: Path, presses: int) -> None:
    command = [sys.executable, "-m", "trajview", "--no-cache", "--store", str(folder / "store"), str(path)]
    program = Program(command, 120, 40)
    try:
        program.wait_for(b"unit 0/")
        program.press("G")
        program.settle(3.0)
        program.press("g")
        for what in ("a common word", "a word that is not there", "one without a fixed text", *MILLIONS):
            program.press("/")
            for key in (NEEDLES | MILLIONS)[what]:
                program.press(key)
            program.write("\r")
            took: list[tuple[float, float, int]] = []
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    long_run_options(parser)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--presses", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trajview-bench-") as name:
        folder = Path(name)
        path = long_run_asked_for(given, folder)
        report_search(path, given.runs)
        report_keys(path, folder, given.presses)


if __name__ == "__main__":
    main()
