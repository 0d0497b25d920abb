"""A folder of Parquet shards: first screen beside a small one, all rows listed, the last row opened, memory, and the scan's speed.

    .venv/bin/python benchmarks/tables.py [--shards 100] [--rows 5000]

Linux only; needs the extra `parquet`. One shard is written from a seed, and has a link for each of the others. It has no ids, as
most published tables: each row is named by its number.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

import pyarrow
from first_screen import first_seen, run_in_terminal
from large import anonymous
from pyarrow import parquet
from rows import plain, tell

from trajview.corpus.corpus import Corpus

FLAT = 1.5
MESSAGES, LENGTH, GROUP = 10, 4000, 1000


def write_shards(folder: Path, shards: int, rows: int) -> int:
    """Write the shards; returns the bytes of all of them."""
    rng = random.Random(7)
    words = [rng.randbytes(4).hex() for _ in range(20_000)]
    folder.mkdir()
    first = folder / f"train-00000-of-{shards:05}.parquet"
    roles = ["user", "assistant"] * (MESSAGES // 2)
    table = pyarrow.Table.from_pylist([
        {
            "messages": [{"role": role, "content": " ".join(rng.choices(words, k=LENGTH // 9))} for role in roles],
            "reward": rng.random(),
        }
        for _ in range(rows)
    ])  # fmt: skip
    parquet.write_table(table, first, compression="zstd", row_group_size=GROUP)
    for number in range(1, shards):
        os.link(first, folder / f"train-{number:05}-of-{shards:05}.parquet")
    return first.stat().st_size * shards


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shards", type=int, default=100)
    parser.add_argument("--rows", type=int, default=5000, help="of each shard")
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trajview-bench-") as name:
        folder = Path(name)
        write_shards(folder / "small", 1, 2)
        size = write_shards(folder / "large", given.shards, given.rows)
        times: dict[str, list[float]] = {"small": [], "large": []}
        for turn in range(given.runs + 1):
            for each, found in times.items():
                command = [
                    sys.executable,
                    "-m",
                    "trajview",
                    "--no-cache",
                    "--store",
                    str(folder / "store"),
                    str(folder / each),
                ]
                took = first_seen(run_in_terminal(command, folder), "train-00000").after
                if turn:
                    found.append(took)
        little, much = (statistics.median(found) for found in times.values())
        what = f"{size / 1e9:.1f} GB of Parquet in {given.shards} shards"
        tell(
            0,
            f"exec to a first screen, {what}, in times of a small file's",
            much / little,
            FLAT,
            "x",
            beside=plain(little, "ms"),
        )

        before = anonymous(os.getpid())
        corpus, begun = Corpus([folder / "large"]), time.perf_counter()
        corpus.start()
        while len(corpus) < given.shards * given.rows:
            time.sleep(0.05)
        listed = time.perf_counter() - begun
        tell(0, f"all {len(corpus):,} rows listed", listed, None, "s")
        begun = time.perf_counter()
        corpus.load(corpus.resolve(corpus[-1]))
        tell(0, "the last one opened, while others are summed up", (time.perf_counter() - begun) * 1000, None, "ms")
        begun = time.perf_counter()
        corpus.wait(20)
        tell(0, "read and summed up in a second", corpus.bytes_done / 1e6 / (time.perf_counter() - begun), None, "MB")
        tell(0, "memory with all rows listed", anonymous(os.getpid()) - before, None, "MB")
        corpus.cancel()


if __name__ == "__main__":
    main()
