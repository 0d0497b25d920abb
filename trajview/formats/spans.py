"""Traces: what models, tools and agents did, as spans of OpenTelemetry, OpenInference, Langfuse and LangSmith.

Each model's span repeats the conversation so far, which is said once. An agent within another is a transcript of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .base import Detection, Origin
from .chat_format import Chat, leftovers
from .line_format import LineFormat, failure
from .parts import tool_call
from .plain import as_json, as_text, is_list, json_or_value, number, text_or_none
from .roles import ROLES, sample
from .span_sources import Span, is_flat, is_span, is_text_of, spans_in

__all__ = ["FORMAT", "Spans"]

_HOLDERS = frozenset({"resourceSpans", "resource_spans", "observations", "post", "patch"})
_AGENTS = 200
"""Agents of a trace that have a transcript of their own."""


class Spans(LineFormat):
    """`{"resourceSpans"}`, `{"trace", "observations"}`, `{"post", "patch"}`, a list of spans, or the attributes of one."""

    name = "spans"
    lists_only = False
    label = "trace"
    recognises = "spans of OpenTelemetry (`resourceSpans`, `gen_ai.…`), OpenInference, Langfuse or LangSmith"

    def is_line(self, line: Any) -> bool:
        return is_span(line)

    def detect(self, record: Any) -> Detection | None:
        if not isinstance(record, dict):
            return super().detect(record)
        if record.keys().isdisjoint(_HOLDERS):
            known = is_flat(record) or is_span(record)
            return Detection(self.name, 0.9, ("attributes of a model's span",)) if known else None
        why = ""
        if is_list(record.get("resourceSpans")) or is_list(record.get("resource_spans")):
            why = "`resourceSpans`, as OpenTelemetry writes them"
        elif _all_spans(record.get("observations")):
            why = "`observations` of a trace of Langfuse's"
        elif _all_spans(record.get("post")):
            why = "`post` holds runs of LangSmith's"
        return Detection(self.name, 0.97, (why,)) if why else None

    def look(self, record: Any, origin: Origin) -> Chat:
        if is_list(record):
            return self.session(list(record), origin)
        return _chat(record if isinstance(record, dict) else {}, list(spans_in(record)), origin)

    def session(self, lines: list[Any], origin: Origin) -> Chat:
        return _chat({}, list(spans_in(lines)), origin)


def _all_spans(values: Any) -> bool:
    looked_at = list(sample(values)) if is_list(values) else []
    return bool(looked_at) and all(map(is_span, looked_at))


def _chat(record: dict[Any, Any], spans: list[Span], origin: Origin) -> Chat:
    spans.sort(key=lambda span: span.start)
    by_id = {span.id: span for span in spans if span.id}
    agents: dict[str, list[Span]] = {}
    for span in spans:
        agents.setdefault(_agent_of(span, by_id), []).append(span)
    said_by = {key: items for key, own in agents.items() if (items := _conversation(own))}
    chat = _main_chat(record, spans, by_id, next(iter(said_by.values()), []), origin)
    for key in list(said_by)[1:_AGENTS]:
        agent = by_id[key].name if key in by_id else None
        chat.branches.append(Chat(chat.id, said_by[key], agent, {"span": key} if key else {}))
    said = [item for branch in (chat, *chat.branches) for item in branch.items if isinstance(item, dict)]
    chat.models = tuple(dict.fromkeys(item["model"] for item in said if isinstance(item.get("model"), str)))
    return chat


def _main_chat(
    record: dict[Any, Any], spans: list[Span], by_id: dict[str, Span], items: list[Any], origin: Origin
) -> Chat:
    """The chat of the first agent, named by the trace or its first span; without messages, what that was given and said."""
    root = next((span for span in spans if span.parent not in by_id), spans[0] if spans else None)
    trace = record.get("trace")
    trace = trace if isinstance(trace, dict) else {}
    found, name = text_or_none(trace.get("id")), text_or_none(trace.get("name"))
    if root is not None:
        found, name, items = found or root.trace, name or root.name, items or [*root.given, *root.said]
    chat = Chat(found or origin.default_id, items, name)
    chat.metadata = leftovers(record, [key for key in record if key in _HOLDERS or is_text_of(key)])
    chat.metadata["spans"] = [span.about() for span in spans]
    chat.rewards = _scores(trace)
    return chat


def _agent_of(span: Span, by_id: dict[str, Span]) -> str:
    """The innermost agent that a span is of, that is not the only one around all; empty where there is none."""
    found: str | None = None
    seen: set[str] = set()
    here: Span | None = span
    while here is not None and here.id not in seen:
        seen.add(here.id)
        if here.kind == "agent" and here is not span and found is None:
            found = here.id
        here = by_id.get(here.parent)
    return found or ""


def _scores(trace: dict[Any, Any]) -> list[Any] | None:
    """The scores of a trace: one is its reward, several are dimensions."""
    held = trace.get("scores")
    scores = {
        as_text(each.get("name")): value
        for each in (held if isinstance(held, list) else ())
        if isinstance(each, dict) and (value := number(each.get("value"))) is not None
    }
    if len(scores) > 1:
        return [(sum(scores.values()) / len(scores), scores)]
    return list(scores.values()) or None


def _key(message: Any) -> str:
    """What tells a message from another: who says and calls what, in whatever order of keys."""
    if not isinstance(message, dict):
        return as_json(message, None)
    calls = message.get("tool_calls")
    names = (
        [(call.get("id"), call.get("name")) for call in calls if isinstance(call, dict)]
        if isinstance(calls, list)
        else []
    )
    content = message.get("content")
    return as_json([message.get("role"), content or "", message.get("tool_call_id"), names], None)


def _conversation(spans: list[Span]) -> list[Any]:
    """The messages of the model's spans, each once; of tools' spans, what no model repeats."""
    items: list[Any] = []
    keys: list[str] = []
    for span in spans:
        if span.kind != "model":
            continue
        given = [*map(_key, span.given)]
        same = 0
        while same < min(len(given), len(keys)) and given[same] == keys[same]:
            same += 1
        new = [(key, item) for key, item in zip(given[same:], span.given[same:], strict=True) if key not in keys]
        for key, item in [*new, *((_key(item), item) for item in _answer(span))]:
            keys.append(key)
            items.append(item)
    open_calls = [(name, link, item) for item in items for name, link in _calls_of(item)]
    items = [_named_by_role(item, open_calls) for item in items]
    if any(isinstance(item, dict) and item.get("role") == "tool" for item in items):
        return items
    for span in spans:
        if span.kind == "tool":
            _add_tool(span, items, open_calls)
    return items


def _named_by_role(item: Any, open_calls: list[tuple[str, str, Any]]) -> Any:
    """A message whose role is the name of a function that was called is that function's answer."""
    role = item.get("role") if isinstance(item, dict) else None
    if not isinstance(role, str) or role in ROLES:
        return item
    link = next((link for name, link, _ in open_calls if name == role), None)
    return item if link is None else {**item, "role": "tool", "name": role, "tool_call_id": link}


