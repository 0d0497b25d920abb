"""What a keystroke in the filter of the list costs with 100,000 runs, beside its limit.

    .venv/bin/python benchmarks/filter.py [--runs 100000] [--rounds 3]

Runs are made from a seed; each filter is typed letter by letter, as in the list, without a terminal. The times are the
processor's for this thread, so that other programs do not count.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path

from rows import plain, tell

from trajview.app.runs.run_list import RunList
from trajview.corpus.info import RunInfo

LIMIT = 0.05  # seconds a keystroke
TYPED = (
    "nightbus",
    "reward < 0.5 and model ~ gpt",
    "7f units > 40 sort:-reward,units",
    "format == docent or messages >= 100 and not annotated",
)


def made(count: int) -> RunList:
    """A list of so many runs."""
    rng = random.Random(1)
    runs = RunList()
    path = Path("/logs/runs.jsonl")
    for first in range(0, count, 1000):
        batch = []
        for number in range(first, min(first + 1000, count)):
            id = f"{rng.getrandbits(64):x}"
            models = (rng.choice(["gpt-4o", "claude-4", "meridian-3"]),)
            sizes = {"messages": rng.randrange(500), "units": rng.randrange(80), "length": rng.randrange(100_000)}
            batch.append(
                RunInfo(
                    id, id, path, "runs.jsonl", rng.choice(["docent", "openai"]), "jsonl", number,
                    rewards=(rng.random(),), models=models, offset=number, **sizes,  # type: ignore[arg-type]
                )
            )  # fmt: skip
        runs.append(batch)
    return runs


def typed(runs: RunList, text: str) -> list[float]:
    """The seconds that each letter takes."""
    found = []
    for end in range(1, len(text) + 1):
        start = time.thread_time()
        runs.filter(text[:end], typing=True)
        found.append(time.thread_time() - start)
    runs.filter("")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    for text in TYPED:
        first: list[float] = []
        took = []
        for _ in range(given.rounds):
            found = typed(made(given.runs), text)
            first.append(max(found))
            took += found
        took.sort()
        middle, slow = took[len(took) // 2], min(first)
        beside = f"median {plain(middle * 1000, 'ms')}"
        tell(0, f"{given.runs:,} runs, slowest letter of: {text}", slow * 1000, LIMIT * 1000, "ms", beside=beside)


if __name__ == "__main__":
    main()
