"""Search in a transcript: what it finds, in which order it says so, and that it never misses anything for speed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tests.formats.strategies import items
from tests.formats.undecoded import undecoded
from trajview.app.transcript.search import search
from trajview.corpus import matches
from trajview.corpus.pattern_words import literal_of
from trajview.corpus.query import Query, QueryError, query_from
from trajview.formats.chat import Conversation, message_of
from trajview.formats.chat_source import ChatSource
from trajview.formats.docent import DocentSource
from trajview.formats.docent import message_of as docents_message_of
from trajview.highlight import text_of
from trajview.models.messages import ChatMessage, UserMessage
from trajview.patterns.finder import finder_of
from trajview.textsafe import without_colours

PATTERNS = st.text(alphabet="abcA.*+?[]{}()|\\^$1-sſ k", max_size=8)
TEXTS = st.text(alphabet='abcABC\n 1ſKkiİı"/\\é\x1b', max_size=12)
ESCAPED = st.text(alphabet='nrtbfu0\n\r\t\b\f\0/\\"aé1 ', max_size=12)
"""Much that JSON spells otherwise, and letters that such spellings have."""
WORDS = st.sampled_from(
    [
        "a",
        "ab",
        "bash",
        "x",
        "1",
        "[a-z]+",
        "json",
        "not JSON",
        "k",
        "s",
        "İ",
        "i",
        '"a',
        "1.0",
        "inf",
        "_raw",
        "a/b",
        "é",
        "n",
        "ru",
        "0 a",
        "null",
        r"\.n",
        r"[0-9]\s\w",
        r"[a-c]\s+[a-f]",
        r"[/\"]\n?[abf]",
    ]
)
NEEDLES = WORDS | PATTERNS | st.text(alphabet="abckKsiI .1", min_size=1, max_size=4)
NUMBER = st.sampled_from([1, 1.0, 1e22, True, None, 10**400])
ARGUMENTS = st.dictionaries(TEXTS, TEXTS | NUMBER | st.lists(NUMBER | TEXTS, max_size=2), max_size=2)
FUNCTION = st.fixed_dictionaries(
    {"name": TEXTS | st.just("f"), "arguments": ARGUMENTS.map(json.dumps) | ARGUMENTS | TEXTS}
)
CALLS = st.lists(
    st.fixed_dictionaries({"function": FUNCTION}, optional={"id": TEXTS, "parse_error": TEXTS})
    | st.fixed_dictionaries({"function": TEXTS, "arguments": ARGUMENTS | TEXTS}, optional={"id": TEXTS}),
    max_size=2,
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool", "system"]), "content": TEXTS | st.none()},
        optional={
            "tool_calls": CALLS, "error": TEXTS | ARGUMENTS, "is_error": st.booleans(), "reasoning_content": TEXTS, "refusal": TEXTS,
            "function_call": st.fixed_dictionaries({"name": TEXTS, "arguments": TEXTS}), "name": TEXTS, "tool_call_id": TEXTS,
        },
    ),
    max_size=6,
)  # fmt: skip


PLAIN = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "tool", "assistant"]), "content": TEXTS | ESCAPED | st.none()},
        optional={"tool_calls": CALLS, "id": TEXTS},
    ),
    max_size=6,
)
"""Messages that say nothing but a text and calls."""


def at_once(logged: list[Any]) -> list[ChatMessage]:
    """The messages as one conversation builds them from first to last."""
    return [message_of(message) for message in Conversation().extend(logged).messages]


def unread(source: ChatSource | DocentSource) -> list[ChatMessage]:
    return source.messages(source.roles)


@given(PATTERNS, st.lists(TEXTS, max_size=3))
@example("ſ", ["S"])
@example("abc{0}", ["ab"])
@example("[]abc]", ["a"])
@example("k", ["K"])
def test_the_quick_look_never_misses_a_match(pattern: str, texts: list[str]) -> None:
    assume(pattern.strip())
    query, text = query_from(pattern), "\n".join(texts)
    if any(match.group() for match in query.pattern.finditer(text)):
        assert query.literal.may_be_in(text)


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        ("needle_c[a-z]+", "needle_c"),
        (r"def parse_\w+", "def parse_"),
        (r"foo\.bar", "foo.bar"),
        ("colou?r", "colo"),
        ("ab.cdef.gh", "cdef"),
        ("abc|xyz", ""),
        ("(abc)+", "abc"),
        ("a.b", "a"),
        ("(?i)abc", "abc"),
        ("(?:ab)?", ""),
    ],
)
def test_the_text_that_every_match_must_hold(pattern: str, literal: str) -> None:
    assert literal_of(query_from(pattern).pattern).text == literal


@given(items(), st.sampled_from(["a", "bash", "x", "1", "[a-z]+", "call", "text"]), st.integers(0, 12))
def test_messages_that_are_not_read_are_searched_as_those_that_are(logged: list[Any], text: str, start: int) -> None:
    built = at_once(logged)
    (*first, last) = search(unread(ChatSource(logged)), query_from(text), start)
    (*expected, all_of_them) = search(built, query_from(text), start)
    assert (last.messages, last.counts, last.done) == (all_of_them.messages, all_of_them.counts, True)
    assert [hits.messages for hits in first] == [hits.messages for hits in expected]
    assert last.messages == tuple(
        i for i, m in enumerate(built) if query_from(text).pattern.search(without_colours(text_of(m)))
    )


@settings(max_examples=250, deadline=None)
@given(MESSAGES | PLAIN, NEEDLES, st.booleans(), st.booleans(), st.integers(0, 7))
def test_messages_that_are_bytes_are_searched_as_built_ones_are(
    logged: list[Any], text: str, ascii_only: bool, by_docent: bool, start: int
) -> None:
    assume(text.strip())
    items = undecoded(json.dumps(logged, ensure_ascii=ascii_only).encode())
    if by_docent:
        built, lazy = [docents_message_of(item)[0] for item in logged], unread(DocentSource(items))
    else:
        built, lazy = at_once(logged), unread(ChatSource(items))
    query = query_from(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matches, "TOGETHER", 2)
        (*first, last) = search(lazy, query, start)
    expected = {index: _count(query, without_colours(text_of(message))) for index, message in enumerate(built)}
    expected = {index: count for index, count in expected.items() if count}
    assert dict(zip(last.messages, last.counts, strict=True)) == expected
    if first:  # where a pattern may take long, all come at once
        assert first[0].messages[0] == min(expected, key=lambda index: (index < start, index))


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("not JSON", {1, 3}),
        (r"not JSON\b", {1, 3}),
        (r"Expecting \w+", {1}),
        ("Extra data", {3}),
        (r"def \w+\(n", {0, 2, 4}),
        ("def b", {0, 4}),
        (r"\bnope", {4}),
        ("d+e[fx] ", {0, 2, 3, 4}),
        ("inf", {5}),
        (r"inf\b", {5}),
        (r"true\s+end", {5}),
        (r"end\sf\b", {5}),
    ],
)
def test_what_is_wrong_with_calls_and_what_their_values_become_is_found(pattern: str, expected: set[int]) -> None:
    def calls(arguments: str) -> list[Any]:
        return [{"id": "1", "type": "function", "function": {"name": "f", "arguments": arguments}}]

    logged = [
        {"role": "user", "content": "def a(n)\ndef b"},
        {"role": "assistant", "content": "x", "tool_calls": calls("no JSON")},
        {"role": "assistant", "content": "def a(n)", "tool_calls": calls("{}")},
        {"role": "assistant", "content": "x", "tool_calls": calls('{"a": 1} def')},
        {"role": "assistant", "content": "def b\nope nope", "tool_calls": calls('{"x": "def a(n)"}')},
        {"role": "assistant", "content": "the end", "tool_calls": calls('{"inf": 1e999, "x": true, "end": 1}')},
    ]
    built = at_once(logged)
    query = query_from(pattern)
    counts = {index: _count(query, text_of(message)) for index, message in enumerate(built)}
    of_bytes = ChatSource(undecoded(logged))
    for messages in (built, unread(ChatSource(logged)), unread(of_bytes)):
        (*_, last) = search(messages, query)
        found = dict(zip(last.messages, last.counts, strict=True))
        assert found == {index: count for index, count in counts.items() if count}
        assert found.keys() == expected


def _count(query: Query, text: str) -> int:
    return sum(1 for match in query.pattern.finditer(text) if match.group())


@settings(max_examples=200)
@given(NEEDLES, TEXTS, st.booleans())
@example("[ -_]", "a", True)
@example("k", "K", False)
def test_matches_are_counted_as_the_pattern_finds_them(text: str, within: str, regex: bool) -> None:
    try:
        query = Query(text, regex=regex)
    except QueryError:
        return
    assert finder_of(query.pattern).count(within) == _count(query, within)


def test_the_first_hit_comes_first_from_where_the_reader_is_and_round_the_end() -> None:
    messages = [UserMessage(content=text) for text in ("kettle", "tea", "kettle kettle", "cup")]
    first, last = search(messages, query_from("kettle"), 1)
    assert (first.messages, first.counts, first.done) == ((2,), (2,), False)
    assert (last.messages, last.counts, last.done, last.total) == ((0, 2), (1, 2), True, 3)
    (first, last) = search(messages, query_from("kettle"), 3)
    assert first.messages == (0,)


def test_nothing_found_is_said_once() -> None:
    assert [(hits.messages, hits.done) for hits in search([UserMessage(content="tea")], query_from("x"))] == [
        ((), True)
    ]


def test_a_cancelled_search_says_nothing_more() -> None:
    messages = [UserMessage(content="tea")] * 3
    assert list(search(messages, query_from("tea"), cancelled=lambda: True)) == []


def found(typed: str, *texts: str) -> int:
    *_, last = search([UserMessage(content=text) for text in texts], query_from(typed))
    return last.total


def test_capitals_make_it_mind_the_case_and_no_regular_expression_is_plain_text() -> None:
    assert found("Tea", "tea Tea") == 1
    assert found("tea", "tea Tea") == 2
    assert found("foo(", "foo(bar) foo") == 1
    assert found("x*", "abc") == 0


def test_roles_restrict_it() -> None:
    assert found("role:user tea", "tea") == 1
    assert found("role:tool tea", "tea") == 0


def test_a_match_that_goes_on_from_a_text_into_a_call_is_found_where_most_messages_hold_none() -> None:
    call = [{"id": "1", "type": "function", "function": {"name": "string", "arguments": '{"at": "8.25"}'}}]
    logged = [
        {"role": "assistant", "content": "It is at 123", "tool_calls": call},
        {"role": "assistant", "content": "It is at 12", "tool_calls": call},
        {"role": "user", "content": "456 \t\nrunning"},
        *({"role": "user", "content": f"12 running {number}"} for number in range(80)),
    ]
    lazy = unread(ChatSource(undecoded(logged)))
    assert list(search(lazy, query_from(r"[0-9]{3}\s+\w+ing?")))[-1].messages == (0, 2)
    assert list(search(lazy, query_from(r"\d\.\d+")))[-1].messages == (0, 1)
