"""Sub-agents in Inspect's logs: their conversations are in the events of a sample, each within a span."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.formats.base import Origin
from trajview.formats.inspect import FORMAT, sub_agents
from trajview.models.branches import Entry, branches_of

Event = dict[str, Any]


def said(role: str, content: str, id: str | None = None, **more: Any) -> Event:
    return {"role": role, "content": content, **({"id": id} if id else {}), **more}


def call(id: str, function: str, **arguments: Any) -> Event:
    return {"id": id, "function": function, "arguments": arguments}


def model(span: str | None, given: list[Event], answer: Event) -> Event:
    return {
        "event": "model",
        "model": "m",
        "span_id": span,
        "input": given,
        "output": {"choices": [{"message": answer}]},
    }


def span(id: str, name: str, kind: str | None, above: str | None) -> Event:
    return {"event": "span_begin", "id": id, "span_id": id, "name": name, "type": kind, "parent_id": above}


ASK = said("user", "How many birds are there?", "u")
SENDS = said("assistant", "", "a1", tool_calls=[call("c1", "scout", input="the roof")])
TOLD = said("tool", "four", "t1", tool_call_id="c1", function="scout")
ENDS = said("assistant", "Four.", "a2")
OWN = [ASK, SENDS, TOLD, ENDS]

TASK, LOOKS = said("user", "the roof", "v"), said("assistant", "", "b1", tool_calls=[call("d1", "look", at="roof")])
SEEN, SAYS = said("tool", "birds", "w", tool_call_id="d1", function="look"), said("assistant", "four", "b2")
SCOUT = [TASK, LOOKS, SEEN, SAYS]


def events(*, newest: bool = True) -> list[Event]:
    """The main agent calls a tool that is an agent; `newest` logs name the agent's span in the tool's event."""
    started: Event = {
        "event": "tool",
        "id": "c1",
        "function": "scout",
        "arguments": {},
        "span_id": "tool-1",
        "result": "four",
    }
    return [
        span("solver", "react", "solver", None),
        span("main", "react", "agent", "solver"),
        model("main", [ASK], SENDS),
        span("tool-1", "scout", "tool", "main"),
        span("sub", "scout", "agent", "tool-1"),
        model("sub", [TASK], LOOKS),
        {"event": "tool", "id": "d1", "function": "look", "arguments": {}, "span_id": "sub"},
        model("sub", [TASK, LOOKS, SEEN], SAYS),
        {"event": "span_end", "id": "sub"},
        {**started, "agent_span_id": "sub"} if newest else started,
        {"event": "span_end", "id": "tool-1"},
        model("main", [ASK, SENDS, TOLD], ENDS),
    ]


def sample(events: list[Event], messages: list[Event] = OWN, **more: Any) -> Event:
    return {"id": "s", "epoch": 1, "input": "x", "target": "y", "messages": messages, "events": events, **more}


@pytest.mark.parametrize("newest", [True, False])
def test_a_tool_that_is_an_agent_has_its_own_transcript_which_its_call_leads_to(newest: bool) -> None:
    record = sample(events(newest=newest))
    run = FORMAT.read(record, Origin())
    assert [(transcript.name, len(transcript.messages)) for transcript in run.transcripts] == [(None, 4), ("scout", 4)]
    assert [message.text for message in run.transcripts[1].messages] == ["the roof", "", "birds", "four"]
    found = branches_of(run)
    assert found.came_from == {1: Entry(0, 1, 0, 1)}
    assert found.parents == {1: 0}
    summary = FORMAT.summarise(record, Origin())
    assert (summary.messages, summary.transcripts) == (8, 2)
    assert summary.units == sum(len(transcript.unit_starts) for transcript in run.transcripts)
    assert FORMAT.check(record, Origin()) == []


def test_of_a_log_of_several_samples_the_samples_come_first() -> None:
    record = {"eval": {"eval_id": "e"}, "samples": [sample(events()), {**sample(events()), "id": "s2"}]}
    run = FORMAT.read(record, Origin())
    assert [transcript.name for transcript in run.transcripts] == ["sample s", "sample s2", "scout", "scout"]
    assert [transcript.metadata["parent_transcript_id"] for transcript in run.transcripts[2:]] == ["e/0", "e/1"]
    assert len({transcript.id for transcript in run.transcripts}) == 4
    assert FORMAT.summarise(record, Origin()).transcripts == 4


def test_messages_in_a_pool_are_looked_up_and_attachments_put_in() -> None:
    log = events()
    log[5] = {**model("sub", [], LOOKS), "input_refs": [[1, 2]]}
    log[7] = {**model("sub", [], SAYS), "input_refs": [[1, 2], [3, 5], [9, 12], "x", [1], [-1, 2]]}
    pool = [ASK, said("user", "attachment://ab", "v"), SENDS, LOOKS, SEEN]
    record = sample(log, events_data={"messages": pool, "calls": []}, attachments={"ab": "the roof"})
    run = FORMAT.read(record, Origin())
    assert [message.text for message in run.transcripts[1].messages] == ["the roof", "", "birds", "four"]


def test_an_agent_that_the_conversation_was_handed_to_says_it_in_the_samples_own_messages() -> None:
    assert sub_agents(sample(events(), [ASK, SENDS, *SCOUT, TOLD, ENDS])) == []


def test_the_main_agents_own_span_is_no_sub_agent_even_if_some_of_it_was_thrown_away() -> None:
    log = [
        span("main", "react", "agent", None),
        model("main", [ASK], said("assistant", "Hm.", "lost")),
        model("main", [ASK], ENDS),
    ]
    assert sub_agents(sample(log, [ASK, ENDS])) == []


def test_an_agent_that_no_call_started_is_below_the_sample() -> None:
    log = [span("x", "critic", "agent", None), model("x", [TASK], SAYS)]
    run = FORMAT.read(sample(log, [ASK, ENDS]), Origin())
    assert [transcript.name for transcript in run.transcripts] == [None, "critic"]
    found = branches_of(run)
    assert (found.came_from, found.parents) == ({}, {1: 0})


def test_an_agent_within_an_agent_is_below_it() -> None:
    log = events()
    inner = [
        span("tool-2", "owl", "tool", "sub"),
        span("deep", "owl", "agent", "tool-2"),
        model("deep", [said("user", "who?", "y")], said("assistant", "Owl.", "z")),
        {
            "event": "tool",
            "id": "d1",
            "function": "look",
            "arguments": {},
            "span_id": "tool-2",
            "agent_span_id": "deep",
        },
    ]
    run = FORMAT.read(sample([*log[:6], *inner, *log[7:]]), Origin())
    assert [transcript.name for transcript in run.transcripts] == [None, "scout", "owl"]
    assert branches_of(run).came_from == {1: Entry(0, 1, 0, 1), 2: Entry(1, 1, 0, 2)}


def test_older_logs_hold_an_agents_events_within_the_tools() -> None:
    inner = [model(None, [TASK], LOOKS), model(None, [TASK, LOOKS, SEEN], SAYS)]
    tool = {"event": "tool", "id": "c1", "function": "scout", "arguments": {}, "events": inner}
    run = FORMAT.read(sample([model(None, [ASK], SENDS), tool, model(None, [ASK, SENDS, TOLD], ENDS)]), Origin())
    assert [(transcript.name, len(transcript.messages)) for transcript in run.transcripts] == [(None, 4), ("scout", 4)]
    assert branches_of(run).came_from == {1: Entry(0, 1, 0, 1)}


def test_messages_without_ids_are_told_by_what_they_say() -> None:
    def bare(messages: list[Event]) -> list[Event]:
        return [{key: value for key, value in message.items() if key != "id"} for message in messages]

    log = json.loads(json.dumps(events()))
    for event in log:
        if event["event"] == "model":
            event["input"] = bare(event["input"])
            [event["output"]["choices"][0]["message"]] = bare([event["output"]["choices"][0]["message"]])
    [agent] = sub_agents(sample(log, bare(OWN)))
    assert list(agent.said.values()) == bare(SCOUT)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.sampled_from(["sub", "tool-1", "c1", ""]),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)


@given(st.data())
def test_wrong_types_anywhere_still_open_and_agree_with_the_summary(data: st.DataObject) -> None:
    record = sample(events(), events_data={"messages": [ASK], "calls": []})
    place: Any = record
    path = data.draw(st.lists(st.integers(0, 11), min_size=2, max_size=6))
    for step in path:  # somewhere in the events
        keys = list(place) if isinstance(place, dict) else range(len(place)) if isinstance(place, list) else []
        if place is record:
            key: Any = data.draw(st.sampled_from(["events", "events_data"]))
        elif not keys:
            break
        else:
            key = keys[step % len(keys)]
        if step == path[-1] or not isinstance(place[key], dict | list):
            place[key] = data.draw(JUNK)
            break
        place[key] = dict(place[key]) if isinstance(place[key], dict) else list(place[key])
        place = place[key]
    run = FORMAT.read(record, Origin())
    summary = FORMAT.summarise(record, Origin())
    assert (summary.transcripts, summary.messages) == (
        len(run.transcripts), sum(len(transcript.messages) for transcript in run.transcripts),
    )  # fmt: skip


def test_spans_in_a_circle_and_events_nested_deeply_end() -> None:
    log = [span("a", "x", None, "b"), span("b", "y", None, "a"), model("a", [TASK], SAYS)]
    assert sub_agents(sample(log)) == []
    nested: list[Event] = [model(None, [TASK], SAYS)]
    for _ in range(900):
        nested = [{"event": "tool", "id": "c", "function": "f", "events": nested}]
    assert sub_agents(sample(nested)) == []
