"""Transcripts of Cursor's agent: a role and a message of blocks a line; calls mostly have no id."""

from __future__ import annotations

from typing import Any

from .base import Origin
from .chat_format import Chat, message_item
from .line_format import LineFormat
from .parts import CALL_BLOCKS, RESULT_BLOCKS
from .roles import is_block

__all__ = ["FORMAT", "Cursor"]


class Cursor(LineFormat):
    """`{"role", "message": {"content": [blocks]}}`."""

    name = "cursor"
    label = "Cursor transcript"
    recognises = "lines of `role` beside a `message` with `content`"

    def is_line(self, line: Any) -> bool:
        message = line.get("message")
        return isinstance(line.get("role"), str) and isinstance(message, dict) and "content" in message

    def session(self, lines: list[Any], origin: Origin) -> Chat:
        items: list[Any] = []
        events: list[Any] = []
        for line in lines:
            if isinstance(line, dict) and isinstance(line.get("message"), dict) and "content" in line["message"]:
                items.append(
                    message_item(
                        {**line["message"], **line}, {"message", "content"}, content=line["message"]["content"]
                    )
                )
            else:
                (events if isinstance(line, dict) else items).append(line)
        return Chat(origin.default_id, _linked(items), None, {"events": events} if events else {})


def _linked(items: list[Any]) -> list[Any]:
    """The messages, in which a call without an id has that of the next answer that names no known call."""
    blocks = [(at, block) for at, item in enumerate(items) for block in _blocks(item)]
    known = {block.get("id") for _, block in blocks if is_block(block, CALL_BLOCKS)}
    waiting: list[Any] = []
    links: dict[int, Any] = {}
    for _, block in blocks:
        if is_block(block, CALL_BLOCKS) and not block.get("id"):
            waiting.append(block)
        elif is_block(block, RESULT_BLOCKS) and waiting and block.get("tool_use_id") not in known:
            links[id(waiting.pop(0))] = block.get("tool_use_id")
    return [
        {**item, "content": [{**b, "id": links[id(b)]} if id(b) in links else b for b in item["content"]]}
        if any(id(block) in links for block in _blocks(item))
        else item
        for item in items
    ]


def _blocks(item: Any) -> list[Any]:
    content = item.get("content") if isinstance(item, dict) else None
    return content if isinstance(content, list) else []


FORMAT = Cursor()
