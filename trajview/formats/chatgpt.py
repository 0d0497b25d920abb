"""Conversations of ChatGPT's export: a tree of messages, of which one way from the root is the conversation that is shown."""

from __future__ import annotations

from typing import Any

from .base import Detection, Origin
from .chat_format import Chat, ChatFormat, chat_of, message_item
from .line_format import reasoning, time_of
from .plain import as_text, json_or_value, not_an_object, text_or_none

__all__ = ["FORMAT", "ChatGPT"]

_MOST = 200
"""Branches that are shown."""


class ChatGPT(ChatFormat):
    """`{"title", "mapping": {"<id>": {"parent", "children", "message": {"author", "content"}}}, "current_node"}`."""

    name = "chatgpt"
    label = "ChatGPT conversation"
    recognises = "`mapping`, nodes with `parent` and `message`"

    def detect(self, record: Any) -> Detection | None:
        nodes = record.get("mapping") if isinstance(record, dict) else None
        if not isinstance(nodes, dict) or not nodes:
            return None
        first = [node for node, _ in zip(nodes.values(), range(6), strict=False)]
        fitting = sum(isinstance(node, dict) and "message" in node and "parent" in node for node in first)
        return Detection(self.name, 0.97 * fitting / len(first), ("nodes of `mapping` have `parent` and `message`",))

    def look(self, record: Any, origin: Origin) -> Chat:
        if not isinstance(record, dict) or not isinstance(record.get("mapping"), dict):
            raise not_an_object("a conversation of ChatGPT's", record, origin, "an object with `mapping`")
        nodes = {key: node for key, node in record["mapping"].items() if isinstance(node, dict)}
        above = {key: node.get("parent") for key, node in nodes.items()}
        parents = {parent for parent in above.values() if isinstance(parent, str)}
        leaves = [key for key in nodes if key not in parents]
        current = record.get("current_node")
        if not isinstance(current, str) or current not in nodes:
            current = leaves[-1] if leaves else None
        main = _way(current, above, ())
        found, key = record.get("conversation_id") or record.get("id"), "conversation_id"
        chat = chat_of(
            record, origin, _messages(main, nodes), {"mapping", "title", "id" if record.get("id") == found else key}
        )
        chat.id = text_or_none(found) or chat.id
        chat.name = text_or_none(record.get("title"))
        seen = set(main)
        for leaf in leaves[:_MOST]:
            way = _way(leaf, above, seen)
            items = _messages(way, nodes)
            seen.update(way)
            if items:
                chat.branches.append(Chat(chat.id, items, f"branch {len(chat.branches) + 2}", {"leaf": leaf}))
        chat.models = _models([*chat.items, *(item for branch in chat.branches for item in branch.items)])
        return chat


def _way(key: Any, above: dict[str, Any], seen: Any) -> list[str]:
    """The nodes from the first, or from behind one that was seen, to this one."""
    found: dict[str, None] = {}
    while isinstance(key, str) and key in above and key not in found and key not in seen:
        found[key] = None
        key = above[key]
    return list(found)[::-1]


def _messages(way: list[str], nodes: dict[str, Any]) -> list[Any]:
    calls: dict[str, str] = {}
    return [item for key in way if (item := _message(key, nodes[key].get("message"), calls)) is not None]


def _models(items: list[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item["model"] for item in items if isinstance(item, dict) and item.get("model")))


def _message(key: str, message: Any, calls: dict[str, str]) -> Any:
    """The message of a node, None where there is none. `calls`: the id of the last call of each tool."""
    if not isinstance(message, dict):
        return message
    author, content = message.get("author"), message.get("content")
    author = author if isinstance(author, dict) else {}
    role, recipient = author.get("role"), text_or_none(message.get("recipient"))
    about = message.get("metadata")
    fields: dict[str, Any] = {"role": role, "id": text_or_none(message.get("id")) or key}
    if time := time_of(message.get("create_time")):
        fields["timestamp"] = time
    if isinstance(about, dict) and text_or_none(about.get("model_slug")) and role == "assistant":
        fields["model"] = about["model_slug"]
    name = text_or_none(author.get("name"))
    if role == "tool" and name:
        fields["name"] = name
        if name in calls:
            fields["tool_call_id"] = calls[name]
    if role == "assistant" and recipient not in (None, "all"):
        fields |= {"content": "", "tool_calls": [_call(fields["id"], recipient, content)]}
        calls[recipient] = fields["id"]
    else:
        fields["content"] = _content(content)
    return message_item(message, {"author", "recipient", "create_time", "content", "id"}, **fields)


def _call(link: str, tool: str, content: Any) -> dict[str, Any]:
    held = content if isinstance(content, dict) else {}
    parts = held.get("parts")
    text = (
        held.get("text") if "text" in held else "\n".join(map(as_text, parts)) if isinstance(parts, list) else content
    )
    arguments = json_or_value(text)
    return {
        "id": link,
        "name": tool,
        "arguments": arguments if isinstance(arguments, dict) else {"code": as_text(text)},
    }


def _content(content: Any) -> Any:
    if not isinstance(content, dict):
        return content
    kind = content.get("content_type")
    if isinstance(content.get("thoughts"), list):
        thoughts = [each if isinstance(each, dict) else {"content": each} for each in content["thoughts"]]
        return reasoning(
            *("\n".join(filter(None, (as_text(t.get("summary")), as_text(t.get("content"))))) for t in thoughts)
        )
    if kind == "reasoning_recap":
        return reasoning(content.get("content"))
    if isinstance(content.get("parts"), list):
        return [_part(part) for part in content["parts"]]
    text = next((content[key] for key in ("text", "result", "content") if isinstance(content.get(key), str)), None)
    return as_text(content) if text is None else text


def _part(part: Any) -> Any:
    if not isinstance(part, dict):
        return part
    if part.get("content_type") == "image_asset_pointer":
        return {"type": "image", "image": as_text(part.get("asset_pointer"))}
    if isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    return part


FORMAT = ChatGPT()
