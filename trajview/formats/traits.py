"""Traits of a chat's first messages that show which program wrote it; cheap, for detection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from .logged import Elements
from .parts import CALL_BLOCKS, RESULT_BLOCKS
from .roles import is_message, logged_role, sample

__all__ = ["Traits", "holds_messages", "traits_of"]

_ANTHROPIC_BLOCKS = CALL_BLOCKS | RESULT_BLOCKS | {"thinking", "redacted_thinking"}


class Traits(Struct, frozen=True):
    """The traits of the first few messages and the last one: of `looked_at` elements, `messages` are messages."""

    looked_at: int
    messages: int
    roles: frozenset[str]
    anthropic_blocks: frozenset[str]
    nested_calls: bool
    """OpenAI's calls: `function` is an object."""
    flat_calls: bool
    """Docent's and Inspect's calls: `function` is a text and `arguments` an object."""
    reasoning_parts: bool
    """Docent's and Inspect's reasoning parts."""

    @property
    def all_messages(self) -> bool:
        return self.looked_at > 0 and self.messages == self.looked_at


def holds_messages(items: Sequence[Any]) -> bool:
    """Whether some of the first elements of a list, or the last, look like messages."""
    if isinstance(items, Elements):
        heads = list(sample(items.heads()))
        if None not in heads:
            return any(head.says_something() for head in heads if head is not None)
    return any(map(is_message, sample(items)))


def traits_of(items: Sequence[Any]) -> Traits:
    """Look at a list of what may be messages."""
    looked_at = messages = 0
    roles: set[str] = set()
    blocks: set[str] = set()
    nested = flat = reasoning = False
    for item in sample(items):
        looked_at += 1
        if not is_message(item):
            continue
        messages += 1
        role = logged_role(item)
        if isinstance(role, str):
            roles.add(role)
        content = item.get("content")
        for block in content[:8] if isinstance(content, list) else ():
            found = block.get("type") if isinstance(block, dict) else None
            if isinstance(found, str):
                blocks |= {found} & _ANTHROPIC_BLOCKS
                reasoning = reasoning or (found == "reasoning" and "reasoning" in block)
        calls = item.get("tool_calls")
        for call in calls[:2] if isinstance(calls, list) else ():
            if isinstance(call, dict):
                nested = nested or isinstance(call.get("function"), dict)
                flat = flat or (isinstance(call.get("function"), str) and isinstance(call.get("arguments"), dict))
    return Traits(looked_at, messages, frozenset(roles), frozenset(blocks), nested, flat, reasoning)
