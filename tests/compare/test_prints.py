"""Fingerprints of messages that are built on demand: those of what building would make of them, mostly without it."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from trajview.formats.built import MessagesOnDemand
from trajview.formats.lazy import LazyMessages
from trajview.formats.lazy_docent import DocentMessages
from trajview.formats.unread import Unread, parted

from tests.formats.test_lazy import items
from tests.formats.test_quick_docent import MESSAGE, ODD, VALUE, decode
from trajview.compare.alignment import Kind, align
from trajview.compare.facts import facts_of
from trajview.compare.prints import prints_of, said, said_plainly
from trajview.formats.chat import Conversation, message_models
from trajview.formats.docent import message_of
from trajview.models.blind import blinded
from trajview.models.messages import AssistantMessage, ChatMessage
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript


def both(logged: list[Any], docent: bool, as_bytes: bool) -> tuple[list[ChatMessage], MessagesOnDemand] | None:
    """The messages as reading builds them, and as they are built on demand."""
    text = json.dumps({"messages": logged})
    logged = json.loads(text)["messages"]
    source: Any = logged
    if as_bytes:
        parts = parted(text.encode())
        if parts is None:  # there is an infinite number
            return None
        source = Unread(parts, decode)
    if docent:
        return [message_of(item)[0] for item in logged], DocentMessages(source)
    return message_models(Conversation().extend(logged).messages), LazyMessages(source)


def on_demand(messages: MessagesOnDemand) -> Transcript:
    transcript = Transcript(id="t")
    transcript.read_on_demand(messages, messages.roles)
    return transcript


@settings(max_examples=200, deadline=None)
@given(items() | st.lists(MESSAGE | ODD | VALUE, max_size=8), st.booleans(), st.booleans())
def test_what_is_known_without_building_is_what_the_built_message_says(
    logged: list[Any], docent: bool, as_bytes: bool
) -> None:
    made = both(logged, docent, as_bytes)
    if made is None:
        return
    built, lazy = made
    for index, message in enumerate(built):
        known = lazy.plain(index)
        if known is not None:
            assert said_plainly(lazy.roles[index], *known) == said(message)
    assert prints_of(on_demand(lazy)).messages == prints_of(Transcript(messages=built)).messages
    if docent or as_bytes:
        models = {message.model: None for message in built if isinstance(message, AssistantMessage) and message.model}
        assert lazy.models() == models


CALL = {"id": "1", "type": "function"}
USUAL = {
    False: {**CALL, "function": {"name": "bash", "arguments": '{"command": "ls", "a": 1}'}},
    True: {**CALL, "function": "bash", "arguments": {"command": "ls", "a": 1}, "parse_error": None, "view": None},
}


def test_only_messages_that_differ_are_built() -> None:
    for docent, call in USUAL.items():
        logged: list[dict[str, Any]] = []
        for i in range(300):
            logged += [
                {"role": "user", "content": f"Do {i}.", "id": f"u{i}", "metadata": {"i": i}},
                {"role": "assistant", "content": None, "tool_calls": [call], "model": "owl", "timestamp": f"{i}"},
                {"role": "tool", "content": f"done {i}", "tool_call_id": "1", "error": None},
            ]
        other = [*logged]
        other[450] = {"role": "user", "content": "Do 150 at once."}
        sides = []
        for each in (logged, other):
            made = both(each, docent, True)
            assert made is not None
            sides.append(made[1])
        found = align(on_demand(sides[0]), on_demand(sides[1]))
        assert [row.left for row in found.units if row.kind is not Kind.SAME] == [150]
        assert [len(side._built) for side in sides] == [3, 3]
        runs = [AgentRun(id="r", transcripts=[on_demand(side)], metadata={}) for side in sides]
        assert "owl" in {fact.left for fact in facts_of(runs[0], AgentRun(transcripts=[Transcript()]))}
        assert "owl" not in {fact.left for fact in facts_of(blinded(runs[0]), AgentRun(transcripts=[Transcript()]))}
        assert [len(side._built) for side in sides] == [3, 3]


def test_half_a_surrogate_pair_is_compared_as_the_built_message_says_it() -> None:
    for docent in (False, True):
        made = both([{"role": "user", "content": "a \ud800 b"}], docent, False)
        assert made is not None
        built, lazy = made
        assert prints_of(on_demand(lazy)).messages == prints_of(Transcript(messages=built)).messages
