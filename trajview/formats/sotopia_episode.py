"""A Sotopia record as an episode, and what an onlooker and each agent see of it, before any model: free of pydantic."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from trajview.errors import FormatError
from trajview.models.episodes import (
    ENVIRONMENT,
    EVALUATION,
    PUBLISHED_KEYS,
    Action,
    Context,
    Said,
    agent_names_of,
    comments_of,
    is_evaluation,
    is_moderated,
    merge_contexts,
    parse_action,
    parse_context,
    rewards_of,
    text_of,
    turns_of,
)

from .base import Origin
from .logged import decoded
from .plain import place

if TYPE_CHECKING:
    from trajview.models.run import Reward

__all__ = [
    "ECHO_LIMIT", "Episode", "Line", "agent_lines", "context_of", "deed_line", "episode_of", "flat", "is_echo", "lines_in_turn",
    "onlooker_lines", "views_in_turn",
]  # fmt: skip

_SENDER = itemgetter(0)
_LITERAL_LIMIT = 100_000
ECHO_LIMIT = 10_000
"""Observations times deeds of a turn from which on nobody looks which of these are retold."""


class Line(Struct, frozen=True):
    """A message to be, before any model: its role, who says it, to whom (None: to all), the text, and the turn."""

    role: str
    name: str
    text: str
    turn: int
    recipient: str | None = None
    action: str | None = None


class Episode(Struct, frozen=True):
    # A Struct, as `Summary` is.
    """A record in one spelling, with its odd values made harmless. `turns` are without the stream's evaluation."""

    id: str
    name: str | None
    agents: list[str]
    models: list[str]
    turns: list[list[Said]]
    rewards: list[Reward] | None
    reasoning: str
    moderated: bool
    fields: dict[str, Any]
    """The record by Sotopia's keys."""


def _fields_of(record: dict[Any, Any]) -> dict[str, Any]:
    fields = {text_of(key): decoded(value) for key, value in record.items()}
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
    """A stream writes rewards as Python shows them."""
    if not text or len(text) > _LITERAL_LIMIT:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):  # what literal_eval documents
        return None


def episode_of(record: object, origin: Origin) -> Episode:
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
    return Episode(
        id=pk if isinstance(pk, str) and pk else origin.default_id if pk in (None, "") else text_of(pk),
        name=codename if isinstance(codename, str) and codename else ", ".join(agents[:4]) or None,
        agents=agents,
        models=_strings(fields.get("models")),
        turns=turns,
        rewards=_rewards(fields, every, agents),
        reasoning=_reasoning(fields, every, agents),
        moderated=is_moderated(turns),
        fields=fields,
    )


def _without_evaluation(every: list[list[Said]]) -> list[list[Said]]:
    """The turns without what a stream appends: rewards and reasoning."""
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


# -- what an onlooker sees


def flat(text: str) -> str:
    return " ".join(text.split())


_TURN = re.compile(r"\s*Turn #\d+:?")


def is_echo(text: str, before: list[Said]) -> bool:
    """Whether an observation only retells what was done in the turn before, as `Turn #k: …` does."""
    if heading := _TURN.match(text):
        if heading.end() == len(text):
            return True
        text = text[heading.end() :]
    rest = flat(text)
    for sender, _, did in before:
        if not rest:
            break
        if sender != ENVIRONMENT:
            did = flat(did)
            rest = rest.replace(did if did.startswith(f"{sender} ") else f"{sender} {did}", "", 1).strip()
    return not rest


def _contexts(turn: list[Said]) -> tuple[list[tuple[str, Context]], set[int]]:
    """The contexts in a turn by receiver, and which of its messages they are."""
    contexts, places = [], set()
    for at, (sender, receiver, text) in enumerate(turn):
        if sender == ENVIRONMENT and receiver != ENVIRONMENT and (context := parse_context(text)):
            contexts.append((receiver, context))
            places.add(at)
    return contexts, places


def context_of(episode: Episode) -> Context:
    """What was known before it started: from the contexts of turn 0, or the scenario that a moderator opens with."""
    contexts = _contexts(episode.turns[0])[0] if episode.turns else []
    if contexts:
        return merge_contexts(contexts)
    return Context(scenario=episode.turns[0][0][2].strip() if episode.moderated else "")


def _to_some(receivers: list[str], agents: list[str]) -> str | None:
    """Who alone was told, None where it was everyone."""
    told = set(receivers)
    if ENVIRONMENT in told or told.issuperset(agents):
        return None
    return ", ".join(receivers)


