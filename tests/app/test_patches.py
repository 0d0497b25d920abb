"""What changes is written where the terminal shows something else, and the terminal shows what a whole drawing would."""

from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip

from trajview import open_corpus
from trajview.app.app import TrajviewApp, make_app
from trajview.app.help import HelpScreen
from trajview.app.shared import patches, rows_view
from trajview.app.shared.patches import Patches, Shown
from trajview.config import Settings

from .driving import Reader, reading
from .logs import chat, write_jsonl

KEYS = [
    *("j", "k", "space", "b", "d", "u", "G", "g", "right_square_bracket", "left_square_bracket", "n", "N", "enter"),
    *("z", "r", "t", "i", "O", "m", "question_mark", "slash", "escape", "ctrl+p", "down", "a"),
]  # fmt: skip

Cells = list[list[Any]]
CODER = "👩\u200d💻 at work "
"""Fewer cells than it is taken for, or more, where the terminal knows nothing of characters that join others."""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """One run of 200 messages, with characters that take two cells, and codes for colours."""
    words = ("said ", "日本語の文 ", "été ", "\x1b[31mred\x1b[0m ", "failed because ")
    return _long(tmp_path, words)


def _long(folder: Path, words: Sequence[str]) -> Path:
    texts = [f"{number} " + words[number % len(words)] * (number % 37) for number in range(200)]
    return write_jsonl(folder / "long.jsonl", [chat("long", *texts)])


@pytest.fixture(autouse=True)
def heights_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heights are never measured beyond the screen, as of a long run: the minimap follows when there is time."""
    monkeypatch.setattr(rows_view, "MOST_MEASURED", 0)


class Terminal:
    """A terminal that an app writes to from its first frame on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._screen = pyte.Screen(120, 40)
        self.characters = 0
        self.partly = 0
        display = TrajviewApp._display

        def also(app: TrajviewApp, screen: Screen[Any], update: Any) -> None:
            display(app, screen, update)
            if update is not None and not app._batch_count:
                columns, lines = app.size
                if (lines, columns) != (self._screen.lines, self._screen.columns):
                    self._screen.resize(lines, columns)
                text = update.render_segments(app.console)
                self.characters += len(text)
                self.partly += isinstance(update, Patches)
                pyte.Stream(self._screen).feed(text)

        monkeypatch.setattr(TrajviewApp, "_display", also)

    def write(self, text: str) -> None:
        """What another program writes to it."""
        pyte.Stream(self._screen).feed(text)

    @property
    def cells(self) -> Cells:
        return _cells(self._screen)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return Terminal(monkeypatch)


def _cells(screen: pyte.Screen) -> Cells:
    """The cells; of a character of two cells whose second was written over, nothing is left, as in any real terminal."""
    found = [[screen.buffer[line][column] for column in range(screen.columns)] for line in range(screen.lines)]
    for line in found:
        for column, (cell, following) in enumerate(pairwise(line)):
            if following.data and cell_len(cell.data) > 1:
                line[column] = cell._replace(data=" ")
    return found


def whole(app: TrajviewApp) -> Cells:
    """What a whole drawing of the screen shows."""
    screen = pyte.Screen(*app.size)
    update: Any = app.screen._compositor.render_update(full=True, screen_stack=app._background_screens)
    pyte.Stream(screen).feed(update.render_segments(app.console))
    return _cells(screen)


async def still(reader: Reader) -> None:
    """All that was asked for is drawn, and nothing is counted in a thread."""
    await reader.app.workers.wait_for_complete(
        [each for each in reader.app.workers if each.group in ("tokens", "scan", "unit-facts")]
    )
    for _ in range(3):
        await reader.pilot.pause(0.03)


async def pressed(reader: Reader, *keys: str) -> None:
    """These keys, and all that they lead to is drawn."""
    await reader.press(*keys)
    await still(reader)


@asynccontextmanager
async def opened(log: Path) -> AsyncIterator[Reader]:
    async with reading(log) as reader:
        await reader.opened()
        yield reader


async def agrees(reader: Reader, terminal: Terminal) -> bool:
    """The terminal shows what a whole drawing does, soon: a toast may be on its way out. A wrong frame stays."""
    for _ in range(40):
        if terminal.cells == whole(reader.app):
            return True
        await reader.pilot.pause(0.05)
    return False


@pytest.mark.parametrize("seed", range(3))
async def test_the_terminal_shows_the_same_as_if_all_were_drawn(tmp_path: Path, terminal: Terminal, seed: int) -> None:
    draws = random.Random(seed)
    words = ("said ", "日本語の文 ", "e\u0301te\u0301 ", "\x1b[31mred\x1b[0m ", "failed because ", CODER, "⚠\ufe0f no ")
    async with opened(_long(tmp_path, words)) as reader:
        await still(reader)
        for step in range(25):
            did = draws.choice([*KEYS, "toast", "size"])
            if did == "toast":
                reader.app.notify("a toast over the text", timeout=draws.choice([0.1, 9]))
                await reader.pilot.pause(0.2)
            elif did == "size":
                await reader.pilot.resize_terminal(*draws.choice([(80, 24), (120, 40), (150, 30)]))
            else:
                await reader.press(did)
            await still(reader)
            assert await agrees(reader, terminal), f"{step}: {did}"
        assert terminal.partly


