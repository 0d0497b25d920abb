"""Two transcripts aligned: everything once and in order, the same both ways, and what a person would say corresponds."""

from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models.strategies import messages, transcripts
from trajview.compare.alignment import Alignment, Kind, align
from trajview.compare.prints import said
from trajview.compare.sequence import Cancelled
from trajview.models.messages import AssistantMessage, ChatMessage, ToolCall, ToolMessage, UserMessage
from trajview.models.transcript import Transcript

TURNED = {Kind.LEFT: Kind.RIGHT, Kind.RIGHT: Kind.LEFT}


@st.composite
def two(draw: st.DrawFn) -> tuple[Transcript, Transcript]:
    """A transcript, and another with some of its messages."""
    left = draw(transcripts)
    right = [message for message in left.messages if draw(st.integers(0, 3))]
    at = draw(st.integers(0, len(right)))
    right[at:at] = draw(st.lists(messages, max_size=4))
    return left, Transcript(messages=right)


def step(said: str, command: str, output: str) -> list[ChatMessage]:
    return [
        AssistantMessage(content=said, tool_calls=[ToolCall(function="bash", arguments={"command": command})]),
        ToolMessage(content=output, function="bash"),
    ]


def run(*steps: list[ChatMessage]) -> Transcript:
    """The user's words are in the unit of the first step."""
    return Transcript(messages=[UserMessage(content="Mend the clock."), *(m for one in steps for m in one)])


LOOK = step("First a look at the clock and its wheels.", "ls wheels", "anchor.txt\nescape.txt")
OIL = step("The anchor is dry, so it needs a drop of oil before anything else.", "oil anchor", "oiled")
OIL_TOO = step("The anchor is dry, so it needs two drops of oil before anything else.", "oil anchor", "oiled twice")
WIND = step("Now wind the spring up to the last turn.", "wind --turns 14", "14 turns")
PAINT = step("Nobody looks inside; a fresh coat over the case will do.", "paint case", "wet")
KINDS = {"=": Kind.SAME, "~": Kind.CHANGED, "?": Kind.OTHER, "<": Kind.LEFT, ">": Kind.RIGHT}


def kinds(found: Alignment) -> str:
    return "".join(next(sign for sign, kind in KINDS.items() if kind is row.kind) for row in found.units)


@given(two())
def test_every_unit_and_message_of_both_stands_in_one_row_in_order(pair: tuple[Transcript, Transcript]) -> None:
    found = align(*pair)
    for side, transcript in enumerate(pair):
        units = [row[side] for row in found.units if row[side] is not None]
        assert units == list(range(len(transcript.units_of_action)))
        numbers = [row[side] for row in found.messages if row[side] is not None]
        assert numbers == list(range(len(transcript.messages)))
    assert found.starts == [
        next(i for i, row in enumerate(found.messages) if row.row == number) for number in range(len(found.units))
    ]


@given(two())
def test_rows_say_truly_what_their_sides_have_to_do_with_each_other(pair: tuple[Transcript, Transcript]) -> None:
    found = align(*pair)
    for left, right, kind, _ in found.messages:
        if kind is Kind.LEFT:
            assert right is None
        elif kind is Kind.RIGHT:
            assert left is None
        else:
            assert left is not None
            assert right is not None
            if kind is Kind.SAME:
                assert said(pair[0].messages[left]) == said(pair[1].messages[right])


@given(transcripts)
def test_a_transcript_is_the_same_as_its_copy(transcript: Transcript) -> None:
    found = align(transcript, deepcopy(transcript))
    assert found.same
    assert {row.kind for row in found.messages} <= {Kind.SAME}
    assert found.differences() == []


@given(two())
def test_exchanged_transcripts_are_aligned_in_the_same_way(pair: tuple[Transcript, Transcript]) -> None:
    there, back = align(*pair), align(pair[1], pair[0])
    assert [(j, i, TURNED.get(kind, kind)) for i, j, kind in back.units] == [tuple(row) for row in there.units]
    turned = [(j, i, TURNED.get(kind, kind), row) for i, j, kind, row in back.messages]
    assert turned == [tuple(row) for row in there.messages]


@given(two())
def test_differences_begin_where_messages_differ_and_in_every_unit_that_does(
    pair: tuple[Transcript, Transcript],
) -> None:
    found = align(*pair)
    stops = found.differences()
    assert all(found.messages[stop].kind is not Kind.SAME for stop in stops)
    assert {found.messages[stop].row for stop in stops} == {
        number for number, row in enumerate(found.units) if row.kind is not Kind.SAME
    }
    for before, row in enumerate(found.messages[1:]):
        begins = row.kind is not Kind.SAME and (
            found.messages[before].kind is Kind.SAME or found.messages[before].row != row.row
        )
        assert (before + 1 in stops) == begins


