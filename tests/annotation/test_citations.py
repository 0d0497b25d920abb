"""Citations: what is written is read again, what models write is understood, and nothing takes long."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trajview.annotation.citations import (
    LONGEST_QUOTE,
    Citation,
    cite,
    find_citations,
    find_quote,
    may_cite,
    quotable,
)

NUMBERS = st.integers(0, 999_999_999)
AROUND = st.text("ab c.,\n“é", max_size=12)
"""Text beside a citation that is none itself, and does not stick to it."""


def found(text: str) -> list[tuple[int, int, str]]:
    return [(citation.transcript, citation.message, citation.quote) for citation in find_citations(text)]


@given(NUMBERS, NUMBERS, st.text(max_size=400), AROUND, AROUND)
@example(0, 12, 'he said "no" [twice] and \\ left\\', "", "")
@example(0, 1, 'see [T9B9: "x"] or [T8B8]', "", "")
@example(0, 1, "<RANGE>", "", "")
@example(0, 1, "x</RANGE>]", "", "")
def test_a_written_citation_is_found_where_it_stands(
    transcript: int, message: int, quote: str, before: str, after: str
) -> None:
    written = cite(transcript, message, quote)
    [citation] = find_citations(before + written + after)
    assert (citation.transcript, citation.message, citation.quote) == (transcript, message, quotable(quote))
    assert (citation.start, citation.end) == (len(before), len(before) + len(written))
    assert (citation.last, citation.run) == (None, None)
    assert "\n" not in written


@given(NUMBERS, NUMBERS, NUMBERS)
def test_a_citation_of_several_messages_is_found(transcript: int, one: int, other: int) -> None:
    first, last = sorted((one, other))
    [citation] = find_citations(cite(transcript, first, last=last))
    assert citation.messages == range(first, last + 1)
    assert citation.transcript == transcript


@given(st.lists(st.tuples(NUMBERS, NUMBERS, st.text(max_size=30)), max_size=5))
def test_several_citations_are_found_in_order(cited: list[tuple[int, int, str]]) -> None:
    text = " so ".join(cite(*one) for one in cited)
    assert found(text) == [(transcript, message, quotable(quote)) for transcript, message, quote in cited]


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("[T0B12]", [(0, 12, "")]),
        ("[ T0B12 ]", [(0, 12, "")]),
        ("[t0b12]", [(0, 12, "")]),
        ("(T0B12)", [(0, 12, "")]),
        ("as T0B12 says, and T1B3.", [(0, 12, ""), (1, 3, "")]),
        ("[T0B1, T0B3; T1B2]", [(0, 1, ""), (0, 3, ""), (1, 2, "")]),
        ("[T0B1][T0B2]", [(0, 1, ""), (0, 2, "")]),
        ("[T0B1 and T0B2]", [(0, 1, ""), (0, 2, "")]),
        ("[T0B12:<RANGE>no [more] power</RANGE>]", [(0, 12, "no [more] power")]),
        ("[T0B1:<RANGE>a</RANGE>, T0B2:<RANGE>b</RANGE>]", [(0, 1, "a"), (0, 2, "b")]),
        ("[T0B12: “no power”]", [(0, 12, "no power")]),
        ("[T0B12: 'it's off']", [(0, 12, "it's off")]),
        ("[T0B12: no power]", [(0, 12, "no power")]),
        ('[T0B12: "a "b" c"]', [(0, 12, 'a "b" c')]),
        ('[T0B12: "a] b"]', [(0, 12, "a] b")]),
        ('(T0B12: "f(x)")', [(0, 12, "f(x)")]),
        ('[T0B1: "C:\\new"]', [(0, 1, "C:\\new")]),
        ('[T0B12: "no\npower  \n at all"], so', [(0, 12, "no power at all")]),
        ("[T0B12: “no\npower”]", [(0, 12, "no power")]),
        ('[T0B12: "no\n\npower"]', [(0, 12, "")]),
        ('[T0B1: "oops]\nand [T0B2: "fine"]', [(0, 1, "oops"), (0, 2, "fine")]),
        ('[T0B1: "oops] and [T0B2: "fine"]', [(0, 1, "oops"), (0, 2, "fine")]),
        ('[T0B1: "never closed', [(0, 1, "")]),
        ("[T0B1", [(0, 1, "")]),
        ("[T0B1M.score]", [(0, 1, "")]),
        ("[T0B1](http://x)", [(0, 1, "")]),
        ("**[T0B1]**", [(0, 1, "")]),
    ],
)
def test_what_models_write_is_understood(text: str, cited: list[tuple[int, int, str]]) -> None:
    assert found(text) == cited


@pytest.mark.parametrize(
    "text", ["[T0B12-T0B15]", "[T0B12-B15]", "[T0B12–15]", "(T0B12-B15)", "[T0B15-T0B12]", "T0B12-T0B15"]
)
def test_from_one_message_to_another(text: str) -> None:
    [citation] = find_citations(text)
    assert (citation.transcript, list(citation.messages)) == (0, [12, 13, 14, 15])
    assert (citation.start, citation.end) == (0, len(text))
    assert citation.place == "T0B12-B15"


def test_from_one_transcript_to_another_are_two_citations() -> None:
    assert found("[T0B12-T1B3]") == [(0, 12, ""), (1, 3, "")]


def test_a_run_is_named() -> None:
    [citation] = find_citations('[R3T0B12: "x"]')
    assert citation == Citation(0, 14, 0, 12, "x", run=3)
    assert citation.place == "R3T0B12"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "TB",
        "T1",
        "B2",
        "[T1]",
        "[B12]",
        "AT0B12",
        "T0B12x",
        "T0B12=",
        "+T0B1/",
        "T0B1234567890",
        "[TxB1]",
        "٣T٣B٣",
        "x.T0B1",
    ],
)
def test_what_is_no_citation_is_none(text: str) -> None:
    assert find_citations(text) == []


def test_the_pieces_of_a_list_share_its_brackets() -> None:
    text = "so [T0B1, T0B3]."
    assert [text[c.start : c.end] for c in find_citations(text)] == ["[T0B1", "T0B3]"]


@given(st.text(st.sampled_from("[(T0B1RMB2]): ,;-\"\\<RANGE>/“”'\n x"), max_size=60))
def test_citations_come_in_order_and_do_not_overlap_whatever_the_text(text: str) -> None:
    citations = find_citations(text)
    at = 0
    for citation in citations:
        assert at <= citation.start < citation.end <= len(text)
        assert may_cite(text[citation.start : citation.end]) or text[citation.start :][:1] in "-–—. \n"
        at = citation.end
    if citations:
        assert may_cite(text)


@pytest.mark.parametrize(
    "piece",
    ['[T0B1: "', "[T0B1:<RANGE>", "[T0B1, ", "(T0B1: x", '[T0B1: "a"b', "[T0B1: \\", "T0B1-", "[" * 50, "T" * 50, "T0B1 ", '[T0B1: “x"', "[T0B1:'"],
)  # fmt: skip
def test_a_text_made_to_be_slow_is_not(piece: str) -> None:
    began = time.process_time()
    find_citations(piece * (200_000 // len(piece)))
    assert time.process_time() - began < 1.5


def test_no_more_citations_are_looked_for_than_are_wanted() -> None:
    assert len(find_citations("[T0B1] " * 100, most=10)) == 10
    assert len(find_citations("[T0B1, T0B2] " * 100, most=1)) == 2, "a list is not divided"


def test_a_quotation_that_nearly_matches_everywhere_is_not_slow() -> None:
    began = time.process_time()
    assert find_quote("a " * 1_900 + "b", "a " * 500_000) is None
    assert find_quote("İ" * 100 + " x", "İ" * 500_000) is None
    assert time.process_time() - began < 5


@given(st.text(max_size=600))
def test_a_quotation_is_short_on_one_line_and_stays_as_it_is_when_quoted_again(text: str) -> None:
    words = quotable(text)
    assert len(words) <= LONGEST_QUOTE
    assert words == " ".join(words.split())
    assert quotable(words) == words


def test_a_long_quotation_keeps_its_beginning_and_its_end() -> None:
    text = " ".join(f"word{n}" for n in range(100))
    words = quotable(text)
    assert words.startswith("word0 word1 ")
    assert words.endswith(" word98 word99")
    assert " … " in words
    at = find_quote(words, f"before {text} after")
    assert at == (7, 7 + len(text))


@given(st.text(st.sampled_from("ab.*(\\[é \n"), max_size=300), AROUND)
def test_quoted_words_are_found_in_the_text_they_come_from(text: str, before: str) -> None:
    words = quotable(text)
    at = find_quote(words, before + text)
    if words.replace(".", "").replace("…", "").strip():
        assert at is not None
        assert at[0] < at[1]
    else:
        assert at is None or at[0] <= at[1]


@pytest.mark.parametrize(
    "quote", ["No  power", "**no** power", "`no power`", "the plug ... no power", "the plug […] no power"]
)
def test_quoted_words_are_found_whatever_their_case_spaces_and_marks(quote: str) -> None:
    text = "Look: the plug is out,\nso no\n  power."
    at = find_quote(quote, text)
    assert at is not None
    assert text[at[0] : at[1]].endswith("no\n  power")


def test_words_that_are_not_there_are_not_found() -> None:
    assert find_quote("no gas", "no power") is None
    assert find_quote("power … no", "no power") is None
    assert find_quote("", "no power") is None
    assert find_quote("…", "no power") is None
