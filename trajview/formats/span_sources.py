"""The spans of a trace, whatever wrote them, with the messages that a model's span was given and answered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from .langchain import message_of
from .line_format import time_of
from .plain import as_text, is_list, json_or_value, number, text_or_none

__all__ = ["Span", "is_flat", "is_span", "is_text_of", "messages_in", "spans_in"]


class Span(Struct):
    """One span: who did what and when; `kind` is model, agent, tool, or empty."""

    id: str = ""
    parent: str = ""
    trace: str = ""
    name: str = ""
    kind: str = ""
    start: str = ""
    end: str = ""
    given: list[Any] = []
    said: list[Any] = []
    raw_in: Any = None
    raw_out: Any = None
    model: str | None = None
    usage: dict[str, Any] | None = None
    error: str = ""
    call: str = ""
    """The id of the call that a tool's span carries out."""

    def about(self) -> dict[str, Any]:
        """The facts about the span that are not its messages."""
        found = {
            key: getattr(self, key)
            for key in ("id", "parent", "name", "kind", "start", "end", "model", "usage", "error")
        }
        return {key: value for key, value in found.items() if value}


_FLAT = frozenset({
    "gen_ai.operation.name", "gen_ai.request.model", "gen_ai.system", "gen_ai.provider.name", "gen_ai.input.messages",
    "openinference.span.kind", "llm.model_name",
})  # fmt: skip
"""Attributes of which a model's span has some."""
_KINDS = {"llm": "model", "generation": "model", "chat": "model", "text_completion": "model", "generate_content": "model",
          "agent": "agent", "invoke_agent": "agent", "tool": "tool", "execute_tool": "tool"}  # fmt: skip


def is_flat(record: dict[Any, Any]) -> bool:
    """Whether an object is the attributes of one span, with dots in their names."""
    return len(_FLAT & record.keys()) >= 2


def is_text_of(key: Any) -> bool:
    """Whether a span's attribute holds messages, which are shown."""
    texts = ("llm.input_messages.", "llm.output_messages.", "gen_ai.prompt.", "gen_ai.completion.")
    exact = ("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions")
    return isinstance(key, str) and (key in exact or key.startswith(texts))


def is_span(line: Any) -> bool:
    """Whether an object is a span of one of the known makes. Looks at keys only."""
    if not isinstance(line, dict):
        return False
    if isinstance(line.get("context"), dict):
        return "span_id" in line["context"] and "attributes" in line
    if "run_type" in line:
        return "trace_id" in line or "inputs" in line
    if "traceId" in line:
        return "parentObservationId" in line or ("spanId" in line and "name" in line)
    return False


def spans_in(record: Any) -> Iterator[Span]:
    """The spans of a record: a list of them, or an object that holds some."""
    if is_list(record):
        for each in record:
            yield from spans_in(each)
        return
    if not isinstance(record, dict):
        return
    groups = record.get("resourceSpans", record.get("resource_spans"))
    if is_list(groups):
        yield from map(_of_otlp, _otlp_spans(groups))
    elif is_list(record.get("observations")):
        yield from (_of_langfuse(each) for each in record["observations"] if isinstance(each, dict))
    elif is_list(record.get("post")):
        yield from _of_langsmith(record)
    elif "run_type" in record:
        yield _of_run(record)
    elif "parentObservationId" in record:
        yield _of_langfuse(record)
    elif "spanId" in record:
        yield _of_otlp(record)
    elif isinstance(record.get("context"), dict):
        yield _of_phoenix(record)
    elif is_flat(record):
        yield _of_attributes(Span(kind="model"), record)


def _otlp_spans(groups: Any) -> Iterator[dict[Any, Any]]:
    for group in groups:
        scopes = group.get("scopeSpans", group.get("scope_spans")) if isinstance(group, dict) else None
        for scope in scopes if isinstance(scopes, list) else ():
            spans = scope.get("spans") if isinstance(scope, dict) else None
            yield from (span for span in (spans if isinstance(spans, list) else ()) if isinstance(span, dict))


def _otlp_value(value: Any) -> Any:
    """A value of OTLP's JSON, which names its type."""
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("arrayValue"), dict):
        return [_otlp_value(each) for each in value["arrayValue"].get("values") or ()]
    if isinstance(value.get("kvlistValue"), dict):
        return {
            as_text(each.get("key")): _otlp_value(each.get("value"))
            for each in value["kvlistValue"].get("values") or ()
        }
    if "intValue" in value:
        return json_or_value(value["intValue"])
    return next((value[key] for key in ("stringValue", "doubleValue", "boolValue") if key in value), value)


