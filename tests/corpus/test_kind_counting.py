"""Matches that are counted by the kinds of characters are those that `re` finds."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.patterns.test_finder import FLAGS, PATTERNS, TEXTS
from trajview.corpus import kind_counting
from trajview.corpus.counting import counter_of
from trajview.corpus.kind_counting import kind_counter_of
from trajview.patterns import quick_bytes
from trajview.patterns.kinds import kind_row_of

KINDS = [
    "a",
    "b",
    r"\w",
    r"\W",
    r"\d",
    r"\s",
    ".",
    "[a-k]",
    "[^a-k]",
    "[ab]",
    "-",
    r"\n",
    "K",
    "[éß]",
    "s",
    "[^\\w\u2014]",
]
ROWS = st.lists(
    st.tuples(st.sampled_from(KINDS), st.sampled_from(["", "", "+", "+", "*", "{2}", "{2,}", "+?", "{1,2}"])).map(
        "".join
    ),
    min_size=1,
    max_size=4,
).flatmap(
    lambda parts: st.sampled_from(["".join(parts), f"({''.join(parts)})", f"{parts[0]}(?:{''.join(parts)}){{2}}"])
)
LONG = st.lists(TEXTS, min_size=1, max_size=6).map(lambda lists: "".join(text for texts in lists for text in texts))


@pytest.fixture(autouse=True)
def _every_text_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(kind_counting, "_WORTH", 0)
    monkeypatch.setattr(kind_counting, "_AT_ONCE", 7)
    kind_counter_of.cache_clear()
    yield
    kind_counter_of.cache_clear()


def as_re_finds(pattern: re.Pattern[str], text: str) -> int:
    return sum(1 for match in pattern.finditer(text) if match.group())


@settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(st.one_of(ROWS, ROWS, PATTERNS), st.sampled_from([*FLAGS, re.I]), st.lists(LONG, min_size=1, max_size=4))
@example(r"\w+", 0, ["ab ", "a", " b", "", "é\u3042 a\ud800b \u0663"])
@example(r"\w+ \w+", 0, ["a b c d", " a  b ab cd", "é b \u3042 c"])
@example("k+ s+", re.I, ["\u212aK \u017fs kk  k s"])
@example(r"\w\w", 0, ["abc abcd"])
def test_every_match_is_counted_as_re_finds_it(source: str, flags: int, texts: list[str]) -> None:
    with warnings.catch_warnings(action="ignore"):
        pattern = re.compile(source, flags)
    count = kind_counter_of(pattern)
    for text in texts if count is not None else ():
        assert count is not None
        assert count(text) in (as_re_finds(pattern, text), None)


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize(
    ("source", "times"),
    [
        (r"\w+", 7), (r"\w*", 7), (".*", 3), (r"(?s).+", 1), (r"\w{4,}", 4), (r"\s", 6), ("[aeiou]", 9), (r"\w\w", 10),
        (r"\w+\s\w+", 3), (r"(\w+)\s(\w+)", 3), (r"[a-z]+( [a-z]+){2}", 1), (r"\d\d", 1), (r"x\s+", 0), ("(?i)S", 2), ("[^a]", 28),
    ],
)  # fmt: skip
def test_what_people_look_for_is_counted_by_kinds(
    source: str, times: int, quick: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not quick:
        monkeypatch.setattr(quick_bytes, "_quick", None)
    monkeypatch.setattr(kind_counting, "_AT_ONCE", 1_000)
    text = "some more texts\nare\ncalle é 12"
    pattern = re.compile(source)
    count = kind_counter_of(pattern)
    assert count is not None
    assert count(text) == as_re_finds(pattern, text) == times
    assert counter_of(pattern)(text) == times


@pytest.mark.parametrize(
    "source",
    [r"\bx", "^x", "x|yz", "x?", "x{1,2}", r"\w+x", r"x\w", r"\w+\w", r"\w+?", r"\d+\.\d", "a+b{2,}", "(?=x)x", r"(x)\1", "", "x{101}"],
)  # fmt: skip
def test_what_kinds_do_not_tell_is_left_to_the_engines(source: str) -> None:
    assert kind_row_of(re.compile(source)) is None
    assert kind_counter_of(re.compile(source)) is None


def test_a_long_text_is_counted_in_pieces_that_no_match_goes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: list[int] = []
    times = kind_counting._times

    def watched(row: object, kinds: bytes) -> int:
        pieces.append(len(kinds))
        return times(row, kinds)  # type: ignore[arg-type]

    monkeypatch.setattr(kind_counting, "_AT_ONCE", 100)
    monkeypatch.setattr(kind_counting, "_times", watched)
    count = kind_counter_of(re.compile(r"\w+ \w+"))
    assert count is not None
    text = "some words. " * 100
    assert count(text) == 100
    assert sum(pieces) == len(text)
    assert max(pieces) <= 100
    assert count("x" * 101) is None


def test_few_texts_beyond_ascii_are_not_worth_the_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kind_counting, "_WORTH", 10)
    pattern = re.compile(r"\w+")
    count = kind_counter_of(pattern)
    assert count is not None
    assert [count("é à b c"), count("é à b c"), count("é à b c")] == [None, None, 4]
    assert counter_of(pattern)("é à") == 2
