"""Sotopia episodes, native or as published: the onlooker's transcript by turn, then one per agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajview.errors import FormatError, Problem
from trajview.models.episodes import rewards_of

from .base import Detection, Origin, Summary
from .sotopia_episode import Episode, Line, agent_lines, context_of, episode_of, onlooker_count, onlooker_lines, where

if TYPE_CHECKING:
    from trajview.models.run import AgentRun
    from trajview.models.transcript import Transcript

__all__ = ["FORMAT", "SotopiaFormat"]


def _models_by_agent(episode: Episode) -> dict[str, str]:
    """`models[0]` is the environment's; a moderator lists the agents' alone."""
    alone = episode.moderated and len(episode.models) == len(episode.agents)
    models = episode.models if alone else episode.models[1:]
    return {agent: model for agent, model in zip(episode.agents, models, strict=False) if model}


def _transcript(episode: Episode, key: str, name: str, lines: list[Line]) -> Transcript:
    from trajview.models.messages import AssistantMessage, ChatMessage, SystemMessage, UserMessage
    from trajview.models.transcript import Transcript

    models = _models_by_agent(episode)
    messages: list[ChatMessage] = []
    units: list[list[int]] = [[] for _ in episode.turns]
    for line in lines:
        units[line.turn].append(len(messages))
        metadata: dict[str, Any] = {"turn": line.turn} | ({"action": line.action} if line.action else {})
        if line.role == "assistant":
            messages.append(
                AssistantMessage(
                    content=line.text,
                    name=line.name,
                    recipient=line.recipient,
                    metadata=metadata,
                    model=models.get(line.name),
                )
            )
        else:
            kind = SystemMessage if line.role == "system" else UserMessage
            messages.append(kind(content=line.text, name=line.name, recipient=line.recipient, metadata=metadata))
    return Transcript(
        id=f"{episode.id}/{key}", name=name, messages=messages, units=units if all(units) and units else None
    )


def _rewards_note(episode: Episode) -> str | None:
    """Why an episode's rewards cannot be shown as rewards; None where they can, or where there are none."""
    if episode.rewards is not None:
        return None
    rewards = episode.fields.get("rewards")
    if rewards in (None, []):
        return None
    read = rewards_of(rewards, episode.agents)
    if read is None:
        return "they are not numbers, nor numbers with dimensions"
    return f"{len(read)} for {len(episode.agents)} agents"


def _metadata(episode: Episode) -> dict[str, Any]:
    fields = dict(episode.fields)
    context = context_of(episode)
    metadata: dict[str, Any] = {
        key: fields.pop(key) for key in ("environment", "tag", "models", "agent_classes") if key in fields
    }
    if "agents" in fields:
        metadata["agent_pks"] = fields.pop("agents")
    metadata["scenario"] = fields.pop("scenario", None) or context.scenario
    metadata["goals"] = context.goals or fields.pop("social_goals", {})
    metadata["backgrounds"] = context.backgrounds or fields.pop("agents_background", {})
    note, rewards = _rewards_note(episode), fields.pop("rewards", None)
    if note is not None:
        metadata["rewards"] = rewards
        metadata["rewards_note"] = f"not shown as rewards: {note}"
    reasoning = fields.pop("reasoning", "")
    if not isinstance(reasoning, str) and reasoning is not None:
        metadata["reasoning"] = reasoning
    for key in ("pk", "messages"):
        fields.pop(key, None)
    return {key: value for key, value in metadata.items() if value not in (None, "", {}, [])} | {
        key if key not in metadata else f"{key} (record)": value for key, value in fields.items()
    }


