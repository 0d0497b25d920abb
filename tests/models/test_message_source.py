"""Messages of a source are read when they are looked at, let go when many others were, and the same whenever they are read."""

from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models import strategies
from trajview.export.watched import watched
from trajview.models.blind import HIDDEN, blinded
from trajview.models.messages import (
    AssistantMessage,
    ChatMessage,
    MessageSource,
    Said,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript


class Kept(MessageSource):
    """Hands out copies of messages, and notes which were read."""

    _most_kept = 3

    def __init__(self, messages: list[ChatMessage]) -> None:
        super().__init__()
        self._messages = messages
        self.were_read: list[int] = []

    def read(self, at: int) -> ChatMessage:
        self.were_read.append(at)
        return self._messages[at].replaced()


def unread(messages: list[ChatMessage]) -> tuple[Kept, list[ChatMessage]]:
    source = Kept(messages)
    return source, source.messages(message.role for message in messages)


def talk(count: int) -> list[ChatMessage]:
    return [
        UserMessage(content=f"m{n}") if n % 2 else AssistantMessage(content=f"m{n}", model="owl") for n in range(count)
    ]


@given(st.lists(strategies.messages, min_size=1, max_size=8), st.data())
def test_messages_are_the_same_in_whatever_order_and_however_often_they_are_looked_at(
    expected: list[ChatMessage], data: st.DataObject
) -> None:
    _, messages = unread(expected)
    assert [type(message) for message in messages] == [type(message) for message in expected]
    for at in data.draw(st.lists(st.integers(0, len(expected) - 1), max_size=20)):
        said, texts = messages[at].said(), messages[at].texts()
        assert said == expected[at].said()
        assert texts == [text for _, text, _ in said]
        assert messages[at].size == expected[at].size
        assert messages[at].plain() == expected[at].plain()
        assert (messages[at].said(), messages[at].texts()) == (said, texts)
    assert messages == expected


def test_a_role_is_known_without_reading() -> None:
    source, messages = unread(talk(4))
    assert [message.role for message in messages] == ["assistant", "user"] * 2
    assert Transcript(messages=messages).units_of_action == [[0], [1, 2], [3]]
    assert source.were_read == []


def test_a_message_that_was_looked_at_is_read_once_until_many_others_were() -> None:
    source, messages = unread(talk(8))
    for _ in range(3):
        assert [message.text for message in messages[:3]] == ["m0", "m1", "m2"]
    assert source.were_read == [0, 1, 2]
    assert messages[3].text == "m3"
    assert messages[2].text == "m2"
    assert source.were_read == [0, 1, 2, 3]
    assert messages[0].text == "m0", "the oldest was let go, and is read again"
    assert source.were_read == [0, 1, 2, 3, 0]


def test_what_a_message_says_is_found_without_keeping_the_message() -> None:
    source, messages = unread(talk(8))
    assert [message.texts() for message in messages] == [[f"m{n}"] for n in range(8)]
    assert [message.said() for message in messages] == [[("text", f"m{n}", None)] for n in range(8)]
    assert [message.size for message in messages] == [(1, 2, 0)] * 8
    assert source.were_read == [*range(8)] * 3


def test_a_message_that_was_changed_keeps_its_change() -> None:
    _, messages = unread(talk(8))
    messages[1].content = "something else"
    messages[2].metadata = {"seen": True}
    copy = messages[4].replaced(content="a copy")
    for _ in range(2):
        assert [message.text for message in messages] == ["m0", "something else", *(f"m{n}" for n in range(2, 8))]
    assert messages[1].texts() == ["something else"]
    assert messages[1].size == (1, len("something else"), 0)
    assert messages[1].logged is None
    assert messages[2].metadata == {"seen": True}
    assert (copy.text, messages[4].text) == ("a copy", "m4")
    assert isinstance(copy, AssistantMessage)
    assert copy.model == "owl"


def test_a_source_may_know_more_of_a_message_than_it_reads() -> None:
    class Knowing(Kept):
        def logged(self, at: int) -> bytes:
            return b"%d" % at

        def said(self, at: int) -> list[Said]:
            return [("reasoning", f"r{at}", None)]

        def size(self, at: int) -> tuple[int, int, int]:
            return at, at, at

    source = Knowing(talk(4))
    messages = source.messages(message.role for message in talk(4))
    assert [message.logged for message in messages] == [b"0", b"1", b"2", b"3"]
    assert [message.texts() for message in messages] == [["r0"], ["r1"], ["r2"], ["r3"]]
    assert messages[3].size == (3, 3, 3)
    assert source.were_read == []


def test_a_copy_of_a_message_is_a_message_of_its_own() -> None:
    _, messages = unread(talk(3))
    copies = deepcopy(messages)
    copies[0].content = "other"
    assert [message.text for message in copies] == ["other", "m1", "m2"]
    assert [message.text for message in messages] == ["m0", "m1", "m2"]


def test_a_blinded_run_hides_message_by_message_as_they_are_looked_at() -> None:
    secret = "gull-70b"
    expected: list[ChatMessage] = [
        UserMessage(content="Ask.", reward=0.5),
        AssistantMessage(
            content="Say.", model=secret, metadata={"llm": secret, "seed": 1}, tool_calls=[ToolCall(function="f")]
        ),
        ToolMessage(content="11:50", error={"message": "late"}, metadata={"at": secret}),
    ]
    source, messages = unread(expected)
    run = AgentRun(transcripts=[Transcript(messages=messages)], metadata={"model": secret})
    seen = blinded(run).transcripts[0].messages
    assert [message.role for message in seen] == ["user", "assistant", "tool"]
    assert source.were_read == []
    assert [message.said() for message in seen] == [message.said() for message in expected]
    assert [message.texts() for message in seen] == [message.texts() for message in expected]
    assert [message.size for message in seen] == [message.size for message in expected]
    said, ran = seen[1], seen[2]
    assert isinstance(said, AssistantMessage)
    assert isinstance(ran, ToolMessage)
    assert (said.model, said.metadata, said.tool_calls) == (None, {"llm": HIDDEN, "seed": 1}, [ToolCall(function="f")])
    assert (ran.metadata, ran.error) == ({"at": HIDDEN}, {"message": "late"})
    assert seen[0].reward is None
    assert (messages[0].reward, messages[1].metadata["llm"]) == (0.5, secret), "the run itself stays as it is"


def test_watched_messages_tell_which_are_looked_at_and_are_the_same() -> None:
    source, messages = unread(talk(5))
    told: list[int] = []
    run = watched(AgentRun(transcripts=[Transcript(messages=messages)]), told.append)
    seen = run.transcripts[0].messages
    assert source.were_read == []
    assert len(seen) == 5
    assert [seen[3], seen[-1], *seen[1:3]] == [messages[3], messages[4], *messages[1:3]]
    assert [told.pop(0) % 5 for _ in range(4)] == [3, 4, 1, 2]
    assert list(seen) == messages
    assert told == [0, 1, 2, 3, 4]
    with pytest.raises(IndexError):
        seen[5]
