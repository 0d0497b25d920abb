"""The parser of filters, from left to right; an error has its column and a likely correction."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import cast

from .check import Place, check, example, short
from .fields import FIELDS, Field, Kind, Ref, field_named
from .syntax import (
    KEYWORDS,
    And,
    By,
    Compare,
    Flag,
    Literal,
    Node,
    Not,
    Operator,
    Or,
    Query,
    Text,
    WhereError,
    foreign,
)  # fmt: skip

__all__ = ["parse", "parse_fields", "parse_sort"]

_OPERATOR = re.compile(r"<=|>=|==|!=|!~|<|>|=|~")
_SPACE = re.compile(r"\s*")
_WORD = re.compile(r"""(?:(?!!(?=[=~]))[^\s()<>=~"'])(?:(?!!(?=[=~]))[^\s()<>=~])*""")
_QUOTED_PART = re.compile(r"""(?:sort:-?|,-?)?[A-Za-z]+(?:\.[^\s()<>=~"',.]*)*\.(?=["'])""")
_VALUE = re.compile(r"[^\s()]+")
_LISTED = re.compile(r"[^\s(),]+")
_TURNED = {">": ">=", "<": "<=", "~": "~", "!": "!="}
_AMONG = re.compile(r"(not\s+)?in\s*\(", re.I)
_ESCAPES = {"n": "\n", "t": "\t"}
_DEEPEST = 50
_QUOTE_IT = "put it in quotes to look for it as text"


def parse(text: str, *, forgiving: bool = False) -> Query:
    """Parse a filter. Raises WhereError.

    `forgiving`, for a text that somebody is still typing: what is begun at its end and not complete counts as not there.
    """
    return _Parser(text, forgiving).query()


def parse_sort(text: str) -> tuple[By, ...]:
    """Parse the keys of `-reward,units`, as after `sort:`. Raises WhereError."""
    parser = _Parser(text, False)
    keys = parser.sort_keys()
    parser.skip()
    if parser.at < len(text):
        raise parser.error("commas separate the fields", parser.at, len(text))
    return keys


def parse_fields(text: str) -> tuple[Ref, ...]:
    """Parse the fields of `id,reward,metadata.task`. Raises WhereError."""
    keys = parse_sort(text)
    for by in keys:
        if by.reverse:
            raise WhereError("a - has no meaning here", text, text.index("-"))
    return tuple(by.ref for by in keys)


def _joined(kind: type[And] | type[Or], found: Sequence[Node | None]) -> Node | None:
    """Join nodes into one; a single one is returned itself."""
    nodes = tuple(node for node in found if node is not None)
    return kind(nodes) if len(nodes) > 1 else nodes[0] if nodes else None


class _Parser:
    def __init__(self, text: str, forgiving: bool) -> None:
        self.text = text
        self.forgiving = forgiving
        self.at = 0
        self.depth = 0
        self.sort: tuple[By, ...] = ()

    # Helpers

    def error(self, sentence: str, start: int, end: int | None = None, *, hint: str = "") -> WhereError:
        return WhereError(sentence, self.text, start, end, hint=hint)

    def incomplete(self, sentence: str, hint: str = "") -> WhereError:
        end = len(self.text)
        return WhereError(sentence, self.text, end, end, hint=hint, incomplete=True)

    def skip(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def peek(self) -> str:
        """The next bare word, empty where something else comes next."""
        match = _WORD.match(self.text, self.at)
        return match[0] if match else ""

    @property
    def ended(self) -> bool:
        self.skip()
        return self.at >= len(self.text)

    # The grammar

    def query(self) -> Query:
        node = None if self.ended else self.either()
        if not self.ended:
            raise self.error("there is no ( that this ) closes", self.at, hint=_QUOTE_IT)
        return Query(node, self.sort)

    def either(self) -> Node | None:
        found = [self.both()]
        while not self.ended and self.peek() in ("or", "OR"):
            self.at += 2
            found.append(self.both(after="or"))
        return _joined(Or, found)

    def both(self, after: str = "") -> Node | None:
        found: list[Node | None] = []
        first = True
        while not self.ended:
            word = self.peek()
            if word[:5].lower() == "sort:" and not self.depth and not after:
                self.at += 5
                self.sort = self.sort_keys()
            elif word in ("or", "OR") or self.text[self.at] == ")":
                if first or after:
                    raise self.nothing_before(word)
                break
            elif word in ("and", "AND"):
                if first or after:
                    raise self.nothing_before(word)
                self.at += 3
                after = "and"
                continue
            else:
                found.append(self.negated())
            first, after = False, ""
        if after and not self.forgiving:
            raise self.incomplete(f"something has to follow `{after}`")
        return _joined(And, found)

    def nothing_before(self, word: str) -> WhereError:
        """The error for a word, or for a ) where that is empty, with nothing to join before it."""
        what = f"`{word}`" if word else "this )"
        hint = _QUOTE_IT if word else ""
        return self.error(f"something has to stand before {what}", self.at, self.at + len(word), hint=hint)

    def negated(self) -> Node | None:
        count = 0
        while not self.ended and (word := self.peek()) in ("not", "NOT"):
            self.at += len(word)
            count += 1
            if count > _DEEPEST:
                raise self.error("this is nested too deeply", self.at)
        if self.ended:
            if self.forgiving:
                return None
            raise self.incomplete("something has to follow `not`")
        if count and self.peek() in KEYWORDS:
            raise self.error("something has to follow `not`", self.at, self.at + len(self.peek()), hint=_QUOTE_IT)
        node = self.primary()
        for _ in range(count if node is not None else 0):
            node = Not(cast("Node", node))
        return node

    def primary(self) -> Node | None:
        start, char = self.at, self.text[self.at]
        if char == "(":
            return self.group()
        if char in "\"'":
            return Text(found) if (found := self.quoted()) else None
        if match := _OPERATOR.match(self.text, start):
            raise self.error(f"a field has to stand before {match[0]}", start, match.end(), hint=_QUOTE_IT)
        if char == ")":
            raise self.error("something has to stand before this )", start)
        word = self.word()
        end = self.at
        self.skip()
        operator = _OPERATOR.match(self.text, self.at)
        if operator is not None:
            return self.compared(self.ref(word, start, end), operator)
        field = field_named(word.partition(".")[0])
        if field is not None and (among := _AMONG.match(self.text, self.at)):
            ref = self.ref(word, start, end)
            at, self.at = self.at, among.end()
            return self.among(ref, "!=" if among[1] else "==", at)
        self.at = end
        return self.alone(word, field, start)

    def compared(self, ref: Ref, operator: re.Match[str]) -> Node | None:
        """Parse a comparison from its operator on."""
        at, self.at = self.at, operator.end()
        sign = "==" if operator[0] == "=" else operator[0]
        if operator[0] == "=" and (turned := _TURNED.get(self.text[self.at : self.at + 1])):
            raise self.error(
                f"there is no ={self.text[self.at]} here", at, self.at + 1, hint=f"write `{ref} {turned} …`"
            )
        return self.comparison(ref, cast("Operator", sign), at)

    def alone(self, word: str, field: Field | None, start: int) -> Node | None:
        """Parse a word without an operator: a field that is true or false, one that may be missing, or text."""
        end = self.at
        if field is not None and field.kind is Kind.FLAG and "." not in word:
            return Flag(Ref(field.name))
        if field is not None and field.part is Kind.ANY and "." in word:
            if word.endswith(".") and self.forgiving and end == len(self.text):
                return None
            return Flag(self.ref(word, start, end))
        if (said := foreign(word)) is not None:
            raise self.error(said[0], start, end, hint=said[1])
        return Text(word)

    def group(self) -> Node | None:
        start = self.at
        self.at += 1
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.error("this is nested too deeply", start)
        node = None if self.ended and self.forgiving else self.filled(start)
        self.depth -= 1
        if self.ended:
            if not self.forgiving:
                raise self.incomplete("a ) is missing at the end", hint=f"for the ( in column {start + 1}")
        else:
            self.at += 1
        return node

    def filled(self, start: int) -> Node | None:
        if self.ended:
            raise self.incomplete("a ) is missing at the end", hint=f"for the ( in column {start + 1}")
        if self.text[self.at] == ")":
            raise self.error("nothing stands within ( )", start, self.at + 1, hint=_QUOTE_IT)
        return self.either()

    # Words

    def word(self) -> str:
        """Parse a bare word; one that names a field may have parts in quotes: `metadata."a key"`."""
        start = self.at
        while match := _QUOTED_PART.match(self.text, self.at):
            self.at = match.end()
            self.quoted()
            if self.text[self.at : self.at + 1] != ".":
                return self.text[start : self.at]
        match = _WORD.match(self.text, self.at)
        if match:
            self.at = match.end()
        return self.text[start : self.at]

    def quoted(self) -> str:
        start, sign = self.at, self.text[self.at]
        found: list[str] = []
        at = start + 1
        while at < len(self.text):
            char = self.text[at]
            if char == sign:
                self.at = at + 1
                return "".join(found)
            if char == "\\" and at + 1 < len(self.text):
                at += 1
                following = self.text[at]
                # A backslash that escapes nothing stays: regular expressions are full of them.
                char = following if following in "\\\"'" else _ESCAPES.get(following, char + following)
            found.append(char)
            at += 1
        if not self.forgiving:
            raise self.incomplete(f"a {sign} is missing at the end", hint=f"for the one in column {start + 1}")
        self.at = len(self.text)
        return "".join(found)

    def place(self, at: int, start: int) -> Place:
        """The place of an operator and of the value that was just read."""
        return Place(self.text, at, start, self.at, self.forgiving)

    def ref(self, word: str, start: int, end: int) -> Ref:
        """The field that a word names. Raises WhereError."""
        pieces = _parts_of(word)
        field = field_named(pieces[0])
        if field is None:
            names = [name for known in FIELDS for name in (known.name, *known.aliases)]
            close = get_close_matches(pieces[0].lower(), names, 1, 0.7)
            hint = f"did you mean `{close[0]}`?" if close else f"in metadata? `metadata.{word}`; as text? in quotes"
            raise self.error(f"there is no field `{short(pieces[0])}`", start, start + len(pieces[0]), hint=hint)
        parts = tuple(pieces[1:])
        if not parts and field.needs_part:
            raise self.error(f"`{field.name}` wants the name of a key", start, end, hint=f"such as {field.name}.task")
        if parts and field.part is None:
            raise self.error(f"`{field.name}` has no parts", start + len(pieces[0]), end)
        if not all(parts):
            if end == len(self.text) and not word.endswith(".."):
                raise self.incomplete("a name has to follow the dot")
            raise self.error("a name has to follow the dot", start, end)
        return Ref(field.name, parts)

    # Comparisons

    def comparison(self, ref: Ref, operator: Operator, at: int) -> Node | None:
        if self.ended:
            if self.forgiving:
                return None
            raise self.incomplete(f"a value has to follow {operator}", hint=example(ref))
        value, start = self.value(_VALUE, operator)
        check(ref, operator, value, self.place(at, start))
        return Compare(ref, operator, (value,))

    def among(self, ref: Ref, operator: Operator, at: int) -> Node | None:
        values: list[Literal] = []
        while True:
            if self.ended:
                if self.forgiving:
                    return Compare(ref, operator, tuple(values)) if values else None
                raise self.incomplete("a ) is missing at the end")
            value, start = self.value(_LISTED, "in")
            check(ref, operator, value, self.place(at, start))
            values.append(value)
            if self.ended:
                continue
            sign = self.text[self.at]
            if sign not in ",)":
                raise self.error("a comma or a ) has to stand here", self.at)
            self.at += 1
            if sign == ")":
                return Compare(ref, operator, tuple(values))

    def value(self, pattern: re.Pattern[str], operator: str) -> tuple[Literal, int]:
        start = self.at
        if self.text[start] in "\"'":
            return Literal(self.quoted(), True), start
        match = pattern.match(self.text, start)
        if match is None:
            hint = "put a pattern with ( ) in quotes" if operator in ("~", "!~") else ""
            raise self.error(f"a value has to follow {operator}", start, hint=hint)
        self.at = match.end()
        if operator in ("~", "!~") and self.text[self.at : self.at + 1] == "(":
            raise self.error("a pattern with ( ) has to be in quotes", start, self.at + 1)
        return Literal(match[0]), start

    # Order

    def sort_keys(self) -> tuple[By, ...]:
        found: list[By] = []
        while True:
            start = self.at
            reverse = self.text[start : start + 1] == "-"
            self.at += reverse
            begin = self.at
            name = self.sort_name()
            if not name:
                if self.at >= len(self.text) and self.forgiving:
                    break
                if self.at >= len(self.text):
                    raise self.incomplete("the name of a field has to follow", hint="such as -reward,units")
                raise self.error("the name of a field has to stand here", start, hint="such as -reward,units")
            try:
                found.append(By(self.ref(name, begin, self.at), reverse))
            except WhereError:
                if not (self.forgiving and self.at >= len(self.text)):
                    raise
            if self.text[self.at : self.at + 1] != ",":
                break
            self.at += 1
            if not self.depth and self.text[self.at : self.at + 1] == " ":
                self.skip()
        return tuple(found)

    def sort_name(self) -> str:
        start = self.at
        while True:
            match = re.compile(r"""[^\s(),"']*""").match(self.text, self.at)
            self.at = match.end() if match else self.at
            if self.text[self.at : self.at + 1] in ("'", '"') and self.text[self.at - 1] == ".":
                self.quoted()
                continue
            return self.text[start : self.at]


_PART = re.compile(r"""\.("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[^.]*)""", re.DOTALL)


def _parts_of(word: str) -> list[str]:
    """The parts of `metadata."a key".x`."""
    name = word.partition(".")[0]
    found = [name]
    for match in _PART.finditer(word, len(name)):
        part = match[1]
        if part[:1] in "\"'" and part:
            part = _Parser(part, True).quoted()
        found.append(part)
    return found
