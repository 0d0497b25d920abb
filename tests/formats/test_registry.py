"""Which format a record is, and that no JSON at all brings a reader down."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trajview.errors import FormatError, TrajviewError
from trajview.formats.base import Origin
from trajview.formats.contract import Format
from trajview.formats.registry import FORMATS, LEAST, best, detections, format_named, is_message_line
from trajview.models.run import AgentRun

from .agreeing import agree, look_at_all, read_in_any_order
from .chat_outline import FIXTURES, load, load_lines

CHAT = ("docent", "openai", "anthropic", "sharegpt", "messages", "inspect", "sweagent", "atif", "openhands", "raw")


def records() -> list[tuple[str, str, Any]]:
    """(format, place, record) for every record of the fixtures of the formats tested here."""
    found = []
    for name in CHAT:
        for path in sorted((FIXTURES / name).iterdir()):
            relative = f"{name}/{path.name}"
            if path.suffix == ".jsonl":
                lines = load_lines(relative)
                if is_message_line(lines[0]):
                    found.append((name, relative, lines))
                else:
                    found += [(name, f"{relative}:{i + 1}", line) for i, line in enumerate(lines)]
            else:
                found.append((name, relative, load(relative)))
    return found


RECORDS = records()


@pytest.mark.parametrize(("name", "place", "record"), RECORDS, ids=[place for _, place, _ in RECORDS])
def test_every_fixture_is_detected_as_its_own_with_a_margin(name: str, place: str, record: Any) -> None:
    found, detection = best(record)
    assert found.name == name
    ranked = detections(record)
    assert detection == ranked[0]
    assert all(d.why for d in ranked)
    if name == "raw":
        assert len(ranked) == 1
    else:
        assert detection.confidence - ranked[1].confidence >= 0.2


@pytest.mark.parametrize(
    "record",
    [
        {"messages": ["who", "says", "this"]},
        {"messages": [{"type": "gemini", "content": "hi"}, {"type": "user", "content": "hi"}]},
        {"messages": [{"role": "user", "content": "x"}, *[{"what": n} for n in range(5)]]},
        [{"what": 1}, {"what": 2}, {"role": "user", "content": "x"}, {"what": 3}],
    ],
)
def test_a_weak_guess_is_raw_and_names_the_format_that_comes_closest(record: Any) -> None:
    first, second, *_ = detections(record)
    assert (first.format, second.confidence < LEAST) == ("raw", True)
    assert f"{second.format} comes closest" in first.why[-1]
    assert best(record)[0].name == "raw"


def test_an_empty_list_of_messages_is_a_chat_in_which_nothing_was_said() -> None:
    assert best({"messages": []})[0].name == "openai"


@pytest.mark.parametrize(("name", "place", "record"), RECORDS, ids=[place for _, place, _ in RECORDS])
def test_the_summary_of_every_fixture_agrees_with_what_is_read(name: str, place: str, record: Any) -> None:
    assert_agreement(record)


def read_or_refusal(known: Format, record: Any, origin: Origin) -> AgentRun | FormatError:
    """The run, or the refusal, which is one sentence."""
    try:
        run = known.read(record, origin)
    except FormatError as error:
        assert error.sentence and "\n" not in error.sentence  # noqa: PT017, PT018
        return error
    assert run.transcripts
    look_at_all(run)
    return run


def assert_agreement(record: Any) -> None:
    found, _ = best(record)
    origin = Origin(record=4, alone=False)
    run = read_or_refusal(found, record, origin)
    if isinstance(run, FormatError):
        with pytest.raises(FormatError):
            found.summarise(record, origin)
        return
    agree(found, record, origin)
    read_in_any_order(found, record, origin)
    assert all("\n" not in problem.reason for problem in found.check(record, origin))


TEXTS = st.sampled_from(
    ["", "x", "user", "assistant", "tool", "text", "tool_use", "tool_result", "\ud800", "{}", '{"a":1}']
)
KEYS = st.sampled_from([
    "role", "content", "messages", "transcripts", "tool_calls", "function", "arguments", "name", "id", "type", "text",
    "metadata", "from", "value", "conversations", "system", "message", "sessionId", "reward", "scores", "prompt",
    "completion", "input", "tool_use_id", "thinking", "image_url", "source", "units", "error", "choices", "payload",
    "transcript_groups", "reasoning", "traj", "info", "samples", "steps", "trajectory", "entries",
])  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(max_size=3), inner, max_size=6),
    max_leaves=30,
)
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "system", "gpt", "Bob"])},
    optional={
        "content": JSON | st.lists(st.fixed_dictionaries({"type": TEXTS, "text": JSON}, optional={"content": JSON}), max_size=3),
        "tool_calls": JSON | st.lists(st.dictionaries(KEYS, JSON, max_size=4), max_size=2),
        "metadata": JSON, "name": JSON, "tool_call_id": JSON, "id": JSON, "reasoning": JSON, "error": JSON,
        "function": JSON, "usage": JSON, "timestamp": JSON, "citations": JSON, "model": JSON,
    },
)  # fmt: skip
CHATS = st.lists(MESSAGES | JSON, max_size=4)
RUNS = (
    st.fixed_dictionaries({"messages": CHATS}, optional={"system": JSON, "metadata": JSON, "id": JSON, "scores": JSON})
    | st.fixed_dictionaries(
        {
            "transcripts": st.lists(
                st.fixed_dictionaries({"messages": CHATS}, optional={"units": JSON, "id": JSON}) | JSON
            )
        },
        optional={"metadata": JSON, "agents": JSON, "rewards": JSON, "transcript_groups": JSON, "name": JSON},
    )
    | st.fixed_dictionaries({"conversations": CHATS})
    | st.fixed_dictionaries({"prompt": CHATS, "completion": CHATS})
    | CHATS
    | st.lists(st.fixed_dictionaries({"type": TEXTS, "message": MESSAGES}, optional={"sessionId": JSON}), max_size=3)
)


@given(JSON)
def test_any_json_is_some_format_and_reads_or_says_why_not(record: Any) -> None:
    is_message_line(record)
    assert "raw" in [detection.format for detection in detections(record)]
    assert_agreement(record)


@given(RUNS)
@example({"conversations": [{"role": "assistant", "tool_calls": [{"type": [], "input": []}]}]})
def test_any_chat_however_broken_opens(record: Any) -> None:
    assert_agreement(record)


@given(JSON)
def test_every_format_asked_for_by_name_reads_or_says_why_not(record: Any) -> None:
    for name in CHAT:
        read_or_refusal(format_named(name), record, Origin())


@given(st.lists(MESSAGES, max_size=5))
def test_no_message_of_a_list_is_lost(messages: list[Any]) -> None:
    run = format_named("messages").read(messages, Origin())
    assert len(run.transcripts[0].messages) >= len(messages)


MARKS = st.integers(100_000, 999_999).map("mark{}".format)
MARKED = st.recursive(
    MARKS | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
BLOCKS = st.lists(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(
                ["text", "tool_use", "tool_result", "thinking", "reasoning", "refusal", "image", "image_url", "odd"]
            )
        },
        optional=dict.fromkeys(
            ("text", "id", "name", "input", "content", "tool_use_id", "thinking", "source", "refusal", "data"), MARKED
        ),
    ),
    max_size=3,
)
MARKED_MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "system", "function_call"]) | MARKS},
    optional={
        "content": MARKED | BLOCKS,
        "tool_calls": MARKED | st.lists(st.dictionaries(KEYS, MARKED, max_size=4), max_size=2),
        "function_call": MARKED,
        **dict.fromkeys(("metadata", "name", "tool_call_id", "id", "reasoning", "error", "function", "usage"), MARKED),
        **dict.fromkeys(("timestamp", "model", "citations", "refusal", "is_error", "odd", "type", "value"), MARKED),
    },
)
MARKED_RECORDS = (
    st.fixed_dictionaries(
        {"messages": st.lists(MARKED_MESSAGES | MARKED, max_size=3)},
        optional=dict.fromkeys(("id", "name", "metadata", "system", "reward", "scores", "choices", "odd"), MARKED),
    )
    | st.fixed_dictionaries(
        {
            "transcripts": st.lists(
                st.fixed_dictionaries(
                    {"messages": st.lists(MARKED_MESSAGES | MARKED, max_size=3)},
                    optional=dict.fromkeys(("id", "name", "metadata", "units", "odd", "created_at"), MARKED),
                ),
                min_size=1,
                max_size=2,
            )
        },
        optional=dict.fromkeys(("id", "name", "metadata", "agents", "rewards", "transcript_groups", "odd"), MARKED),
    )
    | st.fixed_dictionaries(
        {"samples": st.lists(st.fixed_dictionaries({"messages": st.lists(MARKED_MESSAGES, max_size=2)}), min_size=1)},
        optional=dict.fromkeys(("eval", "id", "metadata", "odd"), MARKED),
    )
    | st.fixed_dictionaries(
        {
            "trajectory": st.lists(
                st.fixed_dictionaries(
                    {"action": MARKED, "observation": MARKED},
                    optional=dict.fromkeys(("thought", "response", "odd", "metadata"), MARKED),
                ),
                min_size=1,
                max_size=3,
            )
        },
        optional={"history": st.lists(MARKED_MESSAGES, max_size=2), "info": MARKED},
    )
    | st.fixed_dictionaries(
        {
            "steps": st.lists(
                st.fixed_dictionaries(
                    {"step_id": MARKED, "source": MARKED},
                    optional=dict.fromkeys(
                        ("message", "role", "content", "tool_calls", "observation", "metrics", "model_name", "odd"),
                        MARKED,
                    ),
                ),
                min_size=1,
                max_size=3,
            )
        },
        optional=dict.fromkeys(("agent", "session_id", "odd"), MARKED),
    )
    | st.fixed_dictionaries(
        {
            "entries": st.lists(
                st.fixed_dictionaries(
                    {"type": st.sampled_from(["message", "thought", "command"]) | MARKED, "actorType": MARKED},
                    optional=dict.fromkeys(("content", "command", "role", "id", "odd", "tool_calls"), MARKED),
                ),
                min_size=1,
                max_size=3,
            )
        },
    )
    | st.fixed_dictionaries({"prompt": MARKED, "completion": st.lists(MARKED_MESSAGES, min_size=1, max_size=2)})
    | st.lists(
        st.fixed_dictionaries(
            {"type": st.sampled_from(["user", "assistant", "system", "summary"]), "message": MARKED_MESSAGES | MARKED},
            optional=dict.fromkeys(("sessionId", "timestamp", "summary", "content", "odd"), MARKED),
        ),
        max_size=3,
    )
)


@given(MARKED_RECORDS)
@example([{"type": "user", "message": {"role": ["mark100000"], "content": []}}])
def test_nothing_that_a_record_says_is_dropped(record: Any) -> None:
    found, _ = best(record)
    said = set(re.findall(r"mark\d{6}", json.dumps(record)))
    shown = set(re.findall(r"mark\d{6}", json.dumps(found.read(record, Origin()).to_docent())))
    assert said <= shown


@pytest.mark.parametrize(
    ("record", "name"),
    [
        ({"trajectory": [{"role": "user", "text": "hi"}]}, "openai"),
        ({"trajectory": [[1, 2], [3, 4]]}, "raw"),
        ({"trajectory": [{"x": 1}]}, "raw"),
        ({"trajectory": "long"}, "raw"),
        ({"messages": [[["a", "b", "c"]]]}, "raw"),
        ({"history": ["ls", "cd"]}, "raw"),
        ({"conversations": ["a", "b"]}, "raw"),
        ([1, 2], "raw"),
        ([], "raw"),
        ({}, "raw"),
        ("text", "raw"),
        (None, "raw"),
        (1.5, "raw"),
        (True, "raw"),
        ({"messages": None}, "openai"),
    ],
)
def test_names_that_others_use_too_do_not_mislead(record: Any, name: str) -> None:
    assert best(record)[0].name == name


@pytest.mark.parametrize(
    "line",
    [
        {"role": "user", "content": "x"},
        {"from": "human", "value": "x"},
        {"type": "user", "message": {"role": "user", "content": "x"}},
        {"type": "summary", "summary": "x", "leafUuid": "u"},
        {"type": "progress", "sessionId": "s", "data": {}},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": []}},
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
    ],
)
def test_lines_that_are_messages(line: Any) -> None:
    assert is_message_line(line)


@pytest.mark.parametrize(
    "line",
    [
        {"messages": [{"role": "user", "content": "x"}]},
        {"id": "r", "transcripts": []},
        {"conversations": []},
        {"type": "episode", "id": 3},
        {"role": "user"},
        {"summary": "x"},
        {"type": "summary", "summary": 5},
        [{"role": "user", "content": "x"}],
        "user",
        None,
        3,
    ],
)
def test_lines_that_are_records_of_their_own(line: Any) -> None:
    assert not is_message_line(line)


def test_names_are_unique_and_found() -> None:
    names = [known.name for known in FORMATS]
    assert len(set(names)) == len(names)
    assert all(format_named(name).name == name for name in names)
    assert names[-1] == "raw"
    assert all(known.label for known in FORMATS)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(TrajviewError, match="docent, sotopia"):
        format_named("nope")


def test_detecting_and_summarising_import_neither_pydantic_nor_textual() -> None:
    code = (
        "import sys, json\n"
        "from trajview.formats.registry import best\n"
        "from trajview.formats.base import Origin\n"
        "for line in sys.stdin:\n"
        "    record = json.loads(line)\n"
        "    best(record)[0].summarise(record, Origin())\n"
        "heavy = [m for m in ('pydantic', 'textual', 'yaml', 'rich') if m in sys.modules]\n"
        "assert not heavy, heavy\n"
    )
    lines = "\n".join(json.dumps(record) for _, _, record in RECORDS)
    done = subprocess.run([sys.executable, "-c", code], input=lines, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
