"""Texts that a pattern stands for are counted as the pattern finds them, in texts and in their JSON."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.corpus.test_absence import json_of
from trajview.corpus.counting import counter_in_json, counter_of, texts_of
from trajview.textsafe import without_colours

CHOICES = st.lists(st.text("abAk -n", min_size=1, max_size=3), min_size=1, max_size=3).map("|".join)
TEXTS = st.text('abABkKnN -/\n\\"\u212aé\x1b[0m', max_size=24)


@settings(max_examples=300, deadline=None)
@given(
    CHOICES, st.sampled_from(["{}", "({})", "(?:{})", "(?i){}"]), st.sampled_from([0, re.I, re.X]), TEXTS, st.booleans()
)
@example("n", "{}", 0, "\nn", True)
@example("k|s", "{}", re.I, "K\u212aſ", False)
@example("ab|ba", "{}", 0, "aba", True)
@example("aa|b", "{}", 0, "aaab", True)
def test_any_of_several_texts_is_counted_as_the_pattern_finds_it(
    choice: str, around: str, flags: int, text: str, ascii_only: bool
) -> None:
    pattern = re.compile(around.format(choice), flags)
    said = without_colours(text)
    times = sum(1 for match in pattern.finditer(said) if match.group())
    assert counter_of(pattern)(said) == times
    in_json = counter_in_json(pattern)
    if in_json is not None:
        assert in_json(json_of(text, ascii_only, False)) in (times, None)


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("(?i)Failed", ("failed",)),
        ("error|warning", ("error", "warning")),
        ("(?:a b|c|a b)", ("a b", "c")),
        ("ab|bc", ()),
        ("a|ab", ()),
        ("a|", ()),
        ("a|b+", ()),
        ("(a)|b", ()),
        ("(?i)é", ()),
    ],
)
def test_the_texts_that_a_pattern_stands_for(source: str, texts: tuple[str, ...]) -> None:
    assert texts_of(re.compile(source)) == texts


def test_several_texts_are_counted_in_json() -> None:
    count = counter_in_json(re.compile("error|warning", re.IGNORECASE))
    assert count is not None
    assert count(rb'"Error: \u00e9"') is None
    assert count(b'"Error\\nWARNING errors"') == 3
