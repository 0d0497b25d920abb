"""Sotopia episodes, native or as published: the onlooker's transcript by turn, then one per agent."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from itertools import chain, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from trajview.errors import FormatError, Problem
from trajview.models.episodes import (
    ENVIRONMENT,
    EVALUATION,
    PUBLISHED_KEYS,
    Context,
    Said,
    agent_names_of,
    comments_of,
    is_context,
    is_evaluation,
    is_idle,
    is_moderated,
    merge_contexts,
    parse_action,
    parse_context,
    rewards_of,
    text_of,
    turns_of,
)
from trajview.models.messages import ChatMessage, Measured, MessageSource, message_from
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript

from .base import Detection, Origin, Summary
from .contract import Format
from .logged import decoded
from .plain import place
from .words import AddedWords

if TYPE_CHECKING:
    from trajview.models.run import Reward

__all__ = ["FORMAT", "SotopiaFormat"]

_SENDER: Final = itemgetter(0)
_LITERAL_LIMIT: Final = 100_000
"""Characters of the rewards of a stream from which on they are not read."""
_ECHO_LIMIT: Final = 10_000
"""Observations times deeds of a turn from which on nobody looks which of these are retold."""
_LOOKED_AT: Final = 256
"""Characters of a text whose lines are counted; the rest is assumed to have as many."""


# -- a record as an episode


class _Episode(Struct, frozen=True):
    """A record in one spelling, with its odd values made harmless. `turns` are without the stream's evaluation."""

    id: str
    name: str | None
    agents: list[str]
    models: list[str]
    turns: list[list[Said]]
    rewards: list[Reward] | None
    reasoning: str
    fields: dict[str, Any]
    """The record by Sotopia's keys."""


def _fields_of(record: dict[Any, Any]) -> dict[str, Any]:
    fields = {text_of(key): value for key, value in record.items()}
    for ours, theirs in PUBLISHED_KEYS.items():
        if theirs not in fields:
            continue
        value = fields.pop(theirs)
        if ours == "rewards" and rewards_of(value) is None and rewards_of(fields.get(ours)) is not None:
            continue
        fields[ours] = value
    return fields


def _strings(value: object) -> list[str]:
    return [text_of(item) for item in value] if isinstance(value, (list, tuple)) else []


def _streamed(turns: list[list[Said]], kind: str) -> str:
    return next((said[2] for turn in turns for said in turn if is_evaluation(said) and said[1] == kind), "")


def _streamed_rewards(text: str) -> object:
    """The rewards of a stream, which writes them as Python shows them."""
    if not text or len(text) > _LITERAL_LIMIT:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):  # what literal_eval documents
        return None


def _episode_of(record: object, origin: Origin) -> _Episode:
    """A record as an episode. Raises FormatError where there are no turns to show."""
    fields = _fields_of(record) if isinstance(record, dict) else {}
    messages = fields.get("messages")
    if not isinstance(messages, (list, tuple)):
        raise FormatError(
            f"The messages of an episode are a list of turns, not {type(messages).__name__}.",
            hint="check that it is a Sotopia EpisodeLog",
            where=place(origin),
        )
    every = turns_of(messages)
    turns = _without_evaluation(every)
    agents = agent_names_of(turns, _strings(fields.get("agents")))
    codename, pk = fields.get("codename"), fields.get("pk")
    return _Episode(
        id=pk if isinstance(pk, str) and pk else origin.default_id if pk in (None, "") else text_of(pk),
        name=codename if isinstance(codename, str) and codename else ", ".join(agents[:4]) or None,
        agents=agents,
        models=_strings(fields.get("models")),
        turns=turns,
        rewards=_rewards(fields, every, agents),
        reasoning=_reasoning(fields, every, agents),
        fields=fields,
    )


def _without_evaluation(every: list[list[Said]]) -> list[list[Said]]:
    """The turns without the rewards and reasoning that a stream appends."""
    if EVALUATION not in map(_SENDER, chain.from_iterable(every)):
        return every
    return [
        [said for said in turn if not is_evaluation(said)]
        for turn in every
        if not turn or not all(map(is_evaluation, turn))
    ]


def _rewards(fields: dict[str, Any], every: list[list[Said]], agents: list[str]) -> list[Reward] | None:
    """One reward for each agent, the record's or the stream's; None where there are no such."""
    rewards = rewards_of(fields.get("rewards"), agents)
    if not rewards:
        rewards = rewards_of(_streamed_rewards(_streamed(every, "Rewards"))) or rewards
    return rewards if rewards and len(rewards) == len(agents) else None


def _reasoning(fields: dict[str, Any], every: list[list[Said]], agents: list[str]) -> str:
    reasoning = fields.get("reasoning")
    if isinstance(reasoning, str) and reasoning:
        return reasoning
    return _streamed(every, "Reasoning") or comments_of(fields.get("rewards"), agents)


# -- what an onlooker sees, and what an agent does


