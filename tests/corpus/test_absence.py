"""What is said to hold no match, while it is still JSON, holds none."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.patterns.test_finder import FLAGS, SOURCES
from trajview.corpus import absence
from trajview.corpus.absence import NOWHERE, beginning_of, signs_in
from trajview.patterns import quick_bytes, rows
from trajview.textsafe import without_colours

SIGNS = st.sampled_from(
    ["\n", r"\t", r"\\", '"', "/", r"\x08", r"[\n\"x]", "[0-9]{3}", "[a-c]+", r"\d+", "\x1b", "m", "n", "u"]
)
PATTERNS = st.lists(st.one_of(SOURCES, SIGNS), min_size=1, max_size=5).map("".join)
TEXTS = st.lists(
    st.one_of(
        st.text("aAbkKsS_1- .\n\"\\/\t", max_size=24),
        st.text("ab1n\n\r\t\b\f\0\"\\/utrf", max_size=24),
        st.text("a1\n\"\\kKs\x1d\x7f\x85é\u212a\u017f\u3042\u0663\U0001f600", max_size=12),
        st.lists(st.sampled_from(["\x1b[0m", "\x1b[1;31m", "a", "1", "\n", "m", "11"]), max_size=9).map("".join),
    ),
    min_size=1,
    max_size=6,
)  # fmt: skip


def json_of(text: str, ascii_only: bool, slashes: bool) -> bytes:
    data = json.dumps(text, ensure_ascii=ascii_only).encode()
    return data.replace(b"/", b"\\/") if slashes else data


@pytest.fixture(autouse=True)
def _every_row_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(rows, "_LEAST_RARE", 0.0)
    monkeypatch.setattr(absence, "_WORTH", 0)
    beginning_of.cache_clear()
    yield
    beginning_of.cache_clear()


def absence_of(pattern: re.Pattern[str]) -> Callable[[bytes], bool] | None:
    """What says whether JSON tells that a pattern matches nothing in it."""
    begins = beginning_of(pattern)
    if begins is None:
        return None
    return lambda data: (signs := signs_in(data)) is not None and begins(data, signs) == NOWHERE


def check(source: str, flags: int, texts: list[str], ascii_only: bool, slashes: bool) -> int:
    """How many texts are said to hold no match."""
    with warnings.catch_warnings(action="ignore"):
        pattern = re.compile(source, flags)
    is_absent, said = absence_of(pattern), 0
    for text in texts:
        data = json_of(text, ascii_only, slashes)
        if is_absent is not None and is_absent(data):
            assert not any(match.group() for match in pattern.finditer(without_colours(text)))
            said += 1
    return said


def test_a_character_that_json_spells_with_two_may_stand_before_a_row_and_within_it() -> None:
    for source, text in (
        (r"[\nx]aab", "\naab"),
        (r'["x]aab', '"aab'),
        (r"[\\x]aab", "\\aab"),
        (r"[éx]aab", "éaab"),
        (r"aa[\\x]bb", "aa\\bb"),
        (r'aa["x]bb', 'aa"bb'),
    ):
        assert check(source, 0, [text, "xaab", "yaa", "aaxbb", "nothing"], True, False) >= 1
        check(source, 0, [text], False, False)


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(PATTERNS, st.sampled_from(FLAGS), TEXTS, st.booleans(), st.booleans())
def test_what_is_said_to_be_absent_is_nowhere(
    source: str, flags: int, texts: list[str], ascii_only: bool, slashes: bool
) -> None:
    check(source, flags, texts, ascii_only, slashes)


@pytest.mark.parametrize("source", [r"[0-9]{3}\s+\w+ing?", r"\d+\.\d+", r"\b\d{4}-\d{2}", r"x+\d\d$", r"(?i)no\d\n+"])
@pytest.mark.parametrize("quick", [True, False])
def test_texts_that_hold_a_match_are_told_from_those_that_do_not(
    source: str, quick: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    if not quick:
        monkeypatch.setattr(quick_bytes, "_quick", None)
    beginning_of.cache_clear()
    is_absent = absence_of(re.compile(source))
    assert is_absent is not None
    for held in ("007\nrunning", "1.5", "on 2024-12", "xx12", "say no1\n\nno"):
        found = re.search(source, held) is not None
        assert is_absent(json_of(f"A text\twith {held}", True, False)) != found
    assert is_absent(b'""')


@pytest.mark.parametrize("source", [".*", "a?", r"(?=a)", r"(a)\1", r"\w+|\d", r"\s\w+"])
def test_nothing_is_said_of_patterns_that_are_everywhere(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    beginning_of.cache_clear()
    assert beginning_of(re.compile(source)) is None


def test_nothing_is_said_of_what_cannot_be_read_as_it_is_written() -> None:
    is_absent = absence_of(re.compile("[ab]1"))
    assert is_absent is not None
    assert is_absent(b'"a 1"')
    for data in (rb'"a 1 \u0061"', b'"a\x1b[0m1"', '"é'.encode("latin-1") + b'"', b'"\xed\xa0\x80"'):
        assert not is_absent(data), data
    assert is_absent('"é"'.encode())


def test_rows_are_found_with_codes_for_colours_within_them() -> None:
    is_absent = absence_of(re.compile(r"\d{3}\n"))
    assert is_absent is not None
    for text in ("1\x1b[0m23\n", "12\x1b[31m\x1b[K3\n", "1\x1b[0m2\x1b(B3\n", "123\x1b[0m\n"):
        assert not is_absent(json_of(text, True, False)), text
    for text in ("\x1b[30m1 \x1b[0m\n", "\x1b[30m 12\x1b[0m ab\n"):
        assert is_absent(json_of(text, True, False)), text


def test_every_end_of_a_code_for_colours_is_known() -> None:
    starts = ("\x1b", "\x1b[", "\x1b[0", "\x1b[?2", "\x1b[?25", "\x1b(")
    ends = {chr(code) for code in range(0x3000) for start in starts if not without_colours(start + chr(code))}
    assert "".join(ends).encode().translate(None, rows._CODE_ENDS) == b""
    assert len(ends) == len(rows._CODE_ENDS)


@pytest.mark.parametrize(
    ("source", "text", "place"),
    [
        (r"[0-9]{3}\s", "x" * 50 + "170 ", 50),
        (r"a[0-9]{3}", "\\\\\n" * 9 + "a170", 9 * 6),
        (r".[0-9]{3}", "\n" * 9 + "\\170", 9 * 2),
        (r"\w+[0-9]{3}", "x" * 50 + "170", 1),
        (r"[0-9]{3}", "\x1b[0m" + "x" * 50 + "170", 1),
        (r"[0-9]{3}", "no", NOWHERE),
    ],
)
def test_before_the_place_where_a_match_may_begin_there_is_none(source: str, text: str, place: int) -> None:
    begins, data = beginning_of(re.compile(source)), json_of(text, True, False)
    signs = signs_in(data)
    assert begins is not None
    assert signs is not None
    at = begins(data, signs)
    if place == NOWHERE:
        assert at == place
    else:
        assert place - 8 < at <= max(1, place)
        assert re.search(source, json.loads(b'"' + data[at:])) is not None
