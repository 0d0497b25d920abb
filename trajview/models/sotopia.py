"""Sotopia's records: episodes, agent profiles, and the annotations that people make of episodes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator, model_validator

from .annotation_pk import pk_of, rubric_of
from .episodes import (
    DIMENSIONS,
    ENVIRONMENT,
    OVERALL,
    PUBLISHED_KEYS,
    Dimension,
    Said,
    SplitReasoning,
    agent_names_of,
    is_evaluation,
    parse_action,
    rewards_of,
    split_reasoning,
    text_of,
    turns_of,
)
from .reward import Reward

__all__ = [
    "DIMENSIONS", "OVERALL", "AgentProfile", "AnnotationForEpisode", "Dimension", "EpisodeLog", "SplitReasoning",
    "load_profiles", "sentences_of", "split_reasoning",
]  # fmt: skip


class AgentProfile(BaseModel):
    """A character of Sotopia's. Every field has a default, since often only episodes are known.

    >>> from trajview import AgentProfile
    >>> AgentProfile(first_name="Ines", last_name="Barbosa", age=31).name
    'Ines Barbosa'
    """

    model_config = ConfigDict(extra="allow", protected_namespaces=())

    pk: str | None = ""
    first_name: str = ""
    last_name: str = ""
    age: int = 0
    occupation: str = ""
    gender: str = ""
    gender_pronoun: str = ""
    public_info: str = ""
    big_five: str = ""
    moral_values: list[str] = Field(default_factory=list)
    schwartz_personal_values: list[str] = Field(default_factory=list)
    personality_and_values: str = ""
    decision_making_style: str = ""
    secret: str = ""
    model_id: str = ""
    mbti: str = ""
    tag: str = ""

    @model_validator(mode="before")
    @classmethod
    def _published_spelling(cls, data: object) -> object:
        """Accept the published dataset's `agent_id` for `pk`, and null for unknown values."""
        if not isinstance(data, dict):
            return data
        known = {key: value for key, value in data.items() if value is not None}
        if "agent_id" in known and not known.get("pk"):
            known["pk"] = known.pop("agent_id")
        return known

    @field_validator("moral_values", "schwartz_personal_values", mode="before")
    @classmethod
    def _one_value_is_a_list(cls, value: object) -> object:
        return ([value] if value else []) if isinstance(value, str) else value

    @property
    def name(self) -> str:
        """First and last name: how messages call the agent."""
        return f"{self.first_name} {self.last_name}".strip()


def _profiles_in(path: Path) -> Iterator[AgentProfile]:
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    try:
        data = json.loads(text)
    except ValueError:
        data = [json.loads(line) for line in text.splitlines() if line.strip()]
    for item in data if isinstance(data, list) else [data]:
        yield AgentProfile.model_validate(item)


def load_profiles(path: Path) -> dict[str, AgentProfile]:
    """Profiles by pk, from a file (a JSON object or array, JSONL) or from a folder of such files.

    A file without a pk is named by its pk, as Sotopia's local backend does. In a folder, what is no profile is passed
    over; a file that was named is an OSError or a ValueError then.
    """
    profiles: dict[str, AgentProfile] = {}
    if not path.is_dir():
        return {profile.pk or path.stem: profile for profile in _profiles_in(path)}
    for file in sorted([*path.glob("*.json"), *path.glob("*.jsonl")]):
        try:
            profiles |= {profile.pk or file.stem: profile for profile in _profiles_in(file)}
        except (OSError, ValueError, RecursionError):
            continue
    return profiles


