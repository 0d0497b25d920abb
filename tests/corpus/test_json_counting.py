"""Matches that are counted in JSON are those that `re` finds in the text as it reads."""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.corpus.test_absence import PATTERNS, TEXTS, json_of
from tests.patterns.test_finder import FLAGS, ONES, TIMES
from trajview.corpus import absence, json_counting
from trajview.corpus.absence import BEHIND_QUOTE, NOWHERE, Signs, beginning_of, signs_in
from trajview.corpus.json_counting import pattern_counter_in_json
from trajview.patterns import quick_bytes, rows
from trajview.patterns.in_json import in_kinds
from trajview.textsafe import without_colours

pytest.importorskip("re2")

CODES = st.sampled_from(
    ["\x1b[0m", "\x1b[1;31m", "\x1b[38;5;123m", "\x1b[K", "\x1b[2J", "\x1b[?25l", "\x1b(B", "\x1b[m", "\x1b[?1H"]
)
NO_CODES = st.sampled_from(
    ["\x1b", "\x1b[", "\x1b[0", "\x1b(", "\x1b[?25", "\x1b[?5m", "\\u001b[0m", "\\", "\x1b[1A", f"\x1b[{'1' * 201}m"]
)
PIECES = st.sampled_from(
    ["a", "b1", "K", "ſ", "1", "31", " ", "\n", "m", '"', "/", "\t", "é", "\u3042", "\ud83d", "\U0001f600"]
)
COLOURED = st.lists(st.one_of(CODES, CODES, PIECES, PIECES, PIECES, NO_CODES), max_size=14).map("".join)
SIMPLE = st.lists(
    st.tuples(st.sampled_from(ONES), st.sampled_from(["", "", *TIMES])).map("".join), min_size=1, max_size=4
)
"""Patterns that say nothing of places."""
BEGUN = st.tuples(st.sampled_from(["1", "[0-9]", r"\d+?", "[0-9]{2}", "m{1,2}", "K", "-"]), SIMPLE.map("".join)).map(
    "".join
)
"""The same that begin with characters of one kind."""


@pytest.fixture(autouse=True)
def _every_text_is_counted_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(json_counting, "_WORTH", 0)
    monkeypatch.setattr(absence, "_WORTH", 0)
    monkeypatch.setattr(rows, "_LEAST_RARE", 0.0)
    beginning_of.cache_clear()
    pattern_counter_in_json.cache_clear()
    yield
    beginning_of.cache_clear()
    pattern_counter_in_json.cache_clear()


def counter_of(pattern: re.Pattern[str]) -> Callable[[bytes], int | None] | None:
    """What counts in JSON, from where on a match may be there."""
    counter, begins = pattern_counter_in_json(pattern), beginning_of(pattern)
    if counter is None:
        return None
    count = counter.count

    def counted(data: bytes) -> int | None:
        if (signs := signs_in(data)) is None:
            return None
        found = count(data, signs, BEHIND_QUOTE)
        if begins is not None and (at := begins(data, signs)) != BEHIND_QUOTE:
            assert found in ({0, None} if at == NOWHERE else {count(data, signs, at), None})
        return found

    return counted


def check(source: str, flags: int, texts: list[str], ascii_only: bool, slashes: bool) -> int:
    """In how many texts the matches are counted."""
    with warnings.catch_warnings(action="ignore"):
        pattern = re.compile(source, flags)
    count, counted = counter_of(pattern), 0
    for text in texts if count is not None else ():
        try:
            data = json_of(text, ascii_only, slashes)
        except UnicodeEncodeError:
            data = json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")
        assert count is not None
        found = count(data)
        if found is not None:
            assert found == sum(1 for match in pattern.finditer(without_colours(text)) if match.group())
            counted += 1
    return counted


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(
    st.one_of(
        PATTERNS, SIMPLE.map("".join), BEGUN, st.lists(SIMPLE.map("".join), min_size=2, max_size=3).map("|".join)
    ),
    st.sampled_from(FLAGS),
    st.one_of(TEXTS, st.lists(COLOURED, min_size=1, max_size=6)),
    st.booleans(),
    st.booleans(),
)
@example("[0-9]+m", 0, ["\x1b[0m1m\x1b[31", "\x1b[31m1\x1b[0mm"], True, False)
@example("n.", 0, ["\n1", "n\n"], True, False)
@example('["/]+', 0, ['a"/"', "//"], False, True)
def test_matches_counted_in_json_are_those_of_the_text(
    source: str, flags: int, texts: list[str], ascii_only: bool, slashes: bool
) -> None:
    check(source, flags, texts, ascii_only, slashes)


