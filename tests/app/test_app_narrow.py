"""Small and large terminals: everything works at 60x20, panels fold away at 80 columns, nothing is lost at 20x6."""

from __future__ import annotations

from pathlib import Path

import pytest

from trajview.app.help import HelpScreen

from .driving import reading

SIZES = [(60, 20), (80, 24), (120, 40), (200, 50)]


@pytest.mark.parametrize("size", SIZES)
async def test_a_run_is_found_read_searched_and_rated_at_every_size(
    size: tuple[int, int], runs: Path, tmp_path: Path
) -> None:
    async with reading(runs, size=size, store=tmp_path / "store") as reader:
        await reader.listed()
        assert "The cold kettle" in reader.whole_screen
        await reader.ask("ampersand", "kettle")
        await reader.open("enter")
        assert "You repair kettles." in reader.text
        await reader.ask("slash", "fuse is")
        await reader.until(lambda: "“fuse is” 1/1" in reader.status)
        assert "The fuse is fine" in reader.text
        await reader.press("escape", "i")
        await reader.until(lambda: "role: assistant" in reader.whole_screen)
        await reader.press("escape")
        await reader.press("a")
        await reader.annotating()
        await reader.until(lambda: "0..1" in reader.whole_screen or size[0] < 70)
        await reader.type("0.5")
        assert "0.5" in reader.whole_screen
        await reader.save()
        assert "submitted ✓" in reader.whole_screen
        assert "The fuse" in reader.whole_screen, "the transcript stays beside the panel"
        lines = reader.whole_screen.splitlines()
        assert len(lines) == size[1]


async def test_the_outline_folds_away_where_there_is_no_room_and_comes_when_asked_for(log: Path) -> None:
    async with reading(log, size=(80, 24)) as reader:
        await reader.opened()
        assert not reader.screen.query_one("#left").display
        assert reader.screen.view.size.width >= 78
        await reader.press("O")
        await reader.until(lambda: reader.screen.query_one("#left").display)
        assert "The kettle stays" in reader.text
        await reader.press("O")
        await reader.until(lambda: not reader.screen.query_one("#left").display)
        await reader.pilot.resize_terminal(120, 40)
        await reader.until(lambda: reader.screen.view.size.width > 70)


async def test_help_scrolls_to_its_end_on_a_small_screen(log: Path) -> None:
    async with reading(log, size=(60, 20)) as reader:
        await reader.opened()
        await reader.press("question_mark")
        await reader.until(lambda: isinstance(reader.app.screen, HelpScreen))
        for _ in range(12):
            await reader.press("space")
        assert "Escape closes this" in reader.whole_screen


@pytest.mark.parametrize("size", [(20, 6), (10, 3), (1, 1)])
async def test_a_tiny_terminal_is_no_reason_to_fail(size: tuple[int, int], log: Path, tmp_path: Path) -> None:
    async with reading(log, size=size, store=tmp_path / "store") as reader:
        await reader.opened()
        await reader.press("]", "G", "g", "z", "i", "i", "O", "v", "q", "question_mark", "escape", "a", "escape")
        await reader.pilot.resize_terminal(80, 24)
        await reader.until(lambda: "The cold kettle" in reader.whole_screen)
        await reader.until(lambda: any(line.strip() for line in reader.lines))
