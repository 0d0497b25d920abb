"""What a pattern matches is found as `re` finds it, whichever engine looks for it."""

from __future__ import annotations

import re
import time
import warnings
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajview.patterns import finder, re2
from trajview.patterns.finder import Finder, Span, finder_of, times_by_re
from trajview.rules.built_in import built_in_rules

SAMPLES = Path(__file__).parents[2] / "sample_data"
with_the_engine = pytest.mark.skipif(find_spec("re2") is None, reason="there is no RE2 here")
FLAGS = [0, re.I, re.M, re.I | re.M, re.S, re.A, re.A | re.I]
ONES = [
    "a", "b", "A", "k", "K", "s", "S", "_", "1", "-", " ", r"\n", ".", r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", "[ab]", "[^a]",
    "[a-k]", r"[\w-]", r"[^\s]", r"[^\w\n]", "\u212a", "\u017f", "\u0131", "é", "ß", "\u3042", "\u0130", "\u201c", "[\u2014-\u201c]", "[^é]", r"[^\w\u201c]", r"[\sé]", "[é-\u212a]", r"\x1d", "[^\U0010ffff]",
]  # fmt: skip
PLACES = [
    "(?=a)",
    "(?![ab])",
    "(?<!\n)",
    "^",
    "$",
    r"\b",
    r"\B",
    r"\A",
    r"\Z",
    r"(?<!\w)",
    r"(?!\w)",
    r"(?<=\w)",
    r"(?=\w)",
    r"(?<![a-zA-Z0-9_])",
]
GROUPS = ["(?>", "(?:", "(", "(?i:", "(?s:", "(?-i:", "(?m:", "(?a:"]
TIMES = ["*", "+", "?", "{2}", "{1,2}", "{0,2}", "{2,}", "{,1}", "{0}"]


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner, inner).map("".join),
        st.tuples(st.lists(inner, min_size=2, max_size=3), st.sampled_from(["", "", "", "|"])).map(
            lambda of: f"(?:{'|'.join(of[0])}{of[1]})"
        ),
        st.tuples(
            st.sampled_from(GROUPS),
            inner,
            st.just(")"),
            st.sampled_from(TIMES),
            st.sampled_from(["", "", "?", "?", "+"]),
        ).map("".join),
    )


SOURCES = st.recursive(st.sampled_from([*ONES, *ONES, *PLACES]), _larger, max_leaves=8)
PATTERNS = st.one_of(SOURCES, SOURCES.map(lambda source: rf"(?<!\w)(?:{source})(?!\w)"))
TEXTS = st.lists(
    st.one_of(
        st.text("aabbkKsS_1- .\n", max_size=24),
        st.text("abkKsS_1 .\n\u201c\u2014\U0001f600", max_size=16),
        st.text("ab\nkKs \x1d\x85é\u212a\u017f\u3042\u0663\ud800", max_size=12),
    ),
    min_size=1,
    max_size=8,
)


def as_re_finds(pattern: re.Pattern[str], text: str) -> list[Span]:
    """Every match that is not empty."""
    return [match.span() for match in pattern.finditer(text) if match.group()]


def check(found: Finder, text: str) -> None:
    spans, first = as_re_finds(found.pattern, text), found.pattern.search(text)
    assert list(found.spans(text)) == spans
    assert found.count(text) == len(spans)
    assert found.first(text) == (first and first.span())
    assert found.matches(text) == (first is not None)


@settings(max_examples=100)
@given(PATTERNS, st.sampled_from(FLAGS), TEXTS)
def test_every_match_is_the_one_of_re(source: str, flags: int, texts: list[str]) -> None:
    with warnings.catch_warnings(action="ignore"):
        pattern = re.compile(source, flags)
    found = Finder(pattern)
    for text in texts:
        check(found, text)


def handled(source: str, flags: int = 0) -> bool:
    return Finder(re.compile(source, flags)).handles("x")


@with_the_engine
@pytest.mark.parametrize(
    "source",
    [
        r"[0-9]{3}\s+\w+ing?", r"\d+\.\d+", r"(?i)\bfail(ed|ure)\b", r"(?m)(a+)+$", "a*?b", "(?:ab|a)(?:bc)??x",
        r"(?P<name>x)y", r"(?#note)x", "x{1000}", r"\bfailed\b", "[^\U0010ffff]x", "\u3042x",
    ],
)  # fmt: skip
def test_what_people_look_for_is_for_the_engine(source: str) -> None:
    assert handled(source)


@pytest.mark.parametrize(
    "source",
    [
        r"(a)\1", "x*", "(?:a*)+b", "(?:a|)*b", r"(?=a)", "a(?=bc)", "(?<=a)b", "(?>a+)b", "a++b", "(a)?(?(1)b|c)", "x{1001}",
        "(?:x{500}){500}", r"(?<!\w)(?!\w)", r"(?<=\W)a", r"(?<!\w)(?:-?\d+%?)(?!\w)|x", "x$",
    ],
)  # fmt: skip
def test_what_may_not_mean_the_same_is_left_to_re(source: str) -> None:
    found = Finder(re.compile(source))
    assert not found.handles("abcab ababa" + "x" * 2_000)
    for text in ("aab abab", "aaa", "xxxx abc", "bcd"):
        check(found, text)


@pytest.mark.parametrize("source", [r"\W", r"[^\w]", r"[^\W]", r"[\W_]", r"\Wfoo", r"[\s\W]", r"\D", r"[^\D]", r"\S"])
@pytest.mark.parametrize("flags", [re.I, re.I | re.A])
def test_ignoring_case_makes_no_letter_of_what_is_none(source: str, flags: int) -> None:
    for text in ("k K s S i I - _ 1", "kfoo sfoo -foo", "\u212a \u017f \u0131 \u0130", "\u3042 k"):
        check(Finder(re.compile(source, flags)), text)