@pytest.mark.parametrize("quick", [True, False])
def test_what_people_look_for_is_counted_in_json(quick: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not quick:
        monkeypatch.setattr(quick_bytes, "_quick", None)
    texts = [
        "170  line\n171\n\trunning",
        "\x1b[31m17\x1b[0m0\x1b[K \x1b(Blin\x1b[?25he",
        "",
        "é 170 \u3042in",
        "x" * 3_000,
    ]
    for source in (
        r"[0-9]{3}\s+\w+ing?",
        ".*line.*",
        "(?i)Lin|RUN",
        "[a-z]+( [a-z]+)?",
        "(?:a|b)*?n",
        "x{48}",
        r"\\|1",
    ):
        assert check(source, 0, texts, False, False) == len(texts), source


@pytest.mark.parametrize(
    ("source", "text", "times"),
    [
        (r"\d{3}\s+\w+", "1234 a12  \n345\t\t\\ 678\tn", 2),
        (r"(?i)k+\.", "K.kK..\n.k", 2),
        (r"0+?[01]", "000\\001/01", 3),
        (r"x[^\w]x|xx", 'x\nx"xxx/x', 3),
        (r"A{2,3}B?", "AAAAB", 1),
        ("=", '=\\="=', 3),
    ],
)
def test_patterns_that_begin_with_kinds_of_characters_are_counted_by_kinds(source: str, text: str, times: int) -> None:
    assert len(re.findall(source, text)) == times
    assert in_kinds(re.compile(source)) is not None
    assert check(source, 0, [text], True, True) == 1


@pytest.mark.parametrize("source", ["n1", r"\s\d", "[a-z]+", "[0-9].5", "(?:12|2)3", "1?2", '[\\d"]1', r"\\1", "1*"])
def test_what_may_begin_in_the_middle_of_an_escape_or_with_several_kinds_is_not_counted_by_kinds(source: str) -> None:
    assert in_kinds(re.compile(source)) is None


@pytest.mark.parametrize("source", ["x*", r"\bx", "^x", "x$", r"(x)\1", "(?=x)x", "x{401}", "(?<=y)x", ""])
def test_what_cannot_be_counted_in_json_is_refused(source: str) -> None:
    assert pattern_counter_in_json(re.compile(source)) is None


@pytest.mark.parametrize(
    "data",
    [
        rb'"x\u0078"', rb'"x\u001b"', rb'"x\u001b[1A"', b'"x\nx"', b'"x\x1b[0m"', b'"x\xffx"', b'"x\xed\xa0\x80"', b"[]", b"",
        b'"x', rb'"x\u001b[' + b"1" * 201 + b'm"',
    ],
)  # fmt: skip
def test_of_what_is_written_otherwise_nothing_is_said(data: bytes) -> None:
    count = counter_of(re.compile("x"))
    assert count is not None
    assert count(b'"xx"') == 2
    assert count(data) is None


def test_matches_close_together_are_left_to_re_for_a_while() -> None:
    count = counter_of(re.compile("[a-z]+"))
    assert count is not None
    dense = json_of("word " * 1_000, True, False)
    assert [count(dense) for _ in range(json_counting._LEFT + 1)] == [None] * (json_counting._LEFT + 1)
    assert count(b'"a word"') == 2


def test_texts_that_are_left_to_re_need_not_be_asked_of() -> None:
    counter = pattern_counter_in_json(re.compile("[a-z]+"))
    assert counter is not None
    assert not counter.leaves_next()
    dense = json_of("word " * 1_000, True, False)
    assert counter.count(dense, Signs(beyond=False, coloured=False), BEHIND_QUOTE) is None
    assert [counter.leaves_next() for _ in range(json_counting._LEFT + 1)] == [True] * json_counting._LEFT + [False]


def test_a_pattern_that_re_takes_for_ever_for_is_never_left_to_it() -> None:
    count = counter_of(re.compile("(?:a+)+b"))
    assert count is not None
    assert count(json_of("ab " * 1_000, True, False)) == 1_000
    assert count(json_of("a" * 5_000, True, False)) == 0


def test_nothing_is_counted_in_json_without_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    assert pattern_counter_in_json(re.compile("x")) is None
