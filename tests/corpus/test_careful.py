"""A pattern that can take for ever is counted where it can be ended, and any other one right here."""

from __future__ import annotations

import time

import psutil
import pytest

from trajview.corpus.careful import Cancelled, counts_of
from trajview.corpus.query import Query
from trajview.patterns.patience import TooSlow

ENDLESS = "(a+)+(?<!a)!"
"""It looks behind, which RE2 cannot, and without that it matches: so `re` has to tell, which takes for ever."""
BAD = "a" * 60 + "!"


def test_a_plain_pattern_starts_no_process() -> None:
    with counts_of(Query(r"def \w+\(n.*x"), lambda: False) as (count, at_once):
        assert count("def f(n) x, def g(n) x\ndef h(nx") == 2
        assert at_once
        assert not psutil.Process().children()


def test_a_pattern_that_can_take_for_ever_counts_the_same() -> None:
    query = Query(r"(\w+ )+(?<!x )end|(x+)+y")
    texts = ["one two end", "no", "xxy XY xy\nthe end", "", "é one two end"]
    with counts_of(query, lambda: False) as (count, at_once):
        assert [count(text) for text in texts] == [1, 0, 4, 0, 1]
        assert not at_once
        assert psutil.Process().children()
    assert not psutil.Process().children()


def test_a_text_in_which_re2_finds_the_same_needs_no_process() -> None:
    pytest.importorskip("re2")
    with counts_of(Query("(a+)+$"), lambda: False) as (count, at_once):
        assert [count(text) for text in ("a" * 60 + "!", "aaa\naa", "b")] == [0, 2, 0]
        assert not at_once, "the screen looks for it by other means"
        assert not psutil.Process().children()


def test_it_is_given_up_after_a_while() -> None:
    with counts_of(Query(ENDLESS), lambda: False, 0.5) as (count, _), pytest.raises(TooSlow, match=r"0\.5 s"):
        count(BAD)
    assert not psutil.Process().children()


def test_it_is_given_up_when_nobody_wants_to_know_any_more() -> None:
    start = time.monotonic()
    with (
        counts_of(Query(ENDLESS), lambda: time.monotonic() - start > 0.5, 100) as (count, _),
        pytest.raises(Cancelled),
    ):
        count(BAD)
    assert time.monotonic() - start < 30
    assert not psutil.Process().children()


def test_where_no_process_can_be_started_it_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere")
    with counts_of(Query(ENDLESS), lambda: False) as (count, _), pytest.raises(TooSlow, match="broke off"):
        count(BAD)
