"""What an annotator sees of a run in blind mode."""

from __future__ import annotations

import json

import pytest

from trajview.formats.chat_source import ChatSource
from trajview.models.blind import HIDDEN, blinded, tells
from trajview.models.messages import AssistantMessage, ChatMessage, ToolMessage, UserMessage
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript

SECRET = "gull-70b"


def run() -> AgentRun:
    return AgentRun(
        id="r1",
        name="the ferry",
        metadata={
            "task": "ferry",
            "model": SECRET,
            "scores": {"ferry": 0.25},
            "config": {"Eval_Model": SECRET, "seed": 7, "steps": [{"reward": 0.25, "at": 3}]},
        },
        rewards=[(0.25, {"goal": 0.25}), 0.25],
        reasoning="Agent 1 missed the ferry.",
        transcripts=[
            Transcript(
                messages=[
                    UserMessage(content="When does the ferry leave?"),
                    AssistantMessage(content="At noon.", model=SECRET, reward=0.25, metadata={"model_name": SECRET}),
                    ToolMessage(content="11:50", metadata={"seconds": 2}),
                ],
                metadata={"grader": "x", "judge_model": SECRET},
            )
        ],
    )


def test_nothing_that_is_hidden_is_anywhere_in_a_blinded_run() -> None:
    text = json.dumps(blinded(run()).to_docent())
    assert SECRET not in text
    assert "0.25" not in text
    assert "missed" not in text


def test_what_was_said_and_what_tells_nothing_stays() -> None:
    seen = blinded(run())
    assert [message.text for message in seen.transcripts[0].messages] == [
        "When does the ferry leave?", "At noon.", "11:50",
    ]  # fmt: skip
    assert (seen.id, seen.name, seen.metadata["task"]) == ("r1", "the ferry", "ferry")
    assert seen.metadata["config"] == {"Eval_Model": HIDDEN, "seed": 7, "steps": [{"reward": HIDDEN, "at": 3}]}
    assert seen.transcripts[0].messages[2].metadata == {"seconds": 2}
    assert seen.transcripts[0].units_of_action == [[0, 1, 2]]


def test_the_number_of_agents_does_not_go_with_their_rewards() -> None:
    assert blinded(run()).agent_names == ["agent 1", "agent 2"]
    assert blinded(AgentRun(transcripts=[Transcript(messages=[])])).agents is None


def test_the_run_itself_stays_as_it_is() -> None:
    before = run()
    transcript_id = before.transcripts[0].id
    blinded(before)
    assert before.rewards == [(0.25, {"goal": 0.25}), 0.25]
    message = before.transcripts[0].messages[1]
    assert isinstance(message, AssistantMessage)
    assert (message.model, message.reward) == (SECRET, 0.25)
    assert before.transcripts[0].id == transcript_id


def test_messages_of_a_log_are_blinded_when_they_are_looked_at() -> None:
    read_at: list[int] = []

    class Noting(ChatSource):
        def read(self, at: int) -> ChatMessage:
            read_at.append(at)
            return super().read(at)

    items = [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "hi", "model": SECRET, "reward": 0.25, "metadata": {"llm": SECRET}},
    ]
    source = Noting(items)
    transcript = Transcript(messages=source.messages(source.roles))
    seen = blinded(AgentRun(transcripts=[transcript])).transcripts[0].messages
    assert [message.role for message in seen] == ["user", "assistant"]
    assert not read_at
    assert (seen[1].reward, seen[1].metadata) == (None, {"llm": HIDDEN})
    assert read_at == [1]
    assert SECRET not in json.dumps([message.plain() for message in seen])
    assert [message.text for message in seen] == ["hello", "hi"]
    assert [message.texts() for message in seen] == [["hello"], ["hi"]]
    assert transcript.messages[1].reward == 0.25


@pytest.mark.parametrize("key", ["model", "agent_models", "raw_rewards", "Score", "eval_results", "is_correct", "llm"])
def test_keys_that_may_tell(key: str) -> None:
    assert tells(key)


@pytest.mark.parametrize("key", ["task", "seed", "environment", "steps", "codename", "created_at"])
def test_keys_that_tell_nothing(key: str) -> None:
    assert not tells(key)


def test_a_model_named_in_a_tag_is_hidden_there_too() -> None:
    seen = blinded(
        AgentRun(
            id="r1",
            metadata={
                "models": ["judge-9", SECRET, "it"],
                "tag": f"{SECRET.upper()}_v2",
                "of": ["judge-9"],
                "task": "visit",
            },
            transcripts=[
                Transcript(messages=[UserMessage(content=f"{SECRET}?", metadata={"run": f"a/{SECRET}/1", "seed": 4})])
            ],
        )
    )
    assert seen.metadata == {"models": HIDDEN, "tag": HIDDEN, "of": [HIDDEN], "task": "visit"}
    assert seen.transcripts[0].messages[0].metadata == {"run": HIDDEN, "seed": 4}
    assert seen.transcripts[0].messages[0].text == f"{SECRET}?"
