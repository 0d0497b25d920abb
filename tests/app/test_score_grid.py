"""The grid of scores beside a naive one: what keys do to texts and cursor, in columns and in stacks."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.annotation.rubric import SOTOPIA, Dimension, Rubric, parse_score, reward_rubric
from trajview.app.annotate.score_grid import LONGEST, Place, ScoreGrid, can_become, hotkeys_of, start_of, stepped

NUMBERS = st.one_of(st.integers(-30, 30).map(float), st.sampled_from([-0.5, 0.25, 0.3, 1.5, 9.75]))


@st.composite
def dimensions(draw: st.DrawFn, name: str = "one") -> Dimension:
    low, high = sorted((draw(NUMBERS), draw(NUMBERS)))
    if draw(st.booleans()):
        return Dimension(name, float(int(low)), float(int(high)) + 1, integer=True)
    step = draw(st.sampled_from([None, 0.1, 0.25, 1.0, 3.0]))
    return Dimension(name, low, high + 0.5, step=step)


@st.composite
def rubrics(draw: st.DrawFn) -> Rubric:
    found = []
    for index in range(draw(st.integers(0, 4))):
        dimension = draw(dimensions("abcd"[index] + "_name"))
        per = draw(st.sampled_from(["agent", "agent", "episode"]))
        scope = draw(st.sampled_from(["episode", "episode", "unit"]))
        found.append(replace(dimension, per=per, scope=scope))
    return Rubric("r", tuple(found))


def grid_of(rubric: Rubric, agents: int) -> ScoreGrid:
    grid = ScoreGrid(rubric, [f"agent {index}" for index in range(agents)])
    grid.load([{} for _ in range(agents)])
    return grid


class Naive:
    """A grid as one would explain it: a text per cell, and the cells in a list."""

    def __init__(self, rubric: Rubric, agents: int) -> None:
        rated = [dimension for dimension in rubric.dimensions if dimension.scope == "episode"]
        self.dimensions = {dimension.name: dimension for dimension in rated}
        self.columns: list[list[tuple[str, int | None]]] = []
        """Cells as (name, agent), agent None where all share it: a column of the table for each agent."""
        shared: list[tuple[str, int | None]] = [(d.name, None) for d in rated if d.per == "episode"]
        if agents <= 2:
            for agent in range(agents):
                self.columns.append([(d.name, None if d.per == "episode" else agent) for d in rated])
        else:
            own = [(d.name, agent) for agent in range(agents) for d in rated if d.per == "agent"]
            self.columns.append([*shared, *own])
        self.texts = {cell: "" for column in self.columns for cell in column}
        self.x = self.y = 0
        self.typing = False

    @property
    def cell(self) -> tuple[str, int | None] | None:
        return self.columns[self.x][self.y] if self.columns and self.columns[self.x] else None

    def down(self, step: int) -> bool:
        self.typing = False
        y = self.y + step
        if not self.columns[self.x] or y >= len(self.columns[self.x]):
            return step < 0
        self.y = max(0, y)
        return True

    def across(self, step: int) -> bool:
        self.typing = False
        cell = self.cell
        if len(self.columns) < 2 or cell is None or cell[1] is None or not 0 <= self.x + step < len(self.columns):
            return False
        self.x += step
        return True

    def type(self, char: str) -> None:
        if self.cell is None:
            return
        dimension = self.dimensions[self.cell[0]]
        before = self.texts[self.cell] if self.typing else ""
        if char == "-":
            after = before[1:] if before.startswith("-") else f"-{before}"
        elif char == ".":
            after = before if dimension.integer or "." in before else before + "."
            if after == before:
                return
        else:
            after = (before[:-1] if before in ("0", "-0") else before) + char
        if len(after) <= LONGEST:
            self.typing = True
            self.texts[self.cell] = after

    def erase(self) -> None:
        if self.cell is not None:
            self.typing = True
            self.texts[self.cell] = self.texts[self.cell][:-1]

    def clear(self) -> None:
        self.typing = False
        if self.cell is not None:
            self.texts[self.cell] = ""


KEYS = st.sampled_from([*"0123456789", "-", "-", ".", "erase", "clear", *["down", "up", "tab", "back"] * 3])


@given(rubric=rubrics(), agents=st.integers(1, 2), keys=st.lists(KEYS, max_size=40))
def test_keys_do_what_they_do_in_a_naive_grid(rubric: Rubric, agents: int, keys: list[str]) -> None:
    grid, naive = grid_of(rubric, agents), Naive(rubric, agents)
    for key in keys:
        press(grid, naive, key)
        agree(grid, naive)


@given(rubric=rubrics(), agents=st.integers(3, 5), keys=st.lists(KEYS, max_size=40))
def test_keys_do_so_in_a_stack_too(rubric: Rubric, agents: int, keys: list[str]) -> None:
    grid, naive = grid_of(rubric, agents), Naive(rubric, agents)
    for key in keys:
        if key not in ("tab", "back"):
            press(grid, naive, key)
            agree(grid, naive)


def press(grid: ScoreGrid, naive: Naive, key: str) -> None:
    if key in ("down", "up"):
        step = 1 if key == "down" else -1
        assert grid.move(step) == naive.down(step)
    elif key in ("tab", "back"):
        step = 1 if key == "tab" else -1
        assert grid.column(step) == naive.across(step)
    elif key in ("erase", "clear"):
        getattr(grid, key)()
        getattr(naive, key)()
    else:
        grid.type(key)
        naive.type(key)


def agree(grid: ScoreGrid, naive: Naive) -> None:
    place = grid.place
    if naive.cell is None:
        assert place is None
    else:
        assert place is not None
        dimension = grid.dimensions[place.row]
        assert naive.cell == (dimension.name, None if dimension.per == "episode" else place.agent)
    for (name, agent), text in naive.texts.items():
        agents: Sequence[int] = range(len(grid.names)) if agent is None else (agent,)
        assert {grid.values[each].get(name, "") for each in agents} == {text}
    assert not {name for values in grid.values for name in values} - set(naive.dimensions)


@given(rubric=rubrics(), agents=st.integers(1, 5))
def test_enter_goes_through_every_cell_once_and_then_out(rubric: Rubric, agents: int) -> None:
    grid = grid_of(rubric, agents)
    seen = [grid.place]
    while grid.next():
        seen.append(grid.place)
    rated = [dimension for dimension in rubric.dimensions if dimension.scope == "episode"]
    cells = sum(1 if dimension.per == "episode" else agents for dimension in rated)
    assert len(set(seen)) == len(seen) == (cells or 1)
    if cells:
        assert set(seen) == set(grid.order)


@given(rubric=rubrics(), agents=st.integers(1, 5), steps=st.lists(st.sampled_from([1, -1]), max_size=12))
def test_tab_never_leaves_the_grid_nor_the_row(rubric: Rubric, agents: int, steps: list[int]) -> None:
    grid = grid_of(rubric, agents)
    for step in steps:
        before = grid.place
        inside = grid.column(step)
        assert (grid.place in grid.order) if grid.order else grid.place is None
        if not inside:
            assert grid.place == before


@given(dimension=dimensions(), typed=st.text("0123456789.-", max_size=4))
def test_what_may_still_become_a_score_is_what_some_more_digits_make_one(dimension: Dimension, typed: str) -> None:
    shape = typed.removeprefix("-")
    if "-" in shape or shape.count(".") > 1:
        assert not can_become(typed, dimension)
        return
    if not shape.strip("."):
        assert can_become(typed, dimension) == (not ("." in shape and dimension.integer))
        return
    if "." in shape and dimension.integer:
        assert not can_become(typed, dimension)
        return
    tails = ["", *(f"{more}" for more in range(10)), *(f"{more:02}" for more in range(100))]
    if not dimension.integer and "." not in shape:
        tails += [f".{more:02}" for more in range(100)] + [f"{d}.{more:02}" for d in range(10) for more in range(100)]
    found = any(isinstance(parse_score(typed + tail, dimension), float) for tail in tails)
    assert can_become(typed, dimension) == found


@given(dimension=dimensions(), presses=st.lists(st.sampled_from([1, -1]), max_size=60))
def test_stepping_stays_in_the_range_and_moves_by_the_step(dimension: Dimension, presses: list[int]) -> None:
    text = ""
    for direction in presses:
        before = parse_score(text, dimension)
        text = stepped(text, dimension, direction)
        after = parse_score(text, dimension)
        assert isinstance(after, float), (text, dimension)
        if isinstance(before, float):
            assert (after - before) * direction >= 0
            if after not in (dimension.low, dimension.high):
                step = dimension.step or (1 if dimension.integer else (dimension.high - dimension.low) / 20)
                assert abs(after - before) == pytest.approx(step, rel=0.01)
        else:
            assert after == start_of(dimension)
        assert len(text) <= LONGEST


def test_stepping_begins_at_zero_where_scores_can_be_negative_else_in_the_middle() -> None:
    starts = {dimension.name: start_of(dimension) for dimension in SOTOPIA.dimensions}
    assert starts == {
        "believability": 5, "relationship": 0, "knowledge": 5, "secret": 0, "social_rules": 0,
        "financial_and_material_benefits": 0, "goal": 5,
    }  # fmt: skip
    assert start_of(reward_rubric().dimensions[0]) == 0.5
    assert stepped("0.5", reward_rubric().dimensions[0], 1) == "0.55"
    assert stepped("", Dimension("one", 0.25, 1.5, step=0.1), 1) == "0.85", "and no 0.8500000000000001"
    assert stepped("12", SOTOPIA.dimensions[0], 1) == "10"
    assert stepped("-", SOTOPIA.dimensions[1], -1) == "0"


def type_all(grid: ScoreGrid, *texts: str) -> None:
    for text in texts:
        for char in text:
            grid.type(char)
        grid.next()


def test_a_minus_and_a_digit_make_a_negative_number_and_a_minus_after_it_turns_the_sign() -> None:
    grid = grid_of(SOTOPIA, 2)
    type_all(grid, "-7", "5", "7-", "0", "-3-")
    assert [grid.values[0].get(d.name, "") for d in SOTOPIA.dimensions] == ["-7", "5", "-7", "0", "3", "", ""]


def test_the_first_digit_replaces_what_was_there_and_the_next_goes_on() -> None:
    grid = grid_of(SOTOPIA, 1)
    grid.load([{"believability": "7"}])
    grid.type("1")
    grid.type("0")
    assert grid.values[0]["believability"] == "10"
    grid.move(1)
    grid.move(-1)
    grid.erase()
    grid.type("2")
    assert grid.values[0]["believability"] == "12"
    assert grid.red(Place(0, 0))


def test_a_point_is_refused_where_only_whole_numbers_count() -> None:
    grid = grid_of(SOTOPIA, 1)
    for char in "1.5":
        grid.type(char)
        if char == ".":
            assert grid.notice == "whole numbers only, 0..10"
    assert grid.text(Place(0, 0)) == "15"


def test_copying_fills_what_is_empty_and_replaces_only_when_pressed_again() -> None:
    grid = grid_of(SOTOPIA, 2)
    grid.copy_previous()
    assert grid.notice == "nothing to copy: there is no agent before this one"
    type_all(grid, "1", "2", "99", "-4", "", "", "7", "9", "2")
    assert grid.place == Place(2, 1)
    grid.copy_previous()
    assert grid.notice == "2 scores copied from those of agent 0; = again replaces 1 more"
    assert grid.values[1] == {"believability": "9", "relationship": "2", "secret": "-4", "goal": "7"}
    grid.copy_previous()
    assert grid.notice == "1 score replaced by those of agent 0"
    assert grid.values[1]["believability"] == "1"
    grid.copy_previous()
    assert grid.notice == "nothing to copy: the scores are those of agent 0"
    grid.type("3")
    grid.to_first([Place(0, 1)])
    grid.type("5")
    grid.copy_previous()
    assert grid.values[1]["believability"] == "5", "not pressed twice in a row"


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from(["", "", "x", "y"])), max_size=8))
def test_every_letter_leads_to_one_dimension_and_the_rubrics_own_count_first(named: list[tuple[str, str]]) -> None:
    given_once = [(name, letter if named.index((name, letter)) == i else "") for i, (name, letter) in enumerate(named)]
    taken: set[str] = set()
    rubric = []
    for index, (name, letter) in enumerate(given_once):
        rubric.append(Dimension(f"{name}{index}", 0, 1, hotkey="" if letter in taken else letter))
        taken.add(letter)
    letters = hotkeys_of(rubric)
    assert len(set(letters.values())) == len(letters)
    for row, dimension in enumerate(rubric):
        if dimension.hotkey:
            assert letters[dimension.hotkey] == row
    assert set(hotkeys_of(SOTOPIA.dimensions)) == set("brkslfg")


def test_a_letter_without_a_dimension_moves_nothing_and_says_so() -> None:
    grid = grid_of(SOTOPIA, 2)
    assert not grid.hotkey("z")
    assert (grid.place, grid.notice) == (Place(0, 0), "no dimension has the key z; escape leaves")


def test_a_score_of_the_episode_stands_at_every_agent_and_dimensions_of_units_are_not_asked() -> None:
    rubric = Rubric(
        "r", (Dimension("all", 0, 5, per="episode"), Dimension("one", 0, 5), Dimension("u", 0, 1, scope="unit"))
    )
    for agents in (2, 4):
        grid = grid_of(rubric, agents)
        grid.type("3")
        grid.explain(Place(0, 0), "because")
        assert [values["all"] for values in grid.values] == ["3"] * agents
        assert [reasons["all"] for reasons in grid.rationales] == ["because"] * agents
        assert len(grid.empty_places()) == agents
        assert {grid.dimensions[place.row].name for place in grid.order} == {"all", "one"}


def test_a_hundred_agents_are_no_trouble() -> None:
    grid = grid_of(SOTOPIA, 100)
    for _ in itertools.repeat(None, 699):
        assert grid.move(1)
    assert not grid.move(1)


@pytest.mark.parametrize(
    ("pasted", "text"),
    [(" 7\n", "7"), ("−3", "-3"), ("abc", ""), ("1e9", ""), ("9" * 50, ""), ("", ""), ("0.5", "0.5")],
)
def test_only_numbers_are_pasted(pasted: str, text: str) -> None:
    grid = grid_of(reward_rubric(), 1)
    grid.paste(pasted)
    assert grid.text(Place(0, 0)) == text
