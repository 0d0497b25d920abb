"""Sotopia episodes, native or as published: the onlooker's transcript by turn, then one per agent."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import Any

from trajview.errors import Problem
from trajview.models.episodes import ENVIRONMENT, rewards_of
from trajview.models.messages import AssistantMessage, ChatMessage, Measured, MessageSource, SystemMessage, UserMessage
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript

from .base import Detection, Origin, Summary
from .contract import Format
from .episode_outline import Outlined, agent_outlines, measured, onlooker_count, onlooker_outline
from .plain import place
from .sotopia_episode import Episode, Line, context_of, deed_line, episode_of, lines_in_turn, views_in_turn
from .words import AddedWords

__all__ = ["FORMAT", "SotopiaFormat"]


def _models_by_agent(episode: Episode) -> dict[str, str]:
    """`models[0]` is the environment's; a moderator lists the agents' alone."""
    alone = episode.moderated and len(episode.models) == len(episode.agents)
    models = episode.models if alone else episode.models[1:]
    return {agent: model for agent, model in zip(episode.agents, models, strict=False) if model}


def message_of(line: Line, models: dict[str, str]) -> ChatMessage:
    """The message that a line becomes, where these are the agents' models."""

    metadata: dict[str, Any] = {"turn": line.turn} | ({"action": line.action} if line.action else {})
    common: dict[str, Any] = {
        "content": line.text, "name": line.name, "recipient": line.recipient, "metadata": metadata,
    }  # fmt: skip
    if line.role == "assistant":
        return AssistantMessage(**common, model=models.get(line.name))
    return SystemMessage(**common) if line.role == "system" else UserMessage(**common)


class EpisodeSource(MessageSource):
    """The messages that `message_of` makes of an episode's lines: an onlooker's, or those of one of its `agent`s."""

    def __init__(self, episode: Episode, outlined: Outlined, models: dict[str, str], agent: str | None = None) -> None:
        super().__init__()
        self.starts = outlined.starts
        """The first message of each turn."""
        self._count, self._sizes = len(outlined.roles), outlined.sizes
        self._episode, self._models, self._agent = episode, models, agent
        self._last: tuple[int, list[Line]] = -1, []

    def units(self) -> list[list[int]] | None:
        """The messages of each turn; None where there are none in one."""
        edges = [*self.starts, self._count]
        if len(edges) == 1 or any(start == end for start, end in pairwise(edges)):
            return None
        return [list(range(start, end)) for start, end in pairwise(edges)]

    def read(self, at: int) -> ChatMessage:
        return message_of(self._line(at), self._models)

    def size(self, at: int) -> Measured:
        known = self._sizes[at] if self._sizes else None
        return measured(self._line(at).text) if known is None else known

    def texts(self, at: int) -> list[str]:
        text = self._line(at).text
        return [text] if text else []

    def _line(self, at: int) -> Line:
        turn = bisect_right(self.starts, at) - 1
        known, lines = self._last
        if turn != known:
            if self._sizes and self._sizes[at] is not None and (deed := self._deed_in(turn)):
                return deed
            lines = self._lines_in(turn)
            self._last = turn, lines
        return lines[at - self.starts[turn]]

    def _lines_in(self, turn: int) -> list[Line]:
        if self._agent is None:
            return lines_in_turn(self._episode, turn)
        views: dict[str, list[Line]] = {each: [] for each in self._episode.agents}
        views_in_turn(self._episode, turn, views)
        return views[self._agent]

    def _deed_in(self, turn: int) -> Line | None:
        """The one line of a turn in which one agent did something, and there is nothing else, sooner than `_lines_in`."""
        for sender, receiver, text in self._episode.turns[turn]:
            if sender != ENVIRONMENT and text != "did nothing":
                return deed_line(sender, receiver, text, turn)
        return None


def _transcript(episode: Episode, key: str, name: str, outlined: Outlined, agent: str | None = None) -> Transcript:

    source = EpisodeSource(episode, outlined, _models_by_agent(episode), agent)
    messages = source.messages(outlined.roles)
    return Transcript(id=f"{episode.id}/{key}", name=name, messages=messages, units=source.units())


def _transcripts(episode: Episode, outlined: Outlined) -> list[Transcript]:
    views = agent_outlines(episode).items()
    return [
        _transcript(episode, "onlooker", "onlooker", outlined),
        *(_transcript(episode, str(place), agent, seen, agent) for place, (agent, seen) in enumerate(views, 1)),
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


def _run(episode: Episode, outlined: Outlined) -> AgentRun:
    """The run that an episode is, of which an onlooker sees so much."""

    metadata = _metadata(episode)
    scenario = metadata.get("scenario")
    return AgentRun(
        id=episode.id,
        name=episode.name,
        description=scenario if isinstance(scenario, str) else None,
        transcripts=_transcripts(episode, outlined),
        metadata=metadata,
        agents=episode.agents,
        rewards=episode.rewards,
        reasoning=episode.reasoning or None,
        source_format=FORMAT.name,
    )


class SotopiaFormat(Format):
    """Sotopia's EpisodeLog, and the spelling in which the dataset is published."""

    name = "sotopia"
    label = "Sotopia episode"
    recognises = "`messages` in turns of [sender, receiver, text] beside `environment` and `agents`, or `raw_messages` as published"
    retells = True
    zero_is_no_reward = True
    rubric = "sotopia"
    is_sotopia_episode = True
    added_words = AddedWords(
        always=("The episode is over No one did anything",),
        with_bytes=(("left the conversation", ("left",)),),
        metadata=(
            "rewards note not shown as rewards record episode environment turn kind to agent_pks backgrounds goals models",
            "comments scenario participants onlooker speak leave none other action non-verbal",
        ),
    )

    def detect(self, record: Any) -> Detection | None:
        """Sure by the keys and by turns of [sender, receiver, text]; less so where keys are missing or turns odd."""
        if not isinstance(record, dict):
            return None
        if "raw_messages" in record and ("episode_id" in record or "agent_ids" in record):
            return self._detect_turns(record["raw_messages"], "has the published dataset's keys", 0.98)
        if "messages" in record and "environment" in record and "agents" in record:
            full = "rewards" in record and "reasoning" in record
            return self._detect_turns(record["messages"], "has EpisodeLog's keys", 0.97 if full else 0.8)
        return None

    def _detect_turns(self, messages: Any, why: str, sure: float) -> Detection | None:
        """A record that is an episode by its keys, by these messages."""
        if not isinstance(messages, list):
            return None
        first = next((turn for turn in messages[:20] if turn), None)
        if first is None:
            return Detection(self.name, sure - 0.2, (why, "has no messages"))
        if not isinstance(first, list):
            return None  # a list of chat messages
        triple = first[0]
        if isinstance(triple, (list, tuple)) and len(triple) == 3:
            return Detection(self.name, sure, (why, "messages are turns of [sender, receiver, text]"))
        return Detection(self.name, sure - 0.3, (why, "messages are lists, but not of [sender, receiver, text]"))

    def summarise(self, record: Any, origin: Origin) -> Summary:
        """Counts of the onlooker's transcript, and how many transcripts there are with the agents'."""
        episode = episode_of(record, origin)
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
        episode = episode_of(record, origin)
        return _run(episode, onlooker_outline(episode))

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