class _Line(Struct, gc=False):
    """A message to be: somebody's words, which are taken apart when somebody reads them."""

    role: str
    sender: str
    receiver: str | None
    """The receiver of a deed as logged; of an observation its only receiver, None for everyone."""
    text: str
    is_deed: bool = False
    """Whether it is an agent's deed, not an observation."""


class _View(Struct):
    """One agent's or the onlooker's view of an episode: the lines, and the first one of each turn."""

    lines: list[_Line]
    starts: list[int]


_TURN = re.compile(r"\s*Turn #\d+:?")


def _flat(text: str) -> str:
    return " ".join(text.split())


def _is_echo(text: str, number: int, before: list[Said]) -> bool:
    """Whether an observation in a turn only retells the deeds of the one before, as `Turn #k: …` does."""
    for sender, _, did in before:
        if len(text) > len(did) and text == f"Turn #{number - 1}: {sender} {did}\n":  # as Sotopia writes it
            return True
    if heading := _TURN.match(text):
        if heading.end() == len(text):
            return True
        text = text[heading.end() :]
    rest = _flat(text)
    for sender, _, did in before:
        if not rest:
            break
        did = _flat(did)
        rest = rest.replace(did if did.startswith(f"{sender} ") else f"{sender} {did}", "", 1).strip()
    return not rest


def _to_some(receivers: list[str], agents: list[str]) -> str | None:
    """The only receivers of an observation, None for everyone."""
    told = set(receivers)
    return None if ENVIRONMENT in told or told.issuperset(agents) else ", ".join(receivers)


def _onlooker_view(episode: _Episode) -> _View:
    """The whole episode: in each turn the text that is new to an onlooker, then the agents' deeds. No turn is empty.

    The contexts of turn 0 become one line, whose text is left to `_context_of`. Observations that only retell the turn
    before are left out (each agent's own transcript has them), and so is doing nothing.
    """
    lines: list[_Line] = []
    starts: list[int] = []
    before: list[Said] = []
    for number, turn in enumerate(episode.turns):
        starts.append(len(lines))
        acted: list[Said] = []
        deeds: list[_Line] = []
        told: dict[str, list[str]] = {}
        last, is_new, compared = "", False, 0
        for said in turn:
            sender, receiver, text = said
            if sender != ENVIRONMENT:
                acted.append(said)
                if not is_idle(sender, text):
                    deeds.append(_Line("assistant", sender, receiver, text, True))
            elif not number and receiver != ENVIRONMENT and is_context(text):
                if not lines:
                    lines.append(_Line("system", ENVIRONMENT, None, ""))
            else:
                if text != last:  # all are told the same, as a rule
                    last = text
                    compared += len(before)
                    is_echo = number and compared <= _ECHO_LIMIT and _is_echo(text, number, before)
                    is_new = not is_echo and text.strip() != ""
                if is_new:
                    told.setdefault(text, []).append(receiver)
        for text, receivers in told.items():
            alone = _to_some(receivers, episode.agents)
            lines.append(_Line("user" if number else "system", ENVIRONMENT, alone, text))
        lines += deeds
        if len(lines) == starts[-1]:
            over = number == len(episode.turns) - 1 and not acted
            lines.append(_Line("user", ENVIRONMENT, None, "The episode is over." if over else "No one did anything."))
        before = acted
    return _View(lines, starts)


def _agent_views(episode: _Episode) -> dict[str, _View]:
    """The views of each agent: its observations are user messages, its deeds assistant messages.

    In a moderated episode nothing is addressed to anyone: there an agent is shown what the others do in the open.
    """
    views = {agent: _View([], []) for agent in episode.agents}
    moderated = is_moderated(episode.turns)
    for turn in episode.turns:
        for view in views.values():
            view.starts.append(len(view.lines))
        for sender, receiver, text in turn:
            if sender == ENVIRONMENT or (sender not in views and receiver in views):
                if text.strip():
                    line = _Line("user", sender, None, text)
                    for agent in views if receiver == ENVIRONMENT else (receiver,):
                        if agent in views:
                            views[agent].lines.append(line)
            elif not is_idle(sender, text):
                if sender in views:
                    views[sender].lines.append(_Line("assistant", sender, receiver, text, True))
                if moderated or receiver in views:
                    line = _Line("user", sender, receiver, text, True)
                    for agent in _addressed(parse_action(sender, text).private_to, receiver) or views:
                        if agent != sender and agent in views:
                            views[agent].lines.append(line)
    return views


def _addressed(private_to: tuple[str, ...], receiver: str | None) -> tuple[str, ...]:
    """The only receiver of a deed; None where it is addressed to all."""
    return private_to or (() if receiver in (None, "", ENVIRONMENT) else (receiver,))


def _contexts_of(episode: _Episode) -> list[tuple[str, Context]]:
    """The contexts in turn 0, by receiver."""
    return [
        (receiver, context)
        for sender, receiver, text in chain.from_iterable(episode.turns[:1])
        if sender == ENVIRONMENT and receiver != ENVIRONMENT and (context := parse_context(text))
    ]


