"""A new size, a theme, a fold and a panel are each drawn once, and what is drawn is what stays."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pyte
import pytest
from textual._compositor import LayoutUpdate
from textual.screen import Screen

from trajview.app.app import TrajviewApp
from trajview.app.shared import one_frame, rows_view
from trajview.app.transcript import outline

from .driving import Reader, reading
from .logs import chat, write_jsonl

SIZES = [(200, 60), (120, 40), (80, 24), (120, 40), (200, 60)]

Cells = tuple[tuple[Any, ...], ...]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """One run of 400 messages whose lines wrap otherwise at each width."""
    texts = [f"{number} says " + f"word{number} " * (number % 37) for number in range(400)]
    return write_jsonl(tmp_path / "long.jsonl", [chat("long", *texts)])


class Terminal:
    """What an app has written to its terminal, and what is to be seen there."""

    def __init__(self, app: TrajviewApp, before: Cells) -> None:
        self._app = app
        self._screen = pyte.Screen(*app.size)
        for line, cells in enumerate(before):
            self._screen.buffer[line].update(enumerate(cells))
        self.frames: list[Cells] = []
        self.whole_frames = 0
        """Those in which all of the screen was drawn."""

    def draw(self, update: Any) -> None:
        columns, lines = self._app.size
        self._screen.resize(lines, columns)
        pyte.Stream(self._screen).feed(update.render_segments(self._app.console))
        self.frames.append(self.cells)
        self.whole_frames += isinstance(update, LayoutUpdate)

    @property
    def cells(self) -> Cells:
        """The characters and their colours, by line."""
        rows = (self._screen.buffer[line] for line in range(self._screen.lines))
        return tuple(tuple(row[column] for column in range(self._screen.columns)) for row in rows)

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display)


@contextmanager
def drawn(app: TrajviewApp, before: Cells = ()) -> Iterator[Terminal]:
    """What is drawn meanwhile, on a screen that is empty or shows something."""
    terminal = Terminal(app, before)
    display = TrajviewApp._display

    def also(self: TrajviewApp, screen: Screen[Any], update: Any) -> None:
        display(self, screen, update)
        if update is not None and not self._batch_count:
            terminal.draw(update)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TrajviewApp, "_display", also)
        yield terminal


@pytest.fixture(autouse=True)
def nothing_comes_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heights are never measured beyond the screen, as of a long run, and the outline counts nothing in a thread."""
    monkeypatch.setattr(rows_view, "MOST_MEASURED", 0)
    monkeypatch.setattr(outline, "SOME", 1_000)


async def quiet(reader: Reader) -> None:
    """Whatever was asked for is drawn."""
    for _ in range(4):
        await reader.pilot.pause(0.05)


async def still(reader: Reader) -> None:
    """The same, and nothing is counted or looked for in a thread any more."""
    await reader.listed_behind()
    await reader.app.workers.wait_for_complete(
        [each for each in reader.app.workers if each.group in ("tokens", "scan")]
    )
    await quiet(reader)


@asynccontextmanager
async def long_run(log: Path, panel: str) -> AsyncIterator[Reader]:
    """The run in its middle, with a panel open beside it."""
    async with reading(log) as reader:
        await reader.opened()
        if panel:
            await reader.press({"metadata": "i", "annotation": "a", "no outline": "O"}[panel])
        if panel == "annotation":
            await reader.annotating()
        reader.session.to_message(200)
        reader.screen.view.sync()
        await still(reader)
        yield reader


async def whole(reader: Reader) -> Cells:
    """The screen as it is where all of it is drawn anew."""
    with drawn(reader.app) as terminal:
        reader.app.screen.refresh()
        await quiet(reader)
    return terminal.cells


@pytest.mark.parametrize("panel", ["", "metadata", "annotation", "no outline"])
async def test_a_new_size_is_drawn_once_and_with_the_reader_where_he_was(log: Path, panel: str) -> None:
    async with long_run(log, panel) as reader:
        for size in SIZES:
            with drawn(reader.app) as terminal:
                await reader.pilot.resize_terminal(*size)
                await quiet(reader)
            assert terminal.cells == await whole(reader), size
            assert len(terminal.frames) == 1, size
            assert reader.session.top[0] == 200


