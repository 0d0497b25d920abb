"""How many keys an episode takes: seven dimensions, two agents, one reason, submitted and on to the next.

    .venv/bin/python benchmarks/keystrokes.py

The scores are of sizes that are common in Sotopia's own annotations: three of fourteen are negative, none takes two digits.
A test presses these very keys in the program and compares the file that it writes.
"""

from __future__ import annotations

FIRST = ("8", "-2", "3", "0", "0", "1", "7")
SECOND = ("9", "-2", "1", "0", "-1", "1", "4")
"""The scores of two agents, in the order of Sotopia's dimensions."""

WHY = "keeps to what can be checked"
"""The one reason, for the first score."""


def typed(score: str) -> list[str]:
    """The keys of a score, as Textual names them."""
    return ["minus" if char == "-" else char for char in score]


def keys_of_an_episode(why: str = WHY) -> list[str]:
    """From the first cell, where the cursor is when an episode opens, to the key that submits."""
    keys = [*typed(FIRST[0]), "quotation_mark", *("space" if char == " " else char for char in why)]
    for score in FIRST[1:]:
        keys += ["enter", *typed(score)]
    for score in SECOND:
        keys += ["enter", *typed(score)]
    return [*keys, "ctrl+s"]


def main() -> None:
    keys = keys_of_an_episode()
    digits = sum(len(score) for score in (*FIRST, *SECOND))
    moves = keys.count("enter")
    print(f"{len(keys) - len(WHY)} keys and the {len(WHY)} characters of the reason:")
    print(f"  {digits} for 14 scores, {moves} x Enter, 1 to open the reason, 1 to submit and open the next")


if __name__ == "__main__":
    main()
