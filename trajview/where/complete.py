"""Completion for a filter that is being typed: fields, operators, and the values that the list has seen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from trajview.corpus.info import RunInfo

from .fields import FIELDS, Field, Kind, Ref, field_named
from .syntax import Literal
from .table import Table

__all__ = ["METADATA", "Candidates", "candidates"]

METADATA: Final = Ref("metadata")
"""The column with the keys of a run's metadata."""

_NAME: Final = r"""[A-Za-z]+(?:\.(?:[^\s()"'<>=!~,.]+|"[^"]*"))*"""
_VALUE: Final = re.compile(rf"""(?:^|[\s(])({_NAME})\s*(<=|>=|==|!=|!~|<|>|=|~)\s*("?[^"\s()]*|"[^"]*)$""")
_AMONG: Final = re.compile(rf"""(?:^|[\s(])({_NAME})\s+(?:not\s+)?in\s*\((?:[^()]*,)?\s*("?[^"\s(),]*|"[^"]*)$""", re.I)
_SORT: Final = re.compile(r"(?:^|\s)sort:(?:\S*,)?-?([^\s,-]*)$", re.IGNORECASE)
_PART: Final = re.compile(
    r"""(?:^|[\s(,:-])([A-Za-z]+)\.((?:(?:[^\s()"'<>=!~,.]+|"[^"]*")\.)*)("[^"]*|[^\s()"'<>=!~,.]*)$"""
)
_AFTER_FIELD: Final = re.compile(rf"(?:^|[\s(])({_NAME})\s+$")
_WORD: Final = re.compile(r"""(?:^|[\s(])([^\s()"'<>=!~]+)$""")
_MOST: Final = 200
_SIGNS: Final = {
    Kind.NUMBER: ("<", ">", "==", "!="), Kind.NUMBERS: ("<", ">", "=="), Kind.TEXT: ("==", "~", "in (", "!="),
    Kind.TEXTS: ("==", "~", "in (", ">"), Kind.FLAG: (), Kind.ANY: ("==", "~", "<", ">"),
}  # fmt: skip


class Candidates(tuple[str, ...]):
    """The possible completions of the word that is typed, the likeliest first; `start` is the column of that word.

    `begun` is where that begins which the text alone leaves unfinished: the word, or the field before it.
    """

    start: int = 0
    begun: int = 0
    about: str = ""
    """The description of the field that the value or name is for."""

    @classmethod
    def of(cls, found: Iterable[str], start: int, about: str = "", begun: int | None = None) -> Candidates:
        """Make candidates for the word at a column."""
        made = cls(found)
        made.start, made.about = start, about
        made.begun = start if begun is None else begun
        return made


def candidates(text: str, table: Table) -> Candidates:
    """The candidates at the end of a text, where something can be known."""
    for follow in (_after_operator, _after_dot, _after_sort, _after_field, _after_letters):
        found = follow(text, table)
        if found is not None:
            return found
    return Candidates.of((), len(text))


def _after_operator(text: str, table: Table) -> Candidates | None:
    """The values of a field."""
    if match := _AMONG.search(text) or _VALUE.search(text):
        ref = _ref(match[1])
        if ref is None:
            return Candidates.of((), len(text))
        typed = match[match.lastindex or 1]
        return Candidates.of(_values(ref, typed, table), len(text) - len(typed), ref.field.says)
    return None


def _after_dot(text: str, table: Table) -> Candidates | None:
    """The parts of a field: keys of the metadata, names of dimensions, of tools and the like."""
    match = _PART.search(text)
    field = field_named(match[1]) if match else None
    if match is None or field is None or field.part is None:
        return None
    if field.name != "metadata":
        return Candidates.of(_parts(field, match[2] + match[3], table), match.start(2), field.says)
    above = _ref(f"metadata.{match[2].rstrip('.')}") if match[2] else METADATA
    found = _keys_below(above.parts, match[3], table) if above is not None else ()
    return Candidates.of(found, match.start(3), field.says)


