"""Who speaks in the items of an ADP trajectory, and which call each of them makes or answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from trajview.models.adp_spelling import ACTIONS, CALLS

from .plain import as_text

__all__ = ["ROLE_OF_SOURCE", "Link", "link_in", "links_of", "role_of"]

Link = tuple[str | None, str | None]
"""The id of a call that an item makes or answers, and the function that it answers."""

ROLE_OF_SOURCE = {"user": "user", "agent": "assistant", "environment": "tool"}


def role_of(item: Any) -> str:
    """The role of the message that an item becomes."""
    if not isinstance(item, dict):
        return "tool"
    class_ = item.get("class_")
    if class_ in ACTIONS:
        return "assistant"
    source = item.get("source")
    if isinstance(source, str) and source in ROLE_OF_SOURCE:
        return ROLE_OF_SOURCE[source]
    # A class of a newer version: ADP names its classes after what they are.
    return "assistant" if isinstance(class_, str) and class_.lower().endswith("action") else "tool"


class _Calls:
    """Which call an observation answers: by id where the file says so, else the first that waits for an answer."""

    def __init__(self, items: Sequence[Any]) -> None:
        self._taken = {link_in(item) for item in items if isinstance(item, dict)}
        self._functions: dict[str, str] = {}
        self._waiting: deque[str] = deque()
        self._answered: set[str] = set()
        self._last: str | None = None
        self._answers_began = False

    def new(self, index: int, item: dict[str, Any], function: str) -> str:
        """The id of the call that item number `index` makes: its own, or `call_<index>`."""
        call = link_in(item)
        if call is None:
            call = f"call_{index}"
            while call in self._taken:
                call += "_"
        if self._answers_began:
            # An answer came in between: calls before it that none answered are not answered any more by position.
            self._waiting.clear()
            self._answers_began = False
        self._functions[call] = function
        self._waiting.append(call)
        self._last = call
        return call

    def answered_by(self, item: Any) -> tuple[str | None, str | None]:
        """The id and function of the call that an observation answers; None where it answers none."""
        call = link_in(item) if isinstance(item, dict) else None
        self._answers_began = True
        if call is not None:
            self._answered.add(call)
            self._last = call
        elif self._some_wait():
            call = self._last = self._waiting.popleft()
        else:
            call = self._last
        return call, self._functions.get(call) if call is not None else None

    def interrupt(self) -> None:
        """A user spoke: what comes next answers no call from before, unless it says so."""
        self._waiting.clear()
        self._last = None

    def spoke(self) -> None:
        """The agent spoke: what comes next answers that, unless a call still waits."""
        if not self._some_wait():
            self._last = None

    def _some_wait(self) -> bool:
        while self._waiting and self._waiting[0] in self._answered:
            self._waiting.popleft()
        return bool(self._waiting)


def link_in(item: dict[str, Any]) -> str | None:
    """The id of a call in an item."""
    link = item.get("tool_call_id")
    return as_text(link) if link is not None and link != "" else None


def links_of(items: Sequence[Any]) -> list[Link]:
    """The call that each item makes or answers, and the function of the latter."""
    calls = _Calls(items)
    return [_link_of(index, item, calls) for index, item in enumerate(items)]


def _link_of(index: int, item: Any, calls: _Calls) -> Link:
    role = role_of(item)
    known = item if isinstance(item, dict) else {}
    class_ = known.get("class_")
    if role == "user":
        calls.interrupt()
        return link_in(known), None
    if role == "tool":
        return calls.answered_by(item)
    if class_ in CALLS:
        function = as_text(known.get("language" if class_ == "code_action" else "function"))
        return calls.new(index, known, function), None
    calls.spoke()
    return None, None