def _of_otlp(span: dict[Any, Any]) -> Span:
    listed = span.get("attributes")
    attributes = (
        {as_text(each.get("key")): _otlp_value(each.get("value")) for each in listed if isinstance(each, dict)}
        if isinstance(listed, list)
        else listed
    )
    times = [number(json_or_value(span.get(key))) for key in ("startTimeUnixNano", "endTimeUnixNano")]
    start, end = (time_of(time / 1e9) or "" if time else "" for time in times)
    found = Span(
        as_text(span.get("spanId")),
        as_text(span.get("parentSpanId")),
        as_text(span.get("traceId")),
        as_text(span.get("name")),
        start=start,
        end=end,
    )
    status = span.get("status")
    if isinstance(status, dict) and status.get("code") in (2, "STATUS_CODE_ERROR"):
        found.error = as_text(status.get("message")) or "error"
    return _of_attributes(found, attributes if isinstance(attributes, dict) else {})


def _of_phoenix(span: dict[Any, Any]) -> Span:
    context, attributes = span["context"], span.get("attributes")
    found = Span(
        as_text(context.get("span_id")),
        as_text(span.get("parent_id")),
        as_text(context.get("trace_id")),
        as_text(span.get("name")),
    )
    found.start, found.end = as_text(span.get("start_time")), as_text(span.get("end_time"))
    found.kind = _KINDS.get(as_text(span.get("span_kind")).lower(), "")
    if span.get("status_code") == "ERROR":
        found.error = as_text(span.get("status_message")) or "error"
    return _of_attributes(found, attributes if isinstance(attributes, dict) else {})


def _of_attributes(span: Span, attributes: dict[Any, Any]) -> Span:
    """A span with what its attributes say, by the names of OpenTelemetry's GenAI conventions or OpenInference's."""
    get = attributes.get
    kind = as_text(get("openinference.span.kind") or get("gen_ai.operation.name")).lower()
    span.kind = _KINDS.get(kind, span.kind)
    span.raw_in = get("input.value", get("gen_ai.tool.call.arguments", get("input")))
    span.raw_out = get("output.value", get("gen_ai.tool.call.result", get("output")))
    span.call = as_text(get("tool_call.id") or get("gen_ai.tool.call.id"))
    if span.kind == "tool":
        span.name = text_or_none(get("tool.name")) or text_or_none(get("gen_ai.tool.name")) or span.name
    span.model = (
        text_or_none(get("gen_ai.response.model"))
        or text_or_none(get("gen_ai.request.model"))
        or text_or_none(get("llm.model_name"))
    )
    usage = {
        key.rpartition(".")[2]: value
        for key, value in attributes.items()
        if isinstance(key, str) and key.startswith(("gen_ai.usage.", "llm.token_count.", "llm.cost."))
    }
    span.usage = usage or None
    span.given, span.said = (
        _listed(attributes, "input", span.raw_in, "user"),
        _listed(attributes, "output", span.raw_out, "assistant"),
    )
    if not span.kind and (span.given or span.said) and (span.model or usage):
        span.kind = "model"
    return span


_PREFIXES = {
    "input": ("llm.input_messages.", "gen_ai.prompt."),
    "output": ("llm.output_messages.", "gen_ai.completion."),
}


def _listed(attributes: dict[Any, Any], side: str, raw: Any, role: str) -> list[Any]:
    """The messages of one side of a span: as JSON, or as one attribute for each field, numbered."""
    said = attributes.get(f"gen_ai.{side}.messages")
    if said is not None:
        system = attributes.get("gen_ai.system_instructions") if side == "input" else None
        return [*messages_in(system, "system"), *messages_in(said, role)]
    tree: dict[str, Any] = {}
    for key, value in attributes.items():
        prefix = next((each for each in _PREFIXES[side] if isinstance(key, str) and key.startswith(each)), None)
        if prefix:
            _put(tree, key.removeprefix(prefix).split("."), value)
    found = _numbered(tree)
    if is_list(found) and found:
        return [_unwrapped(each) for each in found]
    return messages_in(raw, role)


def _put(tree: dict[str, Any], steps: list[str], value: Any) -> None:
    for step in steps[:-1]:
        inner = tree.setdefault(step, {})
        if not isinstance(inner, dict):
            return
        tree = inner
    tree[steps[-1]] = value


def _numbered(tree: Any) -> Any:
    """A tree in which an object whose keys are numbers is a list, in their order."""
    if not isinstance(tree, dict):
        return tree
    if tree and all(key.isdigit() for key in tree):
        return [_numbered(tree[key]) for key in sorted(tree, key=int)]
    return {key: _numbered(value) for key, value in tree.items()}


def _unwrapped(value: Any) -> Any:
    """A message of OpenInference's, each part of which stands under the name of what it is."""
    held = value.get("message", value) if isinstance(value, dict) else value
    if not isinstance(held, dict):
        return value
    item = dict(held)
    parts = item.pop("contents", None)
    if isinstance(parts, list):
        item["content"] = [part.get("message_content", part) if isinstance(part, dict) else part for part in parts]
    calls = item.get("tool_calls")
    if isinstance(calls, list):
        item["tool_calls"] = [call.get("tool_call", call) if isinstance(call, dict) else call for call in calls]
    return item