@pytest.mark.parametrize("panel", ["", "annotation"])
async def test_another_theme_is_drawn_once(log: Path, panel: str) -> None:
    async with long_run(log, panel) as reader:
        for theme in ("trajview-light", "trajview-dark", "ansi-dark", "trajview-light"):
            with drawn(reader.app) as terminal:
                reader.app.theme = theme
                await quiet(reader)
            assert terminal.cells == await whole(reader), theme
            assert len(terminal.frames) == 1, theme


async def test_a_fold_of_everything_is_drawn_once(log: Path) -> None:
    async with long_run(log, "") as reader:
        for key in ("z", "z", "z", "r", "t"):
            with drawn(reader.app, await whole(reader)) as terminal:
                await reader.press(key)
                await quiet(reader)
            assert terminal.cells == await whole(reader), key
            assert len(terminal.frames) == 1, key


async def test_a_panel_beside_the_transcript_is_drawn_once_when_it_comes_and_when_it_goes(log: Path) -> None:
    async with long_run(log, "") as reader:
        for key in ("i", "i", "O", "O"):
            with drawn(reader.app) as terminal:
                await reader.press(key)
                await quiet(reader)
            assert len(terminal.frames) == 1, key


async def test_a_screen_on_top_is_drawn_once_and_so_is_what_is_below_when_it_goes(log: Path) -> None:
    async with long_run(log, "") as reader:
        before = await whole(reader)
        with drawn(reader.app) as terminal:
            await reader.press("?")
            await quiet(reader)
        assert "next action unit" in terminal.text
        assert len(terminal.frames) <= 2, "the screen, and the line of keys"
        with drawn(reader.app) as terminal:
            await reader.press("escape")
            await quiet(reader)
        assert (terminal.cells, len(terminal.frames)) == (before, 1)


async def test_the_list_is_drawn_once_when_a_run_is_left(log: Path) -> None:
    async with long_run(log, "") as reader:
        with drawn(reader.app) as terminal:
            await reader.press("q")
            await reader.listed()
            await quiet(reader)
        assert "long" in terminal.text
        assert len(terminal.frames) == 1


async def test_another_focus_draws_no_more_than_who_has_it_and_who_had_it(log: Path) -> None:
    async with long_run(log, "annotation") as reader:
        before = await whole(reader)
        with drawn(reader.app, before) as terminal:
            reader.app.screen.set_focus(reader.screen.view)
            await quiet(reader)
        assert terminal.cells == await whole(reader) != before
        assert not terminal.whole_frames


async def test_after_another_program_had_the_terminal_all_is_drawn(log: Path) -> None:
    async with long_run(log, "") as reader:
        before = await whole(reader)
        with drawn(reader.app) as terminal:
            reader.app.refresh(layout=True)
            await quiet(reader)
        assert terminal.cells == before


async def test_what_is_hidden_below_a_run_draws_nothing(log: Path) -> None:
    async with long_run(log, "") as reader:
        with drawn(reader.app) as terminal:
            reader.app.browser.table.statuses_changed()
            await quiet(reader)
        assert not terminal.frames


async def test_where_textual_is_made_otherwise_more_is_drawn_and_the_same_is_seen(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_frame, "_OF_WIDGETS", ("_renamed",))
    async with long_run(log, "") as reader:
        for size in SIZES:
            with drawn(reader.app) as terminal:
                await reader.pilot.resize_terminal(*size)
                await quiet(reader)
            assert terminal.cells == await whole(reader), size


async def test_the_first_rows_of_a_list_wait_for_no_other_frame(log: Path) -> None:
    async with long_run(log, "") as reader:
        await reader.press("q")
        await reader.listed()
        browser = reader.app.browser
        with drawn(reader.app) as terminal:
            browser._show_news()
            assert not terminal.frames, "there is time for rows that come later"
            await quiet(reader)
            terminal.frames.clear()
            browser.begun = False
            browser.table.refresh()
            browser._show_news()
            assert len(terminal.frames) == 1
            await quiet(reader)
            assert len(terminal.frames) == 1
