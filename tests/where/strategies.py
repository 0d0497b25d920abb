"""Filters as people might build them, and runs for them."""

from __future__ import annotations

import math
from pathlib import Path

from hypothesis import strategies as st

from trajview.corpus.info import RunInfo
from trajview.errors import Problem, Where
from trajview.where.fields import FIELDS, Kind, Ref
from trajview.where.syntax import And, By, Compare, Flag, Literal, Node, Not, Or, Query, Text

names = st.sampled_from(["goal", "a b", 'q"\\', "task.name", "x", "9"])
_NUMBERS = st.sampled_from(["0", "1", "2", "0.5", "-1", "1e2", "1k", "50%"]).map(Literal)
_WORDS = st.one_of(
    st.builds(Literal, st.sampled_from(["a", "run-9", "GPT-4", "2", "none", "true", "x,y", " ", 'say "x"']), st.just(True)),
    st.builds(Literal, st.sampled_from(["a", "run-9", "run-10", "GPT-4", "2", "0.5", "none", "true", "no"])),
)  # fmt: skip
_PATTERNS = st.builds(
    Literal, st.sampled_from(["a", "^run", "gpt", "GPT", "[0-9]+$", "a|b", r"\d", "(a)", "a b"]), st.just(True)
)


def _refs_of(needs: frozenset[str]) -> st.SearchStrategy[Ref]:
    found = []
    for field in FIELDS:
        if field.needs not in needs:
            continue
        if not field.needs_part:
            found.append(st.just(Ref(field.name)))
        if field.part is not None:
            found.append(st.builds(Ref, st.just(field.name), st.tuples(names)))
    return st.one_of(found)


def _comparison(ref: Ref) -> st.SearchStrategy[Node]:
    kind = ref.kind
    values = _NUMBERS if kind in (Kind.NUMBER, Kind.NUMBERS) else _WORDS
    if kind is Kind.FLAG:
        values = st.sampled_from(["true", "no"]).map(Literal)
    several = st.lists(values, min_size=1, max_size=3).map(tuple)
    choices = [st.builds(Compare, st.just(ref), st.sampled_from(["==", "!="]), several)]
    if kind is not Kind.FLAG:
        limits = _NUMBERS if kind is not Kind.TEXT and kind is not Kind.ANY else _WORDS.filter(lambda v: not v.is_none)
        order = st.sampled_from(["<", "<=", ">", ">="])
        choices.append(st.builds(Compare, st.just(ref), order, limits.map(lambda value: (value,))))
    if kind in (Kind.TEXT, Kind.TEXTS, Kind.ANY):
        patterns = _PATTERNS.map(lambda value: (value,))
        choices.append(st.builds(Compare, st.just(ref), st.sampled_from(["~", "!~"]), patterns))
    if kind is Kind.FLAG or (kind is Kind.ANY and ref.parts):
        choices.append(st.just(Flag(ref)))
    return st.one_of(choices)


def nodes_of(*needs: str) -> st.SearchStrategy[Node]:
    """Filters over the fields that need this."""
    leaves = st.one_of(
        st.builds(Text, st.sampled_from(["a", "A", "run", "or", "two words", "annotated", "metadata.x", "<b>", "sort:x", "'q", "in", "x.y", "", "\n"]).filter(bool)),
        _refs_of(frozenset(needs)).flatmap(_comparison),
    )  # fmt: skip
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(Not, inner),
            st.builds(And, st.lists(inner, min_size=2, max_size=3).map(tuple)),
            st.builds(Or, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        ),
        max_leaves=6,
    )


ALL = ("row", "summary", "status", "details")
sorts = st.lists(st.builds(By, _refs_of(frozenset(ALL)), st.booleans()), max_size=3).map(tuple)
queries = st.builds(Query, st.none() | nodes_of(*ALL), sorts)

_REWARDS = st.sampled_from(
    [0.0, 0.5, 1.0, 2.0, math.nan, (0.5, {"goal": 1.0}), (2.0, {"goal": 2.0, "a b": 0.5}), (1.0, {})]
)
runs = st.builds(
    lambda id, name, rewards, agents, models, messages, format, summarised: RunInfo(
        key=id, id=id, path=Path("/logs/a.jsonl"), source="a.jsonl", format=format, container="jsonl", name=name, length=messages * 50,
        messages=messages, units=messages // 2, rewards=rewards, agents=agents, models=models, summarised=summarised,
    ),
    st.sampled_from(["a", "run-9", "run-10", "Run-2", "GPT-4", "b"]), st.sampled_from([None, "a", "A b"]),
    st.lists(_REWARDS, max_size=2).map(tuple), st.lists(st.sampled_from(["a", "Ann"]), max_size=2).map(tuple),
    st.lists(st.sampled_from(["GPT-4", "gpt-4", "2"]), max_size=2).map(tuple), st.integers(0, 3), st.sampled_from(["a", "docent"]),
    st.booleans(),
)  # fmt: skip
problems = st.builds(
    Problem, st.just("torn line a"), st.just(""), st.builds(Where, st.just(Path("/logs/a.jsonl")), st.integers(1, 3))
)
rows = st.lists(st.one_of(runs, runs, runs, problems), max_size=8)
