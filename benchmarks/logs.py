"""Logs for benchmarks: made from a seed, so that the same arguments give the same bytes on every machine.

python benchmarks/logs.py OUT.jsonl --records 1000 --messages 40 [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["WORDS", "chat", "prose", "records", "write_chats"]

WORDS = [
    "the",
    "agent",
    "reads",
    "a",
    "file",
    "and",
    "runs",
    "its",
    "tests",
    "then",
    "looks",
    "at",
    "what",
    "failed",
    "because",
    "the",
    "parser",
    "drops",
    "the",
    "last",
    "line",
    "of",
    "every",
    "block",
    "while",
    "the",
    "cache",
    "keeps",
    "an",
    "old",
    "entry",
    "so",
    "we",
    "change",
    "one",
    "function",
    "add",
    "a",
    "case",
    "and",
    "try",
    "again",
    "with",
    "care",
]
TOOLS = ("bash", "read_file", "edit_file", "search")


def prose(rng: random.Random, median: float) -> str:
    """Sentences of a length around a median (lognormal), with a list and inline code here and there."""
    wanted = min(20_000, int(rng.lognormvariate(math.log(median), 0.8)))
    pieces: list[str] = []
    length = 0
    while length < wanted:
        sentence = " ".join(rng.choices(WORDS, k=rng.randint(5, 18))).capitalize() + "."
        kind = rng.random()
        if kind < 0.1:
            sentence = f"\n- **{rng.choice(WORDS)}**: `{rng.choice(WORDS)}()` {sentence}"
        elif kind < 0.15:
            sentence = (
                f"\n\n```python\ndef {rng.choice(WORDS)}(n: int) -> int:\n    return n + {rng.randint(1, 99)}\n```\n"
            )
        elif kind < 0.3:
            sentence += "\n\n"
        pieces.append(sentence)
        length += len(sentence)
    return " ".join(pieces)


def _output(rng: random.Random, longer: float) -> str:
    """Lines of a log or a listing, some with colours, lognormal in number."""
    count = min(2_000, max(1, int(rng.lognormvariate(math.log(14 * longer), 1.3))))
    colours = rng.random() < 0.2
    lines = []
    for number in range(count):
        line = f"{number:5d}  {' '.join(rng.choices(WORDS, k=rng.randint(3, 14)))}"
        lines.append(f"\x1b[3{number % 8}m{line}\x1b[0m" if colours else line)
    return "\n".join(lines)


def chat(rng: random.Random, number: int, messages: int, longer: float = 1) -> dict[str, Any]:
    """One OpenAI chat record of about so many messages, each so many times as long as usual."""
    said: list[dict[str, Any]] = [
        {"role": "system", "content": prose(rng, 1500 * longer)},
        {"role": "user", "content": prose(rng, 400 * longer)},
    ]
    while len(said) < messages:
        call = f"call_{number}_{len(said)}"
        arguments = json.dumps({"command": " ".join(rng.choices(WORDS, k=6))})
        said.append(
            {
                "role": "assistant",
                "content": prose(rng, 300 * longer),
                "tool_calls": [
                    {"id": call, "type": "function", "function": {"name": rng.choice(TOOLS), "arguments": arguments}}
                ],
            }
        )
        said.append({"role": "tool", "tool_call_id": call, "content": _output(rng, longer)})
        if rng.random() < 0.1:
            said.append({"role": "user", "content": prose(rng, 100 * longer)})
    return {"id": f"run-{number:07d}", "messages": said, "reward": round(rng.random(), 3)}


def records(count: int, messages: int, seed: int) -> Iterator[bytes]:
    """Records as JSON lines."""
    rng = random.Random(seed)
    for number in range(count):
        yield json.dumps(chat(rng, number, messages)).encode() + b"\n"


def write_chats(path: Path, count: int, messages: int, seed: int = 1) -> int:
    """Write JSON Lines of chats; returns the bytes."""
    with path.open("wb", buffering=1 << 20) as out:
        return sum(out.write(line) for line in records(count, messages, seed))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--records", type=int, default=1_000)
    parser.add_argument("--messages", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(f"{write_chats(given.out, given.records, given.messages, given.seed):,} bytes")


if __name__ == "__main__":
    main()