def messages_in(value: Any, role: str) -> list[Any]:
    """The messages that one side of a model's span holds, in whatever dialect; `role` says a bare text."""
    value = json_or_value(value)
    if value in (None, "", [], {}):
        return []
    if is_list(value):
        nested = value[0] if len(value) == 1 and is_list(value[0]) else value
        return [item for each in nested for item in _message(each, role)]
    if not isinstance(value, dict):
        return [{"role": role, "content": as_text(value)}]
    for key in ("messages", "choices", "output", "generations", "items"):
        if is_list(value.get(key)) and value[key]:
            return messages_in(value[key], role)
    if isinstance(value.get("output"), dict):
        return messages_in(value["output"], role)
    return _message(value, role)


def _message(each: Any, role: str) -> list[Any]:
    """A message of a span; the answers among its parts are messages of their own."""
    if is_list(each):
        return messages_in(each, role)
    if isinstance(each, dict) and isinstance(each.get("message"), dict) and "role" not in each:
        each = each["message"]
    each = message_of(each)
    if not isinstance(each, dict):
        return [{"role": role, "content": as_text(each)}]
    if is_list(each.get("parts")):
        return _of_parts(each, role)
    if "role" in each or isinstance(each.get("type"), str):
        return [each]
    text = each.get("content", each.get("text", each.get("input", each)))
    return [{"role": role, "content": text if isinstance(text, str) else as_text(text)}]


def _of_parts(message: dict[Any, Any], role: str) -> list[Any]:
    """A message of OpenTelemetry's conventions."""
    content: list[Any] = []
    calls: list[Any] = []
    answers: list[Any] = []
    for part in message["parts"]:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "tool_call":
            calls.append({key: value for key, value in part.items() if key != "type"})
        elif kind == "tool_call_response":
            answer = as_text(part.get("response", part.get("result")))
            answers.append({"role": "tool", "tool_call_id": as_text(part.get("id")), "content": answer})
        elif kind == "reasoning":
            content.append({"type": "reasoning", "reasoning": as_text(part.get("content"))})
        elif kind == "text":
            content.append({"type": "text", "text": as_text(part.get("content"))})
        else:
            content.append(part)
    rest = {key: value for key, value in message.items() if key != "parts"}
    said = {**rest, "role": message.get("role") or role, "content": content, **({"tool_calls": calls} if calls else {})}
    return [*([said] if content or calls or not answers else []), *answers]


def _of_langfuse(each: dict[Any, Any]) -> Span:
    found = Span(
        as_text(each.get("id")),
        as_text(each.get("parentObservationId")),
        as_text(each.get("traceId")),
        as_text(each.get("name")),
    )
    found.kind = _KINDS.get(as_text(each.get("type")).lower(), "")
    found.start, found.end = as_text(each.get("startTime")), as_text(each.get("endTime"))
    found.raw_in, found.raw_out = each.get("input"), each.get("output")
    found.model = text_or_none(each.get("model"))
    usage = {key: each[key] for key in ("usageDetails", "costDetails") if isinstance(each.get(key), dict) and each[key]}
    found.usage = {
        **usage.get("usageDetails", {}),
        **({"cost": usage["costDetails"]} if "costDetails" in usage else {}),
    } or None
    if each.get("level") == "ERROR":
        found.error = as_text(each.get("statusMessage")) or "error"
    found.given, found.said = messages_in(found.raw_in, "user"), messages_in(found.raw_out, "assistant")
    return found


def _of_langsmith(record: dict[Any, Any]) -> Iterator[Span]:
    """The runs that a batch opens, each with what closes it: by its id, else by its place in the order of its trace."""
    patches = (
        [each for each in record.get("patch") or () if isinstance(each, dict)] if is_list(record.get("patch")) else []
    )
    for opened in record["post"]:
        if not isinstance(opened, dict):
            continue
        own = [
            each
            for each in patches
            if each.get("id", opened.get("id")) == opened.get("id")
            and each.get("dotted_order") == opened.get("dotted_order")
        ]
        merged = dict(opened)
        for patch in own:
            merged |= {key: value for key, value in patch.items() if value not in (None, {}, [])}
        yield _of_run(merged)


def _of_run(run: dict[Any, Any]) -> Span:
    found = Span(
        as_text(run.get("id")),
        as_text(run.get("parent_run_id")),
        as_text(run.get("trace_id")),
        as_text(run.get("name")),
    )
    found.kind = _KINDS.get(as_text(run.get("run_type")).lower(), "")
    found.start, found.end = time_of(run.get("start_time")) or "", time_of(run.get("end_time")) or ""
    found.raw_in, found.raw_out = run.get("inputs"), run.get("outputs")
    found.given, found.said = messages_in(found.raw_in, "user"), messages_in(found.raw_out, "assistant")
    found.error = as_text(run.get("error"))
    outputs = found.raw_out if isinstance(found.raw_out, dict) else {}
    usage = outputs.get("usage_metadata") or outputs.get("usage")
    found.usage = usage if isinstance(usage, dict) else None
    found.model = text_or_none(outputs.get("model"))
    return found
