"""How large the parts of a message are: what heights are estimated from before anything is laid out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trajview.models.messages import AssistantMessage, ChatMessage, ToolMessage

from .render.blocks import Fold, ViewOptions
from .render.layout import MEASURE

__all__ = ["Size", "estimates", "roles_of", "sizes_of"]

Size = tuple[tuple[int, int], tuple[int, int], tuple[int, int], int]
"""Lines and characters of prose, of reasoning and of tool output, and the lines of tool calls."""


def roles_of(messages: Sequence[ChatMessage]) -> Sequence[str]:
    """The role of each message; messages that are built on demand know them without."""
    known: Sequence[str] | None = getattr(messages, "roles", None)
    return known if known is not None else [message.role for message in messages]


def sizes_of(messages: Sequence[ChatMessage], roles: Sequence[str]) -> list[Size]:
    """The size of each message; of those that are built on demand, from their texts as they were logged."""
    measured: Callable[[], list[tuple[int, int, int]]] | None = getattr(messages, "measured", None)
    if measured is None:
        return [_size(message) for message in messages]
    nothing = (0, 0)
    return [
        (nothing, nothing, (lines, length), calls) if role == "tool" else ((lines, length), nothing, nothing, calls)
        for role, (lines, length, calls) in zip(roles, measured(), strict=True)
    ]


def estimates(sizes: Sequence[Size], options: ViewOptions, fold: Fold) -> list[int]:
    """A guess at the rows of each message without its unit's header. `fold` PREVIEW is of tool output only."""
    extra = 1 if options.bare else 2
    if fold is Fold.CLOSED:
        return [extra + 1] * len(sizes)
    width = max(8, options.width - 4)
    measure = min(width, MEASURE)
    thoughts = options.show_reasoning
    whole = fold is Fold.OPEN and options.show_tools
    keep = options.preview_lines + 1 if options.show_tools else 1
    heights = []
    for prose, reasoning, output, calls in sizes:
        rows = extra + prose[0] + prose[1] // measure + calls
        if reasoning[0]:
            rows += reasoning[0] + reasoning[1] // measure if thoughts else 1
        if output[0]:
            full = output[0] + output[1] // width
            rows += full if whole or full < keep else keep
        heights.append(rows)
    return heights


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
