"""Comparing two runs in the viewer: from the list and from the command line, and what the keys do there."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event
from time import sleep
from typing import Any

import pytest
from textual.events import MouseDown, MouseUp

from tests.app.driving import Reader, burst, reading, screen_text, until
from trajview.app.app import make_app
from trajview.app.compare.comparison import Comparison
from trajview.app.compare.screen import CompareScreen
from trajview.app.compare.view import CompareMap
from trajview.app.help import HelpScreen
from trajview.app.runs.screen import BrowserScreen
from trajview.app.shared.status_line import StatusLine
from trajview.app.transcript.screen import TranscriptScreen
from trajview.compare.alignment import Alignment, align
from trajview.config import Settings
from trajview.corpus.corpus import Corpus
from trajview.models.transcript import Transcript

STEPS = [(f"Step {i} turns wheel {i}.", f"wheel {i} turned") for i in range(12)]


def record(id: str, steps: Sequence[tuple[str, str]], **more: Any) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Mend the clock."}]
    for number, (said, output) in enumerate(steps):
        call = {"id": f"{id}{number}", "function": "bash", "arguments": {"command": f"turn {said.split()[1]}"}}
        messages += [
            {"role": "assistant", "content": said, "tool_calls": [call], "model": more.get("model")},
            {"role": "tool", "content": output, "tool_call_id": f"{id}{number}"},
        ]
    rewards = [more["reward"]] if "reward" in more else None
    metadata = {"task": "clock", "attempt": id}
    return {
        "id": id,
        "name": f"clock {id}",
        "transcripts": [{"messages": messages}],
        "rewards": rewards,
        "metadata": metadata,
    }


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Three attempts at one task: they begin alike, differ in the words of a step, and end otherwise."""
    folder = tmp_path / "runs"
    folder.mkdir()
    changed = ("Step 8 turns wheel 8 with great care.", "wheel 8 turned")
    for record_ in (
        record("one", STEPS, reward=1.0, model="owl-2"),
        record("two", [*STEPS[:8], changed, *STEPS[9:]], reward=0.25, model="hen-1"),
        record("three", STEPS[:4], reward=0.0),
    ):
        (folder / f"{record_['id']}.json").write_text(json.dumps(record_))
    return folder


def comparing(reader: Reader) -> CompareScreen:
    screen = reader.app.screen
    assert isinstance(screen, CompareScreen), screen
    return screen


def compared(reader: Reader) -> Comparison:
    found = comparing(reader).comparison
    assert found is not None
    return found


async def aligned(reader: Reader) -> None:
    """The comparison is on the screen."""
    await reader.until(
        lambda: (
            isinstance(reader.app.screen, CompareScreen)
            and reader.app.screen.is_mounted
            and (reader.app.screen.comparison is not None or reader.app.screen.has_class("-failed"))
        )
    )


@asynccontextmanager
async def at(
    folder: Path, left: str, right: str, size: tuple[int, int] = (120, 40), **settings: Any
) -> AsyncIterator[Reader]:
    """The app, opened on a comparison, as the command line does."""
    corpus = Corpus([folder])
    corpus.scan()
    app = make_app(corpus, Settings(paths=(folder,), store=folder.parent / "store", annotator="ada", **settings))
    infos = corpus.find(left), corpus.find(right)
    assert infos[0] is not None
    assert infos[1] is not None
    app.compare = (infos[0], infos[1])
    async with app.run_test(size=size, notifications=True) as pilot:
        reader = Reader(app, pilot)
        await aligned(reader)
        yield reader


# From the list


