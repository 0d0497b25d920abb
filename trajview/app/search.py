"""Search in one transcript, without Textual: from where the reader is, the first hit at once, then all of them.

Messages that are built on demand are searched in their logged texts, where these are what the message says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from trajview.highlight import compile_pattern, text_of
from trajview.models.messages import ChatMessage

__all__ = ["Needle", "SearchHits", "literal_within", "search"]

_SPECIAL = frozenset("\\.^$*+?{}[]|()")


@dataclass(frozen=True, slots=True)
class SearchHits:
    """Which messages a search found, ascending, and how many matches each holds. `done`: there are no more."""

    text: str
    pattern: re.Pattern[str]
    messages: tuple[int, ...]
    counts: tuple[int, ...]
    done: bool = True

    @property
    def total(self) -> int:
        """How many matches there are in all."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class Needle:
    """What is searched for: a regular expression with smart case; what is none is taken as it stands."""

    text: str
    pattern: re.Pattern[str] = field(init=False)
    _literal: str | None = field(init=False)

    def __post_init__(self) -> None:
        try:
            pattern = compile_pattern(self.text)
            literal = literal_within(self.text) if _SPECIAL & set(self.text) else self.text
        except re.error:
            pattern = compile_pattern(re.escape(self.text))  # people type `foo(`
            literal = self.text
        if literal is not None and not literal.isascii():
            literal = None  # a long s matches an s where case is ignored
        object.__setattr__(self, "pattern", pattern)
        object.__setattr__(self, "_literal", literal)

    def count(self, text: str) -> int:
        """How many matches a text holds; empty ones do not count."""
        return sum(1 for match in self.pattern.finditer(text) if match.end() > match.start())

    def within(self, texts: Sequence[str]) -> bool:
        """Whether one of these texts may hold a match. Quick, and never False where there is one."""
        literal, look = self._literal, self.pattern.search
        if literal is None:
            return look("\n".join(texts)) is not None
        if not self.pattern.flags & re.IGNORECASE:
            return any(literal in text for text in texts)
        # Beyond ASCII, ignoring case is more than lower case: the Kelvin sign matches a k.
        return any(literal in text.lower() if text.isascii() else look(text) for text in texts)


def literal_within(pattern: str) -> str | None:
    """The longest text that every match of a regular expression must hold; None where none is plain to see."""
    if "|" in pattern or "(?" in pattern:
        return None
    runs = [""]
    index = 0
    while index < len(pattern):
        char = pattern[index]
        if char == "\\":
            following = pattern[index + 1 : index + 2]
            if following and not following.isalnum():
                runs[-1] += following
            else:
                runs.append("")
            index += 2
            continue
        if char in "*?{":
            runs[-1:] = [runs[-1][:-1], ""]
        if char in "([{":
            end = pattern.find({"(": ")", "[": "]", "{": "}"}[char], index + 2)
            # Nested groups and sets with brackets in them are not worth understanding here.
            if end < 0 or "(" in pattern[index + 1 : end] or "\\" in pattern[index:end] or char == "(":
                return None
            runs.append("")
            index = end + 1
            continue
        if char in _SPECIAL:
            runs.append("")
        else:
            runs[-1] += char
        index += 1
    longest = max(runs, key=len)
    return longest if len(longest) >= 3 else None


def search(
    messages: Sequence[ChatMessage],
    needle: Needle,
    start: int = 0,
    *,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[SearchHits]:
    """The first hit from `start` on, round the end, as soon as it is found; then all hits.

    Gives nothing once it is cancelled, and only the last, `done`, where nothing is found.
    """
    texts: Callable[[int], list[str] | None] = getattr(messages, "searchable", lambda _: None)
    found: dict[int, int] = {}
    count = len(messages)
    for index in (*range(start, count), *range(min(start, count))):
        if cancelled():
            return
        known = texts(index)
        if known is None:
            matches = needle.count(text_of(messages[index]))
        else:
            matches = needle.count("\n".join(filter(None, known))) if needle.within(known) else 0
        if matches:
            found[index] = matches
            if len(found) == 1:
                yield SearchHits(needle.text, needle.pattern, (index,), (matches,), done=False)
    hits = tuple(sorted(found))
    yield SearchHits(needle.text, needle.pattern, hits, tuple(found[index] for index in hits))
