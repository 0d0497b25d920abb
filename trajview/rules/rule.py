"""A rule: a named regular expression, where in a message it looks, and the colour of what it finds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from trajview.errors import TrajviewError
from trajview.models.messages import AssistantMessage, ChatMessage, ToolMessage
from trajview.models.said import strings_within
from trajview.textsafe import without_colours

if TYPE_CHECKING:
    from trajview.patterns.finder import Finder
    from trajview.patterns.patience import Patience

__all__ = ["COLOURS", "FIELDS", "ROLES", "Rule", "compile_pattern", "compile_rule"]

FIELDS: Final = ("text", "reasoning", "arguments", "output", "error")
"""The fields that a rule can look at: texts, reasoning, calls (tool and arguments), answers of tools, and errors."""
ROLES: Final = ("system", "user", "assistant", "tool")
LONGEST: Final = 4_000
"""Characters that a match of a rule with `words` has at most."""
BELOW: Final = 100
"""Characters that such a match goes on at most below the line of its word."""
COLOURS: Final = ("yellow", "red", "orange", "green", "cyan", "blue", "purple", "pink")

_AT_EDGES: Final = re.compile(r"[\^$]|\\[AZ]|\(\?<?[=!]")
"""Matches patterns that can match at the edge of a field and not within a text that holds several."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A named regular expression over what a message says, thinks, calls and answers.

    Empty `fields`, `roles` and `tools` mean all. `words`, in lower case, are what a match holds one of: where `re` has to look, for them
    and around them only takes a fraction of the pattern's time, and keeps other threads waiting for moments.
    Such a pattern matches in a field exactly where it does in all texts of a message, joined by newlines; a match begins
    on the line of its word, is no longer than `LONGEST` and ends no further than `BELOW` after that line. `origin` says where
    the rule comes from, for people.
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
    patience: Patience | None = field(default=None, repr=False, compare=False)
    """A limit on the time that it takes in one text, where somebody waits for it: `finds` and `spans` raise TooSlow."""
    _finder: Finder | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def finder(self) -> Finder:
        """The finder of its pattern."""
        if self._finder is None:
            from trajview.patterns.finder import finder_of  # which the list of runs does without

            object.__setattr__(self, "_finder", finder_of(self.pattern))
            assert self._finder is not None
        return self._finder

    @property
    def everywhere(self) -> bool:
        """Whether it looks at all searched text of a message, as one."""
        return not self.fields and not self.tools

    def looks_at(self, field: str, tool: str = "") -> bool:
        """Whether it looks at a field of a message that has its role; `tool`: which was called or answers, if one."""
        return (not self.fields or field in self.fields) and (not self.tools or tool in self.tools)

    def may_match(self, joined: str, lowered: Callable[[], str] | None = None) -> bool:
        """Whether it can match in a message with these texts, in any order. Never False where it does."""
        return (not self.words and bool(_AT_EDGES.search(self.pattern.pattern))) or self.finds(joined, lowered)

    def finds(self, text: str, lowered: Callable[[], str] | None = None) -> bool:
        """Whether it matches in a text. `lowered` gives the text in lower case, where that is known or asked for often."""
        if self.patience is None or self.finder.handles(text):
            return self._finds(text, lowered)
        with self.patience.at_work():
            return self._finds(text, lowered)

    def _finds(self, text: str, lowered: Callable[[], str] | None) -> bool:
        if not self.words or self.finder.handles(text):
            return self.finder.matches(text)
        return self._finds_near_words(text, (lowered or text.lower)())

    def _finds_near_words(self, text: str, lowered: str) -> bool:
        if len(lowered) != len(text):  # some capitals become two letters
            return self.pattern.search(text) is not None
        size = len(text)
        for start, end in self._near_words(lowered):
            at = start
            while (found := self.pattern.search(text, at, end)) is not None:
                # Where the text goes on behind `end`, a match at its end may be none.
                if end == size or self.pattern.match(text, found.start()) is not None:
                    return True
                at = found.start() + 1
        return False

    def _near_words(self, lowered: str) -> Iterator[tuple[int, int]]:
        """The stretches where a match can be, from start to end: around each word, line by line."""
        places: list[int] = []
        for word in self.words:
            at = lowered.find(word)
            while at >= 0:
                places.append(at)
                at = lowered.find(word, at + len(word))
        start = end = line = line_end = 0
        for place in sorted(places):
            if place >= line_end:
                line = lowered.rfind("\n", 0, place) + 1
                line_end = lowered.find("\n", place)
                line_end = len(lowered) if line_end < 0 else line_end
            begin = max(line, place - LONGEST)
            if begin > end:
                yield from _slices(start, end)
                start = begin
            end = min(place + LONGEST, line_end + BELOW, len(lowered))
        yield from _slices(start, end)

    def matches(self, message: ChatMessage, joined: str) -> bool:
        """Whether it matches in a message; `joined` is all that is searched in it."""
        if self.roles and message.role not in self.roles:
            return False
        if self.everywhere:
            return self.finds(joined)
        return any(map(self.finds, map(without_colours, self.texts(message))))

    def spans(self, text: str, most: int) -> Iterator[tuple[int, int]]:
        """The matches in a text, from start to end: the first `most` that are not empty, none in another."""
        found = self._spans(text, most)
        return found if self.patience is None else self.patience.each(found)

    def _spans(self, text: str, most: int) -> Iterator[tuple[int, int]]:
        lowered = text.lower() if self.words else ""
        near = self._near_words(lowered) if self.words and len(lowered) == len(text) else iter([(0, len(text))])
        at = 0
        for start, end in near:
            at = max(at, start)
            while at <= end and (found := self.pattern.search(text, at, end)) is not None:
                # Where the text goes on behind `end`, a match at its end may be none.
                whole = found if end == len(text) else self.pattern.match(text, found.start())
                if whole is None or whole.end() == whole.start():
                    at = found.start() + 1
                    continue
                yield whole.span()
                at = whole.end()
                most -= 1
                if not most:
                    return

    def texts(self, message: ChatMessage) -> list[str]:
        """The texts of a message in which it looks, as they are in the log."""
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


