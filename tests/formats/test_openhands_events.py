"""OpenHands' event streams: what they become, and what delegates said between delegating and its end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from trajview.corpus.corpus import Corpus
from trajview.formats.base import Origin
from trajview.formats.openhands import FORMAT
from trajview.formats.registry import best
from trajview.highlight import highlights_in
from trajview.models.branches import Entry, branches_of

from .agreeing import agree
from .chat_outline import outline

Event = dict[str, Any]


def action(id: int, kind: str, source: str = "agent", **args: Any) -> Event:
    return {
        "id": id,
        "timestamp": f"2025-06-01T10:00:{id:02}",
        "source": source,
        "message": f"Doing {kind}",
        "action": kind,
        "args": args,
    }


def observation(id: int, kind: str, cause: int | None, content: str, **extras: Any) -> Event:
    found = {"id": id, "source": "agent", "message": "Seen", "observation": kind, "content": content, "extras": extras}
    return found if cause is None else {**found, "cause": cause}


def named(event: Event, call: str, function: str, **response: Any) -> Event:
    """The event, of an agent that calls tools: with what the model answered."""
    return {
        **event,
        "tool_call_metadata": {"tool_call_id": call, "function_name": function, "model_response": response},
    }


THOUGHT = {
    "choices": [{"message": {"reasoning_content": "A lock file, perhaps."}}],
    "model": "owl-2",
    "usage": {"total_tokens": 9},
}
STREAM = [
    action(0, "system", content="You mend clocks.", tools=["bash"]),
    action(1, "message", "user", content="Mend the clock.", image_urls=None, wait_for_response=False),
    {
        "id": 2,
        "source": "environment",
        "observation": "agent_state_changed",
        "content": "",
        "extras": {"agent_state": "running"},
    },
    named(
        action(3, "run", command="ls gears", thought="I look.", is_static=False, hidden=None),
        "t1",
        "execute_bash",
        **THOUGHT,
    ),
    named(observation(4, "run", 3, "no gears", metadata={"exit_code": 2}), "t1", "execute_bash"),
    named(action(5, "think", thought="Odd."), "t2", "think"),
    named(observation(6, "think", 5, "Your thought has been logged."), "t2", "think"),
    action(7, "message", content="It cannot be mended."),
]


def test_actions_are_calls_and_observations_answer_them() -> None:
    run = FORMAT.read(STREAM, Origin(Path("clock.json")))
    assert outline(run) == [
        "system: You mend clocks.",
        "user: Mend the clock.",
        'assistant: <reasoning {"reasoning": "A lock file, perhaps."}> | I look. | '
        'execute_bash({"command": "ls gears", "is_static": false})#t1',
        "tool execute_bash#t1: no gears",
        'assistant: think({"thought": "Odd."})#t2',
        "tool think#t2: Your thought has been logged.",
        "assistant: It cannot be mended.",
    ]
    messages = run.transcripts[0].messages
    assert (messages[2].timestamp, messages[2].usage) == ("2025-06-01T10:00:03", {"total_tokens": 9})
    assert messages[3].metadata["extras"] == {"metadata": {"exit_code": 2}}
    assert run.metadata == {"events": [STREAM[2]]}
    assert FORMAT.summarise(STREAM, Origin()).models == ("owl-2",)
    assert [(found.message, found.source) for found in highlights_in(run.transcripts[0], [])] == [(3, "error")]


DELEGATED = [
    action(0, "message", "user", content="Mend the clock."),
    action(1, "delegate", agent="GearAgent", inputs={"task": "Count the gears."}, thought="I ask."),
    action(2, "message", "user", content="TASK: Count the gears."),
    action(3, "run", command="count", thought=""),
    observation(4, "run", 3, "7"),
    action(5, "delegate", agent="OwlAgent", inputs={}),
    action(6, "finish", outputs={}),
    observation(7, "delegate", None, "none"),
    action(8, "finish", outputs={"content": "7"}),
    observation(9, "delegate", None, "7 gears", outputs={"content": "7"}),
    action(10, "message", content="It has 7 gears."),
]


def test_what_a_delegate_did_is_a_transcript_that_the_delegating_call_leads_to() -> None:
    run = FORMAT.read(DELEGATED, Origin())
    assert [(each.name, [message.text for message in each.messages]) for each in run.transcripts] == [
        (None, ["Mend the clock.", "I ask.", "7 gears", "It has 7 gears."]),
        ("GearAgent", ["TASK: Count the gears.", "", "7", "", "none", ""]),
        ("OwlAgent", [""]),
    ]
    assert branches_of(run).came_from == {1: Entry(0, 1, 0, 1), 2: Entry(1, 3, 0, 2)}
    summary = FORMAT.summarise(DELEGATED, Origin())
    assert (summary.messages, summary.transcripts) == (11, 3)


def test_a_delegate_that_never_ended_has_the_rest_of_the_stream() -> None:
    run = FORMAT.read(DELEGATED[:4], Origin())
    assert [len(each.messages) for each in run.transcripts] == [2, 2]


def test_an_end_without_a_beginning_is_an_answer() -> None:
    run = FORMAT.read([DELEGATED[0], DELEGATED[9]], Origin())
    assert outline(run) == ["user: Mend the clock.", "tool delegate#None: 7 gears"]


def test_the_output_of_an_evaluation_has_a_history_whose_events_may_be_in_pairs() -> None:
    record = {
        "instance_id": "clock__1",
        "instruction": "Mend it.",
        "history": [STREAM[:2], *([a, b] for a, b in (STREAM[3:5], STREAM[5:7]))],
        "test_result": {"resolved": False},
    }
    assert best(record)[0] is FORMAT
    run = FORMAT.read(record, Origin())
    assert (run.id, len(run.transcripts[0].messages)) == ("clock__1", 6)
    assert run.metadata["test_result"] == {"resolved": False}
    assert "history" not in run.metadata


def test_a_file_that_is_a_stream_is_one_run_as_an_array_and_as_lines(tmp_path: Path) -> None:
    (tmp_path / "array.json").write_text(json.dumps(DELEGATED))
    (tmp_path / "lines.jsonl").write_text("".join(json.dumps(event) + "\n" for event in DELEGATED))
    corpus = Corpus([tmp_path])
    corpus.scan()
    assert [(info.format, info.messages, info.transcripts) for info in corpus.infos] == [("openhands", 11, 3)] * 2


def test_an_error_that_is_observed_is_one() -> None:
    [_, message] = FORMAT.read([STREAM[1], observation(1, "error", 9, "Boom.")], Origin()).transcripts[0].messages
    assert message.role == "tool"
    assert message.error == {"type": "error", "message": "Boom."}


JUNK = (
    st.none()
    | st.booleans()
    | st.integers(-2, 9)
    | st.text(max_size=5)
    | st.just([])
    | st.just({})
    | st.just([{"a": 1}])
    | st.just({"text": 1})
)
KEYS = [
    "id",
    "timestamp",
    "source",
    "action",
    "args",
    "observation",
    "content",
    "cause",
    "extras",
    "tool_call_metadata",
    "message",
]


@given(
    st.lists(st.tuples(st.integers(0, 10), st.sampled_from(KEYS), JUNK), max_size=4),
    st.lists(
        st.tuples(st.integers(0, 10), st.sampled_from(["thought", "agent", "content", "image_urls"]), JUNK), max_size=3
    ),
)
def test_wrong_types_anywhere_still_open_and_agree_with_the_summary(
    changes: list[tuple[int, str, Any]], arguments: list[tuple[int, str, Any]]
) -> None:
    events = [{**event, "args": dict(event["args"])} if "args" in event else dict(event) for event in DELEGATED]
    for index, key, value in arguments:
        if "args" in events[index]:
            events[index]["args"][key] = value
    for index, key, value in changes:
        events[index][key] = value
    agree(FORMAT, events, Origin())
    FORMAT.check(events, Origin())
