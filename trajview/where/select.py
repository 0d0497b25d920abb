"""Selection of rows by a filter: compiled once, then a pass over a column for each comparison.

A filter is true of a row, or false, or not known yet (Kleene's logic): what a comparison needs may still have to be
found out, and a row that is shown or left out anyway does not wait for that.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from .fields import Kind, Ref
from .syntax import And, Compare, Flag, Literal, Node, Not, Or, Text, refs_in
from .table import Table

__all__ = ["PATIENCE", "Select", "compile_node", "compile_test"]

PATIENCE: Final = 2.0
"""Seconds that a pattern may take in one value: those of runs are short, and who filters a list waits."""
_SHORT: Final = 10_000
"""Characters in which a tame pattern takes no time worth a limit."""

Rows = Sequence[int]
Select = Callable[[Rows], tuple[list[int], list[int]]]
"""Divides rows in some order: into those that match, and those that are not decided yet, each in that order."""

Test = Callable[[Any], bool]

_ORDERS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_COSTS: Final = {"row": 0, "status": 0, "summary": 1, "details": 9}


def compile_node(node: Node | None, table: Table) -> Select:
    """Compile a filter into a function over the rows of a table. Cheap comparisons come first."""
    if node is None:
        return lambda rows: (list(rows), [])
    if isinstance(node, Text):
        return _text(node.text, table)
    if isinstance(node, Not):
        return _not(compile_node(node.node, table))
    if isinstance(node, And | Or):
        parts = [compile_node(part, table) for part in sorted(node.nodes, key=_cost)]
        return _all(parts) if isinstance(node, And) else _any(parts)
    if isinstance(node, Flag):
        return _column(node.ref, table, _truth(node.ref.kind))
    return _compare(node, table)


def _cost(node: Node) -> int:
    return max((_COSTS[ref.field.needs] for ref in refs_in(node)), default=0)


# Logic


def _not(select: Select) -> Select:
    def negated(rows: Rows) -> tuple[list[int], list[int]]:
        yes, unknown = select(rows)
        if not yes and not unknown:
            return list(rows), []
        out = {*yes, *unknown}
        return [row for row in rows if row not in out], unknown

    return negated


def _all(parts: Sequence[Select]) -> Select:
    def both(rows: Rows) -> tuple[list[int], list[int]]:
        left: Rows = rows
        open_: set[int] = set()
        for part in parts:
            yes, unknown = part(left)
            if not unknown:
                left = yes
                continue
            open_.update(unknown)
            keep = {*yes, *unknown}
            left = [row for row in left if row in keep]
        if not open_:
            return list(left), []
        return [row for row in left if row not in open_], [row for row in left if row in open_]

    return both


def _any(parts: Sequence[Select]) -> Select:
    def either(rows: Rows) -> tuple[list[int], list[int]]:
        found: set[int] = set()
        open_: set[int] = set()
        left: Rows = rows
        for part in parts:
            yes, unknown = part(left)
            open_.update(unknown)
            if yes:
                found.update(yes)
                left = [row for row in left if row not in found]
        if len(found) == len(rows) or not (found or open_):
            return list(rows) if found else [], []
        open_ -= found
        return [row for row in rows if row in found], [row for row in rows if row in open_] if open_ else []

    return either


# Tests of a row


def _text(term: str, table: Table) -> Select:
    low = term.lower()

    def select(rows: Rows) -> tuple[list[int], list[int]]:
        texts = table.texts
        found = [row for row in rows if low in texts[row]]
        if term != low:
            found = [row for row in found if term in table.text_of(row)]
        return found, []

    return select


def _split(rows: Rows, unknown: set[int]) -> tuple[Rows, list[int]]:
    """Split rows into those with a known value, and the others."""
    if not unknown:
        return rows, []
    return [row for row in rows if row not in unknown], [row for row in rows if row in unknown]


def _column(ref: Ref, table: Table, test: Test) -> Select:
    def select(rows: Rows) -> tuple[list[int], list[int]]:
        column = table.column(ref)
        values = column.values
        known, unknown = _split(rows, column.unknown)
        return [row for row in known if test(values[row])], unknown

    return select


def _compare(node: Compare, table: Table) -> Select:
    sign, ref = node.operator, node.ref
    if sign in ("!=", "!~"):
        # A run without a value fulfils "is not this one".
        return _not(_compare(Compare(ref, "==" if sign == "!=" else "~", node.values), table))
    if sign in _ORDERS and ref.kind is Kind.NUMBER:
        return _number(ref, table, sign, node.values[0].number or 0.0)
    if sign in _ORDERS and ref.kind is Kind.TEXT:
        return _ordered_text(node, table)
    return _column(ref, table, _remembering(ref.kind, compile_test(node)))


def _number(ref: Ref, table: Table, sign: str, limit: float) -> Select:
    # The commonest case, without a call for each row. NaN, which stands for no value, fulfils no comparison.
    def select(rows: Rows) -> tuple[list[int], list[int]]:
        column = table.column(ref)
        values = column.values
        known, unknown = _split(rows, column.unknown)
        if sign == "<":
            return [row for row in known if values[row] < limit], unknown
        if sign == "<=":
            return [row for row in known if values[row] <= limit], unknown
        if sign == ">":
            return [row for row in known if values[row] > limit], unknown
        return [row for row in known if values[row] >= limit], unknown

    return select


def _ordered_text(node: Compare, table: Table) -> Select:
    from .fields import natural

    limit, order = natural(node.values[0].text), _ORDERS[node.operator]

    def select(rows: Rows) -> tuple[list[int], list[int]]:
        known, unknown = _split(rows, table.column(node.ref).unknown)
        keys = table.keys(node.ref)
        return [row for row in known if keys[row] is not None and order(keys[row], limit)], unknown

    return select


def _remembering(kind: Kind, test: Test) -> Test:
    """Cache a test by value: a format, a model or a list of agents comes back many times."""
    if kind not in (Kind.TEXT, Kind.TEXTS, Kind.NUMBERS):
        return test
    known: dict[Any, bool] = {}

    def remembered(value: Any) -> bool:
        found = known.get(value)
        if found is None:
            found = test(value)
            if len(known) < 1000:
                known[value] = found
        return found

    return remembered


# Tests of a value


def _truth(kind: Kind) -> Test:
    if kind is Kind.ANY:
        return lambda value: (
            bool(value)
            and not (isinstance(value, str) and value.strip().lower() in ("false", "no", "none", "null", "0"))
        )
    return bool


def compile_test(node: Compare) -> Test:
    """Compile the test of one value, for every operator but `!=` and `!~`, and order among texts."""
    kind, sign = node.ref.kind, node.operator
    if sign == "~":
        matches = _pattern_test(node.values[0].text)
        if kind is Kind.TEXT:
            return matches
        if kind is Kind.TEXTS:
            return lambda value: any(map(matches, value))
        return lambda value: any(map(matches, _texts(value)))
    if sign in _ORDERS:
        return _order_test(kind, _ORDERS[sign], node.values[0])
    tests = [_equal_test(kind, value) for value in node.values]
    return tests[0] if len(tests) == 1 else lambda value: any(test(value) for test in tests)


def _pattern_test(text: str) -> Callable[[str], bool]:
    """A test whether a pattern matches in a text. It raises TooSlow where that takes too long."""
    from trajview.highlight import compile_pattern  # with all models, which nothing else here needs
    from trajview.patterns.finder import finder_of
    from trajview.patterns.patience import Patience

    finder = finder_of(compile_pattern(text))
    patience = Patience(PATIENCE, "in one value; the filter is given up")

    def matches(value: str) -> bool:
        if (finder.tame and len(value) < _SHORT) or finder.handles(value):
            return finder.matches(value)
        with patience.at_work():
            return finder.matches(value)

    return matches


def _order_test(kind: Kind, order: Callable[[Any, Any], bool], literal: Literal) -> Test:
    limit = literal.number
    if kind is Kind.NUMBER:
        return lambda value: order(value, limit)
    if kind is Kind.NUMBERS:
        return lambda value: any(order(each, limit) for each in value)
    if kind is Kind.TEXTS:
        return lambda value: order(len(value), limit)
    from .fields import natural

    text = natural(literal.text)

    def test(value: Any) -> bool:
        for each in _each(value):
            number = _number_of(each)
            if limit is not None:
                if number is not None and order(number, limit):
                    return True
            elif isinstance(each, str) and order(natural(each), text):
                return True
        return False

    return test


def _equal_test(kind: Kind, literal: Literal) -> Test:
    text, number = literal.text, literal.number
    if kind is Kind.NUMBER:
        return (lambda value: value != value) if literal.is_none else lambda value: value == number
    if kind is Kind.FLAG:
        wanted = bool(literal.flag)
        return lambda value: bool(value) is wanted
    if literal.is_none and kind is not Kind.ANY:
        return lambda value: not value
    if kind is Kind.TEXT:
        return lambda value: value == text
    if kind is Kind.NUMBERS:
        return lambda value: number in value
    if kind is Kind.TEXTS:
        return lambda value: text in value or (number is not None and len(value) == number)
    return _equal_any(literal)


def _equal_any(literal: Literal) -> Test:
    text, number, flag = literal.text, literal.number, literal.flag

    def test(value: Any) -> bool:
        if literal.is_none:
            return value is None or value in ("", [], {})
        for each in _each(value):
            if isinstance(each, bool):
                if flag is each:
                    return True
            elif isinstance(each, str):
                if each == text:
                    return True
            elif number is not None and each == number:
                return True
        return False

    return test


def _each(value: Any) -> Iterable[Any]:
    """A metadata value as a list: its elements if it is one, else itself."""
    if isinstance(value, (list, tuple)):
        return value
    return () if value is None else (value,)


def _number_of(value: Any) -> float | None:
    """The number that a value is or spells, or None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    if isinstance(value, str) and len(value) < 40:
        try:
            return float(value)
        except ValueError:
            return None
    return None


def _texts(value: Any) -> list[str]:
    """Every text and number within a value of a run's metadata."""
    if isinstance(value, str):
        return [value]
    from trajview.models.said import strings_within

    return strings_within(value)
