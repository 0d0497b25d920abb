"""Search across the corpus in the whole app: the bar, results as they come, into a run and back, and stopping."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.widgets import Input, Static

from trajview.app.results.screen import ResultsScreen
from trajview.app.runs.screen import BrowserScreen

from .driving import Reader, burst, reading
from .logs import NEEDLE, chat, write_jsonl


def results(reader: Reader) -> ResultsScreen:
    screen = reader.app.screen
    assert isinstance(screen, ResultsScreen), screen
    return screen


def rows(reader: Reader) -> list[str]:
    """The rows of the list that are on the screen."""
    found = results(reader).list
    return [" ".join(text.split()) for y in range(found.size.height) if (text := found.render_line(y).text.strip("▌ "))]


def under_cursor(reader: Reader) -> str:
    found = results(reader).list
    return " ".join(found.render_line(found.results.cursor - int(found.scroll_y)).text.strip("▌ ").split())


def said(reader: Reader) -> str:
    return str(results(reader).query_one("#results-counts", Static).render())


async def search(reader: Reader, text: str) -> None:
    """Search for a text from the list or from what was found, to the end."""
    await reader.ask("slash", text)
    await reader.until(
        lambda: (
            isinstance(reader.app.screen, ResultsScreen)
            and results(reader).results.typed == text
            and results(reader).results.state == "done"
        )
    )


async def test_what_is_found_stands_under_its_run_with_its_lines_around(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        await search(reader, "fuse|b again")
        assert said(reader) == "4 matches in 2 runs · 1 not readable"
        assert rows(reader) == [
            "beta chats.jsonl:2 1", "T0B3 assistant b again", "The cold kettle repair.jsonl:1 3", "T0B6 user Is it the fuse?",
            "T0B7 → measure fuse", "T0B9 assistant The fuse is fine: the kettle was never plugged in.",
        ]  # fmt: skip
        await reader.press("G")
        context = str(reader.app.screen.query_one("#results-context", Static).render())
        assert context.splitlines()[:3] == ["unit 4 · T0B9 · assistant", f"The fuse is fine: {NEEDLE}.", ""]
        assert "```diff" in context


async def test_from_a_run_that_was_found_the_keys_lead_to_the_next_that_was_found(tmp_path: Path) -> None:
    said = ["tea", "nothing", "more tea", "nothing"]
    write_jsonl(tmp_path / "tea.jsonl", [chat(str(n), "Go.", text) for n, text in enumerate(said)])
    async with reading(tmp_path) as reader:
        await reader.listed()
        await search(reader, "tea")
        await reader.open("enter")
        await reader.press("L")
        await reader.opened("2")
        await reader.until(lambda: "“tea” 1/1" in reader.status)
        assert reader.message == 1
        await reader.press("L")
        assert "last run that was found" in reader.status
        await reader.press("H")
        await reader.opened("0")
        await reader.press("L")
        await reader.opened("2")
        await reader.press("q")
        assert under_cursor(reader).endswith("more tea")


async def test_what_is_found_can_stand_in_the_order_of_the_list_and_back(tmp_path: Path) -> None:
    tea = [chat(str(n), "Go.", f"tea {n}", reward=n % 3) for n in range(3)]
    by_file = ["Go. tea.jsonl:1 1", "Go. tea.jsonl:2 1", "Go. tea.jsonl:3 1"]  # nothing else names them
    write_jsonl(tmp_path / "tea.jsonl", tea)
    async with reading(tmp_path) as reader:
        await reader.listed()
        await search(reader, "tea")
        await reader.press("s")
        assert ([*rows(reader)[::2]], "as in the list" in said(reader)) == (by_file, False)
        await reader.press("q")
        await reader.ask("ampersand", "sort:-id")
        await search(reader, "tea")
        assert rows(reader)[::2] == by_file
        await reader.press("n")
        assert under_cursor(reader).endswith("tea 1")
        await reader.press("s")
        assert rows(reader)[::2] == by_file[::-1]
        assert "as in the list" in said(reader)
        await reader.press("n")
        assert under_cursor(reader).endswith("tea 0")
        await reader.press("s")
        assert rows(reader)[::2] == by_file
        assert under_cursor(reader).endswith("tea 0")


async def test_a_search_typed_in_one_burst_is_what_was_typed(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        burst(reader, ["slash", *"fuse", "enter"])
        await reader.until(lambda: isinstance(reader.app.screen, ResultsScreen))
        await reader.until(lambda: results(reader).results.state == "done")
        assert results(reader).results.typed == "fuse"
        await reader.press("q")
        await reader.until(lambda: reader.app.screen is reader.app.browser)
        assert reader.app.browser.runs.shown == sorted(reader.app.browser.runs.shown), "no letter of it was a command"


async def test_the_second_search_is_asked_for_as_the_first_above_what_was_found(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        await search(reader, NEEDLE)
        found = rows(reader)
        await reader.press("escape")
        await reader.listed()
        await reader.press("slash")
        await reader.until(lambda: isinstance(reader.app.focused, Input))
        assert rows(reader)[:2] == found[:2]
        await reader.press("escape")
        assert isinstance(reader.app.screen, ResultsScreen), "escape leaves the line only"
        assert rows(reader) == found
        await reader.press("escape")
        await reader.listed()
        burst(reader, ["slash", *"fuse", "enter"])
        await reader.until(lambda: isinstance(reader.app.screen, ResultsScreen))
        await reader.until(lambda: results(reader).results.typed == "fuse" and results(reader).results.state == "done")
        assert said(reader).startswith("3 matches in 1 run"), "no letter of it was a command"


async def test_a_search_that_is_given_up_leaves_the_keys_to_the_list(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        for _ in range(2):
            await reader.press("slash", "escape")
            await reader.until(lambda: reader.app.screen is reader.app.browser)
        await reader.press("j")
        assert reader.app.browser.runs.cursor == 1


async def test_enter_opens_the_run_at_the_hit_and_the_search_goes_on_there(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        await search(reader, NEEDLE)
        await reader.press("j")
        assert under_cursor(reader).startswith("T0B9")
        before = rows(reader)
        await reader.press("enter")
        await reader.opened()
        await reader.until(lambda: "” 2/2" in reader.status)
        assert reader.message == 9
        await reader.press("N")
        assert reader.message == 3
        assert NEEDLE in reader.text
        await reader.press("q")
        await reader.until(lambda: isinstance(reader.app.screen, ResultsScreen))
        assert rows(reader) == before
        assert under_cursor(reader).startswith("T0B9")
        await reader.press("escape")
        await reader.listed()
        await reader.press("slash")
        await reader.until(lambda: isinstance(reader.app.screen, ResultsScreen))
        assert under_cursor(reader).startswith("T0B9")


async def test_enter_opens_the_run_at_the_very_line(tmp_path: Path) -> None:
    text = "\n".join(f"needle of \x1b[1mline {number}\x1b[0m in a text" for number in range(40))
    async with reading(write_jsonl(tmp_path / "log.jsonl", [chat("a", "x", text), chat("b", "y")])) as reader:
        await reader.listed()
        await search(reader, "needle")
        await reader.press("j", "j", "j", "enter")
        await reader.opened("a")
        await reader.until(lambda: "” 4/40" in reader.status)
        await reader.press("n")
        assert "” 5/40" in reader.status


async def test_behind_the_only_match_of_a_run_it_is_said_which_key_leads_to_the_next_run(tmp_path: Path) -> None:
    async with reading(write_jsonl(tmp_path / "log.jsonl", [chat("a", "needle"), chat("b", "needle")])) as reader:
        await reader.listed()
        await search(reader, "needle")
        await reader.press("enter")
        await reader.opened("a")
        await reader.until(lambda: "” 1/1" in reader.status)
        await reader.press("n")
        assert "the only match: L goes to the next run" in reader.status


async def test_a_hit_in_another_transcript_opens_there(tmp_path: Path) -> None:
    record = {
        "id": "two", "metadata": {},
        "transcripts": [{"messages": [{"role": "user", "content": text} for text in texts]} for texts in (["a", "b"], ["c", "the needle", "needle"])],
    }  # fmt: skip
    async with reading(write_jsonl(tmp_path / "log.jsonl", [record, chat("other", "x")])) as reader:
        await reader.listed()
        await search(reader, "the needle")
        await reader.press("enter")
        await reader.opened("two")
        await reader.until(lambda: reader.screen.index == 1 and "1/1" in reader.status)
        assert reader.message == 1


async def test_restrictions_hold_in_the_list_and_in_the_run(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        await search(reader, f"role:tool {NEEDLE}")
        assert said(reader).startswith("1 match in 1 run")
        await reader.press("enter")
        await reader.opened()
        await reader.until(lambda: "” 1/1" in reader.status)
        assert reader.message == 3


async def test_what_is_left_of_a_run_is_read_when_it_is_asked_for(tmp_path: Path) -> None:
    log = write_jsonl(tmp_path / "log.jsonl", [chat("many", *["needle"] * 99), chat("one", "needle")])
    async with reading(log) as reader:
        await reader.listed()
        await search(reader, "needle")
        shown = results(reader).results.limit
        assert len(results(reader).results.rows) == shown + 4 == results(reader).list.size.height, "as many as fit"
        await reader.press(*"j" * shown)
        assert under_cursor(reader) == f"… {99 - shown} more: enter shows them"
        await reader.press("enter")
        await reader.until(lambda: len(results(reader).results.rows) == 99 + 3)
        assert under_cursor(reader).startswith(f"T0B{shown} ")


async def test_a_search_is_typed_again_and_a_bad_one_says_why(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        await reader.ask("slash", "role:nobody fuse")
        await reader.until(lambda: reader.toasts)
        assert "there is no role 'nobody'" in reader.toasts[-1]
        await reader.press("escape")
        await reader.listed()
        await search(reader, "nothing of this kind")
        assert "nothing found" in said(reader)
        assert "Nothing found." in reader.whole_screen
        await search(reader, "fuse")
        assert said(reader).startswith("3 matches in 1 run")


async def test_escape_leaves_the_bar_and_an_empty_search_leaves_the_screen(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        await reader.press("slash")
        await reader.until(lambda: "role:tool  role:user" in reader.whole_screen)
        await reader.press("slash", "a")
        assert "/a" in reader.whole_screen  # in the bar, a slash is one
        await reader.press("escape")
        await reader.listed()
        await reader.ask("slash", "")
        await reader.listed()


ENDLESS = "needle|(a+)+(?<!a)!"
"""With a run of the letter and the mark after it, this takes longer than the world is old: RE2 cannot look behind."""


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """Two runs, the second of which is never searched to its end."""
    return write_jsonl(
        tmp_path / "trap.jsonl", [chat("one", "needle"), chat("two", "a" * 60 + "!"), chat("three", "needle")]
    )


async def test_escape_stops_a_search_at_once_and_keeps_what_was_found(trap: Path) -> None:
    async with reading(trap) as reader:
        await reader.listed()
        await reader.ask("slash", ENDLESS)
        await reader.until(lambda: isinstance(reader.app.screen, ResultsScreen) and len(results(reader).results.rows))
        assert "searching…" in said(reader)
        await reader.press("j", "k")
        await reader.press("escape")
        await reader.until(lambda: "stopped after" in said(reader))
        assert [row.split()[-1] for row in rows(reader)] == ["1", "needle"]
        await reader.press("escape")
        await reader.until(lambda: isinstance(reader.app.screen, BrowserScreen))


async def test_a_new_search_takes_the_place_of_one_that_goes_on(trap: Path) -> None:
    async with reading(trap) as reader:
        await reader.listed()
        await reader.ask("slash", ENDLESS)
        await reader.until(lambda: isinstance(reader.app.screen, ResultsScreen) and len(results(reader).results.rows))
        await search(reader, "aaa!")
        assert said(reader) == "1 match in 1 run"
        assert under_cursor(reader).startswith("T0B0")


async def test_a_search_that_breaks_off_says_so(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    async with reading(runs) as reader:
        await reader.listed()
        await reader.ask("slash", "fuse")
        await reader.until(lambda: reader.toasts)
        assert "the search broke off" in reader.toasts[-1]
        assert "stopped" in said(reader)


async def test_what_a_log_holds_is_harmless_in_the_results(tmp_path: Path) -> None:
    text = "\x1b[31mred\x1b[0m [/foo] \x1b]52;c;AAAA\x07 \x1b[2J needle \x85\u202e"
    log = write_jsonl(
        tmp_path / "log.jsonl", [{**chat("x[/b]\x1b[2J", text), "name": "[bold]n[/]\x1b[2J"}, chat("y", "z")]
    )
    async with reading(log) as reader:
        await reader.listed()
        await search(reader, "needle")
        assert "\x1b" not in reader.whole_screen
        assert any("red [/foo]" in row for row in rows(reader))
        assert "[bold]n[/]" in rows(reader)[0]


async def test_a_run_that_is_gone_is_said(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        await search(reader, "b again")
        (runs / "chats.jsonl").write_text(json.dumps(chat("new", "x")) + "\n")
        await reader.press("enter")
        await reader.opened()
        assert "This run cannot be shown." in reader.whole_screen


async def test_a_hit_opens_the_run_it_was_found_in_wherever_that_is_by_now_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajview.corpus.corpus.EVERY", 0.02)
    log = write_jsonl(tmp_path / "log.jsonl", [chat("one", "tea"), chat("two", "tea")])
    async with reading(log, follow=True) as reader:
        await reader.listed()
        await search(reader, "tea")
        later = tmp_path / "later"
        write_jsonl(later, [chat("two", "tea"), chat("new", "tea")]).replace(log)
        infos = reader.app.corpus.infos
        await reader.until(lambda: [info.id for info in infos] != [info.id for info in reader.app.corpus.infos])
        await reader.press("enter")  # at the place of "one" there is "two" now
        await reader.until(lambda: "one is not there any more" in reader.whole_screen)
        assert isinstance(reader.app.screen, ResultsScreen)
        await reader.press("]")
        await reader.open("enter")
        assert reader.screen.info.id == "two"


async def test_results_fit_a_small_terminal(runs: Path) -> None:
    async with reading(runs, size=(60, 12)) as reader:
        await reader.listed()
        await search(reader, "fuse")
        assert all(len(row) <= 60 for row in rows(reader))
        assert "fuse" in under_cursor(reader)


async def test_blind_mode_does_not_search_what_it_hides(tmp_path: Path) -> None:
    logs = write_jsonl(
        tmp_path / "chats.jsonl", [chat("beta", "a"), {**chat("alpha", "hi", "ho"), "model": "gull-70b"}]
    )
    async with reading(logs, blind=True) as reader:
        await reader.listed()
        await reader.ask("slash", "in:metadata gull")
        await reader.until(lambda: any("Blind mode" in toast for toast in reader.toasts))
        assert "gull-70b" not in reader.whole_screen
        await reader.press("escape")
        await search(reader, "gull")
        assert said(reader) == "nothing found"
    async with reading(logs) as reader:
        await reader.listed()
        await search(reader, "in:metadata gull")
        assert "gull-70b" in reader.whole_screen


async def test_only_the_runs_that_the_filter_leaves_are_searched_and_the_screen_says_so(tmp_path: Path) -> None:
    log = write_jsonl(tmp_path / "log.jsonl", [chat("alpha", "needle"), chat("beta", "needle"), chat("gamma", "x")])
    async with reading(log, size=(80, 24)) as reader:
        await reader.listed()
        await reader.ask("ampersand", "id != alpha")
        await reader.until(lambda: len(reader.app.browser.runs.shown) == 2)
        await reader.press("slash")
        await reader.until(lambda: isinstance(reader.app.focused, Input) and results(reader).list.empty)
        assert "search  in 2 of 3 runs · id != alpha" in reader.whole_screen, "it is known before anything is typed"
        await reader.press("escape")
        await reader.listed()
        await search(reader, "needle")
        assert said(reader) == "1 match in 1 run"
        assert rows(reader)[0].startswith("beta")
        assert "search  needle  in 2 of 3 runs · id !=" in reader.whole_screen
        await reader.press("escape")
        await reader.listed()
        await reader.press("escape")
        await reader.until(lambda: not reader.app.browser.runs.query)
        await search(reader, "needle")
        assert said(reader) == "2 matches in 2 runs"
        assert " of 3 runs" not in reader.whole_screen


async def test_a_filter_that_leaves_no_run_is_named_where_nothing_is_found(tmp_path: Path) -> None:
    log = write_jsonl(tmp_path / "log.jsonl", [chat("alpha", "needle"), chat("beta", "needle")])
    async with reading(log) as reader:
        await reader.listed()
        await reader.ask("ampersand", "messages > 50")
        await search(reader, "needle")
        assert "Nothing found in 0 of 2 runs." in reader.whole_screen
