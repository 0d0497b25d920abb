"""The lines that the table of scores renders: their width, what is in them, and that no name or text can break them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from trajview.annotation.rubric import SOTOPIA, Dimension, Rubric
from trajview.app.annotate.score_grid import Place, ScoreGrid
from trajview.app.annotate.score_table import ScoreTable, short_names

_ACTING = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class TableApp(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.table = ScoreTable()

    def compose(self) -> ComposeResult:
        yield self.table


@asynccontextmanager
async def table_of(
    rubric: Rubric, names: tuple[str, ...], width: int = 44, height: int = 20
) -> AsyncIterator[tuple[ScoreTable, Pilot[None]]]:
    app = TableApp()
    async with app.run_test(size=(width, height)) as pilot:
        grid = ScoreGrid(rubric, names)
        grid.load([{} for _ in names])
        app.table.show(grid)
        app.table.locked = False
        app.table.focus()
        await pilot.pause()
        yield app.table, pilot


def lines(table: ScoreTable) -> list[str]:
    return [table.render_line(y).text.rstrip() for y in range(min(table.size.height, table.virtual_size.height))]


async def test_a_line_per_dimension_and_a_cell_per_agent() -> None:
    async with table_of(SOTOPIA, ("Ada Byron", "Bob Moss")) as (table, _):
        table.grid.load([{"believability": "9", "goal": "3"}, {"believability": "10"}], [{"believability": "why"}])
        assert [" ".join(line.split()) for line in lines(table)] == [
            "Ada Bob",
            'believability 0..10 9 " 10',
            "relationship -5..5 · ·",
            "knowledge 0..10 · ·",
            "secret -10..0 · ·",
            "social rules -10..0 · ·",
            "financial and mate… -5..5 · ·",
            "goal 0..10 3 ·",
            "overall 6.00 10.00",
        ]


@pytest.mark.parametrize("width", [12, 20, 30, 44, 80])
@pytest.mark.parametrize("count", [1, 2, 3])
async def test_every_line_is_as_wide_as_the_table_whatever_is_in_it(width: int, count: int) -> None:
    hostile = ("[/b]\x1b[2J", "日本語の名前です", "\u202eB" * 200)[:count]
    rubric = Rubric(
        "r",
        (
            Dimension("一二三四五六七八九十" * 3, 0, 10),
            Dimension("x" * 500, -1e6, 1e6),
            Dimension("[red]\x07", 0, 1, per="episode", rationale=True),
        ),
    )
    async with table_of(rubric, hostile, width, 30) as (table, pilot):
        typed = {
            dimension.name: text
            for dimension, text in zip(rubric.dimensions, ("漢字漢字", "\x1b[31m9", "0.123456789012"), strict=True)
        }
        table.grid.load([typed] * count, [{"x" * 500: "because\x1b"}] * count)
        for place in table.grid.order:
            table.grid.go(place)
            table.grid.type("1")
            table.follow()
            await pilot.pause()
            for y in range(table.size.height):
                strip = table.render_line(y)
                assert strip.cell_length == table.scrollable_content_region.width
                assert not _ACTING.search(strip.text), repr(strip.text)


async def test_what_is_red_is_so_at_once_and_elsewhere_too() -> None:
    async with table_of(SOTOPIA, ("Ada", "Bob")) as (table, pilot):

        def behind(text: str) -> set[object]:
            segments = [segment for segment in table.render_line(1) if text in segment.text]
            assert segments, text
            return {segment.style.bgcolor for segment in segments if segment.style is not None}

        await pilot.press("1")
        fine = behind(" 1")
        table.grid.go(Place(1, 0))
        fine_elsewhere = behind(" 1")
        table.grid.go(Place(0, 0))
        await pilot.press("1", "1")
        assert behind(" 11") != fine
        table.grid.go(Place(1, 0))
        assert behind(" 11") not in (fine, fine_elsewhere)


async def test_the_cursor_is_always_in_view() -> None:
    async with table_of(SOTOPIA, tuple(f"agent{index}" for index in range(6)), 44, 5) as (table, pilot):
        for place in [*table.grid.order, *reversed(table.grid.order)]:
            table.grid.go(place)
            table.grid.clear()
            table.follow()
            await pilot.pause()
            assert sum("▏" in line for line in lines(table)) == 1, place


async def test_a_click_goes_to_the_cell() -> None:
    async with table_of(SOTOPIA, ("Ada", "Bob")) as (table, pilot):
        await pilot.click(table, offset=(40, 3))
        assert table.grid.place == Place(2, 1)
        await pilot.click(table, offset=(29, 7))
        assert table.grid.place == Place(6, 0)
        await pilot.click(table, offset=(2, 1))
        assert table.grid.place == Place(0, 0)


async def test_keys_are_swallowed_while_it_is_locked() -> None:
    async with table_of(SOTOPIA, ("Ada", "Bob")) as (table, pilot):
        table.locked = True
        await pilot.press("7", "minus", "g", "backspace")
        assert table.grid.values == [{}, {}]
        assert table.grid.place == Place(0, 0)


def test_agents_are_called_by_their_first_names_where_those_differ() -> None:
    assert short_names(["Ada Byron", "Bob Moss"]) == ["Ada", "Bob"]
    assert short_names(["Ada Byron", "Ada Moss"]) == ["Ada Byron", "Ada Moss"]