class EpisodeLog(BaseModel):
    """An episode as Sotopia writes it. Loads the published dataset's spelling too; dumps to Sotopia's own keys.

    `agents` are pks, `messages` are [sender, receiver, text] by turn, `rewards` one per agent. `models[0]` is the
    environment's. Unknown keys are ignored, as Sotopia does. Raises ValueError (pydantic's) where a record is no episode,
    or has not one reward per agent.

    >>> import json
    >>> from pathlib import Path
    >>> from trajview import EpisodeLog
    >>> episode = EpisodeLog.model_validate(json.loads(Path("sample_data/sotopia/deposit.json").read_text()))
    >>> episode.agent_names, len(episode.messages)
    (['Ines Barbosa', 'Tomasz Wrona'], 15)
    >>> profiles, texts = episode.render_for_humans()
    >>> profiles[0].name, texts[-1].splitlines()[0]
    ('Ines Barbosa', 'The rewards are:')
    """

    model_config = ConfigDict(protected_namespaces=())

    pk: str | None = ""
    environment: str
    agents: list[str]
    tag: str | None = ""
    models: list[str] | None = Field(default_factory=list)
    agent_classes: list[str] | None = Field(default_factory=list)
    messages: list[list[Said]]
    reasoning: str = ""
    rewards: list[Reward]
    rewards_prompt: str = ""

    @model_validator(mode="before")
    @classmethod
    def _published_spelling(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        if "raw_messages" in data:
            # Where both spellings are there, as `rewards` is, the raw one counts (Sotopia's `jsonl_to_episodes`).
            data = {**data, **{ours: data[theirs] for ours, theirs in PUBLISHED_KEYS.items() if theirs in data}}
        if isinstance(data.get("rewards"), str):
            data = {**data, "rewards": cls._rewards_from_text(data)}
        return data

    @classmethod
    def _rewards_from_text(cls, data: dict[str, Any]) -> object:
        """Read the rewards that a moderator leaves as JSON text, by agent's name, into the order of the agents."""
        messages, pks = data.get("messages"), data.get("agents")
        names: list[str] = []
        if isinstance(messages, (list, tuple)) and isinstance(pks, (list, tuple)):
            names = agent_names_of(turns_of(messages), [text_of(pk) for pk in pks])
        rewards = rewards_of(data["rewards"], names)
        return data["rewards"] if rewards is None else rewards

    @model_validator(mode="after")
    def _one_reward_per_agent(self) -> Self:
        """Check Sotopia's one rule: one reward per agent."""
        if len(self.rewards) != len(self.agents):
            raise ValueError(
                f"Number of agents in rewards {len(self.rewards)} and agents {len(self.agents)} do not match"
            )
        return self

    @property
    def agent_names(self) -> list[str]:
        """The display names in the order of `agents`, from turn 0's receivers."""
        return agent_names_of(self.messages, self.agents)

    @property
    def comments(self) -> SplitReasoning:
        """The reasoning by agent and dimension."""
        return split_reasoning(self.reasoning)

    def render_for_humans(
        self, profiles: Mapping[str, AgentProfile] | Path | None = None
    ) -> tuple[list[AgentProfile], list[str]]:
        """The agents' profiles, and one string per turn, then the reasoning, then the rewards of every agent.

        `profiles` are by pk, or a file or folder that holds them (OSError or ValueError if it cannot be read); an
        agent without one gets its name. The strings are Sotopia's own, for any number of agents, but for two things:
        only the action `did nothing` is dropped, not each text that mentions it, and what a stream appends
        (`Evaluation`) is no turn.
        """
        known = load_profiles(profiles) if isinstance(profiles, Path) else profiles or {}
        names = self.agent_names
        found = [known.get(pk) or _named(pk, name) for pk, name in zip(self.agents, names, strict=False)]
        turns = [
            _render_turn(turn, first=index == 0)
            for index, turn in enumerate(self.messages)
            if not turn or not all(map(is_evaluation, turn))
        ]
        rewards = "\n".join(f"Agent {index + 1}: {reward}" for index, reward in enumerate(self.rewards))
        return found, [*turns, f"The reasoning is:\n{self.reasoning}", f"The rewards are:\n{rewards}"]


def _named(pk: str, name: str) -> AgentProfile:
    first, _, last = name.partition(" ")
    return AgentProfile(pk=pk, first_name=first, last_name=last)


def _render_turn(turn: list[Said], *, first: bool) -> str:
    lines = []
    if first:
        lines += [
            f"{name}'s perspective (i.e., what {name} knows before the episode starts): {text}"
            for sender, name, text in turn
            if sender == ENVIRONMENT and name != ENVIRONMENT
        ]
    for sender, receiver, text in turn:
        if receiver != ENVIRONMENT:
            continue
        if sender == ENVIRONMENT:
            lines.append(text)
        elif parse_action(sender, text).kind != "none":
            text = text.strip().removeprefix(f"{sender} ")
            lines.append(f"{sender} {text}" if "said:" in text else f"{sender}: {text}")
    return "\n".join(lines)


class AnnotationForEpisode(BaseModel):
    """A person's annotation of an episode: five keys in Sotopia's order, and nothing else.

    `rewards` holds one reward per agent: a number, or the overall number and one for each dimension that was rated (null
    is refused, since Sotopia cannot load it). A `pk` that is left out is made from the episode, the annotator and the
    rubric, as a store makes it, so that saving the annotation again replaces it. `rubric` says which one; by default it is
    `sotopia` where Sotopia's dimensions are rated and `reward` where none is. Of other dimensions the rubric has to be
    named, else the pk stays empty; so it does in a record read by `from_json` that has none.

    Raises ValueError (pydantic's) where a value is none of these.

    >>> from trajview import AnnotationForEpisode
    >>> scores = [(7.0, {"goal": 7.0}), (4.5, {"goal": 4.0, "knowledge": 5.0})]
    >>> record = AnnotationForEpisode(episode="e1", annotator_id="ada", rewards=scores, reasoning="Both kept their word.")
    >>> record.pk
    'b6640a94-1c92-51fb-ba50-993e4a6c88a5'
    >>> AnnotationForEpisode.from_json(record.to_json()) == record
    True
    """

    pk: str | None = ""
    episode: str
    annotator_id: str
    rewards: list[Reward]
    reasoning: str

    @model_validator(mode="before")
    @classmethod
    def _pk_of_its_own(cls, data: object, info: ValidationInfo) -> object:
        """Give a new annotation a pk; a record that is read stays as it is."""
        if not isinstance(data, dict) or "pk" in data or info.mode == "json":
            return data
        episode, annotator, rubric = data.get("episode"), data.get("annotator_id"), data.get("rubric")
        if rubric is None:
            rewards = data.get("rewards")
            rubric = rubric_of(rewards) if isinstance(rewards, list | tuple) else None
        if not (isinstance(episode, str) and isinstance(annotator, str) and isinstance(rubric, str)):
            return data
        return {**data, "pk": pk_of(episode, annotator, rubric)}

    @field_validator("rewards", mode="before")
    @classmethod
    def _no_null(cls, value: object) -> object:
        for index, reward in enumerate(value if isinstance(value, (list, tuple)) else ()):
            if reward is None:
                raise ValueError(f"the reward of agent {index + 1} is null; it is a number, or a number and dimensions")
            scores = reward[1] if isinstance(reward, (list, tuple)) and len(reward) == 2 else None
            for name, score in scores.items() if isinstance(scores, dict) else ():
                if score is None:
                    raise ValueError(f"{name} of agent {index + 1} is null; leave out a dimension that is not rated")
        return value

    def to_json(self) -> str:
        """The text of the record on disk, to the byte as Sotopia's local backend writes it."""
        data: dict[str, Any] = self.model_dump(mode="json")
        return json.dumps(data, indent=2)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The record from its text. Raises ValueError (pydantic's) where it is none."""
        return cls.model_validate_json(text)


def sentences_of(error: ValidationError, limit: int = 20) -> list[str]:
    """The errors that a model found, one sentence each with its place in the record, at most `limit` of them."""
    found: dict[str, None] = {}
    for item in error.errors(include_url=False, include_input=False, include_context=False):
        place = "".join(
            f"[{part}]" if isinstance(part, int) else f".{part}"
            for part in item["loc"]
            # The branch of a union that was tried says nothing about the record.
            if isinstance(part, int) or (part != "float" and not part.startswith("tuple["))
        ).lstrip(".")
        message = item["msg"].removeprefix("Value error, ")
        found[f"{place}: {message}" if place else message] = None
    sentences = list(found)
    more = len(sentences) - limit
    return sentences if more <= 0 else [*sentences[:limit], f"and {more} more problems of this record"]
