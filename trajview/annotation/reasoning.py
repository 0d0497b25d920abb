"""The reasoning of a record: free text, or with reasons by agent and dimension in the shape that Sotopia's readers split.

Sotopia's evaluator writes, to the character:

    Environment comments: …\\nAgent 1 comments:\\nbelievability: …\\ngoal: …\\nAgent 2 comments:\\nbelievability: …\\n…

and its readers split at exactly `Agent {i} comments:\\n`, take the last block of each agent, and split its lines at the
first colon. `compose` writes that, `divide` reads back what `compose` has written, and neither ever drops a word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .draft import Values
from .rubric import Rubric

__all__ = ["compose", "divide", "one_line_of"]

_GENERAL = "Environment comments: "
_HEADING_AT_END = re.compile(r"Agent \d+ comments:\Z")


def one_line_of(rationale: str) -> str:
    """A rationale on one line: without white space around it, line breaks turned into spaces."""
    return " ".join(line for line in rationale.strip().splitlines() if line) if rationale.strip() else ""


def compose(general: str, rationales: Values, rubric: Rubric, agents: int) -> str:
    """Compose the reasoning of a record. Without any rationale it is the general text as it is.

    Every agent gets a block, and every block the same dimensions: those with a rationale, in the rubric's order. An
    empty block would be lost by readers that strip what they read. An episode's rationale stands in every block.
    """
    given = [_filled(agent) for agent in rationales]
    if not any(given):
        return general
    blocks: list[Mapping[str, str]] = [*given, *[{}] * (agents - len(given))]
    common: dict[str, str] = {}
    for dimension in rubric.dimensions:
        if dimension.per == "episode":
            said = [agent[dimension.name] for agent in given if dimension.name in agent]
            common |= {dimension.name: said[0]} if said else {}
    names = [dimension.name for dimension in rubric.dimensions if any(dimension.name in agent for agent in given)]
    names += dict.fromkeys(name for agent in given for name in agent if name not in names)
    lines = [f"{_GENERAL}{general}"]
    for number, agent in enumerate(blocks, 1):
        lines.append(f"Agent {number} comments:")
        lines += [_line(name, common.get(name) or agent.get(name, "")) for name in names]
    return "\n".join(lines) + "\n"


def divide(reasoning: str, rubric: Rubric, agents: int) -> tuple[str, Values]:
    """Divide a reasoning into the general text and each agent's rationales by dimension: the inverse of `compose`.

    Only dimensions that the rubric rates have a place in the panel; a text of any other shape is all general. Of a text
    that has the shape twice, as after a second evaluation, the last is divided and the first stays in the general text.
    """
    nothing: Values = ({},) * agents
    if agents < 1 or not reasoning.startswith(_GENERAL) or not reasoning.endswith("\n"):
        return reasoning, nothing
    lines = reasoning[:-1].split("\n")
    rated = {dimension.name for dimension in rubric.of_episodes}
    blocks: list[dict[str, str]] = []
    end = len(lines)
    for number in range(agents, 0, -1):
        begin = _heading_above(lines, end, number, len(rubric.dimensions))
        block = _block(lines[begin + 1 : end]) if begin else None
        if block is None or not block.keys() <= rated:
            return reasoning, nothing
        blocks.insert(0, block)
        end = begin
    general = "\n".join(lines[:end])[len(_GENERAL) :]
    rationales = tuple(_filled(block) for block in blocks)
    # Any other difference, such as another order or two spaces, would be lost on the way back.
    return (general, rationales) if compose(general, rationales, rubric, agents) == reasoning else (reasoning, nothing)


def _filled(agent: Mapping[str, str]) -> dict[str, str]:
    return {name: line for name, text in agent.items() if (line := one_line_of(text))}


def _line(name: str, rationale: str) -> str:
    # A space after a quoted heading keeps readers from taking it for one.
    return f"{name}: {rationale}{' ' if _HEADING_AT_END.search(rationale) else ''}"


def _heading_above(lines: Sequence[str], end: int, number: int, most: int) -> int:
    """The line where the block of an agent begins that ends before `end`; 0, the general text's, where there is none."""
    heading = f"Agent {number} comments:"
    for index in range(end - 1, max(0, end - most - 2), -1):
        if lines[index] == heading:
            return index
    return 0


def _block(lines: Sequence[str]) -> dict[str, str] | None:
    block: dict[str, str] = {}
    for line in lines:
        name, colon, rationale = line.partition(": ")
        if not colon or name in block:
            return None
        block[name] = rationale
    return block
