"""The filter of the browser as a language: typed, completed, wrong, and with what has to be found out first."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from trajview.app.help import HelpScreen
from trajview.app.runs.run_list import RunList, RunRow
from trajview.app.shared.cells import COLUMNS, Column
from trajview.config import Settings
from trajview.corpus.info import RunInfo, Updated
from trajview.models.messages import AssistantMessage, ToolCall, UserMessage
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript
from trajview.where.explain import EXAMPLES
from trajview.where.fields import FIELDS, Ref

from .driving import key_event, until
from .runs import FakeCorpus, problem, run, sorted_by
from .test_browser import BrowserApp, rows, settle

RUNS: list[RunRow] = [
    run("alpha", rewards=(0.25,), units=4, models=("gpt-4",)),
    run("beta", rewards=(1.0,), units=9, format="sotopia"),
    run("gamma", units=2, models=("claude-4",)),
    problem(),
]


def read(id: str, calls: int, **metadata: object) -> AgentRun:
    made = [ToolCall(id=str(i), function="bash", arguments={}, type="function") for i in range(calls)]
    messages = [UserMessage(content="hello world"), AssistantMessage(content="ok", tool_calls=made)]
    return AgentRun(id=id, transcripts=[Transcript(messages=messages)], metadata=dict(metadata))


def corpus() -> FakeCorpus:
    found = FakeCorpus(list(RUNS))
    found.contents = {
        "alpha": read("alpha", 1, task="sort"),
        "beta": read("beta", 3, task="find"),
        "gamma": read("gamma", 0),
    }
    return found


async def type_in(pilot: Pilot[None], text: str) -> None:
    for char in text:
        pilot.app.post_message(key_event(char))
        await pilot.pause(0)
    await pilot.pause()


def told(app: BrowserApp) -> str:
    return str(app.browser.bar.query_one("#filter-hint", Static).render()).rstrip()


def count(app: BrowserApp) -> str:
    return str(app.browser.bar.query_one("#filter-count", Static).render())


def value(app: BrowserApp) -> str:
    return app.browser.query_one(Input).value


def ids(app: BrowserApp) -> list[str]:
    runs = app.browser.runs
    return [item.id if isinstance(item, RunInfo) else "⚠" for item in (runs.rows[row] for row in runs.shown)]


@asynccontextmanager
async def filtering(
    found: FakeCorpus | None = None, size: tuple[int, int] = (100, 24), settings: Settings | None = None
) -> AsyncIterator[tuple[BrowserApp, Pilot[None]]]:
    """The browser, with the cursor in the field of the filter."""
    app = BrowserApp(corpus() if found is None else found)
    if settings is not None:
        app.settings = settings
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await pilot.press("ampersand")
        yield app, pilot


async def test_a_comparison_filters_as_soon_as_it_is_complete_and_nothing_flickers_before() -> None:
    async with filtering() as (app, pilot):
        seen = []
        for char in "reward < 0.5":
            await type_in(pilot, char)
            seen.append(len(ids(app)))
        assert seen == [4] * 9 + [0] + [0] + [1], seen
        assert ids(app) == ["alpha"]
        assert count(app) == "1 of 3 runs"
        assert "^" not in told(app)


async def test_a_filter_is_typed_before_the_first_rows_are_drawn() -> None:
    app = BrowserApp(corpus())
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.press("ampersand", *"beta")
        await settle(pilot)
        assert app.browser.query_one(Input).value == "beta"
        assert ids(app) == ["beta"]


async def test_an_error_is_pointed_at_and_what_stands_before_it_holds() -> None:
    async with filtering() as (app, pilot):
        await type_in(pilot, "units > 3 rewrd < 1")
        assert ids(app) == ["alpha", "beta"]
        assert told(app) == " " * 13 + "^ there is no field `rewrd` (did you mean `reward`?)"
        await pilot.press("enter")
        await pilot.pause()
        assert app.focused is app.browser.query_one(Input)
        await pilot.press("escape")
        await pilot.pause()
        assert len(ids(app)) == 4
        assert app.browser.runs.query == ""


async def test_what_is_incomplete_is_said_only_on_enter() -> None:
    async with filtering() as (app, pilot):
        await type_in(pilot, "units > 3 and units <")
        assert ids(app) == ["alpha", "beta"]
        assert "^" not in told(app)
        await pilot.press("enter")
        await pilot.pause()
        assert "^ a value has to follow <" in told(app)
        await type_in(pilot, " 5")
        await pilot.press("enter")
        await pilot.pause()
        assert app.focused is app.browser.table
        assert ids(app) == ["alpha"]


async def test_an_error_far_at_the_right_is_said_left_of_its_place() -> None:
    async with filtering(size=(60, 20)) as (app, pilot):
        await type_in(pilot, "units > 3 and units > 3 and units > 3 abc == 1")
        assert told(app).endswith("there is no field `abc` ^")
        assert len(told(app)) <= 60


async def test_tab_completes_fields_and_values_and_goes_on_to_the_next() -> None:
    async with filtering() as (app, pilot):
        await type_in(pilot, "fo")
        assert told(app).split()[0] == "format"
        await pilot.press("tab")
        assert value(app) == "format"
        await type_in(pilot, " == ")
        assert told(app).split()[:2] == ["docent", "sotopia"]
        await pilot.press("tab", "tab")
        await pilot.pause()
        assert value(app) == "format == sotopia"
        assert ids(app) == ["beta"]
        await pilot.press("shift+tab")
        await pilot.pause()
        assert value(app) == "format == docent"
        assert app.focused is app.browser.query_one(Input)


async def test_the_right_arrow_takes_what_is_shown_behind_the_text() -> None:
    async with filtering() as (app, pilot):
        await type_in(pilot, "tok")
        box = app.browser.query_one(Input)
        await until(pilot, lambda: "tokens" in box.render_line(0).text)
        await pilot.press("right")
        assert value(app) == "tokens"


async def test_what_is_not_known_yet_is_counted_and_found_out() -> None:
    found = corpus()
    found.holding = threading.Event()
    async with filtering(found) as (app, pilot):
        await type_in(pilot, "calls >= 1 units > 3")
        assert ids(app) == []
        assert count(app) == "0 of 3 runs · 2 not known yet"
        assert "to be read" in "\n".join(rows(app))
        found.holding.set()
        await until(pilot, lambda: not app.browser.runs.open)
        assert ids(app) == ["alpha", "beta"]
        assert count(app) == "2 of 3 runs"
        assert sorted(found.was_read) == ["alpha", "beta"], "gamma is out anyway"


async def test_fields_that_no_column_shows_get_one_while_the_filter_is_about_them() -> None:
    app = BrowserApp(corpus())
    async with app.run_test(size=(120, 24)) as pilot:
        await settle(pilot)
        table = app.browser.table
        before = table.render_line(0).text
        await pilot.press("ampersand")
        await type_in(pilot, "metadata.task ~ . sort:-calls")
        await until(pilot, lambda: ids(app) == ["beta", "alpha"])
        assert table.render_line(0).text.split()[-4:-1] == ["metadata.task", "calls↓", "annotation"]
        assert ["find  " in rows(app)[0], "sort  " in rows(app)[1]] == [True, True]
        assert rows(app)[0].split()[-1] == "3"
        await pilot.press("enter", "s")
        await pilot.click(table, offset=(table.render_line(0).text.index("metadata.task") + 2, 0))
        assert [str(by) for by in app.browser.runs.keys] == ["metadata.task"]
        await pilot.press("escape")
        await pilot.pause()
        app.browser.runs.step_sort(0)
        app.browser.table.rows_changed()
        assert table.render_line(0).text == before


async def test_blind_mode_stays_blind_to_a_filter() -> None:
    found = corpus()
    found.contents["alpha"] = read("alpha", 1, task="sort", reward=0.25, model="gpt-4")
    async with filtering(found, size=(120, 24), settings=Settings(paths=(Path("/logs"),), blind=True)) as (app, pilot):
        for text in (
            "reward < 0.5",
            "model ~ gpt",
            "metadata.reward < 1",
            "metadata.model ~ gpt",
            "metadata.task == sort",
        ):
            await pilot.press("ctrl+u")
            await type_in(pilot, text)
            await until(pilot, lambda: not app.browser.runs.open)
            assert ids(app) == (["alpha"] if "task" in text else []), text


async def test_keys_of_metadata_are_offered_level_by_level_as_soon_as_runs_were_read_for_them() -> None:
    found = corpus()
    found.contents["alpha"] = read("alpha", 1, task="sort", scores={"goal": 1, "style": {"tone": 2}})
    async with filtering(found, size=(80, 24)) as (app, pilot):
        await type_in(pilot, "metadata.")
        await until(pilot, lambda: told(app).split()[:2] == ["task", "scores."])
        await type_in(pilot, "s")
        await pilot.press("tab")
        assert value(app) == "metadata.scores."
        await until(pilot, lambda: told(app).split()[:2] == ["goal", "style."])
        await type_in(pilot, "style.")
        assert told(app).split()[0] == "tone"


async def test_a_value_from_a_log_does_nothing_to_the_table() -> None:
    found = corpus()
    hostile = ["\x1b[31mred\x1b[0m\nnew [bold]line[/bold] \ud800" + "x" * 5000, 10**400, {"deep": [1]}]
    found.contents = {
        name: read(name, 0, task=value) for name, value in zip(("alpha", "beta", "gamma"), hostile, strict=True)
    }
    async with filtering(found, size=(120, 24)) as (app, pilot):
        await type_in(pilot, "metadata.task != none")
        await until(pilot, lambda: len(ids(app)) == 3)
        shown = "\n".join(rows(app))
        assert "\x1b" not in shown
        assert "red new [bold]line" in shown
        assert "1000000" in shown


async def test_a_run_that_comes_or_changes_later_is_found_out_too() -> None:
    found = corpus()
    async with filtering(found) as (app, pilot):
        await type_in(pilot, "metadata.task == sort")
        await until(pilot, lambda: ids(app) == ["alpha"])
        found.contents["delta"] = read("delta", 0, task="sort")
        found.contents["alpha"] = read("alpha", 0, task="other")
        found.feed([run("delta"), Updated(0, run("alpha", units=5))])
        await until(pilot, lambda: ids(app) == ["delta"])


async def test_the_filter_can_say_the_order_and_gives_it_back() -> None:
    app = BrowserApp(corpus())
    async with app.run_test(size=(100, 24)) as pilot:
        await settle(pilot)
        await pilot.press("s", "ampersand")
        assert sorted_by(app.browser.runs) == Column.ID
        await type_in(pilot, "not problem sort:-calls")
        await until(pilot, lambda: ids(app) == ["beta", "alpha", "gamma"])
        await pilot.press("escape")
        await pilot.pause()
        assert sorted_by(app.browser.runs) == Column.ID


async def test_more_keys_can_be_added_to_the_order_and_the_heading_numbers_them() -> None:
    items: list[RunRow] = [run("a", messages=2, units=1), run("b", messages=1, units=5), run("c", messages=2, units=9)]
    app = BrowserApp(FakeCorpus(items))
    async with app.run_test(size=(120, 24)) as pilot:
        await settle(pilot)
        table = app.browser.table

        def heading() -> str:
            return table.render_line(0).text

        while sorted_by(app.browser.runs) != Column.MESSAGES:
            await pilot.press("s")
        await pilot.press("minus", "plus")
        while [by.ref for by in app.browser.runs.keys][-1] != Ref("units"):
            await pilot.press("plus")
        assert ids(app) == ["a", "c", "b"]
        await pilot.press("minus")
        assert ids(app) == ["c", "a", "b"]
        assert "messages↓ " in heading()
        assert "units↓²" in heading()
        column = heading().index("units") + 1
        await pilot.click(table, offset=(column, 0), shift=True)
        assert ids(app) == ["a", "c", "b"]
        await pilot.click(table, offset=(heading().index("messages") + 1, 0))
        assert len(app.browser.runs.keys) == 1


@pytest.mark.parametrize("step", range(12))
def test_stepping_the_last_key_comes_back_to_one_key(step: int) -> None:
    runs = RunList()
    runs.append(list(RUNS))
    runs.sort_by(Column.UNITS)
    for _ in range(step):
        runs.step_last()
    assert runs.keys[0].ref == Ref("units")
    assert len(runs.keys) == (1 if step % len(COLUMNS) == 0 else 2)


def test_a_run_may_be_learnt_of_twice_at_once() -> None:
    runs = RunList()
    runs.append([run("a")])
    runs.filter("tokens > 10")
    [wanted], _ = runs.to_find_out()
    runs.learn([(*wanted, {Ref("errors"): 1}), (*wanted, {Ref("tokens"): 99})])
    assert (runs.shown, runs.open) == ([0], 0)


async def test_leaving_while_runs_are_read_is_harmless() -> None:
    found = corpus()
    found.holding = threading.Event()
    async with filtering(found) as (_, pilot):
        await type_in(pilot, "tokens > 1")
        await until(pilot, lambda: found.was_read)
        [reading] = [thread for thread in threading.enumerate() if thread.name == "trajview-where"]
    found.holding.set()
    reading.join(20)
    assert not reading.is_alive()


def test_what_was_learnt_of_a_run_that_is_another_one_now_is_dropped() -> None:
    runs = RunList()
    runs.append([run("a"), run("b")])
    runs.filter("tokens > 10")
    wanted, refs = runs.to_find_out()
    assert ([info.id for _, info in wanted], refs) == (["a", "b"], (Ref("tokens"),))
    runs.update([Updated(0, run("a", units=7))])
    runs.learn([(row, info, {Ref("tokens"): 99}) for row, info in wanted])
    assert [runs.rows[row] for row in runs.shown] == [run("b")]
    assert runs.open == 1
    assert [info for _, info in runs.to_find_out()[0]] == [run("a", units=7)]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_help_of_the_list_explains_the_filter(size: tuple[int, int]) -> None:
    app = BrowserApp(corpus())
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await app.push_screen(HelpScreen("browser"))
        await pilot.pause()
        said = "\n".join(str(static.render()) for static in app.screen.query(Static))
        for example, says in EXAMPLES:
            assert f"  {example}\n    {says}" in said
        assert all(f"  {field.name} " in said for field in FIELDS)


async def test_the_list_begins_with_the_filter_of_the_command_line() -> None:
    app = BrowserApp(corpus())
    app.settings = Settings(paths=(Path("/logs"),), where="reward < 0.5 or calls > 2")
    async with app.run_test(size=(100, 20)) as pilot:
        await until(pilot, lambda: ids(app) == ["alpha", "beta"])
        assert value(app) == "reward < 0.5 or calls > 2"
        assert count(app).startswith("2 of ")
        assert app.browser.bar.is_open
        assert not isinstance(app.focused, Input)
        await pilot.press("ampersand")
        await type_in(pilot, " or units")
        await pilot.press("escape")
        assert len(ids(app)) == len(RUNS)