@pytest.mark.parametrize("word", [CODER, "⚠\ufe0f", "👍🏽", "नमस्ते "], ids=ascii)
async def test_what_stands_beside_characters_that_terminals_disagree_about_is_in_its_place(
    tmp_path: Path, terminal: Terminal, word: str
) -> None:
    log = write_jsonl(tmp_path / "long.jsonl", [chat("long", *[word * 200, "plain\n\n" * 30] * 20)])
    async with opened(log) as reader:
        for key in ("space", "j", "j", "b", "O", "j", "right_square_bracket"):
            await reader.press(key)
            await still(reader)
            view, beside = reader.screen.view, reader.screen.minimap
            reader.app.forget_shown()
            view.refresh()  # and not what is beside it
            await still(reader)
            strips = beside.render_lines(Region(0, 0, *beside.size))
            shown = [terminal.cells[y][beside.region.x].data for y in range(beside.region.y, beside.region.bottom)]
            assert shown == [strip.text[0] for strip in strips], key
            assert terminal.cells == whole(reader.app), key
        assert terminal.partly


async def test_what_stands_beside_such_characters_is_in_its_place_below_the_palette(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = write_jsonl(tmp_path / "long.jsonl", [chat("long", *[CODER * 200, "plain\n\n" * 30] * 20)])
    terminal = Terminal(monkeypatch)
    async with reading(log) as reader:
        await reader.opened()
        await still(reader)
        x = reader.screen.minimap.region.x
        for keys in ((), ("ctrl+p",), ("r", "e"), ("escape",)):
            await reader.press(*keys)
            await still(reader)
            drawn = reader.app.screen._compositor.render_strips()
            assert [line[x].data for line in terminal.cells] == [strip.crop(x, x + 1).text for strip in drawn], keys
            assert terminal.cells == whole(reader.app), keys


@pytest.mark.parametrize("sign", ["⚠\ufe0f", "⚠\ufe0f no ", CODER, "日本 "], ids=ascii)
async def test_what_stands_beside_a_screen_on_top_that_cuts_signs_is_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sign: str
) -> None:
    log = write_jsonl(tmp_path / "long.jsonl", [chat("long", *[sign * 300] * 20)])
    terminal = Terminal(monkeypatch)
    async with reading(log, size=(200, 50)) as reader:
        await reader.opened()
        await still(reader)
        x, before = reader.screen.minimap.region.x, [line[198].data for line in terminal.cells]
        assert x == 198
        await reader.press("question_mark")
        await still(reader)
        assert isinstance(reader.app.screen, HelpScreen)
        assert [line[x].data for line in terminal.cells] == before
        assert terminal.cells == whole(reader.app)


async def test_what_stands_there_already_is_not_written(log: Path, terminal: Terminal) -> None:
    async with opened(log) as reader:
        await pressed(reader, "j", "j")
        reader.screen.view.refresh()
        await still(reader)
        before = terminal.characters
        reader.screen.view.refresh()
        await still(reader)
        assert terminal.characters == before
        await pressed(reader, "k")
        assert 0 < terminal.characters - before < 2_500, "two rows of some 1,000"


async def test_what_another_program_wrote_over_is_drawn_anew_on_demand(log: Path, terminal: Terminal) -> None:
    async with opened(log) as reader:
        await pressed(reader, "j")
        terminal.write("\x1b[3;1H\x1b[2JBroadcast message from root")
        [redraw] = [each for each in reader.app.get_system_commands(reader.app.screen) if each.title == "Redraw"]
        redraw.callback()
        await still(reader)
        assert terminal.cells == whole(reader.app)


async def test_a_toast_that_goes_leaves_what_has_changed_below_it(log: Path, terminal: Terminal) -> None:
    async with opened(log) as reader:
        await pressed(reader, "space")
        reader.app.notify("a toast over the text", timeout=60)
        await still(reader)
        await pressed(reader, "b")
        reader.app.clear_notifications()
        await still(reader)
        assert terminal.cells == whole(reader.app)
        await pressed(reader, "space")
        assert terminal.cells == whole(reader.app)


async def test_a_toast_that_goes_while_another_screen_is_on_top_leaves_nothing(log: Path, terminal: Terminal) -> None:
    async with opened(log) as reader:
        await pressed(reader, "question_mark")
        reader.app.notify("a toast over the text", timeout=60)
        await still(reader)
        before = terminal.cells
        reader.app.clear_notifications()
        await still(reader)
        assert terminal.cells == whole(reader.app) != before


