"""OpenHands' trajectories: streams of events, or lists of `entries`, which are messages, thoughts and commands of an actor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .base import Detection, Origin
from .chat_format import Chat, ChatFormat, chat_of, message_item, messages_under
from .openhands_events import is_bare_event, is_stream_event, stream_of, with_sources
from .plain import is_list, not_an_object, text_or_none
from .roles import sample
from .words import AddedWords

__all__ = ["FORMAT", "OpenHands"]


class OpenHands(ChatFormat):
    """`{"entries": [{"type", "content", "actorType", …}]}`, `[{"source", "action", "args"}, …]`, or such a `history`."""

    name = "openhands"
    label = "OpenHands trajectory"
    recognises = (
        "`entries` with `actorType`, or a list or `history` of events with `source` and `action` or `observation`"
    )
    added_words = AddedWords(with_bytes=(("shell command", ("action", "command")),), metadata=("events",))

    def detect(self, record: Any) -> Detection | None:
        if not isinstance(record, dict):
            return self._detect_events(record)
        history = record.get("history")
        return self._detect_events(history) or self._detect_bare(history) or self._detect_entries(record.get("entries"))

    def _detect_events(self, events: Any) -> Detection | None:
        if not is_list(events) or not events:
            return None
        looked_at = [one for each in sample(events) for one in (each if isinstance(each, list) else [each])]
        if looked_at and all(map(is_stream_event, looked_at)):
            return Detection(self.name, 0.96, ("events have a `source` and an `action` or an `observation`",))
        return None

    def _detect_bare(self, events: Any) -> Detection | None:
        if isinstance(events, list) and events and all(map(is_bare_event, sample(events))):
            return Detection(self.name, 0.9, ("`history` holds an `action` or an `observation` in each event",))
        return None

    def _detect_entries(self, entries: Any) -> Detection | None:
        if not isinstance(entries, list) or not entries:
            return None
        if all(isinstance(entry, dict) and "actorType" in entry and "type" in entry for entry in sample(entries)):
            return Detection(self.name, 0.95, ("`entries` have `type` and `actorType`",))
        return None

    def look(self, record: Any, origin: Origin) -> Chat:
        if is_list(record):
            chat = _chat_of({}, origin, record)
            if origin.path.parent.name == "events":  # an event a file: the folder around them is the session's
                chat.id = origin.path.parent.parent.name or chat.id
            return chat
        if isinstance(record, dict) and isinstance(record.get("history"), list) and "entries" not in record:
            return _chat_of(record, origin, with_sources(record["history"]))
        if not isinstance(record, dict) or "entries" not in record:
            raise not_an_object("an OpenHands trajectory", record, origin, "events, or an object with `entries`")
        entries, problems = messages_under(record, "entries")
        return chat_of(record, origin, list(map(_message_of, entries)), {"entries"}, problems)


def _chat_of(record: dict[Any, Any], origin: Origin, events: Sequence[Any]) -> Chat:
    """The chat of a stream of events, and of the record around it."""
    stream = stream_of(events)
    chat = chat_of(record, origin, stream.items, {"history", "instance_id"} if record else ())
    if isinstance(record.get("instance_id"), str) and record["instance_id"].strip():
        chat.id = record["instance_id"]
    issue = record.get("issue")
    if isinstance(issue, dict):
        chat.name = text_or_none(issue.get("title"))
    if chat.rewards is None and (verdict := _verdict(record)) is not None:
        chat.rewards = [float(verdict)]
    chat.models = stream.models
    if stream.silent:
        chat.metadata["events"] = stream.silent
    for delegate in stream.delegates:
        about = {"agent": delegate.name, "tool_call_id": delegate.call}
        chat.branches.append(Chat(chat.id, delegate.items, delegate.name, about))
    return chat


def _verdict(record: dict[Any, Any]) -> bool | None:
    """Whether the task was solved, as the resolver's own `success`, or the report of an evaluation says."""
    result = record.get("test_result")
    reports = [holder.get("report") for holder in (record, result) if isinstance(holder, dict)]
    found = [record.get("success"), *(report.get("resolved") for report in reports if isinstance(report, dict))]
    return next((verdict for verdict in found if isinstance(verdict, bool)), None)


def _message_of(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    actor, kind = entry.get("actorType"), entry.get("type")
    used = {"actorType", "type", "content"}
    role = actor.lower() if isinstance(actor, str) else actor
    fields: dict[str, Any] = {"role": role, "content": entry.get("content")}
    if kind == "thought" and isinstance(entry.get("content"), str):
        fields["content"] = [{"type": "reasoning", "reasoning": entry["content"]}]
    elif kind == "command" and role in ("assistant", "agent") and "command" in entry:
        used.add("command")
        fields["tool_calls"] = [{"function": "shell", "arguments": {"command": entry["command"]}}]
    elif kind != "message":
        fields["entry_type"] = kind
    return message_item(entry, used, **fields)


FORMAT = OpenHands()
