"""Bare lists, message lines, coding-agent sessions and mini-swe-agent's files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trajview.formats.base import Origin
from trajview.formats.messages import FORMAT
from trajview.formats.parts import tool_call
from trajview.highlight import highlights_in
from trajview.models.branches import Entry, branches_of
from trajview.models.run import AgentRun

from .chat_outline import load, load_lines, origin, outline


def test_a_payload_of_an_unknown_type_is_an_event_and_nobodys_message() -> None:
    lines = [
        {"timestamp": "t", "type": "session_meta", "payload": {"id": "s1"}},
        {"timestamp": "t", "type": "world_state", "payload": {"full": True}},
        {"timestamp": "t", "type": "response_item", "payload": {"type": "message", "role": "user", "content": "hi"}},
    ]
    run = FORMAT.read(lines, Origin())
    assert [message.text for message in run.transcripts[0].messages] == ["hi"]
    assert [line["type"] for line in run.metadata["events"]] == ["session_meta", "world_state"]


def test_a_list_of_messages_mixes_spellings() -> None:
    run = FORMAT.read(load("messages/list.json"), origin("messages/list.json"))
    assert outline(run) == [
        "system: Be short.",
        "user: Go.",
        'assistant: Going. | go({"fast": true})#x1',
        "tool go#x1: gone",
    ]
    assert run.id == "list"


def test_message_lines_joined_in_a_list() -> None:
    run = FORMAT.read(load_lines("messages/lines.jsonl"), origin("messages/lines.jsonl"))
    assert outline(run) == ["user: one", "assistant: two", "user: three"]
    assert run.transcripts[0].messages[1].timestamp == "2025-05-05T05:05:05Z"


def test_a_session_of_events_has_its_id_name_times_and_side_chains() -> None:
    lines = load_lines("messages/session.jsonl")
    run = FORMAT.read(lines, origin("messages/session.jsonl"))
    assert outline(run) == [
        "user: Rename foo to bar",
        'assistant: Edit({"old": "foo", "new": "bar"})#tc1',
        "tool Edit#tc1: edited",
        "system: Context was compacted",
        "assistant: Renamed.",
    ]
    assert (run.id, run.name) == ("sess-1", "Rename a function")
    assert run.metadata["events"] == lines[:2]
    assert run.metadata["session"] == {"isSidechain": False, "sessionId": "sess-1", "cwd": "/src", "version": "1.0"}
    messages = run.transcripts[0].messages
    assert messages[1].metadata == {"uuid": "u2", "requestId": "r1"}
    assert messages[1].usage == {"input_tokens": 9, "output_tokens": 4}
    assert messages[1].timestamp == "2025-06-01T10:00:02Z"
    assert messages[2].metadata == {"uuid": "u3", "toolUseResult": {"file": "a.py"}}
    [helper] = run.transcripts[1:]
    assert (helper.name, helper.messages[0].text) == ("side chain 1", "Checked by a helper.")
    assert helper.messages[0].metadata == {"uuid": "u4", "isSidechain": True}
    assert FORMAT.summarise(lines, Origin()).models == ("claude-y",)
    assert FORMAT.check(lines, Origin()) == []


def payload(kind: str, **fields: Any) -> dict[str, Any]:
    return {"timestamp": "2026-02-03T10:00:00Z", "type": "response_item", "payload": {"type": kind, **fields}}


def read_payloads(*items: dict[str, Any]) -> AgentRun:
    first = {"type": "session_meta", "payload": {"id": "s", "cwd": "/a"}}
    return FORMAT.read([first, *items], Origin(Path("a.jsonl")))


def test_what_a_call_gave_is_read_out_of_the_json_that_it_is_written_in() -> None:
    outputs = [
        '{"output": "one\\ntwo", "metadata": {"exit_code": 2, "duration_seconds": 0.5}}',
        '{"output": "one", "metadata": {}, "more": 1}',
        '{"output": 5, "metadata": {}}',
        "{not JSON",
        "plain",
    ]
    items = [payload("function_call_output", call_id="c", output=output) for output in outputs]
    run = read_payloads(payload("function_call", name="shell", arguments="{}", call_id="c"), *items)
    call, first, *others = run.transcripts[0].messages
    assert (first.text, first.metadata["exit_code"], first.metadata["duration_seconds"]) == ("one\ntwo", 2, 0.5)
    assert [message.text for message in others] == outputs[1:]
    assert call.tool_calls[0].function == first.function == "shell"
    assert [found.reason for found in highlights_in(run.transcripts[0])] == ["exit code 2"]


def test_a_call_with_free_text_for_input_is_no_call_that_cannot_be_parsed() -> None:
    patch = "*** Begin Patch\n*** End Patch"
    run = read_payloads(
        payload("custom_tool_call", name="apply_patch", input=patch, call_id="c", status="completed"),
        payload("custom_tool_call", name="other", input='{"a": 1}', call_id="d"),
    )
    calls = [message.tool_calls[0] for message in run.transcripts[0].messages]
    assert [(call.function, call.arguments, call.parse_error, call.id) for call in calls] == [
        ("apply_patch", {"input": patch}, None, "c"),
        ("other", {"a": 1}, None, "d"),
    ]
    assert tool_call({"id": "e", "type": "custom", "custom": {"name": "grep", "input": "x"}})["arguments"] == {
        "input": "x"
    }


def test_calls_of_built_in_tools_are_named_by_their_type() -> None:
    action = {"type": "exec", "command": ["ls"]}
    run = read_payloads(
        payload("local_shell_call", call_id="c", status="completed", action=action),
        payload("web_search_call", id="w", action={"type": "search", "query": "x"}),
        payload("file_search_call", id="f", queries=["y"], status="completed"),
    )
    calls = [message.tool_calls[0] for message in run.transcripts[0].messages]
    assert [(call.id, call.function, call.arguments, call.parse_error) for call in calls] == [
        ("c", "local_shell", action, None),
        ("w", "web_search", {"type": "search", "query": "x"}, None),
        ("f", "file_search", {"queries": ["y"], "status": "completed"}, None),
    ]
    assert tool_call({"type": "tool_call", "id": "x"})["parse_error"] == "the call names no function"


def test_the_models_of_a_session_are_those_that_its_turns_were_set_to() -> None:
    said = payload("message", role="assistant", content=[{"type": "output_text", "text": "ok"}])
    turns = [{"type": "turn_context", "payload": {"model": model}} for model in ("m1", "m2", "m1", 5, None)]
    lines = [*turns, said]
    assert FORMAT.summarise(lines, Origin(Path("a.jsonl"))).models == ("m1", "m2")


def test_a_session_of_payloads() -> None:
    lines = load_lines("messages/payloads.jsonl")
    run = FORMAT.read(lines, origin("messages/payloads.jsonl"))
    assert outline(run) == [
        "user: Count",
        'assistant: <reasoning {"reasoning": "Use wc.", "encrypted_content": "xx"}>',
        'assistant: shell({"command": ["wc"]})#k1',
        "tool shell#k1: 3 lines",
        "assistant: Three.",
    ]
    assert run.id == "sess-2"
    assert run.metadata == {"events": lines[:2]}


def test_mini_swe_agent() -> None:
    record = load("messages/mini.traj.json")
    run = FORMAT.read(record, origin("messages/mini.traj.json"))
    assert run.id == "repo__2"
    assert outline(run)[-2:] == ["assistant: ```bash\nsubmit\n```", "user exit: Submitted"]
    assert run.metadata == {"info": record["info"], "trajectory_format": "mini-swe-agent-1"}
    assert FORMAT.check(record, Origin()) == []


def test_one_message_is_a_run_of_one() -> None:
    record = {"role": "assistant", "content": "alone"}
    assert FORMAT.detect(record) is not None
    assert outline(FORMAT.read(record, Origin())) == ["assistant: alone"]


def test_a_torn_list_keeps_what_is_no_message() -> None:
    run = FORMAT.read([{"role": "user", "content": "a"}, 7, None, {"x": 1}], Origin())
    assert [m.text for m in run.transcripts[0].messages] == ["a", "7", "", ""]
    assert run.transcripts[0].messages[3].metadata["x"] == 1
    assert len(FORMAT.check([{"role": "user", "content": "a"}, 7, None, {"x": 1}], Origin())) == 3


def _event(uuid: str, role: str, content: Any, above: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "type": role, "uuid": uuid, "parentUuid": above, "sessionId": "s", "isSidechain": bool(more.pop("side", False)),
        "message": {"role": role, "content": content}, **more,
    }  # fmt: skip


def _task(id: str, prompt: str) -> list[dict[str, Any]]:
    return [{"type": "tool_use", "id": id, "name": "Task", "input": {"prompt": prompt}}]


def test_side_chains_that_are_mixed_in_a_session_are_transcripts_that_their_calls_lead_to() -> None:
    roof, barn = "Look for birds on the roof.", "Look for owls in the barn."
    lines = [
        _event("a", "user", "How many birds are there?"),
        _event("b", "assistant", [*_task("t1", roof), *_task("t2", barn)], "a"),
        _event("r1", "user", roof, side=True),
        _event("q1", "user", barn, side=True),
        _event("r2", "assistant", "I see four.", "r1", side=True),
        _event("q2", "assistant", "I see none.", "q1", side=True),
        _event("c", "user", [{"type": "tool_result", "tool_use_id": "t1", "content": "four"}], "b"),
        _event("d", "assistant", "Four.", "c"),
    ]
    run = FORMAT.read(lines, Origin())
    assert [transcript.name for transcript in run.transcripts] == [None, roof, barn]
    assert [[message.text for message in transcript.messages] for transcript in run.transcripts] == [
        ["How many birds are there?", "", "four", "Four."], [roof, "I see four."], [barn, "I see none."],
    ]  # fmt: skip
    assert branches_of(run).came_from == {1: Entry(0, 1, 0, 1), 2: Entry(0, 1, 1, 2)}
    summary = FORMAT.summarise(lines, Origin())
    assert (summary.messages, summary.transcripts) == (8, 3)
    assert summary.units == sum(len(transcript.unit_starts) for transcript in run.transcripts)


def test_a_side_chain_is_known_by_its_agent_and_the_answer_that_names_him() -> None:
    lines = [
        _event("a", "user", "Go."),
        _event("b", "assistant", _task("t1", "Count."), "a"),
        _event("r1", "user", "Count them all.", side=True, agentId="a7"),
        _event("r2", "assistant", "One.", "lost", side=True, agentId="a7"),
        _event(
            "c",
            "user",
            [{"type": "tool_result", "tool_use_id": "t1", "content": "1"}],
            "b",
            toolUseResult={"agentId": "a7"},
        ),
    ]
    run = FORMAT.read(lines, Origin())
    assert [len(transcript.messages) for transcript in run.transcripts] == [3, 2]
    assert branches_of(run).came_from == {1: Entry(0, 1, 0, 1)}


def test_a_sub_agents_own_file_is_one_transcript() -> None:
    lines = [_event("r1", "user", "Count.", side=True), _event("r2", "assistant", "One.", "r1", side=True)]
    run = FORMAT.read(lines, Origin())
    assert [message.text for message in run.transcripts[0].messages] == ["Count.", "One."]
    assert len(run.transcripts) == 1


def test_side_chains_that_say_nothing_of_themselves_join_the_last() -> None:
    lines = [_event("a", "user", "Go.")]
    lines += [_event("", "assistant", f"step {n}", side=True) for n in range(50)]
    lines += [_event("x", "user", f"task {n}", side=True, parentUuid=[n]) for n in range(3)]
    run = FORMAT.read(lines, Origin())
    assert [len(transcript.messages) for transcript in run.transcripts] == [1, 50, 1, 1, 1]
