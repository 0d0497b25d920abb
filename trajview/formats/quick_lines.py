"""The lines of one long conversation, messages or events of a coding agent's session, sorted without being decoded.

A line that says what the lines before it have said, and holds one message, stays bytes: most do. The others are decoded.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, Literal

import msgspec
from msgspec import Raw, Struct, field
from msgspec.json import Decoder

from trajview.models.units import count_units

from . import messages, registry
from .base import Origin, Summary
from .events import PAYLOAD_TYPES, SAID_ONCE, PartedSession, Session, SideChain, Sorting, item_of, may_be_event
from .logged import ABSENT, Decode, Head
from .outline import Block, add_blocks, add_to
from .roles import ROLES
from .sizes import size_of_text
from .task import task_said
from .utf8 import is_utf8, seems_utf8

__all__ = ["QuickLines"]

_Role = Literal[tuple(ROLES)]  # type: ignore[valid-type]  # mypy wants them spelled out
_FITTING: Final = frozenset(b'"[{n')
"""How the JSON of a content begins that is of a type which is not worth a word."""
_CALLS: Final = frozenset(b"[{n")
_SAMPLED: Final = 6
_ESCAPED: Final = re.compile(rb"\\u00(?:6[1457eE]|74|49)")
"""A letter of `agentId`, as nobody writes it."""


class _Object(Struct, gc=False):
    """An object, whatever is in it."""


class _Blocks(Struct, gc=False):
    """What tells a message of blocks, which are looked at at once."""

    role: _Role  # type: ignore[valid-type]
    content: list[Block]
    tool_calls: Raw = ABSENT
    model: Any = None
    metadata: _Object | None = None


class _Line(Struct, gc=False):
    """What an event says beside its message that decides where that belongs."""

    type: str
    sessionId: Raw = ABSENT
    session_id: Raw = ABSENT
    cwd: Raw = ABSENT
    version: Raw = ABSENT
    gitBranch: Raw = ABSENT
    userType: Raw = ABSENT
    entrypoint: Raw = ABSENT
    isSidechain: Raw = ABSENT
    slug: Raw = ABSENT
    agentId: Raw = ABSENT
    toolUseResult: Raw = ABSENT


class _Event(_Line, kw_only=True, gc=False):
    """An event that holds a message."""

    message: Head


class _BlocksEvent(_Line, kw_only=True, gc=False):
    """An event that holds a message of blocks, as most do."""

    message: _Blocks


class _Item(Struct, gc=False):
    """What tells what an item of the Responses API is: a message by its role, something else by its type."""

    type: str | None = None
    role: _Role | None = None  # type: ignore[valid-type]
    content: Raw = ABSENT
    summary: Raw = ABSENT
    output: Raw = ABSENT
    tool_calls: Raw = ABSENT
    model: Any = None
    metadata: _Object | None = None
    author: Raw = ABSENT
    speaker: Raw = field(default=ABSENT, name="from")


class _ItemEvent(_Line, kw_only=True, gc=False):
    """An event that holds such an item."""

    payload: _Item


assert {*_Line.__struct_fields__} >= SAID_ONCE

_blocks_event: Final = Decoder(_BlocksEvent).decode
_event: Final = Decoder(_Event).decode
_item_event: Final = Decoder(_ItemEvent).decode
_head: Final = Decoder(Head).decode


class QuickLines:
    """Takes the lines of one conversation in order: as bytes where that is enough, else decoded."""

    def __init__(self, origin: Origin, decode: Decode = msgspec.json.decode, *, thorough: bool = False) -> None:
        """See `logged.RecordReader`."""
        self.lines: list[Any] = []
        """All of them, each decoded or as a `Raw`."""
        self._is_utf8: Callable[[bytes | memoryview], bool] = is_utf8 if thorough else seems_utf8
        self._origin = origin
        self._parts = PartedSession(Sorting(), decode)
        self._fits = True
        self._are_events = self._are_items = self._knows_main = False
        self._known = -1
        self._new: Callable[[_Line], Any]
        self._nothing_new: Any
        self._look_for_new()

    def take(self, data: bytes | memoryview) -> bool:
        """Take a line as it is; False where it has to be decoded and given."""
        if not self._fits or not self.lines:
            return False
        main = self._parts.sorting.main
        try:
            if self._are_items:
                return self._take_item(data, _item_event(data))
            if self._are_events:
                event: _Event | _BlocksEvent
                try:
                    event = _blocks_event(data)
                except ValueError:  # it says a text
                    event = _event(data)
                if event.type in PAYLOAD_TYPES or not self._is_plain(event):
                    return False
                head: _Blocks | Head = event.message
                model = event.message.model
            else:
                head = _head(data)
                model = head.model
                if may_be_event(head):
                    return False
        except (ValueError, RecursionError):  # neither, or of other types than usual
            return False
        if not _is_fitting(head) or not self._is_utf8(data):
            return False
        if isinstance(head, _Blocks):
            if not add_blocks(main.outline, len(main.items), ROLES[head.role], head.content, head.tool_calls):
                return False
        elif not add_to(main.outline, len(main.items), head):
            return False
        self._keep(data, model)
        return True

    def _take_item(self, data: bytes | memoryview, event: _ItemEvent) -> bool:
        """The same of an event with an item under `payload`."""
        item, outline = event.payload, self._parts.sorting.main.outline
        if event.type != "response_item" or not self._is_plain(event) or not self._is_utf8(data):
            return False
        element = len(self._parts.sorting.main.items)
        if item.role is not None:
            if not _is_fitting(item) or not add_to(outline, element, item):
                return False
        elif item.author is not ABSENT or item.speaker is not ABSENT or not _is_nothing(item.content):
            return False  # somebody else may speak, or there is more than one message in it
        elif not _is_fitting(item):
            return False  # which is worth a word
        elif (kind := item.type or "").endswith("_call_output"):
            outline.add(element, "tool", (*size_of_text(memoryview(item.output)), 0))
        elif kind == "reasoning" or kind.endswith("_call"):
            said = size_of_text(memoryview(item.summary)) if kind == "reasoning" else (0, 0)
            outline.add(element, "assistant", (*said, 2 * (kind != "reasoning")))
        else:
            return False
        self._keep(data, item.model)
        return True

    def _keep(self, data: bytes | memoryview, model: Any) -> None:
        main, raw = self._parts.sorting.main, Raw(data)
        main.items.append(raw)
        self.lines.append(raw)
        if type(model) is str and model:
            main.models.append(model)

    def give(self, value: Any) -> None:
        """Take a line that is decoded."""
        self.lines.append(value)
        if not self._fits:
            return
        self._fits = self._parts.add(value)
        self._are_events = isinstance(value, dict) and "message" in value and "type" in value
        self._are_items = isinstance(value, dict) and "payload" in value and "type" in value
        if isinstance(value, dict):
            result = value.get("toolUseResult")
            agents = isinstance(value.get("agentId"), str) or (isinstance(result, dict) and "agentId" in result)
            if agents or (not self._knows_main and _is_main(value)):
                keys = ("sessionId", "isSidechain", "agentId", "toolUseResult")
                self._parts.telling.append({key: value[key] for key in keys if key in value})
                self._knows_main = self._knows_main or _is_main(value)
        self._look_for_new()

    def found(self) -> tuple[str, Summary] | None:
        """Name of the format and summary of the lines so far; None where they have to be looked at in full."""
        lines = self.lines
        if not self._fits or not lines:
            return None
        looked_at = lines if len(lines) <= _SAMPLED else [*lines[:_SAMPLED], lines[-1]]
        try:
            sampled = [msgspec.json.decode(line) if type(line) is Raw else line for line in looked_at]
        except ValueError:  # half a pair of surrogates
            return None
        if registry.best(sampled)[0] is not messages.FORMAT:
            return None
        session = self._parts.sorting.session()
        parts: list[Session | SideChain] = [session, *session.chains]
        count = sum(len(part.outline.roles) for part in parts)
        units = sum(count_units(part.outline.roles) for part in parts)
        models = tuple(dict.fromkeys([*session.turns, *(model for part in parts for model in part.models)]))
        return messages.FORMAT.name, Summary(
            session.id or self._origin.default_id, session.name, count, units, len(parts), (), (), models, (),
            self._task(session) if session.name is None else None,
        )  # fmt: skip

    def _task(self, session: Session) -> str | None:
        common = self._parts.sorting.common
        decode = msgspec.json.decode
        return task_said(item_of(decode(item), common) if type(item) is Raw else item for item in session.items)

    def taken_apart(self) -> PartedSession:
        """The lines, to be opened; to be asked for once, after `found`."""
        return self._parts

    def _look_for_new(self) -> None:
        """What is said for the first time is decoded, so that it is kept as it always is."""
        known = 2 * len(self._parts.sorting.common) + self._knows_main
        if known == self._known:
            return
        self._known = known
        new = sorted(SAID_ONCE - self._parts.sorting.common.keys())
        if not self._knows_main:
            new = sorted({*new, "isSidechain"})
        new += ["agentId", "agentId"]  # at least two, so that it gives a tuple
        self._new = attrgetter(*new)
        self._nothing_new = (ABSENT,) * len(new)

    def _is_plain(self, event: _Line) -> bool:
        """Whether an event is known to be one with a message of the session itself, and says nothing new."""
        return (
            self._parts.sorting.main.id is not None
            and self._new(event) == self._nothing_new
            and (event.isSidechain is ABSENT or bytes(event.isSidechain) != b"true")
            and (event.toolUseResult is ABSENT or not _may_name_an_agent(bytes(event.toolUseResult)))
        )


def _is_main(line: dict[str, Any]) -> bool:
    return isinstance(line.get("sessionId"), str) and line.get("isSidechain") is False


def _may_name_an_agent(result: bytes) -> bool:
    return b"agentId" in result or (b"\\u00" in result and _ESCAPED.search(result) is not None)


def _is_nothing(content: Raw) -> bool:
    return content is ABSENT or bytes(content) == b"null"


def _is_fitting(head: _Blocks | _Item | Head) -> bool:
    calls = head.tool_calls
    if calls is not ABSENT and memoryview(calls)[0] not in _CALLS:
        return False
    return isinstance(head, _Blocks) or not (content := memoryview(head.content)) or content[0] in _FITTING
