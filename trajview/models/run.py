"""Agent runs: what a corpus is made of, and what is annotated."""

from __future__ import annotations

from uuid import uuid4

from pydantic import Field, field_validator

from .messages import Metadata, _OptionalExtras
from .transcript import Transcript, TranscriptGroup

__all__ = ["AgentRun", "Reward", "overall_of"]

Reward = float | tuple[float, dict[str, float]]
"""Sotopia's: a number, or the overall number with one for each dimension."""


def overall_of(reward: Reward) -> float:
    """The one number of a reward."""
    return reward[0] if isinstance(reward, tuple) else reward


class AgentRun(_OptionalExtras):
    """One run of one or more agents: at least one transcript, and what is known about them all.

    `agents` names the agents, `rewards` holds one reward for each of them, `reasoning` is the evaluator's; these and
    `source_format` are ours, the rest is Docent's. An old form of Docent's gives `transcripts` as a dict by name.
    """

    id: str = Field(default_factory=lambda: str(uuid4()))
    name: str | None = None
    description: str | None = None
    transcripts: list[Transcript]
    transcript_groups: list[TranscriptGroup] = Field(default_factory=list)
    metadata: Metadata = Field(default_factory=dict)
    agents: list[str] | None = None
    rewards: list[Reward] | None = None
    reasoning: str | None = None
    source_format: str | None = None

    @field_validator("transcripts", "transcript_groups", mode="before")
    @classmethod
    def _dict_counts_by_its_values(cls, value: object) -> object:
        if value is None:
            return []
        return list(value.values()) if isinstance(value, dict) else value

    @field_validator("transcripts")
    @classmethod
    def _at_least_one_transcript(cls, value: list[Transcript]) -> list[Transcript]:
        if not value:
            raise ValueError("an agent run needs at least one transcript")
        return value

    @classmethod
    def _unset_names(cls) -> frozenset[str]:
        return frozenset({"agents", "rewards", "reasoning", "source_format"})

    @property
    def agent_names(self) -> list[str]:
        """One name for each agent; a run that names none has one, called `agent`."""
        if self.agents:
            return list(self.agents)
        count = max(1, len(self.rewards or ()))
        return ["agent"] if count == 1 else [f"agent {i + 1}" for i in range(count)]
