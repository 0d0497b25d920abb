"""Texts that a pattern stands for are counted as the pattern finds them."""

from __future__ import annotations

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from trajview.corpus.counting import counter_of

CHOICES = st.lists(st.text("abAk -n", min_size=1, max_size=3), min_size=1, max_size=3).map("|".join)
TEXTS = st.text('abABkKnN -/\n\\"\u212aé\x1b[0m', max_size=24)


@settings(max_examples=300, deadline=None)
@given(CHOICES, st.sampled_from(["{}", "({})", "(?:{})", "(?i){}"]), st.sampled_from([0, re.I, re.X]), TEXTS)
@example("n", "{}", 0, "\nn")
@example("k|s", "{}", re.I, "K\u212aſ")
@example("ab|ba", "{}", 0, "aba")
@example("aa|b", "{}", 0, "aaab")
def test_any_of_several_texts_is_counted_as_the_pattern_finds_it(
    choice: str, around: str, flags: int, text: str
) -> None:
    pattern = re.compile(around.format(choice), flags)
    assert counter_of(pattern)(text) == sum(1 for match in pattern.finditer(text) if match.group())
