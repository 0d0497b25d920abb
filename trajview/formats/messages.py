"""Bare messages: a list of them, one message a line, a coding agent's session, or mini-swe-agent's file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .base import Detection, Origin
from .chat_format import Chat, ChatFormat, chat_of, messages_under
from .events import Session, is_event, session_of
from .plain import is_list, not_an_object, text_or_none
from .roles import is_message, sample
from .traits import holds_messages, traits_of
from .words import AddedWords

__all__ = ["FORMAT", "BareMessages"]

_RUN_INFO = frozenset({"exit_status", "submission", "model_stats", "config", "mini_version", "instance_id"})


class BareMessages(ChatFormat):
    """`[{"role", "content"}, …]`, `[{"type", "message": {…}}, …]`, one such message, or `{"messages", "info"}`."""

    name = "messages"
    label = "list of messages"
    recognises = (
        "a list, or JSON Lines, of messages with `role` and `content`, or of events of a coding agent's session"
    )
    added_words = AddedWords(metadata=("events",))

    def detect(self, record: Any) -> Detection | None:
        if is_list(record):
            return self._detect_list(record)
        if not isinstance(record, dict):
            return None
        if is_list(record.get("loglines")) and any(map(is_event, sample(record["loglines"]))):
            return Detection(self.name, 0.97, ("`loglines` are events of a coding agent's session",))
        if _is_mini(record):
            return Detection(self.name, 0.97, ("`messages` beside an `info` of mini-swe-agent's",))
        if "messages" not in record and is_message(record):
            return Detection(self.name, 0.6, ("one message with role and content",))
        if is_event(record) and session_of([record]).main.items:
            return Detection(self.name, 0.6, ("one event of a coding agent's session",))
        return None

    def _detect_list(self, record: Sequence[Any]) -> Detection | None:
        looked_at = list(sample(record))
        events = sum(map(_likeness, looked_at))
        messages = traits_of(record).messages
        if not events and not messages:
            return None
        if events >= messages:
            return Detection(
                self.name, 0.95 * events / len(looked_at), ("a list of events of a coding agent's session",)
            )
        share = messages / len(looked_at)
        return Detection(self.name, 0.95 * share, ("a list of messages with role and content",))

    def look(self, record: Any, origin: Origin) -> Chat:
        if isinstance(record, dict) and is_list(record.get("loglines")):
            chat = _chat_of_session(session_of(record["loglines"]), origin)
            chat.metadata |= {key: value for key, value in record.items() if key != "loglines"}
            return chat
        if isinstance(record, dict) and "messages" in record:
            return _mini(record, origin, *messages_under(record, "messages"))
        if isinstance(record, dict):
            record = [record]
        if not is_list(record):
            raise not_an_object("a list of messages", record, origin, "a list")
        return _chat_of_session(session_of(record), origin)


def _likeness(line: Any) -> float:
    """How much a line looks like an event of a session: one that only names the session may be another program's."""
    if not is_event(line):
        return 0
    return (
        1
        if any(isinstance(line.get(key), dict) for key in ("message", "payload", "snapshot")) or "summary" in line
        else 0.4
    )


def _chat_of_session(session: Session, origin: Origin) -> Chat:
    chat = Chat(session.id or origin.default_id, session.main.items, session.main.name, session.metadata)
    chat.models = tuple(session.turns)
    for chain in session.chains:
        agent = {"agentId": chain.agent} if chain.agent else {}
        chat.branches.append(Chat(chat.id, chain.items, chain.name, agent))
    return chat


def _mini(record: dict[Any, Any], origin: Origin, items: Sequence[Any], problems: Iterable[str] = ()) -> Chat:
    chat = chat_of(record, origin, items, {"messages"}, problems)
    info = record.get("info")
    if chat.id == origin.default_id and isinstance(info, dict) and text_or_none(info.get("instance_id")):
        chat.id = info["instance_id"]
    return chat


def _is_mini(record: dict[Any, Any]) -> bool:
    items, info, style = record.get("messages"), record.get("info"), record.get("trajectory_format")
    if not is_list(items) or not isinstance(info, dict) or (items and not holds_messages(items)):
        return False
    return (isinstance(style, str) and style.startswith("mini-swe-agent")) or bool(info.keys() & _RUN_INFO)


FORMAT = BareMessages()
