"""Lines of two texts beside each other, and the words that differ."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from trajview.compare.alignment import Kind
from trajview.compare.text import differing_words, pair_lines

words = st.sampled_from(["the", "clock", "  ", " ", "stopped", ".", "(", "ünïcode", "\ud83d", "12", "\t"])
lines = st.lists(words, max_size=12).map(" ".join)
texts = st.lists(lines, max_size=25)


def without(line: str, spans: tuple[tuple[int, int], ...]) -> str:
    kept, at = [], 0
    for start, end in spans:
        assert at <= start < end <= len(line)
        kept.append(line[at:start])
        at = end
    return "".join([*kept, line[at:]])


@given(texts, texts)
def test_both_texts_are_read_from_the_pairs_whole_and_in_order(left: list[str], right: list[str]) -> None:
    pairs = pair_lines(left, right)
    assert [pair.left for pair in pairs if pair.left is not None] == list(range(len(left)))
    assert [pair.right for pair in pairs if pair.right is not None] == list(range(len(right)))
    for pair in pairs:
        assert (pair.left is None) == (pair.kind is Kind.RIGHT)
        assert (pair.right is None) == (pair.kind is Kind.LEFT)
        if pair.left is not None and pair.right is not None:
            assert (left[pair.left] == right[pair.right]) == (pair.kind is Kind.SAME)


@given(texts, texts)
def test_exchanged_texts_pair_the_same_lines(left: list[str], right: list[str]) -> None:
    there = {(p.left, p.right, p.left_spans) for p in pair_lines(left, right) if p.kind in (Kind.SAME, Kind.CHANGED)}
    back = {(p.right, p.left, p.right_spans) for p in pair_lines(right, left) if p.kind in (Kind.SAME, Kind.CHANGED)}
    assert there == back


@given(lines, lines)
def test_without_the_words_that_differ_both_lines_say_the_same(left: str, right: str) -> None:
    left_spans, right_spans = differing_words(left, right)
    if left == right:
        assert left_spans == right_spans == ()
    else:
        assert left_spans or right_spans
        # Blanks between two pieces that differ count as differing too.
        assert "".join(without(left, left_spans).split()) == "".join(without(right, right_spans).split())


def test_the_word_that_was_exchanged_differs() -> None:
    left, right = "the anchor is dry", "the anchor is wet"
    assert differing_words(left, right) == (((14, 17),), ((14, 17),))


def test_words_exchanged_beside_each_other_are_one_piece() -> None:
    left, right = differing_words("it ran very well today", "it ran rather badly today")
    assert left == ((7, 16),)
    assert right == ((7, 19),)


def test_of_a_line_of_a_megabyte_the_middle_differs() -> None:
    same = "x y " * 250_000
    start = time.process_time()
    left, right = differing_words(f"{same}one{same}", f"{same}two{same}")
    assert time.process_time() - start < 1
    assert left == right == ((1_000_000, 1_000_003),)


def test_a_changed_line_is_beside_what_it_was() -> None:
    pairs = pair_lines(["a", "return one, two", "z"], ["a", "# why", "return one, three", "z"])
    assert [(p.left, p.right, p.kind) for p in pairs] == [
        (0, 0, Kind.SAME), (None, 1, Kind.RIGHT), (1, 2, Kind.CHANGED), (2, 3, Kind.SAME),
    ]  # fmt: skip


def test_lines_with_nothing_in_common_are_not_compared_by_word() -> None:
    pairs = pair_lines(["one two three"], ["vier fünf sechs"])
    assert [pair.kind for pair in pairs] == [Kind.LEFT, Kind.RIGHT]


def test_texts_of_twenty_thousand_lines_end_soon() -> None:
    left = [f"line {i} of the output" for i in range(20_000)]
    right = [line if i % 9 else f"{line}, changed" for i, line in enumerate(left)]
    start = time.process_time()
    pairs = pair_lines(left, right)
    assert time.process_time() - start < 3
    assert sum(pair.kind is Kind.CHANGED for pair in pairs) == len(range(0, 20_000, 9))
