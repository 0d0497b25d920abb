"""What is known about two runs: their rewards, and what else differs."""

from __future__ import annotations

from typing import Any

from trajview.compare.facts import Fact, facts_of
from trajview.models.messages import AssistantMessage
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript


def run(model: str, **more: Any) -> AgentRun:
    return AgentRun(transcripts=[Transcript(messages=[AssistantMessage(content="Done.", model=model)])], **more)


def test_what_differs_is_told_level_by_level_and_what_is_the_same_is_not() -> None:
    left = run("owl", metadata={"task": "clock", "scores": {"tests": 1, "style": 0.5}, "only": True})
    right = run("owl", metadata={"task": "clock", "scores": {"tests": 0, "style": 0.5}})
    assert facts_of(left, right) == [Fact("scores.tests", "1", "0"), Fact("only", "true", "")]


def test_rewards_are_told_even_if_they_are_the_same() -> None:
    facts = facts_of(run("owl", rewards=[0.5]), run("hen", rewards=[0.5]))
    assert facts == [Fact("reward", "0.5", "0.5"), Fact("model", "owl", "hen")]
    assert [fact.differs for fact in facts] == [False, True]


def test_rewards_by_dimension_are_told_for_each_agent() -> None:
    one = (2.0, {"goal": 3.0, "secret": 1.0})
    facts = facts_of(run("owl", rewards=[one, 1.0], agents=["Ada", "Bo"]), run("owl", rewards=[1.0]))
    assert [fact.name for fact in facts] == [
        "reward of Ada", "reward of Bo", "reward", "goal of Ada", "secret of Ada", "agents",
    ]  # fmt: skip


def test_of_rewards_by_dimension_that_are_the_same_only_the_overall_one_is_told() -> None:
    def rated(goal: float) -> AgentRun:
        return run("owl", rewards=[(2.0, {"goal": goal, "secret": 1.0, "overall_score": goal})])

    assert facts_of(rated(3), rated(4)) == [Fact("reward", "2", "2"), Fact("reward, goal", "3", "4")]


def test_scores_that_are_the_reward_by_dimension_are_told_once() -> None:
    def scored(tests: float, style: float, metadata: dict[str, Any]) -> AgentRun:
        return run("owl", rewards=[(tests, {"tests": tests, "style": style})], metadata={"scores": metadata})

    left = scored(1, 0.5, {"tests": True, "style": 0.5, "judge": "good"})
    right = scored(0, 0.25, {"tests": False, "style": 0.25, "judge": "bad"})
    parts = [Fact("reward, tests", "1", "0"), Fact("reward, style", "0.5", "0.25")]
    assert facts_of(left, right) == [Fact("reward", "1", "0"), *parts, Fact("scores.judge", "good", "bad")]
    other = scored(0, 0.25, {"tests": 0.75, "style": "none"})
    assert facts_of(left, other)[3:] == [
        Fact("scores.tests", "true", "0.75"), Fact("scores.style", "0.5", "none"), Fact("scores.judge", "good", ""),
    ]  # fmt: skip
    alone = run("owl", rewards=[0.0], metadata={"scores": {"tests": 0}})
    assert "scores.tests" in [fact.name for fact in facts_of(left, alone)]


def test_hostile_metadata_is_made_safe_and_short() -> None:
    deep: Any = "leaf"
    for _ in range(3_000):
        deep = {"k": deep}
    left = run("owl", metadata={"\x1b]0;title\x07": "\x1b[31mred\n" * 1_000, "deep": deep, "many": list(range(10**5))})
    for fact in facts_of(left, run("owl")):
        assert "\x1b" not in "".join(fact)
        assert all(len(text) <= 301 for text in fact)
