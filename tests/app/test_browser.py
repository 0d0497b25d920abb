"""The browser, driven as a person does."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import cast

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widgets import Input, Static

from trajview.annotation.citations import Citation
from trajview.annotation.store import AnnotationStore
from trajview.app.annotate.episodes import Episodes
from trajview.app.runs.problem import ProblemScreen
from trajview.app.runs.run_list import RunRow
from trajview.app.runs.screen import BrowserScreen
from trajview.app.runs.table import RunTable
from trajview.app.shared.background import Background
from trajview.app.shared.cells import Column
from trajview.app.shared.edit import edit_command
from trajview.app.shared.key_queue import KeyQueue
from trajview.config import Settings
from trajview.corpus.corpus import Corpus
from trajview.corpus.info import RunInfo, Updated
from trajview.errors import Problem, TrajviewError, Where
from trajview.places import SavedPlaces

from .driving import toasts_on, until
from .runs import FakeCorpus, problem, run, sorted_by


def _no_store() -> AnnotationStore:
    raise AssertionError("nothing is annotated here")


class BrowserApp(App[None]):
    """The app as the browser needs it: it notes what the browser asks for."""

    def __init__(self, corpus: FakeCorpus | Corpus, statuses: Callable[[], dict[str, str]] = dict) -> None:
        super().__init__()
        self.corpus = corpus
        self.statuses = statuses
        self.progress = ""
        self.keys = KeyQueue()
        self.opened: list[tuple[RunInfo, bool]] = []
        self.helped: list[str] = []
        self.settings = Settings(paths=(Path("/logs"),))
        self.saved_places = SavedPlaces(None)
        self.episodes = Episodes(
            cast(Corpus, corpus), self.settings, _no_store, None, Background(self), self.notify, lambda: None
        )

    def on_mount(self) -> None:
        self.browser = BrowserScreen(self.corpus, self.settings, lambda: (self.statuses(), self.progress))
        self.push_screen(self.browser)

    def open_run(self, info: RunInfo, annotate: bool = False) -> None:
        self.opened.append((info, annotate))

    def show_help(self, screen: str) -> None:
        self.helped.append(screen)

    def open_cited(self, info: RunInfo, citation: Citation) -> None:
        """Nothing is cited here."""

    def show_search(self) -> None:
        """Nothing is searched here."""

    def show_agreement(self) -> None:
        """Nobody annotates here."""

    def show_bookmarks(self) -> None:
        """Nothing is marked here."""

    def list_begun(self) -> None:
        """Nothing else waits for the list."""

    def list_changed(self, changed: Sequence[RunInfo] | None, finished: bool) -> None:
        """There is no queue, and no screen above the list."""

    def enter_queue(self) -> None:
        """There is no queue."""

    def statuses_failed(self) -> None:
        """There is no queue."""


def said(app: BrowserApp, name: str) -> str:
    return str(app.browser.query_one(f"#browser-{name}", Static).render())


def rows(app: BrowserApp) -> list[str]:
    table = app.browser.query_one(RunTable)
    return [text for y in range(1, table.size.height) if (text := table.render_line(y).text.strip())]


def under_cursor(app: BrowserApp) -> RunRow | None:
    return app.browser.runs.current


async def settle(pilot: Pilot[None]) -> None:
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def test_the_runs_are_listed_counted_and_opened() -> None:
    corpus = FakeCorpus([run("a"), run("b", length=4100), problem(), run("c")], skipped=5)
    app = BrowserApp(corpus, lambda: {"b": "annotated"})
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await settle(pilot)
        assert said(app, "title") == "trajview  /logs"
        assert said(app, "counts") == "3 runs · 1 problem · 5 skipped"
        await pilot.press("j")
        assert said(app, "status") == "runs.jsonl · 4.1 KB"
        await pilot.press("enter", "a", "question_mark")
        assert app.opened == [(run("b", length=4100), False), (run("b", length=4100), True)]
        assert app.helped == ["browser"]


async def test_the_keys_move_the_cursor() -> None:
    app = BrowserApp(FakeCorpus([run(f"r{i}") for i in range(200)]))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        page = app.browser.table.page_rows
        for key, position in [
            ("j", 1), ("down", 2), ("k", 1), ("space", 1 + page), ("b", 1), ("d", 1 + page // 2), ("u", 1),
            ("ctrl+d", 1 + page // 2), ("pageup", 0), ("G", 199), ("up", 198), ("g", 0), ("end", 199), ("home", 0),
        ]:  # fmt: skip
            await pilot.press(key)
            assert app.browser.runs.cursor == position, key


async def test_typing_filters_at_once_enter_keeps_it_and_escape_clears_it() -> None:
    app = BrowserApp(FakeCorpus([run("alpha"), run("beta"), run("gamma", name="[/foo]")]))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("j", "ampersand", "t", "a")
        assert len(rows(app)) == 1
        assert str(app.browser.bar.query_one("#filter-count", Static).render()) == "1 of 3 runs"
        await pilot.press("enter")
        assert app.focused is app.browser.table
        assert len(rows(app)) == 1
        await pilot.press("o")
        assert app.opened == [(run("beta"), False)]
        await pilot.press("ampersand", "escape")
        assert len(rows(app)) == 3
        assert app.focused is app.browser.table
        assert not app.browser.bar.is_open
        assert under_cursor(app) == run("beta")


async def test_escape_in_the_table_clears_a_kept_filter_and_does_not_quit() -> None:
    app = BrowserApp(FakeCorpus([run("alpha"), run("beta")]))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("ampersand", "b", "enter", "escape")
        await pilot.pause()
        assert (len(rows(app)), app.browser.runs.query) == (2, "")
        await pilot.press("escape")
        await pilot.pause()
        assert said(app, "status") == "q quits"
        assert app.is_running
        await pilot.press("q")
        await pilot.pause()
    assert not app.is_running


async def test_the_arrows_move_the_cursor_while_a_filter_is_typed() -> None:
    app = BrowserApp(FakeCorpus([run(f"r{i}") for i in range(9)]))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("ampersand", "r", "down", "down", "up", "enter")
        await pilot.pause()
        assert under_cursor(app) == run("r1")


async def test_a_filter_that_matches_nothing_says_so_and_harms_nothing() -> None:
    app = BrowserApp(FakeCorpus([run("alpha")]))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("ampersand", *"[/b]", "enter")
        assert "Nothing matches “[/b]”" in "\n".join(rows(app))
        await pilot.press("enter", "a", "j", "G", "ctrl+o", "s", "minus")
        assert app.opened == []
        await pilot.press("escape")
        await pilot.pause()
        assert "alpha" in rows(app)[0]


@pytest.mark.parametrize(("skipped", "said_so"), [(0, "No runs here."), (1, "1 file looked"), (7, "7 files looked")])
async def test_an_empty_corpus_says_what_to_do(skipped: int, said_so: str) -> None:
    app = BrowserApp(FakeCorpus(skipped=skipped))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        text = "\n".join(rows(app))
        assert said_so in text
        assert "trajview PATH" in text


async def test_how_far_the_reading_is_is_said_where_the_whole_is_known() -> None:
    corpus = FakeCorpus([run("r", length=5000)], finished=False)
    corpus.bytes_total = 20_000
    app = BrowserApp(corpus)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await settle(pilot)
        assert said(app, "counts") == "1 run · reading… 25% of 20 KB"
        corpus.bytes_done = 30_000  # it grows
        await until(pilot, lambda: said(app, "counts") == "1 run · reading… 99% of 20 KB")


async def test_rows_arrive_from_a_thread_and_the_cursor_stays_on_its_run() -> None:
    corpus = FakeCorpus([run(f"r{i}", length=1000) for i in range(5)], finished=False)
    app = BrowserApp(corpus)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await settle(pilot)
        assert said(app, "counts") == "5 runs · reading… 5.0 KB"
        await pilot.press("s", "minus", "j", "j")
        chosen = under_cursor(app)

        def scan() -> None:
            for i in range(0, 20_000, 100):
                corpus.feed([run(f"n{j}") for j in range(i, i + 100)])
            corpus.feed([problem()], finished=True)

        thread = threading.Thread(target=scan)
        thread.start()
        for _ in range(500):
            await pilot.pause(0.01)
            if app.browser.finished:
                break
        thread.join()
        assert said(app, "counts") == "20,005 runs · 1 problem"
        assert under_cursor(app) == chosen == run("r2", length=1000)


async def test_batches_that_come_when_the_screen_or_the_app_has_gone_are_harmless() -> None:
    corpus = FakeCorpus([run("a")], finished=False)
    app = BrowserApp(corpus)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        late = list(corpus.callbacks)
        await app.pop_screen()
        assert corpus.callbacks == []
        # A call may have been on its way when the screen went.
        corpus.callbacks = late
        failed = feed_in_thread(corpus)
        await pilot.pause()
        assert failed == []
    assert feed_in_thread(corpus) == []


def feed_in_thread(corpus: FakeCorpus) -> list[BaseException]:
    failed: list[BaseException] = []

    def feed() -> None:
        try:
            for _ in range(3):
                corpus.feed([run("late")])
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test reports it
            failed.append(error)

    thread = threading.Thread(target=feed)
    thread.start()
    thread.join()
    return failed


async def test_enter_on_a_problem_shows_the_whole_of_it() -> None:
    long = "The line ends [in the /middle] of a string " * 8
    app = BrowserApp(FakeCorpus([problem(long), run("a")]))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        assert "The writer may have been killed." in said(app, "status")
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, ProblemScreen)
        shown = [str(static.render()) for static in app.screen.query(Static)]
        assert shown == ["/logs/torn.jsonl:3", long, "The writer may have been killed."]
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is app.browser
        assert app.opened == []


async def test_the_sort_keys_step_through_the_shown_columns_and_turn_the_order_round() -> None:
    app = BrowserApp(FakeCorpus([run("b"), run("a")]))
    async with app.run_test(size=(120, 24), notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("s")
        assert rows(app)[0].startswith("▌ a ")
        await pilot.press("minus")
        assert "b " in rows(app)[0]
        assert under_cursor(app) == run("b"), "an order begins at its first row"
        await pilot.press("alt+s", "alt+s")
        assert sorted_by(app.browser.runs) == Column.STATUS


async def test_statuses_are_read_again_and_a_store_that_cannot_be_read_is_said() -> None:
    found: dict[str, str] = {}
    app = BrowserApp(FakeCorpus([run("a"), run("b")]))
    app.statuses = lambda: found
    async with app.run_test(size=(120, 24), notifications=True) as pilot:
        await settle(pilot)
        assert "annotated" not in said(app, "counts")
        found.update(a="annotated", b="draft")
        app.progress = "1 of 2 annotated"
        app.browser.refresh_status()
        await settle(pilot)
        assert "✓ annotated" in rows(app)[0]
        assert "○ draft" in rows(app)[1]
        assert said(app, "counts") == "2 runs · 1 of 2 annotated"

        def fail() -> dict[str, str]:
            raise TrajviewError("[/no] such store")

        app.statuses = fail
        app.browser.refresh_status()
        await settle(pilot)
        await until(pilot, lambda: toasts_on(app))
        (toast,) = toasts_on(app)
        assert toast.endswith("[/no] such store")
        assert "✓ annotated" in rows(app)[0]


async def test_the_neighbour_of_a_run_is_the_next_in_the_order_shown() -> None:
    app = BrowserApp(FakeCorpus([run("c"), run("a"), problem(), run("b")]))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("s")
        assert app.browser.neighbour(run("a"), 1) == run("b")
        assert under_cursor(app) == run("b")
        assert app.browser.neighbour(run("a"), -1) is None


async def test_a_real_corpus_is_listed_while_it_is_scanned(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]
    lines = [json.dumps({"id": f"run-{i}", "messages": messages}) for i in range(300)]
    (tmp_path / "runs.jsonl").write_text("\n".join([*lines, '{"id": "torn']))
    corpus = Corpus([tmp_path])
    app = BrowserApp(corpus)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        corpus.start()
        while not app.browser.finished:
            await pilot.pause(0.01)
        assert said(app, "counts") == "300 runs · 1 problem"
        await pilot.press("ampersand", *"torn", "enter", "enter")
        await pilot.pause()
        assert isinstance(app.screen, ProblemScreen)


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40), (200, 50), (20, 6)])
async def test_every_size_shows_runs_and_survives_a_resize(size: tuple[int, int]) -> None:
    items: list[RunRow] = [run(f"run-{i}", rewards=(0.5,), agents=("Ava",)) for i in range(100)]
    app = BrowserApp(FakeCorpus([*items, problem()]))
    async with app.run_test(size=size, notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("G", "k")
        await pilot.resize_terminal(70, 12)
        await pilot.pause()
        assert any(row.startswith("▌ run-99") for row in rows(app))
        await pilot.resize_terminal(*size)
        await pilot.pause()
        assert any(row.startswith("▌ run-99") for row in rows(app))
        assert app.browser.query_one(Input).display


def test_the_editor_is_called_at_the_line_where_it_can_be(tmp_path: Path) -> None:
    bin = tmp_path / "bin"
    bin.mkdir()
    for name in ("vim", "less", "code", "hx", "other"):
        (bin / name).write_text("#!/bin/sh\n")
        (bin / name).chmod(0o755)
    log = tmp_path / "a b.jsonl"
    path = {"PATH": str(bin)}
    for said_command, line, command in [
        ({"EDITOR": "vim -R"}, 12, ["vim", "-R", "+12", str(log)]),
        ({"EDITOR": "vim", "VISUAL": "hx"}, 12, ["hx", f"{log}:12"]),
        ({"EDITOR": "code --wait"}, 3, ["code", "--wait", "--goto", f"{log}:3"]),
        ({"PAGER": "less"}, 3, ["less", "+3g", str(log)]),
        ({"PAGER": "other -S"}, 3, ["other", "-S", str(log)]),
        ({"EDITOR": "hx", "PAGER": "other"}, 3, ["hx", f"{log}:3"]),
        ({}, None, ["less", str(log)]),
        ({"EDITOR": "other"}, 3, ["other", str(log)]),
    ]:
        assert edit_command(log, line, {**path, **said_command}) == command


@pytest.mark.parametrize("editor", ["no-such-program-here", "vim 'unclosed"])
def test_an_editor_that_cannot_run_is_said_by_name(editor: str) -> None:
    with pytest.raises(TrajviewError) as caught:
        edit_command(Path("x"), 1, {"EDITOR": editor, "PATH": "/nowhere"})
    assert editor.split()[0] in str(caught.value)


@pytest.mark.parametrize("there", [True, False])
async def test_ctrl_o_says_why_a_file_does_not_open(
    there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", sys.executable)
    log = tmp_path / "torn.jsonl"
    if there:
        log.write_text("{")
    app = BrowserApp(FakeCorpus([Problem("Torn", where=Where(log, 1))]))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+o")
        await pilot.pause()
        (toast,) = toasts_on(app)
        assert ("cannot be left" if there else "not there any more") in toast


async def test_runs_that_were_only_listed_fill_in_under_the_cursor_and_open_at_once() -> None:
    waiting = [run(f"r{i}", format="", summarised=False) for i in range(50)]
    corpus = FakeCorpus(list(waiting), finished=False)
    known = {f"r{i}": run(f"r{i}", messages=7, rewards=(0.25,)) for i in range(50)}
    app = BrowserApp(corpus)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await settle(pilot)
        assert "…" in rows(app)[3]
        await pilot.press("j", "j", "enter")
        await settle(pilot)
        assert app.opened == [(waiting[2], False)]
        corpus.feed([Updated(i, known[f"r{i}"]) for i in (1, 2)])
        deadline = monotonic() + 60
        while "0.25" not in rows(app)[1] and monotonic() < deadline:  # not amid keys
            await pilot.pause(0.02)
        assert under_cursor(app) == known["r2"]
        assert [("…" in row, "0.25" in row) for row in rows(app)[:4]] == [
            (True, False), (False, True), (False, True), (True, False),
        ]  # fmt: skip
        assert app.browser.neighbour(waiting[2], 1) == waiting[3]
        corpus.feed([Updated(0, problem()), *(Updated(i, known[f"r{i}"]) for i in range(3, 50))], finished=True)
        await settle(pilot)
        assert "⚠" in rows(app)[0]
        assert said(app, "counts") == "49 runs · 1 problem"


async def test_rows_that_come_below_the_view_are_known_to_the_keys_at_once_and_not_drawn_for_every_batch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    corpus = FakeCorpus([run(f"r{i:04}") for i in range(60)], finished=False)
    app = BrowserApp(corpus)
    drawn: list[int] = []
    original = RunTable.render_line

    def render_line(table: RunTable, y: int) -> Strip:
        if y == 3:
            drawn.append(y)
        return original(table, y)

    async with app.run_test(size=(100, 24)) as pilot:
        await settle(pilot)
        before = rows(app)
        monkeypatch.setattr(RunTable, "render_line", render_line)
        for batch in range(40):
            corpus.feed([run(f"s{50 * batch + i:04}") for i in range(50)])
            await pilot.pause()
        assert len(drawn) < 40, "what is in view has not changed"
        assert len(app.browser.runs.shown) == 60 + 40 * 50
        monkeypatch.undo()
        assert rows(app) == before
        await pilot.press("G")
        assert under_cursor(app) == app.browser.runs.rows[-1]
        assert "s1999" in rows(app)[-1]
        corpus.feed([], finished=True)
        await settle(pilot)
        assert said(app, "counts").startswith("2,060 runs")


async def test_a_filter_that_no_row_passes_yet_does_not_keep_the_statuses_waiting() -> None:
    app = BrowserApp(FakeCorpus([run("a"), run("b")]), lambda: {"b": "annotated"})
    app.settings = Settings(paths=(Path("/logs"),), where="annotated")
    async with app.run_test(size=(100, 24)) as pilot:
        deadline = monotonic() + 60
        while not any("b" in row for row in rows(app)) and monotonic() < deadline:
            await pilot.pause(0.02)
        assert len(rows(app)) == 1
