"""Aligning two runs of so many messages, beside reading their messages once.

    .venv/bin/python benchmarks/compare.py [--messages 2000] [--runs 5]

The runs are made from a seed. They share a prefix of a quarter; after it each unit is the same, changed in some words,
or another, and some are missing on one side. `apart` are two runs that share a prefix only.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from logs import WORDS
from rows import plain, tell

from trajview.compare.alignment import align
from trajview.compare.prints import prints_of
from trajview.compare.text import pair_lines
from trajview.models.messages import AssistantMessage, ChatMessage, SystemMessage, ToolCall, ToolMessage
from trajview.models.transcript import Transcript

LIMIT = 0.1  # seconds for 2,000 messages a side


def timed(work: Callable[[], Any], runs: int) -> float:
    """The median of the seconds of a core that some work takes: others may be using the machine."""
    found = []
    for _ in range(runs):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return statistics.median(found)


def unit(rng: random.Random) -> list[ChatMessage]:
    """A step of an agent: some words, a call, its output."""
    said = " ".join(rng.choices(WORDS, k=rng.randint(10, 80)))
    command = " ".join(rng.choices(WORDS, k=4))
    output = "\n".join(" ".join(rng.choices(WORDS, k=8)) for _ in range(rng.randint(1, 40)))
    call = ToolCall(function=rng.choice(("bash", "edit")), arguments={"command": command})
    return [AssistantMessage(content=said, tool_calls=[call]), ToolMessage(content=output)]


def changed(messages: list[ChatMessage], rng: random.Random) -> list[ChatMessage]:
    """The same step with a tenth of its words exchanged."""
    words = messages[0].text.split()
    for _ in range(max(1, len(words) // 10)):
        words[rng.randrange(len(words))] = rng.choice(WORDS)
    return [messages[0].model_copy(update={"content": " ".join(words)}), *messages[1:]]


def two(rng: random.Random, count: int, *, apart: bool) -> tuple[Transcript, Transcript]:
    """Two runs of about so many messages each."""
    prefix: list[ChatMessage] = [SystemMessage(content="Be brief.")]
    sides: tuple[list[ChatMessage], list[ChatMessage]] = (prefix, list(prefix))
    while len(sides[0]) < count:
        step = unit(rng)
        if len(sides[0]) < count / 4:
            chance = 0.0
        else:
            chance = 1.0 if apart else rng.random()
        if chance < 0.5:
            both = step, step
        elif chance < 0.8:
            both = step, changed(step, rng)
        elif chance < 0.9:
            both = step, []
        else:
            both = step, unit(rng)
        sides[0].extend(both[0])
        sides[1].extend(both[1])
    return Transcript(messages=sides[0]), Transcript(messages=sides[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=2_000)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    rng = random.Random(7)
    for name, apart in (("alike", False), ("apart", True)):
        left, right = two(rng, args.messages, apart=apart)
        read = timed(lambda: (prints_of(left), prints_of(right)), args.runs)  # noqa: B023  called at once
        took = timed(lambda: align(left, right), args.runs)  # noqa: B023
        limit = LIMIT * 1000 if args.messages == 2_000 else None
        beside = f"reading them: {plain(read * 1000, 'ms')}"
        tell(
            0,
            f"two runs of {args.messages:,} messages, {name}, aligned, of a core",
            took * 1000,
            limit,
            "ms",
            beside=beside,
        )
    lines = [" ".join(rng.choices(WORDS, k=8)) for _ in range(20_000)]
    other = [line if rng.random() < 0.9 else f"{line} {rng.choice(WORDS)}" for line in lines]
    took = timed(lambda: pair_lines(lines, other), args.runs)
    tell(0, f"two texts of {len(lines):,} lines, a tenth changed, of a core", took * 1000, None, "ms")


if __name__ == "__main__":
    main()
