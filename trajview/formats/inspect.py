"""Inspect's evaluation logs: a log is a run of one transcript for each sample, and a sample alone is a run too.

What sub-agents said is in a sample's events only, not among its messages. Events are within spans, and a span of type `agent`
is an agent's. A conversation is what the models within it were given and answered, each message once. What an agent said in the
sample's own messages (as the main one does, and one that the conversation was handed over to) is none. Older logs hold a
tool's events within its own event.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct

from trajview.errors import Problem
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript

from .base import Detection, Origin, Summary
from .chat_format import Chat, chat_of, leftovers, messages_under, summary_models
from .contract import Format
from .plain import as_text, first_id, is_list, kind, not_an_object, problems_at, rewards_of, text_or_none
from .words import AddedWords

__all__ = ["FORMAT", "Inspect", "SubAgent", "sub_agents"]

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Inspect's own numbers for its letters: correct, partial, incorrect, no answer."""


def _is_sample(record: Any) -> bool:
    return isinstance(record, dict) and {"epoch", "input", "target"} <= record.keys()


class Inspect(Format):
    """`{"eval": {…}, "samples": [{"id", "epoch", "input", "target", "messages", "scores"}]}`, or one such sample."""

    name = "inspect"
    label = "Inspect log"
    recognises = "`samples` with `epoch`, `input` and `target`, or one of them, with `messages` or without"
    runs_under = "samples"
    added_words = AddedWords(metadata=("sample epoch",))

    def detect(self, record: Any) -> Detection | None:
        if not isinstance(record, dict):
            return None
        samples = record.get("samples")
        first = samples[0] if isinstance(samples, list) and samples else None
        if isinstance(first, dict) and ("messages" in first or _is_sample(first)):
            return Detection(self.name, 0.97 if "eval" in record else 0.85, ("`samples` have `messages`, or `input`",))
        if not _is_sample(record):
            return None
        if is_list(record.get("messages")):
            return Detection(self.name, 0.97, ("`epoch`, `input` and `target` beside `messages`",))
        return Detection(self.name, 0.8, ("`epoch`, `input` and `target`, without messages",))

    def _look(self, record: Any, origin: Origin) -> tuple[Chat, list[Chat]]:
        """The run (whose own messages are none), and the samples in it."""
        if not isinstance(record, dict):
            raise not_an_object("an Inspect log", record, origin)
        samples = record.get("samples")
        if not isinstance(samples, list) or not samples:
            if "messages" not in record and not _is_sample(record):
                raise not_an_object("an Inspect log", record, origin, "an object with `samples` or `messages`")
            chat = _sample(record, origin)
            return chat, [chat]
        about = record.get("eval")
        about = about if isinstance(about, dict) else {}
        found, key = first_id({**about, **record}, origin, ("id", "eval_id", "run_id"))
        chats = [_sample(sample, origin) for sample in samples]
        run = Chat(
            found, [], text_or_none(about.get("task")), leftovers(record, {"samples", key if key == "id" else ""})
        )
        run.models = summary_models((), about)
        run.rewards = chats[0].rewards if len(chats) == 1 else None
        return run, chats

    def summarise(self, record: Any, origin: Origin) -> Summary:
        run, samples = self._look(record, origin)
        parts = [chat.summary() for chat in samples]
        models = dict.fromkeys([*run.models, *(model for part in parts for model in part.models)])
        return Summary(
            run.id, run.name, sum(part.messages for part in parts), sum(part.units for part in parts),
            sum(part.transcripts for part in parts), (),
            tuple(run.rewards or ()), tuple(models), task=parts[0].task if run.name is None and parts else None,
        )  # fmt: skip

    def read(self, record: Any, origin: Origin) -> AgentRun:

        run, samples = self._look(record, origin)
        transcripts = []
        for index, chat in enumerate(samples):
            transcript = chat.transcript(f"{run.id}/{index}")
            if chat is not run:
                transcript.name, transcript.metadata = f"sample {chat.id}", chat.metadata
            transcripts.append(transcript)
        for number, chat in enumerate(samples):
            _add_branches(run.id, chat, transcripts[number].id, transcripts)
        return AgentRun(
            id=run.id, name=run.name, transcripts=transcripts, metadata=run.metadata, rewards=run.rewards,
            source_format=self.name,
        )  # fmt: skip

    def check(self, record: Any, origin: Origin) -> list[Problem]:
        _, samples = self._look(record, origin)
        every = [each for chat in samples for each in (chat, *chat.branches)]
        reasons = [r for chat in every for r in (*chat.problems, *chat.wrong_in_messages())]
        return problems_at(origin, reasons)