async def test_a_marked_run_is_compared_with_the_one_under_the_cursor(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        await reader.press("m")
        assert reader.app.browser.table.render_line(1).text.startswith("▌◆")
        await reader.press("j", "D")
        await aligned(reader)
        assert [info.id for info in comparing(reader).infos] == ["one", "three"]
        assert "Marked:" not in reader.whole_screen


async def test_two_marked_runs_are_compared_wherever_the_cursor_is_and_the_first_is_left(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        await reader.press("G", "m", "g", "m", "j", "D")
        await aligned(reader)
        assert [info.id for info in comparing(reader).infos] == ["two", "one"]
        await reader.press("q")
        await reader.listed()
        assert [row.startswith("◆") for row in reader.rows] == [True, False, True]


async def test_a_third_mark_takes_the_place_of_the_first_and_m_takes_a_mark_away(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        await reader.press("m", "j", "m", "j", "m")
        assert [row.startswith("◆") for row in reader.rows] == [False, True, True]
        await reader.press("m")
        assert [row.startswith("◆") for row in reader.rows] == [False, True, False]


async def test_without_a_second_run_it_says_what_to_do(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        await reader.press("D")
        assert "mark one with m, and go to another" in reader.toasts[-1]
        await reader.press("m", "D")
        assert "go to another run" in reader.toasts[-1]
        assert reader.app.screen is reader.app.browser


# The screen


async def test_it_opens_where_they_part_ways_with_what_is_known_of_both_above(runs: Path) -> None:
    async with at(runs, "one", "two") as reader:
        shown = screen_text(reader.app)
        for text in ("clock one", "clock two", "reward", "0.25", "owl-2", "hen-1", "attempt", "with great care."):
            assert text in shown
        assert "task" not in shown
        assert "⋯ units 0 to 6: the same" in shown
        status = comparing(reader).status.text
        assert "difference 0/1" in status
        assert "the first 8 units the same" in status


async def test_both_sides_of_a_row_say_the_same_or_differ(runs: Path) -> None:
    async with at(runs, "one", "two") as reader:
        view = comparing(reader).view
        lines = [view.render_line(y).text for y in range(view.size.height)]
        assert {len(line) for line in lines} == {view.size.width}
        found = next(line for line in lines if "with great care." in line)
        assert "Step 8 turns wheel 8." in found
        assert "≠" in found


async def test_n_goes_to_the_next_difference_and_says_when_there_is_none(runs: Path) -> None:
    async with at(runs, "one", "two") as reader:
        await reader.press("n")
        assert compared(reader).unit_row == 8
        assert "difference 1/1" in comparing(reader).status.text
        await reader.press("n")
        assert "last difference" in comparing(reader).status.text
        await reader.press("N")
        assert "first difference" in comparing(reader).status.text
        await reader.press("right_square_bracket")
        assert compared(reader).unit_row == 9
        await reader.press("left_square_bracket", "left_square_bracket")
        assert compared(reader).unit_row == 7


async def test_enter_opens_the_run_of_the_chosen_side_at_the_unit_and_q_comes_back(runs: Path) -> None:
    async with at(runs, "one", "two") as reader:
        for key, id in (("left", "one"), ("right", "two")):
            await reader.press("n", key, "enter")
            await reader.opened(id)
            assert reader.unit == 8
            assert "named on the command line" not in reader.text
            await reader.press("q")
            await aligned(reader)
            assert compared(reader).unit_row == 8
        await reader.press("q")
        assert reader.app.screen is reader.app.browser


async def test_folds_open_and_levels_change(runs: Path) -> None:
    async with at(runs, "one", "two") as reader:
        count = compared(reader).count
        await reader.press("o")
        assert compared(reader).count > count
        assert "Mend the clock." in screen_text(reader.app)
        await reader.press("z")
        assert "long texts folded" in comparing(reader).status.text
        await reader.press("z", "z")
        assert compared(reader).count == count


async def test_a_bar_puts_one_below_the_other_and_back(runs: Path) -> None:
    async with at(runs, "one", "two") as reader:
        await reader.press("vertical_line")
        shown = screen_text(reader.app)
        assert "reward   1 → 0.25" in shown
        left = next(line for line in shown.splitlines() if "Step 8 turns wheel 8." in line)
        assert "great care" not in left
        await reader.press("vertical_line")
        assert "1 → 0.25" not in screen_text(reader.app)


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (200, 50)])
async def test_every_key_does_something_sensible_at_every_size(runs: Path, size: tuple[int, int]) -> None:
    async with at(runs, "one", "three", size=size) as reader:
        view = comparing(reader).view
        for key in (
            "j",
            "d",
            "space",
            "G",
            "k",
            "u",
            "b",
            "g",
            "n",
            "]",
            "N",
            "[",
            "o",
            "z",
            "vertical_line",
            "i",
            "n",
            "left",
        ):
            await reader.press({"]": "right_square_bracket", "[": "left_square_bracket"}.get(key, key))
            assert {view.render_line(y).cell_length for y in range(view.size.height)} == {view.size.width}
        assert "only left" in comparing(reader).status.text or size[0] < 100


async def test_t_compares_the_next_transcripts_and_enter_opens_the_run_there(tmp_path: Path) -> None:
    def transcripts(*last: str) -> list[dict[str, Any]]:
        return [
            {
                "messages": [
                    {"role": role, "content": text} for role, text in zip(("user", "assistant"), said, strict=False)
                ]
            }
            for said in (("Hello.", "Good day."), *((text, "Certainly.") for text in last))
        ]

    runs = tmp_path / "runs"
    runs.mkdir()
    for id, last in (("a", ("Mend it.",)), ("b", ("Paint it.", "Sell it."))):
        (runs / f"{id}.json").write_text(json.dumps({"id": id, "transcripts": transcripts(*last)}))
    async with at(runs, "a", "b") as reader:
        assert "transcript 1/3" in comparing(reader).status.text
        assert "both say the same" in comparing(reader).status.text
        await reader.press("tab")
        await reader.until(lambda: "transcript 2/3" in comparing(reader).status.text)
        assert "Paint it." in screen_text(reader.app)
        await reader.press("tab")
        await reader.until(lambda: "transcript 3/3" in comparing(reader).status.text)
        assert "only right" in comparing(reader).status.text
        await reader.press("enter")
        await reader.opened("b")
        await reader.until(lambda: "Sell it." in reader.text)


async def test_very_large_messages_are_compared_in_a_thread_and_then_shown(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    lines = [f"wheel {i} turned as it should" for i in range(8_000)]
    for id, word in (("a", "stopped"), ("b", "broke")):
        said = "\n".join([*lines[:5_000], f"wheel 5000 {word} after a while", *lines[5_000:]])
        (runs / f"{id}.json").write_text(json.dumps(record(id, [("Step 0 turns all.", said)])))
    async with at(runs, "a", "b") as reader:
        await reader.until(lambda: "5000 stopped" in screen_text(reader.app))
        assert "5000 broke" in screen_text(reader.app)
        await reader.press("n")
        await reader.press("o")
        await reader.until(lambda: "wheel 3 turned" in screen_text(reader.app))


async def test_a_run_beside_itself_has_no_difference(runs: Path) -> None:
    async with at(runs, "one", "one") as reader:
        await reader.press("n")
        assert "both say the same" in comparing(reader).status.text
        assert "there is no difference" in comparing(reader).status.text


async def test_a_run_that_is_gone_is_said_and_the_way_back_is_open(runs: Path) -> None:
    corpus = Corpus([runs])
    corpus.scan()
    app = make_app(corpus, Settings(paths=(runs,), store=runs.parent / "store"))
    infos = corpus.find("one"), corpus.find("two")
    assert infos[0] is not None
    assert infos[1] is not None
    app.compare = (infos[0], infos[1])
    (runs / "two.json").unlink()
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, CompareScreen) and app.screen.has_class("-failed"))
        assert "two.json" in screen_text(app)
        await pilot.press("n", "j", "enter", "vertical_line", "z", "o", "i", "left")
        await pilot.press("q")
        await until(pilot, lambda: app.screen is app.browser)


async def test_in_blind_mode_nothing_is_told_that_would_bias(runs: Path) -> None:
    async with at(runs, "one", "two", blind=True) as reader:
        await reader.press("i")
        shown = screen_text(reader.app)
        for told in ("0.25", "owl-2", "hen-1", "reward"):
            assert told not in shown
        assert "attempt" in shown


async def test_leaving_while_it_is_aligned_ends_that(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": f"{i} {i * i}"} for i in range(20_000)]
    for id in ("a", "b"):
        (tmp_path / f"{id}.json").write_text(
            json.dumps({"id": id, "messages": [*messages, {"role": "user", "content": id}]})
        )
    corpus = Corpus([tmp_path])
    corpus.scan()
    app = make_app(corpus, Settings(paths=(tmp_path,), store=tmp_path / "store"))
    infos = corpus.find("a"), corpus.find("b")
    assert infos[0] is not None
    assert infos[1] is not None
    app.compare = (infos[0], infos[1])
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, CompareScreen) and app.screen.is_mounted)
        await pilot.press("q")
        await until(pilot, lambda: app.screen is app.browser)
        await until(pilot, lambda: not [worker for worker in app.workers if worker.group == "align"])


