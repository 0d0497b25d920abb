"""Search, selection and copies on the comparison's screen: of the side that the cursor is on."""

from __future__ import annotations

import json
from pathlib import Path

from tests.app.driving import Reader, screen_text
from tests.app.test_app_compare import STEPS, at, compared, comparing, record, runs
from trajview.app.compare.screen import CompareScreen

__all__ = ["runs"]


async def find(reader: Reader, text: str) -> None:
    await reader.press("slash", *text, "enter")
    await reader.until(
        lambda: f"“{text}” " in comparing(reader).status.text and "/…" not in comparing(reader).status.text
    )


def under_cursor(reader: Reader, side: int) -> str:
    """The text of a side on the row of the cursor."""
    found = compared(reader)
    item, number = found.cursor
    laid_out = found.layout(item)
    row = laid_out.rows[number]
    layout, at = (laid_out.left, row.left) if side == 0 else (laid_out.right, row.right)
    return "" if at is None else layout.rows_of_text()[at]


async def test_slash_finds_what_is_folded_away_and_n_goes_on_round_the_end(runs: Path) -> None:
    async with at(runs, "one", "two") as reader:
        assert "Step 3 turns" not in screen_text(reader.app)
        await find(reader, "Step [35]")
        assert "Step 3 turns wheel 3." in under_cursor(reader, 0)
        assert "“Step [35]” 1/2 at the left" in comparing(reader).status.text
        await reader.press("n")
        assert "Step 5 turns wheel 5." in under_cursor(reader, 0)
        await reader.press("n")
        assert "Step 3 turns wheel 3." in under_cursor(reader, 0)
        await reader.press("N")
        assert "Step 5 turns wheel 5." in under_cursor(reader, 0)
        assert "2/2 at the left" in comparing(reader).status.text


async def test_the_search_is_of_the_side_that_is_chosen_and_goes_over_with_it(runs: Path) -> None:
    async with at(runs, "one", "two") as reader:
        await find(reader, "great care")
        assert "“great care” not found at the left" in comparing(reader).status.text
        await reader.press("l")
        await reader.until(lambda: "“great care” 1/1 at the right" in comparing(reader).status.text)
        assert "with great care" in under_cursor(reader, 1)


async def test_escape_ends_the_search_and_n_goes_to_differences_again(runs: Path) -> None:
    async with at(runs, "one", "two") as reader:
        await find(reader, "wheel 2 turned")
        assert compared(reader).unit_row == 2
        await reader.press("escape")
        assert isinstance(reader.app.screen, CompareScreen)
        assert "“" not in comparing(reader).status.text
        await reader.press("n")
        assert "difference 1/1" in comparing(reader).status.text
        assert compared(reader).unit_row == 8


async def test_a_search_works_in_one_column_too_where_what_is_the_same_is_shown_once(runs: Path) -> None:
    async with at(runs, "one", "two", size=(70, 30)) as reader:
        await reader.press("right")
        await find(reader, "wheel 4 turned")
        assert "wheel 4 turned" in under_cursor(reader, 0)
        assert "1/1 at the right" in comparing(reader).status.text
        await find(reader, "great care")
        assert "great care" in under_cursor(reader, 1)


async def test_what_cannot_be_searched_for_is_said_and_an_empty_search_ends_it(runs: Path) -> None:
    async with at(runs, "one", "two") as reader:
        await reader.press("slash", *"role:nobody x", "enter")
        await reader.until(lambda: "nobody" in comparing(reader).status.text)
        assert "“" not in comparing(reader).status.text
        await find(reader, "Mend")
        await reader.press("slash", "enter")
        await reader.until(lambda: "“" not in comparing(reader).status.text)


