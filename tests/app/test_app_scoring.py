"""Scores, notes and marks on units in the whole app: typed, shown, on disk, and there again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from textual.widgets import Input

from trajview.annotation.store import AnnotationStore

from .driving import Reader, reading, records
from .logs import chat, write_jsonl

# The repair: 12 messages in units [0], [1-3], [4, 5], [6-8], [9], [10, 11].


def kept(store: Path) -> dict[str, Any]:
    """What the only record of notes says."""
    [path] = store.glob("units/*/*.json")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


async def scored(reader: Reader, text: str) -> None:
    """Score the unit under the cursor, and wait until it is written."""
    await reader.press("S")
    await reader.type(text)
    await reader.press("enter")
    await written(reader)


async def written(reader: Reader) -> None:
    await reader.until(lambda: reader.screen.unit_scorer.settled, "it is written")


def outline(reader: Reader) -> list[str]:
    return [reader.screen.outline.render_line(y).text.strip() for y in range(6)]


async def test_s_scores_a_unit_which_the_outline_and_its_header_show(log: Path, tmp_path: Path) -> None:
    store = tmp_path / "scores"
    async with reading(log, store=store) as reader:
        await reader.opened()
        await reader.press("]", "]")
        await scored(reader, "0.5 in circles")
        assert "unit 2: reward 0.5 · ✎ in circles" in reader.status
        assert outline(reader)[2].endswith("✎ 0.5")
        assert "0.5  ✎ in circles" in reader.text
        assert reader.app.focused is reader.screen.view
    assert kept(store)["units"] == [{"transcript": 0, "unit": 2, "scores": {"reward": 0.5}, "note": "in circles"}]
    assert records(store) == [], "nothing of it is in the annotation"


async def test_scores_are_there_again_and_an_empty_line_takes_them_away(log: Path, tmp_path: Path) -> None:
    store = tmp_path / "scores"
    async with reading(log, store=store) as reader:
        await reader.opened()
        await scored(reader, "1 good start")
    async with reading(log, store=store) as reader:
        await reader.opened()
        await reader.until(lambda: outline(reader)[0].endswith("✎ 1"))
        await reader.press("S")
        field = reader.app.focused
        assert isinstance(field, Input)
        assert (field.value, field.selected_text) == ("1 good start", "1")
        await reader.type("0")
        assert field.value == "0 good start"
        await reader.press("enter")
        await written(reader)
        assert kept(store)["units"][0]["scores"] == {"reward": 0.0}
        await reader.press("S", "end", "ctrl+u", "enter")
        await written(reader)
        assert not outline(reader)[0].endswith("0")
        assert kept(store)["units"] == []


async def test_what_is_no_score_is_said_and_can_be_mended(log: Path, tmp_path: Path) -> None:
    store = tmp_path / "scores"
    async with reading(log, store=store) as reader:
        await reader.opened()
        await scored(reader, "7 too much")
        assert any("reward: out of range 0..1" in toast for toast in reader.toasts)
        field = reader.app.focused
        assert isinstance(field, Input)
        assert field.value == "7 too much"
        await reader.press("home", "delete", "1", "enter")
        await written(reader)
    assert kept(store)["units"][0] == {"transcript": 0, "unit": 0, "scores": {"reward": 1.0}, "note": "too much"}


async def test_escape_leaves_a_score_as_it_was(log: Path, tmp_path: Path) -> None:
    async with reading(log, store=tmp_path / "scores") as reader:
        await reader.opened()
        await reader.press("S")
        await reader.type("1")
        await reader.press("escape")
        assert "✎" not in reader.whole_screen
        assert not (tmp_path / "scores").exists()


async def test_each_transcript_has_its_own_units(log: Path, tmp_path: Path) -> None:
    store = tmp_path / "scores"
    async with reading(log, store=store) as reader:
        await reader.opened()
        await reader.press("tab")
        await reader.until(lambda: reader.screen.index == 1)
        await scored(reader, "1")
        assert reader.session.scored.keys() == {0}
        await reader.press("tab")
        await reader.until(lambda: reader.screen.index == 0)
        assert reader.session.scored == {}
    assert kept(store)["units"][0]["transcript"] == 1


async def test_marks_are_kept_with_why_and_are_highlights(log: Path, tmp_path: Path) -> None:
    store = tmp_path / "scores"
    async with reading(log, store=store) as reader:
        await reader.opened()
        await reader.press("m", "]", "M")
        await reader.type("look here")
        await reader.press("enter")
        assert "unit 1 marked: look here" in reader.status
        await written(reader)
    assert kept(store)["marks"] == [
        {"transcript": 0, "unit": 0, "note": ""},
        {"transcript": 0, "unit": 1, "note": "look here"},
    ]
    async with reading(log, store=store) as reader:
        await reader.opened()
        await reader.until(lambda: reader.session.highlights.marks == {0: "", 1: "look here"})
        await reader.press("n")
        assert "⚑ look here" in reader.text
        await reader.press("m")
        assert "unit 1 not marked any more" in reader.status
        await written(reader)
        assert reader.session.highlights.counts["mark"] == 1
    assert [mark["unit"] for mark in kept(store)["marks"]] == [0]


async def test_a_mark_that_was_set_just_before_leaving_is_kept(log: Path, tmp_path: Path) -> None:
    store = tmp_path / "scores"
    async with reading(log, store=store) as reader:
        await reader.opened()
        await reader.press("m", "q", "q")
    assert [mark["unit"] for mark in kept(store)["marks"]] == [0]


async def test_another_run_has_its_own_marks(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "two.jsonl", [chat("one", "a", "b"), chat("two", "c", "d")])
    async with reading(path) as reader:
        await reader.listed()
        await reader.open("enter")
        await reader.opened("one")
        await reader.press("m")
        await reader.press("L")
        await reader.opened("two")
        await reader.until(lambda: reader.screen.unit_scorer.settled)
        assert reader.session.highlights.marks == {}
        await reader.press("H")
        await reader.opened("one")
        await reader.until(lambda: reader.session.highlights.marks == {0: ""})


async def test_a_score_that_cannot_be_saved_shouts_and_is_there_to_be_tried_again(log: Path, tmp_path: Path) -> None:
    store = tmp_path / "scores"
    store.write_text("a file is in the way")
    async with reading(log, store=store) as reader:
        await reader.opened()
        await scored(reader, "1 good")
        await reader.until(lambda: isinstance(reader.app.focused, Input))
        assert any("not saved" in toast for toast in reader.toasts)
        field = reader.app.focused
        assert isinstance(field, Input)
        assert field.value == "1 good"
        assert reader.session.scored == {}
        await reader.press("escape")
        store.unlink()
        await scored(reader, "1 good")
    assert kept(store)["units"][0]["note"] == "good"


async def test_a_note_that_another_program_changed_is_not_overwritten(log: Path, tmp_path: Path) -> None:
    store = tmp_path / "scores"
    async with reading(log, store=store) as reader:
        await reader.opened()
        await scored(reader, "1 mine")
        from trajview.annotation.rubric import rubric_for
        from trajview.annotation.unit_notes import UnitNote

        other = AnnotationStore(store, "ada")
        other.unit_notes(reader.screen.info.key)
        other.save_unit_note(reader.screen.info.key, rubric_for("docent"), UnitNote(0, 0, {"reward": 0.0}, "theirs"))
        await scored(reader, "0.5")
        await reader.until(lambda: reader.session.scored[0].note == "theirs", "theirs is shown")
        assert any("was changed by another program" in toast for toast in reader.toasts)
    assert kept(store)["units"][0]["note"] == "theirs"


async def test_scores_and_marks_are_undone_and_done_again(log: Path, tmp_path: Path) -> None:
    store = tmp_path / "scores"
    async with reading(log, store=store) as reader:
        await reader.opened()
        await scored(reader, "1 first")
        await scored(reader, "0.5 second")
        await reader.press("m", "ctrl+z")
        await reader.until(lambda: reader.session.highlights.marks == {}, "the mark is taken back")
        await reader.press("ctrl+z")
        await reader.until(lambda: reader.session.scored[0].note == "first", "the second score is taken back")
        await reader.press("ctrl+z")
        await reader.until(lambda: reader.session.scored == {})
        await reader.press("ctrl+y")
        await reader.until(lambda: reader.session.scored != {} and reader.session.scored[0].note == "first")
    assert kept(store)["units"][0]["scores"] == {"reward": 1.0}


async def test_reading_a_run_again_shows_what_another_program_has_said_of_its_units(log: Path, tmp_path: Path) -> None:
    store = tmp_path / "scores"
    async with reading(log, store=store) as reader:
        await reader.opened()
        await reader.until(lambda: reader.screen.unit_scorer.settled)
        AnnotationStore(store, "ada").set_mark(reader.screen.info.key, 0, 3, True, "from elsewhere")
        await reader.press("ctrl+r")
        await reader.until(lambda: reader.session.highlights.marks == {3: "from elsewhere"})


async def test_keys_that_open_a_field_are_letters_in_the_annotation_panel(log: Path, tmp_path: Path) -> None:
    async with reading(log, store=tmp_path / "scores") as reader:
        await reader.opened()
        await reader.annotate()
        await reader.press("tab")
        await reader.type("smMs")
        assert "smMs" in reader.whole_screen
        assert not reader.screen.prompt.is_open


async def test_a_marks_note_made_of_markup_and_escapes_is_shown_as_text(log: Path, tmp_path: Path) -> None:
    store = tmp_path / "scores"
    async with reading(log, store=store) as reader:
        await reader.opened()
        reader.screen.unit_scorer.set_mark(reader.screen.info.key, 0, 0, True, "[red]x[/] \x1b[31m\x1b]0;t\x07 end")
        await written(reader)
        await reader.until(lambda: "[red]x[/]" in reader.text)
        assert "\x1b" not in reader.whole_screen


RUBRIC = """
name = "steps"

[[dimension]]
name = "success"
low = 0
high = 1
description = "Was it done?"

[[dimension]]
name = "progress"
low = -1
high = 1
scope = "unit"
description = "Did it get nearer?"

[[dimension]]
name = "effort"
low = 0
high = 10
integer = true
scope = "unit"
description = "What did it cost?"
"""


async def test_the_dimensions_of_units_of_a_rubric_are_asked_for_in_its_order(log: Path, tmp_path: Path) -> None:
    store = tmp_path / "scores"
    rubric = tmp_path / "steps.toml"
    rubric.write_text(RUBRIC)
    async with reading(log, store=store, rubric=str(rubric)) as reader:
        await reader.opened()
        await reader.press("S")
        assert "progress -1..1, effort 0..10" in reader.whole_screen
        await reader.type("-1 4 backwards")
        await reader.press("enter")
        await written(reader)
        assert "unit 0: progress -1, effort 4 · ✎ backwards" in reader.status
        assert outline(reader)[0].endswith("✎ ø1.5")
    assert kept(store)["units"][0]["scores"] == {"progress": -1.0, "effort": 4.0}