def _slices(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a stretch into pieces so short that each is searched in a moment; each match is in one of them as a whole."""
    while end - start > 2 * LONGEST:
        yield start, start + 2 * LONGEST
        start += LONGEST
    if end > start:
        yield start, end


def compile_rule(pattern: str, name: str | None = None) -> Rule:
    """Make a rule from a regular expression with smart case: it ignores case unless it holds a capital letter."""
    if not pattern:
        raise TrajviewError("an empty pattern matches everything", hint="say what to look for", title="Bad pattern")
    try:
        return Rule(name or pattern, compile_pattern(pattern, lines=True))
    except (re.error, OverflowError, RecursionError) as error:
        position = f" at column {error.pos + 1}" if isinstance(error, re.error) and error.pos is not None else ""
        said = error.msg if isinstance(error, re.error) else str(error)
        raise TrajviewError(
            f"{pattern!r} is not a regular expression: {said}{position}",
            hint="escape special characters with a backslash",
            title="Bad pattern",
        ) from error


def compile_pattern(pattern: str, *, lines: bool = False) -> re.Pattern[str]:
    r"""Compile a regular expression with smart case. An escape such as \S or \W is no capital letter. Raises re.error.

    With `lines`, as for rules and in a search, `^` and `$` are the ends of a line, not of the whole text.
    """
    letters = re.sub(r"\\.|\(\?P?<?[A-Za-z]*[>:)]?", "", pattern)
    ignores = letters == letters.lower()
    return re.compile(pattern, (re.IGNORECASE if ignores else 0) | (re.MULTILINE if lines else 0))
