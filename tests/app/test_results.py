"""The rows of what a search has found: headings, hits, what is left, and the cursor among them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.app.results.found import FEW, FEWEST, KEPT_OF_ONE, MOST, Results
from trajview.corpus.matches import Hit
from trajview.corpus.search import RunMatches


def hits(count: int) -> list[Hit]:
    return [Hit(0, n, n, "user", None, "text", 0, f"hit {n}", ((0, 3),)) for n in range(count)]


def run(number: int, matches: int, kept: int = FEW) -> RunMatches:
    found = hits(min(matches, kept))
    return RunMatches(
        f"r{number}",
        None,
        "a.jsonl",
        Path("a.jsonl"),
        None,
        "openai",
        "jsonl",
        number,
        number * 10,
        9,
        found,
        matches,
        matches,
    )


def results(*counts: int) -> Results:
    found = Results("x")
    for number, count in enumerate(counts):
        found.add(run(number, count))
    return found


def rows(found: Results) -> list[str]:
    shown = []
    for index in range(len(found.rows)):
        row = found.rows[index]
        shown.append(
            row.hit.text if row.hit else f"{row.group.found.id}:{row.group.left}" if row.kind == "run" else "more"
        )
    return shown


def test_hits_stand_under_their_run_and_a_row_says_what_is_left() -> None:
    found = results(2, FEW + 3, FEW)
    few = [f"hit {n}" for n in range(FEW)]
    assert rows(found) == ["r0:0", "hit 0", "hit 1", "r1:3", *few, "more", "r2:0", *few]
    assert (found.matches, found.messages) == (2 * FEW + 5, 2 * FEW + 5)


@pytest.mark.parametrize(
    ("counts", "height", "shown"),
    [
        ((99,), 30, [28]),  # a heading, and what is left
        ((99,), 99, [KEPT_OF_ONE]),
        ((99, 2, 99), 30, [11, 2, 11]),
        ((9,) * 20, 30, [FEWEST] * 20),
        ((1, 2), 30, [1, 2]),
        ((4, 5) * 20, 30, [4, 3] * 20),
    ],
)
def test_as_many_hits_of_each_run_are_shown_as_fit(counts: tuple[int, ...], height: int, shown: list[int]) -> None:
    found = Results("x")
    for number, count in enumerate(counts):
        found.add(run(number, count, kept=KEPT_OF_ONE))
        found.fit(height)
    assert [sum(row.kind == "hit" for row in group.rows) for group in found.groups] == shown
    assert len(found.rows) <= height or FEWEST in shown
    assert found.cursor == 1
    assert [group.left for group in found.groups] == [count - hits for count, hits in zip(counts, shown, strict=True)]


def test_rows_do_not_change_under_a_cursor_that_was_moved() -> None:
    found = Results("x")
    found.add(run(0, 40, kept=KEPT_OF_ONE))
    found.fit(30)
    found.go(20)
    under = found.current
    found.add(run(1, 40, kept=KEPT_OF_ONE))
    found.fit(30)
    assert found.current is under


def test_the_cursor_begins_on_the_first_hit_and_stays_among_the_rows() -> None:
    found = Results("x")
    assert found.current is None
    assert not found.step_run(1)
    found.add(run(0, 3))
    assert found.cursor == 1
    assert found.go(99)
    assert found.cursor == 3
    assert not found.go(100)
    assert found.go(-5)
    assert found.current is not None
    assert found.current.kind == "run"


def test_steps_go_to_the_first_hit_of_each_run_and_back_to_this_ones() -> None:
    found = results(3, 2, 1)
    visited = [found.cursor]
    for step in (1, 1, 1, -1, -1, -1):
        found.step_run(step)
        visited.append(found.cursor)
    assert visited == [1, 5, 8, 8, 5, 1, 1]
    found.go(3)
    found.step_run(-1)
    assert found.cursor == 1


def test_expanding_shows_all_and_keeps_the_cursor_on_its_row() -> None:
    found = results(FEW + 4, 2)
    found.go(len(found.rows) - 1)
    under = found.current
    found.expand(found.groups[0], hits(FEW + 4))
    assert found.current == under
    assert rows(found) == [f"r0:{0}", *(f"hit {n}" for n in range(FEW + 4)), "r1:0", "hit 0", "hit 1"]
    found.go(2)
    found.expand(found.groups[0], hits(FEW + 4))
    assert found.cursor == 2


def test_a_run_with_too_many_hits_still_says_that_there_are_more() -> None:
    found = results(MOST * 2)
    found.expand(found.groups[0], hits(MOST))
    assert found.groups[0].left == MOST
    assert rows(found)[-1] == "more"


def test_of_a_run_of_which_only_the_count_was_kept_the_hits_are_shown_when_asked_for() -> None:
    found = Results("x")
    found.add(run(0, 5, kept=0))
    assert rows(found) == ["r0:5", "more"]
    found.expand(found.groups[0], hits(5))
    assert rows(found)[1:] == [f"hit {n}" for n in range(5)]


@given(st.lists(st.integers(1, 12), max_size=8), st.lists(st.integers(0, 7), max_size=5))
def test_every_row_is_found_by_its_number(counts: list[int], expanded: list[int]) -> None:
    found = results(*counts)
    for number in expanded:
        if number < len(counts):
            found.expand(found.groups[number], hits(counts[number]))
    expected = []
    for group in found.groups:
        expected += [
            group.found.id + f":{group.left}",
            *(row.hit.text for row in group.rows if row.hit),
            *["more"] * (group.left > 0),
        ]
    assert rows(found) == expected
