"""The grammar of the filter: its parts, how they are written, and the errors of a text that is none.

query      = or [sort]
or         = and {"or" and}
and        = not {["and"] not}
not        = "not" not | "(" or ")" | comparison | flag | text
comparison = field operator value | field ["not"] "in" "(" value {"," value} ")"
operator   = "<" | "<=" | ">" | ">=" | "==" | "=" | "!=" | "~" | "!~"
flag       = "annotated" | "draft" | "skipped" | "flagged" | "problem" | "metadata." key
sort       = "sort:" ["-"] field {"," ["-"] field}
value      = number | "true" | "false" | "none" | text
text       = word | "quoted text" | 'quoted text'
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal as OneOf

from msgspec import Struct

from trajview.errors import TrajviewError

from .fields import Kind, Ref, field_named

__all__ = [
    "And", "By", "Compare", "Flag", "Literal", "Node", "Not", "Operator", "Or", "Query", "Text", "WhereError", "foreign", "number_in", "refs_in", "texts_in", "written",
]  # fmt: skip

Operator = OneOf["<", "<=", ">", ">=", "==", "!=", "~", "!~"]

_NUMBER = r"([+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[+-]?\d+)?)(k|m|g|kb|mb|gb|%)?"
_TIMES = {"": 1.0, "%": 0.01, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9}
# As texts: compiling them takes longer than all else here, and the list of runs is on the screen before they are used.
_PLAIN_TEXT = r"""(?!sort:)(?:(?!!(?=[=~]))[^\s()<>=~"'])(?:(?!!(?=[=~]))[^\s()<>=~])*"""
_PLAIN_VALUE = r"""[^\s()"',][^\s(),]*"""
KEYWORDS = frozenset({"and", "or", "not", "AND", "OR", "NOT"})


class WhereError(TrajviewError):
    """A filter that is none: `start` and `end` are the columns (from 0) in `text` where it goes wrong.

    `incomplete`: it ends before something that has to come; whoever is still typing is not to be bothered with that.
    """

    title = "Not a filter"

    def __init__(
        self, sentence: str, text: str, start: int, end: int | None = None, *, hint: str = "", incomplete: bool = False
    ) -> None:
        super().__init__(sentence, hint=hint)
        self.text = text
        self.start = start
        self.end = max(start + 1, start if end is None else end)
        self.incomplete = incomplete

    def said(self) -> str:
        """The sentence and the hint, on one line."""
        return f"{self.sentence} ({self.hint})" if self.hint else self.sentence


def number_in(text: str) -> float | None:
    """Parse a number as people write it: `0.5`, `1e6`, `20k`, `10MB`, `35%`; None where it is none."""
    match = re.fullmatch(_NUMBER, text, re.IGNORECASE | re.ASCII)
    return float(match[1].replace("_", "")) * _TIMES[(match[2] or "").lower()] if match else None


class Literal(Struct, frozen=True):
    """The value of a comparison. In quotes it is never a number, nor `true`, `false` or `none`."""

    text: str
    quoted: bool = False

    @property
    def number(self) -> float | None:
        """The value as a number, or None."""
        return None if self.quoted else number_in(self.text)

    @property
    def is_none(self) -> bool:
        """Whether the value is `none`, which stands for no value at all."""
        return not self.quoted and self.text.lower() in ("none", "null")

    @property
    def flag(self) -> bool | None:
        """The value as a truth value, or None."""
        return None if self.quoted else {"true": True, "yes": True, "false": False, "no": False}.get(self.text.lower())

    def __str__(self) -> str:
        return _quoted(self.text) if self.quoted or not re.fullmatch(_PLAIN_VALUE, self.text) else self.text


class Text(Struct, frozen=True):
    """A text that is searched in the listed facts of a run; capitals count where it has one."""

    text: str


class Compare(Struct, frozen=True):
    """A field beside a value, or (with `==` alone) beside several: equal to one of them."""

    ref: Ref
    operator: Operator
    values: tuple[Literal, ...]


class Flag(Struct, frozen=True):
    """A field that is true: `annotated`, `metadata.solved`."""

    ref: Ref


class Not(Struct, frozen=True):
    """A condition that must not hold."""

    node: Node


class And(Struct, frozen=True):
    """Conditions that must all hold."""

    nodes: tuple[Node, ...]


class Or(Struct, frozen=True):
    """Conditions of which at least one must hold."""

    nodes: tuple[Node, ...]


Node = Text | Compare | Flag | Not | And | Or


class By(Struct, frozen=True):
    """A sort key; rows without a value are last either way."""

    ref: Ref
    reverse: bool = False

    def __str__(self) -> str:
        return f"{'-' if self.reverse else ''}{self.ref}"


class Query(Struct, frozen=True):
    """A filter (None: everything) and an order (empty: none in particular)."""

    node: Node | None = None
    sort: tuple[By, ...] = ()

    def __str__(self) -> str:
        return written(self)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t") + '"'


def foreign(word: str) -> tuple[str, str] | None:
    """The message and the hint for a bare word of another language that would silently find nothing."""
    if word in ("&&", "||"):
        return f"there is no {word} here", f"write `{'and' if word == '&&' else 'or'}`; as text? in quotes"
    name, colon, value = word.partition(":")
    if word[:1] == "!" and field_named(word[1:].partition(".")[0]):
        return "there is no ! here", f"write `not {word[1:]}`; as text? in quotes"
    if colon and field_named(name.partition(".")[0]):
        return f"a : compares nothing with `{name}`", f"write `{name} == {value or '…'}`; as text? in quotes"
    return None


def _is_plain(text: str) -> bool:
    """Whether a text means itself without quotes."""
    if foreign(text) is not None:
        return False
    # A quote behind a point would begin a part of a name in quotes.
    if not re.fullmatch(_PLAIN_TEXT, text, re.IGNORECASE) or text in KEYWORDS or re.search(r"""\.["']""", text):
        return False
    name, dot, _ = text.partition(".")
    field = field_named(name)
    return field is None or (field.kind is not Kind.FLAG and not (dot and field.part is Kind.ANY))


def written(query: Query | Node) -> str:
    """Write a filter in its normal form; parsing it gives the same filter again."""
    if isinstance(query, Query):
        pieces = [written(query.node)] if query.node is not None else []
        if query.sort:
            pieces.append("sort:" + ",".join(map(str, query.sort)))
        return " ".join(pieces)
    if isinstance(query, Text):
        return query.text if _is_plain(query.text) else _quoted(query.text)
    if isinstance(query, Flag):
        return str(query.ref)
    if isinstance(query, Compare):
        if len(query.values) == 1:
            return f"{query.ref} {query.operator} {query.values[0]}"
        listed = ", ".join(map(str, query.values))
        return f"{query.ref} in ({listed})" if query.operator == "==" else f"{query.ref} not in ({listed})"
    if isinstance(query, Not):
        inner = written(query.node)
        return f"not ({inner})" if isinstance(query.node, And | Or) else f"not {inner}"
    sign = " and " if isinstance(query, And) else " or "
    within = And | Or if isinstance(query, And) else Or
    return sign.join(f"({written(node)})" if isinstance(node, within) else written(node) for node in query.nodes)


def texts_in(node: Node | None) -> Iterable[str]:
    """The texts that a filter looks for, in order."""
    if isinstance(node, Text):
        yield node.text
    elif isinstance(node, Not):
        yield from texts_in(node.node)
    elif isinstance(node, And | Or):
        for inner in node.nodes:
            yield from texts_in(inner)


def refs_in(query: Query | Node | None) -> Iterable[Ref]:
    """The fields that a filter names, in order; some maybe more than once."""
    if isinstance(query, Query):
        yield from refs_in(query.node)
        yield from (by.ref for by in query.sort)
    elif isinstance(query, Compare | Flag):
        yield query.ref
    elif isinstance(query, Not):
        yield from refs_in(query.node)
    elif isinstance(query, And | Or):
        for node in query.nodes:
            yield from refs_in(node)
