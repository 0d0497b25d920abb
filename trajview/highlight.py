"""Highlights: action units with a reason, from rules, errors and the command line. Pure, no terminal.

DESIGN: one concept, one pair of keys. A search hit, a rule (a named regular expression), an error, a mark, a unit
named on the command line and a citation are all a `Highlight`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from .failures import (
    FAILURE_BYTES,
    OBSERVED_BYTES,
    code_in_fields,
    failure_in,
    failure_in_fields,
    is_observation,
)
from .formats.built import is_odd
from .models.messages import AssistantMessage, ChatMessage, ToolMessage, UserMessage
from .models.said import strings_within
from .models.transcript import Transcript
from .patterns.quick_bytes import holds, lowered
from .rules.rule import ROLES, Rule, compile_pattern, compile_rule
from .textsafe import without_colours

__all__ = [
    "Highlight",
    "Rule",
    "Source",
    "compile_pattern",
    "compile_rule",
    "error_of",
    "failure_in",
    "highlights_in",
    "text_of",
]

Source = Literal["search", "rule", "error", "mark", "unit", "citation"]


@dataclass(frozen=True, slots=True, order=True)
class Highlight:
    """A unit (and, where known, the message in it) that deserves a look, and why."""

    unit: int
    message: int
    source: Source
    reason: str
    colour: str = ""
    """Of a rule that has one: see `rules.COLOURS`."""


def text_of(message: ChatMessage) -> str:
    """Everything in a message that can be searched: text, reasoning, calls with their arguments, the error."""
    pieces = [message.text, *message.reasoning]
    if isinstance(message, AssistantMessage):
        for call in message.tool_calls or ():
            pieces.append(call.function)
            pieces += strings_within(call.arguments)
            if call.parse_error:
                pieces.append(call.parse_error)
    elif isinstance(message, ToolMessage) and message.error:
        pieces += strings_within(message.error)
    return "\n".join(piece for piece in pieces if piece)


_HOLDERS = ("extras", "extra", "metadata", "toolUseResult", "tool_result", "result", "observation")
"""Where sources keep what else they know of an answer: OpenHands' `extras`, mini-swe-agent's `extra`, and so on."""


def error_of(message: ChatMessage) -> str | None:
    """Why a message is an error, in a few words; None if it is none.

    An error is a tool message whose source says so (an error field, `is_error`, TaskWeaver's FAILURE, an exit code that is
    not zero), or whose text does (see `failure_in`); so is a user's message that holds what a tool answered, where an
    agent's log has no other place for it; and a tool call that could not be parsed.
    """
    if isinstance(message, ToolMessage):
        if message.error:
            said = message.error.get("message") or message.error.get("type") or "tool error"
            return str(said).strip().splitlines()[0][:200] if str(said).strip() else "tool error"
        return failure_in(message.text) or _failure_beside(message.metadata)
    if isinstance(message, AssistantMessage):
        for call in message.tool_calls or ():
            if call.parse_error:
                return f"{call.function}: {call.parse_error}".splitlines()[0]
        if message.metadata.get("invalid_response") is True:  # TaskWeaver's word for one that holds no plan and no code
            return "the response could not be parsed"
    elif isinstance(message, UserMessage):
        return _observed_failure(message.text) or _failure_beside(message.metadata, code_in_fields)
    return None


def _observed_failure(text: str) -> str | None:
    return failure_in(text) if is_observation(text) else None


def _failure_beside(
    metadata: dict[str, Any], failure: Callable[[dict[str, Any]], str | None] = failure_in_fields
) -> str | None:
    """What the metadata of an answer says of a failure, itself or one level or two down."""
    if not metadata:
        return None
    found = failure(metadata)
    for name in _HOLDERS:
        if found is not None:
            break
        inner = metadata.get(name)
        if isinstance(inner, dict):
            found = failure(inner)
            innermost = inner.get("metadata")
            if found is None and isinstance(innermost, dict):
                found = failure(innermost)
    return found


def _may_be_error(messages: Any, index: int) -> bool:
    """Whether a message that may still be bytes can be an error. Never False where it is one."""
    logged: bytes | None = messages.undecoded(index)
    if logged is None or b'error"' in logged or is_odd(logged):
        return True
    role = messages.roles[index]
    if role == "tool":
        low = lowered(logged)
        return any(holds(low, word) for word in FAILURE_BYTES)
    if role == "user":
        low = lowered(logged)
        return any(holds(low, word) for word in OBSERVED_BYTES)
    return role == "assistant" and (b"_call" in logged or b"invalid_response" in logged)


_failure_said: dict[str, Callable[[str], str | None]] = {"tool": failure_in, "user": _observed_failure}


def highlights_in(
    transcript: Transcript,
    rules: Sequence[Rule] = (),
    units: Iterable[int] = (),
    *,
    errors: bool = True,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[Highlight]:
    """All highlights of a transcript: by rule, named units, errors; by message, then by source.

    `cancelled` is asked at every message; once it says so, what was found so far is returned.
    """
    found: list[Highlight] = []
    messages = transcript.messages
    # Messages that are built on demand give their texts without being built, where nothing else matters.
    texts: Callable[[int], list[str] | None] = getattr(messages, "searchable", lambda _: None)
    looks_quickly = errors and not rules and hasattr(messages, "undecoded")
    by_role = {role: [rule for rule in rules if not rule.roles or role in rule.roles] for role in ROLES}
    roles: Sequence[str] | None = getattr(messages, "roles", None)
    for index in range(len(messages)):
        if cancelled():
            break
        if looks_quickly and not _may_be_error(messages, index):
            continue
        role = roles[index] if roles is not None else messages[index].role
        wanted = by_role[role]
        may_fail = errors and (role in _failure_said or role == "assistant")
        if not wanted and not may_fail:
            continue
        known = texts(index)
        reason: str | None = None
        if known is None:
            message = messages[index]
            reason = error_of(message) if may_fail else None
            text = without_colours(text_of(message)) if wanted else ""
        else:
            if errors and known and role in _failure_said:
                reason = _failure_said[role](known[0])
            text = without_colours("\n".join(filter(None, known))) if wanted else ""
        if reason is not None:
            found.append(Highlight(transcript.get_action_unit_for_block(index) or 0, index, "error", reason))
        if not text:
            continue
        in_lower = cache(text.lower)
        matching = [rule for rule in wanted if (rule.finds if rule.everywhere else rule.may_match)(text, in_lower)]
        if any(not rule.everywhere for rule in matching):
            message = messages[index]
            matching = [rule for rule in matching if rule.everywhere or rule.matches(message, text)]
        if matching:
            unit = transcript.get_action_unit_for_block(index) or 0
            found += [Highlight(unit, index, "rule", rule.name, rule.colour) for rule in matching]
    for unit in units:
        first = transcript.get_first_block_in_action_unit(unit)
        if first is not None:
            found.append(Highlight(unit, first, "unit", "named on the command line"))
    return sorted(found, key=lambda h: (h.message, h.source))
