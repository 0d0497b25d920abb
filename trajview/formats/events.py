"""Session logs of coding agents: JSONL events, some of which hold a message of the conversation.

Two families: `{"type": "user"/"assistant"/…, "message": {"role", …}, "sessionId", …}` with `summary` lines among them,
and `{"type": "response_item", "payload": {…}}` with a `session_meta` line. What is no message is kept as it came.

Events with `isSidechain` are a sub-agent's: they are a chain by `agentId`, else by `parentUuid` from event to event.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from msgspec import Raw, Struct
from msgspec.json import Decoder

from .plain import dict_or_value, put, text_or_none
from .roles import ROLES
from .unread import ABSENT, Usual, json_of

__all__ = ["Session", "SideChain", "is_event", "is_no_event", "session_of"]

_PAYLOAD_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_SESSION_KEYS = ("sessionId", "session_id", "leafUuid", "uuid", "parentUuid")
_SAID_ONCE = frozenset(
    {"sessionId", "session_id", "cwd", "version", "gitBranch", "userType", "entrypoint", "isSidechain", "slug"}
)
"""What every event of a session repeats: kept for the run, and on a message only where it differs."""


def is_event(record: Any) -> bool:
    """Whether a value looks like one event of a coding agent's session. Looks at keys only."""
    if not isinstance(record, dict):
        return False
    kind = record.get("type")
    if not isinstance(kind, str):
        return False
    if kind in _PAYLOAD_TYPES:
        return isinstance(record.get("payload"), dict)
    message = record.get("message")
    if isinstance(message, dict) and (isinstance(message.get("role"), str) or kind in ROLES) and "content" in message:
        return True
    if kind == "summary":
        return isinstance(record.get("summary"), str)
    if kind == "file-history-snapshot":
        return "snapshot" in record
    return any(key in record for key in _SESSION_KEYS) and "messages" not in record and "role" not in record


class _Keys(Struct, gc=False):
    """Keys without which a value that has a role is no event."""

    role: str
    type: Raw = ABSENT
    message: Raw = ABSENT
    payload: Raw = ABSENT
    summary: Raw = ABSENT
    snapshot: Raw = ABSENT


_keys: Final = Decoder(_Keys).decode


def is_no_event(data: Raw | Usual) -> bool:
    """Whether a value that is not decoded is no event beyond doubt."""
    try:
        found = _keys(json_of(data))
    except ValueError:
        return False
    holders = (found.message, found.payload, found.summary, found.snapshot)
    return found.type is ABSENT or all(each is ABSENT for each in holders)


MOST_CHAINS = 1_000
"""Side chains of a session; what would be one more joins the last."""
_NAME_LENGTH = 60


@dataclass(slots=True)
class SideChain:
    """A sub-agent's messages; its name is the beginning of what it was told."""

    name: str | None = None
    agent: str | None = None
    items: list[Any] = field(default_factory=list)


@dataclass(slots=True)
class Session:
    """What the events of a session make: messages, the session's id and name, and what is no message."""

    id: str | None = None
    name: str | None = None
    items: list[Any] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    chains: list[SideChain] = field(default_factory=list)


def session_of(lines: Iterable[Any]) -> Session:
    """Sort the lines of a session: messages in order, the rest under `events` in the metadata."""
    session = Session()
    common: dict[str, Any] = {}
    events: list[Any] = []
    chains = _Chains()
    for line in lines:
        if not is_event(line):
            session.items.append(line)
            continue
        if session.id is None:
            session.id = _id_of(line)
        item = _message_of(line, common)
        if item is not None:
            chain = chains.of(line, item) if line.get("isSidechain") is True else None
            (session.items if chain is None else chain.items).append(item)
            continue
        events.append(line)
        if session.name is None and line["type"] == "summary":
            session.name = text_or_none(line["summary"])
    if session.items:
        session.chains = chains.chains
    else:  # a sub-agent's own file
        session.items = [item for chain in chains.chains for item in chain.items]
        if chains.chains:
            session.name = session.name or chains.chains[0].name
    if common:
        session.metadata["session"] = common
    if events:
        session.metadata["events"] = events
    return session


class _Chains:
    """Sorts the events of sub-agents, in their order, into chains."""

    def __init__(self) -> None:
        self.chains: list[SideChain] = []
        self._by_agent: dict[str, SideChain] = {}
        self._by_event: dict[str, SideChain] = {}

    def of(self, line: dict[Any, Any], item: dict[Any, Any]) -> SideChain:
        """The chain of an event, which may begin with it."""
        agent, above, own = (text_or_none(line.get(key)) for key in ("agentId", "parentUuid", "uuid"))
        chain = self._by_agent.get(agent) if agent else self._by_event.get(above or "")
        if chain is None and self.chains and (len(self.chains) >= MOST_CHAINS or not (agent or _told(item))):
            chain = self.chains[-1]  # what does not say where it belongs
        if chain is None:
            chain = SideChain(_told(item) or f"side chain {len(self.chains) + 1}", agent)
            self.chains.append(chain)
        if agent:
            self._by_agent.setdefault(agent, chain)
        if own:
            self._by_event[own] = chain
        return chain


def _told(item: dict[Any, Any]) -> str | None:
    """The beginning of what a user's message says, None of another."""
    content = item.get("content")
    if isinstance(content, list):
        content = next(
            (part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"), ""
        )
    if item.get("role") != "user" or not isinstance(content, str):
        return None
    return " ".join(content[: 4 * _NAME_LENGTH].split())[:_NAME_LENGTH] or None


def _id_of(line: dict[Any, Any]) -> str | None:
    for key in ("sessionId", "session_id"):
        if text_or_none(line.get(key)):
            return text_or_none(line[key])
    payload = line.get("payload")
    return text_or_none(payload.get("id")) if line["type"] == "session_meta" and isinstance(payload, dict) else None


def _message_of(line: dict[Any, Any], common: dict[str, Any]) -> dict[Any, Any] | None:
    """The message in an event, with what the event says of it: time and metadata. None where there is no message."""
    kind = line["type"]
    if kind in _PAYLOAD_TYPES:
        payload = line["payload"]
        found = payload.get("type")
        speaks = isinstance(payload.get("role"), str) or (
            isinstance(found, str) and (found == "reasoning" or found.endswith(("_call", "_call_output")))
        )
        if kind != "response_item" or not speaks:
            return None
        message, holder, used = payload, "payload", {"type", "payload"}
    elif isinstance(line.get("message"), dict):
        message, holder, used = line["message"], "message", {"message"}
    elif kind == "system" and isinstance(line.get("content"), str):
        message, holder, used = {"role": "system", "content": line["content"]}, "content", {"content"}
    else:
        return None
    item = dict(message)
    metadata: dict[str, Any] = {}
    if not isinstance(item.get("role"), str) and holder == "message":
        if item.get("role") is not None:
            metadata["role"] = item["role"]
        item["role"] = kind
    for key, value in line.items():
        if key in used or (key == "type" and value == item.get("role")):
            continue
        if key == "timestamp" and isinstance(value, str) and "timestamp" not in item:
            item["timestamp"] = value
        elif isinstance(key, str) and key in _SAID_ONCE:
            if common.setdefault(key, value) != value:
                metadata[key] = value
        elif value is not None:
            metadata[str(key)] = value
    if metadata:
        merged = dict(dict_or_value(message.get("metadata")))
        for key, value in metadata.items():
            put(merged, key, value)
        item["metadata"] = merged
    return item
