"""OpenAI chat JSONL: what is read back is the same run, but for what is named as lost."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings

from trajview.export.openai import export_openai
from trajview.formats.openai import FORMAT
from trajview.models.messages import (
    AssistantMessage,
    AudioPart,
    ChatMessage,
    ImagePart,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript

from .differences import differing, differing_of_run, named
from .reading import read_lines, run_of, taken
from .strategies import runs


def written(*messages: ChatMessage) -> tuple[list[dict[str, Any]], list[str]]:
    found = taken(export_openai(run_of(*messages)))
    return json.loads(found.text)["messages"], found.lost


PLAIN = run_of(
    SystemMessage(content="Be brief."),
    UserMessage(content=[TextPart(text="What is this?"), ImagePart(image="https://example.org/a.png")], name="ada"),
    UserMessage(content=[AudioPart(audio="data:audio/wav;base64,AAAA"), TextPart(text="and this?")]),
    AssistantMessage(
        content=[ReasoningPart(reasoning="I look."), TextPart(text="I look.")],
        tool_calls=[
            ToolCall(id="c1", function="bash", arguments={"command": "ls\n", "n": 3}, type="function"),
            ToolCall(id="c2", function="look", arguments={}, type="function"),
        ],
    ),
    ToolMessage(content="a.png", tool_call_id="c1", function="bash"),
    ToolMessage(content="a cat", tool_call_id="c2", function="look"),
    AssistantMessage(content=[TextPart(text="I will not say.", refusal=True)]),
    source_format="openai",
)


def test_what_the_format_has_comes_back_and_nothing_is_lost() -> None:
    found = taken(export_openai(PLAIN))
    assert found.lost == []
    assert read_lines(FORMAT, found.text) == [PLAIN]


@settings(deadline=None)
@given(runs)
def test_what_is_read_back_differs_only_in_what_is_named(run: AgentRun) -> None:
    found = taken(export_openai(run))
    again = read_lines(FORMAT, found.text)
    assert len(again) == len(run.transcripts)
    assert len(found.kinds) == len(found.lost)
    if len(run.transcripts) > 1:
        assert any("transcripts are one run" in sentence for sentence in found.lost)
    named(differing_of_run(run, again[0]), found.lost)
    for transcript, one in zip(run.transcripts, again, strict=True):
        messages = one.transcripts[0].messages
        assert len(messages) == len(transcript.messages)
        for message, message_again in zip(transcript.messages, messages, strict=True):
            named(differing(message, message_again), found.lost)


def test_an_image_without_a_url_and_one_of_a_tool_are_named() -> None:
    messages, lost = written(
        UserMessage(content=[ImagePart(image="figures/plot.png")]),
        ToolMessage(content=[ImagePart(image="https://example.org/a.png")], tool_call_id="c"),
    )
    assert messages[0]["content"] == [{"type": "text", "text": "[image: figures/plot.png]"}]
    assert messages[1]["content"] == [{"type": "text", "text": "[image: https://example.org/a.png]"}]
    assert lost == ["The images of 2 messages are named in text; the first is T0B0."]


def test_a_name_that_the_api_refuses_is_left_out() -> None:
    messages, lost = written(UserMessage(content="Hi", name="Ada Lovelace"), UserMessage(content="Hi", name="ada"))
    assert [message.get("name") for message in messages] == [None, "ada"]
    assert lost == ["The speakers' names of message T0B0 are left out."]


def test_answers_without_ids_are_linked_by_position() -> None:
    calls = [ToolCall(function="bash", arguments={}), ToolCall(function="look", arguments={})]
    messages, _ = written(AssistantMessage(tool_calls=calls), ToolMessage(content="1"), ToolMessage(content="2"))
    assert [call["id"] for call in messages[0]["tool_calls"]] == [m["tool_call_id"] for m in messages[1:]]
    assert messages[0]["content"] is None


def test_an_answer_to_no_call_is_kept_and_named() -> None:
    messages, lost = written(ToolMessage(content="hm"))
    assert messages == [{"role": "tool", "content": "hm"}]
    assert len(lost) == 1
    assert "answer to no call" in lost[0]


def test_an_error_is_what_the_tool_answered_where_it_says_nothing_else() -> None:
    messages, lost = written(ToolMessage(content="", error={"message": "timed out"}, tool_call_id="c"))
    assert messages[0]["content"] == "timed out"
    assert lost == ["The errors of message T0B0 are written as what the tool answered."]


def test_arguments_that_could_not_be_read_are_written_as_the_model_wrote_them() -> None:
    call = ToolCall(id="c", function="bash", arguments={"_raw": '{"command": '}, parse_error="not JSON")
    messages, lost = written(AssistantMessage(tool_calls=[call]))
    assert messages[0]["tool_calls"][0]["function"]["arguments"] == '{"command": '
    assert lost == []


def test_several_transcripts_are_a_line_each() -> None:
    run = AgentRun(id="r", transcripts=[Transcript(messages=[UserMessage(content=str(i))]) for i in range(2)])
    found = taken(export_openai(run))
    assert [json.loads(line)["id"] for line in found.text.splitlines()] == ["r/0", "r/1"]
    assert found.lost == ["That its 2 transcripts are one run: each is a record of its own."]


def test_halves_of_characters_make_the_whole_line_ascii() -> None:
    run = run_of(UserMessage(content="schön 😀 \x7f"), AssistantMessage(content="\ud83d"))
    found = taken(export_openai(run))
    assert found.text == json.dumps(json.loads(found.text)) + "\n"
    assert any("lone surrogates" in sentence for sentence in found.lost)
