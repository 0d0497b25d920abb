"""Highlights: action units with a reason, from rules, errors and the command line. Pure, no terminal.

DESIGN: one concept, one pair of keys. A search hit, a rule (a named regular expression), an error, a mark, a unit
named on the command line and a citation are all a `Highlight`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .errors import TrajviewError
from .formats.built import is_odd
from .models.messages import AssistantMessage, ChatMessage, ToolMessage
from .models.said import strings_within
from .models.transcript import Transcript

__all__ = [
    "Highlight",
    "Rule",
    "compile_pattern",
    "compile_rule",
    "error_of",
    "errors_in",
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


@dataclass(frozen=True, slots=True)
class Rule:
    """A named regular expression over what a message says, thinks, calls and answers."""

    name: str
    pattern: re.Pattern[str]


def compile_rule(pattern: str, name: str | None = None) -> Rule:
    """A rule from a regular expression; smart case: it ignores case unless it holds a capital letter."""
    if not pattern:
        raise TrajviewError("an empty pattern matches everything", hint="say what to look for", title="Bad pattern")
    try:
        return Rule(name or pattern, compile_pattern(pattern))
    except re.error as error:
        position = f" at column {error.pos + 1}" if error.pos is not None else ""
        raise TrajviewError(
            f"{pattern!r} is not a regular expression: {error.msg}{position}",
            hint="escape special characters with a backslash",
            title="Bad pattern",
        ) from error


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """A regular expression with smart case. An escape such as \\S or \\W is no capital letter. Raises re.error."""
    letters = re.sub(r"\\.", "", pattern)
    return re.compile(pattern, 0 if letters != letters.lower() else re.IGNORECASE)


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


# Tool output that says that the call failed where the source has no field for it. Anchored and literal, so that code
# that merely mentions errors is not one. Only the first and last part of an output are looked at: it ends with this.
_FAILED_OUTPUT = re.compile(
    r"^Traceback \(most recent call last\):"
    r"|^(?:\[?(?:command|process|script)[^\n]{0,40}? )?(?:exit(?:ed)?|return(?:ed)?)(?: with)?(?: (?:exit|return))?"
    r"[ _-]?(?:code|status)\s*[:=]?\s*(?!0\b)-?\d{1,3}\b"
    r"|^(?:bash|sh|zsh): (?:line \d+: )?[^\n]{1,80}: (?:command not found|No such file or directory|Permission denied)"
    r"|^=+ .{0,200}?\b\d+ failed\b.{0,200} in [\d.]+s",
    re.MULTILINE | re.IGNORECASE,
)
_LOOK_AT = 20_000
_FAILURE_WORDS = (
    "traceback (most", "exit", "return", "command not found", "no such file", "permission denied", " failed",
)  # fmt: skip
"""In lower case; each alternative of the pattern holds one of them (`ſ` and the like, which lower case keeps, apart)."""


_FAILURE_BYTES = tuple(word.encode() for word in _FAILURE_WORDS)


def error_of(message: ChatMessage) -> str | None:
    """Why a message is an error, in a few words; None if it is none.

    An error is a tool message whose source says so (Docent's `error`, Anthropic's `is_error`, TaskWeaver's FAILURE),
    a tool call that could not be parsed, or tool output that holds a traceback or a non-zero exit code.
    """
    if isinstance(message, ToolMessage):
        if message.error:
            said = message.error.get("message") or message.error.get("type") or "tool error"
            return str(said).strip().splitlines()[0][:200] if str(said).strip() else "tool error"
        return failure_in(message.text)
    if isinstance(message, AssistantMessage):
        for call in message.tool_calls or ():
            if call.parse_error:
                return f"{call.function}: {call.parse_error}".splitlines()[0]
    return None


def failure_in(output: str) -> str | None:
    """What tool output says of a failure, in a few words: a traceback's last line, an exit code; None if nothing."""
    if len(output) > 2 * _LOOK_AT:
        output = output[:_LOOK_AT] + "\n" + output[-_LOOK_AT:]
    # The pattern takes a hundred times as long as looking for the words that it needs.
    lowered = output.lower()
    if not any(word in lowered for word in _FAILURE_WORDS):
        return None
    found = _FAILED_OUTPUT.search(output)
    if found is None:
        return None
    if found.group().startswith("Traceback"):
        return _last_line_of_traceback(output[found.start() :]) or "traceback"
    return found.group().strip("= ").strip()


def _last_line_of_traceback(text: str) -> str | None:
    for line in text.splitlines()[1:]:
        if line and not line[0].isspace():
            return line[:200]
    return None


def _may_be_error(messages: Any, index: int) -> bool:
    """Whether a message that may still be bytes can be an error. Never False where it is one."""
    logged: bytes | None = messages.undecoded(index)
    if logged is None or b'error"' in logged or is_odd(logged):
        return True
    role = messages.roles[index]
    if role == "tool":
        lowered = logged.lower()
        return any(word in lowered for word in _FAILURE_BYTES)
    return role == "assistant" and b"_call" in logged


def errors_in(transcript: Transcript) -> list[Highlight]:
    """The errors of a transcript, one for each message that is one, in order."""
    return highlights_in(transcript)


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
    for index in range(len(messages)):
        if cancelled():
            break
        if looks_quickly and not _may_be_error(messages, index):
            continue
        known = texts(index)
        if known is None:
            message = messages[index]
            reason = error_of(message) if errors else None
            text = text_of(message) if rules else ""
        else:
            tool = errors and bool(known) and messages.roles[index] == "tool"  # type: ignore[attr-defined]
            reason = failure_in(known[0]) if tool else None
            text = "\n".join(filter(None, known)) if rules else ""
        if reason is not None:
            found.append(Highlight(transcript.get_action_unit_for_block(index) or 0, index, "error", reason))
        matching = [rule for rule in rules if rule.pattern.search(text)]
        if matching:
            unit = transcript.get_action_unit_for_block(index) or 0
            found += [Highlight(unit, index, "rule", rule.name) for rule in matching]
    for unit in units:
        first = transcript.get_first_block_in_action_unit(unit)
        if first is not None:
            found.append(Highlight(unit, first, "unit", "named on the command line"))
    return sorted(found, key=lambda h: (h.message, h.source))
