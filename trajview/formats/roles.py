"""The roles of logged messages, and the messages of the reading model that each becomes; cheap, for lists of a corpus.

`summarise` counts these pieces and `read` builds a message of each, so that the two cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, islice
from typing import Any

from msgspec import Struct

from .parts import RESULT_BLOCKS
from .plain import is_list

__all__ = [
    "ROLES",
    "Piece",
    "Span",
    "elements_of",
    "is_block",
    "is_message",
    "logged_role",
    "pieces_of",
    "role_of",
    "sample",
    "spans_in",
    "spans_of",
]

ROLES: dict[str, str] = {
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("user", "human", "exit"), "user"),
    **dict.fromkeys(("assistant", "gpt", "model", "ai", "bot", "chatgpt", "bing", "bard", "agent", "chatbot"), "assistant"),
    **dict.fromkeys(("function_call", "tool_call"), "assistant"),
    **dict.fromkeys(
        ("tool", "function", "observation", "environment", "ipython", "tool_response", "function_response", "toolresult"),
        "tool",
    ),
}  # fmt: skip
"""The spellings of roles in the wild, and Docent's four."""

_CONTENT_KEYS = ("content", "value", "text", "tool_calls", "parts", "function_call", "reasoning_content")


class Piece(Struct, frozen=True):
    """The source of one message of the reading model: all of a logged message, or some of its content blocks.

    `blocks` is None for all of it; `result` is the block where the piece is a tool's answer; `first` is False for the
    later pieces of a message that was split, so that what is said of the whole message is kept once.
    """

    role: str
    item: Any
    blocks: list[Any] | None = None
    result: dict[Any, Any] | None = None
    first: bool = True


Span = tuple[str, int, int]
"""Role of a message, its first block, and the one behind its last."""


def logged_role(item: dict[Any, Any]) -> Any:
    """The role as the log spells it: `role`, ShareGPT's `from`, or the role of an `author`."""
    role = item.get("role")
    if role is None:
        role = item.get("from")
    if role is None and isinstance(item.get("author"), dict):
        role = item["author"].get("role")
    return role


def role_of(item: Any) -> str:
    """One of Docent's four roles; where a message does not name it well, it is guessed, and the user's in doubt."""
    if not isinstance(item, dict):
        return "user"
    role = logged_role(item)
    if isinstance(role, str):
        found = ROLES.get(role) or ROLES.get(role.lower())
        if found:
            return found
    kind = item.get("type")
    if isinstance(kind, str) and role is None:
        # Items of OpenAI's Responses API have a type where messages have a role.
        if kind.endswith("_call_output"):
            return "tool"
        if kind.endswith("_call") or kind == "reasoning":
            return "assistant"
    if item.get("tool_call_id") or item.get("tool_use_id"):
        return "tool"
    return "assistant" if item.get("tool_calls") else "user"


def is_block(block: Any, kinds: frozenset[str]) -> bool:
    """Whether an element of a message's content is a block of one of these types."""
    if not isinstance(block, dict):
        return False
    kind = block.get("type")
    return isinstance(kind, str) and kind in kinds


def spans_of(role: str, results: Sequence[bool], calls: bool) -> list[Span]:
    """The messages that the blocks of one message become: each tool result is one, and so is the rest between two.

    `results`: whether each block is a result. `calls`: whether calls stand beside the content.
    """
    spans: list[Span] = []
    for is_result, group in groupby(range(len(results)), results.__getitem__):
        places = [*group]
        spans += [("tool", at, at + 1) for at in places] if is_result else [(role, places[0], places[-1] + 1)]
    if role == "assistant" and calls and results[0]:
        spans.insert(0, (role, 0, 0))  # the calls want an assistant message to stand in
    return spans


def spans_in(item: Any) -> tuple[str, list[Span]]:
    """The role of a logged message, and the messages that its blocks become; none where all of it is one."""
    role = role_of(item)
    content = item.get("content") if isinstance(item, dict) else None
    if not isinstance(content, list):
        return role, []
    results = [is_block(block, RESULT_BLOCKS) for block in content]
    return role, spans_of(role, results, bool(item.get("tool_calls"))) if any(results) else []


def pieces_of(item: Any) -> list[Piece]:
    """A logged message as pieces, in order: tool results among its blocks are messages of their own (Anthropic)."""
    role, spans = spans_in(item)
    if not spans:
        return [Piece(role, item)]
    content = item["content"]
    return [
        Piece(speaker, item, None, content[first], not place)
        if first < end and is_block(content[first], RESULT_BLOCKS)
        else Piece(speaker, item, content[first:end], None, not place)
        for place, (speaker, first, end) in enumerate(spans)
    ]


def elements_of(value: Any) -> Sequence[Any]:
    """The messages of what should be a list of them: null is none, anything else is one."""
    if is_list(value):
        return value
    return [] if value is None else [value]


def is_message(item: Any) -> bool:
    """Whether a value looks like a message of a chat: a role in words, and something said or called."""
    return (
        isinstance(item, dict) and isinstance(logged_role(item), str) and any(key in item for key in _CONTENT_KEYS)
    ) or _is_response_item(item)


def _is_response_item(item: Any) -> bool:
    if not isinstance(item, dict) or "role" in item:
        return False
    kind = item.get("type")
    return (kind == "function_call" and "arguments" in item) or (kind == "function_call_output" and "output" in item)


def sample(items: Sequence[Any], count: int = 6) -> Iterable[Any]:
    """The first few elements and the last one, which is all that detection looks at."""
    yield from islice(items, count)
    if len(items) > count:
        yield items[-1]
