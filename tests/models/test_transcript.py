"""Action units by Docent's rule, against a naive model, and what a transcript keeps and writes."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from msgspec.structs import replace

from tests.models.strategies import roles, transcripts
from trajview.models.messages import (
    AssistantMessage,
    ChatMessage,
    SystemMessage,
    ToolMessage,
    UserMessage,
    message_from,
)
from trajview.models.transcript import Transcript, TranscriptGroup, count_units, unit_starts

MAKE = {"system": SystemMessage, "user": UserMessage, "assistant": AssistantMessage, "tool": ToolMessage}


def transcript_of(kinds: list[str]) -> Transcript:
    return Transcript(messages=[MAKE[kind](content=str(index)) for index, kind in enumerate(kinds)])


def naive_units(kinds: list[str]) -> list[list[int]]:
    """The rule as the format's page states it, with an open unit and nothing clever."""
    units: list[list[int]] = []
    current: list[int] = []
    for index, kind in enumerate(kinds):
        previous = kinds[index - 1] if index else None
        if kind == "system":
            if current:
                units.append(current)
            units.append([index])
            current = []
            continue
        starts = (kind == "user" and previous != "user") or (
            kind == "assistant" and previous not in ("user", "assistant")
        )
        if starts and current:
            units.append(current)
            current = []
        current = [*current, index]
    return [*units, current] if current else units


@pytest.mark.parametrize(
    ("kinds", "units"),
    [
        ("", []),
        ("s", [[0]]),
        ("ss", [[0], [1]]),
        ("t", [[0]]),
        ("st", [[0], [1]]),
        ("suat", [[0], [1, 2, 3]]),
        ("uata", [[0, 1, 2], [3]]),
        ("uuaa", [[0, 1, 2, 3]]),
        ("uau", [[0, 1], [2]]),
        ("uatat", [[0, 1, 2], [3, 4]]),
        ("usa", [[0], [1], [2]]),
        ("stau", [[0], [1], [2], [3]]),
        ("uatt", [[0, 1, 2, 3]]),
    ],
)
def test_units_by_docents_rule(kinds: str, units: list[list[int]]) -> None:
    names = {"s": "system", "u": "user", "a": "assistant", "t": "tool"}
    assert transcript_of([names[kind] for kind in kinds]).units_of_action == units


@given(roles)
def test_units_and_look_ups_agree_with_the_naive_rule(kinds: list[str]) -> None:
    transcript = transcript_of(kinds)
    units = naive_units(kinds)
    assert transcript.units_of_action == units
    assert count_units(kinds) == len(units)
    assert unit_starts(kinds) == [unit[0] for unit in units]
    for index in range(-2, len(units) + 2):
        expected = units[index][0] if 0 <= index < len(units) else None
        assert transcript.get_first_block_in_action_unit(index) == expected
    for block in range(-2, len(kinds) + 2):
        expected = next((number for number, unit in enumerate(units) if block in unit), None)
        assert transcript.get_action_unit_for_block(block) == expected


def test_looking_up_a_block_is_not_linear() -> None:
    transcript = Transcript(messages=[UserMessage(), AssistantMessage(), ToolMessage()] * 100_000)
    assert transcript.get_action_unit_for_block(299_999) == 99_999
    began = time.process_time()
    for block in range(0, 300_000, 10):
        transcript.get_action_unit_for_block(block)
    # 30,000 look-ups; a walk over the units would take minutes.
    assert time.process_time() - began < 2


def test_set_messages_computes_the_units_anew() -> None:
    transcript = transcript_of(["user", "assistant"])
    assert transcript.units_of_action == [[0, 1]]
    transcript.set_messages([SystemMessage(), UserMessage(), AssistantMessage(), ToolMessage(), AssistantMessage()])
    assert transcript.units_of_action == [[0], [1, 2, 3], [4]]
    assert transcript.get_action_unit_for_block(4) == 2
    assert transcript.get_first_block_in_action_unit(2) == 4


def test_set_messages_forgets_units_of_the_source() -> None:
    transcript = transcript_of(["user", "assistant"])
    transcript.units = [[0], [1]]
    assert transcript.units_of_action == [[0], [1]]
    transcript.set_messages([UserMessage(), AssistantMessage()])
    assert transcript.units_of_action == [[0, 1]]


def test_the_message_list_is_not_shared_with_the_caller() -> None:
    transcript = Transcript()
    mine: list[ChatMessage] = [UserMessage()]
    transcript.set_messages(mine)
    mine.append(AssistantMessage())
    assert len(transcript.messages) == 1


@pytest.mark.parametrize("units", [[[0]], [[0, 1], [2, 3]], [[1], [0]], [[0], [], [1]], []])
def test_units_that_do_not_cover_the_messages_in_order_are_not_trusted(units: list[list[int]]) -> None:
    transcript = transcript_of(["user", "assistant"])
    transcript.units = units
    assert transcript.units_of_action == [[0, 1]]


def test_messages_appended_in_place_are_noticed() -> None:
    transcript = transcript_of(["user"])
    assert transcript.units_of_action == [[0]]
    transcript.messages.append(AssistantMessage())
    transcript.messages.append(UserMessage())
    assert transcript.units_of_action == [[0, 1], [2]]
    assert transcript.get_action_unit_for_block(2) == 1


def test_a_copy_with_other_messages_has_its_own_units() -> None:
    transcript = transcript_of(["user", "assistant"])
    assert transcript.units_of_action == [[0, 1]]
    copy = replace(transcript, messages=[SystemMessage(), ToolMessage()])
    assert copy.units_of_action == [[0], [1]]
    assert transcript.units_of_action == [[0, 1]]


def test_looking_at_the_units_does_not_make_a_transcript_differ() -> None:
    transcript = transcript_of(["user", "assistant"])
    again = Transcript.from_docent(transcript.to_docent())
    assert transcript.units_of_action
    assert again == transcript
    again.set_messages([UserMessage()])
    assert again != transcript


@pytest.mark.parametrize(("value", "name"), [([], "list"), ("x", "str"), (3, "int"), (1.5, "float"), (True, "bool")])
def test_metadata_that_is_no_dict_is_refused_by_the_name_of_its_type(value: object, name: str) -> None:
    refused = pytest.raises(ValueError, match=f"metadata must be a dict, not {name}")
    for made in (Transcript.from_docent, message_from):
        with refused:
            made({"role": "user", "metadata": value})
    for kind in (Transcript, TranscriptGroup, UserMessage):
        with refused:
            kind(metadata=value)


def test_metadata_with_underscore_keys_survives_a_round_trip() -> None:
    metadata = {"_private": {"__deep": [1]}, "model_config": "x", "a b": None}
    transcript = Transcript(messages=[UserMessage(content="hi", metadata=metadata)], metadata=metadata)
    again = Transcript.from_docent(json.loads(json.dumps(transcript.to_docent())))
    assert again.metadata == metadata
    assert again.messages[0].metadata == metadata
    assert again == transcript


@given(transcripts)
def test_any_transcript_survives_a_round_trip(transcript: Transcript) -> None:
    assert Transcript.from_docent(transcript.to_docent()) == transcript


def test_each_transcript_has_an_id_of_its_own() -> None:
    assert Transcript().id != Transcript().id