class SotopiaFormat:
    """Sotopia's EpisodeLog, and the spelling in which the dataset is published."""

    name = "sotopia"
    label = "Sotopia episode"

    def detect(self, record: Any) -> Detection | None:
        """Sure by the keys and by turns of [sender, receiver, text]; less so where keys are missing or turns odd."""
        if not isinstance(record, dict):
            return None
        if "raw_messages" in record and ("episode_id" in record or "agent_ids" in record):
            messages, why, sure = record["raw_messages"], "the published dataset's keys", 0.98
        elif "messages" in record and "environment" in record and "agents" in record:
            full = "rewards" in record and "reasoning" in record
            messages, why, sure = record["messages"], "EpisodeLog's keys", 0.97 if full else 0.8
        else:
            return None
        if not isinstance(messages, list):
            return None
        reasons = (f"has {why}",)
        first = next((turn for turn in messages[:20] if turn), None)
        if first is None:
            return Detection(self.name, sure - 0.2, (*reasons, "has no messages"))
        if not isinstance(first, list):
            return None  # a list of chat messages
        triple = first[0]
        if isinstance(triple, (list, tuple)) and len(triple) == 3:
            return Detection(self.name, sure, (*reasons, "messages are turns of [sender, receiver, text]"))
        return Detection(self.name, sure - 0.3, (*reasons, "messages are lists, but not of [sender, receiver, text]"))

    def summarise(self, record: Any, origin: Origin) -> Summary:
        """Counts of the onlooker's transcript, and how many transcripts there are with the agents'."""
        return self.summary(episode_of(record, origin))

    def summary(self, episode: Episode) -> Summary:
        """The same of an episode that was taken from its record."""
        note = _rewards_note(episode)
        return Summary(
            id=episode.id,
            name=episode.name,
            messages=onlooker_count(episode),
            units=len(episode.turns),
            transcripts=1 + len(episode.agents),
            agents=tuple(episode.agents),
            rewards=tuple(episode.rewards or ()),
            models=tuple(episode.models),
            problems=() if note is None else (f"rewards are not shown as such: {note}",),
        )

    def read(self, record: Any, origin: Origin) -> AgentRun:
        """The episode as a run. Raises FormatError where there are no turns to show."""
        return self._read(record, origin, with_views=True)

    def skim(self, record: Any, origin: Origin) -> AgentRun:
        """The run to be searched: as an onlooker saw it, which is all there is to be found."""
        return self._read(record, origin, with_views=False)

    def _read(self, record: Any, origin: Origin, with_views: bool) -> AgentRun:
        from pydantic import ValidationError

        from trajview.models.run import AgentRun

        episode = episode_of(record, origin)
        metadata = _metadata(episode)
        try:
            onlooker = _transcript(episode, "onlooker", "onlooker", list(onlooker_lines(episode)))
            views = [
                _transcript(episode, str(place + 1), agent, lines)
                for place, (agent, lines) in enumerate(agent_lines(episode).items() if with_views else ())
            ]
            scenario = metadata.get("scenario")
            return AgentRun(
                id=episode.id,
                name=episode.name,
                description=scenario if isinstance(scenario, str) else None,
                transcripts=[onlooker, *views],
                metadata=metadata,
                agents=episode.agents,
                rewards=episode.rewards,
                reasoning=episode.reasoning or None,
                source_format=self.name,
            )
        except ValidationError as error:
            raise FormatError(
                f"The episode cannot be shown: {error.errors()[0]['msg']}.", where=where(origin)
            ) from error

    def check(self, record: Any, origin: Origin) -> list[Problem]:
        """What keeps Sotopia itself from loading the record, and what cannot be shown as it is meant."""
        from pydantic import ValidationError

        from trajview.models.sotopia import EpisodeLog, sentences_of

        problems = []
        try:
            log = EpisodeLog.model_validate(record)
        except ValidationError as error:
            problems = [Problem(sentence, "Sotopia cannot load it", where(origin)) for sentence in sentences_of(error)]
        else:
            if len(log.agent_names) != len(log.agents):
                sentence = f"messages name {len(log.agent_names)} agents ({', '.join(log.agent_names[:8])})"
                problems.append(Problem(f"{sentence}, agents lists {len(log.agents)}", "", where(origin)))
        return problems


FORMAT = SotopiaFormat()
