"""What units took: calls, tokens, and time by whatever clock the log has."""

from __future__ import annotations

from typing import Any

import pytest

from trajview.app.transcript.unit_facts import (
    duration_of,
    facts_of,
    short_count,
    short_duration,
    time_of,
)
from trajview.models.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from trajview.models.tokens import count_tokens
from trajview.models.transcript import Transcript


def at(seconds: float | None) -> dict[str, Any]:
    return {} if seconds is None else {"timestamp": f"2025-11-05T08:00:{seconds:09.6f}Z"}


def dialogue(*times: float | None) -> Transcript:
    """Units [user, assistant with two calls, tool], [assistant, tool], [assistant]."""
    calls = [ToolCall(id=id, function="look", arguments={"where": "roof"}) for id in "ab"]
    made = (UserMessage, AssistantMessage, ToolMessage, AssistantMessage, ToolMessage, AssistantMessage)
    messages: list[Any] = [kind(content="a word", **at(time)) for kind, time in zip(made, times, strict=True)]
    messages[1].tool_calls = calls
    return Transcript(messages=messages)


def test_a_unit_lasts_from_its_users_message_or_from_the_message_before_it() -> None:
    transcript = dialogue(1, 3, 7, 9, 10, 30)
    assert [duration_of(transcript, unit) for unit in range(3)] == [6, 3, 20]


def test_messages_without_a_time_are_passed_over_and_units_without_any_have_none() -> None:
    transcript = dialogue(None, 3, None, None, 10, None)
    assert [duration_of(transcript, unit) for unit in range(3)] == [None, None, None]
    assert duration_of(dialogue(1, None, 7, None, None, 9), 0) == 6
    assert duration_of(dialogue(None, 3, 7, None, None, 9), 0) == 4


def test_time_that_runs_backwards_is_no_duration() -> None:
    assert duration_of(dialogue(30, 10, 5, 4, 3, 2), 0) is None


def test_a_lone_message_of_a_user_took_no_time() -> None:
    transcript = Transcript(messages=[UserMessage(content="hello", **at(3))])
    assert duration_of(transcript, 0) is None


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("1970-01-01T00:01:00Z", 60.0),
        ("1970-01-01T00:01:00", 60.0),
        ("1970-01-01 01:01:00.5+01:00", 60.5),
        ("1762329600", 1_762_329_600.0),
        ("1762329600.25", 1_762_329_600.25),
        ("1762329600250", 1_762_329_600.25),
        ("1762329600250000", 1_762_329_600.25),
        ("08:00:03", None),
        ("yesterday", None),
        ("nan", None),
        ("-5", None),
        ("1e400", None),
        ("9" * 30, None),
        ("2025-11-05T08:00:03Z" + " " * 100, None),
        ("\ud800", None),
        ("", None),
    ],
)
def test_times_are_read_as_logs_write_them(said: str, seconds: float | None) -> None:
    assert time_of(UserMessage(content="", timestamp=said)) == seconds


@pytest.mark.parametrize(("said", "seconds"), [("1970-01-01T00:01:00Z", 60.0), (60, 60.0), (True, None), ([60], None)])
def test_a_time_in_the_metadata_counts_where_there_is_no_other(said: object, seconds: float | None) -> None:
    assert time_of(UserMessage(content="", metadata={"timestamp": said})) == seconds


def test_calls_and_tokens_are_counted_with_arguments() -> None:
    facts = facts_of(dialogue(1, 3, 7, 9, 10, 30), 0)
    assert facts is not None
    assert (facts.calls, facts.seconds) == (2, 6)
    assert facts.tokens >= 3 * count_tokens("a word") + 2 * count_tokens("look")


def test_a_count_that_is_cancelled_says_nothing() -> None:
    assert facts_of(dialogue(*[None] * 6), 0, lambda: True) is None


def test_short_texts_fit_their_columns() -> None:
    seconds = (0.04, 9.94, 9.96, 59.4, 59.6, 200, 3_599, 7_500, 86_399, 86_400, 8_640_000)
    assert [short_duration(each) for each in seconds] == [
        "0.0s", "9.9s", "10s", "59s", "1m00", "3m20", "59m59", "2h05", "23h59", "1d", "100d",
    ]  # fmt: skip
    counts = (0, 999, 1_000, 9_949, 9_950, 99_949, 999_499, 999_500, 1_250_000, 10_000_000, 999_499_999, 2_000_000_000)
    assert [short_count(each) for each in counts] == [
        "0", "999", "1.0k", "9.9k", "10k", "100k", "999k", "1.0M", "1.2M", "10M", "999M", "2G",
    ]  # fmt: skip
    assert max(len(short_count(each)) for each in counts) <= 4
