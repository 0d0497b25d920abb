"""Parsing of the plain text in Sotopia's episodes: actions, contexts, rewards, reasoning. Free of pydantic."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, TypedDict

from msgspec import Struct

if TYPE_CHECKING:
    from .run import Reward

__all__ = [
    "DIMENSIONS", "ENVIRONMENT", "EVALUATION", "OVERALL", "PUBLISHED_KEYS", "Action", "Context", "Dimension", "Said", "SplitReasoning",
    "agent_names_of", "comments_of", "is_context", "is_evaluation", "is_idle", "is_moderated", "merge_contexts", "parse_action",
    "parse_context", "rewards_of", "split_reasoning", "text_of", "turns_of",
]  # fmt: skip

ENVIRONMENT = "Environment"
EVALUATION = "Evaluation"
OVERALL = "overall_score"
"""The name that Sotopia reserves inside the dimensions for their mean: not a dimension."""

PUBLISHED_KEYS = {
    "pk": "episode_id",
    "environment": "environment_id",
    "agents": "agent_ids",
    "tag": "experiment_tag",
    "models": "experiment_model_name_pairs",
    "messages": "raw_messages",
    "rewards": "raw_rewards",
    "rewards_prompt": "raw_rewards_prompt",
}
"""Sotopia's key of an episode to the published dataset's. The raw one is the episode's own where both are there."""

Said = tuple[str, str, str]
"""Sender, receiver, text."""


class Dimension(Struct, frozen=True):
    """A dimension of Sotopia's rewards; both ends of the range count."""

    name: str
    low: int
    high: int


DIMENSIONS: tuple[Dimension, ...] = (
    Dimension("believability", 0, 10),
    Dimension("relationship", -5, 5),
    Dimension("knowledge", 0, 10),
    Dimension("secret", -10, 0),
    Dimension("social_rules", -10, 0),
    Dimension("financial_and_material_benefits", -5, 5),
    Dimension("goal", 0, 10),
)


def text_of(value: object) -> str:
    """Any decoded value as text: a string as it is, null as nothing, the rest as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):  # keys that JSON has not, cycles, a nesting too deep to write
        return f"({type(value).__name__} that cannot be shown)"


def _triple_of(item: object) -> Said:
    if isinstance(item, (list, tuple)) and len(item) == 3:
        return text_of(item[0]), text_of(item[1]), text_of(item[2])
    # Not a triple of Sotopia's: show the text, as told to everyone.
    return ENVIRONMENT, ENVIRONMENT, text_of(item)


def turns_of(messages: Iterable[object]) -> list[list[Said]]:
    """The messages by turn, as triples of strings; anything else becomes the environment's words."""
    if (
        isinstance(messages, list)
        and messages
        and type(messages[0]) is list
        and messages[0]
        and type(messages[0][0]) is tuple
    ):
        return messages  # only typed reading makes tuples: all of it is valid
    turns: list[list[Said]] = []
    for turn in messages:
        if isinstance(turn, (list, tuple)):
            if len(turn) == 3 and all(isinstance(part, str) for part in turn):
                turns.append([_triple_of(turn)])  # a flat list of messages: each is a turn
            else:
                turns.append([_triple_of(item) for item in turn])
        else:
            turns.append([] if turn is None else [_triple_of(turn)])
    return turns


def is_evaluation(said: Said) -> bool:
    """Whether a text is the evaluation that a stream appends after the end: rewards and reasoning, no one's words."""
    return said[0] == EVALUATION


def is_moderated(turns: Sequence[Sequence[Said]]) -> bool:
    """Whether a moderator ran the episode: it opens with the scenario, from the environment to itself."""
    return bool(turns and turns[0]) and turns[0][0][:2] == (ENVIRONMENT, ENVIRONMENT)


def agent_names_of(turns: Sequence[Sequence[Said]], pks: Sequence[str]) -> list[str]:
    """The display names in the order of the agents: turn 0's receivers, then who speaks, then the pks for the rest.

    Names are what messages hold; nothing else in an episode ties them to the pks.
    """
    names: dict[str, None] = {}
    for sender, receiver, _ in turns[0] if turns else ():
        if sender == ENVIRONMENT and receiver not in ("", ENVIRONMENT, EVALUATION):
            names[receiver] = None
    if not pks or len(names) < len(pks):
        for said in chain.from_iterable(turns):
            if pks and len(names) >= len(pks):
                break
            if said[0] not in ("", ENVIRONMENT) and not is_evaluation(said):
                names[said[0]] = None
    for index in range(len(names), len(pks)):
        name = pks[index] or f"Agent {index + 1}"
        names[name if name not in names else f"{name} ({index + 1})"] = None
    return list(names)


# -- actions


class Action(Struct, frozen=True):
    """An agent's action in a turn, as a person reads it.

    `kind` is Sotopia's action type: speak, action, non-verbal communication, leave, none; or other.
    `private_to` names who alone could see it, empty for a public action.
    """

    kind: str
    text: str
    private_to: tuple[str, ...] = ()