def test_ignoring_case_in_ascii_alone_brings_in_no_other_letters() -> None:
    for source in ("(?:ak| |K)[^x]", "(?:S|\\x1d|ab|)[^x]"):
        check(Finder(re.compile(source, re.A | re.I)), "S\u017f\u3042 Ka \u212aa x\u017f\u017fx\u212a\u212ax")


@with_the_engine
def test_texts_beyond_ascii_are_for_the_engine_where_they_mean_the_same() -> None:
    for source, text in (("(?i)x[^y]+\n", "Xé\u3042\n"), (r"(?a)\b\w+\b", "x é 1")):
        found = Finder(re.compile(source))
        assert found.handles(text)
        check(found, text)
    for source, text in ((r"\w+", "é"), (r"\bx", "éx x"), ("(?i)k", "\u212a"), ("(?i)é", "É")):
        found = Finder(re.compile(source))
        assert not found.handles(text)
        check(found, text)


def test_half_of_a_pair_is_left_to_re() -> None:
    found = Finder(re.compile("a."))
    assert not found.handles("a\ud800")
    check(found, "a\ud800 ab")


def test_letters_that_ignoring_case_makes_ascii_ones_are_found() -> None:
    assert Finder(re.compile("\u212aey\u017f", re.I)).count("keys KEYS") == 2


@pytest.mark.parametrize("text", ["a" * 5_000 + "!", "a!" * 3_000, "aa\n!" * 2_000 + "b" * 9_000 + "aa"])
@pytest.mark.parametrize("source", ["a+", r"\w", "(?m)^a+$", r"a\b", "(?:aa?|b)!"])
def test_matches_close_together_are_the_same_when_re_takes_over(text: str, source: str) -> None:
    check(Finder(re.compile(source)), text)


@with_the_engine
def test_a_pattern_that_takes_for_ever_does_not() -> None:
    found = finder_of(re.compile("(a+)+$", re.M))
    before = time.process_time()
    assert found.count("a" * 5_000 + "!") == 0
    assert found.count("a" * 60 + "!") == 0
    assert time.process_time() - before < 2


@with_the_engine
def test_a_bad_pattern_is_not_given_to_re_for_matches_close_together(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Finder(re.compile(r"(?:\w+)+ "))
    assert found.handles("")
    assert not found.tame
    assert found.count("a b c") == 2
    monkeypatch.setattr(found, "pattern", None)  # it would fail
    assert found.count("a " * 1_000) == len(list(found.spans("a " * 1_000))) == 1_000


def test_the_same_is_found_without_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        real = re2.import_module

        def found_or_not(name: str) -> Any:
            if name == "re2":
                raise ImportError(name)
            return real(name)

        patched.setattr(re2, "import_module", found_or_not)
        found = Finder(re.compile("a+b"))
        assert not found.handles("aab")
    check(found, "aab b ab")


def test_the_rules_that_come_with_trajview_find_the_same_in_the_samples() -> None:
    files = chain.from_iterable(SAMPLES.glob(f"*/*.{kind}") for kind in ("json", "jsonl", "yaml"))
    texts = [path.read_text("utf-8", "replace")[:20_000] for path in sorted(files)]
    texts += [text.encode("ascii", "replace").decode() for text in texts if not text.isascii()]
    assert len(texts) > 20
    for rule in built_in_rules():
        found = Finder(rule.pattern)
        for text in texts:
            first = rule.pattern.search(text)
            assert found.first(text) == (first and first.span()), rule.name


@with_the_engine
@pytest.mark.parametrize("before", ["", "é", "\u3042\U0001f600"])
def test_many_matches_are_counted_behind_any_characters(before: str) -> None:
    text = before * 300 + "ab " * 1000 + before
    found = Finder(re.compile("ab"))
    assert found.count(text) == 1000
    assert list(Finder(re.compile("ab")).spans(text)) == [match.span() for match in re.finditer("ab", text)]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("e.", "see the eel"), ("e*", "see the eel"), ("(e)|x", "see the eel"), ("(e*)(x)?", "see the eel"), ("(?<=s)e", "see se"),
        ("^", "a\nb"), (r"(\w)\1", "see the eel"), ("", "ab"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("listed", [0, 1_000])
def test_matches_of_re_are_counted_from_a_place_on(
    source: str, text: str, start: int, listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finder, "MOST_LISTED", listed)
    pattern = re.compile(source, re.MULTILINE)
    times = sum(1 for match in pattern.finditer(text, start) if match.group())
    assert times_by_re(pattern, text, start) == times


@pytest.mark.parametrize("source", ["a b", "a", r"a\-b", r"\\", r"\\-\\", "kK", "A", "a#b"])
@pytest.mark.parametrize("flags", [0, re.I, re.X, re.I | re.X, re.M])
def test_a_pattern_that_is_a_text_is_found_as_one(source: str, flags: int) -> None:
    for text in ("a b ab A-B a-b", r"\\-\ \-\-\ ", "kkkKK \u212ak", "aaAA#b a#b A#B", ""):
        check(Finder(re.compile(source, flags)), text)


def test_a_long_text_is_not_listed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finder, "MOST_LISTED", 4)

    class Watched:
        groups = 0

        def findall(self, text: str, start: int) -> list[str]:
            raise AssertionError("no other thread runs meanwhile")

        finditer = staticmethod(re.compile("ab").finditer)

    assert times_by_re(Watched(), "ababab") == 3  # type: ignore[arg-type]
    with pytest.raises(AssertionError):
        times_by_re(Watched(), "abab")  # type: ignore[arg-type]
