"""Which lines an episode becomes for an onlooker and for each agent, found without making them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from trajview.models.episodes import ENVIRONMENT, Said, is_context, parse_action

from .sotopia_episode import ECHO_LIMIT, Episode, flat, is_echo
from .unread import Measured

__all__ = ["Outlined", "PartedEpisode", "agent_outlines", "measured", "onlooker_count", "onlooker_outline"]

_LOOKED_AT = 256
"""Characters of a text whose lines are counted; the rest has as many, for all that is known."""
_MANY = 1000
_IDLE, _IDLE_STOP = "did nothing", "did nothing."
_HEADINGS = frozenset(f"Turn #{number}" for number in range(100))
"""Echoes of a turn in which nothing was done."""


class Outlined(NamedTuple):
    """What is known of some lines without making them: the role of each, which is the first of each turn, and how long some are."""

    roles: list[str]
    starts: list[int]
    sizes: list[Measured | None]


class PartedEpisode(NamedTuple):
    """An episode that is to be opened, and what is known of what an onlooker sees."""

    episode: Episode
    outlined: Outlined


# -- what an onlooker sees


_Plain = tuple[str, str, str, bool]
"""What all were told in a turn, who did something, and what; empty where there is none. All others did nothing, which
stands before that or not."""


def _plain(turn: list[Said], *, is_first: bool = False) -> _Plain | None:
    """A turn as nearly every one is; None where there is more to it. What is told in the first is left out."""
    told = doer = deed = ""
    idled = False
    environment, idle = ENVIRONMENT, _IDLE
    for sender, _, text in turn:
        if sender == environment:
            if text != told and not is_first:
                if told:
                    return None
                told = text
        elif text != idle:
            if deed or not text:
                return None
            doer, deed = sender, text
        elif sender == "did":  # of whom `parse_action` reads that he did "nothing"
            return None
        elif not deed:
            idled = True
    return None if len(turn) > _MANY else (told, doer, deed, idled)


@lru_cache(maxsize=1000)
def _is_plain_name(name: str) -> bool:
    """Whether a name stands in an observation as it is, and not in what it says of those who did nothing."""
    return bool(name) and name == flat(name) and "nothing" not in name


def _is_plain_echo(text: str, number: int, before: _Plain) -> bool:
    """Whether an observation is an echo beyond doubt of turn `number`."""
    if len(text) < 9 and text in _HEADINGS:
        return True
    _, doer, deed, idled = before
    start = f"Turn #{number}: {doer} "
    return (
        bool(deed)
        # `start`, the deed, and a newline: put together they would be copied.
        and len(text) == len(start) + len(deed) + 1
        and text[-1] == "\n"
        and text.startswith(start)
        and text.endswith(deed, 0, -1)
        and not deed.startswith(doer)
        and not deed[0].isspace()
        and _is_plain_name(doer)
        and not (idled and "nothing" in deed)  # that the other one did nothing is left out first
    )


def _counts_in(turn: list[Said], before: list[Said], first: bool) -> tuple[int, int]:
    """How many lines there are of a turn, of what is told and of what is done; none of both where it is empty."""
    told: list[str] = []
    last = ""
    done = contexts = 0
    for sender, receiver, text in turn:
        if sender != ENVIRONMENT:
            done += not _is_idle(sender, text)
        elif first and receiver != ENVIRONMENT and is_context(text):
            contexts = 1  # however many there are, they become one line
        elif text != last:  # all are told the same, as a rule: to hash it takes longer
            told.append(text)
            last = text
    news = set(told) if len(told) > 1 else told
    few = not first and len(news) * len(before) <= ECHO_LIMIT
    new = sum(1 for text in news if text.strip() and not (few and is_echo(text, before)))
    return contexts + new, done


def _is_idle(sender: str, text: str) -> bool:
    """Whether a deed is doing nothing, which may end in a full stop, and be said with one's name."""
    return text.rstrip().endswith((_IDLE, _IDLE_STOP)) and parse_action(sender, text).kind == "none"


