"""Messages of a log are read one by one, in any order, from values or from bytes: each is what reading all at once gives."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trajview.corpus.decode import decode_json
from trajview.formats import registry
from trajview.formats.base import Origin
from trajview.formats.chat import Conversation, message_of
from trajview.formats.chat_source import ChatSource
from trajview.formats.docent import DocentSource
from trajview.formats.docent import message_of as docents_message_of
from trajview.formats.logged import Elements
from trajview.highlight import compile_rule, highlights_in
from trajview.models.messages import ChatMessage, ToolMessage
from trajview.models.transcript import Transcript
from trajview.models.units import unit_starts

from .strategies import block_messages, docents_messages, items
from .undecoded import undecoded

Source = ChatSource | DocentSource


def decode(data: bytes | memoryview) -> Any:
    return decode_json(data)[0]


def as_decoded(logged: list[Any]) -> list[Any]:
    """The same values as JSON gives them: each is an object of its own, which one that was made up twice need not be."""
    found: list[Any] = decode(json.dumps(logged).encode())
    return found


def unread(logged: list[Any]) -> Elements:
    return undecoded(logged, decode)


def both(kind: type[Source], logged: list[Any]) -> list[Source]:
    """A source of decoded items, and one of bytes."""
    return [kind(logged), kind(unread(logged))]


def at_once(logged: list[Any]) -> list[ChatMessage]:
    """The messages as one conversation builds them from first to last."""
    return [message_of(message) for message in Conversation().extend(logged).messages]


def assert_same(source: Source, expected: Sequence[ChatMessage], order: Sequence[int]) -> None:
    """Check what a source knows of messages before they are read, and then these, in that order."""
    assert source.roles == [message.role for message in expected]
    messages = source.messages(source.roles)
    sizes = [message.size for message in messages]
    assert all(min(size) >= 0 for size in sizes)
    assert [message.texts() for message in messages] == [message.texts() for message in expected]
    assert [message.said() for message in messages] == [message.said() for message in expected]
    for index in order:
        assert messages[index] == expected[index]
        assert messages[index].plain() == expected[index].plain()
    assert [message.texts() for message in messages] == [text_of_said(message) for message in expected]


def text_of_said(message: ChatMessage) -> list[str]:
    return [text for _, text, _ in message.said()]


BLOCKS = st.lists(block_messages, max_size=4)
CALLED = {"id": "a", "function": {"name": "f", "arguments": "{}"}}
TEXT = {"type": "text", "text": "y"}


@settings(max_examples=80)
@given(items() | BLOCKS, st.data())
@example([{"role": "user", "content": [{"type": "tool_result", "content": "x", "is_error": True}]}], None)
@example([{"role": "assistant", "content": [{"type": "tool_use", "name": "?", "input": {}}]}], None)
@example([{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "?", "arguments": "{}"}}]}], None)
@example([{"role": "user", "content": [{"type": "thinking", "thinking": "exit code 3"}]}], None)
@example([{"role": "user", "content": [{**TEXT, "stands_for": {"type": "image", "image": "y"}}]}], None)
@example([{"role": "user", "content": [{"type": "image", "source": {"url": "x", "annotations": 3}}]}], None)
@example(
    [{"role": "user", "content": [{"type": "reasoning", "reasoning": "x", "redacted": True, "summary": "y"}]}], None
)
@example([{"role": "assistant", "content": ["x", {"type": "tool_result"}, TEXT], "tool_calls": [CALLED]}], None)
@example([{"role": [], "content": "x"}, {"role": {}, "content": [TEXT]}], None)
@example([{"role": "function_call", "content": '{"name": "f", "arguments": {"x": 1}}'}], None)
@example([{"role": "tool_call", "content": [{"type": "text", "text": '{"name": "f"}'}]}], None)
@example([{"role": "user", "content": "x", "annotations": [], "metadata": {"annotations": 1}}], None)
@example([{"role": "user", "content": "x", "model": "m", "tool_call_id": "a"}], None)
@example([{"role": "user", "content": "x", "id": None, "usage": {}, "timestamp": 5}], None)
def test_a_chat_is_the_same_in_whatever_order_its_messages_are_looked_at(
    logged: list[Any], data: st.DataObject | None
) -> None:
    logged = as_decoded(logged)
    expected = at_once(logged)
    backwards = range(len(expected))[::-1]
    order = backwards if data is None else data.draw(st.permutations(backwards))
    for source in both(ChatSource, logged):
        assert_same(source, expected, order)


@settings(max_examples=80)
@given(st.lists(docents_messages, max_size=8), st.data())
def test_docents_messages_are_the_same_in_whatever_order_they_are_looked_at(
    logged: list[Any], data: st.DataObject
) -> None:
    logged = as_decoded(logged)
    expected = [docents_message_of(item)[0] for item in logged]
    for source in both(DocentSource, logged):
        assert_same(source, expected, data.draw(st.permutations(range(len(expected)))))


@pytest.mark.parametrize("kind", [ChatSource, DocentSource])
def test_how_long_usual_messages_are_is_known_without_reading_them(kind: type[Source]) -> None:
    read: list[int] = []

    class Noting(kind):  # type: ignore[misc, valid-type]
        def read(self, at: int) -> ChatMessage:
            read.append(at)
            return super().read(at)  # type: ignore[no-any-return]

    function: Any = {"function": "f", "arguments": {"k": ["v"]}}
    if kind is ChatSource:
        function = {"function": {"name": "f", "arguments": '{"k": ["v"]}'}}
    logged = [
        {"role": "user", "content": "a\nbc"},
        {"role": "assistant", "content": "b", "model": "m", "tool_calls": [{"id": "1", **function}]},
        {"role": "tool", "content": "c", "tool_call_id": "1"},
        {"role": "user", "content": ""},
    ]
    source = Noting(unread(logged))
    messages = source.messages(source.roles)
    sizes = [message.size for message in messages]
    assert [size[0] for size in sizes] == [2, 1, 1, 0]
    assert [size[2] for size in sizes] == [0, 2, 0, 0]
    assert [json.loads(bytes(message.logged or b"null")) for message in messages[:3]] == logged[:3]
    transcript = Transcript(messages=messages)
    assert transcript.unit_starts == unit_starts(source.roles)
    assert read == []
    assert [message.texts() for message in messages] == [["a\nbc"], ["b", "f", "k", "v"], ["c"], []]


def test_the_bytes_of_decoded_messages_are_not_known() -> None:
    source = ChatSource([{"role": "user", "content": "a"}])
    assert [message.logged for message in source.messages(source.roles)] == [None]


@pytest.mark.parametrize(
    "odd",
    [
        {"role": "user", "content": [{"type": "tool_result", "content": "x", "is_error": True}]},
        {"role": "tool", "content": [{"type": "text", "text": "x"}], "error": "no"},
    ],
)
def test_errors_are_found_in_messages_that_are_not_read_yet(odd: dict[str, Any]) -> None:
    for source in both(ChatSource, [odd]):
        transcript = Transcript(messages=source.messages(source.roles))
        assert [found.source for found in highlights_in(transcript)] == ["error"]


@given(items() | BLOCKS, st.sampled_from(["", "exit code 3", "Traceback (most recent call last):\n  x\nKeyError: 'a'"]))
def test_highlights_are_the_same_whether_messages_are_read_or_not(logged: list[Any], output: str) -> None:
    logged = [*logged, {"role": "tool", "tool_call_id": "call_1", "content": output}]
    read = Transcript(messages=at_once(logged))
    for source in both(ChatSource, logged):
        not_read = Transcript(messages=source.messages(source.roles))
        for rules in ([], [compile_rule("a|bash|1|tea|x")]):
            assert highlights_in(not_read, rules) == highlights_in(read, rules)


@given(items())
def test_a_message_is_not_taken_for_shorter_than_it_is(logged: list[Any]) -> None:
    for source in both(ChatSource, logged):
        for message in source.messages(source.roles):
            lines, length, _ = message.size
            if isinstance(message.content, str) and len(message.text) > 40 and message.metadata == {}:
                assert (lines, length) >= (message.text.count("\n") + 1, len(message.text))


def functions(logged: list[Any]) -> list[str | None]:
    """The functions of all answers, by a source of values; that of bytes knows the same."""
    found, same = (
        [message.function for message in reversed(source.messages(source.roles)) if isinstance(message, ToolMessage)]
        for source in both(ChatSource, logged)
    )
    assert found == same
    return found[::-1]


def calling(*calls: tuple[str, str]) -> dict[str, Any]:
    made = [{"id": id, "function": {"name": name, "arguments": "{}"}} for id, name in calls]
    return {"role": "assistant", "content": "", "tool_calls": made}


def answer(**more: Any) -> dict[str, Any]:
    return {"role": "tool", "content": "done", **more}


def test_an_answer_finds_its_call_by_its_id_however_far_back_it_was_made() -> None:
    logged = [
        calling(("far", "bash")),
        *[{"role": "user", "content": "wait"}] * 100,
        answer(tool_call_id="far"),
        calling(("far", "python")),
        answer(tool_call_id="far"),
        answer(tool_call_id="never made"),
    ]
    assert functions(logged) == ["bash", "python", None]


def test_an_answer_without_an_id_is_that_of_the_single_call_before_it() -> None:
    assert functions([calling(("", "bash")), answer()]) == ["bash"]
    assert functions([calling(("a", "bash")), answer(tool_call_id="b")]) == [None]
    assert functions([calling(("", "bash"), ("", "python")), answer()]) == [None]
    assert functions([calling(("", "bash")), {"role": "user", "content": "well?"}, answer()]) == [None]
    assert functions([answer()]) == [None]


def test_what_a_message_keeps_beside_what_it_says_stays_in_the_order_of_the_file() -> None:
    said = {"role": "user", "content": "x", "timestamp": "today", "function": "f", "error": "e", "model": "m"}
    for order in (list(said), list(reversed(said))):
        message = {key: said[key] for key in order}
        for source in both(ChatSource, [message] * 2):
            metadata = source.messages(source.roles)[1].metadata
            assert list(metadata) == [key for key in order if key in ("function", "error", "model")]


def test_a_message_with_bytes_that_are_no_text_is_shown_with_marks() -> None:
    source = ChatSource(
        undecoded(b'[{"role": "user", "content": "a\xffb"}, {"role": "user", "content": 1e999}]', decode)
    )
    assert [message.texts() for message in source.messages(source.roles)] == [["a\ufffdb"], ["Infinity"]]
    assert [message.text for message in source.messages(source.roles)] == ["a\ufffdb", "Infinity"]


def test_the_lines_of_a_long_text_are_guessed_from_its_beginning() -> None:
    text = "\n".join("line of a log" for _ in range(3000))
    for kind in (ChatSource, DocentSource):
        source = kind(unread([{"role": "tool", "content": text}]))
        [(lines, length, calls)] = [message.size for message in source.messages(source.roles)]
        assert (abs(lines - 3000) < 300, abs(length - len(text)) < 5000, calls) == (True, True, 0)


def test_samples_of_inspect_are_read_message_by_message_with_what_was_attached() -> None:
    samples = [
        {
            "id": number, "epoch": 1, "input": "?", "target": "!", "metadata": {"seed": number}, "attachments": {"a": "far"},
            "messages": [{"role": "user", "content": "attachment://a"}, {"role": "assistant", "content": str(number)}],
        }
        for number in (7, 8)
    ]  # fmt: skip
    record = {"eval": {"eval_id": "e", "task": "t", "model": "m"}, "samples": samples}
    run = registry.format_named("inspect").read(record, Origin())
    found = [[message.text for message in reversed(each.messages)] for each in run.transcripts]
    assert found == [["7", "far"], ["8", "far"]]
