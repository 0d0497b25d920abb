"""Sotopia episodes, native or as published: the onlooker's transcript by turn, then one per agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajview.errors import FormatError, Problem
from trajview.models.episodes import rewards_of

from .base import Detection, Origin, Summary
from .episode_outline import Outlined, PartedEpisode, agent_outlines, onlooker_count, onlooker_outline
from .plain import place
from .sotopia_episode import Episode, Line, agent_lines, context_of, episode_of, onlooker_lines
from .unread import LAZY_FROM, Decode

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
    from trajview.models.transcript import Transcript

    from .lazy_episode import message_of

    models = _models_by_agent(episode)
    units: list[list[int]] = [[] for _ in episode.turns]
    for index, line in enumerate(lines):
        units[line.turn].append(index)
    return Transcript(
        id=f"{episode.id}/{key}",
        name=name,
        messages=[message_of(line, models) for line in lines],
        units=units if all(units) and units else None,
    )


def _on_demand(episode: Episode, key: str, name: str, outlined: Outlined, agent: str | None = None) -> Transcript:
    """The same with messages that are built when they are looked at."""
    from trajview.models.transcript import Transcript

    from .lazy_episode import EpisodeMessages

    messages = EpisodeMessages(episode, outlined, _models_by_agent(episode), agent)
    transcript = Transcript(id=f"{episode.id}/{key}", name=name)
    transcript.units = messages.units()
    transcript.read_on_demand(messages, messages.roles)
    return transcript


def _transcripts(episode: Episode, *, with_views: bool) -> list[Transcript]:
    views = agent_lines(episode).items() if with_views else ()
    return [
        _transcript(episode, "onlooker", "onlooker", list(onlooker_lines(episode))),
        *(_transcript(episode, str(place), agent, lines) for place, (agent, lines) in enumerate(views, 1)),
    ]


def _long_transcripts(episode: Episode, outlined: Outlined) -> list[Transcript] | None:
    """The same of a long episode, whose messages are built when they are looked at; None of a short one."""
    if len(outlined.roles) < LAZY_FROM:
        return None
    views = agent_outlines(episode).items()
    return [
        _on_demand(episode, "onlooker", "onlooker", outlined),
        *(_on_demand(episode, str(place), agent, seen, agent) for place, (agent, seen) in enumerate(views, 1)),
    ]


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


def _run(episode: Episode, origin: Origin, *, with_views: bool = True, outlined: Outlined | None = None) -> AgentRun:
    """The run that an episode is; with its outline, to be looked at: see `SotopiaFormat.open`."""
    from pydantic import ValidationError

    from trajview.models.run import AgentRun

    metadata = _metadata(episode)
    try:
        transcripts = _long_transcripts(episode, outlined) if outlined is not None else None
        scenario = metadata.get("scenario")
        return AgentRun(
            id=episode.id,
            name=episode.name,
            description=scenario if isinstance(scenario, str) else None,
            transcripts=_transcripts(episode, with_views=with_views) if transcripts is None else transcripts,
            metadata=metadata,
            agents=episode.agents,
            rewards=episode.rewards,
            reasoning=episode.reasoning or None,
            source_format=FORMAT.name,
        )
    except ValidationError as error:
        raise FormatError(f"The episode cannot be shown: {error.errors()[0]['msg']}.", where=place(origin)) from error


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
        episode = episode_of(record, origin)
        return self.summary(episode, onlooker_count(episode))

    def summary(self, episode: Episode, messages: int) -> Summary:
        """The same of an episode that was taken from its record, and of which an onlooker sees so many messages."""
        note = _rewards_note(episode)
        return Summary(
            id=episode.id,
            name=episode.name,
            messages=messages,
            units=len(episode.turns),
            transcripts=1 + len(episode.agents),
            agents=tuple(episode.agents),
            rewards=tuple(episode.rewards or ()),
            models=tuple(episode.models),
            problems=() if note is None else (f"rewards are not shown as such: {note}",),
        )

    def read(self, record: Any, origin: Origin) -> AgentRun:
        """The episode as a run. Raises FormatError where there are no turns to show."""
        return _run(episode_of(record, origin), origin)

    def open(self, record: Any, origin: Origin) -> AgentRun:
        """The same, to be looked at: of many messages only those are built that are."""
        episode = episode_of(record, origin)
        return _run(episode, origin, outlined=onlooker_outline(episode))

    def open_parted(self, parts: Any, decode: Decode, origin: Origin) -> AgentRun | None:  # noqa: ARG002 - it is decoded
        """The same of an episode that was taken from its record already."""
        return _run(parts.episode, origin, outlined=parts.outlined) if isinstance(parts, PartedEpisode) else None

    def skim(self, record: Any, origin: Origin) -> AgentRun:
        """The run to be searched: as an onlooker saw it, which is all there is to be found."""
        return _run(episode_of(record, origin), origin, with_views=False)

    def check(self, record: Any, origin: Origin) -> list[Problem]:
        """What keeps Sotopia itself from loading the record, and what cannot be shown as it is meant."""
        from pydantic import ValidationError

        from trajview.models.sotopia import EpisodeLog, sentences_of

        problems = []
        try:
            log = EpisodeLog.model_validate(record)
        except ValidationError as error:
            problems = [Problem(sentence, "Sotopia cannot load it", place(origin)) for sentence in sentences_of(error)]
        else:
            if len(log.agent_names) != len(log.agents):
                sentence = f"messages name {len(log.agent_names)} agents ({', '.join(log.agent_names[:8])})"
                problems.append(Problem(f"{sentence}, agents lists {len(log.agents)}", "", place(origin)))
        return problems


FORMAT = SotopiaFormat()
