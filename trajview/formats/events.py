"""Session logs of coding agents: JSONL events, some of which hold a message of the conversation.

Two families: `{"type": "user"/"assistant"/…, "message": {"role", …}, "sessionId", …}` with `summary` lines among them,
and `{"type": "response_item", "payload": {…}}` with a `session_meta` line. What is no message is kept as it came.

Events with `isSidechain` are a sub-agent's: they are a chain by `agentId`, else by `parentUuid` from event to event.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct, field

from .logged import ABSENT, Decode, Elements, Head
from .outline import WHOLE, Outline, new_outline
from .plain import dict_or_value, put, text_or_none
from .roles import ROLES, pieces_of
from .shape import wrong_in_message

__all__ = [
    "PAYLOAD_TYPES", "SAID_ONCE", "PartedSession", "Session", "SideChain", "Sorting", "any_event", "is_event", "item_of", "may_be_event", "session_of",
]  # fmt: skip

PAYLOAD_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
"""Types of events that hold what they say under `payload`."""
_SESSION_KEYS = ("sessionId", "session_id", "leafUuid", "uuid", "parentUuid")
SAID_ONCE = frozenset(
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
    if kind in PAYLOAD_TYPES:
        return isinstance(record.get("payload"), dict)
    message = record.get("message")
    if isinstance(message, dict) and (isinstance(message.get("role"), str) or kind in ROLES) and "content" in message:
        return True
    if kind == "summary":
        return isinstance(record.get("summary"), str)
    if kind == "file-history-snapshot":
        return "snapshot" in record
    return any(key in record for key in _SESSION_KEYS) and "messages" not in record and "role" not in record


def may_be_event(head: Head) -> bool:
    """Whether a value of which the head is known may be an event although it has a role."""
    holders = (head.message, head.payload, head.summary, head.snapshot)
    return head.type is not ABSENT and any(each is not ABSENT for each in holders)


def any_event(items: Sequence[Any]) -> bool:
    """Whether there is an event in a list."""
    if not isinstance(items, Elements):
        return any(map(is_event, items))
    heads = enumerate(items.heads())
    return any(is_event(items[at]) for at, head in heads if head is None or may_be_event(head))


MOST_CHAINS = 1_000
"""Side chains of a session; what would be one more joins the last."""
_NAME_LENGTH = 60


class SideChain(Struct):
    """A sub-agent's messages; its name is the beginning of what it was told."""

    name: str | None = None
    agent: str | None = None
    items: list[Any] = []
    outline: Outline = field(default_factory=new_outline)
    """See `Session`, as of the next."""
    models: list[str] = []


class Session(Struct):
    """What the events of a session make: messages, the session's id and name, and what is no message."""

    id: str | None = None
    name: str | None = None
    items: list[Any] = []
    metadata: dict[str, Any] = {}
    chains: list[SideChain] = []
    outline: Outline = field(default_factory=new_outline)
    """Of the items, where these were not all decoded; empty elsewhere."""
    models: list[str] = []
    """The models that they name, in order, where these were not all decoded."""
    turns: list[str] = []
    """The models that were set for turns (`turn_context`), in order, each once."""


def session_of(lines: Iterable[Any]) -> Session:
    """Sort the lines of a session: messages in order, the rest under `events` in the metadata."""
    sorting = Sorting()
    for line in lines:
        sorting.add(line)
    return sorting.session()


class Sorting:
    """Sorts the lines of a session, one after another."""

    def __init__(self) -> None:
        self.main = Session()
        self.common: dict[str, Any] = {}
        """What the events with a message say again and again, as the first of them says it."""
        self.only_chains = False
        """Whether all messages were those of sub-agents."""
        self._events: list[Any] = []
        self._chains = _Chains()

    def add(self, line: Any) -> Session | SideChain | None:
        """Add a line; whose items its message is now the last of, None where it holds none."""
        main = self.main
        if not is_event(line):
            main.items.append(line)
            return main
        if main.id is None:
            main.id = _id_of(line)
        item = _message_of(line, self.common)
        if item is None:
            self._events.append(line)
            if line["type"] == "turn_context":
                model = text_or_none(line["payload"].get("model"))
                if model and model not in main.turns:
                    main.turns.append(model)
            if main.name is None and line["type"] == "summary":
                main.name = text_or_none(line["summary"])
            return None
        holder = self._chains.of(line, item) if line.get("isSidechain") is True else main
        holder.items.append(item)
        return holder

    def session(self) -> Session:
        """What the lines so far make."""
        main, chains = self.main, self._chains.chains
        if main.items and not self.only_chains:
            main.chains = chains
        elif chains and not self.only_chains:  # a sub-agent's own file
            self.only_chains = True
            for chain in chains:
                main.outline.extend(chain.outline, len(main.items))
                main.items += chain.items
                main.models += chain.models
            main.name = main.name or chains[0].name
        if self.common:
            main.metadata["session"] = self.common
        if self._events:
            main.metadata["events"] = self._events
        return main


