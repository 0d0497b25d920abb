"""Where the value at a path stands in JSON and YAML, against what the parsers make of that piece."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from trajview.app.raw.place import span_at

_KEYS = st.text('abc é😀"\\:-', max_size=3)
_VALUES = st.recursive(
    st.none() | st.integers() | st.text('xyz é😀"\\\n#:-', max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=15,
)


def paths_in(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    yield path, value
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in items:
        yield from paths_in(item, (*path, step))


@given(st.dictionaries(_KEYS, _VALUES, max_size=4), st.booleans(), st.booleans())
def test_in_json_every_value_is_found(value: Any, indented: bool, ascii_only: bool) -> None:
    text = " " + json.dumps(value, indent=2 if indented else None, ensure_ascii=ascii_only) + "\n"
    for path, wanted in paths_in(value):
        span = span_at(text, path)
        assert span is not None
        assert json.loads(text[slice(*span)]) == wanted


@given(st.dictionaries(_KEYS, _VALUES, min_size=1, max_size=4), st.booleans())
def test_in_yaml_every_value_is_found(value: Any, flow: bool) -> None:
    text = "# a note\n" + yaml.dump(value, allow_unicode=True, default_flow_style=flow, explicit_start=True)
    for path, wanted in paths_in(value):
        span = span_at(text, path)
        assert span is not None
        begin, end = span
        column = begin - text.rfind("\n", 0, begin) - 1
        if isinstance(wanted, str | dict | list):  # as it is indented there
            assert yaml.safe_load(" " * column + text[begin:end]) == wanted


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"a": [1]}', ("a", 1)),
        ('{"a": [1]}', ("b",)),
        ('{"a": 1}', ("a", 0)),
        ('{"a": [NaN]}', ("a", 0)),
        ('{"a": 1, "a": 2}', ("a",)),
        ('{"a": ', ("a",)),
        ("a: 1\n", ("b",)),
        ("a: [1]\n", ("a", 1)),
        ("a: [1\n", ("b",)),
        ("- 1\n", ("0",)),
        ("a: 1\nb: [2]\n", ("a", 0)),
        ("a: {x: 1}\nx: 2\n", ("x", "x")),
    ],
)
def test_what_is_not_there_has_no_place(text: str, path: tuple[str | int, ...]) -> None:
    assert span_at(text, path) is None


def test_what_an_alias_in_yaml_stands_for_is_where_its_anchor_is() -> None:
    assert span_at("a: &x [1]\nb: *x\n", ("b", 0)) == (7, 8)
