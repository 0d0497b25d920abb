"""Writing a run from the transcript: the file's name chooses the format, nothing is replaced unasked, losses are said."""

from __future__ import annotations

import json
import time
from pathlib import Path
from threading import Event

import pytest
from textual.widgets import Input

from trajview.annotation.store import AnnotationStore
from trajview.export import choice
from trajview.export.exported import Exported
from trajview.models.run import AgentRun

from .driving import Reader, reading


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, in which files are written."""
    found = tmp_path / "here"
    found.mkdir()
    monkeypatch.chdir(found)
    return found


async def answered(reader: Reader, text: str) -> None:
    """Put a text in the place of the one that the prompt has, and enter."""
    await reader.until(lambda: isinstance(reader.app.focused, Input))
    field = reader.app.focused
    assert isinstance(field, Input)
    field.value = text
    await reader.press("enter")


async def written(reader: Reader, path: Path) -> None:
    await reader.until(lambda: f"written to {path}" in reader.status and "writing" not in reader.status)


async def test_w_writes_the_run_as_its_name_says(log: Path, folder: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("W")
        field = reader.app.focused
        assert isinstance(field, Input)
        assert field.value == "repair.md"
        await reader.press("enter")
        await written(reader, Path("repair.md"))
        assert reader.app.focused is reader.screen.view
    page = Path("repair.md").read_text()
    assert page.startswith("# The cold kettle\n")
    assert "The kettle stays cold." in page
    assert [path.name for path in folder.iterdir()] == ["repair.md"]


async def test_what_is_typed_replaces_the_name_that_is_offered(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("W")
        await reader.type("mine.md")
        await reader.press("enter")
        await written(reader, Path("mine.md"))


async def test_the_messages_that_are_selected_are_written_alone(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.ask("colon", "m1")
        await reader.press("J")
        await reader.press("W")
        await answered(reader, "part.jsonl")
        await written(reader, Path("part.jsonl"))
    said = json.loads(Path("part.jsonl").read_text())["messages"]
    assert [message["content"] for message in said] == ["The kettle stays cold. Please find out why."]


async def test_ones_own_annotation_and_marks_are_in_the_page(log: Path, tmp_path: Path) -> None:
    store = tmp_path / "scores"
    async with reading(log, store=store) as reader:
        await reader.opened()
        rubric = reader.app.episodes.rubric_for(reader.screen.info)
        AnnotationStore(store, reader.app.store.annotator).save("repair", rubric, [0.5], "see [T0B1]")
        await reader.press("]", "m")
        await reader.until(lambda: reader.screen.unit_scorer.settled)
        await reader.press("W")
        await answered(reader, "a.md")
        await written(reader, Path("a.md"))
    page = Path("a.md").read_text()
    assert "> see [T0B1]" in page
    assert "mark: `marked`" in page
    assert '"[T0B1]' not in page


async def test_blind_mode_writes_a_blind_run(log: Path) -> None:
    async with reading(log, blind=True) as reader:
        await reader.opened()
        await reader.press("W")
        await answered(reader, "a.json")
        await written(reader, Path("a.json"))
    record = json.loads(Path("a.json").read_text())
    assert "rewards" not in record
    assert not [message for message in record["transcripts"][0]["messages"] if message.get("model")]


async def test_what_takes_long_to_write_says_how_far_it_is_whatever_is_pressed_and_can_be_stopped(
    log: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, ended = Event(), Event()

    def endless(run: AgentRun, *_: object) -> Exported:
        try:
            while True:
                for _ in run.transcripts[0].messages:
                    entered.set()
                    time.sleep(0.001)
        finally:
            ended.set()

    monkeypatch.setattr(choice, "exported", endless)
    async with reading(log, size=(160, 30)) as reader:
        await reader.opened()
        for press in ("escape", "q"):
            ended.clear()
            await reader.press("W", "enter")
            await reader.until(lambda: "writing repair.md… message " in reader.status)
            assert "(q stops it)" in reader.status
            await reader.press("j", "k")
            assert "writing repair.md…" in reader.status
            await reader.press(press)
            assert ended.wait(20)
            await reader.until(lambda: "not written: stopped" in reader.status)
            await reader.press("j")
            assert "writing" not in reader.status
            await reader.until(lambda: not list(folder.iterdir()))
        entered.clear()
        ended.clear()
        await reader.press("W", "enter")
        await reader.until(entered.is_set)
    # The program has ended: what it was writing did not keep it.
    assert ended.wait(20)
