"""Which rows a filter lets through, and in which order: beside the plainest way to say it, row by row."""

from __future__ import annotations

import math
import random
import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.runs import problem, run
from trajview.corpus.info import RunInfo
from trajview.errors import Problem
from trajview.highlight import compile_pattern
from trajview.where.fields import Kind, Ref, natural
from trajview.where.order import merged, ordered
from trajview.where.parse import parse, parse_sort
from trajview.where.select import compile_node
from trajview.where.syntax import And, By, Compare, Flag, Node, Not, Or, Text, refs_in
from trajview.where.table import Row, Table

from .strategies import nodes_of, rows, sorts

UNKNOWN = "unknown"
Details = dict[Ref, Any]


def table_of(items: list[Row], statuses: dict[str, str] | None = None) -> Table:
    table = Table(lambda item: item.source if isinstance(item, RunInfo) else str(item.where))
    if statuses:
        table.set_statuses(statuses)
    table.extend(items)
    return table


def matching(text: str, *items: Row, statuses: dict[str, str] | None = None) -> list[str]:
    table = table_of(list(items), statuses)
    yes, _ = compile_node(parse(text).node, table)(range(len(items)))
    return [item.id if isinstance(item, RunInfo) else "⚠" for item in (items[row] for row in yes)]


RUNS = (
    run("run-9", name="Fix the index", messages=10, units=4, rewards=(1.0,), models=("gpt-4o",), length=4100),
    run("run-10", format="sotopia", agents=("Ava", "Ben"), rewards=((7.0, {"goal": 9.0}), (2.0, {"goal": 1.0})), messages=20, units=9),
    run("Beta", messages=3, units=1, models=("GPT-4", "claude-4"), source="deep/b.jsonl"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["run-9", "run-10", "Beta", "⚠"]),
        ("run", ["run-9", "run-10"]),
        ("Fix index", ["run-9"]),
        ('"fix the"', ["run-9"]),
        ("not run-9", ["run-10", "Beta", "⚠"]),
        ("torn or beta", ["Beta", "⚠"]),
        ("units > 3", ["run-9", "run-10"]),
        ("not units > 3", ["Beta"]),
        ("units > 3 and units <= 4", ["run-9"]),
        ("reward < 5", ["run-9", "run-10"]),
        ("reward == 4.5", ["run-10"]),
        ("reward != 1", ["run-10", "Beta"]),
        ("reward == none", ["Beta"]),
        ("reward.goal == 5", ["run-10"]),
        ("rewards > 6", ["run-10"]),
        ("rewards.goal <= 1", ["run-10"]),
        ("model ~ gpt", ["run-9", "Beta"]),
        ("model ~ GPT", ["Beta"]),
        ("model !~ claude", ["run-9", "run-10"]),
        ("model == GPT-4", ["Beta"]),
        ("models > 1", ["Beta"]),
        ("models == none", ["run-10"]),
        ("agents == 2", ["run-10"]),
        ("agent in (Ben, Tom)", ["run-10"]),
        ("format in (sotopia, adp)", ["run-10"]),
        ("format not in (sotopia, adp)", ["run-9", "Beta"]),
        ("id < run-10", ["run-9", "Beta"]),
        ("name == none", ["run-10", "Beta"]),
        ("source ~ ^deep/", ["Beta"]),
        ("path ~ torn", ["⚠"]),
        ("problem", ["⚠"]),
        ("not problem", ["run-9", "run-10", "Beta"]),
        ("size > 4KB", ["run-9"]),
        ("annotated", ["run-9", "Beta"]),
        ("not annotated", ["run-10"]),
        ("draft or flagged", ["run-10", "Beta"]),
        ("status == none", []),
        ("status in (annotated, draft)", ["run-9", "run-10", "Beta"]),
    ],
)
def test_a_filter_lets_these_through(text: str, found: list[str]) -> None:
    statuses = {"run-9": "annotated", "run-10": "draft", "Beta": "annotated ⚑"}
    assert matching(text, *RUNS, problem(), statuses=statuses) == found


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [
        ("metadata.x == 3", 3, True), ("metadata.x == 3", 3.0, True), ("metadata.x == 3", "3", True), ('metadata.x == "3"', 3, False),
        ("metadata.x == 3", True, False), ("metadata.x == true", True, True), ("metadata.x == true", "true", True),
        ("metadata.x == none", None, True), ("metadata.x != none", 0, True), ("metadata.x > 2", "2.5", True),
        ("metadata.x > 2", "two", False), ("metadata.x > 2", None, False), ("metadata.x >= 2025-01-09", "2025-01-10", True),
        ("metadata.x ~ b.d", ["abcd", "x"], True), ("metadata.x ~ b.d", {"a": {"b": "abcd"}}, True), ("metadata.x == x", ["y", "x"], True),
        ("metadata.x", "false", False), ("metadata.x", "yes", True), ("metadata.x", 0, False), ("metadata.x", [1], True),
        ("metadata.x in (a, 3)", 3, True), ("metadata.x == 1e400", 10**400, False), ("metadata.x > 3", 10**400, True),
    ],
)  # fmt: skip
def test_metadata_is_compared_as_what_it_is(text: str, value: object, holds: bool) -> None:
    table = table_of([run("a")])
    query = parse(text)
    table.learn(0, dict.fromkeys(refs_in(query), value))
    assert compile_node(query.node, table)([0]) == ([0] if holds else [], [])


