"""What a message of blocks says without being built is what it says when it is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trajview.app.search import search
from trajview.compare.prints import said, said_plainly
from trajview.corpus.decode import decode_json
from trajview.corpus.matches import pieces_of
from trajview.corpus.query import Query
from trajview.formats.chat import Conversation, message_models
from trajview.formats.lazy import LazyMessages
from trajview.formats.unread import Unread, parted
from trajview.highlight import compile_rule, error_of, highlights_in, text_of
from trajview.models.messages import ChatMessage
from trajview.models.transcript import Transcript

TEXT = st.sampled_from(["", "a", "tea\nkettle", "def f(n", "\x1b[1mbold\x1b[0m", "Straße", "\n", "exit code 3", "true"])
ID = st.sampled_from(["a", "b", ""])
ODD = st.sampled_from([None, 5, True, False, "text", "?", [], ["x"], {}, {"type": 7}, {"a": [1]}, {"annotations": 3}])
INPUT = st.sampled_from([{}, {"x": 1}, {"a": {"b": ["tea", True, None, 1.5]}}, {"kettle": "a\nb"}, '{"x": 2}', "{", ""])
VALUES = TEXT | ODD


def block(kind: str, *names: str, **usual: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A block of a type with its usual keys; one in some has others, or odd values."""
    types = st.sampled_from([kind, *names])
    odd = ("text", "thinking", "reasoning", "summary", "redacted", "refusal", "temporal", "annotations", "signature", "name", "arguments",
           "function", "parse_error", "view", "language", "stands_for", "error", "exit_code", "is_error", "image", "source", "5")  # fmt: skip
    return st.one_of(
        st.fixed_dictionaries({"type": types}, optional=usual),
        st.fixed_dictionaries({"type": types, **usual}),
        st.fixed_dictionaries({"type": types, **usual}),
        st.fixed_dictionaries({"type": types, **usual}).flatmap(
            lambda one: st.dictionaries(st.sampled_from(odd), VALUES, max_size=2).map(lambda more: {**one, **more})
        ),
    )


WORDS = block("text", "input_text", "output_text", text=TEXT)
SOURCE = st.sampled_from(
    [{"type": "base64", "media_type": "image/png", "data": "AAAA"}, {"url": "tea"}, "tea", {"text": "tea"}]
)
IMAGE = block("image", source=SOURCE) | block("image_url", "input_image", image_url=SOURCE)
THOUGHT = st.one_of(
    block("thinking", thinking=TEXT, signature=TEXT),
    block("reasoning", reasoning=TEXT),
    block("redacted_thinking", data=TEXT),
)
USE = block("tool_use", "server_tool_use", id=ID, name=TEXT, input=INPUT)
RESULT = block(
    "tool_result", "tool-result", tool_use_id=ID,
    content=TEXT | st.lists(WORDS | IMAGE, max_size=3), is_error=st.sampled_from([False, False, True]),
)  # fmt: skip
BLOCK = st.one_of(WORDS, WORDS, THOUGHT, USE, RESULT, IMAGE, ODD)
CALL = st.fixed_dictionaries(
    {"id": ID, "function": st.fixed_dictionaries({"name": TEXT | st.just("?"), "arguments": INPUT})}
)
CALLED = {"id": "a", "function": {"name": "f", "arguments": "{}"}}
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "assistant", "tool", "system"]), "content": TEXT | st.lists(BLOCK, max_size=4)},
    optional={"id": ID, "model": TEXT, "tool_call_id": ID, "tool_calls": st.lists(CALL, max_size=2), "type": st.just("message")},
).flatmap(
    lambda one: st.one_of(
        st.just(one),
        st.just(one),
        st.dictionaries(
            st.sampled_from(["role", "type", "metadata", "refusal", "thinking", "error", "is_error", "exit_code", "function", "name",
                             "usage", "timestamp", "stop_reason", "value", "parts", "function_call", "recipient", "tool_call_id"]),
            VALUES | st.sampled_from([{"uuid": "tea"}, {"exit_code": 3}, {"uuid": 1, "invalid_response": True}]), max_size=2,
        ).map(lambda more: {**one, **more}),
    )
)  # fmt: skip
QUERIES = [Query(text) for text in ("tea", "A", "e", "straSSE", "text", "true", r"\?", r"a\nb", r"def \w+\(n", r"^\w", r"\n", r"e$",
                                    r"tea\s", ".", r"\bbold")]  # fmt: skip


def both(logged: list[Any]) -> list[Any]:
    """The messages of decoded items, and of bytes."""
    parts = parted(json.dumps({"messages": logged}).encode())
    assert parts is not None
    return [LazyMessages(logged), LazyMessages(Unread(parts, lambda raw: decode_json(raw)[0]))]


def built(logged: list[Any]) -> list[ChatMessage]:
    return message_models(Conversation().extend(logged).messages)