async def test_matches_in_folded_lines_of_a_message_unfold_it(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    long = "\n".join(f"line {i} of the output" for i in range(200))
    for id, last in (("a", "stopped"), ("b", "broke")):
        (folder / f"{id}.json").write_text(json.dumps(record(id, [("Step 0 turns.", long), ("Step 1 turns.", last)])))
    async with at(folder, "a", "b") as reader:
        assert "line 150 of" not in screen_text(reader.app)
        await find(reader, "line 15\\d of")
        assert "line 150 of the output" in under_cursor(reader, 0)
        for number in range(151, 160):
            await reader.press("n")
            assert f"line {number} of the output" in under_cursor(reader, 0)
        await reader.press("n")
        assert "line 150 of the output" in under_cursor(reader, 0)


async def test_y_copies_the_message_and_the_unit_of_the_chosen_side(runs: Path) -> None:
    async with at(runs, "one", "two") as reader:
        await reader.press("n", "y")
        assert "Step 8 turns wheel 8.\n" in reader.app.clipboard
        assert "of the left as Markdown" in comparing(reader).status.text
        await reader.press("l", "y")
        assert reader.app.clipboard.startswith("Step 8 turns wheel 8 with great care.")
        await reader.press("Y")
        assert "#### tool\n\n```\nwheel 8 turned" in reader.app.clipboard
        assert "copied unit 8 of the right" in comparing(reader).status.text


async def test_y_says_where_the_chosen_side_has_nothing(runs: Path) -> None:
    async with at(runs, "one", "three") as reader:
        await reader.press("G", "k", "k", "l", "y")
        assert "there is no message at the right here" in comparing(reader).status.text
        await reader.press("Y")
        assert "there is no unit at the right here" in comparing(reader).status.text
        await reader.press("left", "y")
        assert "of the left as Markdown" in comparing(reader).status.text


async def test_selected_rows_are_copied_of_one_side_without_what_stands_beside(runs: Path) -> None:
    async with at(runs, "one", "two") as reader:
        await reader.press("n", "j", "l", "J", "J", "J", "y")
        copied = reader.app.clipboard
        assert "with great care." in copied
        assert "Step 8 turns wheel 8.\n" not in copied
        assert not any(sign in copied for sign in "│≠❯")
        await reader.press("escape")
        assert isinstance(reader.app.screen, CompareScreen)
        assert not comparing(reader).selections
        await reader.press("escape")
        assert reader.app.screen is reader.app.browser


async def test_the_mouse_selects_text_of_the_side_that_it_began_on(runs: Path) -> None:
    async with at(runs, "one", "two", size=(120, 40)) as reader:
        view = comparing(reader).view
        lines = [view.render_line(y).text for y in range(view.size.height)]
        y = next(y for y, line in enumerate(lines) if "with great care." in line)
        x = lines[y].index("Step 8 turns wheel 8 with")
        await reader.pilot.mouse_down(view, offset=(x, y))
        await reader.pilot.hover(view, offset=(x + len("Step 8"), y))
        await reader.pilot.mouse_up(view, offset=(x + len("Step 8"), y))
        await reader.pilot.pause()
        assert compared(reader).side == 1
        await reader.press("y")
        assert reader.app.clipboard in ("Step 8", "Step 8 ")


async def test_everything_can_be_pressed_with_a_search_on(runs: Path) -> None:
    assert len(STEPS) == 12
    async with at(runs, "one", "three") as reader:
        await find(reader, "turn")
        view = comparing(reader).view
        for key in (
            "n",
            "n",
            "N",
            "z",
            "n",
            "z",
            "N",
            "vertical_line",
            "n",
            "o",
            "n",
            "l",
            "n",
            "G",
            "n",
            "g",
            "N",
            "J",
            "K",
            "tab",
        ):
            await reader.press(key)
            assert {view.render_line(y).cell_length for y in range(view.size.height)} == {view.size.width}


async def test_the_map_shows_where_matches_are_until_the_search_ends(runs: Path) -> None:
    async with at(runs, "one", "two") as reader:
        minimap = comparing(reader).minimap

        def colours() -> set[object]:
            strips = [minimap.render_line(y) for y in range(minimap.size.height)]
            return {
                segment.style.color for strip in strips for segment in strip if segment.text == "▪" and segment.style
            }

        before = colours()
        assert len(before) == 1
        await find(reader, "wheel [25] turned")
        assert len(colours() - before) == 1
        await reader.press("escape")
        assert colours() == before
