"""Sessions of pi, OpenClaw and droid: a header, then entries that may hold a message, in a tree by `parentId`."""

from __future__ import annotations

from typing import Any

from .base import Origin
from .chat_format import Chat, message_item
from .line_format import LineFormat, failure
from .plain import as_text, text_or_none

__all__ = ["FORMAT", "Pi"]

_HEADERS = frozenset({"session", "session_start"})
_CHANGES = frozenset(
    {"model_change", "thinking_level_change", "compaction", "branch_summary", "custom", "custom_message"}
)
_TITLES = ("sessionTitle", "title", "name")
_MOST = 200
"""Branches of a session that are shown."""


class Pi(LineFormat):
    """`{"type": "session", "id", "cwd"}`, `{"type": "message", "id", "parentId", "message": {"role", "content"}}`, …"""

    name = "pi"
    label = "pi session"
    recognises = "a line of type `session` or `session_start`, then entries with `parentId` that hold a `message`"

    def is_line(self, line: Any) -> bool:
        kind = line.get("type")
        if not isinstance(kind, str) or "id" not in line:
            return False
        if kind in _HEADERS:
            return "cwd" in line or "version" in line
        return "parentId" in line and (
            kind in _CHANGES or (kind == "message" and isinstance(line.get("message"), dict))
        )

    def session(self, lines: list[Any], origin: Origin) -> Chat:
        head = next((line for line in lines if isinstance(line, dict) and _is_head(line)), {})
        shown: list[tuple[Any, Any]] = []
        events = []
        for line in lines:
            item = _message(line)
            if item is not None:
                shown.append((line.get("id") if isinstance(line, dict) else None, item))
            elif line is not head:
                events.append(line)
        main, others = _branches(lines)
        items = [item for key, item in shown if main is None or not isinstance(key, str) or key in main]
        chat = _chat_of(head, events, items, origin)
        for number, keys in enumerate(others, 2):
            branch = [item for key, item in shown if isinstance(key, str) and key in keys]
            if branch:
                chat.branches.append(Chat(chat.id, branch, f"branch {number}", {}))
        return chat


def _chat_of(head: dict[str, Any], events: list[Any], items: list[Any], origin: Origin) -> Chat:
    """The chat of a session, named by its header; entries without a message are metadata."""
    metadata = {key: value for key, value in head.items() if key != "id"}
    if events:
        metadata["events"] = events
    name = next(filter(None, (text_or_none(head.get(key)) for key in _TITLES)), None)
    return Chat(text_or_none(head.get("id")) or origin.default_id, items, name, metadata)


def _branches(lines: list[Any]) -> tuple[set[str] | None, list[set[str]]]:
    """The entries on the way to the last one, and those of each other branch; None where they are no tree, or a line."""
    above = {each["id"]: each.get("parentId") for each in lines if isinstance(each, dict) and _is_entry(each)}
    below: dict[Any, int] = {}
    for parent in above.values():
        below[parent] = below.get(parent, 0) + 1
    is_tree = all(parent is None or parent in above for parent in below)
    if not is_tree or not any(count > 1 and parent is not None for parent, count in below.items()):
        return None, []
    leaves = [key for key in above if key not in below]
    main = _way(leaves.pop() if leaves else None, above, set())
    seen, others = set(main), []
    for leaf in leaves[:_MOST]:
        others.append(_way(leaf, above, seen))
        seen |= others[-1]
    return main, others


def _is_head(line: dict[Any, Any]) -> bool:
    kind = line.get("type")
    return isinstance(kind, str) and kind in _HEADERS


def _is_entry(line: dict[Any, Any]) -> bool:
    return isinstance(line.get("id"), str) and isinstance(line.get("parentId"), str | None)


def _way(key: Any, above: dict[str, Any], seen: set[str]) -> set[str]:
    """The entries from one up to the first, or to one that was seen."""
    found: set[str] = set()
    while key in above and key not in found and key not in seen:
        found.add(key)
        key = above[key]
    return found


def _message(line: Any) -> Any:
    """The message of an entry; None where it holds none."""
    if not isinstance(line, dict):
        return line
    kind, message = line.get("type"), line.get("message")
    if kind == "compaction" and text_or_none(line.get("summary")):
        return message_item(
            line, {"type", "parentId", "summary"}, role="system", name="compaction", content=line["summary"]
        )
    if kind != "message" or not isinstance(message, dict):
        return None
    about = {key: line[key] for key in ("id", "timestamp") if line.get(key) is not None}
    role = message.get("role")
    if role == "bashExecution":
        return message_item(
            message, {"output"}, **about, role="user", name=role, content=as_text(message.get("output"))
        )
    if role != "toolResult":
        return message_item(message, (), **about)
    fields = {"role": "tool", "tool_call_id": as_text(message.get("toolCallId")), **about}
    if text_or_none(message.get("toolName")):
        fields["name"] = message["toolName"]
    if message.get("isError") is True:
        fields["error"] = failure("error", message.get("content"))
    return message_item(message, {"role", "toolCallId", "toolName", "isError"}, **fields)


FORMAT = Pi()
