"""How long `trajview agreement` takes with intervals, as a whole program: 5 people, 1,000 episodes, 7 dimensions.

    .venv/bin/python benchmarks/agreement.py [--episodes 1000] [--people 5] [--runs 3]

Stores are written from a seed into a temporary folder: one where everybody rated everything and mostly agrees, one where a
tenth of the scores are missing, and one where scores are at random, which has the most kinds of pairs. Prints medians.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from rows import plain, tell

from trajview.annotation.rubric import SOTOPIA, Dimension

LIMIT = 3.0  # seconds of a core for 5 people and 1,000 episodes who mostly agree
_AGENTS = 2

Rate = Callable[[random.Random, Dimension, int], int | None]
"""What somebody gives by a dimension to what deserves that much; None for no score."""


def mostly(rng: random.Random, dimension: Dimension, deserved: int) -> int | None:
    """Half of the scores are what is deserved, the others beside it."""
    given = deserved + rng.choice((-2, -1, -1, 0, 0, 0, 0, 1, 1, 2))
    return max(int(dimension.low), min(int(dimension.high), given))


def with_gaps(rng: random.Random, dimension: Dimension, deserved: int) -> int | None:
    """A tenth of the scores are missing."""
    return None if rng.random() < 0.1 else mostly(rng, dimension, deserved)


def at_random(rng: random.Random, dimension: Dimension, _deserved: int) -> int | None:
    """Any score of the scale."""
    return rng.randint(int(dimension.low), int(dimension.high))


CASES: dict[str, Rate] = {"mostly agreed": mostly, "a tenth missing": with_gaps, "at random": at_random}


def write_store(store: Path, people: int, episodes: int, rate: Rate, seed: int = 1) -> None:
    """Records of so many people by Sotopia's rubric, of two agents in each episode."""
    rng = random.Random(seed)
    folder = store / "AnnotationForEpisode"
    folder.mkdir(parents=True)
    for episode in range(episodes):
        deserved = [
            {each: rng.randint(int(each.low), int(each.high)) for each in SOTOPIA.dimensions} for _ in range(_AGENTS)
        ]
        for person in range(people):
            rewards = []
            for agent in deserved:
                given = {each.name: rate(rng, each, score) for each, score in agent.items()}
                scores = {name: float(score) for name, score in given.items() if score is not None}
                rewards.append([sum(scores.values()) / max(1, len(scores)), scores])
            name = f"{episode:06}-{person}"
            record = {
                "pk": name,
                "episode": f"e{episode}",
                "annotator_id": f"p{person}",
                "rewards": rewards,
                "reasoning": "",
            }
            (folder / f"{name}.json").write_text(json.dumps(record, indent=2), encoding="utf-8")


def seconds(store: Path, *arguments: str) -> float:
    """The seconds of a core that the command takes on a store, started anew: others may be using the machine."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "trajview", "agreement", str(store), *arguments]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--people", type=int, default=5)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    for name, rate in CASES.items():
        with tempfile.TemporaryDirectory(prefix="trajview-bench-") as folder:
            store = Path(folder)
            write_store(store, given.people, given.episodes, rate)
            took = statistics.median(seconds(store) for _ in range(given.runs))
            without = statistics.median(seconds(store, "--resamples", "0") for _ in range(given.runs))
        limit = LIMIT if (given.people, given.episodes, rate) == (5, 1000, mostly) else None
        what = f"agreement, {given.people} people, {given.episodes:,} episodes: {name}"
        tell(0, what, took, limit, beside=f"without intervals: {plain(without, 's')}")


if __name__ == "__main__":
    main()