@settings(max_examples=500, deadline=None)
@given(st.lists(MESSAGE, max_size=4))
@example([{"role": "user", "content": [{"type": "tool_result", "content": "x", "is_error": True}]}])
@example([{"role": "assistant", "content": [{"type": "tool_use", "name": "?", "input": {}}]}])
@example([{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "?", "arguments": "{}"}}]}])
@example([{"role": "user", "content": [{"type": "thinking", "thinking": "exit code 3"}]}])
@example([{"role": "user", "content": [{"type": "text", "text": "x", "stands_for": {"type": "image", "image": "y"}}]}])
@example([{"role": "user", "content": [{"type": "image", "source": {"url": "x", "annotations": 3}}]}])
@example([{"role": "user", "content": [{"type": "reasoning", "reasoning": "x", "redacted": True, "summary": "y"}]}])
@example(
    [
        {
            "role": "assistant",
            "content": ["x", {"type": "tool_result"}, {"type": "text", "text": "y"}],
            "tool_calls": [CALLED],
        }
    ]
)
@example([{"role": [], "content": "x"}, {"role": {}, "content": [{"type": "text", "text": "x"}]}])
@example([{"role": "function_call", "content": '{"name": "f", "arguments": {"x": 1}}'}])
@example([{"role": "tool_call", "content": [{"type": "text", "text": '{"name": "f"}'}]}])
def test_what_is_known_of_blocks_is_what_the_built_message_says(logged: list[Any]) -> None:
    messages = built(logged)
    for lazy in both(logged):
        for index, message in enumerate(messages):
            texts, labelled, plain = lazy.searchable(index), lazy.labelled(index), lazy.plain(index)
            if texts is not None:
                assert "\n".join(filter(None, texts)) == text_of(message)
            if labelled is not None:
                assert texts is not None
                assert "\x1b" in "".join(texts) or [one for one in labelled if one[1]] == [
                    (piece.field, piece.text, piece.tool) for piece in pieces_of(message, QUERIES[0])
                ]
            if plain is not None:
                assert said_plainly(lazy.roles[index], *plain) == said(message)


@settings(max_examples=150, deadline=None)
@given(st.lists(MESSAGE, max_size=4))
def test_searches_find_as_much_in_blocks_as_in_built_messages(logged: list[Any]) -> None:
    messages = built(logged)
    for query in QUERIES:
        (*_, wanted) = search(messages, query)
        for lazy in both(logged):
            (*_, found) = search(lazy, query)
            assert (found.messages, found.counts) == (wanted.messages, wanted.counts)


@settings(max_examples=300, deadline=None)
@given(st.lists(MESSAGE, max_size=4))
@example([{"role": "user", "content": [{"type": "tool_result", "content": "x"}], "metadata": {"exit_code": 3}}])
@example([{"role": "tool", "content": [{"type": "text", "text": "exit code 3"}], "tool_call_id": "a"}])
def test_errors_and_rules_are_the_same_whether_blocks_are_built_or_not(logged: list[Any]) -> None:
    eager = Transcript(messages=built(logged))
    for lazy in both(logged):
        one = Transcript(id="lazy", messages=lazy, units=eager.units_of_action, metadata={})
        for rules in ([], [compile_rule("tea|x")]):
            assert highlights_in(one, rules) == highlights_in(eager, rules)


SESSION = [
    {"role": "system", "content": [{"type": "text", "text": "be kind", "cache_control": {"type": "ephemeral"}}]},
    {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "a.png", "detail": "low"}}]},
    {"role": "assistant", "id": "m", "type": "message", "model": "m1", "usage": {"input_tokens": 1}, "content": [
        {"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "so"}, {"type": "text", "text": "then"},
        {"type": "tool_use", "id": "a", "name": "bash", "input": {"command": "ls", "deep": [1, {"x": None}]}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "one", "is_error": False},
                                 {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "two"}]}]},
    {"role": "assistant", "content": [{"type": "text", "text": "end"}], "metadata": {"uuid": "u", "isSidechain": False},
     "tool_calls": [{"id": "b", "type": "function", "function": {"name": "f", "arguments": '{"q": "tea"}'}}]},
]  # fmt: skip


def test_usual_blocks_are_searched_without_building_a_message() -> None:
    for lazy in both(SESSION):
        assert [lazy.searchable(index) for index in range(len(lazy))] == [
            ["be kind"], ["look"], ["so\nthen", "hm", "bash", "command", "ls", "deep", "1", "x"], ["one"], ["two"],
            ["end", "f", "q", "tea"],
        ]  # fmt: skip
        assert lazy.labelled(3) == [("text", "one", "bash")]
        assert lazy.plain(5) == ("end", [("f", {"q": "tea"})])
        (*_, hits) = search(lazy, Query("e"))
        assert hits.messages == (0, 2, 3, 5)
        highlights_in(Transcript(id="t", messages=lazy, units=None, metadata={}), [compile_rule("tea")])
        assert not lazy._built


@pytest.mark.parametrize(
    "odd",
    [
        {"role": "user", "content": [{"type": "tool_result", "content": "x", "is_error": True}]},
        {"role": "user", "content": [{"type": "tool_result", "content": "x"}], "toolUseResult": {"exit_code": 1}},
        {"role": "user", "content": [{"type": "tool_result", "content": "x", "exit_code": 1}]},
        {"role": "assistant", "content": [{"type": "tool_use", "name": "f", "input": "{"}]},
        {"role": "tool", "content": [{"type": "text", "text": "x"}], "error": "no"},
    ],
)
def test_blocks_that_may_be_an_error_are_built_to_be_told(odd: dict[str, Any]) -> None:
    for lazy in both([odd]):
        assert lazy.searchable(0) is None
        assert error_of(lazy[0]) is not None