_PRIVATE = re.compile(r"\s*\[private to (\[[^\]\n]*\]|[^\]\n]*)\]\s*")
_QUOTED = re.compile(r"\"([^\"]*)\"|'([^']*)'")
_SPEECH = re.compile(r'said:\s*"(.*)"', re.DOTALL)
_DOING = re.compile(r"\[(action|non-verbal communication)\]\s*", re.DOTALL)
_MODERATED_DOING = re.compile(r'(action|non-verbal communication):\s*"(.*)"', re.DOTALL)
_IDLE = "did nothing"
_IDLE_ENDS = (_IDLE, f"{_IDLE}.")
_LEAVING = frozenset({"left", "left the conversation"})


def parse_action(sender: str, text: str) -> Action:
    """Parse an action's text; speech comes out of its `said: "…"`, any other text stays as it is.

    Doing nothing is only what says exactly that, never a speech that mentions it (Sotopia's own rendering drops both).
    """
    private_to: tuple[str, ...] = ()
    if private := _PRIVATE.match(text):
        inner = private[1].strip("[]")
        private_to = tuple(a or b for a, b in _QUOTED.findall(inner)) or tuple(filter(None, [inner.strip()]))
        text = text[private.end() :]
    text = text.strip()
    # A moderator writes the name into the text, and ends it with a full stop.
    if sender and text.startswith(f"{sender} "):
        text = text[len(sender) :].lstrip()
    bare = text.removesuffix(".")
    if bare == _IDLE:
        return Action("none", text, private_to)
    if bare in _LEAVING:
        return Action("leave", "left the conversation", private_to)
    if speech := _SPEECH.fullmatch(text):
        return Action("speak", speech[1], private_to)
    if doing := _DOING.match(text):
        return Action(doing[1], text, private_to)
    if doing := _MODERATED_DOING.fullmatch(text):
        return Action(doing[1], f"[{doing[1]}] {doing[2]}", private_to)
    return Action("other", text, private_to)


def is_idle(sender: str, text: str) -> bool:
    """Whether an action does nothing; its text may end in a full stop, and begin with the agent's name."""
    return text == _IDLE or (text.rstrip().endswith(_IDLE_ENDS) and parse_action(sender, text).kind == "none")


# -- the context in turn 0


class Context(Struct):
    """The context that an agent is given before an episode starts. Fields that it does not know (`Unknown`) are left out."""

    scenario: str = ""
    participants: str = ""
    backgrounds: dict[str, str] = {}
    goals: dict[str, str] = {}

    def __str__(self) -> str:
        blocks = [f"Scenario: {self.scenario}"]
        if self.participants:
            blocks.append(f"Participants: {self.participants}")
        blocks += [f"{name}'s background: {text}" for name, text in self.backgrounds.items()]
        blocks += [f"{name}'s goal: {text}" for name, text in self.goals.items()]
        return "\n\n".join(blocks)


_HEADER = re.compile(r"^(?:(Scenario|Participants)|([^\n:]{1,100}?)'s (background|goal)):[ \t]*", re.MULTILINE)
_STARTS = re.compile(r"^Conversation Starts:\s*\Z", re.MULTILINE)


_NEAR = 100  # characters


def is_context(text: str) -> bool:
    """Whether `parse_context` finds one: it does where a line begins with the scenario."""
    # Most often it is near the start. Backwards Python looks for the line's end first, of which there are few: that
    # takes a fifth of the time.
    return text.startswith("Scenario:") or "\nScenario:" in text[:_NEAR] or text.rfind("\nScenario:") >= 0


def parse_context(text: str) -> Context | None:
    """Parse the context that Sotopia writes at the start of turn 0, None where the text is something else."""
    if not is_context(text):
        return None
    end = _STARTS.search(text)
    body = text[: end.start()] if end else text
    headers = list(_HEADER.finditer(body))
    context = Context()
    for header, following in zip_longest(headers, headers[1:]):
        value = body[header.end() : following.start() if following else len(body)].strip()
        if header[1] == "Scenario":
            context.scenario = context.scenario or value
        elif header[1] == "Participants":
            context.participants = context.participants or value
        elif value and value != "Unknown":
            (context.backgrounds if header[3] == "background" else context.goals).setdefault(header[2], value)
    return context


def merge_contexts(contexts: Sequence[tuple[str, Context]]) -> Context:
    """The context of an onlooker, from each agent's: an agent's own words on itself are the whole truth."""
    merged = Context()
    names = dict.fromkeys(receiver for receiver, _ in contexts)
    for _, context in contexts:
        merged.scenario = merged.scenario or context.scenario
        merged.participants = merged.participants or context.participants
        names.update(dict.fromkeys([*context.backgrounds, *context.goals]))
    own = dict(contexts)
    backgrounds, goals = [context.backgrounds for _, context in contexts], [context.goals for _, context in contexts]
    for name in names:
        of_own = own.get(name, Context())
        for found, truth, told in (
            (merged.backgrounds, of_own.backgrounds, backgrounds),
            (merged.goals, of_own.goals, goals),
        ):
            if known := truth.get(name) or max((each.get(name, "") for each in told), key=len):
                found[name] = known
    return merged


