"""Highlights: action units with a reason, from rules, errors and the command line. Pure, no terminal.

DESIGN: one concept, one pair of keys. A search hit, a rule (a named regular expression), an error, a mark, a unit
named on the command line and a citation are all a `Highlight`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from .failures import code_in_fields, failure_in, failure_in_fields, is_observation
from .models.messages import AssistantMessage, ChatMessage, ToolMessage, UserMessage
from .models.transcript import Transcript
from .rules.rule import Rule, compile_pattern, compile_rule
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
    """The colour of a rule that has one: see `rules.COLOURS`."""


def text_of(message: ChatMessage) -> str:
    """The searchable text of a message: text, reasoning, calls with their arguments, the error."""
    return "\n".join(message.texts())


_HOLDERS = ("extras", "extra", "metadata", "toolUseResult", "tool_result", "result", "observation")
"""Keys under which sources keep more about an answer: OpenHands' `extras`, mini-swe-agent's `extra`, and so on."""


def error_of(message: ChatMessage) -> str | None:
    """The error of a message in a few words; None if it has none.

    An error is a tool message whose source says so (an error field, `is_error`, TaskWeaver's FAILURE, an exit code that is
    not zero), or whose text does (see `failure_in`); so is a user's message that holds what a tool answered, where an
    agent's log has no other place for it; and a tool call that could not be parsed.
    """
    if isinstance(message, ToolMessage):
        if message.error:
            said = message.error.get("message") or message.error.get("type") or "tool error"
            return str(said).strip().splitlines()[0][:200] if str(said).strip() else "tool error"
        return failure_in(message.text) or _failure_in_metadata(message.metadata)
    if isinstance(message, AssistantMessage):
        for call in message.tool_calls or ():
            if call.parse_error:
                return f"{call.function}: {call.parse_error}".splitlines()[0]
        if message.metadata.get("invalid_response") is True:  # TaskWeaver's key for an answer without plan and code
            return "the response could not be parsed"
    elif isinstance(message, UserMessage):
        return _observed_failure(message.text) or _failure_in_metadata(message.metadata, code_in_fields)
    return None


def _observed_failure(text: str) -> str | None:
    return failure_in(text) if is_observation(text) else None


def _failure_in_metadata(
    metadata: dict[str, Any], failure: Callable[[dict[str, Any]], str | None] = failure_in_fields
) -> str | None:
    """Find a failure in the metadata of an answer, itself or one level or two down."""
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
    for index, message in enumerate(transcript.messages):
        if cancelled():
            break
        reason = error_of(message) if errors else None
        matching = _matching(message, rules) if rules else []
        if reason is None and not matching:
            continue
        unit = transcript.get_action_unit_for_block(index) or 0
        if reason is not None:
            found.append(Highlight(unit, index, "error", reason))
        found += [Highlight(unit, index, "rule", rule.name, rule.colour) for rule in matching]
    for unit in units:
        first = transcript.get_first_block_in_action_unit(unit)
        if first is not None:
            found.append(Highlight(unit, first, "unit", "named on the command line"))
    return sorted(found, key=lambda h: (h.message, h.source))


def _matching(message: ChatMessage, rules: Sequence[Rule]) -> list[Rule]:
    """The rules that match a message."""
    wanted = [rule for rule in rules if not rule.roles or message.role in rule.roles]
    text = without_colours(text_of(message)) if wanted else ""
    if not text:
        return []
    in_lower = cache(text.lower)
    return [
        rule
        for rule in wanted
        if (
            rule.finds(text, in_lower)
            if rule.everywhere
            else rule.may_match(text, in_lower) and rule.matches(message, text)
        )
    ]
