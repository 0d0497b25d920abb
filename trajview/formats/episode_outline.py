"""Which lines an episode becomes for an onlooker and for each agent, found without making them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from trajview.models.episodes import ENVIRONMENT, EVALUATION, Said, is_context, parse_action
from trajview.models.messages import Measured

from .sotopia_episode import ECHO_LIMIT, Episode, flat, is_echo

__all__ = [
    "Outlined", "agent_outlines", "measured", "onlooker_count", "onlooker_outline",
]  # fmt: skip

_SENDER = itemgetter(0)
_LOOKED_AT = 256
"""Characters of a text whose lines are counted; the rest has as many, for all that is known."""
_MANY = 1000
_IDLE, _IDLE_STOP = "did nothing", "did nothing."
_BEGINNINGS = frozenset("sl[")
"""What deeds begin with as Sotopia spells them, `said:`, `left`, `[action]`: no space, and as good as no name."""
_HEADINGS = frozenset(f"Turn #{number}{end}" for number in range(100) for end in ("", ": \n"))
"""Echoes of a turn in which nothing was done."""
_LONGEST_HEADING = max(map(len, _HEADINGS))


class Outlined(NamedTuple):
    """What is known of some lines without making them: the role of each, which is the first of each turn, and how long some are."""

    roles: list[str]
    starts: list[int]
    sizes: list[Measured | None]


# -- what an onlooker sees


_Plain = tuple[str, str, str, bool]
"""What all were told in a turn, who did something, and what; empty where there is none. All others did nothing, which
stands before that or not."""


def _plain(turn: list[Said], *, is_first: bool = False) -> _Plain | None:
    """A turn as nearly every one is; None where there is more to it. What is told in the first is left out."""
    told = doer = deed = ""
    idled = False
    environment, evaluation, idle = ENVIRONMENT, EVALUATION, _IDLE
    for sender, _, text in turn:
        if sender == environment:
            if text != told and not is_first:
                if told:
                    return None
                told = text
        elif sender == evaluation:
            return None
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
    """Whether a name stands in an observation as it is, not in what it says of those who did nothing, and before no deed."""
    return bool(name) and name[0] not in _BEGINNINGS and name == flat(name) and "nothing" not in name


def _is_plain_echo(text: str, number: int, before: _Plain) -> bool:
    """Whether an observation is an echo beyond doubt of turn `number`."""
    if len(text) <= _LONGEST_HEADING and text in _HEADINGS:
        return True
    _, doer, deed, idled = before
    return (
        text == f"Turn #{number}: {doer} {deed}\n"
        and deed[:1] in _BEGINNINGS
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


def _onlooker_counts(turns: list[list[Said]]) -> Iterator[tuple[int, int, str]]:
    """How many `onlooker_lines` there are of each turn, of what is told and of what is done; of an empty one there is a line.

    And what is done, where that is all there is, and no stream's evaluation is in the turn.
    """
    if not turns:
        return
    before = turns[0]
    yield *_counts_in(before, [], True), ""
    done = _plain(before, is_first=True)
    for number, turn in enumerate(turns[1:]):
        plain = _plain(turn)
        if plain is None or (plain[0] and (done is None or not _is_plain_echo(plain[0], number, done))):
            yield *_counts_in(turn, before, False), ""
        else:
            _, doer, deed, _ = plain
            # Nearly every deed is speech, which ends in a quotation mark.
            is_done = deed[-1:] == '"' or (deed and not _is_idle(doer, deed))
            yield (0, 1, deed) if is_done else _NOTHING
        before, done = turn, plain


def onlooker_count(episode: Episode) -> int:
    """How many `onlooker_lines` there are."""
    return sum([told + done or 1 for told, done, _ in _onlooker_counts(episode.turns)])


def onlooker_outline(episode: Episode) -> Outlined:
    """Which `onlooker_lines` there are."""
    found = Outlined([], [], [])
    roles, starts, sizes = found
    for number, (told, done, deed) in enumerate(_onlooker_counts(episode.turns)):
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
    every = list(views.values())
    add = _adders(episode, views)
    environment, idle = ENVIRONMENT, _IDLE
    for turn in episode.turns:
        for roles, starts, _ in every:
            starts.append(len(roles))
        for sender, receiver, text in turn:
            if sender == environment and receiver in add:
                if text and not text.isspace():
                    add[receiver]("user")
            elif sender in add and receiver == environment and text[-1:] == '"':  # nearly every deed is speech
                add[sender]("assistant")
            elif text != idle or sender not in add:
                _add_to_all((sender, receiver, text), episode, views)
    return views


def _adders(episode: Episode, views: dict[str, Outlined]) -> dict[str, Callable[[str], None]]:
    """What adds a role to the lines of an agent, for the agents who hear of the others from the environment alone."""
    if episode.moderated or ENVIRONMENT in views:
        return {}
    # Of whom is called "did", `parse_action` reads that he did "nothing".
    return {agent: view.roles.append for agent, view in views.items() if agent != "did"}


def _add_to_all(said: Said, episode: Episode, views: dict[str, Outlined]) -> None:
    """Add what was said in a turn to the lines of all, as `views_in_turn` has it."""
    sender, receiver, text = said
    if sender == ENVIRONMENT or (sender not in views and receiver in views):
        if text.strip():
            _add_heard(views if receiver == ENVIRONMENT else (receiver,), views)
    elif not _is_idle(sender, text):
        if sender in views:
            views[sender].roles.append("assistant")
        if episode.moderated or receiver in views:
            heard_by = _addressed(sender, receiver, text) or views
            _add_heard((agent for agent in heard_by if agent != sender), views)


def _addressed(sender: str, receiver: str, text: str) -> Sequence[str]:
    """To whom alone a deed is addressed; nobody where it is to all."""
    private = parse_action(sender, text).private_to if "[private to " in text else ()
    return private or (() if receiver in ("", ENVIRONMENT) else (receiver,))


def _add_heard(agents: Iterable[str], views: dict[str, Outlined]) -> None:
    for agent in agents:
        if agent in views:
            views[agent].roles.append("user")
