"""The text of the metadata panel."""

from __future__ import annotations

from trajview.app.transcript.metadata import metadata_text, outlined
from trajview.models.messages import UserMessage
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript


def test_nested_values_stand_below_their_keys() -> None:
    value = {"a": 1, "b": {"c": [1, 2], "d": {}}, "e": [{"f": None}, "x"], "g": True, "h": "two\nlines"}
    assert outlined(value).split("\n") == [
        "a: 1", "b:", "  c: 1, 2", "  d: {}", "e:", "  -", "    f: null", "  - x", "g: true", "h:", "  two", "  lines",
    ]  # fmt: skip


def test_numbers_are_short() -> None:
    assert outlined({"reward": 0.9333333333333332, "n": 3.0}) == "reward: 0.933333\nn: 3"


def test_the_nearest_facts_come_first_and_the_evaluators_reasoning_can_be_read() -> None:
    message = UserMessage(content="hi", name="Ada", metadata={"turn": 3})
    transcript = Transcript(id="t", messages=[message], metadata={"k": "v"})
    run = AgentRun(
        id="r",
        transcripts=[transcript],
        metadata={"task": "x"},
        reasoning="First.\nSecond.",
        agents=["Ada"],
        rewards=[(2.5, {"goal": 2.5})],
    )
    text = metadata_text(run, transcript, 0, message)
    assert [line for line in text.split("\n") if line and not line.startswith("─")] == [
        "message 0", "role: user", "name: Ada", "turn: 3",
        "transcript", "id: t", "k: v",
        "run", "id: r", "agents: Ada", "rewards:", "  Ada:", "    overall: 2.5", "    goal: 2.5", "task: x",
        "the evaluator's reasoning", "First.", "Second.",
    ]  # fmt: skip


def test_a_run_without_messages_has_metadata_too() -> None:
    transcript = Transcript(id="t")
    assert "message" not in metadata_text(AgentRun(id="r", transcripts=[transcript]), transcript, None, None)
