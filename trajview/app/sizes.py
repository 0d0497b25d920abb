"""How large the parts of a message are: what heights are estimated from before anything is laid out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trajview.models.messages import AssistantMessage, ChatMessage, ToolMessage

__all__ = ["Size", "roles_of", "sizes_of"]

Size = tuple[tuple[int, int], tuple[int, int], tuple[int, int], int]
"""Lines and characters of prose, of reasoning and of tool output, and the lines of tool calls."""


def roles_of(messages: Sequence[ChatMessage]) -> Sequence[str]:
    """The role of each message; messages that are built on demand know them without."""
    known: Sequence[str] | None = getattr(messages, "roles", None)
    return known if known is not None else [message.role for message in messages]


def sizes_of(messages: Sequence[ChatMessage], roles: Sequence[str]) -> list[Size]:
    """The size of each message; of those that are built on demand, from their texts as they were logged."""
    strings: Callable[[int], list[str]] | None = getattr(messages, "strings", None)
    if strings is None:
        return [_size(message) for message in messages]
    return [_size_of_strings(role, strings(index)) for index, role in enumerate(roles)]


def _size_of_strings(role: str, strings: list[str]) -> Size:
    """The same from the texts of a message that is not built: its longest ones, ids and names make no lines."""
    texts = [text for text in strings if len(text) > 40 or "\n" in text]
    measured = (sum(text.count("\n") + 1 for text in texts), sum(map(len, texts)))
    nothing = (0, 0)
    return (nothing, nothing, measured, 0) if role == "tool" else (measured, nothing, nothing, 0)


def _size(message: ChatMessage) -> Size:
    """Lines and characters of prose, reasoning and tool output, and the lines of tool calls: for estimates."""
    text = message.text
    measured = (text.count("\n") + 1 if text else 0, len(text))
    reasoning = [(thought.count("\n") + 1, len(thought)) for thought in message.reasoning]
    thoughts = (sum(lines for lines, _ in reasoning), sum(length for _, length in reasoning))
    if isinstance(message, ToolMessage):
        return (0, 0), thoughts, measured, 1 if message.error else 0
    calls = 0
    if isinstance(message, AssistantMessage):
        for call in message.tool_calls or ():
            calls += 1 + sum(
                value.count("\n") + 1 for value in call.arguments.values() if isinstance(value, str) and "\n" in value
            )
    return measured, thoughts, (0, 0), calls
