"""The messages of a long episode, each built when it is looked at."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from trajview.models.episodes import ENVIRONMENT

from .built import Labelled, MessagesOnDemand
from .episode_outline import Outlined, measured
from .plainly import Plain
from .sotopia_episode import Episode, Line, deed_line, lines_in_turn, views_in_turn
from .unread import Measured

if TYPE_CHECKING:
    from trajview.models.messages import ChatMessage

__all__ = ["EpisodeMessages", "message_of"]


def message_of(line: Line, models: dict[str, str]) -> ChatMessage:
    """The message that a line becomes, where these are the agents' models."""
    from trajview.models.messages import AssistantMessage, SystemMessage, UserMessage

    metadata: dict[str, Any] = {"turn": line.turn} | ({"action": line.action} if line.action else {})
    common: dict[str, Any] = {
        "content": line.text, "name": line.name, "recipient": line.recipient, "metadata": metadata,
    }  # fmt: skip
    if line.role == "assistant":
        return AssistantMessage(**common, model=models.get(line.name))
    return SystemMessage(**common) if line.role == "system" else UserMessage(**common)


class EpisodeMessages(MessagesOnDemand):
    """The messages that `message_of` makes of an episode's lines: an onlooker's, or those of one of its `agent`s."""

    makes_calls = False

    def __init__(self, episode: Episode, outlined: Outlined, models: dict[str, str], agent: str | None = None) -> None:
        super().__init__()
        self.roles = outlined.roles
        self._starts, self._sizes = outlined.starts, outlined.sizes
        self._episode = episode
        self._models_by_agent = models
        self._lines_in: Callable[[int], list[Line]]
        if agent is None:
            self._lines_in = lambda turn: lines_in_turn(episode, turn)
        else:
            self._lines_in = lambda turn: _seen_in_turn(episode, turn, agent)
        self._last: tuple[int, list[Line]] = -1, []

    def units(self) -> list[list[int]] | None:
        """The messages of each turn; None where there are none in one."""
        if self._starts and self._starts == list(range(len(self.roles))):  # as nearly always
            return [[index] for index in self._starts]
        edges = [*self._starts, len(self.roles)]
        if len(edges) == 1 or any(start == end for start, end in pairwise(edges)):
            return None
        return [list(range(start, end)) for start, end in pairwise(edges)]

    def _line(self, index: int) -> Line:
        turn = bisect_right(self._starts, index) - 1
        known, lines = self._last
        if turn != known and self._sizes and self._sizes[index] is not None and (deed := self._deed_in(turn)):
            return deed
        if turn != known:
            lines = self._lines_in(turn)
            self._last = turn, lines
        return lines[index - self._starts[turn]]

    def _deed_in(self, turn: int) -> Line | None:
        """The one line of a turn in which one agent did something, and there is nothing else, sooner than `_lines_in`."""
        for sender, receiver, text in self._episode.turns[turn]:
            if sender != ENVIRONMENT and text != "did nothing":
                return deed_line(sender, receiver, text, turn)
        return None

    def _build(self, index: int) -> ChatMessage:
        return message_of(self._line(index), self._models_by_agent)

    def measured(self) -> list[Measured]:
        if self._sizes:
            return [size or measured(self._line(index).text) for index, size in enumerate(self._sizes)]
        return [measured(self._line(index).text) for index in range(len(self.roles))]

    def plain(self, index: int) -> Plain | None:  # noqa: ARG002 - all are by somebody to somebody
        return None

    def models(self) -> dict[str, None]:
        found: dict[str, None] = {}
        wanted = {*self._models_by_agent.values()}
        for index, role in enumerate(self.roles):
            if len(found) == len(wanted):
                break
            if role == "assistant" and (model := self._model(index)):
                found[model] = None
        return found

    def _model(self, index: int) -> str | None:
        return self._models_by_agent.get(self._line(index).name)

    def searchable(self, index: int) -> list[str]:
        text = self._line(index).text
        return [text] if text else []

    def labelled(self, index: int) -> list[Labelled]:
        return [("text", text, None) for text in self.searchable(index)]


def _seen_in_turn(episode: Episode, number: int, agent: str) -> list[Line]:
    """What there is of one turn in an agent's `agent_lines`."""
    views: dict[str, list[Line]] = {each: [] for each in episode.agents}
    views_in_turn(episode, number, views)
    return views[agent]