def _add_branches(run: str, chat: Chat, above: str, transcripts: list[Transcript]) -> None:
    """Add the transcripts of a sample's sub-agents, below the sample's own or the one of the agent around them."""
    spans: dict[str, str] = {}
    for branch in chat.branches:
        place = f"{run}/{len(transcripts)}"
        transcript = branch.transcript(place)
        about = dict(branch.metadata)
        outer = about.pop("outer", None)
        spans[about["span"]] = place
        about["parent_transcript_id"] = spans.get(outer, above)
        transcript.name, transcript.metadata = branch.name, about
        transcripts.append(transcript)


_SAID_ELSEWHERE = frozenset({"events", "events_data", "attachments"})
"""Keys of a sample on how it came to its messages, step by step and many times their size, and texts repeated in them.

They are in the raw record, not in the metadata, as Docent's own loader of Inspect's logs leaves them out. What sub-agents
said in them is a transcript of each.
"""


def _sample(sample: Any, origin: Origin) -> Chat:
    if not isinstance(sample, dict):
        return Chat("?", [sample], problems=[f"a sample is an object, and this is {kind(sample)}"])
    items, problems = messages_under(sample, "messages") if sample.get("messages") else (_input_and_output(sample), [])
    attachments = sample.get("attachments")
    chat = chat_of(sample, origin, _all_attached(items, attachments), {"messages", *_SAID_ELSEWHERE}, problems)
    scores = sample.get("scores")
    if isinstance(scores, dict):
        chat.rewards = rewards_of({"scores": {key: _graded(score) for key, score in scores.items()}}) or chat.rewards
    for agent in sub_agents(sample):
        said = _all_attached(list(agent.said.values()), attachments)
        about = {"agent": agent.name, "span": agent.span, "outer": agent.outer, "tool_call_id": agent.call}
        chat.branches.append(Chat(chat.id, said, agent.name, {key: value for key, value in about.items() if value}))
    output = sample.get("output")
    chat.models = summary_models((), output)
    if sample.get("epoch") not in (None, 1) and "id" in sample:
        chat.id = f"{chat.id} epoch {as_text(sample['epoch'])}"
    return chat


def _input_and_output(sample: dict[Any, Any]) -> list[Any]:
    """The messages of a sample that holds none: what the model was given, and its answer."""
    given = sample.get("input")
    items: list[Any] = given if isinstance(given, list) else [{"role": "user", "content": given}] if given else []
    answer = _answer({"output": sample.get("output")})
    return [*items, answer] if answer is not None else items


def _graded(score: Any) -> Any:
    value = score.get("value") if isinstance(score, dict) else score
    return _GRADES.get(value, value) if isinstance(value, str) else value


def _all_attached(items: Sequence[Any], attachments: Any) -> Sequence[Any]:
    """The items with their attachments put in, where a sample has any."""
    if not isinstance(attachments, dict) or not attachments:
        return items
    return [_attached(item, attachments) for item in items]


def _attached(value: Any, attachments: dict[Any, Any], depth: int = 0) -> Any:
    """The value with each `attachment://…` text replaced by what it stands for."""
    if isinstance(value, str):
        return (
            attachments.get(value.removeprefix("attachment://"), value) if value.startswith("attachment://") else value
        )
    if depth > 12:
        return value
    if isinstance(value, dict):
        return {key: _attached(item, attachments, depth + 1) for key, item in value.items()}
    return [_attached(item, attachments, depth + 1) for item in value] if isinstance(value, list) else value


# -- sub-agents --------------------------------------------------------------------------------------------------------

_DEEPEST: Final = 50
_Event = dict[Any, Any]


class SubAgent(Struct):
    """A conversation of an agent, and the call that started it."""

    name: str
    outer: str | None
    """The span of the agent that it is within."""
    span: str
    call: str | None
    said: dict[str, Any] = {}
    """Its messages as they were logged, by their keys."""
    answers: set[str] = set()
    """The keys of the messages that its models answered."""

    def take(self, given: list[Any], answer: _Event) -> None:
        """Add a call of a model: the messages given to it, and its answer."""
        for message in (*given, answer):
            self.said.setdefault(_key(message), message)
        self.answers.add(_key(answer))

    def is_within(self, own: set[str]) -> bool:
        """Whether the sample's own messages hold this conversation already."""
        known = self.answers & own
        return bool(known) if self.call is None and self.outer is None else known == self.answers


