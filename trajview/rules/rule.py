"""A rule: a named regular expression, where in a message it looks, and the colour of what it finds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from trajview.errors import TrajviewError
from trajview.models.messages import AssistantMessage, ChatMessage, ToolMessage
from trajview.models.said import strings_within
from trajview.textsafe import without_colours

__all__ = ["COLOURS", "FIELDS", "ROLES", "Rule", "compile_pattern", "compile_rule"]

FIELDS: Final = ("text", "reasoning", "arguments", "output", "error")
"""Where a rule can look: what is said, thought, called (tool and arguments), answered by a tool, and its error."""
ROLES: Final = ("system", "user", "assistant", "tool")
COLOURS: Final = ("yellow", "red", "orange", "green", "cyan", "blue", "purple", "pink")

_AT_EDGES: Final = re.compile(r"[\^$]|\\[AZ]|\(\?<?[=!]")
"""What may match at the edge of a field and not within a text that holds several."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A named regular expression over what a message says, thinks, calls and answers.

    Empty `fields`, `roles` and `tools` mean all. `words`, in lower case, are what a match needs one of: looking for them
    takes a fraction of the pattern's time; such a pattern matches in a field exactly where it does in all texts of a message,
    joined by newlines. `origin` says where the rule comes from, for people.
    """

    name: str
    pattern: re.Pattern[str]
    fields: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    colour: str = ""
    on: bool = True
    words: tuple[str, ...] = ()
    origin: str = "session"

    @property
    def everywhere(self) -> bool:
        """Whether it looks at all that is searched in a message, as one text."""
        return not self.fields and not self.tools

    def looks_at(self, field: str, tool: str = "") -> bool:
        """Whether it looks at a field of a message that has its role; `tool`: which was called or answers, if one."""
        return (not self.fields or field in self.fields) and (not self.tools or tool in self.tools)

    def may_match(self, joined: str, lowered: str) -> bool:
        """Whether it can match in a message of which this is everything, in any order. Never False where it does."""
        if self.words:
            return any(word in lowered for word in self.words) and self.pattern.search(joined) is not None
        return bool(_AT_EDGES.search(self.pattern.pattern)) or self.pattern.search(joined) is not None

    def matches(self, message: ChatMessage, joined: str) -> bool:
        """Whether it matches in a message; `joined` is all that is searched in it."""
        if self.roles and message.role not in self.roles:
            return False
        if self.everywhere:
            return self.pattern.search(joined) is not None
        return any(self.pattern.search(without_colours(text)) for text in self._texts(message))

    def _texts(self, message: ChatMessage) -> list[str]:
        wanted = self.fields or frozenset(FIELDS)
        texts: list[str] = []
        if isinstance(message, ToolMessage):
            if self.tools and message.function not in self.tools:
                return []
            if "output" in wanted:
                texts.append(message.text)
            if "error" in wanted and message.error:
                texts.append("\n".join(strings_within(message.error)))
        elif "text" in wanted and not self.tools:
            texts.append(message.text)
        if "reasoning" in wanted and not self.tools:
            texts += message.reasoning
        if isinstance(message, AssistantMessage):
            for call in message.tool_calls or ():
                if self.tools and call.function not in self.tools:
                    continue
                if "arguments" in wanted:
                    texts.append("\n".join([call.function, *strings_within(call.arguments)]))
                if "error" in wanted and call.parse_error:
                    texts.append(call.parse_error)
        return texts


def compile_rule(pattern: str, name: str | None = None) -> Rule:
    """A rule from a regular expression; smart case: it ignores case unless it holds a capital letter."""
    if not pattern:
        raise TrajviewError("an empty pattern matches everything", hint="say what to look for", title="Bad pattern")
    try:
        return Rule(name or pattern, compile_pattern(pattern))
    except (re.error, OverflowError, RecursionError) as error:
        position = f" at column {error.pos + 1}" if isinstance(error, re.error) and error.pos is not None else ""
        said = error.msg if isinstance(error, re.error) else str(error)
        raise TrajviewError(
            f"{pattern!r} is not a regular expression: {said}{position}",
            hint="escape special characters with a backslash",
            title="Bad pattern",
        ) from error


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """A regular expression with smart case. An escape such as \\S or \\W is no capital letter. Raises re.error."""
    letters = re.sub(r"\\.|\(\?P?<?[A-Za-z]*[>:)]?", "", pattern)
    return re.compile(pattern, 0 if letters != letters.lower() else re.IGNORECASE)