async def test_after_a_resize_to_the_same_size_what_changes_is_written_again(log: Path, terminal: Terminal) -> None:
    async with opened(log) as reader:
        await still(reader)
        reader.screen.view.refresh()
        await still(reader)
        reader.app.screen._screen_resized(reader.app.size)
        before = terminal.characters
        reader.screen.view.refresh()
        await still(reader)
        assert terminal.characters - before > 2_000


async def test_reading_again_draws_all_as_another_program_may_have_written_over_it(
    log: Path, terminal: Terminal
) -> None:
    async with opened(log) as reader:
        await pressed(reader, "space")
        for where in ("a run", "the list"):
            if where == "the list":
                await reader.press("q")
                await reader.listed()
                await still(reader)
            terminal.write("\x1b[1;1H" + "something else " * 200)
            await pressed(reader, "ctrl+r")
            assert terminal.cells == whole(reader.app), where


async def test_where_textual_is_made_otherwise_it_draws_itself(
    log: Path, monkeypatch: pytest.MonkeyPatch, terminal: Terminal
) -> None:
    monkeypatch.setattr(patches, "_OF_COMPOSITOR", ("_renamed",))
    async with opened(log) as reader:
        await pressed(reader, "j", "space", "enter")
        assert not terminal.partly
        assert terminal.cells == whole(reader.app)


def test_pieces_that_a_new_one_lies_over_are_forgotten() -> None:
    shown = Shown()
    assert shown.put(0, 0, 10, "a")
    assert shown.put(10, 0, 10, "b")
    assert not shown.put(0, 0, 10, "a")
    assert shown.put(5, 0, 10, "c")
    assert not shown.put(5, 0, 10, "c")
    assert shown.put(10, 0, 10, "b")
    assert shown.put(0, 0, 10, "a")
    assert shown.put(0, 1, 10, "a"), "another line"
    assert shown.put(0, 0, 8, "a"), "of another width"
    shown.forget()
    assert shown.put(0, 0, 8, "a")


def test_patches_that_know_no_terminal_are_written_whole() -> None:
    update = Patches([(2, 1, Strip.blank(3)), (2, 1, Strip.blank(3))])
    assert update.render_segments(Console()) == "\x1b[2;3H   "
    assert update.render_segments(Console()) == "\x1b[2;3H   "


def test_a_loose_line_is_all_forgotten_where_it_is_wider_than_the_console_is_said_to_be() -> None:
    console, shown = Console(width=4), Shown()

    def written(pieces: list[patches.Piece], *loose: int) -> str:
        update = Patches(pieces, loose)
        update.shown = shown
        return update.render_segments(console)

    beside = (6, 0, Strip([Segment("a")]))
    assert written([beside])
    assert not written([beside])
    assert written([(0, 0, Strip([Segment(CODER[:3] + "   ")], 6)), (6, 0, Strip([Segment("b")]))], 0)
    assert written([beside])


@pytest.mark.parametrize(
    "sign", ["⚠\ufe0f", "👩\u200d💻", "👍🏽", "नम", "🇩🇪", "1\ufe0f\u20e3", "e\u0301", "日"], ids=ascii
)
@pytest.mark.parametrize("cut", [2, 3, 4])
def test_what_stands_behind_a_sign_that_was_cut_is_in_its_place(sign: str, cut: int) -> None:
    line = Strip([Segment(f"ab{sign} "), Segment("cd"), Segment("|")])
    piece = line.crop(min(cut, line.cell_length - 4))
    x = 20 - piece.cell_length
    update = Patches([(x, 0, patches._uncut(piece))], [0])
    screen = pyte.Screen(20, 1)
    pyte.Stream(screen).feed("#" * x + update.render_segments(Console()))
    shown = "".join(cell.data for cell in _cells(screen)[0])
    assert shown.startswith("#" * x)
    assert shown.endswith("cd|")


regions = st.builds(Region, st.integers(0, 9), st.integers(0, 9), st.integers(0, 6), st.integers(0, 6))


def cells(region: Region) -> set[tuple[int, int]]:
    return {(x, y) for y in region.line_range for x in region.column_range}


@given(st.lists(regions, max_size=6))
def test_regions_that_are_taken_apart_are_the_same_cells_once(changed: list[Region]) -> None:
    apart = patches._apart(changed)
    assert sum(region.area for region in apart) == len(set().union(*map(cells, apart)))
    assert set().union(*map(cells, apart)) == set().union(*map(cells, changed))


async def test_characters_of_our_own_are_told_from_loose_ones_without_the_set_of_those(tmp_path: Path) -> None:
    assert not any(re.search(patches._LOOSE, character) for character in patches._OURS)
    patches._loose_in.cache_clear()
    path = write_jsonl(tmp_path / "log.jsonl", [chat("a", "hi", "ho"), chat("b", "hi", "ho")])
    async with make_app(open_corpus(path), Settings(paths=(path,), store=tmp_path)).run_test() as pilot:
        await pilot.pause()
        assert patches._loose_in.cache_info().currsize == 0
    assert patches._is_loose(Strip([Segment("a👩‍🔬b")]))
    assert not patches._is_loose(Strip([Segment("日本 ▌ naïve")]))
