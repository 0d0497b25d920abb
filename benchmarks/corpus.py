"""How fast a corpus is listed and summed up, beside what the same machine can do at most, in one run.

    .venv/bin/python benchmarks/corpus.py [--size 200M] [--format chat docent sotopia] [--file LOG.jsonl] [--files 20000] [--runs 5]

Writes a seeded log of each format into a temporary folder (or takes yours), and prints medians. Every limit is measured
in the same round as what it limits; only the ratios carry over to another machine. The rows are those of the table of
targets; rates, and what is measured in times of another thing, are of a core's time, everything else of the clock.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import msgspec
from kinds import LENGTH, RECORDS, bytes_of, write_log
from rows import plain, tell

from trajview.corpus.cache import SummaryCache
from trajview.corpus.corpus import Corpus
from trajview.corpus.info import RunInfo, Updated
from trajview.corpus.listing import listed
from trajview.corpus.walk import SourceFile


def write_folder(folder: Path, count: int) -> None:
    folder.mkdir()
    for number in range(count):
        record = {
            "id": f"r{number}",
            "messages": [{"role": "user", "content": "x" * 3000}, {"role": "assistant", "content": "ok"}],
        }
        suffix = "json" if number % 2 else "jsonl"
        (folder / f"{number:06d}.{suffix}").write_text(json.dumps(record) + "\n")


NAMES = {"chat": "chats", "docent": "Docent's runs", "sotopia": "Sotopia's episodes"}
LISTED, PASS = 0.3, 1.5  # seconds for 1 GB; times the bare loop
RATE = 1.0  # GB/s of a core
AGAIN = 0.1  # seconds, which nobody notices
TURN = 16.0  # ms, that of a key


def find_loop(path: Path) -> int:
    """The bare limit of a pass for newlines."""
    count = 0
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at = data.find(b"\n")
        while at >= 0:
            count += 1
            at = data.find(b"\n", at + 1)
    return count


def decode_all(path: Path) -> None:
    decode = msgspec.json.Decoder().decode
    with path.open("rb", buffering=1 << 20) as file:
        for line in file:
            decode(line)


class _Skipped(msgspec.Struct):
    messages: msgspec.Raw = msgspec.Raw()


def skip_all(path: Path) -> None:
    """Decoding with the messages left as they are: what no summary of messages can beat."""
    decode = msgspec.json.Decoder(_Skipped).decode
    with path.open("rb", buffering=1 << 20) as file:
        for line in file:
            decode(line)


def list_all(path: Path) -> int:
    found = listed(SourceFile(path, path.name, True), "x")
    return sum(1 for _ in found or ())


def sum_up(path: Path) -> None:
    Corpus([path]).scan()


def timed(work: Callable[[], Any], runs: int, clock: Callable[[], float] = time.perf_counter) -> float:
    found = []
    for _ in range(runs):
        start = clock()
        work()
        found.append(clock() - start)
    return statistics.median(found)


def report_pass(path: Path, runs: int, what: str) -> None:
    """The listing beside a bare search for newlines, measured in turn, in processor time."""
    found: dict[Callable[[Path], Any], list[float]] = {find_loop: [], list_all: []}
    for _ in range(runs):
        for work, times in found.items():
            times.append(timed(partial(work, path), 1, time.process_time))
    bare, listing = map(statistics.median, found.values())
    limit = f"a bare search for newlines: {plain(bare, 's')}"
    tell(2, f"{what}: all records listed, in times of a bare search", listing / bare, PASS, "x", beside=limit)


def forget(path: Path) -> None:
    """Have the system let go of a file, and read it again: its pages lie otherwise in memory then than when written."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        while file.read(1 << 20):
            pass


def background(path: Path, cache: SummaryCache | None = None) -> dict[str, float]:
    """Seconds from `start` to the first batch, to every run listed, and to every run summed up."""
    corpus = Corpus([path], cache)
    times: dict[str, float] = {}
    state = {"rows": 0, "last": 0.0}
    start = time.perf_counter()

    def take(batch: list[Any], finished: bool) -> None:
        now = time.perf_counter() - start
        new = sum(1 for item in batch if not isinstance(item, Updated))
        if new:
            times.setdefault("first batch", now)
            state["rows"] += new
            times["all listed"] = now
        if finished:
            times["all summed up"] = now

    corpus.subscribe(take)
    corpus.start()
    corpus.wait()
    times["runs"] = sum(1 for item in corpus.infos if isinstance(item, RunInfo))
    return times


