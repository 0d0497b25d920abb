"""OpenAI chat logs and the rows that training and evaluation tools write."""

from __future__ import annotations

import pytest

from trajview.errors import FormatError
from trajview.formats.base import Origin
from trajview.formats.openai import FORMAT

from .chat_outline import load, load_lines, origin, outline


def run_of(*messages: object, **record: object):  # type: ignore[no-untyped-def]
    return FORMAT.read({"messages": list(messages), **record}, Origin())


def test_tools_parts_reasoning_and_refusals() -> None:
    record = load("openai/tools.json")
    run = FORMAT.read(record, origin("openai/tools.json"))
    assert outline(run) == [
        "system: Answer briefly.",
        'user: What is on the picture? | <image {"image": "https://example.invalid/a.png", "detail": "low"}>',
        'assistant: <reasoning {"reasoning": "I should ask the tool."}> | look({"where": "left"})#call_1'
        ' | look({"_raw": "{\\"where\\": "})#call_2 !arguments are not JSON: Expecting value at character 11',
        "tool look#call_1: a cat",
        "tool look#call_2: a dog",
        "assistant: A cat and a dog.",
        "user: Whose?",
        'assistant: <text {"text": "I cannot know.", "refusal": true}>',
    ]
    assert (run.id, run.rewards, run.source_format) == ("chatcmpl-1", [0.5], "openai")
    assert run.metadata == {"split": "test", "model": "m-1", "tools": record["tools"]}
    messages = run.transcripts[0].messages
    assert messages[0].metadata == {"role": "developer"}
    assert messages[5].metadata == {"logprobs": [0.1]}
    assert FORMAT.summarise(record, Origin()).models == ("m-1",)


def test_check_names_the_call_that_cannot_be_parsed() -> None:
    (problem,) = FORMAT.check(load("openai/tools.json"), origin("openai/tools.json"))
    assert problem.reason == "call of look: arguments are not JSON: Expecting value at character 11"
    assert str(problem.where).endswith("tools.json")


def test_rows_of_verifiers_tau_bench_and_others() -> None:
    runs = [FORMAT.read(row, Origin(record=i, alone=False)) for i, row in enumerate(load_lines("openai/rows.jsonl"))]
    assert [outline(run) for run in runs] == [
        ["system: Do sums.", "user: 2+2", "assistant: 4"],
        ["system: Policy", "user: I want a refund", 'assistant: get_user({"user_id": "ada"})#0', "tool get_user#0: {}"],
        ["user: Please fix it", "assistant: Fixed"],
        ["user: Once upon", "assistant:  a time"],
        ["user: ping", "assistant: pong"],
        ["user: weather?", "assistant: weather({})#", "tool weather#None: rain", "assistant: It rains."],
    ]
    assert [run.id for run in runs] == ["3", "12", "repo__1", "record#3", "record#4", "old"]
    assert [run.rewards for run in runs] == [
        [1.0],
        [0.0],
        None,
        None,
        None,
        [(0.75, {"helpful": 0.5, "harmless": 1.0})],
    ]
    assert runs[0].metadata == {"example_id": 3, "answer": "4", "metrics": {"exact": 1.0}}
    assert runs[1].metadata == {"task_id": 12, "info": {"source": "user"}, "trial": 1}
    assert runs[4].metadata["request"] == {"model": "m-2"}


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ({"role": "assistant", "content": 5}, "assistant: 5"),
        ({"role": "user", "content": {"a": 1}}, 'user: {\n  "a": 1\n}'),
        ({"role": "user", "content": ["a", 1, {"type": "text", "text": "b"}]}, "user: a | 1 | b"),
        ({"role": "user", "content": [{"type": "file", "file": {"id": "f"}}]}, 'user: <file {"file": {"id": "f"}}>'),
        ({"role": "assistant", "tool_calls": [5]}, 'assistant: ?({"_raw": 5})# !a tool call is an object, not number'),
        ({"role": "assistant", "tool_calls": {"name": "f", "args": {"x": 1}, "id": "i"}}, 'assistant: f({"x": 1})#i'),
        (
            {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "[1]"}}]},
            'assistant: f({"_raw": "[1]"})# !arguments are list, not an object',
        ),
        ({"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": ""}}]}, "assistant: f({})#"),
        ({"role": "ASSISTANT", "content": "x"}, "assistant: x"),
        ({"role": "Alice", "content": "x"}, "user Alice: x"),
        ({"content": "x", "tool_call_id": "c"}, "tool None#c: x"),
        ({"role": None, "content": None}, "user: "),
        ({"role": ["a"], "content": "x"}, "user: x"),
        ("hello", "user: hello"),
        (None, "user: "),
        ({"role": "tool", "content": "no", "error": "failed"}, 'tool None#None: no | !{"message": "failed"}'),
        ({"role": "user", "content": [{"type": "image_url", "image_url": 5}]}, 'user: <image {"image": "5"}>'),
        (  # the Model Context Protocol's
            {
                "role": "user",
                "content": [{"type": "image", "data": "AAAA", "mimeType": "image/gif", "annotations": {"priority": 1}}],
            },
            'user: <image {"image": "data:image/gif;base64,AAAA", "annotations_as_logged": {"priority": 1}}>',
        ),
    ],
)
def test_wrong_types_are_shown_as_best_as_possible(message: object, line: str) -> None:
    assert outline(run_of(message)) == [line]


def test_keys_of_a_message_that_no_field_knows_stay_in_its_metadata() -> None:
    message = {"role": "user", "content": "x", "weight": 0, "name": 5, "reward": "high", "metadata": {"weight": 1}}
    (read,) = run_of(message).transcripts[0].messages
    assert read.metadata == {"weight": 1, "weight_": 0, "name": 5, "reward": "high"}
    assert read.name is None


def test_fields_of_the_model_are_filled() -> None:
    read = run_of({"role": "assistant", "content": "x", "name": "Ada", "timestamp": 17, "reward": 1, "usage": {"n": 1}})
    message = read.transcripts[0].messages[0]
    assert (message.name, message.timestamp, message.reward, message.usage) == ("Ada", "17", 1.0, {"n": 1})


@pytest.mark.parametrize("messages", [None, "text", 5, {}, []])
def test_messages_of_a_wrong_type_open_and_are_reported(messages: object) -> None:
    record = {"messages": messages, "id": "r"}
    assert len(FORMAT.read(record, Origin()).transcripts[0].messages) == (0 if messages in (None, []) else 1)
    assert FORMAT.check(record, Origin())


def test_a_record_without_messages_is_refused() -> None:
    for record in ({"a": 1}, [], 5, None):
        with pytest.raises(FormatError):
            FORMAT.read(record, Origin())


def test_the_same_reasoning_under_two_names_is_kept_once() -> None:
    run = run_of({"role": "assistant", "content": "x", "reasoning": "hm", "reasoning_content": "hm"})
    assert run.transcripts[0].messages[0].reasoning == ["hm"]