def _after_sort(text: str, _table: Table) -> Candidates | None:
    """The fields that can be sorted by."""
    if match := _SORT.search(text):
        return Candidates.of((field.name for field in _fields(match[1]) if not field.needs_part), match.start(1))
    return None


def _after_field(text: str, _table: Table) -> Candidates | None:
    """The operators of a field, after a space."""
    match = _AFTER_FIELD.search(text)
    if match is None:
        return None
    ref = _ref(match[1])
    if ref is None:
        return Candidates.of((), len(text), "", match.start(1))
    return Candidates.of(_SIGNS[ref.kind], len(text), ref.field.says, match.start(1))


def _after_letters(text: str, _table: Table) -> Candidates | None:
    """The fields that begin with what is typed."""
    match = _WORD.search(text)
    if match is None:
        return None
    fields = _fields(match[1])
    names = (f"{field.name}." if field.needs_part else field.name for field in fields)
    return Candidates.of(names, match.start(1), fields[0].says if fields else "")


def _ref(name: str) -> Ref | None:
    from .parse import parse_fields
    from .syntax import WhereError

    try:
        return parse_fields(name)[0]
    except WhereError:
        return None


def _fields(typed: str) -> list[Field]:
    low = typed.lower()
    return [field for field in FIELDS if field.name.startswith(low) or any(a.startswith(low) for a in field.aliases)]


def _values(ref: Ref, typed: str, table: Table) -> Iterable[str]:
    """The values of the rows, the commonest first, as they have to be written."""
    low = typed.lstrip('"').lower()
    if ref.kind is Kind.FLAG:
        found: Iterable[str] = ("true", "false")
    elif ref.name in ("format", "models", "agents", "status", "tools", "name", "source", "metadata"):
        found = _seen(ref, table)
    else:
        return ()
    quoted = typed.startswith('"')
    return [str(Literal(value, quoted)) for value in found if value.lower().startswith(low) and value.isprintable()]


def _seen(ref: Ref, table: Table) -> list[str]:
    values = table.column(ref).values
    counts: Counter[str] = Counter()
    if ref.kind is Kind.TEXTS:
        counts.update(item for items in values for item in items)
    elif ref.kind is Kind.ANY:
        counts.update(map(_word, filter(None, values)))
    else:
        counts.update(values)
    known = sorted(
        (item for item in counts.items() if item[0] and len(item[0]) < 80), key=lambda item: (-item[1], item[0])
    )
    return [value for value, _ in known[:_MOST]]


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value) if isinstance(value, (str, int, float)) else ""


def _parts(field: Field, typed: str, table: Table) -> Iterable[str]:
    """The names that the dot can be followed by: dimensions, tools."""
    low = typed.lstrip('"').lower()
    names: dict[str, None] = {}
    if field.name in ("reward", "rewards"):
        for item in table.rows:
            for reward in item.rewards if isinstance(item, RunInfo) else ():
                if isinstance(reward, tuple) and not reward[1].keys() <= names.keys():
                    names.update(dict.fromkeys(reward[1]))
    else:
        for keys in table.column(Ref(field.name)).values:
            if keys:
                names.update(dict.fromkeys(keys))
    found = [name for name in names if name.lower().startswith(low) and name and name.isprintable()]
    return [str(Ref(field.name, (name,)))[len(field.name) + 1 :] for name in found[:_MOST]]


def _keys_below(above: tuple[str, ...], typed: str, table: Table) -> list[str]:
    """The keys of metadata below others, with a dot behind those under which there are more."""
    low, depth = typed.lstrip('"').lower(), len(above)
    names: dict[tuple[str, bool], None] = {}
    for keys in {id(keys): keys for keys in table.column(METADATA).values if keys}.values():  # most runs share them
        for key in keys:
            if len(key) > depth and key[:depth] == above:
                names[key[depth], len(key) > depth + 1] = None
    return [
        str(Ref("metadata", (name,)))[len("metadata.") :] + "." * more
        for name, more in names
        if name and name.isprintable() and name.lower().startswith(low)
    ][:_MOST]
