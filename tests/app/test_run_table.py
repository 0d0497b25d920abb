"""The table of runs: what it draws, line by line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.events import MouseScrollDown

from trajview.app.runs.run_list import RunList, RunRow
from trajview.app.runs.table import RunTable, gap, layout
from trajview.app.shared.cells import COLUMNS, Column, fit, fit_path
from trajview.corpus.info import RunInfo
from trajview.formats.base import LONGEST_TASK
from trajview.textsafe import one_line
from trajview.where.fields import Ref

from .runs import problem, run, sorted_by

UUID = "0f9c2a4e-1b7d-4c55-9e0a-3d2f6a8b7c10"


class TableApp(App[None]):
    """A table and nothing else."""

    def __init__(self, *items: RunRow) -> None:
        super().__init__()
        self.runs = RunList()
        self.runs.append(items)
        self.opened: list[RunRow | None] = []
        self.moved: list[RunRow | None] = []

    def compose(self) -> ComposeResult:
        yield RunTable(self.runs)

    def on_mount(self) -> None:
        self.query_one(RunTable).rows_changed()

    def on_rows_list_opened(self, _: RunTable.Opened) -> None:
        self.opened.append(self.runs.current)

    def on_rows_list_moved(self, _: RunTable.Moved) -> None:
        self.moved.append(self.runs.current)


def lines(table: RunTable) -> list[str]:
    return [table.render_line(y).text for y in range(table.size.height)]


@given(st.text(max_size=40), st.integers(0, 30), st.booleans())
def test_fitted_text_has_exactly_its_width(text: str, width: int, right: bool) -> None:
    assert cell_len(fit(one_line(text), width, right=right)) == width


@given(st.text(max_size=40), st.integers(1, 30))
def test_a_fitted_path_has_exactly_its_width(text: str, width: int) -> None:
    assert cell_len(fit_path(one_line(text), width)) == width


def test_cut_text_ends_with_an_ellipsis_and_a_cut_path_begins_with_one() -> None:
    assert fit("abcdef", 4) == "abc…"
    assert fit("日本語", 4) == "日… "
    assert fit("12", 4, right=True) == "  12"
    assert fit_path("folder/runs.jsonl", 8) == "…s.jsonl"


@given(
    st.integers(1, 250),
    st.dictionaries(st.sampled_from([c for c in COLUMNS if c != Column.ID]), st.integers(1, 90)),
    st.integers(1, 90),
)
def test_columns_always_fit_and_the_name_is_always_there(width: int, rest: dict[Ref, int], name: int) -> None:
    widths = layout(width, {Column.ID: name, **rest})
    assert Column.ID in widths
    assert min(widths.values()) >= 1
    if width >= 20:
        assert 2 + sum(widths.values()) + gap(width + 1, widths) * (len(widths) - 1) <= width


def test_a_narrow_table_gives_up_the_source_first_and_keeps_name_and_reward() -> None:
    wanted = {
        Column.ID: 36, Column.SOURCE: 30, Column.FORMAT: 10, Column.MESSAGES: 8, Column.UNITS: 5, Column.REWARD: 9,
        Column.STATUS: 10, Column.AGENTS: 25, Column.MODELS: 20,
    }  # fmt: skip
    assert set(layout(200, wanted)) == set(wanted)
    assert set(layout(140, wanted)) == set(wanted) - {Column.AGENTS, Column.MODELS}
    assert set(layout(80, wanted)) == set(wanted) - {Column.AGENTS, Column.MODELS, Column.SOURCE}
    assert set(layout(66, wanted)) == {Column.ID, Column.MESSAGES, Column.REWARD, Column.STATUS}
    assert set(layout(40, wanted)) == {Column.ID, Column.REWARD}
    assert set(layout(16, wanted)) == {Column.ID}


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40), (200, 50), (12, 5)])
async def test_every_line_fills_the_width_exactly_whatever_the_log_holds(size: tuple[int, int]) -> None:
    hostile = "[red]x[/] [/foo] \x1b]0;title\x07\x1b[31m\u202e\ud800 日本語🙂 \n two"
    app = TableApp(
        run(hostile, source=hostile, format=hostile, agents=(hostile,), models=(hostile,), rewards=(1e300, -3.0)),
        run("plain", name=hostile * 50),
        problem(hostile * 20),
        *(run("x" * i) for i in range(1, 60)),
    )
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.pause()
        table = app.query_one(RunTable)
        for y in range(table.size.height):
            strip = table.render_line(y)
            assert strip.cell_length == cell_len(strip.text) == table.size.width
            assert not any(char in strip.text for char in "\x1b\x07\u202e\ud800\n")
        assert "[/foo]" in "".join(lines(table)) or size[0] < 20


async def test_a_problem_that_is_too_long_ends_with_an_ellipsis_beside_the_scroll_bar() -> None:
    app = TableApp(problem("long " * 50), *(run("x" * i) for i in range(1, 60)))
    async with app.run_test(size=(80, 20)) as pilot:
        await pilot.pause()
        table = app.query_one(RunTable)
        assert any(table.render_line(y).text.rstrip().endswith("…") for y in range(20))
        assert all(table.render_line(y).text[79] == " " for y in range(20))


async def test_a_row_shows_its_values_with_numbers_at_the_right() -> None:
    app = TableApp(
        run("a", name="Fix the index", messages=1234, units=7, rewards=((7.25, {}), (6.0, {}))), run("b", messages=5)
    )
    async with app.run_test(size=(120, 20)) as pilot:
        await pilot.pause()
        app.runs.set_statuses({"a": "annotated", "b": "draft"})
        table = app.query_one(RunTable)
        table.rows_changed()
        heading, first, second, *rest = lines(table)
        assert heading.split() == ["run", "source", "format", "messages", "units", "reward", "annotation"]
        assert first.split() == ["▌", "Fix", "the", "index", "a", "runs.jsonl", "docent", "1,234", "7", "7.25", "/", "6", "✓", "annotated"]  # fmt: skip
        assert second.split() == ["b", "runs.jsonl", "docent", "5", "0", "○", "draft"]
        assert first.index("1,234") + 5 == second.index("5  ") + 1 == heading.index("messages") + 8
        assert not any(line.strip() for line in rest)


async def test_a_run_that_nothing_names_is_called_by_its_task_and_a_short_id_stays_beside_it() -> None:
    task = "Find out which bus it was that left the harbour at night, and why"
    rows = [
        run("7", task=task[: LONGEST_TASK + 1]),
        run("eight-" * 7, task="Count."),
        run("9", name="named", task="Count."),
    ]
    app = TableApp(*rows)
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.pause()
        shown = lines(app.query_one(RunTable))
        narrow = shown[1:4]
        assert "Find out which bus it…  7 " in narrow[0]
        assert "Count.  eight-" in narrow[1]
        assert "named  9" in narrow[2]
        await pilot.resize_terminal(200, 10)
        await pilot.pause()
        assert "harbour at night, an…  7 " in lines(app.query_one(RunTable))[1]
        app.runs.filter("harbour")
        assert len(app.runs.shown) == 1


@pytest.mark.parametrize(
    ("item", "shown"),
    [
        (run(UUID, path=Path("/x/first-try.jsonl")), "first-try "),
        (run(UUID, path=Path(f"/x/log-{UUID}.jsonl")), "log "),
        (run(UUID, path=Path(f"/x/{UUID}.jsonl")), UUID),
        (run(UUID, path=Path("/x/runs.jsonl"), alone=False), UUID),
        (run(UUID, name="named"), "named "),
        (run(UUID, name="named", alone=False), "named  0f9c2a "),
        (run("e7", name="named"), "named  e7 "),
        (run(UUID, task="# Fix **the** `index`"), "Fix the index "),
    ],
)
async def test_an_id_that_says_nothing_gives_way_to_what_says_something(item: RunInfo, shown: str) -> None:
    app = TableApp(item)
    async with app.run_test(size=(120, 10)) as pilot:
        await pilot.pause()
        assert lines(app.query_one(RunTable))[1].startswith(f"▌ {shown}")
        assert lines(app.query_one(RunTable))[1].split()[:-4] == ["▌", *shown.split()]


async def test_the_heading_stays_while_the_rows_scroll() -> None:
    app = TableApp(*(run(f"r{i}") for i in range(1000)))
    async with app.run_test(size=(80, 11)) as pilot:
        await pilot.pause()
        table = app.query_one(RunTable)
        table.go(500)
        await pilot.pause()
        shown = lines(table)
        assert shown[0].split()[0] == "run"
        assert shown[-1].split()[:2] == ["▌", "r500"]
        table.move_pages(-0.5)
        assert app.runs.cursor == 495
        table.go(10**9)
        assert lines(table)[-1].split()[:2] == ["▌", "r999"]
        table.go(0)
        assert lines(table)[1].split()[:2] == ["▌", "r0"]
        await pilot.pause()
        assert app.moved[-1] == app.runs.rows[0]


async def test_only_rows_in_view_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: set[int] = set()
    draw = RunTable.row_line
    monkeypatch.setattr(RunTable, "row_line", lambda self, row, base: (drawn.add(row), draw(self, row, base))[1])
    app = TableApp(*(run(f"r{i}") for i in range(50_000)))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.query_one(RunTable).go(40_000)
        await pilot.pause()
        assert 0 < len(drawn) <= 60


async def test_a_filter_moves_no_column() -> None:
    app = TableApp(*(run(f"r{i}", source="long/" * (i % 7), messages=10**i) for i in range(9)))
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        table = app.query_one(RunTable)
        before = lines(table)[0]
        app.runs.filter("r1")
        table.rows_changed()
        await pilot.pause()
        assert lines(table)[0] == before


async def test_a_click_selects_and_a_click_on_the_selected_row_opens() -> None:
    app = TableApp(run("a"), run("b"), run("c"))
    async with app.run_test(size=(80, 20)) as pilot:
        await pilot.pause()
        await pilot.click(RunTable, offset=(5, 3))
        assert (app.runs.cursor, app.opened) == (2, [])
        await pilot.click(RunTable, offset=(5, 3))
        assert app.opened == [app.runs.rows[2]]
        await pilot.click(RunTable, offset=(5, 2), times=2)
        assert app.opened == [app.runs.rows[2], app.runs.rows[1]]
        await pilot.click(RunTable, offset=(5, 15))
        assert len(app.opened) == 2


async def test_a_click_on_a_heading_sorts_and_again_turns_the_order_round() -> None:
    app = TableApp(run("a", messages=2), run("b", messages=1), run("c", messages=3))
    async with app.run_test(size=(120, 20)) as pilot:
        await pilot.pause()
        table = app.query_one(RunTable)
        x = lines(table)[0].index("messages")
        await pilot.click(RunTable, offset=(x + 2, 0))
        assert sorted_by(app.runs) == Column.MESSAGES
        assert "messages↑" in lines(table)[0]
        await pilot.click(RunTable, offset=(x + 2, 0))
        assert "messages↓" in lines(table)[0]
        assert [line.split()[0] for line in lines(table)[1:4]] == ["▌", "a", "b"]
        assert app.runs.current == run("c", messages=3)


async def test_the_wheel_scrolls_and_leaves_the_cursor() -> None:
    app = TableApp(*(run(f"r{i}") for i in range(100)))
    async with app.run_test(size=(80, 11)) as pilot:
        await pilot.pause()
        table = app.query_one(RunTable)
        table.post_message(MouseScrollDown(table, 1, 1, 0, 1, 0, False, False, False))
        await pilot.pause()
        assert table.scroll_y > 0
        assert app.runs.cursor == 0
        assert "▌" not in lines(table)[1]


async def test_a_theme_change_redraws_the_rows() -> None:
    app = TableApp(run("a"), run("b"))
    async with app.run_test(size=(80, 11)) as pilot:
        await pilot.pause()
        table = app.query_one(RunTable)
        dark = [segment.style for segment in table.render_line(2)]
        app.theme = "textual-light"
        await pilot.pause()
        assert [segment.style for segment in table.render_line(2)] != dark
