"""Builds Docent agent runs whose tools run for real in a workshop."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from .workshop import Result, Workshop, stable_id


@dataclass(frozen=True)
class Call:
    """A tool call: `bash` (command), `write_file` (path, content) or `str_replace` (path, old, new).

    A call with an `answer` is of another tool (a sub-agent), and is not performed.
    """

    function: str
    arguments: dict[str, Any]
    parse_error: str | None = None
    view: dict[str, str] | None = None
    answer: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


def bash(command: str) -> Call:
    return Call("bash", {"command": command})


def write_file(path: str, content: str) -> Call:
    return Call("write_file", {"path": path, "content": content})


def str_replace(path: str, old: str, new: str) -> Call:
    return Call("str_replace", {"path": path, "old": old, "new": new})


def perform(shop: Workshop, call: Call) -> Result:
    """Do what a call says, for real."""
    arguments = call.arguments
    if call.parse_error is not None:
        return Result(f"The arguments could not be parsed: {call.parse_error}", 2)
    if call.function == "bash":
        return shop.run(arguments["command"])
    if call.function == "write_file":
        shop.write(arguments["path"], arguments["content"])
        return Result(f"Wrote {len(arguments['content'].splitlines())} lines to {arguments['path']}\n", 0)
    if call.function == "str_replace":
        return Result(shop.replace(arguments["path"], arguments["old"], arguments["new"]), 0)
    raise ValueError(call.function)


@dataclass
class Talk:
    """A Docent transcript in the making. Times and ids follow from its name and the order of messages."""

    name: str
    model: str
    shop: Workshop | None = None
    start: datetime = datetime(2025, 11, 3, 21, 0, tzinfo=UTC)
    description: str | None = None
    group: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    messages: list[dict[str, Any]] = field(default_factory=list)

    def add(self, role: str, content: Any, **keys: Any) -> None:
        """Append a message."""
        number = len(self.messages)
        size = len(content) if isinstance(content, str) else sum(len(str(part)) for part in content)
        self.start += timedelta(seconds=2 + min(size, 4000) // 60)
        metadata = {"timestamp": self.start.isoformat(), **keys.pop("metadata", {})}
        message_id = stable_id("message", self.name, number)[:22]
        self.messages.append({"id": message_id, "content": content, "role": role, "metadata": metadata, **keys})

    def system(self, text: str) -> None:
        self.add("system", text)

    def user(self, text: str) -> None:
        self.add("user", text, tool_call_id=None)

    def say(self, text: str, think: str | None = None, *, refusal: bool = False, calls: tuple[Call, ...] = ()) -> None:
        """The assistant speaks, and calls tools, whose answers follow."""
        parts: list[dict[str, Any]] = []
        if think:
            parts.append({"type": "reasoning", "reasoning": think, "signature": None, "redacted": False})
        if text:
            parts.append({"type": "text", "text": text, "refusal": refusal or None})
        number = len(self.messages)
        ids = [f"call_{stable_id('call', self.name, number, i)[:8]}" for i in range(len(calls))]
        tool_calls = [
            {
                "id": call_id,
                "function": call.function,
                "arguments": call.arguments,
                "type": "function",
                "parse_error": call.parse_error,
                "view": call.view,
            }
            for call_id, call in zip(ids, calls, strict=True)
        ]
        content: Any = text if not think and not refusal else parts
        words = len(text.split()) + len((think or "").split()) + 12 * len(calls)
        self.add(
            "assistant",
            content,
            model=self.model,
            tool_calls=tool_calls or None,
            citations=None,
            suggested_messages=None,
            metadata={"usage": {"output_tokens": words * 4 // 3}},
        )
        for call_id, call in zip(ids, calls, strict=True):
            if call.answer is not None:
                result = Result(call.answer, 0)
            else:
                assert self.shop is not None
                result = perform(self.shop, call)
            error = None
            if result.exit_code:
                kind = "parsing" if call.parse_error else "nonzero_exit"
                error = {"type": kind, "message": f"exit code {result.exit_code}"}
            self.add(
                "tool",
                result.output,
                tool_call_id=call_id,
                function=call.function,
                error=error,
                metadata=call.metadata or {"exit_code": result.exit_code},
            )

    def act(self, think: str | None, *calls: Call, say: str = "") -> None:
        """The assistant thinks and calls tools."""
        self.say(say, think, calls=calls)

    def transcript(self) -> dict[str, Any]:
        return {
            "id": stable_id("transcript", self.name),
            "name": self.name,
            "description": self.description,
            "transcript_group_id": self.group,
            "created_at": "2025-11-03T21:00:00+00:00",
            "messages": self.messages,
            "metadata": self.metadata,
        }


def agent_run(
    name: str,
    description: str,
    talks: list[Talk],
    metadata: dict[str, Any],
    groups: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """A Docent AgentRun."""
    return {
        "id": stable_id("run", name),
        "name": name,
        "description": description,
        "transcripts": [talk.transcript() for talk in talks],
        "transcript_groups": groups or [],
        "metadata": metadata,
    }