# -- rewards and reasoning


def _number(value: object) -> float | None:
    if isinstance(value, (int, float, str)):
        try:
            return float(value)
        except (ValueError, OverflowError):
            return None
    return None


def _scored(value: object) -> object:
    """The score in `[comment, score]`, as a moderator's evaluator writes a dimension."""
    if isinstance(value, (list, tuple)) and len(value) == 2 and isinstance(value[0], str):
        return value[1]
    return value


def _dimensions(value: dict[Any, Any]) -> dict[str, float] | None:
    scores: dict[str, float] = {}
    for name, raw in value.items():
        score = _scored(raw)
        if score is None:
            continue  # not rated
        number = _number(score)
        if number is None:
            return None
        scores[str(name)] = number
    return scores


def _reward(value: object) -> Reward | None:
    if isinstance(value, (list, tuple)):
        if len(value) != 2 or not isinstance(value[1], dict):
            return None
        overall, scores = _number(value[0]), _dimensions(value[1])
        return None if overall is None or scores is None else (overall, scores)
    if isinstance(value, dict):
        scores = _dimensions(value)
        if scores is None:
            return None
        rated = [score for name, score in scores.items() if name != OVERALL]
        mean = sum(rated) / len(rated) if rated else 0.0
        return scores.get(OVERALL, mean), scores
    return _number(value)


def _by_agent(value: object, names: Sequence[str]) -> list[object] | None:
    """One value per agent, from a list, from a dict by name, or from either as a JSON string."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    if isinstance(value, dict):
        if set(value) == set(names):
            return [value[name] for name in names]
        return list(value.values())
    return list(value) if isinstance(value, (list, tuple)) else None


def rewards_of(value: object, names: Sequence[str] = ()) -> list[Reward] | None:
    """The rewards, one per agent, in Sotopia's types; None where they cannot be read.

    Reads lists, a raw JSON string, dicts by agent's name (a moderator's), and leaves out what was not rated (null).
    """
    values = _by_agent(value, names)
    if values is None:
        return None
    rewards = [_reward(item) for item in values]
    readable = [reward for reward in rewards if reward is not None]
    return readable if len(readable) == len(rewards) else None


def comments_of(value: object, names: Sequence[str] = ()) -> str:
    """The comments that a moderator's evaluator writes into the rewards, in the form of an evaluator's reasoning."""
    blocks = []
    for index, scores in enumerate(_by_agent(value, names) or ()):
        lines = [
            f"{name}: {raw[0]}\n"
            for name, raw in (scores.items() if isinstance(scores, dict) else ())
            if isinstance(raw, (list, tuple)) and len(raw) == 2 and isinstance(raw[0], str)
        ]
        if lines:
            blocks.append(f"Agent {index + 1} comments:\n{''.join(lines)}")
    return "".join(blocks)


class SplitReasoning(TypedDict):
    """An evaluator's reasoning in its parts: the environment's, and by agent (from 0) and dimension.

    Text under an agent that names no dimension is under the empty name.
    """

    environment: str
    agents: dict[int, dict[str, str]]


_BLOCK = re.compile(r"Environment comments:[ \t]*|Agent (\d{1,6}) comments:\n")
_COMMENT = re.compile(r"([A-Za-z_][\w-]*):[ \t]?(.*)")


def split_reasoning(reasoning: str) -> SplitReasoning:
    """The reasoning split as Sotopia's readers do: at `Agent {i} comments:\\n`, then each line at its colon.

    A line that starts with no name continues the one before. Episodes that were evaluated again hold it twice: the
    later words count. Text without any of these headings is the environment's.
    """
    blocks = list(_BLOCK.finditer(reasoning))
    split: SplitReasoning = {"environment": "", "agents": {}}
    if not blocks or blocks[0].start():
        split["environment"] = reasoning[: blocks[0].start() if blocks else len(reasoning)].strip()
    for block, following in zip_longest(blocks, blocks[1:]):
        text = reasoning[block.end() : following.start() if following else len(reasoning)].strip()
        if block[1] is None:
            split["environment"] = text or split["environment"]
            continue
        comments: dict[str, list[str]] = {}
        current = comments.setdefault("", [])
        for line in text.split("\n"):
            if found := _COMMENT.match(line):
                current = comments.setdefault(found[1], [])
                current.append(found[2])
            else:
                current.append(line)
        agent = split["agents"].setdefault(int(block[1]) - 1, {})
        agent.update({name: "\n".join(lines).strip() for name, lines in comments.items() if name or any(lines)})
    return split
