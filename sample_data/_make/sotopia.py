"""sotopia/: episodes of two and three agents, in Sotopia's own spelling and in that of the published dataset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .workshop import stable_id

DIMENSIONS = (
    "believability",
    "relationship",
    "knowledge",
    "secret",
    "social_rules",
    "financial_and_material_benefits",
    "goal",
)


@dataclass(frozen=True)
class Person:
    """An agent of an episode: `about` is known to all, `secret` and `goal` only to itself."""

    name: str
    about: str
    secret: str
    goal: str
    model: str
    scores: tuple[int, int, int, int, int, int, int]
    comments: tuple[str, str, str, str, str, str, str]

    @property
    def pk(self) -> str:
        return stable_id("agent", self.name)


@dataclass(frozen=True)
class Episode:
    """A scenario, its people, and who did what: one list of (name, action) for each turn.

    With `spaced` the actions are written as Sotopia does since late 2025: public ones begin with a space.
    """

    codename: str
    scenario: str
    people: tuple[Person, ...]
    turns: tuple[tuple[tuple[str, str], ...], ...]
    ending: str
    tag: str = "sample_data_v1"
    evaluator: str = "meridian-3-large"
    spaced: bool = False


def says(text: str) -> str:
    return f'said: "{text}"'


def does(text: str) -> str:
    return f"[action] {text}"


def shows(text: str) -> str:
    return f"[non-verbal communication] {text}"


def _context(episode: Episode, reader: Person) -> str:
    people = episode.people
    names = [person.name for person in people]
    together = " and ".join(names) if len(names) == 2 else ", ".join(names[:-1]) + f" and {names[-1]}"
    lines = ["\nHere is the context of this interaction:", f"Scenario: {episode.scenario}", f"Participants: {together}"]
    for person in people:
        secret = f"{person.name.split()[0]}'s secrets: {person.secret}" if person is reader else ""
        lines.append(f"{person.name}'s background: {person.about} {secret}".rstrip(" ") + ("" if secret else " "))
    for person in people:
        lines.append(f"{person.name}'s goal: {person.goal if person is reader else 'Unknown'}")
    return "\n".join([*lines, "Conversation Starts:\n"])


def _messages(episode: Episode) -> list[list[list[str]]]:
    names = [person.name for person in episode.people]

    def actions(turn: tuple[tuple[str, str], ...]) -> list[list[str]]:
        done = dict(turn)
        unknown = done.keys() - set(names)
        assert not unknown, unknown
        rows = []
        for name in names:
            action = done.get(name, "did nothing")
            if episode.spaced and action != "did nothing" and not action.startswith("[private"):
                action = f" {action}"
            rows.append([name, "Environment", action])
        return rows

    def seen(number: int, turn: tuple[tuple[str, str], ...], reader: str) -> str:
        lines = [
            f"{name} {action}"
            for name, action in turn
            if not action.startswith("[private") or reader == name or f"'{reader}'" in action.split("]", 1)[0]
        ]
        return f"Turn #{number}: " + "\n".join(lines) + "\n"

    turns = [[["Environment", p.name, _context(episode, p)] for p in episode.people] + actions(episode.turns[0])]
    for number, turn in enumerate(episode.turns[1:]):
        observed = [["Environment", name, seen(number, episode.turns[number], name)] for name in names]
        turns.append(observed + actions(turn))
    last = len(episode.turns) - 1
    turns.append([["Environment", name, seen(last, episode.turns[last], name)] for name in names])
    return turns


def _rewards(episode: Episode) -> list[list[Any]]:
    rewards: list[list[Any]] = []
    for person in episode.people:
        overall = sum(person.scores) / len(person.scores)
        by_dimension: dict[str, float] = {d: float(s) for d, s in zip(DIMENSIONS, person.scores, strict=True)}
        rewards.append([overall, {**by_dimension, "overall_score": overall}])
    return rewards


def _reasoning(episode: Episode) -> str:
    lines = [f"Environment comments: terminated: {episode.ending}"]
    for number, person in enumerate(episode.people, start=1):
        lines.append(f"Agent {number} comments:")
        lines.extend(f"{d}: {c}" for d, c in zip(DIMENSIONS, person.comments, strict=True))
    return "\n".join(lines) + "\n"


PROMPT = (
    "Prompt after formatting:\n{history}\n\nBased on previous interactions, evaluate how well participants achieve their goals, "
    "in seven dimensions.\n"
)


def _interactions(episode: Episode) -> str:
    return "\n\n".join(f"{n} {a}" for turn in episode.turns for n, a in turn if not a.startswith("[private"))


def episode_log(episode: Episode) -> dict[str, Any]:
    """Sotopia's EpisodeLog."""
    return {
        "pk": stable_id("episode", episode.codename),
        "environment": stable_id("environment", episode.codename),
        "agents": [person.pk for person in episode.people],
        "tag": episode.tag,
        "models": [episode.evaluator, *(person.model for person in episode.people)],
        "agent_classes": ["LLMAgent"] * len(episode.people),
        "messages": _messages(episode),
        "reasoning": _reasoning(episode),
        "rewards": _rewards(episode),
        "rewards_prompt": PROMPT.format(history=_interactions(episode)),
    }


def published(episode: Episode) -> dict[str, Any]:
    """The same in the spelling of the published dataset."""
    return {
        "episode_id": stable_id("episode", episode.codename),
        "environment_id": stable_id("environment", episode.codename),
        "agent_ids": [person.pk for person in episode.people],
        "experiment_tag": episode.tag,
        "experiment_model_name_pairs": [episode.evaluator, *(person.model for person in episode.people)],
        "raw_messages": _messages(episode),
        "raw_rewards": _rewards(episode),
        "raw_rewards_prompt": PROMPT.format(history=_interactions(episode)),
        "scenario": episode.scenario,
        "codename": episode.codename,
        "agents_background": {p.name: f"{p.about} {p.name.split()[0]}'s secrets: {p.secret}" for p in episode.people},
        "social_goals": {p.name: p.goal for p in episode.people},
        "social_interactions": _interactions(episode),
        "reasoning": _reasoning(episode),
        "rewards": _rewards(episode),
    }
