"""Queries of a search: a pattern, and the messages and texts that it is searched in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, get_args
from typing import Literal as OneOf

from trajview.errors import TrajviewError

from .pattern_words import Literal, literal_of

if TYPE_CHECKING:
    from trajview.rules.rule import Rule

__all__ = [
    "FIELDS", "ROLES", "SAID", "Case", "Field", "Query", "QueryError", "any_of", "first_of", "last_of", "query_from", "query_of",
]  # fmt: skip

Field = OneOf["text", "reasoning", "arguments", "metadata"]
Case = OneOf["smart", "ignore", "sensitive"]

FIELDS: Final[tuple[Field, ...]] = get_args(Field)
"""The fields that can be searched: texts, reasoning, tool calls with their arguments, and metadata."""
ROLES: Final = ("system", "user", "assistant", "tool")
SAID: Final = frozenset({"text", "reasoning", "arguments"})
"""The fields that are searched by default: those that the transcript shows."""
_IS_WORDS: Final = re.compile(r"\w(?:[\w ]*\w)?")
_RESTRICTION: Final = re.compile(r"(?:(?<=\s)|\A)(role|tool|in):([^\s:]+)(?=\s|\Z)")


class QueryError(TrajviewError):
    """A query that cannot be searched for as it stands. `column`: its place in the pattern, from 1, if known."""

    title = "Bad pattern"

    def __init__(self, sentence: str, *, hint: str = "", column: int | None = None) -> None:
        super().__init__(sentence, hint=hint)
        self.column = column


@dataclass(frozen=True, slots=True)
class Query:
    """A pattern over what messages say, think and call, as it reads: JSON's spelling of it does not matter.

    `regex`: a regular expression, in which `^` and `$` are the ends of a line; else it is taken as it stands. Smart
    case ignores case unless the pattern holds a capital letter. `word`: with no letter, digit or `_` on either side.

    `roles`, `tools` (names, in which `*` stands for anything; case does not matter) and `fields` restrict it; empty
    means no restriction, and for `fields` all but the metadata. With `tools`, these tools' calls and answers are
    searched. Raises QueryError.
    """

    text: str
    regex: bool = True
    case: Case = "smart"
    word: bool = False
    roles: frozenset[str] = frozenset()
    tools: tuple[str, ...] = ()
    fields: frozenset[str] = frozenset()
    rule: Rule | None = field(default=None, repr=False)
    """The rule that the query stands for, if any: see `query_of`."""
    pattern: re.Pattern[str] = field(init=False, compare=False)
    literal: Literal = field(init=False, compare=False)

    def __post_init__(self) -> None:
        for known, given, what in ((ROLES, self.roles, "role"), (FIELDS, self.fields, "field")):
            if unknown := sorted(set(given) - set(known)):
                raise QueryError(f"there is no {what} {unknown[0]!r}", hint=f"one of {', '.join(known)}")
        object.__setattr__(self, "pattern", self._compiled() if self.rule is None else self.rule.pattern)
        object.__setattr__(self, "literal", literal_of(self.pattern))

    def _compiled(self) -> re.Pattern[str]:
        if not self.text:
            raise QueryError("an empty pattern matches everything", hint="say what to look for")
        source = self.text if self.regex else re.escape(self.text)
        if self.word and _IS_WORDS.fullmatch(self.text):  # the pattern means the same, and is found twice as fast
            source = rf"\b{source}\b"
        elif self.word:
            source = rf"(?<!\w)(?:{source})(?!\w)"
        letters = re.sub(r"\\.", "", self.text) if self.regex else self.text
        ignores = self.case == "ignore" or (self.case == "smart" and letters == letters.lower())
        try:
            if self.regex:
                re.compile(self.text)  # compile it alone, so that an error has the person's column
            return re.compile(source, re.MULTILINE | (re.IGNORECASE if ignores else 0))
        except re.error as error:
            column = None if error.pos is None else error.pos + 1
            at = "" if column is None else f" at column {column}"
            raise QueryError(
                f"{self.text!r} is not a regular expression: {error.msg}{at}",
                hint="escape special characters with a backslash, or search for it as it stands",
                column=column,
            ) from error
        except (RecursionError, OverflowError) as error:
            raise QueryError("the pattern is too large to be searched for") from error

    @property
    def searched(self) -> frozenset[str]:
        """The fields that are searched."""
        return self.fields or SAID

    @property
    def parts(self) -> frozenset[str]:
        """The fields, in the names of rules, that are searched; empty for all."""
        return frozenset() if self.rule is None else self.rule.fields

    def wants_role(self, role: str) -> bool:
        """Whether messages of that role are searched."""
        return not self.roles or role in self.roles

    def wants_tool(self, name: str | None) -> bool:
        """Whether calls and answers of a tool are searched."""
        if not self.tools:
            return True
        folded = (name or "").casefold()
        return any(fnmatchcase(folded, wanted.casefold()) for wanted in self.tools)

    def __str__(self) -> str:
        """The query as `query_from` reads it."""
        parts = [f"role:{role}" for role in ROLES if role in self.roles]
        parts += [f"tool:{tool}" for tool in self.tools]
        parts += [f"in:{name}" for name in FIELDS if name in self.fields]
        return " ".join([*parts, self.text])


def query_of(rule: Rule) -> Query:
    """The query that finds what a rule highlights."""
    return Query(rule.name, roles=rule.roles, tools=tuple(sorted(rule.tools)), rule=rule)


def any_of(patterns: Sequence[str], fixed: bool = False) -> str:
    """Join patterns into one that matches wherever one of them does; `fixed`: they are plain text. Raises QueryError."""
    if len(patterns) == 1:
        return patterns[0]
    for pattern in patterns:
        Query(pattern, regex=not fixed)
    return "|".join(f"(?:{re.escape(pattern) if fixed else pattern})" for pattern in patterns)


def query_from(typed: str) -> Query:
    """Parse a query typed into one line: a pattern, and `role:tool`, `tool:bash`, `in:arguments` around it.

    Several of a kind mean any of them. What is no regular expression is taken as it stands (people type `foo(`).
    A colon that belongs to the pattern is written `role\\:tool`. Raises QueryError.
    """
    given: dict[str, list[str]] = {"role": [], "tool": [], "in": []}

    def take(match: re.Match[str]) -> str:
        given[match[1]] += match[2].split(",")
        return ""

    # Only around the pattern: a restriction within it is a part of it.
    rest, before = typed, None
    while rest != before:
        before = rest
        rest = rest.strip()
        for match in (first_of(rest), last_of(rest)):
            if match is not None:
                take(match)
                rest = rest[: match.start()] + rest[match.end() :]
                break
    if not rest:
        raise QueryError("there is nothing to look for yet", hint="type a word after the restrictions")
    query = Query(
        "x", roles=frozenset(given["role"]), tools=tuple(given["tool"]), fields=frozenset(_fields(given["in"]))
    )
    try:
        return replace(query, text=rest)
    except QueryError:
        return replace(query, text=rest, regex=False)


def first_of(text: str) -> re.Match[str] | None:
    """The restriction at the start of a text."""
    return _RESTRICTION.match(text)


def last_of(text: str) -> re.Match[str] | None:
    """The restriction at the end of a text."""
    start = max(text.rfind(" "), text.rfind("\t")) + 1
    found = _RESTRICTION.search(text, start)
    return found if found is not None and found.end() == len(text) else None


def _fields(names: Sequence[str]) -> list[str]:
    """Fields by their names: `call` and `calls` are arguments, `all` is every field."""
    found: list[str] = []
    for name in names:
        if name == "all":
            found += FIELDS
        else:
            found.append("arguments" if name in ("call", "calls") else name)
    return found
