"""Bare lists, message lines, coding-agent sessions and mini-swe-agent's files."""

from __future__ import annotations

from trajview.formats.base import Origin
from trajview.formats.messages import FORMAT

from .chat_outline import load, load_lines, origin, outline


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
        "assistant: Checked by a helper.",
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
    assert messages[3].metadata == {"uuid": "u4", "isSidechain": True}
    assert FORMAT.summarise(lines, Origin()).models == ("claude-y",)
    assert FORMAT.check(lines, Origin()) == []


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
