"""How a run begins: the same while it grows, another one where its log was rotated, replaced or cut."""

from __future__ import annotations

from typing import Any

import pytest

from trajview.models.beginning import beginning_of, differs_at
from trajview.models.run import AgentRun


def run(*texts: str, source_format: str = "chat") -> AgentRun:
    roles = ("system", "user", "assistant")
    messages: list[dict[str, Any]] = [
        {"role": roles[at] if at < 3 else roles[1 + (at + 1) % 2], "content": text} for at, text in enumerate(texts)
    ]
    return AgentRun.from_docent({"id": "a", "transcripts": [{"messages": messages}], "source_format": source_format})


def begins(*texts: str, source_format: str = "chat") -> str:
    return beginning_of(run(*texts, source_format=source_format))


def test_a_run_that_grows_is_the_same() -> None:
    texts = [f"said {number}" for number in range(80)]
    for shorter in (0, 1, 2, 3, 4, 31, 32, 33, 79):
        for longer in (shorter, shorter + 1, 80):
            assert differs_at(begins(*texts[:shorter]), begins(*texts[:longer])) is None


def test_a_last_message_of_the_agent_may_still_be_written() -> None:
    assert differs_at(begins("be kind", "hi", "I thi"), begins("be kind", "hi", "I think so", "why?")) is None
    assert differs_at(begins("be kind", "hi", "no", "so?"), begins("be kind", "hi", "yes", "so?")) == 2


@pytest.mark.parametrize("at", [0, 1, 2, 30])
def test_the_first_message_that_is_another_one_is_told(at: int) -> None:
    texts = [f"said {number}" for number in range(40)]
    others = [*texts[:at], "something else", *texts[at + 1 :]]
    assert differs_at(begins(*texts), begins(*others)) == at


def test_a_run_that_ends_before_what_was_there_is_another_one() -> None:
    texts = [f"said {number}" for number in range(80)]
    assert differs_at(begins(*texts), begins(*texts[:2])) == 2
    assert differs_at(begins(*texts), begins(*texts[:70])) == 70


def test_calls_tell_runs_apart() -> None:
    def calling(command: str) -> str:
        call = {"id": "1", "function": "bash", "arguments": {"command": command}}
        said = [{"role": "assistant", "content": "", "tool_calls": [call]}, {"role": "user", "content": "thanks"}]
        return beginning_of(AgentRun.from_docent({"id": "a", "transcripts": [{"messages": said}]}))

    assert differs_at(calling("ls"), calling("ls")) is None
    assert differs_at(calling("ls"), calling("rm")) == 0


def test_a_record_that_no_format_knows_is_told_by_its_start() -> None:
    start = "x" * 300
    grown = begins(start + "more", source_format="raw")
    assert differs_at(begins(start, source_format="raw"), grown) is None
    assert differs_at(begins("y" * 300, source_format="raw"), grown) == 0


@pytest.mark.parametrize(
    "other", ["", "0:3:abcd", "2:3:abcd", "1:-3:abcd", "1:²:abcd", "1", "nonsense", "1:" + "9" * 5000]
)
def test_what_is_not_known_is_no_other_run(other: str) -> None:
    here = begins("be kind", "hi", "ho", "hey")
    assert differs_at(other, here) is None
    assert differs_at(here, other) is None
