"""Sessions of Gemini CLI, as one object or as lines, and the chats of Qwen Code, which went on from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .base import Detection, Origin
from .chat_format import Chat, chat_of, message_item
from .gemini import answer_of, messages_of_turn
from .line_format import LineFormat, failure, reasoning
from .plain import as_text, is_list, text_or_none

__all__ = ["FORMAT", "GeminiCLI"]

_ROLES = {"gemini": "assistant", "model": "assistant", "qwen": "assistant", "user": "user"}
_NOTES = frozenset({"info", "error", "warning"})
_UPDATES = frozenset({"$set", "$rewindTo"})
_COMMON = ("sessionId", "cwd", "version", "gitBranch")
"""Fields that each line of Qwen Code's repeats."""
_HEADER = frozenset({"sessionId", "projectHash"})


class GeminiCLI(LineFormat):
    """`{"sessionId", "projectHash", "messages": [{"type", "content", "toolCalls", "thoughts"}]}`, or such lines."""

    name = "gemini-cli"
    lists_only = False
    label = "Gemini CLI session"
    recognises = (
        "`sessionId` and `projectHash` with messages of type `gemini`, or Qwen Code's lines with `message.parts`"
    )

    def is_line(self, line: Any) -> bool:
        message = line.get("message")
        if isinstance(message, dict):
            return isinstance(message.get("parts"), list) and "sessionId" in line
        if "systemPayload" in line:
            return "sessionId" in line
        if line.keys() >= _HEADER or (len(line) == 1 and not _UPDATES.isdisjoint(line)):
            return "messages" not in line
        return _is_message(line) and "timestamp" in line and "message" not in line

    def begins_session(self, line: Any) -> bool:
        return super().begins_session(line) and not _is_message(line)

    def detect(self, record: Any) -> Detection | None:
        if not isinstance(record, dict):
            return super().detect(record)
        if "message" in record and self.is_line(record):
            return Detection(self.name, 0.9, ("a line of Qwen Code's alone",))
        if not record.keys() >= _HEADER or not is_list(record.get("messages")):
            return None
        return Detection(self.name, 0.97, ("`sessionId` and `projectHash` stand beside `messages`",))

    def look(self, record: Any, origin: Origin) -> Chat:
        if isinstance(record, dict) and is_list(record.get("messages")):
            record = [{key: record[key] for key in record if key != "messages"}, *record["messages"]]
        return super().look(record, origin)

    def session(self, lines: list[Any], origin: Origin) -> Chat:
        about: dict[Any, Any] = {}
        said: dict[str, Any] = {}
        undone: list[Any] = []
        for at, line in enumerate(lines):
            if not isinstance(line, dict):
                said[f"line {at}"] = line
            elif isinstance(line.get("$set"), dict):
                changes = dict(line["$set"])
                if is_list(changes.get("messages")):
                    undone += said.values()
                    said = {_key(each, n): each for n, each in enumerate(changes.pop("messages"))}
                about.update(changes)
            elif "$rewindTo" in line:
                undone += _rewound(said, line["$rewindTo"])
            elif line.keys() >= _HEADER:
                about.update(line)
            else:
                said[_key(line, at)] = line
        open_calls: list[tuple[str, str]] = []
        events: list[Any] = []
        items = [item for line in said.values() for item in _messages(line, open_calls, events)]
        chat = chat_of(about, origin, items, ())
        first = next((line for line in lines if isinstance(line, dict)), {})
        chat.id = text_or_none(first.get("sessionId")) or chat.id
        session = {} if about else {key: first[key] for key in _COMMON if key in first}
        for key, value in (("session", session), ("events", events), ("rewound", undone)):
            if value:
                chat.metadata[key] = value
        return chat


def _key(line: Any, at: int) -> str:
    """The id under which a later line replaces an earlier one."""
    found = line.get("id") if isinstance(line, dict) else None
    return found if isinstance(found, str) and found else f"line {at}"


def _rewound(said: dict[str, Any], to: Any) -> list[Any]:
    """Take away a message and all after it, as the user went back to before it; all where it is not known."""
    keys = list(said)
    keys = keys[keys.index(to) :] if to in keys else keys
    return [said.pop(key) for key in keys]


def _is_message(line: dict[Any, Any]) -> bool:
    kind = line.get("type")
    return isinstance(kind, str) and (kind in _ROLES or kind in _NOTES) and ("content" in line or "parts" in line)


