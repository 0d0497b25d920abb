"""Docent's runs and transcripts, as Docent writes them and as they break."""

from __future__ import annotations

import pytest

from trajview.errors import FormatError
from trajview.formats.base import Origin
from trajview.formats.docent import FORMAT
from trajview.models.messages import AssistantMessage
from trajview.models.run import AgentRun

from .chat_outline import load, load_lines, origin, outline


def test_a_run_is_read_as_it_is() -> None:
    record = load("docent/run.json")
    run = FORMAT.read(record, origin("docent/run.json"))
    assert (run.id, run.name, run.source_format) == ("run-7f", "fix the parser", "docent")
    assert outline(run) == [
        "system: You fix bugs.",
        "user: The parser drops the last line.",
        'assistant: <reasoning {"reasoning": "Off by one, most likely.", "redacted": false}> | Let me look.'
        ' | bash({"cmd": "cat parser.py"})#c1',
        "tool bash#c1: for line in lines[:-1]:",
        "assistant: Found it.",
    ]
    assert outline(run, 1) == ["user: Is it right?", "assistant: Yes."]
    assert run.metadata == record["metadata"]
    assert run.transcripts[0].metadata == {"_private": 1}
    assert run.transcripts[0].created_at == "2025-01-02T03:04:05"
    assert [group.name for group in run.transcript_groups] == ["attempt"]
    assistant = run.transcripts[0].messages[2]
    assert isinstance(assistant, AssistantMessage)
    assert assistant.tool_calls is not None
    assert assistant.tool_calls[0].view is not None
    assert assistant.tool_calls[0].view.format == "markdown"
    assert FORMAT.check(record, origin("docent/run.json")) == []


def test_what_we_write_reads_back_equal() -> None:
    run = FORMAT.read(load("docent/run.json"), Origin())
    again = FORMAT.read(run.to_docent(), Origin())
    assert again == run
    assert AgentRun.from_docent(run.to_docent()) == run


def test_several_scores_are_dimensions_with_the_reward_as_overall() -> None:
    run = FORMAT.read(load("docent/run.json"), Origin())
    assert run.rewards == [(0.75, {"correct": 1.0, "style": 0.5})]


@pytest.mark.parametrize(
    ("metadata", "rewards"),
    [
        ({"scores": {"includes": 1.0}}, [1.0]),
        ({"scores": {"a": 1.0, "b": 0.0}}, [(0.5, {"a": 1.0, "b": 0.0})]),
        ({"scores": {"correct": True}}, [1.0]),
        ({"scores": {"includes": "C"}}, None),
        ({"scores": {"includes": float("nan")}}, None),
        ({"reward": 0.25}, [0.25]),
        ({}, None),
    ],
)
def test_scores_in_the_metadata_are_the_reward(metadata: object, rewards: object) -> None:
    record = {"id": "r", "transcripts": [{"messages": []}], "metadata": metadata}
    assert FORMAT.read(record, Origin()).rewards == rewards
    assert FORMAT.summarise(record, Origin()).rewards == tuple(rewards or ())


def test_a_bare_transcript_becomes_a_run_of_one_transcript() -> None:
    record = load("docent/transcript.json")
    assert FORMAT.detect(record).confidence > 0.9
    run = FORMAT.read(record, origin("docent/transcript.json"))
    assert run.id == run.transcripts[0].id == "t-alone"
    assert outline(run) == [
        "user: How many files?",
        'assistant: count({"path": "."})#c9',
        'tool count#c9: 12 | !{"type": "timeout", "message": "took too long"}',
    ]
    assert run.transcripts[0].metadata == {"k": "v"}


def test_the_old_form_with_transcripts_by_name_is_read() -> None:
    run = FORMAT.read(load_lines("docent/runs.jsonl")[0], Origin())
    assert outline(run) == ["user: hi", "assistant: hello"]


def test_messages_that_do_not_fit_do_not_lose_the_rest() -> None:
    record = load_lines("docent/runs.jsonl")[1]
    run = FORMAT.read(record, Origin())
    assert outline(run) == [
        "user: fine",
        'assistant: 5 | ?({"_raw": "none"})# !a tool call is an object, not text',
        "user narrator: who speaks?",
        "user: just text",
        "tool None#None: still here",
        "assistant: and the rest is read",
    ]
    problems = [message.metadata.get("trajview_problem") for message in run.transcripts[0].messages]
    assert problems == [
        None,
        "content must be text or a list of parts, not number",
        'role "narrator" is none of Docent\'s',
        "a message is an object, and this is text",
        "metadata must be a dict, not list",
        None,
    ]
    assert run.transcripts[0].messages[4].metadata["value"] == ["not", "a", "dict"]
    assert outline(run, 1) == ["user: 7"]


def test_check_reports_what_docent_would_refuse() -> None:
    reasons = [problem.reason for problem in FORMAT.check(load_lines("docent/runs.jsonl")[1], Origin())]
    assert "metadata of the run must be a dict, not str" in reasons
    assert "message 1 of transcript 0: content must be text or a list of parts, not number" in reasons
    assert "transcript 1 is no object but number" in reasons


def test_metadata_that_is_no_dict_is_kept_under_value() -> None:
    record = {"id": "r", "transcripts": [{"messages": [], "metadata": [1]}], "metadata": "text"}
    run = FORMAT.read(record, Origin())
    assert run.metadata == {"value": "text"}
    assert run.transcripts[0].metadata == {"value": [1]}


def test_unknown_keys_go_to_metadata_and_take_no_place_of_another() -> None:
    record = {
        "id": "r",
        "collection": "c",
        "transcripts": [{"messages": [], "dict_hash": "h", "metadata": {"dict_hash": "other"}}],
        "metadata": {"k": 1},
    }
    run = FORMAT.read(record, Origin())
    assert run.metadata == {"k": 1, "collection": "c"}
    assert run.transcripts[0].metadata == {"dict_hash": "other", "dict_hash_": "h"}


def test_ids_do_not_change_from_one_opening_to_the_next() -> None:
    record = {"transcripts": [{"messages": []}, {"messages": []}]}
    first, second = (FORMAT.read(record, Origin(record=3, alone=False)) for _ in range(2))
    assert first.id == second.id == "record#3"
    assert [t.id for t in first.transcripts] == [t.id for t in second.transcripts] == ["record#3/0", "record#3/1"]


def test_units_of_ours_count_where_they_cover_the_messages() -> None:
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    for units, count in (([[0], [1]], 2), ([[0]], 1), ("x", 1), ([[1], [0]], 1)):
        record = {"id": "r", "transcripts": [{"messages": messages, "units": units}]}
        run = FORMAT.read(record, Origin())
        assert len(run.transcripts[0].units_of_action) == FORMAT.summarise(record, Origin()).units == count


@pytest.mark.parametrize("transcripts", [[], {}, "text", 5, None])
def test_a_run_without_transcripts_is_refused_in_one_sentence(transcripts: object) -> None:
    for act in (FORMAT.read, FORMAT.summarise, FORMAT.check):
        with pytest.raises(FormatError) as caught:
            act({"id": "r", "transcripts": transcripts}, Origin(record=2, alone=False))
        assert "\n" not in str(caught.value)
        assert caught.value.hint
        assert str(caught.value.where) == "record#2"


def test_a_message_key_that_its_metadata_has_too_keeps_both() -> None:
    record = {"transcripts": [{"messages": [{"role": "user", "content": "x", "odd": 1, "metadata": {"odd": 2}}]}]}
    assert FORMAT.read(record, Origin()).transcripts[0].messages[0].metadata == {"odd": 2, "odd_": 1}
