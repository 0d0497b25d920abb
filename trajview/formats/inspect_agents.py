"""What sub-agents said in a sample of Inspect's: their conversations are in its events only, not among its messages.

Events are within spans, and a span of type `agent` is an agent's. A conversation is what the models within it were given
and answered, each message once. What an agent said in the sample's own messages (as the main one does, and one that the
conversation was handed over to) is none. Older logs hold a tool's events within its own event.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct

from .plain import as_text

__all__ = ["SubAgent", "sub_agents"]

_DEEPEST: Final = 50
_Event = dict[Any, Any]


class SubAgent(Struct):
    """A conversation of an agent: its messages as they were logged, and the call that started it."""

    name: str
    outer: str | None = None
    """The span of the agent that it is within."""
    span: str = ""
    call: str | None = None
    items: list[Any] = []
    _seen: set[str] = set()
    _answers: set[str] = set()

    def take(self, given: list[Any], answer: _Event) -> None:
        """A model was given these messages, and answered."""
        for message in (*given, answer):
            key = _key(message)
            if key not in self._seen:
                self._seen.add(key)
                self.items.append(message)
        self._answers.add(_key(answer))

    def said_within(self, own: set[str]) -> bool:
        """Whether this is said by the sample's own messages already."""
        known = self._answers & own
        return bool(known) if self.call is None and self.outer is None else known == self._answers


def _key(message: Any) -> str:
    """What tells a message: its id, or all that it says."""
    found = message.get("id") if isinstance(message, dict) else None
    if isinstance(found, str) and found:
        return f"id {found}"
    said = {key: value for key, value in message.items() if key != "id"} if isinstance(message, dict) else message
    return f"said {as_text(said)}"


def sub_agents(sample: _Event) -> list[SubAgent]:
    """The conversations that a sample's messages do not hold, in the order in which they began."""
    events = sample.get("events")
    if not isinstance(events, list) or not events:
        return []
    found = _Found(sample)
    found.walk(events, None, 0)
    if not found.agents:
        return []
    messages = sample.get("messages")
    own = set(map(_key, messages)) if isinstance(messages, list) else set()
    kept = [agent for agent in found.agents.values() if not agent.said_within(own)]
    spans = {agent.span for agent in kept}
    for agent in kept:
        if agent.outer not in spans:
            agent.outer = None  # the sample's own
    return kept


class _Found:
    """The agents of a sample, by span."""

    def __init__(self, sample: _Event) -> None:
        self.agents: dict[str, SubAgent] = {}
        self._spans: dict[str, _Event] = {}
        self._started: dict[str, str] = {}
        """By an agent's span: the call that says that it started it."""
        self._tools: dict[str, str] = {}
        """By a tool's span: its call."""
        data = sample.get("events_data")
        pool = data.get("messages") if isinstance(data, dict) else None
        self._pool: list[Any] = pool if isinstance(pool, list) else []

    def walk(self, events: list[Any], within: str | None, depth: int) -> None:
        """Look at events; `within` is the span of the tool whose own events they are."""
        self._look_at_spans(events, within)
        for event in events:
            if not isinstance(event, dict):
                continue
            kind, inner = event.get("event"), event.get("events")
            if kind == "model":
                self._model(event, within)
            elif kind in ("tool", "subtask") and isinstance(inner, list) and inner and depth < _DEEPEST:
                name = next((n for n in map(event.get, ("agent", "function", "name")) if isinstance(n, str)), kind)
                span = f"{kind} {len(self._spans)}"
                self._spans[span] = {"type": "agent", "name": name, "parent_id": _id(event, "span_id") or within}
                call = _id(event, "id") if kind == "tool" else None
                if call:
                    self._started[span] = call
                self.walk(inner, span, depth + 1)

    def _look_at_spans(self, events: list[Any], within: str | None) -> None:
        """Spans, and which call started what: tools say so when they end, after all that happened in them."""
        for event in events:
            if not isinstance(event, dict):
                continue
            if event.get("event") == "span_begin" and (span := _id(event, "id")):
                self._spans.setdefault(span, {"parent_id": within, **event})
            elif event.get("event") == "tool" and (call := _id(event, "id")):
                for key, calls in (("agent_span_id", self._started), ("span_id", self._tools)):
                    if span := _id(event, key):
                        calls.setdefault(span, call)

    def _model(self, event: _Event, within: str | None) -> None:
        span = self._agent_of(_id(event, "span_id") or within)
        answer = _answer(event)
        if span is None or answer is None:
            return
        agent = self.agents.get(span)
        if agent is None:
            above = _id(self._spans[span], "parent_id")
            name = self._spans[span].get("name")
            agent = SubAgent(name if isinstance(name, str) and name else "agent", self._agent_of(above), span)
            agent.call = self._call_of(span)
            self.agents[span] = agent
        agent.take(self._given(event), answer)

    def _above(self, span: str | None) -> Iterator[str]:
        """A span and those around it that are known."""
        seen: set[str] = set()
        while span is not None and span in self._spans and span not in seen and len(seen) < _DEEPEST:
            seen.add(span)
            yield span
            span = _id(self._spans[span], "parent_id")

    def _agent_of(self, span: str | None) -> str | None:
        return next((each for each in self._above(span) if self._spans[each].get("type") == "agent"), None)

    def _call_of(self, agent: str) -> str | None:
        """The call that started an agent: it names the agent's span, or is of the tool around it."""
        if agent in self._started:
            return self._started[agent]
        for span in self._above(_id(self._spans[agent], "parent_id")):
            kind = self._spans[span].get("type")
            if kind == "tool":
                return self._tools.get(span)
            if kind == "agent":
                return None
        return None

    def _given(self, event: _Event) -> list[Any]:
        given, refs = event.get("input"), event.get("input_refs")
        if isinstance(given, list) and given:
            return given
        found: list[Any] = []
        for ref in refs if isinstance(refs, list) else ():
            if isinstance(ref, list) and len(ref) == 2 and all(type(at) is int and at >= 0 for at in ref):
                found += self._pool[ref[0] : ref[1]]
        return found


def _id(event: _Event, key: str) -> str | None:
    found = event.get(key)
    return found if isinstance(found, str) and found else None


def _answer(event: _Event) -> _Event | None:
    """What a model answered; None where it failed."""
    output = event.get("output")
    choices = output.get("choices") if isinstance(output, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    return message if isinstance(message, dict) else None