def _onlooker_turn(episode: Episode, number: int) -> Iterator[Line]:
    turn = episode.turns[number]
    before = episode.turns[number - 1] if number else []
    places: set[int] = set()
    if number == 0:
        contexts, places = _contexts(turn)
        if contexts:
            yield Line("system", ENVIRONMENT, str(merge_contexts(contexts)), number)
    told: dict[str, list[str]] = {}
    for at, (sender, receiver, text) in enumerate(turn):
        if sender == ENVIRONMENT and at not in places:
            told.setdefault(text, []).append(receiver)
    few = len(told) * len(before) <= ECHO_LIMIT
    for text, receivers in told.items():
        if not text.strip() or (few and number and is_echo(text, before)):
            continue
        role = "user" if number else "system"
        yield Line(role, ENVIRONMENT, text.strip("\n"), number, _to_some(receivers, episode.agents))
    for sender, receiver, text in turn:
        if sender == ENVIRONMENT:
            continue
        if (line := deed_line(sender, receiver, text, number)) is not None:
            yield line


def deed_line(sender: str, receiver: str, text: str, number: int) -> Line | None:
    """What an onlooker sees of what an agent does in a turn; None where that is nothing."""
    action = parse_action(sender, text)
    if action.kind == "none":
        return None
    return _action_line("assistant", sender, receiver, action, number)


def _action_line(role: str, sender: str, receiver: str, action: Action, number: int) -> Line:
    recipients = ", ".join(_addressed(action, receiver))
    return Line(role, sender, action.text, number, recipients or None, action.kind)


def _addressed(action: Action, receiver: str) -> tuple[str, ...]:
    """To whom alone an action is addressed; nobody where it is to all."""
    return action.private_to or (() if receiver in ("", ENVIRONMENT) else (receiver,))


def lines_in_turn(episode: Episode, number: int) -> list[Line]:
    """What there is of one turn in `onlooker_lines`."""
    found = list(_onlooker_turn(episode, number))
    if not found:
        acted = any(sender != ENVIRONMENT for sender, _, _ in episode.turns[number])
        over = number == len(episode.turns) - 1 and not acted
        text = "The episode is over." if over else "No one did anything."
        found.append(Line("user", ENVIRONMENT, text, number))
    return found


def onlooker_lines(episode: Episode) -> Iterator[Line]:
    """The whole episode: in each turn what is new to an onlooker, then what the agents did. No turn is empty.

    The contexts of turn 0 become one that holds every background and every real goal. Observations that only retell
    the turn before are left out (each agent's own transcript has them), and so is doing nothing.
    """
    for number in range(len(episode.turns)):
        yield from lines_in_turn(episode, number)


# -- what an agent sees


def views_in_turn(episode: Episode, number: int, views: dict[str, list[Line]]) -> None:
    """Add what there is of one turn in `agent_lines` to the lines of each agent."""
    for said in episode.turns[number]:
        sender, receiver, _ = said
        if sender == ENVIRONMENT or (sender not in views and receiver in views):
            _add_told(said, number, views)
        else:
            _add_done(said, number, views, episode.moderated)


def _add_told(said: Said, number: int, views: dict[str, list[Line]]) -> None:
    sender, receiver, text = said
    if not text.strip():
        return
    line = Line("user", sender, text.strip("\n"), number)
    for agent in views if receiver == ENVIRONMENT else (receiver,):
        if agent in views:
            views[agent].append(line)


def _add_done(said: Said, number: int, views: dict[str, list[Line]], moderated: bool) -> None:
    sender, receiver, text = said
    action = parse_action(sender, text)
    if action.kind == "none":
        return
    if sender in views:
        views[sender].append(_action_line("assistant", sender, receiver, action, number))
    if moderated or receiver in views:
        heard = _action_line("user", sender, receiver, action, number)
        for agent in _addressed(action, receiver) or views:
            if agent != sender and agent in views:
                views[agent].append(heard)


def agent_lines(episode: Episode) -> dict[str, list[Line]]:
    """The episode from each agent's perspective: what it was shown is user, what it did is assistant.

    In a moderated episode nothing is addressed to anyone: there an agent is shown what the others do in the open.
    """
    views: dict[str, list[Line]] = {agent: [] for agent in episode.agents}
    for number in range(len(episode.turns)):
        views_in_turn(episode, number, views)
    return views