async def test_help_lists_the_keys_and_the_map_jumps(runs: Path) -> None:
    async with at(runs, "one", "two", size=(120, 20)) as reader:
        await reader.press("z", "z")
        minimap = comparing(reader).query_one(CompareMap)
        x, y = minimap.region.x, minimap.region.bottom - 1
        for event in (MouseDown, MouseUp):
            minimap.post_message(
                event(minimap, 0, minimap.size.height - 1, 0, 0, 1, False, False, False, screen_x=x, screen_y=y)
            )
        await reader.until(lambda: compared(reader).top > (0, 0))
        await reader.press("question_mark")
        await reader.until(lambda: isinstance(reader.app.screen, HelpScreen))
        assert "next difference" in screen_text(reader.app)


async def test_a_fold_is_opened_with_the_mouse_and_the_side_chosen(runs: Path) -> None:
    async with at(runs, "one", "two") as reader:
        view = comparing(reader).view
        count = compared(reader).count
        await reader.pilot.click(view, offset=(100, 0))
        await reader.pilot.pause()
        assert compared(reader).count > count
        assert compared(reader).side == 1
        assert not isinstance(reader.app.screen, TranscriptScreen)


async def test_it_says_how_far_it_is_and_which_key_gives_up(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    say = StatusLine.say

    def listen(line: StatusLine, parts: Sequence[str], *more: str) -> None:
        said.extend(parts)
        say(line, parts, *more)

    monkeypatch.setattr(StatusLine, "say", listen)
    async with at(runs, "one", "two"):
        assert said[:2] == ["reading both runs…", "q gives up"]
        assert "reading the left run…" in said
        shares = [text for text in said if text.startswith("aligning both runs… ")]
        assert shares[0] == "aligning both runs… 0%"
        assert len(shares) > 1


async def test_q_ends_the_work_of_a_comparison_that_takes_long(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = Event(), Event()

    def endless(_left: Transcript, _right: Transcript, check: Callable[[], None], _: object) -> Alignment:
        begun.set()
        try:
            while True:
                check()
                sleep(0.001)
        finally:
            ended.set()

    monkeypatch.setattr("trajview.app.compare.screen.align", endless)
    async with reading(runs) as reader:
        await reader.listed()
        await reader.press("m", "j", "D")
        await reader.until(begun.is_set)
        await reader.press("q")
        await reader.until(lambda: isinstance(reader.app.screen, BrowserScreen))
        await reader.until(ended.is_set)


async def test_keys_typed_while_both_runs_are_read_are_for_their_comparison(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_read = Event()

    def align_when_read(*given: Any) -> Alignment:
        is_read.wait(20)
        return align(*given)

    monkeypatch.setattr("trajview.app.compare.screen.align", align_when_read)
    async with reading(runs) as reader:
        await reader.listed()
        await reader.press("m", "G")
        burst(reader, ["D", "n", "right_square_bracket"])
        await reader.until(lambda: reader.app.keys.held == 2)
        is_read.set()
        await aligned(reader)
        await reader.until(lambda: compared(reader).unit_row == 9)


async def test_keys_typed_for_a_comparison_that_does_not_come_are_dropped_and_that_is_said(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        await reader.press("m", "G")
        (runs / "two.json").unlink()
        burst(reader, ["D", "n", "n"])
        await aligned(reader)
        await reader.until(lambda: any("typed ahead is dropped" in toast for toast in reader.toasts))