def test_what_is_not_known_yet_is_neither_in_nor_out_unless_it_does_not_matter() -> None:
    table = table_of(
        [run("a", messages=1), run("b", messages=9), run("c", messages=9), run("d", summarised=False), problem()]
    )
    select = compile_node(parse("tokens > 10 and messages > 5").node, table)
    assert select(range(5)) == ([], [1, 2, 3, 4])
    table.learn(1, {Ref("tokens"): 5})
    table.learn(2, {Ref("tokens"): 50})
    assert select(range(5)) == ([2], [3, 4])
    assert compile_node(parse("tokens > 10 or a").node, table)(range(3)) == ([0, 2], [])
    assert compile_node(parse("not tokens > 10").node, table)(range(3)) == ([1], [0])


def test_a_run_that_has_changed_is_not_known_any_more() -> None:
    table = table_of([run("a")])
    select = compile_node(parse("errors == 1").node, table)
    table.learn(0, {Ref("errors"): 1})
    assert select([0]) == ([0], [])
    table.replace(0, run("a", messages=5))
    assert select([0]) == ([], [0])


# Beside the plain way


def naive(node: Node, item: Row, text: str, details: Details) -> object:
    """True, False or UNKNOWN."""
    if isinstance(node, Not):
        value = naive(node.node, item, text, details)
        return value if value == UNKNOWN else not value
    if isinstance(node, And | Or):
        values = [naive(part, item, text, details) for part in node.nodes]
        decides = isinstance(node, Or)
        return decides if decides in values else UNKNOWN if UNKNOWN in values else not decides
    if isinstance(node, Text):
        return node.text in text if node.text != node.text.lower() else node.text in text.lower()
    ref = node.ref
    if isinstance(item, Problem):
        known: dict[str, Any] = {"problem": True, "source": str(item.where), "path": str(item.where.path)}
        if ref.name not in known:
            return UNKNOWN
        return holds(node, known[ref.name])
    if ref.name == "problem":
        return holds(node, False)
    if ref.field.needs == "details":
        return holds(node, details[ref]) if ref in details else UNKNOWN
    if ref.field.needs == "summary" and not item.summarised:
        return UNKNOWN
    overall = [r[0] if isinstance(r, tuple) else r for r in item.rewards]
    of = {
        "id": item.id, "key": item.key, "name": item.name,
        "run": item.name or item.id, "source": item.source, "path": str(item.path), "size": item.length, "format": item.format,
        "messages": item.messages, "units": item.units, "transcripts": item.transcripts, "agents": item.agents, "models": item.models,
    }  # fmt: skip
    if ref.name in ("reward", "rewards"):
        if ref.parts:
            overall = [
                r[1][".".join(ref.parts)] for r in item.rewards if isinstance(r, tuple) and ".".join(ref.parts) in r[1]
            ]
        overall = [r for r in overall if not math.isnan(r)]
        if ref.name == "rewards":
            return holds(node, overall)
        return holds(node, sum(overall) / len(overall) if overall else None)
    return holds(node, of[ref.name])


def holds(node: Node, value: Any) -> bool:
    if isinstance(node, Flag):
        return bool(value) and str(value).lower() not in ("false", "no", "none", "null", "0")
    assert isinstance(node, Compare)
    if node.operator == "!=":
        return not holds(Compare(node.ref, "==", node.values), value)
    if node.operator == "!~":
        return not holds(Compare(node.ref, "~", node.values), value)
    many = list(value) if isinstance(value, list | tuple) else [] if value is None else [value]
    if node.operator == "~":
        return (
            any(re.search(compile_pattern(node.values[0].text), each) for each in many or [""] if isinstance(each, str))
            if (many or node.ref.kind is Kind.TEXT)
            else False
        )
    return any(fits(node, each, value, many) for each in node.values)


