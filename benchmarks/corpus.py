"""How fast a corpus is listed and summed up, beside what the same machine can do at most, in one run.

`python benchmarks/corpus.py [--size 200M] [--file LOG.jsonl] [--files 20000] [--runs 5]` writes a seeded log of chats
into a temporary folder (or takes yours), and prints medians. Every limit is measured in the same round as what it
limits; only the ratios carry over to another machine. The rows are those of the table of targets.
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
from pathlib import Path
from threading import Event
from typing import Any

import msgspec
from logs import records

from trajview.corpus.cache import SummaryCache
from trajview.corpus.corpus import Corpus
from trajview.corpus.info import RunInfo, Updated
from trajview.corpus.listing import listed
from trajview.corpus.walk import SourceFile
from trajview.formats import registry


def write_log(path: Path, size: int) -> None:
    """Chats of some 40 messages: so many bytes of them, the first few MB again and again under other ids."""
    lines = list(records(300, 40, 1))
    written, turn = 0, 0
    with path.open("wb", buffering=1 << 20) as file:
        while written < size:
            for line in lines:
                written += file.write(line.replace(b'{"id": "run-0', b'{"id": "run%03d-' % turn, 1))
            turn += 1


def write_folder(folder: Path, count: int) -> None:
    folder.mkdir()
    for number in range(count):
        record = {
            "id": f"r{number}",
            "messages": [{"role": "user", "content": "x" * 3000}, {"role": "assistant", "content": "ok"}],
        }
        suffix = "json" if number % 2 else "jsonl"
        (folder / f"{number:06d}.{suffix}").write_text(json.dumps(record) + "\n")


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
    found = listed(SourceFile(path, path.name, True), registry.is_message_line, lambda record, _: f"x#{record}")
    return sum(1 for _ in found or ())


def sum_up(path: Path) -> None:
    Corpus([path]).scan()


def timed(work: Callable[[], Any], runs: int) -> float:
    found = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


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
    """How long another thread waits for its turn while a corpus is summed up: median and 99th percentile, in seconds."""
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
    return statistics.median(waits), waits[int(len(waits) * 0.99)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="200M", help="bytes to write, with K, M or G (powers of ten)")
    parser.add_argument("--file", type=Path, help="a JSONL log to take instead")
    parser.add_argument("--files", type=int, default=20_000, help="files in the folder; 0 leaves it out")
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trajview-bench-") as name:
        folder = Path(name)
        path = given.file
        if path is None:
            path = folder / "log.jsonl"
            write_log(path, int(float(given.size[:-1]) * {"K": 1e3, "M": 1e6, "G": 1e9}[given.size[-1].upper()]))
        report(path, folder, given.files, given.runs)


def report(path: Path, folder: Path, files: int, runs: int) -> None:
    size = path.stat().st_size
    find_loop(path)  # warms the page cache

    def line(what: str, seconds: float, limit: float | None = None, of: str = "", rate: bool = True) -> None:
        speed = f"{size / seconds / 1e9:8.2f} GB/s" if rate else " " * 13
        beside = f"   {seconds / limit:5.2f}x of {of}" if limit is not None else ""
        print(f"{what:44}{seconds:9.4f} s {speed}{beside}")

    print(f"{path.name}: {size:,} bytes, {find_loop(path):,} lines; medians of {runs}\n")
    bare = timed(lambda: find_loop(path), runs)
    listing = timed(lambda: list_all(path), runs)
    line("mmap.find loop (limit)", bare)
    line("row 2  list every record", listing, bare, "the mmap.find loop (limit 1.5x, for 1 GB 0.3 s)")
    skip, decode = timed(lambda: skip_all(path), runs), timed(lambda: decode_all(path), runs)
    line("\nmsgspec, messages left Raw (limit)"[1:], skip)
    line("msgspec decode (limit)", decode)
    summing = timed(lambda: sum_up(path), runs)
    line("row 3  sum up every record", summing, decode, f"decoding, {summing / skip:.2f}x of skipping (limit 1.0 GB/s)")
    first = median_of(lambda: background(path), runs)
    print()
    for what in ("first batch", "all listed", "all summed up"):
        line(f"in the background: {what}", first[what], rate=False)
    cache = folder / "cache.sqlite"
    background(path, SummaryCache(cache))
    again = median_of(lambda: background(path, SummaryCache(cache)), runs)
    line(
        "row 3  second opening: all summed up",
        again["all summed up"],
        first["all summed up"],
        "the first",
        False,
    )
    median, worst = pause(path)
    print(f"another thread waits for its turn meanwhile: median {median * 1e3:.2f} ms, 99% {worst * 1e3:.2f} ms")
    if files:
        many = folder / "many"
        write_folder(many, files)
        start = time.perf_counter()
        for entry in sorted(os.scandir(many), key=lambda entry: entry.name):
            entry.stat()
            descriptor = os.open(entry.path, os.O_RDONLY)
            os.pread(descriptor, 4096, 0)
            os.close(descriptor)
        limit = time.perf_counter() - start
        print(f"\na folder of {files:,} files")
        line("open each and read its first 4 KB (limit)", limit, rate=False)
        found = median_of(lambda: background(many), max(1, runs // 2))
        line("row 1  in the background: first batch", found["first batch"], 0.1, "0.1 s", False)
        line("in the background: all listed", found["all listed"], limit, "the limit", False)
        line("in the background: all summed up", found["all summed up"], rate=False)
        background(many, SummaryCache(cache))
        again = median_of(lambda: background(many, SummaryCache(cache)), max(1, runs // 2))
        line("second opening: all summed up", again["all summed up"], rate=False)


if __name__ == "__main__":
    main()
