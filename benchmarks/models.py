"""Action units and strings of so many tokens, each beside its limit (rows 10 and 11), in one run.

    .venv/bin/python benchmarks/models.py [--messages 1000000] [--strings 5000] [--runs 5]

Messages are made from a seed. The limit of the strings is encoding the same text once, in the same round; only that
ratio carries over to another machine.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from logs import WORDS
from rows import plain, tell

from trajview.models.messages import AssistantMessage, ChatMessage, SystemMessage, ToolMessage, UserMessage
from trajview.models.tokens import encoding
from trajview.models.transcript import Transcript

UNITS_LIMIT = 1.0  # seconds
STRINGS_LIMIT = 1.3  # times the encoding
KINDS: tuple[type[Any], ...] = (UserMessage, AssistantMessage, ToolMessage, AssistantMessage, ToolMessage)


def timed(work: Callable[[], Any], runs: int) -> float:
    """The median of the seconds that some work takes."""
    found = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def transcript(rng: random.Random, count: int, words: int) -> Transcript:
    """Messages of about so many words."""
    messages: list[ChatMessage] = [SystemMessage(content="Be brief.")]
    while len(messages) < count:
        text = " ".join(rng.choices(WORDS, k=max(1, int(rng.lognormvariate(0, 0.5) * words))))
        messages.append(rng.choice(KINDS)(content=text))
    return Transcript(messages=messages)


def units(messages: list[ChatMessage]) -> None:
    """The units of fresh messages, and each message's and each unit's look-up."""
    found = Transcript.model_construct(id="t", messages=messages, metadata={}, units=None)
    for index in range(len(messages)):
        found.get_action_unit_for_block(index)
    for index in range(len(found.units_of_action)):
        found.get_first_block_in_action_unit(index)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--strings", type=int, default=5_000)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    rng = random.Random(1)
    some = transcript(rng, 1000, 5).messages
    many = [rng.choice(some) for _ in range(given.messages)]
    took = timed(lambda: units(many), given.runs)
    tell(10, f"units and look-ups of {given.messages:,} messages", took, UNITS_LIMIT)
    encode = encoding().encode_ordinary
    for words in (6, 25, 150):
        said = transcript(rng, given.strings, words)
        whole = said.to_str()
        bare = timed(partial(encode, whole), given.runs)
        took = timed(partial(said.to_str_with_token_limit, 8000), given.runs)
        what = f"{given.strings:,} messages of {words} words in strings of 8,000 tokens"
        beside = f"{plain(took, 's')}; encoding once: {plain(bare, 's')}"
        tell(11, what, took / bare, STRINGS_LIMIT, "x", beside=beside)


if __name__ == "__main__":
    main()
