"""ADP trajectories: they keep ADP's own rules, and what is read back differs only in what is named as lost."""

from __future__ import annotations

import json

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
    assert json.loads(found.text)["details"] == {"task": "web", "model_name": "m-1"}


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
    assert len(found.lost) == 1
    assert found.lost[0].startswith("The borders of message T0B0 are lost")
