"""Runs: Docent's files in and out, and what is ours beside them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trajview.models.messages import UserMessage
from trajview.models.run import AgentRun, overall_of
from trajview.models.transcript import Transcript

# Docent's published models know these keys and no others; written by us, after its schema.
DOCENT_RUN_KEYS = {"id", "name", "description", "transcripts", "transcript_groups", "metadata"}
DOCENT_TRANSCRIPT_KEYS = {
    "id", "name", "description", "transcript_group_id", "created_at", "messages", "metadata",
}  # fmt: skip
DOCENT_GROUP_KEYS = {
    "id", "name", "description", "agent_run_id", "parent_transcript_group_id", "created_at", "metadata",
}  # fmt: skip


def docent_run() -> dict[str, Any]:
    return {
        "id": "run-1",
        "name": "fix the parser",
        "description": None,
        "transcripts": [
            {
                "id": "t-1",
                "name": "main",
                "description": None,
                "transcript_group_id": "g-2",
                "created_at": "2025-03-01T10:00:00",
                "messages": [
                    {"id": None, "content": "Be brief.", "role": "system", "metadata": {}},
                    {"id": "m1", "content": "Fix it.", "role": "user", "metadata": {"_n": 1}, "tool_call_id": None},
                    {
                        "id": None,
                        "content": [
                            {"type": "reasoning", "reasoning": "hm", "signature": None, "redacted": False},
                            {"type": "text", "text": "Done.", "refusal": None},
                        ],
                        "role": "assistant",
                        "metadata": {},
                        "model": "m-large",
                        "tool_calls": [
                            {
                                "id": "c1",
                                "function": "bash",
                                "arguments": {"cmd": "ls"},
                                "type": "function",
                                "parse_error": None,
                                "view": None,
                            }
                        ],
                        "citations": None,
                        "suggested_messages": None,
                    },
                    {
                        "id": None,
                        "content": "a.py",
                        "role": "tool",
                        "metadata": {},
                        "tool_call_id": "c1",
                        "function": "bash",
                        "error": None,
                    },
                ],
                "metadata": {"_seed": 3},
            }
        ],
        "transcript_groups": [
            {
                "id": "g-1",
                "name": "experiment",
                "description": None,
                "agent_run_id": "run-1",
                "parent_transcript_group_id": None,
                "created_at": None,
                "metadata": {},
            },
            {
                "id": "g-2",
                "name": "attempt",
                "description": None,
                "agent_run_id": "run-1",
                "parent_transcript_group_id": "g-1",
                "created_at": None,
                "metadata": {"k": [1]},
            },
        ],
        "metadata": {"scores": {"resolved": True}, "_internal": None},
    }


def test_a_file_of_docents_comes_out_as_it_went_in() -> None:
    data = docent_run()
    assert json.loads(json.dumps(AgentRun.from_docent(data).to_docent())) == data


def test_what_we_write_holds_no_key_that_docent_does_not_know() -> None:
    run = AgentRun(transcripts=[Transcript(messages=[UserMessage(content="x")])], transcript_groups=[])
    data = run.to_docent()
    assert set(data) == DOCENT_RUN_KEYS
    assert set(data["transcripts"][0]) == DOCENT_TRANSCRIPT_KEYS
    data = AgentRun.from_docent(docent_run()).to_docent()
    assert {frozenset(group) for group in data["transcript_groups"]} == {frozenset(DOCENT_GROUP_KEYS)}


def test_the_old_form_of_transcripts_and_groups_is_a_dict_whose_values_count() -> None:
    data = docent_run()
    old = {
        **data,
        "transcripts": {"default": data["transcripts"][0], "other": {"messages": []}},
        "transcript_groups": {group["id"]: group for group in data["transcript_groups"]},
    }
    run = AgentRun.from_docent(old)
    assert [transcript.name for transcript in run.transcripts] == ["main", None]
    assert [group.id for group in run.transcript_groups] == ["g-1", "g-2"]


def test_null_groups_are_none() -> None:
    assert AgentRun.from_docent({"transcripts": [{}], "transcript_groups": None}).transcript_groups == []


@pytest.mark.parametrize("transcripts", [[], {}, None])
def test_a_run_needs_a_transcript(transcripts: object) -> None:
    with pytest.raises(ValueError, match="at least one transcript"):
        AgentRun.from_docent({"transcripts": transcripts})


def test_metadata_that_is_no_dict_is_refused_by_the_name_of_its_type() -> None:
    with pytest.raises(ValueError, match="metadata must be a dict, not tuple"):
        AgentRun(transcripts=[Transcript()], metadata=(1,))  # type: ignore[arg-type]


def test_what_is_ours_survives_a_round_trip() -> None:
    run = AgentRun(
        transcripts=[Transcript()],
        agents=["Ann", "Bob"],
        rewards=[(2.5, {"goal": 5.0, "secret": 0.0}), 0.0],
        reasoning="Ann did well.",
        source_format="sotopia",
    )
    again = AgentRun.from_docent(json.loads(json.dumps(run.to_docent())))
    assert again == run
    assert [overall_of(reward) for reward in again.rewards or ()] == [2.5, 0.0]


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({}, ["agent"]),
        ({"rewards": [1.0]}, ["agent"]),
        ({"rewards": [1.0, 2.0]}, ["agent 1", "agent 2"]),
        ({"agents": ["Ann"], "rewards": [1.0]}, ["Ann"]),
        ({"agents": []}, ["agent"]),
    ],
)
def test_every_agent_has_a_name(fields: dict[str, Any], names: list[str]) -> None:
    assert AgentRun(transcripts=[Transcript()], **fields).agent_names == names