def fits(node: Compare, literal: Any, value: Any, many: list[Any]) -> bool:
    kind = node.ref.kind
    if node.operator != "==":
        limit = literal.number if kind is not Kind.TEXT else None
        if kind is Kind.TEXTS:
            many = [len(many)]
        pairs = [
            (float(each), limit) if limit is not None else (natural(each), natural(literal.text))
            for each in many
            if (each not in (None, ""))
            and ((limit is not None and not isinstance(each, str)) or (limit is None and isinstance(each, str)))
        ]
        tests = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}
        return any(tests[node.operator](a, b) for a, b in pairs)
    if kind is Kind.FLAG:
        return bool(value) == literal.flag
    if literal.is_none:
        return value in (None, "", [], ())
    if kind is Kind.TEXTS and literal.number is not None and len(many) == literal.number:
        return True
    for each in many:
        if isinstance(each, str):
            if each == literal.text:
                return True
        elif literal.number is not None and each == literal.number:
            return True
    return False


_VALUES = {
    Kind.NUMBER: st.sampled_from([0, 1, 2, 1000]), Kind.TEXTS: st.sampled_from([(), ("a",), ("a", "GPT-4")]),
    Kind.ANY: st.sampled_from([None, 0, 2, 0.5, "a", "run-9", "", ["a", 2]]),
}  # fmt: skip


@given(nodes_of("row", "summary", "details"), rows, st.data())
def test_a_filter_agrees_with_the_plain_way_and_leaves_open_what_is_open(
    node: Node, items: list[Row], data: Any
) -> None:
    table = table_of(items)
    details: list[Details] = [{} for _ in items]
    for row, item in enumerate(items):
        for ref in set(refs_in(node)):
            if ref.field.needs == "details" and isinstance(item, RunInfo) and data.draw(st.booleans()):
                details[row][ref] = data.draw(_VALUES[ref.kind])
        table.learn(row, details[row])
    expected = [naive(node, item, table.text_of(row), details[row]) for row, item in enumerate(items)]
    yes, unknown = compile_node(node, table)(range(len(items)))
    assert yes == [row for row, value in enumerate(expected) if value is True]
    assert unknown == [row for row, value in enumerate(expected) if value == UNKNOWN]


@given(rows, rows, sorts)
def test_an_order_by_several_keys_agrees_with_one_pass_per_key(
    first: list[Row], later: list[Row], sort: tuple[By, ...]
) -> None:
    table = table_of(first)
    ordered(list(range(len(first))), sort, table)  # the keys are made before the other rows come
    table.extend(later)
    expected = list(range(len(first + later)))
    for by in sort[::-1]:
        keys = {row: table.keys(by.ref)[row] for row in expected}
        assert all(
            (keys[row] is None) == (row in table.column(by.ref).unknown or table.column(by.ref).values[row] in ("", (), None)
            or table.column(by.ref).values[row] != table.column(by.ref).values[row]) for row in expected
        )  # fmt: skip
        have = sorted((row for row in expected if keys[row] is not None), key=keys.__getitem__, reverse=by.reverse)
        expected = have + [row for row in expected if keys[row] is None]
    assert ordered(list(range(len(first + later))), sort, table) == expected


@given(rows, rows, sorts)
def test_rows_that_come_find_their_places(first: list[Row], later: list[Row], sort: tuple[By, ...]) -> None:
    table = table_of(first * 5 + later)  # many beside few, so that the few are put among them one by one
    shown = ordered(range(len(first) * 5), sort, table)
    new = range(len(first) * 5, len(table.rows))
    assert merged(shown, new, sort, table) == ordered(range(len(table.rows)), sort, table)


def test_an_order_by_two_keys() -> None:
    items: list[Row] = [
        run("a", messages=2, rewards=(1.0,)),
        run("b", messages=1, rewards=(1.0,)),
        run("c"),
        run("d", messages=9, rewards=(3.0,)),
    ]
    table = table_of(items)
    assert ordered([0, 1, 2, 3], parse_sort("-reward,messages"), table) == [3, 1, 0, 2]
    assert ordered([0, 1, 2, 3], parse_sort("reward,-messages"), table) == [0, 1, 3, 2]


@pytest.mark.parametrize(
    "text",
    ["reward < 0.3", "units > 40 and model ~ gpt", "not (messages > 5 or format == adp)", "7f and reward >= 0.5 and a"],
)
def test_a_hundred_thousand_rows_filter_in_a_blink(text: str) -> None:
    chance = random.Random(1)
    items: list[Row] = [
        run(f"{chance.getrandbits(64):x}", models=(chance.choice(["gpt-4", "claude"]),), units=chance.randrange(80), messages=chance.randrange(10), rewards=(chance.random(),))
        for _ in range(100_000)
    ]  # fmt: skip
    table = table_of(items)
    select = compile_node(parse(text).node, table)
    every = range(len(items))
    select(every)  # the columns are made once, when a field is first named
    took = []
    for _ in range(3):
        start = time.process_time()
        yes, _ = select(every)
        took.append(time.process_time() - start)
    assert 0 < len(yes) < len(items)
    assert min(took) < 0.1