_NOTHING = (0, 0, "")


def _onlooker_counts(episode: Episode) -> Iterator[tuple[int, int, str]]:
    """How many `onlooker_lines` there are of each turn, of what is told and of what is done; of an empty one there is a line.

    And what is done, where that is all there is.
    """
    if not episode.turns:
        return
    before = episode.turns[0]
    yield *_counts_in(before, [], True), ""
    done = _plain(before, is_first=True)
    for number, turn in enumerate(episode.turns[1:]):
        plain = _plain(turn)
        if plain is not None and (not plain[0] or (done is not None and _is_plain_echo(plain[0], number, done))):
            yield (0, 1, plain[2]) if plain[2] and not _is_idle(plain[1], plain[2]) else _NOTHING
        else:
            yield *_counts_in(turn, before, False), ""
        before, done = turn, plain


def onlooker_count(episode: Episode) -> int:
    """How many `onlooker_lines` there are."""
    return sum([told + done or 1 for told, done, _ in _onlooker_counts(episode)])


def onlooker_outline(episode: Episode) -> Outlined:
    """Which `onlooker_lines` there are."""
    found = Outlined([], [], [])
    roles, starts, sizes = found
    for number, (told, done, deed) in enumerate(_onlooker_counts(episode)):
        starts.append(len(roles))
        if deed:  # as nearly always
            roles.append("assistant")
            sizes.append(measured(deed))
            continue
        if told:
            roles.extend(["user" if number else "system"] * told)
        if done:
            roles.extend(["assistant"] * done)
        elif not told:
            roles.append("user")
        sizes.extend([None] * (len(roles) - len(sizes)))
    return found


def measured(text: str) -> Measured:
    """The lines, about, and the characters of a text."""
    length = len(text)
    if length > _LOOKED_AT:
        return 1 + text.count("\n", 0, _LOOKED_AT) * length // _LOOKED_AT, length, 0
    return text.count("\n") + 1 if text else 0, length, 0


# -- what an agent sees


def agent_outlines(episode: Episode) -> dict[str, Outlined]:
    """Which `agent_lines` there are."""
    views = {agent: Outlined([], [], []) for agent in episode.agents}
    told = {agent: view.roles.append for agent, view in views.items() if agent != ENVIRONMENT}
    every = list(views.values())
    environment, idle = ENVIRONMENT, _IDLE
    # Then nobody hears what is said but from the environment, in the next turn.
    in_the_open = not episode.moderated and environment not in views
    for turn in episode.turns:
        for roles, starts, _ in every:
            starts.append(len(roles))
        # As `views_in_turn` has it.
        for sender, receiver, text in turn:
            if sender == environment or (sender not in views and receiver in views):
                if not text or text.isspace():
                    continue
                if receiver in told:
                    told[receiver]("user")
                elif receiver == environment:
                    for roles, _, _ in every:
                        roles.append("user")
            elif text == idle and sender != "did":  # of whom `parse_action` reads that he did "nothing"
                continue
            elif in_the_open and receiver == environment and text[-1:] == '"' and sender in told:  # as nearly always
                told[sender]("assistant")
            else:
                _heed(sender, receiver, text, episode, views)
    return views


def _heed(sender: str, receiver: str, text: str, episode: Episode, views: dict[str, Outlined]) -> None:
    """Add what an agent did in a turn to what is known of the lines of all."""
    private: tuple[str, ...] = ()
    if _is_idle(sender, text):
        return
    if "[private to " in text:
        private = parse_action(sender, text).private_to
    if sender in views:
        views[sender].roles.append("assistant")
    if episode.moderated or receiver in views:
        for agent in private or (() if receiver in ("", ENVIRONMENT) else (receiver,)) or views:
            if agent != sender and agent in views:
                views[agent].roles.append("user")