def _calls_of(item: Any) -> list[tuple[str, str]]:
    """The name and the id of each call of a message that has one."""
    if not isinstance(item, dict):
        return []
    held = [item] if item.get("type") == "function_call" else item.get("tool_calls")
    calls = [tool_call(call) for call in held] if isinstance(held, list) else []
    return [(call["function"], call["id"]) for call in calls if call.get("id")]


def _add_tool(span: Span, items: list[Any], open_calls: list[tuple[str, str, Any]]) -> None:
    """Add the answer of a tool's span behind the call that it answers; with a call of its own where there is none."""
    call, answer = _tool(span)
    at = next((at for at, (name, link, _) in enumerate(open_calls) if span.name == name or span.call == link), None)
    if at is None:
        items += [call, answer]
        return
    _, link, item = open_calls.pop(at)
    place = next(place for place, each in enumerate(items) if each is item)
    items.insert(place + 1, {**answer, "tool_call_id": link})


def _answer(span: Span) -> Iterator[Any]:
    """What a model answered, with its model, time and usage."""
    about = {"model": span.model, "usage": span.usage, "timestamp": span.end}
    for item in span.said:
        yield {**{key: value for key, value in about.items() if value}, **item} if isinstance(item, dict) else item
    if span.error and not span.said:
        yield {"role": "system", "name": "error", "content": span.error}


def _tool(span: Span) -> Iterator[dict[str, Any]]:
    """A tool's span as a call and its answer."""
    link = span.call or span.id or span.name
    given = json_or_value(span.raw_in)
    arguments = given if isinstance(given, dict) else {} if given is None else {"input": given}
    yield {"role": "assistant", "content": "", "tool_calls": [{"id": link, "name": span.name, "arguments": arguments}]}
    item: dict[str, Any] = {"role": "tool", "tool_call_id": link, "name": span.name, "content": as_text(span.raw_out)}
    if span.error:
        item["error"] = failure("error", span.error)
    yield item


FORMAT = Spans()