def _key(message: Any) -> str:
    """The key of a message: its id, or all of its content."""
    found = message.get("id") if isinstance(message, dict) else None
    if isinstance(found, str) and found:
        return f"id {found}"
    said = {key: value for key, value in message.items() if key != "id"} if isinstance(message, dict) else message
    return f"said {as_text(said)}"


def sub_agents(sample: _Event) -> list[SubAgent]:
    """The conversations that a sample's messages do not hold, in the order in which they began."""
    events, messages = sample.get("events"), sample.get("messages")
    found = _Found(sample)
    found.walk(events if isinstance(events, list) else [], None, 0)
    own = set(map(_key, messages)) if found.agents and isinstance(messages, list) else set()
    kept = [agent for agent in found.agents.values() if not agent.is_within(own)]
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
        """The call that names an agent's span as the one it started, by that span."""
        self._tools: dict[str, str] = {}
        """The call of a tool, by its span."""
        data = sample.get("events_data")
        pool = data.get("messages") if isinstance(data, dict) else None
        self._pool: list[Any] = pool if isinstance(pool, list) else []

    def walk(self, events: list[Any], within: str | None, depth: int) -> None:
        """Look at events; `within` is the span of the tool whose own events they are."""
        known = [event for event in events if isinstance(event, dict)]
        self._look_at_spans(known, within)
        for event in known:
            kind, inner = event.get("event"), event.get("events")
            if kind == "model":
                self._model(event, within)
            elif kind in ("tool", "subtask") and isinstance(inner, list) and inner and depth < _DEEPEST:
                name = next((n for n in map(event.get, ("agent", "function", "name")) if isinstance(n, str)), kind)
                span = f"{kind} {len(self._spans)}"
                self._spans[span] = {
                    "type": "agent",
                    "name": name,
                    "parent_id": text_or_none(event.get("span_id")) or within,
                }
                call = text_or_none(event.get("id")) if kind == "tool" else None
                if call:
                    self._started[span] = call
                self.walk(inner, span, depth + 1)

    def _look_at_spans(self, events: list[_Event], within: str | None) -> None:
        """Spans, and which call started what: tools say so when they end, after all that happened in them."""
        for event in events:
            if event.get("event") == "span_begin" and (span := text_or_none(event.get("id"))):
                self._spans.setdefault(span, {"parent_id": within, **event})
            elif event.get("event") == "tool" and (call := text_or_none(event.get("id"))):
                for key, calls in (("agent_span_id", self._started), ("span_id", self._tools)):
                    if span := text_or_none(event.get(key)):
                        calls.setdefault(span, call)

    def _model(self, event: _Event, within: str | None) -> None:
        span = self._agent_of(text_or_none(event.get("span_id")) or within)
        answer = _answer(event)
        if span is None or answer is None:
            return
        agent = self.agents.get(span)
        if agent is None:
            above = text_or_none(self._spans[span].get("parent_id"))
            name = text_or_none(self._spans[span].get("name")) or "agent"
            agent = self.agents[span] = SubAgent(name, self._agent_of(above), span, self._call_of(span))
        agent.take(self._given(event), answer)

    def _above(self, span: str | None) -> Iterator[str]:
        """A span and those around it that are known."""
        seen: set[str] = set()
        while span is not None and span in self._spans and span not in seen and len(seen) < _DEEPEST:
            seen.add(span)
            yield span
            span = text_or_none(self._spans[span].get("parent_id"))

    def _agent_of(self, span: str | None) -> str | None:
        return next((each for each in self._above(span) if self._spans[each].get("type") == "agent"), None)

    def _call_of(self, agent: str) -> str | None:
        """The call that started an agent: it names the agent's span, or is of the tool around it."""
        if agent in self._started:
            return self._started[agent]
        for span in self._above(text_or_none(self._spans[agent].get("parent_id"))):
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


def _answer(event: _Event) -> _Event | None:
    """The answer of a model; None where it failed."""
    output = event.get("output")
    choices = output.get("choices") if isinstance(output, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    return message if isinstance(message, dict) else None


FORMAT = Inspect()
