"""Keys that come quicker than screens do: none ends the program with a fault, and none closes more than it was for."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual import events
from textual.command import CommandPalette
from textual.widgets import Input

from trajview.annotation.queue import Plan
from trajview.app.annotate.history import HistoryScreen
from trajview.app.annotate.questions import ReasonScreen, UnsavedScreen
from trajview.app.annotate.work import AnnotationWork
from trajview.app.raw.screen import RawScreen
from trajview.app.runs.screen import BrowserScreen
from trajview.app.transcript.screen import TranscriptScreen

from .driving import PATIENCE, burst, reading
from .logs import chat, write_jsonl


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "chats.jsonl", [chat(name, "hi", "ho") for name in ("alpha", "beta")])


async def test_keys_typed_before_the_list_is_there_are_for_the_list(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounted = BrowserScreen.on_mount
    # Made out here, as by the terminal: Textual gives an event that a screen made to nobody above that screen.
    typed = [events.Key("ampersand", "&"), events.Key("b", "b"), events.Key("enter", None)]

    async def typed_meanwhile(self: BrowserScreen) -> None:
        for key in typed:
            await self.app.on_event(key)
        mounted(self)

    monkeypatch.setattr(BrowserScreen, "on_mount", typed_meanwhile)
    async with reading(logs) as reader:
        await reader.listed()
        browser = reader.app.browser
        await reader.until(lambda: browser.runs.query == "b", "the filter is typed")
        await reader.until(lambda: reader.app.focused is browser.table, "and kept")


async def test_leaving_a_run_that_is_on_its_way_closes_no_more_than_that_however_often_it_is_said(
    logs: Path, tmp_path: Path
) -> None:
    async with reading(logs, store=tmp_path / "store", plan=Plan()) as reader:
        await reader.opened()
        screen = reader.screen
        for _ in range(4):
            reader.app.leave_transcript(screen)
        await reader.until(lambda: isinstance(reader.app.screen, BrowserScreen))
        await reader.listed()
        assert reader.app.is_running


async def test_leaving_asks_once_about_what_is_not_submitted(logs: Path, tmp_path: Path) -> None:
    async with reading(logs, store=tmp_path / "store", plan=Plan()) as reader:
        await reader.opened()
        await reader.annotating()
        await reader.type("1")
        await reader.press("escape", "escape")
        for key in ("q", "ctrl+q"):
            burst(reader, [key, key])
            await reader.until(lambda: isinstance(reader.app.screen, UnsavedScreen))
            await reader.press(key)
            await reader.press("escape")
            await reader.until(lambda: isinstance(reader.app.screen, TranscriptScreen))


async def test_a_screen_that_was_closed_takes_none_below_it_along(logs: Path) -> None:
    async with reading(logs) as reader:
        await reader.listed()
        await reader.open("enter")
        await reader.press("v")
        await reader.until(lambda: isinstance(reader.app.screen, RawScreen))
        raw = reader.app.screen
        assert isinstance(raw, RawScreen)
        raw.dismiss()
        raw.dismiss()
        await reader.until(lambda: isinstance(reader.app.screen, TranscriptScreen))


async def test_a_submission_that_is_broken_off_while_leaving_is_no_fault_and_nobody_leaves(
    logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(AnnotationWork, "submit", never)
    async with reading(logs, store=tmp_path / "store", plan=Plan()) as reader:
        await reader.opened()
        await reader.annotating()
        await reader.type("1")
        await reader.press("escape", "escape", "ctrl+q")
        await reader.until(lambda: isinstance(reader.app.screen, UnsavedScreen))
        await reader.press("s")
        await reader.until(lambda: any(worker.group == "annotation-save" for worker in reader.app.workers))
        for worker in [worker for worker in reader.app.workers if worker.group == "annotation-save"]:
            worker.cancel()
        await reader.until(lambda: not any(worker.group == "quit" for worker in reader.app.workers))
        assert reader.app.is_running


async def test_a_history_that_is_closed_as_soon_as_it_is_read_is_no_fault(logs: Path, tmp_path: Path) -> None:
    async with reading(logs, store=tmp_path / "store") as reader:
        await reader.listed()
        await reader.press("ctrl+l")
        await reader.until(lambda: isinstance(reader.app.screen, HistoryScreen))
        history = reader.app.screen
        await reader.press("q")
        await reader.until(lambda: not history.is_attached)
        assert isinstance(history, HistoryScreen)
        history.action_ends(1)


@pytest.mark.parametrize("pauses", range(6))
async def test_quitting_while_a_screen_is_being_made_is_no_fault(logs: Path, pauses: int) -> None:
    async with reading(logs) as reader:
        await reader.listed()
        burst(reader, ["enter"])
        for _ in range(pauses):
            await asyncio.sleep(0)
        burst(reader, ["ctrl+q"])
        async with asyncio.timeout(PATIENCE):
            while reader.app.is_running:
                await asyncio.sleep(0.01)
    assert reader.app.return_code == 0


async def test_a_key_that_comes_while_the_program_ends_is_for_nobody(logs: Path) -> None:
    async with reading(logs) as reader:
        await reader.listed()
        reader.app.end(0)
        await reader.app.on_event(events.Key("j", "j"))
        while reader.app.is_running:
            await asyncio.sleep(0.01)
        assert reader.app.browser.runs.cursor == 0


async def test_a_palette_that_is_opened_as_the_last_one_closes_is_no_fault(logs: Path) -> None:
    async with reading(logs) as reader:
        await reader.listed()
        await reader.press("ctrl+p")
        await reader.until(lambda: isinstance(reader.app.screen, CommandPalette))
        reader.app.pop_screen()
        reader.app.action_command_palette()
        assert isinstance(reader.app.screen, CommandPalette)
        await reader.press("escape")
        await reader.until(lambda: isinstance(reader.app.screen, BrowserScreen))


async def test_a_reason_given_before_is_there_for_who_asks_before_the_question_is_drawn(logs: Path) -> None:
    async with reading(logs) as reader:
        await reader.listed()
        question = ReasonScreen("alpha", ["too short"])
        question.action_former(1)
        await reader.app.push_screen(question)
        assert question.query_one(Input).value == "too short"
