"""Session logs of coding agents: JSONL events, some of which hold a message of the conversation.

Two families: `{"type": "user"/"assistant"/…, "message": {"role", …}, "sessionId", …}` with `summary` lines among them,
and `{"type": "response_item", "payload": {…}}` with a `session_meta` line. What is no message is kept as it came.

Events with `isSidechain` are a sub-agent's: they are a chain by `agentId`, else by `parentUuid` from event to event.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from .logged import ABSENT, Decode, Elements, Head
from .plain import dict_or_value, put, text_or_none
from .roles import ROLES, is_message

__all__ = ["Part", "Session", "is_event", "session_of"]

_PAYLOAD_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
"""Types of events with their content under `payload`."""
_SESSION_KEYS = ("sessionId", "session_id", "leafUuid", "uuid", "parentUuid")


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
    if isinstance(message, dict) and "parts" in message:  # Qwen Code's
        return False
    if isinstance(message, dict) and (isinstance(message.get("role"), str) or kind in ROLES) and "content" in message:
        return True
    if kind == "summary":
        return isinstance(record.get("summary"), str)
    if kind == "file-history-snapshot":
        return "snapshot" in record
    return any(key in record for key in _SESSION_KEYS) and "messages" not in record and "role" not in record


_MOST_CHAINS = 1_000
"""Side chains of a session; what would be one more joins the last."""
_NAME_LENGTH = 60
_IDS = frozenset({"sessionId", "session_id"})
_CONTENT: Final = frozenset(b'"[{n')
_CALLS: Final = frozenset(b"[{n")
_A_CALL: Final = Raw(b'[{"type": "tool_use"}]')
"""Stands for the content of an item that is a call."""
_Role = Literal[tuple(ROLES)]  # type: ignore[valid-type]  # mypy wants them spelled out


class Part(Struct):
    """The messages of the session itself, or of a sub-agent, whose name is the beginning of its task."""

    name: str | None = None
    agent: str | None = None
    items: Sequence[Any] = ()
    """All messages, once all lines are sorted."""
    logged: list[Any] = []
    """The messages, each decoded, or as the line that holds it."""
    heads: list[Head | None] = []
    """The heads of those that are not decoded."""

    def add(self, item: Any, head: Head | None = None) -> None:
        """Add a message."""
        self.logged.append(item)
        self.heads.append(head)


class Session(Struct):
    """The messages and metadata from the lines of a session."""

    id: str | None
    main: Part
    chains: list[Part]
    turns: list[str]
    """The models that were set for turns (`turn_context`), in order, each once."""
    metadata: dict[str, Any]
    """The lines and fields that are no message."""


def session_of(lines: Sequence[Any]) -> Session:
    """Sort the lines of a session: messages in order, the rest under `events` in the metadata.

    Of lines that are not decoded, the messages are not either; what they make is kept with them.
    """
    elements = lines if isinstance(lines, Elements) else Elements(lines)
    return elements.once(lambda: _sorted(elements))


def _sorted(lines: Elements) -> Session:
    sorting = _Sorting()
    for at, line in enumerate(lines.logged):
        head = sorting.head_of(line) if isinstance(line, Raw) else None
        if head is None:
            sorting.add(lines[at])
        else:
            sorting.main.add(line, head)
    return sorting.session(lines.decode)


class _Sorting:
    """Sorts the lines of a session, one after another."""

    def __init__(self) -> None:
        self.main = Part()
        self.common: dict[str, Any] = {}
        """The fields that events with a message repeat, with the values of the first of them."""
        self._unsaid = _SAID_ONCE
        """The fields whose value would be new in an event."""
        self._id: str | None = None
        self._turns: dict[str, None] = {}
        self._events: list[Any] = []
        self._chains = _Chains()

    def add(self, line: Any) -> None:
        """Add a line that is decoded."""
        if not is_event(line):
            if isinstance(line, dict) and isinstance(line.get("payload"), dict) and not is_message(line):
                self._events.append(line)  # of a type that is not known, and nobody's words
            else:
                self.main.add(line)
            return
        if self._id is None:
            self._id = _id_of(line)
        item = _message_of(line, self.common)
        if item is not None:
            part = self._chains.of(line, item) if line.get("isSidechain") is True else self.main
            part.add(item)
        else:
            self._events.append(line)
            if line["type"] == "turn_context" and (model := text_or_none(line["payload"].get("model"))):
                self._turns[model] = None
            if self.main.name is None and line["type"] == "summary":
                self.main.name = text_or_none(line["summary"])
        self._unsaid = _SAID_ONCE - self.common.keys() | (_IDS if self._id is None else set())

    def head_of(self, data: Raw) -> Head | None:
        """The head of the message in a line that says nothing else that is new; None where it has to be decoded."""
        try:
            line = _decode_line(data)
            if line.role is not None:
                head: Head | None = None if _may_be_event(line) else line
            elif bytes(line.isSidechain) == b"true" or any(getattr(line, key) is not ABSENT for key in self._unsaid):
                head = None
            else:
                head = _head_in(line)
        except (ValueError, RecursionError):  # something is of another type than usual
            return None
        return head if head is not None and _is_usual(head) else None

    def session(self, decode: Decode) -> Session:
        """The session that the lines make; `decode` is for those that stay bytes."""
        main, chains, common = self.main, self._chains.chains, self.common
        if not main.logged and chains:  # a sub-agent's own file
            main.name = main.name or chains[0].name
            for chain in chains:
                main.logged += chain.logged
                main.heads += chain.heads
            chains = []
        for part in (main, *chains):
            part.items = Elements(part.logged, lambda data: _item_of(decode(data), common), part.heads)
        about = {"session": common, "events": self._events}
        metadata = {key: value for key, value in about.items() if value}
        return Session(self._id, main, chains, list(self._turns), metadata)


class _Line(Head, kw_only=True, gc=False):
    """The fields that tell what a line is: a message by its role, an event by the holder of its message."""

    role: _Role | None = None  # type: ignore[valid-type]
    message: Head | None = None  # type: ignore[assignment]
    sessionId: Raw = ABSENT
    session_id: Raw = ABSENT
    cwd: Raw = ABSENT
    version: Raw = ABSENT
    gitBranch: Raw = ABSENT
    userType: Raw = ABSENT
    entrypoint: Raw = ABSENT
    isSidechain: Raw = ABSENT
    slug: Raw = ABSENT


_SAID_ONCE: Final = frozenset(_Line.__struct_fields__) - frozenset(Head.__struct_fields__)
"""Fields that every event of a session repeats: kept for the run, and on a message only where they differ."""


class _Item(Struct, gc=False):
    """The type of an item of the Responses API without a role."""

    type: str
    role: Raw = ABSENT
    content: Raw = ABSENT
    summary: Raw = ABSENT
    output: Raw = ABSENT
    tool_calls: Raw = ABSENT
    model: Raw = ABSENT
    metadata: Raw = ABSENT
    author: Raw = ABSENT
    speaker: Raw = field(default=ABSENT, name="from")


_decode_line: Final = Decoder(_Line).decode
_decode_head: Final = Decoder(Head).decode
_decode_item: Final = Decoder(_Item).decode
_decode_text: Final = Decoder(str).decode


def _may_be_event(line: _Line) -> bool:
    """Whether a value may be an event although it has a role."""
    holders = (line.payload, line.summary, line.snapshot)
    return line.type is not ABSENT and (line.message is not None or any(each is not ABSENT for each in holders))


def _head_in(event: _Line) -> Head | None:
    """The head of the message that an event holds. Raises ValueError."""
    kind = _decode_text(event.type)
    if kind not in _PAYLOAD_TYPES:
        return event.message if event.message is not None and event.message.content is not ABSENT else None
    if kind != "response_item":
        return None
    try:
        return _decode_head(event.payload)
    except ValueError:  # it has no role
        return _head_of_item(_decode_item(event.payload))


def _head_of_item(item: _Item) -> Head | None:
    """The head of an item as if it were a message; None where it may be more than its type says."""
    more = (item.role, item.tool_calls, item.model, item.metadata, item.author, item.speaker)
    if any(each is not ABSENT for each in more) or not (item.content is ABSENT or bytes(item.content) == b"null"):
        return None
    if item.type.endswith("_call_output"):
        return Head("tool", item.output)
    if item.type == "reasoning":
        return Head("assistant", item.summary)
    return Head("assistant", _A_CALL) if item.type.endswith("_call") else None


def _is_usual(head: Head) -> bool:
    """Whether the JSON of a message's content and calls is of a type that is not worth a word."""
    content, calls = memoryview(head.content), memoryview(head.tool_calls)
    return (not content or content[0] in _CONTENT) and (not calls or calls[0] in _CALLS)


