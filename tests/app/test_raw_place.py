"""Where a message stands in its record, as text."""

from __future__ import annotations

import json

import pytest

from trajview.app.raw.place import place_of
from trajview.models.messages import AssistantMessage, ChatMessage, ToolCall, ToolMessage, UserMessage
from trajview.models.transcript import Transcript

SAID = ["again, please", "ok", "again, please", 'a "quoted" é\nand a second line', "again, please"]


def transcript(texts: list[str], **more: str) -> Transcript:
    messages: list[ChatMessage] = [UserMessage(content=text) for text in texts]
    return Transcript(messages=messages, **more)


@pytest.mark.parametrize("ascii_only", [True, False])
def test_messages_that_say_the_same_are_told_apart_by_those_before(ascii_only: bool) -> None:
    record = json.dumps([{"content": text} for text in SAID], indent=1, ensure_ascii=ascii_only)
    places = [place_of(record, transcript(SAID), number) for number in range(len(SAID))]
    lines = [record.count("\n", 0, place) for place in places if place is not None]
    assert lines == [2, 5, 8, 11, 14]


def test_a_short_text_is_not_found_inside_another() -> None:
    record = json.dumps([{"content": "a token of it"}, {"content": "ok"}])
    assert place_of(record, transcript(["a token of it", "ok"]), 1) == record.index('"ok"')


def test_an_id_is_found_where_the_text_is_not_and_in_its_own_transcript() -> None:
    record = '{"id": "part-one", "m": ["hello out there!"]}, {"id": "part-two", "m": ["hello out there!"]}'
    said = transcript(["hello out there!"], id="part-two")
    assert place_of(record, said, 0) == record.rindex("hello")
    said.messages = [UserMessage(content="said otherwise", id="message-7")]
    record += '{"id": "message-7"}'
    assert place_of(record, said, 0) == record.index('"message-7"')


def test_a_call_without_words_is_found_by_what_it_asks_for() -> None:
    call = ToolCall(function="bash", arguments={"command": "ls -la /kettle/log"})
    said = Transcript(messages=[AssistantMessage(content="", tool_calls=[call])])
    assert place_of("- code: ls -la /kettle/log\n", said, 0) == len("- code: ")


def test_joined_parts_are_found_by_their_longest_line_and_others_by_the_message_before() -> None:
    record = '[{"content": "what was asked for"}, {"url": "https://kettle.example/plug"}, {"rest": 1}]'
    messages: list[ChatMessage] = [
        UserMessage(content="what was asked for"),
        ToolMessage(content="URL:\nhttps://kettle.example/plug"),
        ToolMessage(content="[image]"),
    ]
    said = Transcript(messages=messages)
    assert [place_of(record, said, number) for number in (0, 1, 2)] == [
        record.index("what"),
        record.index("https"),
        record.index("https"),
    ]
    assert place_of("nothing of it", said, 2) is None


def test_a_call_whose_id_others_have_as_well_is_found_by_what_is_said() -> None:
    calls = [
        {"id": "call_1_of_all", "function": "bash", "arguments": {"command": command}} for command in ("ls", "pwd")
    ]
    said = [{"role": "assistant", "content": text, "tool_calls": [call]} for text, call in zip(("I look", "and I ask where it is"), calls, strict=True)]  # fmt: skip
    record = json.dumps(said)
    run = Transcript.from_docent({"messages": said})
    assert place_of(record, run, 0) == record.index('"call_1_of_all"')
    assert place_of(record, run, 1) == record.index("and I ask where it is")
