"""ADP trajectories: they keep ADP's own rules, and what is read back differs only in what is named as lost."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings

from trajview.export.adp import export_adp
from trajview.formats.adp import FORMAT
from trajview.models.adp import OtherItem, Trajectory
from trajview.models.messages import (
    AssistantMessage,
    ImagePart,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript

from .differences import differing, differing_of_run, named
from .reading import read_lines, taken
from .strategies import runs

PLAIN = AgentRun(
    id="r",
    transcripts=[
        Transcript(
            id="r",
            messages=[
                UserMessage(content="Open the page.", name="ada"),
                AssistantMessage(
                    content=[ReasoningPart(reasoning="Where is it?")],
                    model="m-1",
                    tool_calls=[ToolCall(id="c1", function="goto", arguments={"url": "http://localhost"})],
                ),
                ToolMessage(content="Welcome.", tool_call_id="c1", function="goto", reward=0.5),
                AssistantMessage(
                    model="m-1",
                    tool_calls=[
                        ToolCall(id="c2", function="python", arguments={"code": "1 + 1"}, language="python")
                    ],
                ),
                ToolMessage(content=[ImagePart(image="shot.png")], tool_call_id="c2", function="python"),
                AssistantMessage(content="Done.", model="m-1", reward=1.0),
            ],
        )
    ],
    metadata={"task": "web", "model_name": "m-1", "schema_version": "1.2.0", "available_apis": ["goto"]},
    rewards=[1.0],
    source_format="adp",
)  # fmt: skip


def test_what_adp_has_comes_back_and_nothing_is_lost() -> None:
    found = taken(export_adp(PLAIN))
    assert found.lost == []
    assert read_lines(FORMAT, found.text) == [PLAIN]
    details = json.loads(found.text)["details"]
    assert details == {"task": "web", "model_name": "m-1", "available_apis": ["goto"]}, "which ADP has no key for now"


@settings(deadline=None)
@given(runs)
def test_every_trajectory_keeps_the_rules_of_adp(run: AgentRun) -> None:
    for line in taken(export_adp(run)).text.splitlines():
        trajectory = Trajectory.model_validate(json.loads(line))
        assert not list(trajectory.broken_links())
        assert not [item for item in trajectory.content if isinstance(item, OtherItem)]


@settings(deadline=None)
@given(runs)
def test_what_is_read_back_differs_only_in_what_is_named(run: AgentRun) -> None:
    found = taken(export_adp(run))
    again = read_lines(FORMAT, found.text)
    assert len(again) == len(run.transcripts)
    for added in {"schema_version", "model_name", "reward"} - run.metadata.keys():
        again[0].metadata.pop(added, None)
    named(differing_of_run(run, again[0]), found.lost)
    for transcript, one in zip(run.transcripts, again, strict=True):
        messages = one.transcripts[0].messages
        if len(messages) != len(transcript.messages):
            assert any("borders of" in sentence and "ADP has an item" in sentence for sentence in found.lost)
            continue
        for message, message_again in zip(transcript.messages, messages, strict=True):
            if message.role == "system":
                assert any("roles (system)" in sentence for sentence in found.lost)
                assert (message_again.role, message_again.name) == ("user", "system")
                continue
            named(differing(message, message_again), found.lost)


def test_what_is_said_and_called_in_one_message_becomes_an_action_each() -> None:
    message = AssistantMessage(
        content=[ReasoningPart(reasoning="Hm."), TextPart(text="I look.")],
        tool_calls=[ToolCall(id="c", function="bash", arguments={"command": "ls"})],
    )
    found = taken(export_adp(AgentRun(id="r", transcripts=[Transcript(messages=[message])])))
    said, called = json.loads(found.text)["content"]
    assert (said["class_"], said["content"], said["reasoning_content"]) == ("message_action", "I look.", "Hm.")
    assert (called["class_"], called["kwargs"], "reasoning_content" in called) == (
        "api_action",
        {"command": "ls"},
        False,
    )
    assert found.lost[0].startswith("The ids of tool calls without an answer of message T0B0")
    assert found.lost[1].startswith("The borders of message T0B0 are lost")


def links_of(*messages: Any) -> list[tuple[str, str | None]]:
    """What each item of an export is, and its link."""
    text = taken(export_adp(AgentRun(id="r", transcripts=[Transcript(messages=list(messages))]))).text
    return [(item["class_"], item.get("tool_call_id")) for item in json.loads(text)["content"]]


def test_a_call_has_an_id_only_where_an_observation_answers_it() -> None:
    """ADP's schema refuses another, and a call without an id before an observation."""
    first, second = (ToolCall(id=id, function="bash", arguments={}) for id in ("a", "b"))
    answer = ToolMessage(content="x", tool_call_id="a", function="bash")
    assert links_of(AssistantMessage(tool_calls=[first])) == [("api_action", None)]
    assert links_of(AssistantMessage(tool_calls=[first, second]), answer) == [
        ("api_action", None),
        ("api_action", "a"),
        ("text_observation", "a"),
    ], "the call that is answered goes last"
    assert links_of(AssistantMessage(tool_calls=[second]), UserMessage(content="Stop.")) == [
        ("api_action", "call_0"),
        ("text_observation", "call_0"),
    ]


def test_a_text_and_an_image_of_a_tool_are_one_observation() -> None:
    call = AssistantMessage(tool_calls=[ToolCall(id="a", function="goto", arguments={})])
    page = ToolMessage(
        content=[TextPart(text="URL: x.org"), TextPart(text="[1] link"), ImagePart(image="shot.png")],
        tool_call_id="a", function="goto", metadata={"url": "x.org"},
    )  # fmt: skip
    run = AgentRun(id="r", transcripts=[Transcript(messages=[call, page])])
    [again] = read_lines(FORMAT, taken(export_adp(run)).text)
    assert [part.plain() for part in again.transcripts[0].messages[1].parts] == [part.plain() for part in page.parts]