def _messages(line: Any, open_calls: list[tuple[str, str]], events: list[Any]) -> Iterator[Any]:
    """The messages of a line; one that says nothing is kept among the events."""
    if not isinstance(line, dict):
        yield line
    elif isinstance(line.get("message"), dict):
        yield from _messages_of_qwen(line, open_calls, events)
    elif not _is_message(line):
        events.append(line)
    elif line["type"] in _NOTES:
        yield message_item(line, {"type"}, role="system", name=line["type"])
    else:
        yield from _messages_of_gemini(line, open_calls)


def _messages_of_gemini(line: dict[Any, Any], open_calls: list[tuple[str, str]]) -> Iterator[Any]:
    content = line.get("parts", line.get("content"))
    parts = content if isinstance(content, list) else [{"text": as_text(content)}] if content else []
    used = {"type", "content", "parts", "toolCalls", "thoughts", "tokens"}
    fields: dict[str, Any] = {"role": _ROLES[line["type"]]}
    if isinstance(line.get("tokens"), dict):
        fields["usage"] = line["tokens"]
    held = line.get("toolCalls")
    calls = [call for call in held if isinstance(call, dict)] if isinstance(held, list) else []
    if held and (not isinstance(held, list) or len(calls) != len(held)):
        used.discard("toolCalls")  # some are none: they stay in the metadata
    said, *answers = messages_of_turn({**line, "parts": parts}, open_calls, used, **fields)
    thoughts = line.get("thoughts")
    if isinstance(thoughts, list) and thoughts:
        spoken = said["content"] if isinstance(said["content"], list) else [{"type": "text", "text": said["content"]}]
        said["content"] = [*reasoning(*map(_thought, thoughts)), *(part for part in spoken if part != _EMPTY)]
    if calls:
        said["tool_calls"] = [*said.get("tool_calls", ()), *map(_call, calls)]
    yield said
    yield from answers
    for call in calls:
        yield from _answer(call)


_EMPTY = {"type": "text", "text": ""}


def _thought(thought: Any) -> str:
    if not isinstance(thought, dict):
        return as_text(thought)
    return "\n".join(filter(None, (as_text(thought.get("subject")), as_text(thought.get("description")))))


_OF_ANSWER = ("resultDisplay", "status", "timestamp", "renderOutputAsMarkdown")


def _call(call: dict[Any, Any]) -> dict[Any, Any]:
    return {key: call[key] for key in call if key != "result" and key not in _OF_ANSWER}


def _answer(call: dict[Any, Any]) -> Iterator[Any]:
    """The answer that a call holds itself; there is none where it was not carried out, or nothing was written."""
    result, status = call.get("result"), call.get("status")
    parts = result if isinstance(result, list) else [] if result is None else [result]
    responses = [part["functionResponse"] for part in parts if isinstance(part, dict) and "functionResponse" in part]
    others = [part for part in parts if not (isinstance(part, dict) and "functionResponse" in part)]
    failed = isinstance(status, str) and status in ("error", "cancelled")
    if not parts and not failed:
        return
    first = responses[0] if responses and isinstance(responses[0], dict) else {"response": {"output": ""}}
    item = answer_of({"name": call.get("name"), **first, "id": call.get("id")}, [])
    texts = [as_text(part.get("text", part) if isinstance(part, dict) else part) for part in others]
    item["content"] = "\n".join(filter(None, (item["content"], *texts)))
    if failed:
        item["error"] = failure(str(status), item["content"])
    yield message_item({key: call[key] for key in _OF_ANSWER if key in call}, (), **item)


def _messages_of_qwen(line: dict[Any, Any], open_calls: list[tuple[str, str]], events: list[Any]) -> Iterator[Any]:
    message, kind = line["message"], line.get("type")
    if kind == "system" or not isinstance(message.get("parts"), list):
        events.append(line)
        return
    used = {"type", "message", "uuid", "parentUuid", "usageMetadata", *_COMMON}
    fields: dict[str, Any] = {"role": "assistant" if kind == "assistant" else "user", "id": line.get("uuid")}
    if isinstance(line.get("usageMetadata"), dict):
        fields["usage"] = line["usageMetadata"]
    if kind == "user" and isinstance(line.get("subtype"), str):
        fields["name"] = line["subtype"]  # a notification, which nobody typed
    result = line.get("toolCallResult")
    status = result.get("status") if isinstance(result, dict) else None
    for item in messages_of_turn({**line, "parts": message["parts"]}, open_calls, used, **fields):
        if item.get("role") == "tool":
            item = message_item({"timestamp": line.get("timestamp"), "toolCallResult": result}, (), **item)
            if status in ("error", "cancelled"):
                item["error"] = failure(status, item["content"])
        yield item


FORMAT = GeminiCLI()