class PartedSession(Struct):
    """The lines of a conversation, sorted; those that are bytes become messages by `events.item_of`."""

    sorting: Sorting
    decode: Decode
    telling: list[dict[str, Any]] = []
    """Of lines that name sub-agents, and of one that is of the session itself, what says so."""

    def items(self, holder: Session | SideChain) -> Elements:
        """The messages of the session itself or of a sub-agent, each decoded when it is looked at."""
        common = self.sorting.common
        found = Elements(holder.items, lambda data: item_of(self.decode(data), common))
        found.kept = holder.outline
        return found

    def add(self, line: Any) -> bool:
        """Add a line that is decoded; whether all of its types are as they should be."""
        holder = self.sorting.add(line)
        if holder is None:
            return True
        item, element = holder.items[-1], len(holder.items) - 1
        for place, piece in enumerate(found := pieces_of(item)):
            is_whole = len(found) == 1 and piece.result is None
            holder.outline.add(element, piece.role, None, WHOLE if is_whole else place)
        if wrong_in_message(item, "message"):
            return False
        if isinstance(item.get("model"), str) and item["model"]:
            holder.models.append(item["model"])
        return True


def item_of(line: Any, common: dict[str, Any]) -> Any:
    """The message in a line of a session that holds one; `common` is that of all its lines."""
    return _message_of(line, common) if is_event(line) else line


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
    found = _held_in(line)
    if found is None:
        return None
    message, holder, used = found
    item = dict(message)
    metadata: dict[str, Any] = {}
    if not isinstance(item.get("role"), str) and holder == "message":
        if item.get("role") is not None:
            metadata["role"] = item["role"]
        item["role"] = line["type"]
    for key, value in line.items():
        if key not in used and not (key == "type" and value == item.get("role")):
            _add_about(key, value, item, metadata, common)
    if metadata:
        merged = dict(dict_or_value(message.get("metadata")))
        for key, value in metadata.items():
            put(merged, key, value)
        item["metadata"] = merged
    return item


def _held_in(line: dict[Any, Any]) -> tuple[dict[Any, Any], str, set[str]] | None:
    """The message in an event as it was logged, the key that it is under, and the event's keys that say no more than that."""
    kind = line["type"]
    if kind in PAYLOAD_TYPES:
        payload = line["payload"]
        return (payload, "payload", {"type", "payload"}) if kind == "response_item" and _speaks(payload) else None
    if isinstance(line.get("message"), dict):
        return line["message"], "message", {"message"}
    if kind == "system" and isinstance(line.get("content"), str):
        return {"role": "system", "content": line["content"]}, "content", {"content"}
    return None


def _speaks(payload: dict[Any, Any]) -> bool:
    """Whether an item of the Responses API is a message, a thought, a call or an answer."""
    found = payload.get("type")
    if isinstance(payload.get("role"), str):
        return True
    return isinstance(found, str) and (found == "reasoning" or found.endswith(("_call", "_call_output")))


def _add_about(key: Any, value: Any, item: dict[Any, Any], metadata: dict[str, Any], common: dict[str, Any]) -> None:
    """Add what an event says of its message: the time, what all events of the session say, or metadata."""
    if key == "timestamp" and isinstance(value, str) and "timestamp" not in item:
        item["timestamp"] = value
    elif isinstance(key, str) and key in SAID_ONCE:
        if common.setdefault(key, value) != value:
            metadata[key] = value
    elif value is not None:
        metadata[str(key)] = value
