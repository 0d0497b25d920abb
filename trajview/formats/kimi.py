"""The wire log of Kimi's CLI: what was added to the context, and the events of each step of the model."""

from __future__ import annotations

from typing import Any

from .base import Origin
from .chat_format import Chat
from .line_format import LineFormat, failure, reasoning, time_of
from .plain import as_text, text_or_none

__all__ = ["FORMAT", "Kimi"]

_KINDS = ("context.", "turn.", "config.", "llm.", "usage.", "permission.", "tools.", "full_compaction.", "plan_mode.")


class Kimi(LineFormat):
    """`{"type": "context.append_message", "message"}`, `{"type": "context.append_loop_event", "event"}`, …"""

    name = "kimi"
    label = "Kimi CLI session"
    recognises = "lines of type `metadata` with `protocol_version`, then `context.…`, `turn.…`, `llm.…` and the like"

    def is_line(self, line: Any) -> bool:
        kind = line.get("type")
        if kind == "metadata":
            return "protocol_version" in line
        return isinstance(kind, str) and kind.startswith(_KINDS) and "data" not in line

    def session(self, lines: list[Any], origin: Origin) -> Chat:
        items: list[Any] = []
        events: list[Any] = []
        steps: dict[str, dict[str, Any]] = {}
        model = None
        for line in lines:
            kind = line.get("type") if isinstance(line, dict) else None
            time = time_of(line.get("time")) if isinstance(line, dict) else None
            about = {"timestamp": time} if time else {}
            if not isinstance(line, dict):
                items.append(line)
            elif kind == "context.append_message" and isinstance(line.get("message"), dict):
                items.append({**_message(line["message"]), **about})
            elif kind == "context.append_loop_event" and isinstance(line.get("event"), dict):
                _take(line["event"], steps, items, {**about, **({"model": model} if model else {})})
            elif kind == "context.apply_compaction" and text_or_none(line.get("summary")):
                items.append({"role": "system", "name": "compaction", "content": line["summary"], **about})
            elif kind == "config.update" and text_or_none(line.get("systemPrompt")):
                items.append({"role": "system", "content": line["systemPrompt"], **about})
                events.append({key: value for key, value in line.items() if key != "systemPrompt"})
            else:
                model = (text_or_none(line.get("model")) if kind == "llm.request" else None) or model
                events.append(line)
        return Chat(origin.default_id, items, None, {"events": events} if events else {})


def _message(message: dict[Any, Any]) -> dict[Any, Any]:
    """A message of the context: one that the program put in is no user's."""
    origin = message.get("origin")
    kind = origin.get("kind") if isinstance(origin, dict) else None
    rest = {key: value for key, value in message.items() if key not in ("toolCalls", "origin")}
    if isinstance(kind, str) and kind != "user" and rest.get("role") == "user":
        rest |= {"role": "system", "name": kind}
    return {**rest, **({"tool_calls": message["toolCalls"]} if message.get("toolCalls") else {})}


def _take(event: dict[Any, Any], steps: dict[str, dict[str, Any]], items: list[Any], about: dict[str, Any]) -> None:
    """Add an event of a step: all that the model says and calls in one is one message."""
    kind, step = event.get("type"), as_text(event.get("stepUuid") or event.get("uuid"))
    if kind == "tool.result":
        items.append(_answer(event, about))
        return
    if kind == "step.end" and step in steps and isinstance(event.get("usage"), dict):
        steps[step]["usage"] = event["usage"]
    if kind not in ("content.part", "tool.call"):
        return
    if step not in steps:
        steps[step] = {"role": "assistant", "content": [], **about}
        items.append(steps[step])
    if kind == "tool.call":
        call = {"id": event.get("toolCallId"), "name": event.get("name"), "arguments": event.get("args")}
        steps[step].setdefault("tool_calls", []).append(call)
        return
    part = event.get("part")
    if isinstance(part, dict) and part.get("type") == "think":
        steps[step]["content"] += reasoning(part.get("think"))
    else:
        steps[step]["content"].append(part)


def _answer(event: dict[Any, Any], about: dict[str, Any]) -> dict[str, Any]:
    result = event.get("result")
    held = result if isinstance(result, dict) else {"output": result}
    content = held.get("output", held.get("message"))
    answer = {key: value for key, value in about.items() if key != "model"}
    answer |= {"role": "tool", "content": content if isinstance(content, list) else as_text(content)}
    answer["tool_call_id"] = as_text(event.get("toolCallId"))
    if held.get("isError") or held.get("is_error"):
        answer["error"] = failure("error", content)
    return answer


FORMAT = Kimi()