def test_a_unit_that_one_run_lacks_is_its_own_row() -> None:
    found = align(run(LOOK, OIL, WIND), run(LOOK, WIND))
    assert kinds(found) == "=<="
    assert found.prefix == 1


def test_a_unit_whose_words_differ_a_little_is_changed() -> None:
    found = align(run(LOOK, OIL, WIND), run(LOOK, OIL_TOO, WIND))
    assert kinds(found) == "=~="
    assert [row.kind for row in found.messages if row.row == 1] == [Kind.CHANGED, Kind.CHANGED]


def test_a_changed_unit_is_found_though_others_came_before_it() -> None:
    found = align(run(LOOK, OIL), run(LOOK, PAINT, WIND, OIL_TOO))
    assert [(row.left, row.right) for row in found.units if row.kind is Kind.CHANGED] == [(1, 3)]


def test_units_with_nothing_in_common_stand_beside_each_other_as_others() -> None:
    found = align(run(LOOK, WIND), run(LOOK, PAINT))
    assert kinds(found) == "=?"
    assert found.differences() == [3]


def test_the_second_of_two_changed_messages_is_where_the_difference_is() -> None:
    found = align(run(LOOK), run([LOOK[0], ToolMessage(content="anchor.txt", function="bash")]))
    assert kinds(found) == "~"
    assert found.differences() == [2]


def test_two_differences_within_a_unit_are_two() -> None:
    other = [OIL_TOO[0], OIL[1], *step("Again, to be sure.", "oil anchor", "oiled")]
    one = [*OIL, *step("Again, to be sure.", "oil anchor --much", "oiled")]
    left, right = (Transcript(messages=messages, units=[[0, 1, 2, 3]]) for messages in (one, other))
    assert align(left, right).differences() == [0, 2]


def test_ids_times_and_metadata_are_no_difference() -> None:
    def told(id: str) -> Transcript:
        call = ToolCall(id=id, function="bash", arguments={"b": 1, "a": 2} if id == "1" else {"a": 2, "b": 1})
        return Transcript(
            messages=[
                AssistantMessage(id=id, content="Look.", tool_calls=[call], timestamp=id, metadata={"n": id}),
                ToolMessage(content="ok", tool_call_id=id),
            ]
        )

    assert align(told("1"), told("2")).same


@pytest.mark.parametrize(
    "other",
    [
        AssistantMessage(content="Look!"),
        AssistantMessage(content="Look.", name="Ada"),
        UserMessage(content="Look."),
        AssistantMessage(content="Look.", tool_calls=[ToolCall(function="bash")]),
        ToolMessage(content="Look.", error={"message": "no"}),
    ],
    ids=["text", "name", "role", "call", "error"],
)
def test_who_says_it_and_what_is_called_is_a_difference(other: ChatMessage) -> None:
    assert not align(Transcript(messages=[AssistantMessage(content="Look.")]), Transcript(messages=[other])).same


def test_arguments_too_deep_for_json_are_compared_all_the_same() -> None:
    def deep(leaf: str) -> Transcript:
        value: object = leaf
        for _ in range(5_000):
            value = [value]
        call = ToolCall(function="bash", arguments={"a": value})
        return Transcript(messages=[AssistantMessage(content="", tool_calls=[call])])

    assert align(deep("x"), deep("x")).same
    assert not align(deep("x"), deep("y")).same


def test_an_empty_transcript_is_aligned_with_anything() -> None:
    assert kinds(align(Transcript(), run(LOOK))) == ">"
    assert align(Transcript(), Transcript()).same


def test_it_can_be_cancelled_at_every_stage() -> None:
    steps = [step(f"step {i} says {i * i % 997} and {i % 13}", f"do {i}", f"{i}") for i in range(200)]
    others = [step(f"step {i} says {i * i % 991} and {i % 13}", f"do {i}!", f"{i}") for i in range(200)]
    left, right = run(*steps), run(*others)
    calls = 0

    def count() -> None:
        nonlocal calls
        calls += 1

    align(left, right, count)
    assert calls > 10
    for most in range(calls):
        left_over = most

        def check() -> None:
            nonlocal left_over
            left_over -= 1
            if left_over < 0:
                raise Cancelled

        with pytest.raises(Cancelled):
            align(left, right, check)


def test_it_says_how_far_it_is() -> None:
    steps = [step(f"step {i} says {i * i % 997} and {i % 13}", f"do {i}", f"{i}") for i in range(300)]
    others = [step(f"step {i} says {i * i % 991} and {i % 13}", f"do {i}!", f"{i}") for i in range(300)]
    shares: list[float] = []
    align(run(*steps), run(*steps[:50], *others[50:]), progress=shares.append)
    assert len(shares) > 8
    assert all(0 <= share <= 1 for share in shares)
    reading = [share for share in shares if share < 0.6]
    assert reading == sorted(reading)
