"""Speakers that share a role are told apart, the same in every transcript of a run."""

from __future__ import annotations

from trajview.models.messages import AssistantMessage, ChatMessage, SystemMessage, UserMessage
from trajview.models.speakers import COLOURS, speakers_of


def said(*names: str | None) -> list[ChatMessage]:
    """A message of the assistant by each."""
    return [AssistantMessage(content="x", name=name) for name in names]


def test_where_the_role_tells_who_speaks_nobody_is_numbered() -> None:
    assert (
        speakers_of(
            [
                SystemMessage(content="x", name="Narrator"),
                *said("Ada", None, "Ada"),
                UserMessage(content="x", name="Ben"),
            ]
        )
        == {}
    )


def test_who_shares_a_role_is_numbered_as_they_come() -> None:
    messages = [UserMessage(content="go", name="Ben"), *said("Planner", "Coder", "Planner")]

    assert speakers_of(messages) == {"Planner": 0, "Coder": 1}


def test_agents_have_the_numbers_of_the_run_also_where_they_have_not_spoken() -> None:
    assert speakers_of(said("Nuala", "Environment"), ["Maeve", "Cormac", "Nuala"]) == {
        "Maeve": 0,
        "Cormac": 1,
        "Nuala": 2,
    }


def test_after_the_last_colour_comes_the_first() -> None:
    names = [f"agent {number}" for number in range(COLOURS + 1)]

    assert speakers_of([], names)[names[-1]] == 0