def _item_of(line: Any, common: dict[str, Any]) -> Any:
    """The message in a line of a session that holds one; `common` is that of all its lines."""
    return _message_of(line, common) if is_event(line) else line


class _Chains:
    """Sorts the events of sub-agents, in their order, into chains."""

    def __init__(self) -> None:
        self.chains: list[Part] = []
        self._by_agent: dict[str, Part] = {}
        self._by_event: dict[str, Part] = {}

    def of(self, line: dict[Any, Any], item: dict[Any, Any]) -> Part:
        """The chain of an event, which may begin with it."""
        agent, above, own = (text_or_none(line.get(key)) for key in ("agentId", "parentUuid", "uuid"))
        chain = self._by_agent.get(agent) if agent else self._by_event.get(above or "")
        if chain is None and self.chains and (len(self.chains) >= _MOST_CHAINS or not (agent or _first_words(item))):
            chain = self.chains[-1]  # an event that does not tell its chain
        if chain is None:
            chain = Part(_first_words(item) or f"side chain {len(self.chains) + 1}", agent)
            self.chains.append(chain)
        if agent:
            self._by_agent.setdefault(agent, chain)
        if own:
            self._by_event[own] = chain
        return chain


def _first_words(item: dict[Any, Any]) -> str | None:
    """The beginning of a user's message, None for another one."""
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
    """The message in an event, with the event's time and metadata. None where there is no message."""
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
    """The message in an event as it was logged, its key, and the other keys that only repeat it."""
    kind = line["type"]
    if kind in _PAYLOAD_TYPES:
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
    """Add a field of an event to its message: the time, a field common to the session, or metadata."""
    if key == "timestamp" and isinstance(value, str) and "timestamp" not in item:
        item["timestamp"] = value
    elif isinstance(key, str) and key in _SAID_ONCE:
        if common.setdefault(key, value) != value:
            metadata[key] = value
    elif value is not None:
        metadata[str(key)] = value