def median_of(work: Callable[[], dict[str, float]], runs: int) -> dict[str, float]:
    found = [work() for _ in range(runs)]
    return {name: statistics.median(each[name] for each in found) for name in found[0]}


def pause(path: Path) -> tuple[float, float]:
    """How long another thread waits for its turn while a corpus is summed up: median and 95th percentile, in seconds."""
    corpus = Corpus([path])
    done = Event()
    corpus.subscribe(lambda _, finished: done.set() if finished else None)
    waits = []
    corpus.start()
    while not done.is_set():
        start = time.perf_counter()
        time.sleep(0.002)
        waits.append(time.perf_counter() - start - 0.002)
    waits.sort()
    return statistics.median(waits), waits[int(len(waits) * 0.95)]


def report_log(path: Path, folder: Path, what: str, runs: int) -> None:
    """The rows of a log, `what` it holds."""
    size = path.stat().st_size
    gb = f"{size / 1e9:.1f} GB of {what}"
    count = find_loop(path)
    print(f"{path.name}: {size:,} bytes, {count:,} lines; medians of {runs}")
    tell(2, f"{gb}: every record listed", timed(lambda: list_all(path), runs), LISTED * max(1.0, size / 1e9))
    if path.parent == folder:
        report_pass(path, runs, f"{gb}, just written")
        forget(path)
    report_pass(path, runs, f"{gb}, read from disk" if path.parent == folder else gb)
    skip, decode = (timed(partial(work, path), runs, time.process_time) for work in (skip_all, decode_all))
    summing = timed(lambda: sum_up(path), runs, time.process_time)
    limit = f"{summing / decode:.2f}x of decoding ({size / decode / 1e9:.2f} GB/s), {summing / skip:.2f}x of skipping messages"
    tell(3, f"{gb}: summed up, of a core", size / summing / 1e9, RATE, "GB/s", least=True, beside=limit)
    first = median_of(lambda: background(path), runs)
    for which in ("first batch", "all listed", "all summed up"):
        tell(0, f"{gb}: in the background: {which}", first[which])
    cache = folder / f"{path.stem}.sqlite"
    background(path, SummaryCache(cache))
    again = median_of(lambda: background(path, SummaryCache(cache)), runs)["all summed up"]
    beside = f"the first time: {plain(first['all summed up'], 's')}"
    tell(3, f"{gb}: opened again, all counts", again, AGAIN, beside=beside)
    median, worst = pause(path)
    beside = f"median {plain(median * 1e3, 'ms')}"
    tell(3, f"{gb}: another thread's wait for its turn meanwhile, p95", worst * 1e3, TURN, "ms", beside=beside)


def report_folder(folder: Path, files: int, runs: int) -> None:
    """The rows of a folder of so many files."""
    many, cache = folder / "many", folder / "many.sqlite"
    write_folder(many, files)
    start = time.perf_counter()
    for entry in sorted(os.scandir(many), key=lambda entry: entry.name):
        entry.stat()
        descriptor = os.open(entry.path, os.O_RDONLY)
        os.pread(descriptor, 4096, 0)
        os.close(descriptor)
    limit = f"each opened and its first 4 KB read: {plain(time.perf_counter() - start, 's')}"
    found = median_of(lambda: background(many), runs)
    tell(0, f"a folder of {files:,} files: its first batch", found["first batch"])
    tell(0, f"a folder of {files:,} files: all listed", found["all listed"], beside=limit)
    tell(0, f"a folder of {files:,} files: all summed up", found["all summed up"])
    background(many, SummaryCache(cache))
    again = median_of(lambda: background(many, SummaryCache(cache)), runs)["all summed up"]
    tell(0, f"a folder of {files:,} files: opened again", again)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="200M", help="bytes to write of each format, with K, M or G (powers of ten)")
    parser.add_argument("--format", nargs="+", choices=RECORDS, default=["chat"], help="what to write  [chat]")
    parser.add_argument("--messages", type=int, default=LENGTH, help="of each record")
    parser.add_argument("--file", type=Path, help="a JSONL log to take instead")
    parser.add_argument("--files", type=int, default=20_000, help="files in the folder; 0 leaves it out")
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trajview-bench-") as name:
        folder = Path(name)
        if given.file:
            report_log(given.file, folder, given.file.name, given.runs)
        else:
            for kind in given.format:
                path = folder / f"{kind}.jsonl"
                write_log(path, bytes_of(given.size), kind, given.messages)
                report_log(path, folder, NAMES[kind], given.runs)
                path.unlink()
        if given.files:
            report_folder(folder, given.files, max(1, given.runs // 2))


if __name__ == "__main__":
    main()
