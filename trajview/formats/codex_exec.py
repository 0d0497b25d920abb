"""What `codex exec --json` prints: items of a thread, each of which may come several times while it is worked on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .base import Origin
from .chat_format import Chat, message_item
from .line_format import LineFormat, failure, reasoning
from .plain import as_text, text_or_none
from .words import AddedWords

__all__ = ["FORMAT", "CodexExec"]

_EVENTS = ("thread.", "turn.", "item.")
_SAID = frozenset({"agent_message", "assistant_message", "error"})


class CodexExec(LineFormat):
    """`{"type": "thread.started", "thread_id"}`, `{"type": "item.completed", "item": {"id", "type", …}}`, …"""

    name = "codex-exec"
    label = "Codex exec stream"
    recognises = "lines of type `thread.started`, `turn.…` and `item.…`, as `codex exec --json` prints them"

    added_words = AddedWords(with_bytes=(("failed", ("exit_code",)),))

    def is_line(self, line: Any) -> bool:
        kind = line.get("type")
        return isinstance(kind, str) and kind.startswith(_EVENTS) and "data" not in line

    def session(self, lines: list[Any], origin: Origin) -> Chat:
        items: dict[str, Any] = {}
        events: list[Any] = []
        thread = None
        for at, line in enumerate(lines):
            item = line.get("item") if isinstance(line, dict) else None
            if isinstance(item, dict):
                items[text_or_none(item.get("id")) or f"line {at}"] = item
            elif not isinstance(line, dict):
                items[f"line {at}"] = line
            else:
                thread = thread or text_or_none(line.get("thread_id"))
                events.append(line)
        said = list(_messages(list(items.values())))
        usage = next((line["usage"] for line in reversed(events) if isinstance(line.get("usage"), dict)), None)
        last = next((each for each in reversed(said) if isinstance(each, dict) and each["role"] == "assistant"), None)
        if usage is not None and last is not None:
            last.setdefault("usage", usage)
        return Chat(thread or origin.default_id, said, None, {"events": events} if events else {})


def _messages(items: list[Any]) -> Iterator[Any]:
    """The messages of items; what the model thought stands with what it says or does next."""
    thoughts: list[dict[str, Any]] = []
    for at, item in enumerate(items):
        if not isinstance(item, dict):
            yield item
            continue
        kind = as_text(item.get("type") or item.get("item_type"))
        if kind == "reasoning":
            thoughts += reasoning(item.get("text"))
        elif kind in _SAID:
            text = item.get("text", item.get("message"))
            content = [*thoughts, {"type": "text", "text": as_text(text)}] if thoughts else as_text(text)
            fields: dict[str, Any] = {"role": "assistant", "content": content}
            if kind == "error":
                fields = {"role": "system", "name": "error", "content": as_text(text)}
            yield message_item(item, {"type", "item_type", "text", "message"}, **fields)
            thoughts = [] if kind != "error" else thoughts
        else:
            yield from _call(item, kind, at, thoughts)
            thoughts = []
    if thoughts:
        yield {"role": "assistant", "content": thoughts}


_OUTPUTS = ("aggregated_output", "output", "result", "error")
_ABOUT = frozenset({"id", "type", "item_type", "status", "exit_code", *_OUTPUTS})


def _call(item: dict[Any, Any], kind: str, at: int, thoughts: list[dict[str, Any]]) -> Iterator[dict[Any, Any]]:
    """An item of work: a call, and its answer once there is one."""
    link = text_or_none(item.get("id")) or f"item {at}"
    arguments = {key: value for key, value in item.items() if key not in _ABOUT}
    function = kind
    if kind == "mcp_tool_call":
        server, tool = as_text(arguments.pop("server", "")), as_text(arguments.pop("tool", ""))
        function = f"{server}.{tool}" if server else tool
        inner = arguments.pop("arguments", None)
        arguments |= inner if isinstance(inner, dict) else {} if inner is None else {"arguments": inner}
    call = {"id": link, "function": function, "arguments": arguments}
    yield {"role": "assistant", "content": thoughts or "", "tool_calls": [call]}
    output = next((item[key] for key in _OUTPUTS if item.get(key) is not None), None)
    if output is None and item.get("status") in (None, "in_progress"):
        return
    answer: dict[Any, Any] = {"role": "tool", "tool_call_id": link, "name": function, "content": as_text(output)}
    rest = {key: item[key] for key in ("status", "exit_code") if item.get(key) is not None}
    if item.get("status") == "failed" or item.get("exit_code") not in (None, 0):
        answer["error"] = failure("failed", output)
    yield {**answer, "metadata": rest}


FORMAT = CodexExec()
