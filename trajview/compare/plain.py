"""A message as plain lines, as a text diff prints them."""

from __future__ import annotations

from typing import Any

from trajview.models.messages import AssistantMessage, ChatMessage, ToolCall, ToolMessage

from .prints import json_of, said_lines

__all__ = ["call_lines", "message_lines", "speaker"]


def speaker(message: ChatMessage) -> str:
    """The speaker of a message in a few words: `Ada (assistant)`, `tool bash`."""
    if isinstance(message, ToolMessage):
        return f"tool {message.function or message.name or ''}".rstrip()
    name = message.name or ""
    return f"{name} ({message.role})" if name and name != message.role else message.role


def message_lines(message: ChatMessage) -> list[str]:
    """The lines of a message: its texts as they are, thoughts and calls with a sign before them."""
    lines: list[str] = []
    calls = iter(message.tool_calls or ()) if isinstance(message, AssistantMessage) else iter(())
    for what, text in said_lines(message):
        if what == "text":
            lines += text.rstrip("\n").split("\n")
        elif what == "reasoning":
            lines += [f"┆ {line}" for line in text.rstrip("\n").split("\n")]
        elif what.startswith("call "):
            lines += call_lines(next(calls))
        else:
            lines.append(f"{'✗' if what == 'error' else what} {text}")
    return lines


def call_lines(call: ToolCall) -> list[str]:
    """The lines of a tool call: its name with a sign before it, then its arguments."""
    return [f"▸ {call.function}", *(line for name, value in call.arguments.items() for line in _argument(name, value))]


def _argument(name: str, value: Any) -> list[str]:
    if isinstance(value, str):
        first, *rest = value.rstrip("\n").split("\n")
        if not rest:
            return [f"  {name}: {first}"]
        return [f"  {name}:", *(f"    {line}" for line in (first, *rest))]
    if isinstance(value, dict | list):
        return [f"  {name}: {json_of(value)}"]
    return [f"  {name}: {value}"]
