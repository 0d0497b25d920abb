"""Scoring an episode by keyboard: quick keys, reasons, copying, submitting on and on, and the keys that it takes."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual import events

from benchmarks.keystrokes import FIRST, SECOND, WHY, keys_of_an_episode
from trajview.annotation.rubric import SOTOPIA, Band, Dimension, Rubric
from trajview.annotation.store import AnnotationStore
from trajview.app.annotate.fields import ReasoningText
from trajview.app.annotate.score_table import ScoreTable
from trajview.app.transcript.screen import TranscriptScreen

from .driving import key_event, reading, records, settled
from .logs import episode
from .test_annotation_panel import Driver, driving


@pytest.fixture
def episodes(tmp_path: Path) -> Path:
    folder = tmp_path / "episodes"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.json").write_text(json.dumps(episode(name)))
    return folder


async def burst(panel: Driver, keys: Sequence[str]) -> None:
    """All keys at once, as over a slow connection."""
    for key in keys:
        panel.app.post_message(key_event(key))
    await settled(panel.pilot)
    await panel.settle()


def said(panel: Driver) -> tuple[object, ...]:
    return panel.at, panel.grid.values, panel.grid.rationales, panel.panel.texts


@pytest.mark.parametrize("seed", range(2))
async def test_keys_that_come_all_at_once_do_what_they_do_one_by_one(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    moves = ["up", "down", "tab", "shift+tab", "enter", "quotation_mark", "left", "right", "equals_sign"]
    keys = [
        chance.choice([*moves, *"0123456789ab", "minus", "backspace", "space", "delete", "home", "shift+left"])
        for _ in range(100)
    ]
    found = []
    for name, at_once in (("one", False), ("all", True)):
        async with driving(tmp_path / name) as panel:
            await panel.open()
            if at_once:
                await burst(panel, keys)
            else:
                await panel.press(*keys)
            found.append(said(panel))
    assert found[0] == found[1], keys


async def test_a_reason_is_written_beside_its_score_and_submitted(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        await burst(
            panel, ["8", "quotation_mark", *"kind", "enter", "minus", "2", "quotation_mark", *"rude", "tab", "5"]
        )
        assert panel.at == ("relationship", 1)
        assert panel.value("relationship") == "-2"
        assert panel.value("relationship", 1) == "5"
        assert panel.grid.rationale(panel.place("believability")) == "kind"
        assert panel.grid.rationale(panel.place("relationship")) == "rude"
        await panel.press("shift+tab", "quotation_mark", "home", "v", "e", "r", "y", "space", "escape")
        panel.panel.focus_fields()
        assert panel.at == "RationaleText"
        await panel.press("up")
        assert panel.at == ("relationship", 0)
        assert [line.endswith('"') for line in panel.table[1:3]] == [False, False]
        assert sum('"' in line for line in panel.table) == 2
        await panel.submit()
        assert not panel.panel.dirty
    reasoning = json.loads(next(tmp_path.glob("AnnotationForEpisode/*.json")).read_text())["reasoning"]
    assert "Agent 1 comments:\nbelievability: kind\nrelationship: very rude\n" in reasoning
    async with driving(tmp_path) as panel:
        await panel.open()
        assert panel.grid.rationale(panel.place("relationship")) == "very rude"
        assert not panel.panel.dirty


async def test_a_reason_is_one_line_however_it_is_pasted(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        await panel.press("quotation_mark")
        panel.app.post_message(events.Paste("one\ntwo\r\nthree\u2028four"))
        await panel.pilot.pause()
        await panel.press("down")
        assert panel.grid.rationale(panel.place("believability")) == "one two three four"
        assert panel.at == ("relationship", 0)


async def test_a_reason_of_a_record_is_not_typed_by_being_shown(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        panel.grid.explain(panel.place("believability"), "odd\x0bline\u2028breaks ")
        await panel.press("down", "up", "quotation_mark", "up")
        assert panel.grid.rationale(panel.place("believability")) == "odd\x0bline\u2028breaks "


async def test_copying_says_what_it_did(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        await burst(panel, ["7", "down", "3", "tab", "1", "equals_sign"])
        assert panel.guidance[0] == "1 score copied from those of Samuel Anderson; = again replaces 1 more"
        assert [panel.value("believability", 1), panel.value("relationship", 1)] == ["7", "1"]
        await panel.press("equals_sign")
        assert panel.value("relationship", 1) == "3"


async def test_the_guidance_shows_the_band_and_takes_more_space_when_asked(tmp_path: Path) -> None:
    async with driving(tmp_path, (60, 21)) as panel:
        await panel.open()
        await panel.type("5")
        assert any(line.startswith("▸ 4..6") for line in panel.guidance)
        few = len(panel.guidance)
        await panel.press("question_mark")
        await panel.pilot.pause()
        assert len(panel.guidance) > few
        assert any("5▏" in line for line in panel.table), "the cursor stays in view"
        await panel.press("question_mark")
        await panel.pilot.pause()
        assert len(panel.guidance) == few


async def test_scores_that_are_missing_are_pointed_out_before_they_are_left_out(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        await panel.type("5", "1")
        await panel.press("tab", "tab", "w", "ctrl+s")
        assert panel.state == "not submitted: 12 scores are empty; the same key again submits without them"
        assert panel.at == ("knowledge", 0)
        await panel.keep()
        assert "12 scores are empty" in panel.state
        await panel.type("3")
        await panel.press("ctrl+s")
        assert "11 scores are empty" in panel.state
        await panel.press("f2")
        await panel.settle()
        assert panel.state.startswith("submitted ✓")


@pytest.mark.parametrize("key", ["ctrl+s", "ctrl+enter", "ctrl+j", "f2"])
async def test_submitting_from_inside_the_text_opens_the_next_run(episodes: Path, tmp_path: Path, key: str) -> None:
    store = tmp_path / "store"
    async with reading(episodes, store=store, run="a") as reader:
        await reader.opened("a")
        await reader.listed_behind()
        await reader.annotate()
        await reader.press(*keys_of_an_episode("so")[:-1], key)
        await reader.opened("b")
        await reader.annotating()
        assert reader.state.startswith("not started · ")
        assert "submitted ✓" in reader.state
        assert set(reader.values.values()) == {""}
        assert reader.reasoning.text == ""
        await reader.press("7")
        assert reader.values[0, "believability"] == "7"
    assert len(records(store)) == 1


async def test_submitting_passes_over_what_is_annotated_and_says_when_it_is_the_last(
    episodes: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    AnnotationStore(store, "ada").save("b", SOTOPIA, [(6.0, {"goal": 6.0}), 0.0], "")
    async with reading(episodes, store=store, run="a") as reader:
        await reader.opened("a")
        await reader.listed_behind()
        await reader.annotate()
        await reader.press(*keys_of_an_episode("so"))
        await reader.opened("c")
        await reader.annotating()
        await reader.press(*keys_of_an_episode("so"))
        await reader.until(lambda: reader.state.endswith("all are done"))
        assert reader.state.startswith("submitted ✓")
        await reader.press("1")
        await reader.until(lambda: reader.state.startswith("draft saved"))
        assert reader.state.endswith("changes not submitted")
    assert len(records(store)) == 3


async def test_keys_between_two_runs_are_for_the_next(episodes: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    async with reading(episodes, store=store, run="a") as reader:
        await reader.opened("a")
        await reader.listed_behind()
        await reader.annotate()
        for key in (*keys_of_an_episode(), "q", "g", "9"):
            reader.app.post_message(key_event(key))
        await reader.opened("b")
        await reader.annotating()
        assert isinstance(reader.app.screen, TranscriptScreen)
        await reader.until(lambda: reader.values[0, "goal"] == "9", "what was typed ahead is in its field")
        assert [value for value in reader.values.values() if value] == ["9"]
    (record,) = records(store)
    assert AnnotationStore(store, "ada").statuses() == {"a": "annotated", "b": "draft"}
    assert json.loads(record.read_text())["rewards"][0][1]["believability"] == float(FIRST[0])


async def test_undo_shows_what_is_typed_now_where_the_cursor_was(episodes: Path, tmp_path: Path) -> None:
    async with reading(episodes, store=tmp_path / "store", run="a") as reader:
        await reader.opened("a")
        await reader.listed_behind()
        await reader.annotate()
        await reader.press("7", "down")
        await reader.until(lambda: reader.state.startswith("draft saved"))
        await reader.press("3", "tab", "5", "ctrl+z")
        await reader.until(lambda: reader.values[1, "relationship"] == "")
        await reader.annotating()
        assert reader.values[0, "believability"] == "7"
        await reader.press("4")
        assert reader.values[1, "relationship"] == "4"


async def test_a_next_run_that_cannot_be_opened_leaves_the_keys_alive(episodes: Path, tmp_path: Path) -> None:
    async with reading(episodes, store=tmp_path / "store", run="a") as reader:
        await reader.opened("a")
        await reader.listed_behind()
        await reader.annotate()
        (episodes / "b.json").unlink()
        await reader.press(*keys_of_an_episode("so"))
        await reader.until(lambda: reader.screen.has_class("-failed"))
        await reader.press("L")
        await reader.opened("c")
        await reader.annotate()
        await reader.press("7")
        assert reader.values[0, "believability"] == "7"
        await reader.press("ctrl+p")
        await reader.until(lambda: reader.screen.has_class("-failed"))
        await reader.press("H")
        await reader.opened("a")
        await reader.annotate()
        assert reader.state.startswith("submitted ✓")
        await reader.press("3")
        assert reader.values[0, "believability"] == "3"


async def test_what_is_typed_between_two_runs_is_for_the_next(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        panel.app.stays = False
        await panel.open()
        await panel.press(*keys_of_an_episode("so")[:-1], "enter", "w")
        await panel.press("ctrl+s")
        await panel.settle()
        assert panel.state.startswith("submitted ✓")
        await panel.press("x", "9", "enter", "7")
        assert not panel.panel.dirty
        await panel.open("e2")
        assert panel.at == ("relationship", 0)
        assert panel.grid.values == [{"believability": "9", "relationship": "7"}, {}]
        assert panel.panel.query_one(ReasoningText).text == ""


async def test_escape_leaves_the_panel_beside_the_transcript(episodes: Path, tmp_path: Path) -> None:
    async with reading(episodes, store=tmp_path / "store", run="a") as reader:
        await reader.opened("a")
        await reader.annotate()
        await reader.press("7", "tab", "s")
        for key in ("escape", "right_square_bracket"):
            reader.app.post_message(key_event(key))
        await reader.until(lambda: reader.unit == 1)
        assert reader.app.focused is reader.screen.view
        assert reader.screen.has_class("-annotating")
        await reader.press("a", "minus", "2")
        assert reader.values[1, "secret"] == "-2"
        await reader.press("escape", "escape")
        assert not reader.screen.has_class("-annotating")


async def test_keys_of_the_transcript_scroll_it_from_the_table_but_letters_do_not(
    episodes: Path, tmp_path: Path
) -> None:
    async with reading(episodes, store=tmp_path / "store", run="a", size=(120, 14)) as reader:
        await reader.opened("a")
        await reader.annotate()
        await reader.press("right_square_bracket")
        assert reader.unit == 1
        await reader.press("n", "q", "H", "L", "x")
        assert reader.unit == 1
        assert isinstance(reader.app.focused, ScoreTable)
        assert set(reader.values.values()) == {""}


async def test_active_time_goes_into_the_journal(
    episodes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr("trajview.app.annotate.work.monotonic", lambda: now)
    store = tmp_path / "store"
    async with reading(episodes, store=store, run="a") as reader:
        await reader.opened("a")
        await reader.listed_behind()
        await reader.annotate()
        await reader.press("7")
        now += 20
        await reader.press("escape")
        now += 10
        await reader.press("right_square_bracket")
        now += 5000
        await reader.press("a", *keys_of_an_episode("so"))
        await reader.opened("b")
        await reader.annotating()
        now += 7
        await reader.press("1")
        now += 1
    progress = AnnotationStore(store, "ada").progress()
    assert progress["a"].seconds == pytest.approx(20 + 10 + 60, abs=0.2)
    assert progress["b"].seconds == pytest.approx(1, abs=0.2)


async def test_scores_of_the_episode_have_one_cell_and_stand_at_every_agent(tmp_path: Path) -> None:
    rubric = Rubric(
        "mixed",
        (
            Dimension("fun", 0, 10, True, per="episode", bands=(Band(0, 5, "dull"), Band(6, 10, "fun"))),
            Dimension("care", -2, 2),
            Dimension("unit_score", 0, 1, scope="unit"),
        ),
    )
    async with driving(tmp_path) as panel:
        await panel.open(rubric=rubric)
        assert not any("unit" in line for line in panel.table)
        await panel.type("8", "0.5", "-1", "")
        assert panel.at == "ReasoningText"
        assert len([line for line in panel.table if line.startswith("fun")]) == 1
        await panel.press("ctrl+s")
        await panel.settle()
    (record,) = (json.loads(path.read_text()) for path in tmp_path.glob("AnnotationForEpisode/*.json"))
    assert record["rewards"] == [[4.25, {"fun": 8.0, "care": 0.5}], [3.5, {"fun": 8.0, "care": -1.0}]]


@pytest.mark.parametrize("agents", [3, 5])
async def test_more_than_two_agents_stand_one_under_the_other(tmp_path: Path, agents: int) -> None:
    names = tuple(f"Agent{index}" for index in range(agents))
    async with driving(tmp_path, (44, 30)) as panel:
        await panel.open(agents=names)
        await panel.type(*["0"] * 7)
        assert panel.at == ("goal", 0)
        await panel.press("enter")
        assert panel.at == ("believability", 1)
        await panel.press("tab", "equals_sign")
        assert panel.at == ("believability", 2)
        assert any(line == "Agent2" for line in panel.table), panel.table
        assert any("▏" in line for line in panel.table)


def test_an_episode_takes_as_many_keys_as_the_guide_says() -> None:
    keys = keys_of_an_episode()
    typed = len(keys) - len(WHY)
    guide = (Path(__file__).parents[2] / "docs" / "annotating.md").read_text(encoding="utf-8")
    assert f"{typed} keys" in guide
    assert len(FIRST) == len(SECOND) == 7


async def test_those_keys_score_an_episode_in_full(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        await panel.press(*keys_of_an_episode())
        await panel.settle()
        assert panel.state.startswith("submitted ✓")
    (record,) = (json.loads(path.read_text()) for path in tmp_path.glob("AnnotationForEpisode/*.json"))
    names = [dimension.name for dimension in SOTOPIA.dimensions]
    assert [reward[1] for reward in record["rewards"]] == [
        dict(zip(names, map(float, scores), strict=True)) for scores in (FIRST, SECOND)
    ]
    assert f": {WHY}\n" in record["reasoning"]