# -- messages


class _EpisodeSource(MessageSource):
    """The messages that the lines of a view become."""

    def __init__(self, view: _View, models: dict[str, str]) -> None:
        super().__init__()
        self._view, self._models = view, models

    def read(self, at: int) -> ChatMessage:
        line = self._view.lines[at]
        metadata: dict[str, Any] = {"turn": bisect_right(self._view.starts, at) - 1}
        text, recipient = line.text.strip("\n"), line.receiver
        if line.is_deed:
            action = parse_action(line.sender, line.text)
            text, recipient = action.text, ", ".join(_addressed(action.private_to, line.receiver)) or None
            metadata["action"] = action.kind
        found = {
            "role": line.role, "content": text, "name": line.sender, "recipient": recipient, "metadata": metadata,
        }  # fmt: skip
        if line.role == "assistant":
            found["model"] = self._models.get(line.sender)
        return message_from(found)

    def size(self, at: int) -> Measured:
        text = self._view.lines[at].text
        length = len(text)
        seen = min(length, _LOOKED_AT)
        return 1 + text.count("\n", 0, seen) * length // seen if text else 0, length, 0

    def texts(self, at: int) -> list[str]:
        line = self._view.lines[at]
        text = parse_action(line.sender, line.text).text if line.is_deed else line.text.strip("\n")
        return [text] if text else []


def _models_by_agent(episode: _Episode) -> dict[str, str]:
    """`models[0]` is the environment's; a moderator lists the agents' alone."""
    alone = is_moderated(episode.turns) and len(episode.models) == len(episode.agents)
    models = episode.models if alone else episode.models[1:]
    return {agent: model for agent, model in zip(episode.agents, models, strict=False) if model}


def _transcript(episode: _Episode, key: str, name: str, view: _View) -> Transcript:
    messages = _EpisodeSource(view, _models_by_agent(episode)).messages([line.role for line in view.lines])
    turns = [list(range(start, end)) for start, end in pairwise([*view.starts, len(messages)])]
    return Transcript(
        id=f"{episode.id}/{key}", name=name, messages=messages, units=turns if turns and all(turns) else None
    )


def _rewards_note(episode: _Episode) -> str | None:
    """The reason why an episode's rewards cannot be shown as rewards; None where they can, or where there are none."""
    if episode.rewards is not None:
        return None
    rewards = episode.fields.get("rewards")
    if rewards in (None, []):
        return None
    read = rewards_of(rewards, episode.agents)
    if read is None:
        return "they are not numbers, nor numbers with dimensions"
    return f"{len(read)} for {len(episode.agents)} agents"


def _metadata(episode: _Episode, context: Context) -> dict[str, Any]:
    fields = {key: decoded(value) for key, value in episode.fields.items() if key not in ("pk", "messages")}
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
    return {key: value for key, value in metadata.items() if value not in (None, "", {}, [])} | {
        key if key not in metadata else f"{key} (record)": value for key, value in fields.items()
    }


def _run(episode: _Episode) -> AgentRun:
    onlooker = _onlooker_view(episode)
    if contexts := _contexts_of(episode):
        context = merge_contexts(contexts)
        onlooker.lines[0].text = str(context)
    else:
        context = Context(scenario=episode.turns[0][0][2].strip() if is_moderated(episode.turns) else "")
    metadata = _metadata(episode, context)
    scenario = metadata.get("scenario")
    views = _agent_views(episode).items()
    return AgentRun(
        id=episode.id,
        name=episode.name,
        description=scenario if isinstance(scenario, str) else None,
        transcripts=[
            _transcript(episode, "onlooker", "onlooker", onlooker),
            *(_transcript(episode, str(number), agent, view) for number, (agent, view) in enumerate(views, 1)),
        ],
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
        """Detect episodes by keys and turns of [sender, receiver, text]; less sure where keys are missing or turns odd."""
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
        """Summarise the onlooker's transcript, and count the transcripts with the agents'."""
        episode = _episode_of(record, origin)
        note = _rewards_note(episode)
        return Summary(
            id=episode.id,
            name=episode.name,
            messages=len(_onlooker_view(episode).lines),
            units=len(episode.turns),
            transcripts=1 + len(episode.agents),
            agents=tuple(episode.agents),
            rewards=tuple(episode.rewards or ()),
            models=tuple(episode.models),
            problems=() if note is None else (f"rewards are not shown as such: {note}",),
        )

    def read(self, record: Any, origin: Origin) -> AgentRun:
        """Read the episode as a run. Raises FormatError where there are no turns to show."""
        return _run(_episode_of(record, origin))

    def check(self, record: Any, origin: Origin) -> list[Problem]:
        """List the reasons why Sotopia cannot load the record, and values that cannot be shown as meant."""
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
